package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

func ExampleQueryOp_Prefix() {
	_, visits := visits()
	q := visits.Query(Visit{Page: "home"}).Prefix(Visit{At: time.Date(2024, 5, 2, 9, 0, 0, 0, time.UTC)})
	in, err := q.Input()
	fmt.Println(*in.KeyConditionExpression, err)
	v, err := q.One(context.Background())
	fmt.Println(v.Visitor, err)
	// Output:
	// #pk = :pk AND begins_with(#sk, :lo) <nil>
	// bob <nil>
}

func ExampleQueryOp_First() {
	_, visits := visits()
	clicks := ddb.Field(visits, func(v *Visit) *int { return &v.Clicks })
	v, err := visits.Query(Visit{Page: "home"}).Filter(clicks.Ge(2)).First(context.Background())
	fmt.Println(v.At.Format(time.DateOnly), err)
	_, err = visits.Query(Visit{Page: "home"}).Filter(clicks.Ge(9)).First(context.Background())
	fmt.Println(errors.Is(err, ddb.ErrNotFound))
	// Output:
	// 2024-05-03 <nil>
	// true
}

func ExampleQueryOp_Pages() {
	_, visits := visits()
	for page, err := range visits.Query(Visit{Page: "home"}).Limit(2).Pages(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(page.Items), page.ScannedCount, page.Next != "")
	}
	// Output:
	// 2 2 true
	// 1 1 false
}

func ExampleQueryOp_Project() {
	_, visits := visits()
	clicks := ddb.Field(visits, func(v *Visit) *int { return &v.Clicks })
	for v, err := range visits.Query(Visit{Visitor: "ann"}).Index("GSI1").Project(clicks).All(context.Background()) {
		fmt.Println(v.Clicks, v.Page, v.At.Format(time.DateOnly), err) // what the keys hold comes too
	}
	// Output:
	// 0 home 2024-05-01 <nil>
	// 2 home 2024-05-03 <nil>
}

func ExampleSum() {
	_, visits := visits()
	clicks, err := ddb.Sum(context.Background(), visits.Query(Visit{Page: "home"}), func(v Visit) int { return v.Clicks })
	fmt.Println(clicks, err)
	// Output:
	// 3 <nil>
}

func ExampleCollectionOp_All() {
	table, visits := visits()
	for v, err := range table.Collection(visits.Partition(Visit{Page: "home"})).Desc().Limit(1).All(context.Background()) {
		switch v := v.(type) {
		case Visit:
			fmt.Println(v.Visitor, v.Clicks, err)
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// ann 2 <nil>
}

func ExampleObserve() {
	table := ddb.NewTable("Visits", memory.New(), ddb.Observe(func(_ context.Context, c ddb.Call) {
		fmt.Println(c.Op, c.Entity, c.Pattern, c.Retries, c.Err != nil)
	}))
	visits := ddb.Define[Visit](table)
	_, err := visits.Query(Visit{Page: "home"}).Named("visits of a page").Count(context.Background())
	fmt.Println(errors.Is(err, ddb.ErrTableNotFound))
	// Output:
	// Query Visit visits of a page 0 true
	// true
}
