package orders_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/orders"
)

// Orders are placed and found by user, status and product.
func Example() {
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	all := orders.New(table)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	may := time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC)
	for n := range 3 {
		check(all.Place(ctx, &orders.Order{
			UserID: "U001", ID: fmt.Sprintf("ORD%03d", n+1), PlacedAt: may.AddDate(0, n, 0), ProductID: "P001", Amount: 9900,
		}))
	}
	first, err := all.ByID(ctx, "ORD001")
	check(err)
	check(all.SetStatus(ctx, first, orders.Pending, "COMPLETED"))

	for o, err := range all.OfUser("U001").Desc().All(ctx) {
		check(err)
		fmt.Println(o.ID, o.PlacedAt.Format(time.DateOnly), o.Status)
	}
	n, err := all.Count(ctx, "U001")
	check(err)
	pending, err := all.ByStatus(orders.Pending).Count(ctx)
	check(err)
	fmt.Println(n, "orders,", pending, "pending")
	// Output:
	// ORD003 2024-07-20 PENDING
	// ORD002 2024-06-20 PENDING
	// ORD001 2024-05-20 COMPLETED
	// 3 orders, 2 pending
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
