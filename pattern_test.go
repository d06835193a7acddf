package ddb_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/schema"
)

// TestDeclare promises that each kind of operation is described by what it asks
// for, in the words of the templates.
func TestDeclare(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{}, ddb.GSI("GSI1", "GSI1PK", "GSI1SK"), ddb.GSI("GSI2", "GSI2PK", "GSI2SK"), ddb.GSI("GSI3", "GSI3PK", "GSI3SK", ddb.KeysOnly()))
	o := Order{UserID: "u1", OrderID: "o1", Status: "NEW", PlacedAt: at("2024-05-20T12:00:00Z"), Lines: []string{}}
	key := Order{UserID: "u1", OrderID: "o1", PlacedAt: o.PlacedAt}
	may1, may31 := Order{PlacedAt: at("2024-05-01T00:00:00Z")}, Order{PlacedAt: at("2024-05-31T23:59:59Z")}
	of := Order{UserID: "u1"}
	const orderKey = "PK = USER#{UserID} AND SK = ORDER#{PlacedAt}#{OrderID}"
	one := func(s schema.Step) []schema.Step { return []schema.Step{s} }
	query := func(s schema.Step) []schema.Step {
		s.Operation, s.Entity, s.Partitions = "Query", "Order", 1
		if s.Key == "" {
			s.Key = "PK = USER#{UserID} AND begins_with(SK, ORDER#)"
		}
		return []schema.Step{s}
	}
	cases := []struct {
		name    string
		pattern ddb.Pattern
		want    []schema.Step
	}{
		{"get", s.orders.Get(key).Consistent().Named("get"),
			one(schema.Step{Operation: "GetItem", Entity: "Order", Key: orderKey, Partitions: 1, Consistent: true})},
		{"get some", s.orders.Get(key).Project(s.total, s.status).Named("get some"),
			one(schema.Step{Operation: "GetItem", Entity: "Order", Key: orderKey, Partitions: 1, Reads: []string{"Total", "Status"}})},
		{"query", s.orders.Query(of).Desc().Limit(5).Named("query"), query(schema.Step{Descending: true, Limit: 5})},
		{"query of a part", s.orders.Query(Order{UserID: "u1", PlacedAt: o.PlacedAt}).Named("query of a part"),
			query(schema.Step{Key: "PK = USER#{UserID} AND begins_with(SK, ORDER#{PlacedAt}#)"})},
		{"range", s.orders.Query(of).Between(may1, may31).Consistent().Named("range"),
			query(schema.Step{Key: "PK = USER#{UserID} AND SK BETWEEN ORDER#{PlacedAt} AND ORDER#{PlacedAt}#…", Consistent: true})},
		{"open range", s.orders.Query(of).From(may1).Named("open range"),
			query(schema.Step{Key: "PK = USER#{UserID} AND SK BETWEEN ORDER#{PlacedAt} AND ORDER#…"})},
		{"index", s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Named("index"),
			query(schema.Step{Index: "GSI1", Key: "GSI1PK = STATUS#{Status}"})},
		{"filter", s.orders.Query(of).Filter(s.total.Gt(5).And(s.lines.Contains("a"))).Named("filter"), query(schema.Step{Filter: []string{"Total", "Lines"}})},
		{"projection", s.orders.Query(of).Project(s.total).Named("projection"), query(schema.Step{Reads: []string{"Total"}})},
		{"count", s.orders.Query(of).Edit(func(in *dynamodb.QueryInput) { in.Select = types.SelectCount }).Named("count"), query(schema.Step{Count: true})},
		{"hydrated", s.tasks.Query(Task{Priority: 3}).Index("GSI3").Hydrate().Named("hydrated"),
			one(schema.Step{Operation: "Query", Entity: "Task", Index: "GSI3", Partitions: 1, Hydrated: true, Key: "GSI3PK = PRIORITY#{Priority}"})},
		{"collection", s.table.Collection(s.users.Partition(User{ID: "u1"})).Named("collection"),
			one(schema.Step{Operation: "Query", Key: "PK = USER#{ID}", Partitions: 1})},
		{"scan", s.orders.Scan().Filter(s.total.Gt(5)).Named("scan"),
			one(schema.Step{Operation: "Scan", Entity: "Order", Filter: []string{"Total"}})},
		{"several gets", ddb.BatchGet(s.orders.Get(key).Into(new(ddb.Result[Order])), s.users.Get(User{ID: "u1"}).Into(new(ddb.Result[User])), s.users.Get(User{ID: "u2"}).Into(new(ddb.Result[User]))).Named("several gets"),
			[]schema.Step{{Operation: "GetItem", Entity: "Order", Key: orderKey, Partitions: 1}, {Operation: "GetItem", Entity: "User", Key: "PK = USER#{ID} AND SK = PROFILE", Partitions: 1}}},
		{"put", s.orders.Create(&o).Named("put"), one(schema.Step{Operation: "PutItem", Entity: "Order", Key: orderKey})},
		{"update", s.orders.Update(key).Set(s.total.Add(1)).Named("update"), one(schema.Step{Operation: "UpdateItem", Entity: "Order", Key: orderKey})},
		{"delete", s.orders.Delete(key).Named("delete"), one(schema.Step{Operation: "DeleteItem", Entity: "Order", Key: orderKey})},
		{"transaction", ddb.Transact(s.orders.Create(&o), s.users.Check(User{ID: "u1"})).Named("transaction"),
			[]schema.Step{{Operation: "PutItem", Entity: "Order", Key: orderKey}, {Operation: "ConditionCheck", Entity: "User", Key: "PK = USER#{ID} AND SK = PROFILE"}}},
		{"batch", ddb.Batch(s.orders.Put(&o), s.users.Delete(User{ID: "u1"})).Named("batch"),
			[]schema.Step{{Operation: "PutItem", Entity: "Order", Key: orderKey}, {Operation: "DeleteItem", Entity: "User", Key: "PK = USER#{ID} AND SK = PROFILE"}}},
	}
	for _, c := range cases {
		s.table.Declare(c.pattern)
	}
	got, err := s.table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(got.Patterns[i], schema.Pattern{Name: c.name, Steps: c.want}); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

// TestDeclareShards promises that a pattern says how many partitions it reads.
func TestDeclareShards(t *testing.T) {
	t.Parallel()
	type visit struct {
		_ ddb.Entity `name:"Visit" pk:"DAY#{Day:2006-01-02}#{shard:8,by=User}" sk:"{User}#{ID}"`

		Day      time.Time
		User, ID string
	}
	table := ddb.NewTable("Visits", unreachable{})
	visits := ddb.Define[visit](table)
	day := at("2024-05-20T00:00:00Z")
	table.Declare(visits.Query(visit{Day: day}).Named("all"), visits.Query(visit{Day: day, User: "u1"}).Named("of a user"))
	s, err := table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	want := []schema.Pattern{
		{Name: "all", Steps: []schema.Step{{Operation: "Query", Entity: "Visit", Key: "PK = DAY#{Day}#{shard}", Partitions: 8}}},
		{Name: "of a user", Steps: []schema.Step{{Operation: "Query", Entity: "Visit", Key: "PK = DAY#{Day}#{shard} AND begins_with(SK, {User}#)", Partitions: 1}}},
	}
	if diff := cmp.Diff(s.Patterns, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	s.Patterns[0].Steps[0].Key = "changed"
	if again, err := table.Schema(); err != nil || again.Patterns[0].Steps[0].Key == "changed" {
		t.Errorf("%v: the description shares memory with the table", err)
	}
}

// TestDeclareFaults promises that what cannot be declared is a fault that says
// why.
func TestDeclareFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		declare func(shop)
		want    string
	}{
		{"no name", func(s shop) { s.table.Declare(s.users.Get(User{ID: "u1"})) }, "has no name"},
		{"same name", func(s shop) {
			s.table.Declare(s.users.Get(User{ID: "u1"}).Named("a"), s.orders.Query(Order{UserID: "u1"}).Named("a"))
		}, `two access patterns have the name "a"`},
		{"another table", func(s shop) { s.table.Declare(newShop(unreachable{}).users.Get(User{ID: "u1"}).Named("a")) }, `"a" is one of another table`},
		{"no key", func(s shop) { s.table.Declare(s.orders.Query(Order{}).Named("a")) }, `"a" cannot be carried out: ddb: Query Shop: Order.UserID`},
		{"no index", func(s shop) { s.table.Declare(s.notes.Query(Note{UserID: "u1"}).Index("GSI1").Named("a")) }, "Note is not in it"},
		{"a write that misses a part", func(s shop) {
			s.table.Declare(s.orders.Update(Order{UserID: "u1"}).Set(s.total.Add(1)).Named("a"))
		}, `"a" cannot be carried out`},
		{"an empty transaction", func(s shop) { s.table.Declare(ddb.Transact().Named("a")) }, `"a" cannot be carried out`},
		{"a transaction on one item twice", func(s shop) {
			s.table.Declare(ddb.Transact(s.users.Delete(User{ID: "u1"}), s.users.Delete(User{ID: "u1"})).Named("a"))
		}, `"a" cannot be carried out`},
		{"an empty batch", func(s shop) { s.table.Declare(ddb.Batch().Named("a")) }, `"a" is one of another table`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(unreachable{})
			test.declare(s)
			err := s.table.Err()
			if !errors.Is(err, ddb.ErrDefinition) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a fault with %q", err, test.want)
			}
		})
	}
}

// TestNames promises that observers learn the name of each kind of operation.
func TestNames(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	var got []string
	s := newShop(backend(t, db), ddb.Observe(func(_ context.Context, c ddb.Call) { got = append(got, c.Op+" "+c.Pattern) }))
	create(t, db, s.table)
	u := User{ID: "u1"}
	for _, run := range []func() error{
		func() error { return s.users.Create(&u).Named("create").Run(ctx) },
		func() error { _, err := s.users.Get(u).Named("get").Run(ctx); return err },
		func() error { _, err := s.users.Update(u).Set(s.name.To("n")).Named("update").Run(ctx); return err },
		func() error { _, err := s.users.Query(u).Named("query").Count(ctx); return err },
		func() error { _, err := s.users.Scan().Named("scan").Count(ctx); return err },
		func() error { _, err := s.table.Collection(s.users.Partition(u)).Named("all").Load(ctx); return err },
		func() error {
			return ddb.BatchGet(s.users.Get(u).Into(new(ddb.Result[User]))).Named("batch get").Run(ctx)
		},
		func() error {
			return ddb.TransactGet(s.users.Get(u).Into(new(ddb.Result[User]))).Named("transact get").Run(ctx)
		},
		func() error { return ddb.Batch(s.users.Put(&u)).Named("batch").Run(ctx) },
		func() error { return ddb.Transact(s.users.Put(&u)).Named("transact").Run(ctx) },
		func() error { return s.users.Delete(u).Named("delete").Run(ctx) },
	} {
		if err := run(); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"PutItem create", "GetItem get", "UpdateItem update", "Query query", "Scan scan", "Query all", "BatchGetItem batch get",
		"TransactGetItems transact get", "BatchWriteItem batch", "TransactWriteItems transact", "DeleteItem delete",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

// TestDeclareBuckets promises that a range over buckets counts each of them, in each
// of their shards, and as many as it may visit where it has no end.
func TestDeclareBuckets(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("Probes", unreachable{})
	probes := ddb.Define[Probe](table)
	from, key := at("2024-05-20T22:30:00Z"), Probe{Device: "d"}
	until := Probe{At: from.Add(3 * time.Hour)}
	table.Declare(
		probes.Query(key).Between(Probe{At: from}, until).Named("hours"),
		probes.Query(key).Index("ByDay").Between(Probe{At: from}, until).Named("days, each in three shards"),
		probes.Query(key).From(Probe{At: from}).MaxBuckets(5).Named("five at most"),
	)
	s, err := table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"hours": 4, "days, each in three shards": 6, "five at most": 5}
	got := make(map[string]int)
	for _, p := range s.Patterns {
		got[p.Name] = p.Steps[0].Partitions
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}
