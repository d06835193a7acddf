package ddb_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Example_tour has every line of the tour in the README.
func Example_tour() {
	if err := tour(context.Background(), memory.New(), ""); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2024-001 SHIPPED 104
	// 1 true 1
	// 1 1 94
	// AppTable
}

func tour(ctx context.Context, db *memory.DB, cursor string) error {
	type User struct {
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
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}

	table := ddb.NewTable("AppTable", db)
	orders := ddb.Define[Order](table)
	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
	total := ddb.Field(orders, func(o *Order) *int { return &o.Total })
	users := ddb.Define[User](table)
	count := ddb.Field(users, func(u *User) *int { return &u.Orders })
	if err := table.Err(); err != nil {
		return err
	}
	create, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, create)
	check(err)
	check(users.Create(&User{ID: "12345"}).Run(ctx))

	may1, may20, may31 := day.AddDate(0, 4, 0), day.AddDate(0, 4, 19), day.AddDate(0, 4, 30)
	o := Order{UserID: "12345", OrderID: "2024-001", Status: "PAID", PlacedAt: may20, Total: 99}
	o2 := Order{UserID: "12345", OrderID: "2024-002", Status: "NEW", PlacedAt: may31}
	{
		err := orders.Create(&o).Run(ctx)
		check(err)
	}
	o, err = orders.Get(Order{UserID: "12345", PlacedAt: may20, OrderID: "2024-001"}).Run(ctx)
	check(err)

	o, err = orders.Update(o).Set(status.To("SHIPPED"), total.Add(5)).If(status.Eq("PAID")).Run(ctx)
	check(err)

	for o, err := range orders.Query(Order{UserID: "12345"}).
		Between(Order{PlacedAt: may1}, Order{PlacedAt: may31}).
		Filter(total.Ge(10)).Desc().Limit(20).All(ctx) {
		check(err)
		fmt.Println(o.OrderID, o.Status, o.Total)
	}

	page, err := orders.Query(Order{Status: "SHIPPED"}).Index("GSI1").Limit(20).Page(ctx, cursor)
	check(err)
	n, err := orders.Query(Order{UserID: "12345"}).Count(ctx)
	check(err)
	fmt.Println(len(page.Items), page.Next == "", n)

	c, err := table.Collection(users.Partition(User{ID: "12345"})).Load(ctx)
	check(err)
	us, os := ddb.Of(c, users), ddb.Of(c, orders)

	o, err = orders.Modify(ctx, o, func(o *Order) error {
		o.Total -= 10
		return nil
	})
	check(err)
	fmt.Println(len(us), len(os), o.Total)
	err = ddb.Transact(orders.Create(&o2), users.Update(User{ID: "12345"}).Set(count.Add(1))).Run(ctx)
	check(err)

	in, err := orders.Query(Order{UserID: "12345"}).Input()
	check(err)
	fmt.Println(*in.TableName)
	return nil
}
