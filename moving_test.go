package ddb_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Example_moving is the ddb side of docs/moving.md, run.
func Example_moving() {
	type User struct {
		_ ddb.Entity `name:"User" pk:"USER#{ID}" sk:"PROFILE"`

		ID     string
		Orders int
	}
	type Order struct {
		_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{Day:2006-01-02}#{OrderID}"`
		_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{Day:2006-01-02}#{OrderID}"`

		UserID, OrderID, Status string
		Day                     time.Time
	}
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	date := func(day int) time.Time { return time.Date(2024, 5, day, 0, 0, 0, 0, time.UTC) }
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	users, orders := ddb.Define[User](table), ddb.Define[Order](table)
	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
	count := ddb.Field(users, func(u *User) *int { return &u.Orders })
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	const userID, orderID = "12345", "009"
	may1, may20, may31 := date(1), date(20), date(31)
	check(users.Create(&User{ID: userID}).Run(ctx))
	for _, o := range []Order{{Day: may20, OrderID: orderID, Status: "PAID"}, {Day: may31, OrderID: "010", Status: "PAID"}} {
		o.UserID = userID
		check(orders.Create(&o).Run(ctx))
	}

	o, err := orders.Get(Order{UserID: userID, Day: may20, OrderID: orderID}).Run(ctx)
	check(err)
	for o, err := range orders.Query(Order{UserID: userID}).
		Between(Order{Day: may1}, Order{Day: may31}).Desc().All(ctx) {
		check(err)
		fmt.Println(o.OrderID, o.Status)
	}
	o, err = orders.Update(o).Set(status.To("SHIPPED")).If(status.Eq("PAID")).Run(ctx)
	check(err)
	shipped, err := orders.Query(Order{Status: "SHIPPED"}).Index("GSI1").Count(ctx)
	check(err)
	fmt.Println(shipped, "shipped")
	o.OrderID = "011"
	err = ddb.Transact(
		orders.Create(&o),
		users.Update(User{ID: userID}).Set(count.Add(1)),
	).Run(ctx)
	check(err)
	u, err := users.Get(User{ID: userID}).Run(ctx)
	check(err)
	fmt.Println(u.Orders, "counted")
	// Output:
	// 010 PAID
	// 009 PAID
	// 1 shipped
	// 1 counted
}
