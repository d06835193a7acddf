package accounts_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/accounts"
)

// An address is taken, given up, and free for another.
func Example() {
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	all := accounts.New(table)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	john := accounts.Account{Email: "john@example.com", Name: "John Smith"}
	check(all.SignUp(ctx, &john))
	other := accounts.Account{Email: "John@Example.com", Name: "Johnny"}
	fmt.Println("taken:", errors.Is(all.SignUp(ctx, &other), accounts.ErrTaken))

	check(all.ChangeEmail(ctx, john.ID, "john@example.com", "smith@example.com"))
	check(all.SignUp(ctx, &other))
	for _, email := range []string{"john@example.com", "SMITH@example.com"} {
		a, err := all.ByEmail(ctx, email)
		check(err)
		fmt.Println(email, "is", a.Name)
	}
	// Output:
	// taken: true
	// john@example.com is Johnny
	// SMITH@example.com is John Smith
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
