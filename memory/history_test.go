package memory_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/internal/model"
)

// steps is how many operations a history has: as many as make 200,000 with 100
// histories of each sort.
const steps = 1000

// TestHistories promises that the engine answers as the model does, whatever
// happened before, and holds the same items in the end.
func TestHistories(t *testing.T) {
	t.Parallel()
	for name, partitions := range map[string]int{"in one partition": 1, "in 16 partitions": 16} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overSeeds(t, steps, func(ops []*operation) (int, string) {
				h := newHistory(t, memory.Partitions(partitions))
				for i, op := range ops {
					if fault := h.do(op); fault != "" {
						return i + 1, fault
					}
				}
				return len(ops), h.end()
			})
		})
	}
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

// historyTables are tables of several key shapes with indexes of all sorts.
func historyTables() []*model.Table {
	one := func(hash string) []string { return []string{hash} }
	return []*model.Table{
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
	}
}

// newHistory makes an engine and a model with these tables.
func newHistory(t testing.TB, opts ...memory.Option) *history {
	t.Helper()
	h := &history{db: memory.New(opts...), tables: historyTables()}
	for _, table := range h.tables {
		create(t, h.db, tableInput(table))
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

// do runs an operation on both sides and returns how they differ, "" if not.
func (h *history) do(op *operation) string {
	got, err := op.engine(h)
	want, failure := op.model(h)
	if got, want := asFailure(err), asFailure(failure); !got.Equal(want) {
		return "it fails otherwise than in the model (-engine +model)\n" + cmp.Diff(got, want, alike)
	}
	if err == nil && !got.equals(want, op.unordered) {
		return "it answers otherwise than the model (-engine +model)\n" + cmp.Diff(got, want, alike, cmp.AllowUnexported(answer{}))
	}
	return ""
}

// end compares what is stored, and checks the engine's invariants.
func (h *history) end() string {
	if err := h.db.Check(); err != nil {
		return "invariants: " + err.Error()
	}
	for _, table := range h.tables {
		out, err := h.db.Scan(background, &dynamodb.ScanInput{TableName: aws.String(table.Name)})
		if err != nil {
			return err.Error()
		}
		got, want := answer{lists: [][]item{out.Items}}, answer{lists: [][]item{table.Items()}}
		if !got.equals(want, true) {
			return table.Name + " holds other items than in the model (-engine +model)\n" + cmp.Diff(got.lists, want.lists, alike)
		}
	}
	return ""
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
