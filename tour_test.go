package ddb_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Example_tour is the tour of the README, run.
func Example_tour() {
	type Customer struct {
		_ ddb.Entity `name:"User" pk:"USER#{ID}" sk:"PROFILE"`

		ID     string
		Orders int
	}
	type Order struct {
		_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{PlacedAt}#{OrderID}"`
		_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{PlacedAt}#{OrderID}"`
		_ ddb.Index  `name:"GSI2" pk:"PRODUCT#{ProductID}" sk:"{PlacedAt}#{OrderID}"`

		UserID    string
		OrderID   string
		ProductID string `dynamodbav:",omitempty"`
		Status    string
		PlacedAt  time.Time
		Total     int
	}
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	users, orders := ddb.Define[Customer](table), ddb.Define[Order](table)
	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
	total := ddb.Field(orders, func(o *Order) *int { return &o.Total })
	count := ddb.Field(users, func(u *Customer) *int { return &u.Orders })
	check(table.Err())
	create, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, create)
	check(err)

	check(users.Create(&Customer{ID: "12345"}).Run(ctx))
	may1, may20 := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 5, 20, 0, 0, 0, 0, time.UTC)
	o := Order{UserID: "12345", OrderID: "2024-001", Status: "PAID", PlacedAt: may20, Total: 99}
	check(orders.Create(&o).Run(ctx))
	o, err = orders.Get(Order{UserID: "12345", PlacedAt: may20, OrderID: "2024-001"}).Run(ctx)
	check(err)
	o, err = orders.Update(o).Set(status.To("SHIPPED"), total.Add(5)).If(status.Eq("PAID")).Run(ctx)
	check(err)
	for o, err := range orders.Query(Order{UserID: "12345"}).
		Between(Order{PlacedAt: may1}, Order{PlacedAt: may20}).
		Filter(total.Ge(10)).Desc().Limit(20).All(ctx) {
		check(err)
		fmt.Println(o.OrderID, o.Status, o.Total)
	}
	page, err := orders.Query(Order{Status: "SHIPPED"}).Index("GSI1").Limit(20).Page(ctx, "")
	check(err)
	n, err := orders.Query(Order{UserID: "12345"}).Count(ctx)
	check(err)
	fmt.Println(len(page.Items), page.Next == "", n)
	o, err = orders.Modify(ctx, o, func(o *Order) error {
		o.Total -= 10
		return nil
	})
	check(err)
	fmt.Println(o.Total)
	o2 := Order{UserID: "12345", OrderID: "2024-002", Status: "NEW", PlacedAt: may20}
	check(ddb.Transact(orders.Create(&o2), users.Update(Customer{ID: "12345"}).Set(count.Add(1))).Run(ctx))
	c, err := table.Collection(users.Partition(Customer{ID: "12345"})).Load(ctx)
	check(err)
	us, os := ddb.Of(c, users), ddb.Of(c, orders)
	fmt.Println(us[0].Orders, len(os))
	// Output:
	// 2024-001 SHIPPED 104
	// 1 true 1
	// 94
	// 1 2
}
