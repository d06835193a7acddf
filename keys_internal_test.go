package ddb

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTagWords asserts that a tag is read word by word, so that nothing in it
// goes unseen.
func TestTagWords(t *testing.T) {
	t.Parallel()
	got, err := tagWords(`name:"Order"  pk:"USER#{ID}" other:""`)
	want := [][2]string{{"name", "Order"}, {"pk", "USER#{ID}"}, {"other", ""}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	for _, tag := range []string{`pk:USER`, `pk:"USER`, `pk "USER"`, `pk:"A" , sk:"B"`, `"`} {
		if _, err := tagWords(tag); err == nil || !strings.Contains(err.Error(), "not a row of word") {
			t.Errorf("%s: got %v, want a fault", tag, err)
		}
	}
}

type keyed struct {
	A    string
	N    int
	Neg  int
	Down int
	At   time.Time
	B    string
}

func compileFor[T any](t testing.TB, source string, sorted bool) *keyTemplate {
	t.Helper()
	plan := newStructPlan(reflect.TypeFor[T](), func(tag, problem string) { t.Errorf("%s: %s", tag, problem) })
	return compileTemplate(source, plan, '#', sorted, func(problem string) { t.Errorf("%s: %s", source, problem) })
}

const everyFormat = "X#{A}#{N:04}#{Neg:+03}#{Down:desc:+03}#{At}#{B}"

func drawKeyed(t *rapid.T, name string) keyed {
	text := rapid.OneOf(rapid.StringMatching(`[a-c$~é]{1,3}`), rapid.SampledFrom([]string{"a", "aa", "a$", "a~", "b"}))
	return keyed{
		A:    text.Draw(t, name+".A"),
		N:    rapid.IntRange(0, 12).Draw(t, name+".N"),
		Neg:  rapid.IntRange(-12, 12).Draw(t, name+".Neg"),
		Down: rapid.IntRange(-12, 12).Draw(t, name+".Down"),
		At:   time.Unix(rapid.Int64Range(1_700_000_000, 1_700_000_002).Draw(t, name+".At"), rapid.SampledFrom([]int64{0, 1, 120_000_000, 991_000_000}).Draw(t, name+".ns")).UTC(),
		B:    text.Draw(t, name+".B"),
	}
}

func renderKeyed(t *rapid.T, tmpl *keyTemplate, k keyed) string {
	key, err := tmpl.render(valuesOf(reflect.ValueOf(k)), -1)
	if err != nil {
		t.Fatalf("%+v: %v", k, err)
	}
	return key
}

// TestKeysSortAsValues asserts that keys compare by bytes as their fields do
// from left to right, and so that distinct fields never share a key; and that a
// key reads back into the fields it was made of.
func TestKeysSortAsValues(t *testing.T) {
	t.Parallel()
	tmpl := compileFor[keyed](t, everyFormat, true)
	rapid.Check(t, func(t *rapid.T) {
		a := drawKeyed(t, "a")
		b := a
		other := drawKeyed(t, "b")
		for i := range reflect.TypeFor[keyed]().NumField() { // neighbours differ in few fields
			if rapid.IntRange(0, 3).Draw(t, "differ") == 0 {
				reflect.ValueOf(&b).Elem().Field(i).Set(reflect.ValueOf(other).Field(i))
			}
		}
		ka, kb := renderKeyed(t, tmpl, a), renderKeyed(t, tmpl, b)
		want := firstOf(
			strings.Compare(a.A, b.A), a.N-b.N, a.Neg-b.Neg, b.Down-a.Down, a.At.Compare(b.At), strings.Compare(a.B, b.B))
		if got := strings.Compare(ka, kb); got != want {
			t.Fatalf("%q against %q: got %d, want %d", ka, kb, got, want)
		}
		var back keyed
		if err := tmpl.parse(ka, reflect.ValueOf(&back).Elem()); err != nil || back != a {
			t.Fatalf("%q: got %+v and %v back, want %+v", ka, back, err, a)
		}
	})
}

// firstOf is the sign of the first difference.
func firstOf(differences ...int) int {
	for _, d := range differences {
		switch {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
	}
	return 0
}

// TestKeyValuesRefused asserts that each value that has no place in a key is
// refused with its reason.
func TestKeyValuesRefused(t *testing.T) {
	t.Parallel()
	good := keyed{A: "a", N: 1, At: time.Unix(1, 0), B: "b"}
	cases := []struct {
		name   string
		change func(*keyed)
		want   string
	}{
		{"empty", func(k *keyed) { k.A = "" }, "A is empty"},
		{"zero time", func(k *keyed) { k.At = time.Time{} }, "At is empty"},
		{"separator", func(k *keyed) { k.A = "a#b" }, "A holds the separator '#'"},
		{"separator at the end", func(k *keyed) { k.B = "b#" }, "B holds the separator '#'"},
		{"below the separator", func(k *keyed) { k.A = "a b" }, "A holds ' ', which sorts before"},
		{"greatest character", func(k *keyed) { k.B = "b\U0010FFFF" }, "B holds the character U+10FFFF"},
		{"broken text", func(k *keyed) { k.B = "\xff" }, "B is not valid UTF-8"},
		{"negative", func(k *keyed) { k.N = -1 }, "N is negative"},
		{"too wide", func(k *keyed) { k.N = 10_000 }, "N has more than 4 digits"},
		{"too low", func(k *keyed) { k.Neg = -1_000 }, "Neg has more than 3 digits"},
		{"year 10000", func(k *keyed) { k.At = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) }, "At has a year outside 1 to 9999"},
	}
	tmpl := compileFor[keyed](t, everyFormat, true)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := good
			c.change(&k)
			_, err := tmpl.render(valuesOf(reflect.ValueOf(k)), -1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a text with %q", err, c.want)
			}
		})
	}
	last := good
	last.B = "b c" // nothing follows, so that order holds
	if _, err := tmpl.render(valuesOf(reflect.ValueOf(last)), -1); err != nil {
		t.Error(err)
	}
}

// TestSpanSelectsByValue asserts that a range selects exactly the keys whose
// fields lie in it, whatever characters the neighbours have.
func TestSpanSelectsByValue(t *testing.T) {
	t.Parallel()
	type row struct{ P, Q, R string }
	tmpl := compileFor[row](t, "K#{P}#{Q}#{R}", true)
	word := rapid.OneOf(rapid.StringMatching(`[a-b$0é😀]{1,2}`), rapid.SampledFrom([]string{"1", "10", "100", "2"}))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) row {
			return row{word.Draw(t, name+".P"), word.Draw(t, name+".Q"), word.Draw(t, name+".R")}
		}
		item, lo, hi := draw("item"), draw("lo"), draw("hi")
		key := row{}
		from := 0 // parts fixed by the query's key
		if rapid.Bool().Draw(t, "fix P") {
			key.P, from = word.Draw(t, "key.P"), 1
			lo.P, hi.P = "", ""
		}
		trim := func(r row, name string) row {
			switch rapid.IntRange(1, 3-from).Draw(t, name) {
			case 1:
				if from == 0 {
					r.Q = ""
				}
				r.R = ""
			case 2:
				if from == 0 {
					r.R = ""
				}
			}
			return r
		}
		lo, hi = trim(lo, "parts of lo"), trim(hi, "parts of hi")
		loIn, hiIn := rapid.Bool().Draw(t, "from"), rapid.Bool().Draw(t, "until")
		got, err := tmpl.span(valuesOf(reflect.ValueOf(key)), window{lo: &bound{reflect.ValueOf(lo), loIn}, hi: &bound{reflect.ValueOf(hi), hiIn}})
		if errors.Is(err, ErrRange) {
			if reversed := under(lo, hi, key) > 0 || under(hi, lo, key) < 0; !reversed && loIn && hiIn {
				t.Fatalf("from %+v until %+v was refused: %v", lo, hi, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		full := "K#" + item.P + "#" + item.Q + "#" + item.R
		cl, ch := under(item, lo, key), under(item, hi, key)
		want := (key.P == "" || key.P == item.P) && (cl > 0 || cl == 0 && loIn) && (ch < 0 || ch == 0 && hiIn)
		if selects(got, full) != want {
			t.Fatalf("key %+v, from %+v (in %t), until %+v (in %t): %q selected %t by %s, want %t",
				key, lo, loIn, hi, hiIn, full, !want, got.op, want)
		}
	})
}

// under compares an item with a bound in the parts that the bound gives: 0 means
// that the item lies under the bound.
func under(item, b, key struct{ P, Q, R string }) int {
	if b.P == "" {
		b.P = key.P
	}
	for _, pair := range [][2]string{{item.P, b.P}, {item.Q, b.Q}, {item.R, b.R}} {
		if pair[1] == "" {
			return 0
		}
		if c := strings.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	return 0
}

// selects evaluates a sort condition on a key as the service does.
func selects(c sortCondition, key string) bool {
	s := func(v types.AttributeValue) string { return v.(*types.AttributeValueMemberS).Value }
	switch c.op {
	case "":
		return true
	case "=":
		return key == s(c.lo)
	case "begins_with":
		return strings.HasPrefix(key, s(c.lo))
	case ">=":
		return key >= s(c.lo)
	case "<=":
		return key <= s(c.hi)
	}
	return key >= s(c.lo) && key <= s(c.hi)
}

// TestMeet asserts that the check for keys that meet is exact, against texts
// made from the templates.
func TestMeet(t *testing.T) {
	t.Parallel()
	type row struct {
		A, B string
		N    int
	}
	cases := []struct {
		a, b string
		want bool
	}{
		{"X#{A}", "X#{B}", true},
		{"X#{A}", "Y#{B}", false},
		{"X#{A}", "X#{A}#{B}", false},
		{"X#{A}", "X#FIXED", true},
		{"X#{A}", "X#FIX#ED", false},
		{"X#{N:03}", "X#12", false},
		{"X#{N:03}", "X#123", true},
		{"X#{N:03}", "X#{A}", true},
		{"X#{N:+02}", "X#n99", true},
		{"X#{N:+02}", "X#m99", false},
		{"{A}#{B}", "X#Y", true},
		{"{A}#{B}", "X", false},
		{"X", "X", true},
		{"X", "XY", false},
	}
	for _, c := range cases {
		a, b := compileFor[row](t, c.a, false), compileFor[row](t, c.b, false)
		if got := meet(a.shape(), b.shape()); got != c.want {
			t.Errorf("%s and %s: got %t, want %t", c.a, c.b, got, c.want)
		}
		if got := meet(b.shape(), a.shape()); got != c.want {
			t.Errorf("%s and %s: got %t, want %t", c.b, c.a, got, c.want)
		}
	}
}
