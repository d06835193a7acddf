package ddb_test

import (
	"context"
	"errors"
	"flag"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

var _ ddb.Backend = (*memory.DB)(nil)

// overWire runs the tests through the SDK's client and the engine's HTTP server
// instead of in process.
var overWire = flag.Bool("wire", false, "run over the wire")

// open makes the shop's table on a fresh engine, whose invariants are checked
// when the test ends.
func open(t testing.TB, opts ...ddb.TableOption) (shop, *memory.DB) {
	t.Helper()
	db := memory.New()
	s := newShop(backend(t, db), opts...)
	create(t, db, s.table)
	return s, db
}

// backend is the engine itself or, with -wire, a client of it.
func backend(t testing.TB, db *memory.DB) ddb.Backend {
	if *overWire {
		return client(t, db)
	}
	return db
}

// client returns the SDK's client of a server over the engine.
func client(t testing.TB, db *memory.DB) *dynamodb.Client {
	t.Helper()
	server := httptest.NewServer(wire.Handler(db))
	t.Cleanup(server.Close)
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL), Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
}

func order(user, id, placed, status string) Order {
	return Order{UserID: user, OrderID: id, PlacedAt: at(placed), Status: status, Total: 99, Lines: []string{"T-shirt"}}
}

// TestItemLifeCycle walks one item through every verb.
func TestItemLifeCycle(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	o := order("u1", "o1", "2024-05-20T12:00:00Z", "PENDING")
	key := Order{UserID: "u1", OrderID: "o1", PlacedAt: o.PlacedAt}

	if _, err := s.orders.Get(key).Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
		t.Fatalf("get of nothing: got %v, want ErrNotFound", err)
	}
	if err := s.orders.Create(&o).Run(ctx); err != nil {
		t.Fatal(err)
	}
	got, err := s.orders.Get(key).Consistent().Run(ctx)
	if diff := cmp.Diff(o, got, ignoreMarkers); err != nil || diff != "" {
		t.Fatalf("error %v, difference (-want +got):\n%s", err, diff)
	}

	err = s.orders.Create(&o).Run(ctx)
	var failed *ddb.ConditionError
	if !errors.Is(err, ddb.ErrExists) || !errors.As(err, &failed) || failed.Item["OrderID"] == nil {
		t.Fatalf("second create: got %v with %v, want ErrExists with the stored item", err, failed)
	}

	got, err = s.orders.Update(key).Set(s.status.To("SHIPPED"), s.total.Add(1)).If(s.status.Eq("PENDING")).Run(ctx)
	if err != nil || got.Status != "SHIPPED" || got.Total != 100 {
		t.Fatalf("update: got %+v and %v", got, err)
	}
	_, err = s.orders.Update(key).Set(s.status.To("PAID")).If(s.status.Eq("PENDING")).Run(ctx)
	if !errors.Is(err, ddb.ErrConditionFailed) || errors.Is(err, ddb.ErrNotFound) || !errors.As(err, &failed) ||
		failed.Item["Status"].(*types.AttributeValueMemberS).Value != "SHIPPED" {
		t.Fatalf("update against the condition: got %v, want ErrConditionFailed with the stored item", err)
	}

	o.Status = "DONE"
	if err := s.orders.Put(&o).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.orders.Delete(key).If(s.status.Eq("OPEN")).Run(ctx); !errors.Is(err, ddb.ErrConditionFailed) {
		t.Fatalf("delete against the condition: got %v, want ErrConditionFailed", err)
	}
	if err := s.orders.Delete(key).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.orders.Delete(key).Run(ctx); err != nil {
		t.Fatalf("second delete: %v", err)
	}
	if err := s.orders.Delete(key).MustExist().Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
		t.Fatalf("delete of nothing: got %v, want ErrNotFound", err)
	}
}

// TestUpdateMakesNoItem asserts that an update of an item that does not exist
// leaves nothing behind.
func TestUpdateMakesNoItem(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	key := Order{UserID: "u", OrderID: "o", PlacedAt: at("2024-01-01T00:00:00Z")}
	_, err := s.orders.Update(key).Set(s.status.To("X"), s.total.Add(1)).Run(t.Context())
	if !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	var none *ddb.ConditionError
	if errors.As(err, &none) && none.Item != nil {
		t.Errorf("got item %v, want none", none.Item)
	}
	wantEmpty(t, db)
}

func wantEmpty(t *testing.T, db *memory.DB) {
	t.Helper()
	out, err := db.Scan(t.Context(), scanOf("Shop"))
	if err != nil || out.Count != 0 {
		t.Errorf("got %d items and %v, want nothing stored", out.Count, err)
	}
}

// TestBadInput asserts for each kind of bad input its typed error, that the
// error names entity and field and shows no value, that nothing was sent where
// that could be known, and that nothing is stored.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	good := order("u1", "o1", "2024-05-20T12:00:00Z", "NEW")
	with := func(change func(*Order)) *Order {
		o := good
		change(&o)
		return &o
	}
	_, other := open(t)
	elsewhere := newShop(other)
	cursor := func() string {
		p, err := fill(t, elsewhere, 3).Limit(1).Page(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		return p.Next
	}()
	missing := newShop(memory.New())
	get := func(s shop, key Order) error { _, err := s.orders.Get(key).Run(ctx); return err }
	page := func(q ddb.QueryOp[Order], cursor string) error { _, err := q.Page(ctx, cursor); return err }
	set := func(changes ...ddb.Assign[Order]) error {
		_, err := s.orders.Update(good).Set(changes...).Run(ctx)
		return err
	}
	task := Task{UserID: "u1", TaskID: "o1"}
	setTask := func(changes ...ddb.Assign[Task]) error {
		_, err := s.tasks.Update(task).Set(changes...).Run(ctx)
		return err
	}
	cases := []struct {
		name string
		got  error
		is   error
		says []string
	}{
		{"empty key part", s.orders.Create(with(func(o *Order) { o.UserID = "" })).Run(ctx), ddb.ErrKey, []string{"Order.UserID", "string is empty"}},
		{"zero time in a key", s.orders.Put(with(func(o *Order) { o.PlacedAt = at("0001-01-01T00:00:00Z") })).Run(ctx), ddb.ErrKey, []string{"Order.PlacedAt", "time.Time is empty"}},
		{"empty required index part", s.orders.Put(with(func(o *Order) { o.Status = "" })).Run(ctx), ddb.ErrKey, []string{"Shop.GSI1: Order.Status", "empty"}},
		{"separator in a key", s.orders.Create(with(func(o *Order) { o.OrderID = "a#b" })).Run(ctx), ddb.ErrKey, []string{"Order.OrderID", "separator"}},
		{"separator in an index key", s.orders.Create(with(func(o *Order) { o.ProductID = "a#b" })).Run(ctx), ddb.ErrKey, []string{"Shop.GSI2: Order.ProductID", "separator"}},
		{"number too wide", s.tasks.Create(&Task{UserID: "u1", TaskID: "t", Priority: 1000, State: "NEW"}).Run(ctx), ddb.ErrKey, []string{"Shop.GSI3: Task.Priority", "int has more than 3 digits"}},
		{"500 KB", s.orders.Create(with(func(o *Order) { o.Lines = []string{strings.Repeat("x", 500<<10)} })).Run(ctx), ddb.ErrItemTooLarge, []string{"Order", "DynamoDB allows 409600"}},
		{"nil item", s.orders.Put(nil).Run(ctx), ddb.ErrKey, []string{"Order", "nil"}},
		{"get without sort key", get(s, Order{UserID: "u1"}), ddb.ErrKey, []string{"GetItem Shop: Order.PlacedAt"}},
		{"missing table", get(missing, good), ddb.ErrTableNotFound, []string{"GetItem Shop: Order", "table not found"}},
		{"query without partition key", page(s.orders.Query(Order{}), ""), ddb.ErrKey, []string{"Query Shop: Order.UserID"}},
		{"part without the one before", page(s.orders.Query(Order{UserID: "u1", OrderID: "o1"}), ""), ddb.ErrRange, []string{"Order.PlacedAt", "not given"}},
		{"reversed range", page(s.orders.Query(Order{UserID: "u1"}).Between(Order{PlacedAt: at("2024-06-01T00:00:00Z")}, Order{PlacedAt: at("2024-05-01T00:00:00Z")}), ""), ddb.ErrRange, []string{"Order", "lower bound is above"}},
		{"bound without a value", page(s.orders.Query(Order{UserID: "u1"}).From(Order{}), ""), ddb.ErrRange, []string{"Order.PlacedAt"}},
		{"range twice", page(s.orders.Query(Order{UserID: "u1"}).From(good).After(good), ""), ddb.ErrRange, []string{"twice"}},
		{"unknown index", page(s.orders.Query(good).Index("GSI9"), ""), ddb.ErrIndex, []string{"Shop.GSI9: Order"}},
		{"consistent read of an index", page(s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Consistent(), ""), ddb.ErrIndex, []string{"Shop.GSI1", "consistent"}},
		{"cursor of another partition", page(s.orders.Query(Order{UserID: "u2"}).Limit(1), cursor), ddb.ErrCursor, []string{"Query Shop: Order", "another query"}},
		{"cursor of another direction", page(s.orders.Query(Order{UserID: "u1"}).Desc().Limit(1), cursor), ddb.ErrCursor, nil},
		{"cursor of another range", page(s.orders.Query(Order{UserID: "u1"}).From(good).Limit(1), cursor), ddb.ErrCursor, nil},
		{"cursor of another filter", page(s.orders.Query(Order{UserID: "u1"}).Filter(s.total.Gt(1)).Limit(1), cursor), ddb.ErrCursor, nil},
		{"damaged cursor", page(s.orders.Query(Order{UserID: "u1"}), cursor[:len(cursor)-2]), ddb.ErrCursor, nil},
		{"altered cursor", page(s.orders.Query(Order{UserID: "u1"}), cursor[:len(cursor)-8]+"AAAAAAAA"), ddb.ErrCursor, nil},
		{"no cursor at all", page(s.orders.Query(Order{UserID: "u1"}), "garbage!"), ddb.ErrCursor, []string{"damaged"}},
		{"change of the primary key", set(s.placed.To(at("2025-01-01T00:00:00Z"))), ddb.ErrKeyChange, []string{"Order.PlacedAt", "primary key"}},
		{"arithmetic on an index part", setTask(s.priority.Add(1)), ddb.ErrKeyChange, []string{"Shop.GSI3: Task.Priority"}},
		{"index part unknown", setTask(s.priority.To(2)), ddb.ErrIndexPartMissing, []string{"Shop.GSI3: Task.State"}},
		{"nothing to update", set(), ddb.ErrExpression, []string{"changes nothing"}},
		{"one attribute twice", set(s.total.To(1), s.total.Add(1)), ddb.ErrExpression, []string{"Order.Total", "change one of them"}},
		{"addition of a string", set(s.status.Add("x")), ddb.ErrExpression, []string{"Order.Status", "needs a number"}},
		{"IN of nothing", page(s.orders.Query(Order{UserID: "u1"}).Filter(s.status.In()), ""), ddb.ErrExpression, []string{"1 to 100"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if !errors.Is(c.got, c.is) {
				t.Fatalf("got %v, want %v", c.got, c.is)
			}
			var op *ddb.OpError
			if !errors.As(c.got, &op) || op.Table != "Shop" || op.Entity != "Order" && op.Entity != "Task" {
				t.Errorf("got %#v, want an OpError of Shop and the entity", c.got)
			}
			for _, says := range c.says {
				if !strings.Contains(c.got.Error(), says) {
					t.Errorf("got %q, want it to say %q", c.got, says)
				}
			}
			for _, value := range []string{"u1", "o1", "a#b", "2024-05", "T-shirt"} {
				if strings.Contains(c.got.Error(), value) {
					t.Errorf("got %q, which shows the value %q", c.got, value)
				}
			}
		})
	}
	wantEmpty(t, db)
}

// fill stores n orders of user u1 on consecutive days and returns the query for
// them.
func fill(t testing.TB, s shop, n int) ddb.QueryOp[Order] {
	t.Helper()
	for i := range n {
		o := order("u1", "o"+string(rune('a'+i%26)), "2024-05-01T00:00:00Z", []string{"OPEN", "DONE", "DONE"}[i%3])
		o.PlacedAt = o.PlacedAt.AddDate(0, 0, i)
		o.Total = i
		if err := s.orders.Create(&o).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return s.orders.Query(Order{UserID: "u1"})
}
