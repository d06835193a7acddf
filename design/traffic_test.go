package design_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/memory"
)

// TestTraffic promises that calls are added up by what they do.
func TestTraffic(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	traffic := new(design.Traffic)
	filter := &dynamodb.QueryInput{FilterExpression: aws.String("#0 = :0")}
	for _, c := range []ddb.Call{
		{Op: "Query", Index: "G", Entity: "E", Input: &dynamodb.QueryInput{}, Items: 2, Examined: 2, Capacity: 0.5},
		{Op: "Query", Index: "G", Entity: "E", Input: filter, Items: 1, Examined: 9, Capacity: 1},
		{Op: "Query", Index: "G", Entity: "E", Pattern: "open", Input: filter, Items: 1, Examined: 1, Capacity: 0.5},
		{Op: "Scan", Entity: "E", Input: &dynamodb.ScanInput{FilterExpression: aws.String("#0 = :0")}, Err: errors.New("broken")},
		{Op: "GetItem", Entity: "E", Input: &dynamodb.GetItemInput{}, Err: &types.ProvisionedThroughputExceededException{}},
	} {
		traffic.Observe(ctx, c)
	}
	want := []design.Usage{
		{Pattern: "open", Op: "Query", Index: "G", Entity: "E", Calls: 1, Items: 1, Examined: 1, Units: 0.5, Filtered: true},
		{Op: "GetItem", Entity: "E", Calls: 1, Failed: 1, Throttled: 1},
		{Op: "Query", Index: "G", Entity: "E", Calls: 2, Items: 3, Examined: 11, Units: 1.5, Filtered: true},
		{Op: "Scan", Entity: "E", Calls: 1, Failed: 1, Filtered: true},
	}
	if diff := cmp.Diff(traffic.Usage(), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if traffic.Reset(); len(traffic.Usage()) != 0 {
		t.Errorf("after Reset: got %v, want nothing", traffic.Usage())
	}
}

// TestTrafficAtOnce promises that no call is lost among many at once.
func TestTrafficAtOnce(t *testing.T) {
	t.Parallel()
	traffic := new(design.Traffic)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 50 {
				traffic.Observe(context.Background(), ddb.Call{Op: "GetItem", Items: 1})
				traffic.Usage()
			}
		})
	}
	wg.Wait()
	if got := traffic.Usage()[0]; got.Calls != 1000 || got.Items != 1000 {
		t.Errorf("got %+v, want 1000 calls", got)
	}
}

// TestEvidence promises that what a table at work shows leads to findings: a
// customer who has half of all orders, and looks for one of them by a filter.
func TestEvidence(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New(memory.TrackHeat(100))
	traffic := new(design.Traffic)
	s := newStore(db, ddb.Observe(traffic.Observe))
	create(t, db, s.table)
	for i := range 240 {
		o := anOrder()
		o.PlacedAt = o.PlacedAt.AddDate(0, 0, i)
		if i == 0 {
			o.Status = "OPEN"
		}
		if i%2 == 1 {
			o.CustomerID = string(rune('D' + i%15))
		}
		if err := s.orders.Put(&o).Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	status := ddb.Field(s.orders, func(o *Order) *string { return &o.Status })
	if n, err := s.orders.Query(Order{CustomerID: "C1"}).Filter(status.Eq("OPEN")).Count(ctx); n != 1 || err != nil {
		t.Fatalf("got %d open orders, %v; want 1", n, err)
	}
	items, err := design.Sample(ctx, db, "Store", 1000)
	if err != nil || len(items) != 240 {
		t.Fatalf("got %d items, %v; want 240", len(items), err)
	}
	findings := design.Check(describe(t, s.table), design.Evidence{Items: items, Usage: traffic.Usage(), Heat: db.Heat("Store")})
	want := []string{
		"low-cardinality 订单 in GSI1, STATUS#{Status}", "hot-key PK = CUSTOMER#C1 in the table",
		"unused-index GSI1", "unused-index ByDay", "dropping-filter Query 订单",
	}
	if diff := cmp.Diff(found(findings), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

// TestSample promises no more items than asked for, and the backend's error.
func TestSample(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	s := newStore(db)
	if _, err := design.Sample(ctx, db, "Store", 1); err == nil {
		t.Error("a table that does not exist: got no error")
	}
	create(t, db, s.table)
	for _, id := range []string{"A", "B", "C"} {
		if err := s.customers.Create(&Customer{ID: id}).Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range map[int]int{0: 0, 2: 2, 3: 3, 9: 3} {
		items, err := design.Sample(ctx, db, "Store", n)
		if err != nil || len(items) != want {
			t.Errorf("at most %d: got %d items, %v; want %d", n, len(items), err, want)
		}
	}
}
