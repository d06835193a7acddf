package cart_test

import (
	"context"
	"fmt"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/cart"
)

// A cart is filled, changed, and checked out together with the order that it
// becomes.
func Example() {
	type Order struct {
		_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{ID}"`

		UserID, ID string
		Amount     int64
	}
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	carts, orders := cart.New(table), ddb.Define[Order](table)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	_, err = carts.Add(ctx, "12345", cart.Line{ProductID: "P001", Name: "纯棉T恤", Price: 9900, Quantity: 2})
	check(err)
	c, err := carts.Add(ctx, "12345", cart.Line{ProductID: "P002", Name: "Mug", Price: 1250, Quantity: 1})
	check(err)
	fmt.Println(len(c.Lines), "lines,", c.Total)

	receipt, err := carts.CheckOut(ctx, "12345", "2024-001", func(r cart.Receipt) []ddb.Write {
		return []ddb.Write{orders.Create(&Order{UserID: r.UserID, ID: r.ID, Amount: r.Total})}
	})
	check(err)
	order, err := orders.Get(Order{UserID: "12345", ID: receipt.ID}).Run(ctx)
	check(err)
	c, err = carts.Get(ctx, "12345")
	check(err)
	fmt.Println("order of", order.Amount, "and", len(c.Lines), "lines left")
	// Output:
	// 2 lines, 21050
	// order of 21050 and 0 lines left
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
