package ddbtest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

// TestBill asserts what each kind of request costs, in process and over HTTP, and
// that it is what the service reports to have consumed.
func TestBill(t *testing.T) {
	t.Parallel()
	type bill struct {
		requests      int
		reads, writes float64
		examined      int
	}
	tests := []struct {
		name string
		run  func(context.Context, shop) error
		want bill
	}{
		{"nothing", func(context.Context, shop) error { return nil }, bill{}},
		{"get", func(ctx context.Context, s shop) error {
			_, err := s.users.Get(User{ID: "1"}).Run(ctx)
			return err
		}, bill{1, 0.5, 0, 1}},
		{"consistent get", func(ctx context.Context, s shop) error {
			_, err := s.users.Get(User{ID: "1"}).Consistent().Run(ctx)
			return err
		}, bill{1, 1, 0, 1}},
		{"create in an index", func(ctx context.Context, s shop) error {
			return s.orders.Create(&Order{UserID: "1", ID: "z", Status: "OPEN"}).Run(ctx)
		}, bill{1, 0, 2, 0}},
		{"update", func(ctx context.Context, s shop) error {
			_, err := s.users.Update(User{ID: "1"}).Set(s.count.Add(1)).Run(ctx)
			return err
		}, bill{1, 0, 1, 0}},
		{"transaction", func(ctx context.Context, s shop) error { return s.placeOrder(ctx, "1", "z") }, bill{1, 0, 5, 0}},
		{"transaction of reads", func(ctx context.Context, s shop) error {
			var r ddb.Result[User]
			return ddb.TransactGet(s.users.Get(User{ID: "1"}).Into(&r)).Run(ctx)
		}, bill{1, 2, 0, 1}},
		{"query with a filter", func(ctx context.Context, s shop) error {
			status := ddb.Field(s.orders, func(o *Order) *string { return &o.Status })
			_, err := s.orders.Query(Order{UserID: "1"}).Filter(status.Eq("GONE")).Count(ctx)
			return err
		}, bill{1, 0.5, 0, 30}},
		{"query of an index in pages", func(ctx context.Context, s shop) error {
			_, err := s.orders.Query(Order{Status: "OPEN"}).Index("GSI1").PageSize(10).Count(ctx)
			return err
		}, bill{4, 2, 0, 30}},
		{"batch of reads", func(ctx context.Context, s shop) error {
			_, err := s.users.GetAll(ctx, User{ID: "1"}, User{ID: "2"}, User{ID: "1"})
			return err
		}, bill{1, 1, 0, 1}},
		{"batch of writes", func(ctx context.Context, s shop) error {
			return ddb.Batch(s.users.Put(&User{ID: "3"}), s.users.Delete(User{ID: "1"})).Run(ctx)
		}, bill{1, 0, 2, 0}},
		{"scan", func(ctx context.Context, s shop) error {
			for _, err := range s.users.Scan().All(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		}, bill{1, 0.5, 0, 31}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, open opener) {
				db := open(t)
				var reported sync.Map
				s := ddbtest.Open(t, db, newShop, ddb.Observe(func(_ context.Context, c ddb.Call) {
					before, _ := reported.LoadOrStore("units", 0.0)
					reported.Store("units", before.(float64)+c.Capacity)
				}))
				ddbtest.Seed(t, s.users, User{ID: "1"})
				for n := range 30 {
					ddbtest.Seed(t, s.orders, Order{UserID: "1", ID: fmt.Sprint(n), Status: "OPEN"})
				}
				reported.Store("units", 0.0)
				b := ddbtest.Cost(t, db, func() {
					if err := test.run(t.Context(), s); err != nil {
						t.Fatal(err)
					}
				})
				got := bill{b.Requests, b.ReadUnits, b.WriteUnits, b.Examined}
				if diff := cmp.Diff(got, test.want, cmp.AllowUnexported(bill{})); diff != "" {
					t.Errorf("the bill (-got +want)\n%s", diff)
				}
				if want, _ := reported.Load("units"); b.Units() != want {
					t.Errorf("got %v units, reported were %v", b.Units(), want)
				}
			})
		})
	}
}

// TestDemands asserts that each demand on a bill fails when it is not met, with
// what was done, and passes when it is.
func TestDemands(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := ddbtest.Open(t, db, newShop)
	ddbtest.Seed(t, s.users, User{ID: "1"}, User{ID: "2"})
	bill := func(t ddbtest.TB, f func(context.Context) error) *ddbtest.Bill {
		return ddbtest.Cost(t, db, func() {
			if err := f(t.Context()); err != nil {
				t.Fatalf("%v", err)
			}
		})
	}
	gets := func(ctx context.Context) error {
		for _, id := range []string{"1", "1", "2"} {
			if _, err := s.users.Get(User{ID: id}).Consistent().Run(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	scan := func(ctx context.Context) error {
		for range s.orders.Scan().Index("GSI1").All(ctx) {
			return nil
		}
		return nil
	}
	const spent = "3 requests, 3 read units, 0 write units, 3 items examined (3 × GetItem AppTable)"
	wantFailure(t, func(t ddbtest.TB) { bill(t, gets).AtMost(3, 3, 3).Exactly(3, 3, 3).NoScan().KeyAtMost(2) })
	wantFailure(t, func(t ddbtest.TB) { bill(t, gets).AtMost(2, 3, 3) }, spent, "at most 2 requests, 3 units, 3 items examined")
	wantFailure(t, func(t ddbtest.TB) { bill(t, gets).AtMost(3, 2.5, 3) }, spent, "at most 3 requests, 2.5 units")
	wantFailure(t, func(t ddbtest.TB) { bill(t, gets).AtMost(3, 3, 1) }, spent, "1 item examined")
	wantFailure(t, func(t ddbtest.TB) { bill(t, gets).Exactly(4, 3, 3) }, spent, "want 4 requests")
	wantFailure(t, func(t ddbtest.TB) { bill(t, gets).KeyAtMost(1) }, "USER#1 of AppTable, took 2 units of 3 units; want at most 1 unit")
	wantFailure(t, func(t ddbtest.TB) { bill(t, scan).NoScan() }, "it scanned: Scan AppTable.GSI1")

	b := bill(t, func(ctx context.Context) error { return s.placeOrder(ctx, "1", "a") })
	want := []ddbtest.KeyCost{{Where: "AppTable", Key: "USER#1", WriteUnits: 4}, {Where: "AppTable.GSI1", Key: "STATUS#OPEN", WriteUnits: 1}}
	if diff := cmp.Diff(b.Keys, want); diff != "" {
		t.Errorf("the keys (-got +want)\n%s", diff)
	}
}

// TestCostOfRetries asserts that requests which the SDK's client sends again are
// counted again.
func TestCostOfRetries(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	s := ddbtest.Open(t, srv, newShop)
	srv.LoseReply(2)
	b := ddbtest.Cost(t, srv, func() { ddbtest.Seed(t, s.users, User{ID: "1"}) })
	if b.Requests != 3 || b.WriteUnits != 3 {
		t.Errorf("got %v, want 3 requests and 3 write units", b)
	}
	clock := ddbtest.NewClock(time.Unix(0, 0)) // no second passes
	throttled := ddbtest.New(t, memory.Clock(clock.Now), memory.Throttling(), memory.Partitions(1))
	s = ddbtest.Open(t, throttled, newShop)
	b = ddbtest.Cost(t, throttled, func() {
		for n := range 1200 {
			_ = s.users.Create(&User{ID: fmt.Sprint(n)}).Run(t.Context())
		}
	})
	if b.Throttled == 0 || float64(b.Throttled)+b.WriteUnits != 1200 {
		t.Errorf("got %v with %d throttled, want some", b, b.Throttled)
	}
}
