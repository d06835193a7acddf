package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestPagesConcatenate asserts that the pages of any query, joined, are what a
// plain list of the items says, whatever the range, limit, page size, direction,
// index, filter and form, and that All, Pages, First, One, Count and Fold agree.
func TestPagesConcatenate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		db := memory.New()
		s := newShop(db)
		createIn(t, db, s.table)
		items := drawOrders(t, s)
		q, want := drawQuery(t, s, items)
		ctx := context.Background()
		if got := readPages(t, q.Page, 3*len(items)+3); !slices.Equal(got, want) {
			t.Fatalf("page by page: got %v, want %v", got, want)
		}
		var paged []string
		for page, err := range q.Pages(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range page.Items {
				paged = append(paged, o.OrderID)
			}
		}
		if !slices.Equal(paged, want) {
			t.Fatalf("pages: got %v, want %v", paged, want)
		}
		if got := idsOf(t, q.Limit(0)); !slices.Equal(got, want) {
			t.Fatalf("all: got %v, want %v", got, want)
		}
		if n, err := q.Count(ctx); err != nil || n != len(want) {
			t.Fatalf("count: got %d and %v, want %d", n, err, len(want))
		}
		first, err := q.First(ctx)
		if len(want) == 0 && !errors.Is(err, ddb.ErrNotFound) || len(want) > 0 && first.OrderID != want[0] {
			t.Fatalf("first: got %q and %v, want that of %v", first.OrderID, err, want)
		}
		one, err := q.One(ctx)
		if is := map[int]error{0: ddb.ErrNotFound, 1: nil}; len(want) < 2 && !errors.Is(err, is[len(want)]) ||
			len(want) == 1 && one.OrderID != want[0] || len(want) > 1 && !errors.Is(err, ddb.ErrMultiple) {
			t.Fatalf("one: got %q and %v, want what is of %v", one.OrderID, err, want)
		}
		join := func(a, b string) string { return a + b }
		folded, err := ddb.Fold(ctx, q.Limit(0), func() string { return "" }, func(a string, o Order) string { return a + o.OrderID }, join)
		if err != nil || folded != strings.Join(want, "") {
			t.Fatalf("fold: got %q and %v, want %v", folded, err, want)
		}
	})
}

func createIn(t *rapid.T, db *memory.DB, table *ddb.Table) {
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
}

func idsOf(t *rapid.T, q ddb.QueryOp[Order]) []string {
	var out []string
	for o, err := range q.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o.OrderID)
	}
	return out
}

// readPages reads page by page, each with the cursor of the one before.
func readPages(t *rapid.T, page func(context.Context, string) (ddb.Page[Order], error), most int) []string {
	var got []string
	for cursor, n := "", 0; ; n++ {
		p, err := page(context.Background(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Items {
			got = append(got, o.OrderID)
		}
		if cursor = p.Next; cursor == "" {
			return got
		}
		if n > most {
			t.Fatal("pages never end")
		}
	}
}

func drawOrders(t *rapid.T, s shop) []Order {
	var items []Order
	for i := range rapid.IntRange(0, 15).Draw(t, "items") {
		o := Order{
			UserID:    rapid.SampledFrom([]string{"u", "u", "v"}).Draw(t, "user"),
			OrderID:   fmt.Sprintf("%02d", i),
			PlacedAt:  time.Unix(int64(rapid.IntRange(0, 4).Draw(t, "time")), 0).UTC(),
			Status:    rapid.SampledFrom([]string{"A", "A", "B"}).Draw(t, "status"),
			ProductID: rapid.SampledFrom([]string{"p", ""}).Draw(t, "product"),
			Total:     rapid.IntRange(0, 3).Draw(t, "total"),
		}
		if err := s.orders.Create(&o).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		items = append(items, o)
	}
	for range 3 { // items of other entities lie between
		n := Note{UserID: "u", NoteID: rapid.StringMatching(`[a-z]`).Draw(t, "note")}
		if err := s.notes.Put(&n).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return items
}

// shelf is one way to reach orders: a query, which of them it reaches, and their
// sort keys there.
type shelf struct {
	q    ddb.QueryOp[Order]
	has  func(Order) bool
	sort func(Order) string
}

func drawShelf(t *rapid.T, s shop) shelf {
	const nanos, seconds = "2006-01-02T15:04:05.000000000Z", "2006-01-02T15:04:05Z"
	key := func(prefix, layout string) func(Order) string {
		return func(o Order) string { return prefix + o.PlacedAt.Format(layout) + "#" + o.OrderID }
	}
	shelves := []shelf{
		{s.orders.Query(Order{UserID: "u"}), func(o Order) bool { return o.UserID == "u" }, key("ORDER#", nanos)},
		{s.orders.Query(Order{Status: "A"}).Index("GSI1"), func(o Order) bool { return o.Status == "A" }, key("", nanos)},
		{s.orders.Query(Order{ProductID: "p"}).Index("GSI2"), func(o Order) bool { return o.ProductID == "p" }, key("", seconds)},
	}
	i := rapid.IntRange(0, 2).Draw(t, "index")
	if i > 0 && rapid.Bool().Draw(t, "hydrate") {
		shelves[i].q = shelves[i].q.Hydrate()
	}
	return shelves[i]
}

// drawWindow narrows a query to part of its sort keys.
func drawWindow(t *rapid.T, in shelf) shelf {
	moment := time.Unix(2, 0).UTC()
	at := Order{PlacedAt: moment}
	at0 := Order{PlacedAt: moment, OrderID: "0"}
	old := in.has
	keep := func(q ddb.QueryOp[Order], more func(Order) bool) shelf {
		return shelf{q, func(o Order) bool { return old(o) && more(o) }, in.sort}
	}
	switch rapid.IntRange(0, 8).Draw(t, "window") {
	case 1:
		return keep(in.q.From(at), func(o Order) bool { return !o.PlacedAt.Before(moment) })
	case 2:
		return keep(in.q.After(at), func(o Order) bool { return o.PlacedAt.After(moment) })
	case 3:
		return keep(in.q.Until(at), func(o Order) bool { return !o.PlacedAt.After(moment) })
	case 4:
		return keep(in.q.Before(at), func(o Order) bool { return o.PlacedAt.Before(moment) })
	case 5:
		return keep(in.q.Prefix(at), func(o Order) bool { return o.PlacedAt.Equal(moment) })
	case 6:
		return keep(in.q.StartsWith(at0), func(o Order) bool { return o.PlacedAt.Equal(moment) && o.OrderID < "1" })
	case 7:
		lo := in.sort(Order{PlacedAt: time.Unix(1, 0).UTC(), OrderID: "05"})
		hi := in.sort(Order{PlacedAt: time.Unix(3, 0).UTC(), OrderID: "05"})
		return keep(in.q.RawBetween(lo, hi), func(o Order) bool { return in.sort(o) >= lo && in.sort(o) <= hi })
	case 8:
		prefix := strings.TrimSuffix(in.sort(at), "#")
		prefix = prefix[:len(prefix)-1]
		return keep(in.q.RawPrefix(prefix), func(o Order) bool { return strings.HasPrefix(in.sort(o), prefix) })
	}
	return in
}

// drawQuery returns a query and the names that it must find, in order.
func drawQuery(t *rapid.T, s shop, items []Order) (ddb.QueryOp[Order], []string) {
	in := drawWindow(t, drawShelf(t, s))
	q, has := in.q, in.has
	if rapid.Bool().Draw(t, "filter") {
		q, has = q.Filter(s.total.Ge(2)), func(o Order) bool { return in.has(o) && o.Total >= 2 }
	}
	if rapid.Bool().Draw(t, "project") {
		q = q.Project(s.status)
	}
	slices.SortFunc(items, func(a, b Order) int { return strings.Compare(in.sort(a), in.sort(b)) })
	want := []string(nil)
	for _, o := range items {
		if has(o) {
			want = append(want, o.OrderID)
		}
	}
	if rapid.Bool().Draw(t, "descending") {
		q = q.Desc()
		slices.Reverse(want)
	}
	return q.Limit(rapid.IntRange(0, 5).Draw(t, "limit")).PageSize(rapid.IntRange(0, 4).Draw(t, "page size")), want
}

// TestScansConcatenate asserts that the pages of any scan, joined, are each item
// once, whatever the segments, limit, page size, index, filter and form.
func TestScansConcatenate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		db := memory.New()
		s := newShop(db)
		createIn(t, db, s.table)
		items := drawOrders(t, s)
		scan, has := s.orders.ParallelScan(rapid.IntRange(1, 40).Draw(t, "segments")), func(Order) bool { return true }
		if rapid.Bool().Draw(t, "index") {
			scan, has = scan.Index("GSI2"), func(o Order) bool { return o.ProductID != "" }
			if rapid.Bool().Draw(t, "hydrate") {
				scan = scan.Hydrate()
			}
		}
		if rapid.Bool().Draw(t, "filter") {
			old := has
			scan, has = scan.Filter(s.total.Ge(2)), func(o Order) bool { return old(o) && o.Total >= 2 }
		}
		if rapid.Bool().Draw(t, "project") {
			scan = scan.Project(s.status)
		}
		var want []string
		for _, o := range items {
			if has(o) {
				want = append(want, o.OrderID)
			}
		}
		slices.Sort(want)
		scan = scan.Limit(rapid.IntRange(0, 5).Draw(t, "limit")).PageSize(rapid.IntRange(0, 4).Draw(t, "page size"))
		got := readPages(t, scan.Page, 60)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("page by page: got %v, want %v", got, want)
		}
		var whole []string
		for o, err := range scan.Limit(0).All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			whole = append(whole, o.OrderID)
		}
		if slices.Sort(whole); !slices.Equal(whole, want) {
			t.Fatalf("all: got %v, want %v", whole, want)
		}
		if n, err := scan.Count(context.Background()); err != nil || n != len(want) {
			t.Fatalf("count: got %d and %v, want %d", n, err, len(want))
		}
		total, err := ddb.Sum(context.Background(), scan.Limit(0), func(Order) int { return 1 })
		if err != nil || total != len(want) {
			t.Fatalf("sum: got %d and %v, want %d", total, err, len(want))
		}
	})
}
