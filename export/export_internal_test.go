package export

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func everyKind() map[string]types.AttributeValue {
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	return map[string]types.AttributeValue{
		"姓名": s("张三 <&>"), "empty": s(""),
		"n":  &types.AttributeValueMemberN{Value: "-12345678901234567890123456789012345678"},
		"b":  &types.AttributeValueMemberB{Value: []byte{0, 255}},
		"t":  &types.AttributeValueMemberBOOL{Value: true},
		"f":  &types.AttributeValueMemberBOOL{},
		"z":  &types.AttributeValueMemberNULL{Value: true},
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", ""}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"l":  &types.AttributeValueMemberL{Value: []types.AttributeValue{s("x"), &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}},
		"m":  &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a.b": s("y")}},
	}
}

var sdkTypes = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberL{},
	types.AttributeValueMemberM{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	var plain bytes.Buffer
	w := NewWriter(&plain)
	for range 2 {
		if err := w.Write(everyKind()); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(plain.String(), `"姓名":{"S":"张三 <&>"}`) {
		t.Errorf("got %s, want text as it is", plain.String())
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(append([]byte("\n  \n"), plain.Bytes()...)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"plain": plain.Bytes(), "packed": packed.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		for line, err := range ReadFile(path) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if diff := cmp.Diff(everyKind(), line.Item, sdkTypes); diff != "" {
				t.Errorf("%s (-written +read):\n%s", name, diff)
			}
		}
		if n != 2 {
			t.Errorf("%s: got %d items, want 2", name, n)
		}
	}
}

func TestBadLines(t *testing.T) {
	t.Parallel()
	cases := []struct{ line, want string }{
		{`{"Item":{"a":{"S":"x"}}`, "unexpected end of JSON"},
		{`[]`, "cannot unmarshal"},
		{`{"a":{"S":"x"}}`, `one member, "Item"`},
		{`{"Item":{}}`, "the item is empty"},
		{`{"Item":{"a":"x"}}`, `attribute a: a value is an object`},
		{`{"Item":{"a":{}}}`, "has one type"},
		{`{"Item":{"a":{"S":"x","N":"1"}}}`, "has one type"},
		{`{"Item":{"a":{"X":"x"}}}`, "type X: unknown"},
		{`{"Item":{"a":{"S":null}}}`, "type S: null"},
		{`{"Item":{"a":{"N":1}}}`, "type N: "},
		{`{"Item":{"a":{"N":"one"}}}`, `type N: "one" is no number`},
		{`{"Item":{"a":{"NS":["1","x"]}}}`, `"x" is no number`},
		{`{"Item":{"a":{"B":"%"}}}`, "type B: "},
		{`{"Item":{"a":{"L":[{"S":"x"},{"Q":1}]}}}`, "type Q: unknown"},
		{`{"Item":{"a":{"M":{"b":{"BOOL":"yes"}}}}}`, "attribute b: type BOOL"},
		{`{"Item":{"a":{"SS":["x",null]}}}`, "type SS: null"},
		{`{"Item":{"a":{"BS":[null]}}}`, "type BS: null"},
		{"{\"Item\":{\"a\":{\"S\":\"\xc4\xe3\"}}}", "not valid UTF-8"}, // 你 in GBK
		{strings.Repeat("x", maxLine), "longer than any item"},
	}
	for _, c := range cases {
		good := `{"Item":{"a":{"S":"x"}}}`
		n := 0
		var err error
		for _, err = range Read("items.json", strings.NewReader(good+"\n\n"+c.line+"\n"+good)) {
			n++
		}
		var at *LineError
		if n != 2 || !errors.As(err, &at) || at.Line != 3 || !strings.HasPrefix(err.Error(), "items.json:3: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.50s: got %v after %d lines, want one at line 3 with %q", c.line, err, n-1, c.want)
		}
	}
}

// TestBadItems promises that nothing is written that would be read as something
// else, or not at all.
func TestBadItems(t *testing.T) {
	t.Parallel()
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	var none *types.AttributeValueMemberM
	for _, c := range []struct {
		name string
		item map[string]types.AttributeValue
		want string
	}{
		{"no attributes", nil, "the item is empty"},
		{"text", map[string]types.AttributeValue{"a": s("\xff")}, "attribute a: text that is not valid UTF-8"},
		{"name", map[string]types.AttributeValue{"\xff": s("x")}, "not valid UTF-8"},
		{"text in a set", map[string]types.AttributeValue{"a": &types.AttributeValueMemberSS{Value: []string{"x", "\xff"}}}, "not valid UTF-8"},
		{"text in a list", map[string]types.AttributeValue{"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("\xff")}}}, "not valid UTF-8"},
		{"number", map[string]types.AttributeValue{"a": &types.AttributeValueMemberN{Value: "one"}}, `"one" is no number`},
		{"number in a set", map[string]types.AttributeValue{"a": &types.AttributeValueMemberNS{Value: []string{"1", ""}}}, `"" is no number`},
		{"nil", map[string]types.AttributeValue{"a": nil}, "no attribute value"},
		{"nil pointer", map[string]types.AttributeValue{"a": none}, "no attribute value"},
	} {
		var out bytes.Buffer
		if err := NewWriter(&out).Write(c.item); err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: got %v and %q, want nothing but an error with %q", c.name, err, out.String(), c.want)
		}
	}
}

// TestNilMembers promises that members which are nil are written as the empty ones
// that they stand for.
func TestNilMembers(t *testing.T) {
	t.Parallel()
	line, err := Marshal(map[string]types.AttributeValue{
		"b": &types.AttributeValueMemberB{}, "bs": &types.AttributeValueMemberBS{Value: [][]byte{nil}},
		"ss": &types.AttributeValueMemberSS{}, "ns": &types.AttributeValueMemberNS{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(line), `{"Item":{"b":{"B":""},"bs":{"BS":[""]},"ns":{"NS":[]},"ss":{"SS":[]}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := Unmarshal(line); err != nil {
		t.Errorf("the line cannot be read: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for _, err := range ReadFile(filepath.Join(t.TempDir(), "none")) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want a missing file", err)
		}
	}
	for _, err := range Read("cut.gz", strings.NewReader("\x1f\x8b\x08cut")) {
		if err == nil || !strings.HasPrefix(err.Error(), "cut.gz: ") {
			t.Errorf("got %v, want an error that names the file", err)
		}
	}
	for range Read("empty", strings.NewReader("")) {
		t.Error("got an item of an empty file")
	}
}

func FuzzUnmarshal(f *testing.F) {
	line, err := Marshal(everyKind())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"Item":{"a":{"L":[{"M":{}}]}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		item, err := Unmarshal(line)
		if err != nil {
			return
		}
		again, err := Marshal(item)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		back, err := Unmarshal(again)
		if diff := cmp.Diff(item, back, sdkTypes, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%q: error %v, difference:\n%s", line, err, diff)
		}
	})
}
