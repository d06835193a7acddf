package cart_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/cart"
)

var (
	shirt = cart.Line{ProductID: "P001", Name: "纯棉T恤", Price: 9900, Quantity: 1}
	mug   = cart.Line{ProductID: "P002", Name: "Mug", Price: 1250, Quantity: 2}
)

func times(l cart.Line, quantity int) cart.Line {
	l.Quantity = quantity
	return l
}

// wantCart demands what a cart holds, and the total of just that.
func wantCart(t ddbtest.TB, got cart.Cart, want ...cart.Line) {
	t.Helper()
	if len(got.Lines)+len(want) > 0 {
		if diff := cmp.Diff(got.Lines, want); diff != "" {
			t.Errorf("the lines (-got +want)\n%s", diff)
		}
	}
	if got.Total != total(want) {
		t.Errorf("got a total of %d, want %d", got.Total, total(want))
	}
}

func total(lines []cart.Line) (sum int64) {
	for _, l := range lines {
		sum += l.Price * int64(l.Quantity)
	}
	return sum
}

// TestCart walks a cart through everything that can be done with it.
func TestCart(t *testing.T) {
	t.Parallel()
	carts := ddbtest.Open(t, ddbtest.New(t), cart.New)
	ctx := t.Context()
	check := func(want ...cart.Line) func(cart.Cart, error) {
		return func(got cart.Cart, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			wantCart(t, got, want...)
			stored, err := carts.Get(ctx, "12345")
			if diff := cmp.Diff(stored, got); err != nil || diff != "" {
				t.Errorf("error %v, what is stored (-got +want)\n%s", err, diff)
			}
		}
	}
	check()(carts.Get(ctx, "12345"))
	check(shirt)(carts.Add(ctx, "12345", shirt))
	check(shirt, mug)(carts.Add(ctx, "12345", mug))
	dearer := cart.Line{ProductID: "P001", Name: "T-shirt", Price: 10900, Quantity: 2}
	check(times(dearer, 3), mug)(carts.Add(ctx, "12345", dearer))
	check(times(dearer, 3), times(mug, 7))(carts.SetQuantity(ctx, "12345", "P002", 7))
	check(times(mug, 7))(carts.SetQuantity(ctx, "12345", "P001", 0))
	check(times(mug, 7))(carts.Remove(ctx, "12345", "P001"))
	check()(carts.Remove(ctx, "12345", "P002"))
	check(mug)(carts.Add(ctx, "12345", mug))
	if err := carts.Clear(ctx, "12345"); err != nil {
		t.Fatal(err)
	}
	check()(carts.Get(ctx, "12345"))
	if other, err := carts.Get(ctx, "67890"); err != nil || len(other.Lines) > 0 || other.UserID != "67890" {
		t.Errorf("another user's cart: got %+v and %v, want it empty", other, err)
	}
}

// TestRefusals asserts that what a cart cannot hold is refused and changes
// nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	carts := ddbtest.Open(t, db, cart.New)
	if _, err := carts.Add(t.Context(), "1", mug); err != nil {
		t.Fatal(err)
	}
	for n := range cart.MaxLines {
		l := cart.Line{ProductID: fmt.Sprint(n), Price: cart.MaxPrice, Quantity: cart.MaxQuantity}
		if got, err := carts.Add(t.Context(), "full", l); err != nil || got.Total <= 0 {
			t.Fatalf("got %d and %v", got.Total, err)
		}
	}
	add := func(user string, l cart.Line) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := carts.Add(ctx, user, l)
			return err
		}
	}
	set := func(product string, n int) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := carts.SetQuantity(ctx, "1", product, n)
			return err
		}
	}
	checkOut := func(user, id string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := carts.CheckOut(ctx, user, id, nil)
			return err
		}
	}
	for _, test := range []struct {
		name string
		call func(context.Context) error
		want error
	}{
		{"no product", add("1", cart.Line{Price: 1, Quantity: 1}), cart.ErrLine},
		{"negative price", add("1", cart.Line{ProductID: "x", Price: -1, Quantity: 1}), cart.ErrLine},
		{"price too high", add("1", cart.Line{ProductID: "x", Price: cart.MaxPrice + 1, Quantity: 1}), cart.ErrLine},
		{"nothing to add", add("1", times(shirt, 0)), cart.ErrQuantity},
		{"negative addition", add("1", times(shirt, -1)), cart.ErrQuantity},
		{"addition too large", add("1", times(shirt, cart.MaxQuantity+1)), cart.ErrQuantity},
		{"sum too large", add("1", times(mug, cart.MaxQuantity)), cart.ErrQuantity},
		{"negative quantity", set("P002", -1), cart.ErrQuantity},
		{"quantity too large", set("P002", cart.MaxQuantity+1), cart.ErrQuantity},
		{"no such line", set("P001", 1), cart.ErrNoLine},
		{"no such line to take out", set("P001", 0), cart.ErrNoLine},
		{"one line too many", add("full", shirt), cart.ErrFull},
		{"empty cart", checkOut("nobody", "1"), cart.ErrEmpty},
		{"check-out without an ID", checkOut("1", ""), ddb.ErrKey},
		{"no user", add("", shirt), ddb.ErrKey},
		{"user with a separator", add("1#CART", shirt), ddb.ErrKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			ddbtest.Unchanged(t, db, func() {
				if err := test.call(t.Context()); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
}

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	carts := ddbtest.Open(t, db, cart.New)
	ctx := t.Context()
	cost := func(call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	cost(func() error { _, err := carts.Add(ctx, "1", shirt); return err }).Exactly(2, 3, 0)
	cost(func() error { _, err := carts.Add(ctx, "1", shirt); return err }).Exactly(2, 3, 1)
	cost(func() error { _, err := carts.SetQuantity(ctx, "1", "P001", 4); return err }).Exactly(2, 3, 1)
	cost(func() error { _, err := carts.SetQuantity(ctx, "1", "P001", 4); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := carts.Remove(ctx, "1", "P009"); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := carts.Get(ctx, "1"); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := carts.CheckOut(ctx, "1", "A", nil); return err }).Exactly(2, 5, 1)
	cost(func() error { _, err := carts.Receipt(ctx, "1", "A"); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := carts.CheckOut(ctx, "1", "A", nil); return err }).Exactly(2, 2, 2)
	for n := range 10 {
		if _, err := carts.Add(ctx, "2", cart.Line{ProductID: fmt.Sprintf("P%03d", n), Name: "twenty letters or so", Price: 9900, Quantity: 1}); err != nil {
			t.Fatal(err)
		}
	}
	cost(func() error { return carts.Clear(ctx, "2") }).Exactly(2, 3, 1)
}

// backends are both ways to the engine: with its client, lost replies and
// throttled requests are sent again.
var backends = map[string]func(ddbtest.TB) ddbtest.Backend{
	"in process": func(t ddbtest.TB) ddbtest.Backend { return ddbtest.New(t) },
	"over HTTP":  func(t ddbtest.TB) ddbtest.Backend { return ddbtest.NewServer(t) },
}

// TestNothingIsLost asserts that 50 changes at once all count, and that nobody
// ever sees a total that is not that of the lines.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for name, open := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carts := ddbtest.Open(t, open(t), cart.New)
			addAtOnce(t, carts, 50)
		})
	}
}

// TestNothingIsLostInAStorm asserts the same where replies are lost, requests
// throttled and transactions in conflict.
func TestNothingIsLostInAStorm(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	carts := ddbtest.Open(t, srv, cart.New)
	defer srv.Storm(1)()
	addAtOnce(t, carts, 50)
}

func addAtOnce(t *testing.T, carts *cart.Carts, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			l := times(shirt, 2)
			if i%2 == 1 {
				l = times(mug, 1)
			}
			got, err := carts.Add(t.Context(), "1", l)
			if err != nil {
				t.Error(err)
			}
			if got.Total != total(got.Lines) {
				t.Errorf("got a total of %d for lines of %d", got.Total, total(got.Lines))
			}
			if got, err = carts.Get(t.Context(), "1"); err != nil || got.Total != total(got.Lines) {
				t.Errorf("got a total of %d for lines of %d and %v", got.Total, total(got.Lines), err)
			}
		})
	}
	wg.Wait()
	got, err := carts.Get(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	if got.Quantity("P001") != n || got.Quantity("P002") != n/2 {
		t.Errorf("got %d and %d, want %d and %d", got.Quantity("P001"), got.Quantity("P002"), n, n/2)
	}
}

// TestCheckOutOnce asserts that of many check-outs at once one gets the cart, and
// that what belongs to it happens once.
func TestCheckOutOnce(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]func(int) string{
		"one ID":        func(int) string { return "A" },
		"many IDs":      func(n int) string { return fmt.Sprint(n) },
		"a few of each": func(n int) string { return fmt.Sprint(n % 5) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, storm := range []bool{false, true} {
				srv := ddbtest.NewServer(t)
				s := ddbtest.Open(t, srv, newStore)
				ddbtest.Seed(t, s.stock, Stock{Product: "P001", Left: 10})
				if _, err := s.carts.Add(t.Context(), "1", times(shirt, 3)); err != nil {
					t.Fatal(err)
				}
				if storm {
					defer srv.Storm(7)()
				}
				checkOutAtOnce(t, s, id)
			}
		})
	}
}

func checkOutAtOnce(t *testing.T, s store, id func(int) string) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := make(map[string]int) // by ID
	for n := range 20 {
		wg.Go(func() {
			r, err := s.carts.CheckOut(t.Context(), "1", id(n), s.take)
			switch {
			case err == nil:
				mu.Lock()
				defer mu.Unlock()
				got[r.ID]++
				if r.Total != 3*shirt.Price || r.ID != id(n) {
					t.Errorf("got the receipt %+v", r)
				}
			case !errors.Is(err, cart.ErrEmpty):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(got) != 1 {
		t.Errorf("got receipts %v, want one", got)
	}
	for id, n := range got {
		r, err := s.carts.Receipt(t.Context(), "1", id)
		if err != nil || len(r.Lines) != 1 || r.Lines[0] != times(shirt, 3) {
			t.Errorf("got %+v and %v, want the receipt that %d were given", r, err, n)
		}
	}
	if left, err := s.stock.Get(Stock{Product: "P001"}).Consistent().Run(t.Context()); err != nil || left.Left != 7 {
		t.Errorf("got %d left and %v, want 7", left.Left, err)
	}
}

// Stock is what a shop has of a product.
type Stock struct {
	_ ddb.Entity `name:"Stock" pk:"PROD#{Product}" sk:"STOCK"`

	Product string
	Left    int
}

// store is a shop with carts and stock in one table.
type store struct {
	carts *cart.Carts
	stock *ddb.Definition[Stock]
	left  ddb.Attribute[Stock, int]
}

func newStore(table *ddb.Table) store {
	s := store{carts: cart.New(table), stock: ddb.Define[Stock](table)}
	s.left = ddb.Field(s.stock, func(v *Stock) *int { return &v.Left })
	return s
}

// take takes what a receipt lists out of stock.
func (s store) take(r cart.Receipt) (writes []ddb.Write) {
	for _, l := range r.Lines {
		writes = append(writes, s.stock.Update(Stock{Product: l.ProductID}).Set(s.left.Add(-l.Quantity)).If(s.left.Ge(l.Quantity)))
	}
	return writes
}

// TestCheckOutWithoutStock asserts that a check-out fails as a whole.
func TestCheckOutWithoutStock(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := ddbtest.Open(t, db, newStore)
	ddbtest.Seed(t, s.stock, Stock{Product: "P001", Left: 2})
	if _, err := s.carts.Add(t.Context(), "1", times(shirt, 3)); err != nil {
		t.Fatal(err)
	}
	ddbtest.Unchanged(t, db, func() {
		_, err := s.carts.CheckOut(t.Context(), "1", "A", s.take)
		var failed *ddb.TxError
		if !errors.Is(err, ddb.ErrConditionFailed) || !errors.As(err, &failed) || failed.Reasons[2] == nil {
			t.Errorf("got %v, want ErrConditionFailed for the third operation", err)
		}
	})
}

// TestCheckOutAgain asserts that a check-out whose outcome is unknown can be
// repeated: without a client that sends it again, a lost reply is an error.
func TestCheckOutAgain(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := ddbtest.Open(t, db, newStore)
	ctx := t.Context()
	ddbtest.Seed(t, s.stock, Stock{Product: "P001", Left: 10})
	if _, err := s.carts.Add(ctx, "1", shirt); err != nil {
		t.Fatal(err)
	}
	db.LoseReply(1, "TransactWriteItems")
	if _, err := s.carts.CheckOut(ctx, "1", "A", s.take); err == nil {
		t.Fatal("the reply was lost, but there is no error")
	}
	if _, err := s.carts.Add(ctx, "1", mug); err != nil { // the next cart has begun
		t.Fatal(err)
	}
	ddbtest.Unchanged(t, db, func() {
		r, err := s.carts.CheckOut(ctx, "1", "A", s.take)
		if diff := cmp.Diff(r.Lines, []cart.Line{shirt}); err != nil || diff != "" {
			t.Errorf("error %v, the lines (-got +want)\n%s", err, diff)
		}
	})
	r, err := s.carts.CheckOut(ctx, "1", "B", nil)
	if diff := cmp.Diff(r.Lines, []cart.Line{mug}); err != nil || diff != "" {
		t.Errorf("error %v, the lines of the next cart (-got +want)\n%s", err, diff)
	}
}

// TestAnyHistory compares carts after any history with a model of them.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		carts := ddbtest.Open(t, ddbtest.New(t), cart.New)
		ctx := t.Context()
		var model []cart.Line
		n := 0 // check-outs
		product := rapid.SampledFrom([]string{"A", "B", "C"})
		find := func(p string) int {
			for i, l := range model {
				if l.ProductID == p {
					return i
				}
			}
			return -1
		}
		remove := func(i int) { model = append(model[:i:i], model[i+1:]...) }
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				l := cart.Line{ProductID: product.Draw(t, "product"), Price: rapid.Int64Range(0, 100).Draw(t, "price"), Quantity: rapid.IntRange(1, 5).Draw(t, "quantity")}
				if _, err := carts.Add(ctx, "1", l); err != nil {
					t.Fatal(err)
				}
				if i := find(l.ProductID); i >= 0 {
					l.Quantity += model[i].Quantity
					model[i] = l
				} else {
					model = append(model, l)
				}
			},
			"set": func(t *rapid.T) {
				p, n := product.Draw(t, "product"), rapid.IntRange(0, 5).Draw(t, "quantity")
				_, err := carts.SetQuantity(ctx, "1", p, n)
				i := find(p)
				switch {
				case i < 0:
					if !errors.Is(err, cart.ErrNoLine) {
						t.Fatalf("got %v, want ErrNoLine", err)
					}
				case err != nil:
					t.Fatal(err)
				case n == 0:
					remove(i)
				default:
					model[i].Quantity = n
				}
			},
			"check out": func(t *rapid.T) {
				n++
				r, err := carts.CheckOut(ctx, "1", fmt.Sprint(n), nil)
				if len(model) == 0 {
					if !errors.Is(err, cart.ErrEmpty) {
						t.Fatalf("got %v, want ErrEmpty", err)
					}
					return
				}
				if diff := cmp.Diff(r.Lines, model); err != nil || diff != "" || r.Total != total(model) {
					t.Fatalf("error %v, total %d, the receipt (-got +want)\n%s", err, r.Total, diff)
				}
				model = nil
			},
			"": func(t *rapid.T) {
				got, err := carts.Get(ctx, "1")
				if err != nil {
					t.Fatal(err)
				}
				wantCart(t, got, model...)
			},
		})
	})
}
