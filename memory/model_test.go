package memory_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/internal/model"
)

// TestModel runs random histories against the engine and the model: every
// answer is equal, whatever the number of partitions and the size of pages.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		t.Repeat(map[string]func(*rapid.T){
			"put":    h.put,
			"update": h.update,
			"delete": h.delete,
			"get":    h.get,
			"query":  h.query,
			"scan":   h.scan,
			"":       h.check,
		})
	})
}

// history is one engine and one model with the same past.
type history struct {
	db    *memory.DB
	model model.Table
}

const modelTable = "Model"

func newHistory(t *rapid.T) *history {
	in := define(modelTable, "pk:S", "sk:N")
	in = withLSI(in, "local", "a:N", "b")
	in = withGSI(in, "all", []string{"b:S"}, []string{"a:N"})
	in = withGSI(in, "keys", []string{"a:N"}, []string{"b:S"}, "-")
	in = withGSI(in, "turned", []string{"b:S"}, []string{"pk:S"}, "c", "d")
	h := &history{
		db: memory.New(memory.Partitions(rapid.SampledFrom([]int{1, 3, 16}).Draw(t, "partitions"))),
		model: model.Table{Hash: "pk", Sort: "sk", Indexes: []model.Index{
			{Name: "local", Hash: "pk", Sort: "a", Projected: []string{"b"}},
			{Name: "all", Hash: "b", Sort: "a", All: true},
			{Name: "keys", Hash: "a", Sort: "b"},
			{Name: "turned", Hash: "b", Sort: "pk", Projected: []string{"c", "d"}},
		}},
	}
	if _, err := h.db.CreateTable(t.Context(), in); err != nil {
		t.Fatalf("create table: %v", err)
	}
	return h
}

func (h *history) check(t *rapid.T) {
	if err := h.db.Check(); err != nil {
		t.Fatalf("invariants: %v", err)
	}
}

// Few values, so that keys meet. "a" is a number and "b" a string wherever they
// are keys of indexes; "c" and "d" may be either.
var (
	pks   = rapid.SampledFrom([]string{"p", "q", "qq"})
	sks   = rapid.IntRange(-2, 12)
	words = rapid.SampledFrom([]string{"x", "xy", "y", "\x00", "é"})
	ints  = rapid.SampledFrom([]int{-10, -1, 0, 1, 9, 10, 100})
)

func drawKey(t *rapid.T) model.Item {
	return model.Item{"pk": pks.Draw(t, "pk"), "sk": sks.Draw(t, "sk")}
}

func drawValue(t *rapid.T, name string) any {
	switch name {
	case "a":
		return ints.Draw(t, name)
	case "b":
		return words.Draw(t, name)
	}
	if rapid.Bool().Draw(t, name+" is a number") {
		return ints.Draw(t, name)
	}
	return words.Draw(t, name)
}

func drawCondition(t *rapid.T) model.Condition {
	switch rapid.IntRange(0, 4).Draw(t, "condition") {
	case 0:
		return model.Condition{Attribute: "pk", Absent: true}
	case 1:
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "condition on")
		return model.Condition{Attribute: name, Equals: drawValue(t, name)}
	}
	return model.Condition{}
}

// expression collects placeholders.
type expression struct {
	names  map[string]string
	values item
}

func (e *expression) name(n string) string {
	if e.names == nil {
		e.names = map[string]string{}
	}
	e.names["#"+n] = n
	return "#" + n
}

func (e *expression) value(v any) string {
	if e.values == nil {
		e.values = item{}
	}
	ref := fmt.Sprintf(":v%d", len(e.values))
	e.values[ref] = toSDK(v)
	return ref
}

func (e *expression) condition(c model.Condition) *string {
	switch {
	case c.Attribute == "":
		return nil
	case c.Absent:
		return aws.String("attribute_not_exists(" + e.name(c.Attribute) + ")")
	}
	return aws.String(e.name(c.Attribute) + " = " + e.value(c.Equals))
}

func toSDK(v any) types.AttributeValue {
	if s, ok := v.(string); ok {
		return str(s)
	}
	return num(v.(int))
}

func toItem(m model.Item) item {
	if m == nil {
		return nil
	}
	out := item{}
	for k, v := range m {
		out[k] = toSDK(v)
	}
	return out
}

func toItems(ms []model.Item) []item {
	out := []item{}
	for _, m := range ms {
		out = append(out, toItem(m))
	}
	return out
}

func same(t *rapid.T, what string, got, want any) {
	if d := cmp.Diff(want, got, values); d != "" {
		t.Fatalf("%s differs (-model +engine):\n%s", what, d)
	}
}

// sameOutcome demands that engine and model fail alike.
func sameOutcome(t *rapid.T, engine, naive error) {
	got := ""
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](engine); ok {
		got = model.ErrCondition.Error()
	} else if api, ok := errors.AsType[*smithy.GenericAPIError](engine); ok {
		switch api.Message {
		case "An operand in the update expression has an incorrect data type":
			got = model.ErrKind.Error()
		case "The provided expression refers to an attribute that does not exist in the item":
			got = model.ErrMissing.Error()
		default:
			got = api.Message
		}
	}
	want := ""
	if naive != nil {
		want = naive.Error()
	}
	if got != want {
		t.Fatalf("engine says %q, model says %q", got, want)
	}
}

func (h *history) put(t *rapid.T) {
	it := drawKey(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		if rapid.Bool().Draw(t, "has "+name) {
			it[name] = drawValue(t, name)
		}
	}
	c := drawCondition(t)
	var e expression
	in := &dynamodb.PutItemInput{
		TableName: aws.String(modelTable), Item: toItem(it), ReturnValues: types.ReturnValueAllOld,
		ConditionExpression: e.condition(c), ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	}
	out, err := h.db.PutItem(t.Context(), in)
	old, want := h.model.Put(it, c)
	sameOutcome(t, err, want)
	if err == nil {
		same(t, "old item", out.Attributes, toItem(old))
	}
}

func (h *history) delete(t *rapid.T) {
	key, c := drawKey(t), drawCondition(t)
	var e expression
	out, err := h.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(modelTable), Key: toItem(key), ReturnValues: types.ReturnValueAllOld,
		ConditionExpression: e.condition(c), ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	})
	old, want := h.model.Delete(key, c)
	sameOutcome(t, err, want)
	if err == nil {
		same(t, "old item", out.Attributes, toItem(old))
	}
}

// update draws for each attribute what becomes of it. A sum or a copy only goes
// to attributes that are no index key, where its kind might be refused.
func (h *history) update(t *rapid.T) {
	key, c := drawKey(t), drawCondition(t)
	ch := model.Change{Set: map[string]any{}, Copy: map[string]string{}, Add: map[string]int{}}
	var e expression
	sections := map[string][]string{}
	for _, name := range []string{"a", "b", "c", "d"} {
		what := rapid.SampledFrom([]string{"keep", "set", "remove", "add", "copy"}).Draw(t, "what becomes of "+name)
		if name == "b" && (what == "add" || what == "copy") || name == "a" && what == "copy" {
			what = "keep"
		}
		switch what {
		case "set":
			ch.Set[name] = drawValue(t, name)
			sections["SET"] = append(sections["SET"], e.name(name)+" = "+e.value(ch.Set[name]))
		case "copy":
			ch.Copy[name] = rapid.SampledFrom([]string{"a", "b", "c", "d", "pk"}).Draw(t, "source")
			sections["SET"] = append(sections["SET"], e.name(name)+" = "+e.name(ch.Copy[name]))
		case "add":
			ch.Add[name] = ints.Draw(t, "more")
			sections["ADD"] = append(sections["ADD"], e.name(name)+" "+e.value(ch.Add[name]))
		case "remove":
			ch.Remove = append(ch.Remove, name)
			sections["REMOVE"] = append(sections["REMOVE"], e.name(name))
		}
	}
	if len(sections) == 0 {
		return
	}
	text := ""
	for _, s := range slices.Sorted(maps.Keys(sections)) {
		text += " " + s + " " + strings.Join(sections[s], ", ")
	}
	out, err := h.db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(modelTable), Key: toItem(key), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression: aws.String(text), ConditionExpression: e.condition(c),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	})
	image, want := h.model.Update(key, ch, c)
	sameOutcome(t, err, want)
	if err == nil {
		same(t, "new item", out.Attributes, toItem(image))
	}
}

func (h *history) get(t *rapid.T) {
	key := drawKey(t)
	out, err := h.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(modelTable), Key: toItem(key)})
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	same(t, "item", out.Item, toItem(h.model.Get(key)))
}

// indexKeys tells the names of the keys of the table and of each index.
var indexKeys = map[string]struct{ hash, sort string }{
	"": {"pk", "sk"}, "local": {"pk", "a"}, "all": {"b", "a"}, "keys": {"a", "b"}, "turned": {"b", "pk"},
}

func drawKeyValue(t *rapid.T, name string) any {
	switch name {
	case "pk":
		return pks.Draw(t, name)
	case "sk":
		return sks.Draw(t, name)
	}
	return drawValue(t, name)
}

func indexOrTable(name string) *string {
	if name == "" {
		return nil
	}
	return aws.String(name)
}

// maybeLimit draws a page size, nil for none.
func maybeLimit(t *rapid.T) *int32 {
	if n := rapid.IntRange(0, 4).Draw(t, "limit"); n > 0 {
		return aws.Int32(int32(n))
	}
	return nil
}

func (h *history) query(t *rapid.T) {
	name := rapid.SampledFrom([]string{"", "local", "all", "keys", "turned"}).Draw(t, "index")
	keys := indexKeys[name]
	partition := drawKeyValue(t, keys.hash)
	r := model.Range{Op: rapid.SampledFrom([]string{"", "=", "<", "<=", ">", ">=", "between", "begins"}).Draw(t, "operator")}
	var e expression
	text := e.name(keys.hash) + " = " + e.value(partition)
	if r.Op != "" {
		r.Low = drawKeyValue(t, keys.sort)
		_, isString := r.Low.(string)
		switch r.Op {
		case "between":
			r.High = drawKeyValue(t, keys.sort)
			if (model.Range{Op: ">", Low: r.High}).Holds(r.Low) {
				r.Low, r.High = r.High, r.Low
			}
			text += " AND " + e.name(keys.sort) + " BETWEEN " + e.value(r.Low) + " AND " + e.value(r.High)
		case "begins":
			if !isString {
				return
			}
			text += " AND begins_with(" + e.name(keys.sort) + ", " + e.value(r.Low) + ")"
		default:
			text += " AND " + e.name(keys.sort) + " " + r.Op + " " + e.value(r.Low)
		}
	}
	backward := rapid.Bool().Draw(t, "backward")
	in := &dynamodb.QueryInput{
		TableName: aws.String(modelTable), IndexName: indexOrTable(name), KeyConditionExpression: aws.String(text),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ScanIndexForward: aws.Bool(!backward), Limit: maybeLimit(t),
	}
	want := h.model.Query(name, partition, r, backward)
	same(t, "query", h.pages(t, len(want), func(start item) (page, error) {
		in.ExclusiveStartKey = start
		out, err := h.db.Query(t.Context(), in)
		if err != nil {
			return page{}, err
		}
		return page{out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey}, nil
	}, in.Limit), toItems(want))
}

// page is what Query and Scan have in common.
type page struct {
	items          []item
	count, scanned int32
	last           item
}

// pages reads all pages; there are no more than it takes to read n items.
func (h *history) pages(t *rapid.T, n int, read func(start item) (page, error), limit *int32) []item {
	all := []item{}
	var start item
	for calls := 0; ; calls++ {
		p, err := read(start)
		if err != nil {
			t.Fatalf("page %d: %v", calls, err)
		}
		if int(p.count) != len(p.items) || p.scanned != p.count {
			t.Fatalf("page of %d items says count %d, scanned %d", len(p.items), p.count, p.scanned)
		}
		if limit != nil && p.count > *limit {
			t.Fatalf("page of %d items, limit %d", p.count, *limit)
		}
		all = append(all, p.items...)
		if start = p.last; start == nil {
			return all
		}
		if calls > n {
			t.Fatalf("still pages after %d calls for %d items", calls, n)
		}
	}
}

func (h *history) scan(t *rapid.T) {
	name := rapid.SampledFrom([]string{"", "local", "all", "keys", "turned"}).Draw(t, "index")
	in := &dynamodb.ScanInput{TableName: aws.String(modelTable), IndexName: indexOrTable(name), Limit: maybeLimit(t)}
	want := toItems(h.model.Scan(name))
	segments := rapid.SampledFrom([]int32{0, 1, 2, 5}).Draw(t, "segments")
	got := []item{}
	for s := range max(1, segments) {
		if segments > 0 {
			in.Segment, in.TotalSegments = aws.Int32(s), aws.Int32(segments)
		}
		got = append(got, h.pages(t, len(want), func(start item) (page, error) {
			in.ExclusiveStartKey = start
			out, err := h.db.Scan(t.Context(), in)
			if err != nil {
				return page{}, err
			}
			return page{out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey}, nil
		}, in.Limit)...)
	}
	order := func(items []item) []item {
		slices.SortFunc(items, func(a, b item) int { return strings.Compare(keyText(a), keyText(b)) })
		return items
	}
	same(t, "scan", order(got), order(want))
}

func keyText(i item) string {
	return fmt.Sprint(i["pk"].(*types.AttributeValueMemberS).Value, "|", i["sk"].(*types.AttributeValueMemberN).Value)
}
