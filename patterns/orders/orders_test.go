package orders_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/orders"
)

func at(text string) time.Time {
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return moment
}

// tShirt returns an order of a T-shirt.
func tShirt(user, id, placed string) orders.Order {
	return orders.Order{
		UserID: user, ID: id, PlacedAt: at(placed), ProductID: "P001", ProductName: "纯棉T恤", Price: 9900, Quantity: 1, Amount: 9900,
	}
}

func place(t ddbtest.TB, o *orders.Orders, all ...orders.Order) {
	t.Helper()
	for _, order := range all {
		if err := o.Place(t.Context(), &order); err != nil {
			t.Fatalf("place %s: %v", order.ID, err)
		}
	}
}

// wantIDs demands which orders a query finds, in which order.
func wantIDs(t ddbtest.TB, what string, q ddb.QueryOp[orders.Order], want ...string) {
	t.Helper()
	var got []string
	for o, err := range q.All(t.Context()) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got = append(got, o.ID)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want)\n%s", what, diff)
	}
}

func wantCount(t ddbtest.TB, o *orders.Orders, user string, want int) {
	t.Helper()
	if n, err := o.Count(t.Context(), user); n != want || err != nil {
		t.Errorf("got a count of %d and %v, want %d", n, err, want)
	}
	if n, err := o.OfUser(user).Count(t.Context()); n != want || err != nil {
		t.Errorf("counted %d and %v, want %d", n, err, want)
	}
}

// TestPatterns asserts every way to find orders.
func TestPatterns(t *testing.T) {
	t.Parallel()
	o := ddbtest.Open(t, ddbtest.New(t), orders.New)
	ctx := t.Context()
	card := orders.Order{UserID: "U001", ID: "ORD1", PlacedAt: at("2024-05-20T08:00:00Z"), Amount: 5000}
	place(t, o, tShirt("U001", "ORD10", "2024-04-30T23:59:59.999999999Z"), tShirt("U001", "ORD8", "2024-05-01T00:00:00Z"), card,
		tShirt("U001", "ORD9", "2024-05-31T23:59:59Z"), tShirt("U001", "ORD2", "2024-06-01T00:00:00Z"), tShirt("U0012", "ORD3", "2024-05-20T12:00:00Z"))

	wantIDs(t, "of a user", o.OfUser("U001"), "ORD10", "ORD8", "ORD1", "ORD9", "ORD2")
	wantIDs(t, "newest first", o.OfUser("U001").Desc().Limit(2), "ORD2", "ORD9")
	wantIDs(t, "of May", o.OfUser("U001").Between(orders.Order{PlacedAt: at("2024-05-01T00:00:00Z")}, orders.Order{PlacedAt: at("2024-05-31T23:59:59Z")}),
		"ORD8", "ORD1", "ORD9")
	wantIDs(t, "of a day", o.OfDay(at("2024-05-20T23:00:00Z")), "ORD1", "ORD3")
	wantIDs(t, "of a day without any", o.OfDay(at("2024-05-21T00:00:00Z")))
	wantIDs(t, "of a product", o.OfProduct("P001").Desc(), "ORD2", "ORD9", "ORD3", "ORD8", "ORD10")
	wantIDs(t, "pending", o.ByStatus(orders.Pending).Limit(2), "ORD10", "ORD8")
	if got, err := o.ByID(ctx, "ORD1"); err != nil || got.UserID != "U001" || got.Status != orders.Pending || got.Amount != 5000 {
		t.Errorf("by ID: got %+v and %v", got, err)
	}
	if got, err := o.Get(ctx, card); err != nil || got.ID != "ORD1" {
		t.Errorf("by key: got %+v and %v", got, err)
	}
	for _, id := range []string{"ORD", "ORD11", "ord1"} {
		if _, err := o.ByID(ctx, id); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", id, err)
		}
	}
	wantCount(t, o, "U001", 5)
	wantCount(t, o, "U0012", 1)
	wantCount(t, o, "U002", 0)
}

// TestStatus asserts that a new status moves the order in the index, leaves it
// where it is in all others, and shows everywhere.
func TestStatus(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	o := ddbtest.Open(t, db, orders.New)
	ctx := t.Context()
	first, second := tShirt("1", "A", "2024-05-20T12:00:00Z"), tShirt("1", "B", "2024-05-20T13:00:00Z")
	place(t, o, first, second)
	if err := o.SetStatus(ctx, first, orders.Pending, "COMPLETED"); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, "pending", o.ByStatus(orders.Pending), "B")
	wantIDs(t, "completed", o.ByStatus("COMPLETED"), "A")
	for what, q := range map[string]ddb.QueryOp[orders.Order]{
		"of the user": o.OfUser("1"), "of the product": o.OfProduct("P001"), "of the day": o.OfDay(first.PlacedAt),
	} {
		if got, err := q.First(ctx); err != nil || got.ID != "A" || got.Status != "COMPLETED" {
			t.Errorf("%s: got %+v and %v, want A, completed", what, got, err)
		}
	}
	if got, err := o.ByID(ctx, "A"); err != nil || got.Status != "COMPLETED" {
		t.Errorf("by ID: got %+v and %v, want it completed", got, err)
	}
	ddbtest.Unchanged(t, db, func() {
		if err := o.SetStatus(ctx, first, orders.Pending, "CANCELLED"); !errors.Is(err, orders.ErrStatus) {
			t.Errorf("got %v, want ErrStatus", err)
		}
		if err := o.SetStatus(ctx, tShirt("1", "C", "2024-05-20T12:00:00Z"), orders.Pending, "X"); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		if err := o.SetStatus(ctx, second, orders.Pending, ""); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("got %v, want ErrKey", err)
		}
	})
}

// TestPlaceAgain asserts that an order placed again changes nothing, whatever has
// become of it, and that another cannot take its key.
func TestPlaceAgain(t *testing.T) {
	t.Parallel()
	clock := ddbtest.NewClock(at("2024-05-20T12:00:00+08:00"))
	db := ddbtest.New(t)
	o := ddbtest.Open(t, db, orders.New, ddb.Clock(clock.Now))
	ctx := t.Context()
	order := orders.Order{UserID: "1", ID: "A", Amount: 5}
	db.LoseReply(1)
	if err := o.Place(ctx, &order); err == nil {
		t.Fatal("the reply was lost, but there is no error")
	}
	clock.Advance(time.Minute)
	again := func() {
		t.Helper()
		ddbtest.Unchanged(t, db, func() {
			if err := o.Place(ctx, &order); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
	again()
	if err := o.SetStatus(ctx, order, orders.Pending, "PAID"); err != nil {
		t.Fatal(err)
	}
	again()
	ddbtest.Unchanged(t, db, func() {
		other := order
		other.Amount = 6
		if err := o.Place(ctx, &other); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("got %v, want ErrExists", err)
		}
		for _, bad := range []orders.Order{{ID: "A"}, {UserID: "1"}, {UserID: "1", ID: "A#B"}} {
			if err := o.Place(ctx, &bad); !errors.Is(err, ddb.ErrKey) {
				t.Errorf("%+v: got %v, want ErrKey", bad, err)
			}
		}
	})
	wantCount(t, o, "1", 1)
	if err := o.Remove(ctx, order); err != nil {
		t.Fatal(err)
	}
	wantCount(t, o, "1", 0)
	ddbtest.Unchanged(t, db, func() {
		if err := o.Remove(ctx, order); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}

// Stock is what a shop has of a product.
type Stock struct {
	_ ddb.Entity `name:"Stock" pk:"PROD#{Product}" sk:"STOCK"`

	Product string
	Left    int
}

// shop has orders and stock.
type shop struct {
	orders *orders.Orders
	stock  *ddb.Definition[Stock]
	left   ddb.Attribute[Stock, int]
}

func newShop(table *ddb.Table) shop {
	s := shop{orders: orders.New(table), stock: ddb.Define[Stock](table)}
	s.left = ddb.Field(s.stock, func(v *Stock) *int { return &v.Left })
	return s
}

// buy places an order and takes what it is of out of stock.
func (s shop) buy(ctx context.Context, o *orders.Order) error {
	return s.orders.Place(ctx, o, s.stock.Update(Stock{Product: o.ProductID}).Set(s.left.Add(-o.Quantity)).If(s.left.Ge(o.Quantity)))
}

// TestManyAtOnce asserts that of 50 users who want the last 20 shirts at once 20
// get one, and that orders, counts and stock agree, also where replies are lost,
// requests throttled and transactions in conflict.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	for name, storm := range map[string]func(ddbtest.Faults, uint64) (stop func()){
		"in calm": func(ddbtest.Faults, uint64) func() { return func() {} }, "in a storm": ddbtest.Faults.Storm,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := ddbtest.NewServer(t)
			s := ddbtest.Open(t, srv, newShop)
			ddbtest.Seed(t, s.stock, Stock{Product: "P001", Left: 20})
			defer storm(srv.Faults, 1)()
			var wg sync.WaitGroup
			var sold atomic.Int32
			for n := range 50 {
				wg.Go(func() {
					o := tShirt(fmt.Sprint(n%3), fmt.Sprint(n), "2024-05-20T12:00:00Z")
					switch err := s.buy(t.Context(), &o); {
					case err == nil:
						sold.Add(1)
					case !errors.Is(err, ddb.ErrConditionFailed):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			counted := 0
			for n := range 3 {
				c, err := s.orders.Count(t.Context(), fmt.Sprint(n))
				if err != nil {
					t.Error(err)
				}
				wantCount(t, s.orders, fmt.Sprint(n), c)
				counted += c
			}
			left, err := s.stock.Get(Stock{Product: "P001"}).Consistent().Run(t.Context())
			listed, err2 := s.orders.OfDay(at("2024-05-20T00:00:00Z")).Count(t.Context())
			if err = errors.Join(err, err2); err != nil || sold.Load() != 20 || counted != 20 || listed != 20 || left.Left != 0 {
				t.Errorf("sold %d, counted %d, listed %d, left %d, error %v; want 20 and 0", sold.Load(), counted, listed, left.Left, err)
			}
		})
	}
}

// TestOneTakesOn asserts that of 50 who take an order on at once one does.
func TestOneTakesOn(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	o := ddbtest.Open(t, srv, orders.New)
	order := tShirt("1", "A", "2024-05-20T12:00:00Z")
	place(t, o, order)
	defer srv.Storm(1)()
	var wg sync.WaitGroup
	var taken atomic.Int32
	for range 50 {
		wg.Go(func() {
			switch err := o.SetStatus(t.Context(), order, orders.Pending, "PACKING"); {
			case err == nil:
				taken.Add(1)
			case !errors.Is(err, orders.ErrStatus):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if taken.Load() != 1 {
		t.Errorf("%d took the order on, want one", taken.Load())
	}
}

// TestAnyHistory compares every list after any history with a model of them.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	states := []string{orders.Pending, "PAID", "COMPLETED"}
	rapid.Check(t, func(t *rapid.T) {
		o := ddbtest.Open(t, ddbtest.New(t), orders.New)
		ctx := t.Context()
		var model []orders.Order
		for n := range rapid.IntRange(1, 25).Draw(t, "steps") {
			if step := rapid.IntRange(0, 5).Draw(t, "step"); len(model) == 0 || step > 1 {
				order := orders.Order{
					UserID: rapid.SampledFrom([]string{"1", "12"}).Draw(t, "user"), ID: fmt.Sprint(n), Status: orders.Pending,
					ProductID: rapid.SampledFrom([]string{"", "P1", "P10"}).Draw(t, "product"),
					PlacedAt:  at("2024-05-20T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 47).Draw(t, "hour")) * time.Hour),
				}
				place(t, o, order)
				model = append(model, order)
			} else if i := rapid.IntRange(0, len(model)-1).Draw(t, "order"); step == 1 {
				to := rapid.SampledFrom(states).Draw(t, "status")
				if err := o.SetStatus(ctx, model[i], model[i].Status, to); err != nil {
					t.Fatal(err)
				}
				model[i].Status = to
			} else {
				if err := o.Remove(ctx, model[i]); err != nil {
					t.Fatal(err)
				}
				model = slices.Delete(model, i, i+1)
			}
		}
		slices.SortStableFunc(model, func(a, b orders.Order) int {
			if c := a.PlacedAt.Compare(b.PlacedAt); c != 0 {
				return c
			}
			return strings.Compare(a.ID, b.ID)
		})
		ids := func(keep func(orders.Order) bool) (out []string) {
			for _, m := range model {
				if keep(m) {
					out = append(out, m.ID)
				}
			}
			return out
		}
		for _, u := range []string{"1", "12"} {
			want := ids(func(m orders.Order) bool { return m.UserID == u })
			wantIDs(t, "of user "+u, o.OfUser(u), want...)
			wantCount(t, o, u, len(want))
		}
		for _, s := range states {
			wantIDs(t, s, o.ByStatus(s), ids(func(m orders.Order) bool { return m.Status == s })...)
		}
		for _, p := range []string{"P1", "P10"} {
			wantIDs(t, "of "+p, o.OfProduct(p), ids(func(m orders.Order) bool { return m.ProductID == p })...)
		}
		for _, d := range []time.Time{at("2024-05-20T00:00:00Z"), at("2024-05-21T00:00:00Z")} {
			wantIDs(t, "of a day", o.OfDay(d), ids(func(m orders.Order) bool { return m.PlacedAt.Day() == d.Day() })...)
		}
	})
}

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	o := ddbtest.Open(t, db, orders.New)
	ctx := t.Context()
	cost := func(call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	order := tShirt("1", "A", "2024-05-20T12:00:00Z")
	card := orders.Order{UserID: "1", ID: "B", PlacedAt: order.PlacedAt}
	cost(func() error { return o.Place(ctx, &order) }).Exactly(1, 8, 0)
	cost(func() error { return o.Place(ctx, &card) }).Exactly(1, 7, 0)
	cost(func() error { return o.SetStatus(ctx, order, orders.Pending, "PAID") }).Exactly(1, 7, 0)
	cost(func() error { return o.SetStatus(ctx, card, orders.Pending, "PAID") }).Exactly(1, 6, 0)
	cost(func() error { _, err := o.Get(ctx, order); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := o.ByID(ctx, "A"); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := o.OfUser("1").Page(ctx, ""); return err }).Exactly(1, 0.5, 2)
	cost(func() error { _, err := o.ByStatus("PAID").Page(ctx, ""); return err }).Exactly(1, 0.5, 2)
	cost(func() error { _, err := o.OfProduct("P001").Page(ctx, ""); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := o.OfDay(order.PlacedAt).Page(ctx, ""); return err }).Exactly(10, 5, 2)
	cost(func() error { _, err := o.Count(ctx, "1"); return err }).Exactly(1, 0.5, 1)
	cost(func() error { return o.Remove(ctx, order) }).Exactly(1, 8, 0)

	// The orders of a day are spread: no key of the index takes a quarter of them.
	const many = 200
	bill := cost(func() error {
		for n := range many {
			place(t, o, tShirt(fmt.Sprint(n), fmt.Sprint(n), "2024-05-21T12:00:00Z"))
		}
		return nil
	})
	for _, k := range bill.Keys {
		if k.Where == "AppTable.GSI3" && k.WriteUnits > many/4 {
			t.Errorf("%s took %v write units of %d", k.Key, k.WriteUnits, many)
		}
	}
}
