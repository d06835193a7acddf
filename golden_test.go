package ddb_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRequests compares what each builder sends with testdata/requests.golden.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	o := Order{UserID: "u1", OrderID: "o1", ProductID: "p1", Status: "PENDING", PlacedAt: at("2024-05-20T12:00:00+02:00"), Total: 99, Lines: []string{"a"}}
	plain := Order{UserID: "u1", OrderID: "o1", Status: "PENDING", PlacedAt: o.PlacedAt}
	key := Order{UserID: "u1", OrderID: "o1", PlacedAt: o.PlacedAt}
	user := Order{UserID: "u1"}
	may1, may31 := Order{PlacedAt: at("2024-05-01T00:00:00Z")}, Order{PlacedAt: at("2024-05-31T23:59:59Z")}
	board := Score{Game: "g1"}

	var out bytes.Buffer
	show := func(name string, in any, err error) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&out, "== %s\n%s\n", name, printInput(in))
	}
	get := func(name string, op ddb.GetOp[Order]) { in, err := op.Input(); show(name, in, err) }
	put := func(name string, op ddb.PutOp[Order]) { in, err := op.Input(); show(name, in, err) }
	del := func(name string, op ddb.DeleteOp[Order]) { in, err := op.Input(); show(name, in, err) }
	upd := func(name string, op ddb.UpdateOp[Order]) { in, err := op.Input(); show(name, in, err) }
	query := func(name string, op ddb.QueryOp[Order]) { in, err := op.Input(); show(name, in, err) }
	scores := func(name string, op ddb.QueryOp[Score]) { in, err := op.Input(); show(name, in, err) }

	get("get", s.orders.Get(key))
	get("get consistent, edited", s.orders.Get(key).Consistent().Edit(func(in *dynamodb.GetItemInput) {
		in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	}))
	put("put", s.orders.Put(&o))
	put("put without the sparse attribute", s.orders.Put(&plain))
	put("create", s.orders.Create(&plain))
	put("put with conditions", s.orders.Put(&plain).If(s.status.Eq("NEW").Or(s.total.Lt(5)).And(s.product.NotExists().Not())))
	del("delete", s.orders.Delete(key))
	del("delete with conditions", s.orders.Delete(key).MustExist().IfExpr(expression.Name("Total").LessThan(expression.Value(5))))
	upd("update beside the indexes", s.orders.Update(key).Set(s.total.Add(1), s.lines.Append([]string{"b"})))
	upd("update of an index part", s.orders.Update(key).Set(s.status.To("PAID")).If(s.status.In("NEW", "PENDING")))
	upd("update into the sparse index", s.orders.Update(key).Set(s.product.To("p2"), s.total.SetIfAbsent(1)))
	upd("update out of the sparse index", s.orders.Update(key).Set(s.product.Remove()))
	in, err := s.tasks.Update(Task{UserID: "u1", TaskID: "t1"}).Set(s.priority.To(2)).From(Task{UserID: "u1", TaskID: "t1", Priority: 1, State: "OPEN"}).Input()
	show("update with a loaded item", in, err)
	in, err = s.users.Update(User{ID: "u1"}).Set(s.city.To("Berlin"), s.name.To("张三"), s.email.To("A@b.org")).Input()
	show("update of nested and Chinese names", in, err)
	query("query", s.orders.Query(user))
	query("query descending, limited", s.orders.Query(user).Desc().Limit(20).Consistent())
	query("query of one instant", s.orders.Query(Order{UserID: "u1", PlacedAt: o.PlacedAt}))
	query("query of the whole key", s.orders.Query(key))
	query("between", s.orders.Query(user).Between(may1, may31))
	query("from", s.orders.Query(user).From(may1))
	query("after", s.orders.Query(user).After(may1))
	query("until", s.orders.Query(user).Until(may1))
	query("before", s.orders.Query(user).Before(may1))
	query("before, in the last part", s.orders.Query(Order{UserID: "u1", PlacedAt: o.PlacedAt}).Before(Order{OrderID: "o5"}))
	query("after, in the last part", s.orders.Query(Order{UserID: "u1", PlacedAt: o.PlacedAt}).After(Order{OrderID: "o5"}))
	query("filter", s.orders.Query(user).Filter(s.total.Between(1, 9)).Limit(5).PageSize(50))
	query("index", s.orders.Query(Order{Status: "PENDING"}).Index("GSI1"))
	query("index with a range from", s.orders.Query(Order{Status: "PENDING"}).Index("GSI1").From(may1))
	query("index with a range until", s.orders.Query(Order{Status: "PENDING"}).Index("GSI1").Until(may31))
	query("index with seconds", s.orders.Query(Order{ProductID: "p1"}).Index("GSI2").Between(may1, may31))
	scores("numbers", s.scores.Query(board).Index("GSI1").From(Score{Points: 0}))
	scores("numbers, inverted: from 50 up", s.scores.Query(board).Index("GSI2").From(Score{Points: 50}))
	scores("numbers, inverted: below 50", s.scores.Query(board).Index("GSI2").Before(Score{Points: 50}))
	showReads(s, show)
	c := clubOn(unreachable{})
	tx, err := ddb.Transact(
		c.members.Create(&Member{ID: "m1", Email: "A@b.org", Phone: "1"}),
		c.members.Update(Member{ID: "m2"}).From(Member{ID: "m2", Email: "a@b.org"}).Set(c.email.To("c@d.org")),
	).Token("token").Input(t.Context())
	show("transaction with markers", tx, err)
	in3, err := s.table.CreateTableInput()
	show("create table", in3, err)
	compareGolden(t, "testdata/requests.golden", out.Bytes())
}

// showReads shows what reads send.
func showReads(s shop, show func(name string, in any, err error)) {
	query := func(name string, op ddb.QueryOp[Order]) { in, err := op.Input(); show(name, in, err) }
	scan := func(name string, op ddb.ScanOp[Order]) { in, err := op.Input(); show(name, in, err) }
	collection := func(name string, op ddb.CollectionOp) { in, err := op.Input(); show(name, in, err) }
	placed := at("2024-05-20T12:00:00+02:00")
	all, pending := s.orders.Query(Order{UserID: "u1"}), s.orders.Query(Order{Status: "PENDING"}).Index("GSI1")
	query("prefix", all.Prefix(Order{PlacedAt: placed}))
	query("prefix of the whole key", all.Prefix(Order{PlacedAt: placed, OrderID: "o1"}))
	query("prefix and a range behind it", all.Prefix(Order{PlacedAt: placed}).From(Order{OrderID: "o1"}))
	query("starts with", all.StartsWith(Order{PlacedAt: placed, OrderID: "o"}))
	query("raw between", all.RawBetween("ORDER#2024-05", "ORDER#2024-06"))
	query("raw bounds, kept to the entity", all.RawBetween("A", "Z"))
	query("raw prefix", all.RawPrefix("ORDER#2024"))
	query("raw prefix in an index", pending.RawPrefix("2024-05"))
	query("any sort key", all.AnySortKey().RawFrom("A").Filter(s.total.Gt(5)))
	query("projected, with a filter", all.Project(s.total, s.lines).Filter(s.status.Eq("NEW")))
	query("keys only", all.Project())
	query("hydrated", pending.Hydrate().Project(s.total).Limit(5))
	query("capacity", all.ReturnConsumedCapacity(types.ReturnConsumedCapacityIndexes))

	get, err := s.users.Get(User{ID: "u1"}).Project(s.city, s.name).Input()
	show("get, projected", get, err)
	var user ddb.Result[User]
	var order ddb.Result[Order]
	reads := []ddb.Read{
		s.users.Get(User{ID: "u1"}).Project(s.city).Into(&user), s.users.Get(User{ID: "u2"}).Project(s.city).Into(&user),
		s.orders.Get(Order{UserID: "u1", OrderID: "o1", PlacedAt: placed}).Consistent().Into(&order),
	}
	batch, err := ddb.BatchGet(reads...).Inputs()
	for i, in := range batch {
		show(fmt.Sprintf("batch get with two projections, call %d of %d", i+1, len(batch)), in, err)
	}
	tx, err := ddb.TransactGet(reads...).Input()
	show("transactional get", tx, err)

	scan("scan", s.orders.Scan().Filter(s.total.Gt(5)).PageSize(10))
	scan("scan of an index, projected", s.orders.Scan().Index("GSI2").Project(s.product))
	scan("parallel scan, first segment", s.orders.ParallelScan(4))
	scan("one segment", s.orders.ScanSegment(2, 4).Limit(5))

	everything := s.table.Collection(s.users.Partition(User{ID: "u1"}))
	collection("collection", everything.Limit(10))
	collection("collection of two entities", everything.Only(s.users, s.orders))
	collection("collection in a range", everything.RawBetween("NOTE#", "ORDER#2024").Desc())
	collection("collection with a prefix", everything.RawPrefix("ORDER#"))
}

func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", file, diff)
	}
}

// printInput prints the members of an SDK input that are set, one a line.
func printInput(in any) string {
	var b strings.Builder
	v := reflect.ValueOf(in).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.PkgPath != "" || v.Field(i).IsZero() {
			continue
		}
		text, err := json.Marshal(printable(v.Field(i)))
		if err != nil {
			text = []byte(err.Error())
		}
		text = bytes.ReplaceAll(text, []byte(`\u003e`), []byte(">"))
		text = bytes.ReplaceAll(text, []byte(`\u003c`), []byte("<"))
		fmt.Fprintf(&b, "%s: %s\n", f.Name, text)
	}
	return b.String()
}

// printable turns SDK values into what encoding/json prints readably.
func printable(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if av, ok := v.Interface().(types.AttributeValue); ok {
			member := reflect.ValueOf(av).Elem()
			kind := strings.TrimPrefix(member.Type().Name(), "AttributeValueMember")
			return map[string]any{kind: printable(member.FieldByName("Value"))}
		}
		return printable(v.Elem())
	case reflect.Map:
		out := make(map[string]any)
		for _, k := range v.MapKeys() {
			out[k.String()] = printable(v.MapIndex(k))
		}
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = printable(v.Index(i))
		}
		return out
	case reflect.Struct:
		out := make(map[string]any)
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.PkgPath == "" && !v.Field(i).IsZero() {
				out[f.Name] = printable(v.Field(i))
			}
		}
		return out
	}
	return v.Interface()
}
