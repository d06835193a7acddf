package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// A login is found by its name and has an address that no other has.
type Login struct {
	_ ddb.Entity `name:"Login" pk:"LOGIN#{Name}" sk:"LOGIN"`

	Name   string
	Email  string `ddb:"unique,lower"`
	Roles  map[string]int
	Visits []Site
}

type Site struct {
	URL   string
	Times int
}

// logins makes the table on a fresh engine, with one login in it.
func logins() *ddb.Definition[Login] {
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Logins", db)
	logins := ddb.Define[Login](table)
	in, err := table.CreateTableInput()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.CreateTable(ctx, in); err != nil {
		log.Fatal(err)
	}
	ann := Login{Name: "ann", Email: "Ann@example.com", Roles: map[string]int{"db.admin": 1}, Visits: []Site{{URL: "/", Times: 2}}}
	if err := logins.Create(&ann).Run(ctx); err != nil {
		log.Fatal(err)
	}
	return logins
}

func ExampleUniqueError() {
	logins, ctx := logins(), context.Background()
	email := ddb.Field(logins, func(l *Login) *string { return &l.Email })
	bob := Login{Name: "bob", Email: "ann@EXAMPLE.com"}
	err := logins.Create(&bob).Run(ctx)
	fmt.Println(err)
	if taken, ok := errors.AsType[*ddb.UniqueError](err); ok {
		fmt.Println(taken.Entity, taken.Field)
	}
	if _, err := logins.Update(Login{Name: "ann"}).Set(email.To("ann@work.example")).Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(logins.Create(&bob).Run(ctx))
	// Output:
	// ddb: PutItem Logins: Login.Email: value is taken by an item of Login
	// Login Email
	// <nil>
}

func ExampleElement() {
	logins := logins()
	visits := ddb.Field(logins, func(l *Login) *[]Site { return &l.Visits })
	roles := ddb.Field(logins, func(l *Login) *map[string]int { return &l.Roles })
	times := ddb.FieldOf(ddb.Element(visits, 0), func(s *Site) *int { return &s.Times })
	got, err := logins.Update(Login{Name: "ann"}).
		Set(times.Add(1), ddb.Entry(roles, "db.admin").To(3)).
		If(visits.Size().Ge(1)).
		Run(context.Background())
	fmt.Println(got.Visits, got.Roles, err)
	// Output: [{/ 3}] map[db.admin:3] <nil>
}

func ExampleDefinition_Path() {
	logins := logins()
	_, err := logins.Path("Visits[0].Url")
	fmt.Println(err)
	times, err := logins.Path("Visits[0].Times")
	if err != nil {
		log.Fatal(err)
	}
	got, err := logins.Update(Login{Name: "ann"}).Set(times.To(7.0)).Run(context.Background())
	fmt.Println(got.Visits, err)
	// Output:
	// ddb: Path Logins: Login.Visits[0]: bad expression: the ddb_test.Site has no Url
	// [{/ 7}] <nil>
}

func ExamplePutOp_RunOld() {
	logins := logins()
	old, err := logins.Put(&Login{Name: "ann", Email: "ann@work.example"}).RunOld(context.Background())
	fmt.Println(old.Found, old.Value.Email, err)
	// Output: true Ann@example.com <nil>
}
