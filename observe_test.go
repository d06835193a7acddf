package ddb_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestObserversLearnOfCalls asserts what an observer is told of each call: the
// pattern that Named gave, what it took, how often the client sent it, and how it
// ended.
func TestObserversLearnOfCalls(t *testing.T) {
	t.Parallel()
	db := memory.New()
	var calls []ddb.Call
	s := newShop(client(t, db), ddb.Observe(func(_ context.Context, c ddb.Call) { calls = append(calls, c) }))
	create(t, db, s.table)
	ctx := t.Context()
	put(t, s.orders, order("u", "a", "2024-01-01T00:00:00Z", "NEW"), order("u", "b", "2024-01-01T00:00:00Z", "NEW"))
	calls = nil
	stop := db.Inject(memory.Throttle(), memory.OnOperation("Query"), memory.FirstCalls(2))
	q := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Named("orders by status")
	if _, err := q.Count(ctx); err != nil {
		t.Fatal(err)
	}
	stop()
	c := calls[0]
	if len(calls) != 1 || c.Op != "Query" || c.Table != "Shop" || c.Index != "GSI1" || c.Entity != "Order" || c.Pattern != "orders by status" ||
		c.Items != 2 || c.Examined != 2 || c.Capacity != 0.5 || c.Retries != 2 || c.Duration <= 0 || c.Err != nil {
		t.Errorf("got %+v, want one query of two items with two retries", calls)
	}
	calls = nil
	if err := s.orders.Create(&Order{UserID: "u", OrderID: "a", PlacedAt: at("2024-01-01T00:00:00Z"), Status: "NEW"}).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Fatal(err)
	}
	if len(calls) != 1 || calls[0].Err == nil || calls[0].Retries != 0 {
		t.Errorf("got %+v, want a call that failed at once", calls)
	}
	calls = nil
	var a, b ddb.Result[Order]
	key := Order{UserID: "u", OrderID: "a", PlacedAt: at("2024-01-01T00:00:00Z")}
	for want, run := range map[string]func() error{
		"get": func() error { _, err := s.orders.Get(key).Named("get").Run(ctx); return err }, "scan": func() error { _, err := s.orders.Scan().Named("scan").Count(ctx); return err },
		"batch":  func() error { return ddb.BatchGet(s.orders.Get(key).Into(&a)).Named("batch").Run(ctx) },
		"moment": func() error { return ddb.TransactGet(s.orders.Get(key).Into(&b)).Named("moment").Run(ctx) },
		"collection": func() error {
			_, err := s.table.Collection(s.users.Partition(User{ID: "u"})).Named("collection").Load(ctx)
			return err
		},
	} {
		calls = nil
		if err := run(); err != nil || len(calls) != 1 || calls[0].Pattern != want {
			t.Errorf("got %+v and %v, want the pattern %s", calls, err, want)
		}
	}
	calls = nil
	if _, err := q.Hydrate().One(ctx); !errors.Is(err, ddb.ErrMultiple) || len(calls) != 2 || calls[1].Op != "BatchGetItem" || calls[1].Pattern != "orders by status" || calls[1].Entity != "Order" {
		t.Errorf("got %+v and %v, want the batch to bear the query's name", calls, err)
	}
}

// TestTracesWrapCalls asserts that a call is made with the context that its
// tracers gave it, and that they learn of its end in reverse order.
func TestTracesWrapCalls(t *testing.T) {
	t.Parallel()
	var log []string
	type mark struct{}
	tracer := func(name string) ddb.TableOption {
		return ddb.Trace(func(ctx context.Context, c ddb.Call) (context.Context, func(ddb.Call)) {
			log = append(log, "begin "+name+" "+c.Op)
			outer, _ := ctx.Value(mark{}).(string)
			return context.WithValue(ctx, mark{}, outer+name), func(c ddb.Call) { log = append(log, "end "+name) }
		})
	}
	within := &contextual{note: func(ctx context.Context) { log = append(log, "call in "+ctx.Value(mark{}).(string)) }}
	s := newShop(within, tracer("a"), tracer("b"))
	if _, err := s.orders.Get(order("u", "o", "2024-01-01T00:00:00Z", "")).Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
		t.Fatal(err)
	}
	if want := []string{"begin a GetItem", "begin b GetItem", "call in ab", "end b", "end a"}; !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
}

// TestCallsInLogs asserts that a call is a group of attributes in a log, and that
// no key or content is among them.
func TestCallsInLogs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("called", "call", ddb.Call{
		Op: "Query", Table: "Shop", Index: "GSI1", Entity: "Order", Pattern: "orders by status", Input: "secret",
		Items: 2, Examined: 5, Capacity: 1.5, Retries: 1, Duration: 1500 * time.Microsecond, Err: errors.New("broken"),
	})
	log.Info("called", "call", ddb.Call{Op: "BatchGetItem", Table: "Shop"})
	want := `level=INFO msg=called call.op=Query call.table=Shop call.index=GSI1 call.entity=Order call.pattern="orders by status" call.items=2 call.examined=5 call.capacity=1.5 call.retries=1 call.duration=1.5ms call.error=broken
level=INFO msg=called call.op=BatchGetItem call.table=Shop call.items=0 call.examined=0 call.capacity=0 call.retries=0 call.duration=0s
`
	if got := out.String(); got != want || strings.Contains(got, "secret") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
