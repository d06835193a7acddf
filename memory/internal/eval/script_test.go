package eval_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/expr/script"
)

// nothingElse is what Plan has to check besides.
func nothingElse(eval.KeyAttribute) error { return nil }

func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, "testdata/*.script", func() script.Runner { return new(runner) })
}

// runner evaluates each case as an expression of the kind of the last
// directive, with those of the defined placeholders that the case mentions:
//
//	@names JSON, @values JSON, @item JSON   placeholders and the item from here on
//	@match                     whether a condition holds for the item
//	@filter, @condition        the same, with the parameter's name in errors
//	@project                   what a projection leaves of the item
//	@update                    the new image of the item
//	@touched                   what the update touched in the old and the new image
//	@plan pk:S | sk:N          the partition and the interval for that key
//
// Errors begin with an exclamation mark; two of them mark an error without a
// count in front.
type runner struct {
	mode       string
	names      map[string]string
	values     map[string]types.AttributeValue
	item       av.Map
	hash, sort []eval.KeyAttribute
}

func (r *runner) Directive(t *testing.T, word, rest string) {
	t.Helper()
	switch word {
	case "names":
		r.names = nil
		if err := json.Unmarshal([]byte(rest), &r.names); err != nil {
			t.Fatal(err)
		}
	case "values":
		r.values = values(t, rest)
	case "item":
		r.item = item(t, rest)
	case "plan":
		hash, sort, _ := strings.Cut(rest, "|")
		r.mode, r.hash, r.sort = word, key(t, hash), key(t, sort)
	case "match", "filter", "condition", "project", "update", "touched":
		r.mode = word
	default:
		t.Fatalf("unknown directive @%s", word)
	}
}

func (r *runner) Case(t *testing.T, input string) string {
	t.Helper()
	c, err := eval.Compile(r.request(input))
	if err != nil {
		return failure(t, err)
	}
	switch r.mode {
	case "match", "condition":
		return fmt.Sprint(c.Condition.Match(r.item))
	case "filter":
		return fmt.Sprint(c.Filter.Match(r.item))
	case "project":
		return show(c.Projection.Apply(r.item))
	case "plan":
		return r.plan(t, c.KeyCondition)
	}
	image, err := c.Update.Apply(r.item)
	if err != nil {
		return failure(t, err)
	}
	if r.mode == "touched" {
		return show(c.Update.Touched(r.item)) + " " + show(c.Update.Touched(image))
	}
	return show(image)
}

func (r *runner) plan(t *testing.T, k *eval.KeyCondition) string {
	t.Helper()
	got, err := k.Plan(r.hash, r.sort, nothingElse)
	if err != nil {
		return failure(t, err)
	}
	var out strings.Builder
	for _, v := range got.Partition {
		out.WriteString(v.Print())
	}
	if got.HasSort {
		fmt.Fprintf(&out, " [%x, %x)", got.Low, got.High)
	}
	return out.String()
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// request holds the case's expression and the placeholders in it.
func (r *runner) request(input string) eval.Request {
	var q eval.Request
	for _, key := range placeholder.FindAllString(input, -1) {
		if name, ok := r.names[key]; ok {
			put(&q.Names, key, name)
		}
		if v, ok := r.values[key]; ok {
			put(&q.Values, key, v)
		}
	}
	switch r.mode {
	case "match", "condition":
		q.Condition = &input
	case "filter":
		q.Filter = &input
	case "project":
		q.Projection = &input
	case "plan":
		q.KeyCondition = &input
	default:
		q.Update = &input
	}
	return q
}

func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[key] = v
}

func failure(t *testing.T, err error) string {
	t.Helper()
	e, ok := err.(*eval.Error)
	if !ok {
		t.Fatalf("error is a %T, want *eval.Error", err)
	}
	if e.Counted {
		return "! " + e.Text
	}
	return "!! " + e.Text
}

// show prints an image as the service prints maps.
func show(m av.Map) string {
	return strings.TrimSuffix(strings.TrimPrefix(av.MapOf(m).Print(), "{M:"), "}")
}

// key reads a list of attributes such as "pk:S sk:N".
func key(t *testing.T, text string) []eval.KeyAttribute {
	t.Helper()
	var attributes []eval.KeyAttribute
	for _, field := range strings.Fields(text) {
		name, kindName, _ := strings.Cut(field, ":")
		kind, ok := av.KindOf(kindName)
		if !ok {
			t.Fatalf("no kind in %q", field)
		}
		attributes = append(attributes, eval.KeyAttribute{Name: name, Kind: kind})
	}
	return attributes
}

// item reads an item in the JSON form of the wire.
func item(t *testing.T, text string) av.Map {
	t.Helper()
	m, err := av.MapFromSDK(values(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func values(t *testing.T, text string) map[string]types.AttributeValue {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out := make(map[string]types.AttributeValue)
	for name, v := range raw {
		out[name] = value(t, v)
	}
	return out
}

// value reads one value in the JSON form of the wire.
func value(t *testing.T, raw json.RawMessage) types.AttributeValue {
	t.Helper()
	var v struct {
		S, N, B    *string
		BOOL, NULL *bool
		SS, NS, BS []string
		L          *[]json.RawMessage
		M          map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	switch {
	case v.S != nil:
		return &types.AttributeValueMemberS{Value: *v.S}
	case v.N != nil:
		return &types.AttributeValueMemberN{Value: *v.N}
	case v.B != nil:
		return &types.AttributeValueMemberB{Value: blob(t, *v.B)}
	case v.BOOL != nil:
		return &types.AttributeValueMemberBOOL{Value: *v.BOOL}
	case v.NULL != nil:
		return &types.AttributeValueMemberNULL{Value: *v.NULL}
	case v.SS != nil:
		return &types.AttributeValueMemberSS{Value: v.SS}
	case v.NS != nil:
		return &types.AttributeValueMemberNS{Value: v.NS}
	case v.BS != nil:
		set := &types.AttributeValueMemberBS{}
		for _, s := range v.BS {
			set.Value = append(set.Value, blob(t, s))
		}
		return set
	case v.L != nil:
		list := &types.AttributeValueMemberL{}
		for _, e := range *v.L {
			list.Value = append(list.Value, value(t, e))
		}
		return list
	}
	m := &types.AttributeValueMemberM{Value: make(map[string]types.AttributeValue)}
	for name, e := range v.M {
		m.Value[name] = value(t, e)
	}
	return m
}

func blob(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
