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

// A visit is kept by page and time; its key templates stand in the tags.
type Visit struct {
	_ ddb.Entity `name:"Visit" pk:"PAGE#{Page}" sk:"VISIT#{At}#{Visitor}"`
	_ ddb.Index  `name:"GSI1" pk:"VISITOR#{Visitor}" sk:"{At}"`

	Page    string
	Visitor string
	At      time.Time
	Clicks  int
}

// visits makes the table on a fresh engine, with three visits in it.
func visits() (*ddb.Table, *ddb.Definition[Visit]) {
	db := memory.New()
	table := ddb.NewTable("Visits", db)
	visits := ddb.Define[Visit](table)
	in, err := table.CreateTableInput()
	if err != nil {
		log.Fatal(err) // lists every fault of the definitions
	}
	ctx := context.Background()
	if _, err := db.CreateTable(ctx, in); err != nil {
		log.Fatal(err)
	}
	for i, who := range []string{"ann", "bob", "ann"} {
		v := Visit{Page: "home", Visitor: who, At: time.Date(2024, 5, 1+i, 9, 0, 0, 0, time.UTC), Clicks: i}
		if err := visits.Create(&v).Run(ctx); err != nil {
			log.Fatal(err)
		}
	}
	return table, visits
}

func Example() {
	_, visits := visits()
	ctx := context.Background()
	for v, err := range visits.Query(Visit{Visitor: "ann"}).Index("GSI1").Desc().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v.Page, v.At.Format(time.DateOnly))
	}
	// Output:
	// home 2024-05-03
	// home 2024-05-01
}

func ExampleDefine() {
	type Order struct {
		_      ddb.Entity `name:"Order" pk:"USER#{UserId}" sk:"{Total}"`
		UserID string
		Total  float64
	}
	table := ddb.NewTable("AppTable", memory.New())
	ddb.Define[Order](table)
	fmt.Println(errors.Is(table.Err(), ddb.ErrDefinition))
	var faults *ddb.DefinitionError
	errors.As(table.Err(), &faults)
	for _, f := range faults.Faults {
		fmt.Println(f.Column, f.Problem)
	}
	// Output:
	// true
	// PK names {UserId}, but ddb_test.Order has no such field; did you mean {UserID}?
	// SK names {Total}, which is a float64: floats have no exact text; store an integer such as cents
}

func ExampleDefinition_Get() {
	_, visits := visits()
	_, err := visits.Get(Visit{Page: "home", Visitor: "eve", At: time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)}).Run(context.Background())
	fmt.Println(errors.Is(err, ddb.ErrNotFound))
	fmt.Println(err)
	// Output:
	// true
	// ddb: GetItem Visits: Visit: item not found
}

func ExampleDefinition_Update() {
	_, visits := visits()
	clicks := ddb.Field(visits, func(v *Visit) *int { return &v.Clicks })
	key := Visit{Page: "home", Visitor: "bob", At: time.Date(2024, 5, 2, 9, 0, 0, 0, time.UTC)}
	v, err := visits.Update(key).Set(clicks.Add(10)).If(clicks.Lt(5)).Run(context.Background())
	fmt.Println(v.Clicks, err)
	_, err = visits.Update(key).Set(clicks.Add(10)).If(clicks.Lt(5)).Run(context.Background())
	fmt.Println(errors.Is(err, ddb.ErrConditionFailed))
	// Output:
	// 11 <nil>
	// true
}

func ExampleQueryOp_Between() {
	_, visits := visits()
	first, second := Visit{At: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}, Visit{At: time.Date(2024, 5, 2, 9, 0, 0, 0, time.UTC)}
	for v, err := range visits.Query(Visit{Page: "home"}).Between(first, second).All(context.Background()) {
		fmt.Println(v.Visitor, err)
	}
	// Output:
	// ann <nil>
	// bob <nil>
}

func ExampleQueryOp_Page() {
	_, visits := visits()
	q := visits.Query(Visit{Page: "home"}).Limit(2)
	for cursor := ""; ; {
		page, err := q.Page(context.Background(), cursor)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(page.Items), "from", page.Items[0].Visitor)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	// Output:
	// 2 from ann
	// 1 from ann
}

func ExampleTable_Collection() {
	table, visits := visits()
	c, err := table.Collection(visits.Partition(Visit{Page: "home"})).Load(context.Background())
	fmt.Println(len(ddb.Of(c, visits)), c.Complete(), err)
	// Output:
	// 3 true <nil>
}

func ExampleTransact() {
	_, visits := visits()
	clicks := ddb.Field(visits, func(v *Visit) *int { return &v.Clicks })
	day := time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)
	again := Visit{Page: "home", Visitor: "ann", At: day}
	err := ddb.Transact(
		visits.Update(Visit{Page: "home", Visitor: "bob", At: day.AddDate(0, 0, 1)}).Set(clicks.Add(1)),
		visits.Create(&again),
	).Run(context.Background())
	fmt.Println(errors.Is(err, ddb.ErrExists))
	fmt.Println(err)
	// Output:
	// true
	// ddb: transaction cancelled; operation 1: PutItem Visits: Visit: item exists already
}
