package memory_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/internal/model"
)

// Random histories of all operations on items, run against the engine and the
// model. A failing one is printed with its seed, shrunk, and kept in
// testdata/rapid, from where it runs first ever after.
var (
	histories = flag.Uint64("histories", 0, "how many random histories of each sort to run; 0 for as many as make 200,000 operations")
	seed      = flag.Uint64("seed", 0, "seed of random tests, as a failing one prints it; 0 for another one each time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]uint64{"rapid.checks": *histories, "rapid.seed": *seed} {
		if value == 0 {
			continue
		}
		if err := flag.Set(name, strconv.FormatUint(value, 10)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

// steps is how many operations a history has: as many as make 200,000 with rapid's
// 100 histories of each sort.
const steps = 1100

// TestHistories promises that the engine answers as the model does, whatever
// happened before, and holds the same items in the end.
func TestHistories(t *testing.T) {
	t.Parallel()
	for name, partitions := range map[string]int{"in one partition": 1, "in 16 partitions": 16} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := 0
			rapid.Check(t, func(t *rapid.T) {
				h := newHistory(t, memory.Partitions(partitions))
				for _, op := range drawOperations(t, h.tables, steps) {
					h.do(t, op)
					done++
				}
				h.end(t)
			})
			t.Logf("%d operations", done)
		})
	}
}

// TestSameHistoryElsewhere promises that neither partitions nor page sizes change
// what a history finds and leaves.
func TestSameHistoryElsewhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := newHistory(t, memory.Partitions(1))
		others := []*history{newHistory(t, memory.Partitions(64)), newHistory(t)}
		others[1].pageSize = 1
		for _, op := range drawOperations(t, first.tables, steps/10) {
			want, wantErr := op.engine(first)
			for i, h := range others {
				got, err := op.engine(h)
				if got, want := asFailure(err), asFailure(wantErr); !got.Equal(want) {
					t.Fatalf("%s\nhistory %d fails otherwise (-got +want)\n%s", op, i, cmp.Diff(got, want, alike))
				}
				got, want := answer{lists: [][]item{got.all()}}, answer{lists: [][]item{want.all()}}
				if !got.equals(want, op.unordered) {
					t.Fatalf("%s\nhistory %d finds otherwise (-got +want)\n%s", op, i, cmp.Diff(got.lists, want.lists, alike))
				}
			}
		}
		for _, h := range others {
			for _, table := range h.tables {
				if got, want := h.db.Dump(table.Name), first.db.Dump(table.Name); got != want {
					t.Fatalf("contents differ (-got +want)\n%s", cmp.Diff(got, want))
				}
			}
		}
	})
}

// numbers are what the operations of a history are made from; 0 makes none, so that
// a failing history can be shrunk by leaving operations out.
type numbers []uint64

// GoString shows the numbers that make an operation, with their positions.
func (n numbers) GoString() string {
	var b strings.Builder
	for i, number := range n {
		if number != 0 {
			fmt.Fprintf(&b, "%d:%#x ", i, number)
		}
	}
	return b.String()
}

// drawOperations draws the operations of a history on the given tables.
func drawOperations(t *rapid.T, tables []*model.Table, n int) []*operation {
	drawn := rapid.Custom(func(t *rapid.T) numbers {
		drawn := make(numbers, n)
		for i := range drawn {
			drawn[i] = rapid.Uint64().Draw(t, "")
		}
		return drawn
	}).Draw(t, "operations")
	salt := rapid.Uint64().Draw(t, "salt")
	var ops []*operation
	for i, n := range drawn {
		if n == 0 {
			continue
		}
		m := &maker{Rand: rand.New(rand.NewPCG(n, salt+uint64(i)))}
		m.table = choose(m, tables...)
		ops = append(ops, m.operation(tables))
	}
	return ops
}

// history is an engine and a model with one past.
type history struct {
	db       *memory.DB
	tables   []*model.Table
	pageSize int // of the engine's queries and scans; 0 for what each asks for
}

// keyAs makes a key of attributes given as name:KIND.
func keyAs(hash []string, sort ...string) model.Key {
	attributes := func(spec []string) []model.Attribute {
		names, kinds := parseKeys(spec)
		out := make([]model.Attribute, len(names))
		for i := range names {
			out[i] = model.Attribute{Name: names[i], Kind: kinds[i]}
		}
		return out
	}
	return model.Key{Hash: attributes(hash), Sort: attributes(sort)}
}

// newHistory makes tables of several key shapes with indexes of all sorts.
func newHistory(t *rapid.T, opts ...memory.Option) *history {
	one := func(hash string) []string { return []string{hash} }
	h := &history{db: memory.New(opts...), tables: []*model.Table{
		{Name: "Both", Key: keyAs(one("pk:S"), "sk:N"), Indexes: []model.Index{
			{Name: "all", Key: keyAs(one("b:S"), "a:N"), All: true},
			{Name: "keys", Key: keyAs(one("a:N"), "b:S")},
			{Name: "local", Local: true, Key: keyAs(one("pk:S"), "a:N"), Projected: []string{"b"}},
			{Name: "turned", Key: keyAs(one("b:S"), "pk:S"), Projected: []string{"c", "m"}},
		}},
		{Name: "Plain", Key: keyAs(one("pk:N")), Indexes: []model.Index{{Name: "byB", Key: keyAs(one("b:S")), All: true}}},
		{Name: "Binary", Key: keyAs(one("pk:B"), "sk:S"), Indexes: []model.Index{
			{Name: "byA", Local: true, Key: keyAs(one("pk:B"), "a:N"), All: true},
			{Name: "byB", Local: true, Key: keyAs(one("pk:B"), "b:B")},
		}},
		{Name: "Multi", Key: keyAs(one("pk:S"), "sk:S"), Indexes: []model.Index{
			{Name: "multi", Key: keyAs([]string{"b:S", "a:N"}, "c:N", "d:S"), Projected: []string{"l"}},
		}},
	}}
	for _, table := range h.tables {
		if _, err := h.db.CreateTable(t.Context(), tableInput(table)); err != nil {
			t.Fatalf("create %s: %v", table.Name, err)
		}
	}
	return h
}

// tableInput defines the table of the engine.
func tableInput(table *model.Table) *dynamodb.CreateTableInput {
	spec := func(attributes []model.Attribute) []string {
		var out []string
		for _, a := range attributes {
			out = append(out, a.Name+":"+a.Kind)
		}
		return out
	}
	in := define(table.Name, spec(table.Hash)[0], spec(table.Sort)...)
	for _, ix := range table.Indexes {
		nonKey := ix.Projected
		if !ix.All && nonKey == nil {
			nonKey = []string{"-"}
		}
		if ix.Local {
			withLSI(in, ix.Name, spec(ix.Sort)[0], nonKey...)
		} else {
			withGSI(in, ix.Name, spec(ix.Hash), spec(ix.Sort), nonKey...)
		}
	}
	return in
}

// alike compares what the two sides report: numbers by value, sets without order.
var alike = cmp.Options{cmpopts.IgnoreUnexported(model.Failure{}), cmp.Comparer(model.Equal)}

// printed shows a request as Go would have it, without what is not set.
func printed(v reflect.Value) string {
	if at, ok := reflect.TypeAssert[time.Time](v); ok {
		return at.UTC().String()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return printed(v.Elem())
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
				fields = append(fields, f.Name+": "+printed(v.Field(i)))
			}
		}
		return strings.TrimPrefix(v.Type().Name(), "AttributeValueMember") + "{" + strings.Join(fields, ", ") + "}"
	case reflect.Map:
		var entries []string
		for _, key := range v.MapKeys() {
			entries = append(entries, printed(key)+": "+printed(v.MapIndex(key)))
		}
		slices.Sort(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("%q", v.Bytes())
		}
		var elements []string
		for i := range v.Len() {
			elements = append(elements, printed(v.Index(i)))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v)
}

// do runs an operation on both sides.
func (h *history) do(t *rapid.T, op *operation) {
	got, err := op.engine(h)
	want, failure := op.model(h)
	if got, want := asFailure(err), asFailure(failure); !got.Equal(want) {
		t.Fatalf("%s\nfails otherwise than in the model (-engine +model)\n%s", op, cmp.Diff(got, want, alike))
	}
	if err == nil && !got.equals(want, op.unordered) {
		t.Fatalf("%s\nanswers otherwise than the model (-engine +model)\n%s", op, cmp.Diff(got, want, alike, cmp.AllowUnexported(answer{})))
	}
}

// end compares what is stored, and checks the engine's invariants.
func (h *history) end(t *rapid.T) {
	if err := h.db.Check(); err != nil {
		t.Fatalf("invariants: %v", err)
	}
	for _, table := range h.tables {
		out, err := h.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table.Name)})
		if err != nil {
			t.Fatal(err)
		}
		got, want := answer{lists: [][]item{out.Items}}, answer{lists: [][]item{table.Items()}}
		if !got.equals(want, true) {
			t.Fatalf("%s holds other items than in the model (-engine +model)\n%s", table.Name, cmp.Diff(got.lists, want.lists, alike))
		}
	}
}

// answer is what both sides tell of an operation that did not fail.
type answer struct {
	lists   [][]item // of items, nil items standing for none
	scanned []int
	last    []item
	used    []model.Units
}

func (a *answer) all() []item { return slices.Concat(a.lists...) }

// equals compares answers; what has no order may be in any.
func (a *answer) equals(b answer, unordered bool) bool {
	same := func(x, y []item) bool { return slices.EqualFunc(x, y, sameItem) }
	if unordered {
		same = sameItems
	}
	return slices.EqualFunc(a.lists, b.lists, same) && slices.Equal(a.scanned, b.scanned) &&
		slices.EqualFunc(a.last, b.last, sameItem) && slices.EqualFunc(a.used, b.used, model.Units.Equal)
}

// sameItems compares lists of items in any order.
func sameItems(a, b []item) bool {
	b = slices.Clone(b)
	for _, x := range a {
		i := slices.IndexFunc(b, func(y item) bool { return sameItem(x, y) })
		if i < 0 {
			return false
		}
		b = slices.Delete(b, i, i+1)
	}
	return len(b) == 0
}

// sameItem tells no item from one without attributes.
func sameItem(a, b item) bool { return (a == nil) == (b == nil) && model.EqualItems(a, b) }
