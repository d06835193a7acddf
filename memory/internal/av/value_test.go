package av_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

func TestKindNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"} {
		k, ok := av.KindOf(name)
		if !ok || k.String() != name {
			t.Errorf("KindOf(%q) = %v, %v", name, k, ok)
		}
	}
	for _, name := range []string{"", "s", "DOG"} {
		if k, ok := av.KindOf(name); ok || k != av.None {
			t.Errorf("KindOf(%q) = %v, %v, want no kind", name, k, ok)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b types.AttributeValue
		want bool
	}{
		{"numbers by value", sdkN("1"), sdkN("1.0"), true},
		{"numbers", sdkN("1"), sdkN("2"), false},
		{"a number is no string", sdkN("1"), sdkS("1"), false},
		{"a string is no binary", sdkS("a"), sdkB("a"), false},
		{"booleans", sdkBOOL(true), sdkBOOL(true), true},
		{"booleans that differ", sdkBOOL(true), sdkBOOL(false), false},
		{"nulls", sdkNULL(), sdkNULL(), true},
		{"sets without order", sdkSS("a", "b"), sdkSS("b", "a"), true},
		{"sets that differ", sdkSS("a", "b"), sdkSS("a"), false},
		{"number sets by value", sdkNS("1", "2"), sdkNS("2.0", "1e0"), true},
		{"sets of two kinds", sdkSS("1"), sdkNS("1"), false},
		{"lists by order", sdkL(sdkS("a"), sdkS("b")), sdkL(sdkS("b"), sdkS("a")), false},
		{"lists", sdkL(sdkS("a"), sdkN("1")), sdkL(sdkS("a"), sdkN("1.0")), true},
		{"a longer list", sdkL(sdkS("a")), sdkL(sdkS("a"), sdkS("a")), false},
		{"maps", sdkM(sdkMap{"a": sdkN("1"), "b": sdkS("x")}), sdkM(sdkMap{"b": sdkS("x"), "a": sdkN("1.0")}), true},
		{"maps with other names", sdkM(sdkMap{"a": sdkN("1")}), sdkM(sdkMap{"b": sdkN("1")}), false},
		{"maps with other values", sdkM(sdkMap{"a": sdkN("1")}), sdkM(sdkMap{"a": sdkN("2")}), false},
		{"an empty list is no empty map", sdkL(), sdkM(sdkMap{}), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := value(t, tt.a), value(t, tt.b)
			if got := av.Equal(a, b); got != tt.want {
				t.Errorf("Equal(%s, %s) = %v, want %v", a.Print(), b.Print(), got, tt.want)
			}
			if got := av.Equal(b, a); got != tt.want {
				t.Errorf("Equal(%s, %s) = %v, want %v", b.Print(), a.Print(), got, tt.want)
			}
		})
	}
}

func TestCompareNeedsOneScalarKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b types.AttributeValue
		want int
		ok   bool
	}{
		{"strings by bytes", sdkS("Z"), sdkS("a"), -1, true},
		{"a prefix is less", sdkS("ab"), sdkS("a"), 1, true},
		{"binary unsigned", sdkB("\x7f"), sdkB("\x80"), -1, true},
		{"numbers by value", sdkN("10"), sdkN("9"), 1, true},
		{"negative numbers", sdkN("-10"), sdkN("-9"), -1, true},
		{"two kinds", sdkS("1"), sdkN("1"), 0, false},
		{"booleans", sdkBOOL(false), sdkBOOL(true), 0, false},
		{"sets", sdkSS("a"), sdkSS("b"), 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := av.Compare(value(t, tt.a), value(t, tt.b)); got != tt.want || ok != tt.ok {
				t.Errorf("Compare = %d, %v, want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestSizeAndLen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		v    types.AttributeValue
		size int
		len  int // -1: no length
	}{
		{"ASCII", sdkS("abc"), 3, 3},
		{"UTF-8 for the size, UTF-16 for the length", sdkS("é😀"), 6, 3},
		{"empty string", sdkS(""), 0, 0},
		{"raw bytes", sdkB("\x00\x01\x02\x03"), 4, 4},
		{"number", sdkN("123456"), 4, -1},
		{"boolean", sdkBOOL(false), 1, -1},
		{"null", sdkNULL(), 1, -1},
		{"string set", sdkSS("a", "bcd"), 4, 2},
		{"binary set", sdkBS("a", ""), 1, 2},
		{"number set", sdkNS("0", "1", "-1"), 6, 3},
		{"empty list", sdkL(), 3, 0},
		{"list", sdkL(sdkS("ab"), sdkN("1")), 3 + 2 + 2 + 2, 2},
		{"empty map", sdkM(sdkMap{}), 3, 0},
		{"map", sdkM(sdkMap{"key": sdkS("ab"), "é": sdkBOOL(true)}), 3 + 2 + 3 + 2 + 2 + 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := value(t, tt.v)
			if got := v.Size(); got != tt.size {
				t.Errorf("Size() = %d, want %d", got, tt.size)
			}
			n, ok := v.Len()
			if !ok {
				n = -1
			}
			if n != tt.len {
				t.Errorf("Len() = %d, want %d", n, tt.len)
			}
		})
	}
}

func TestItemSizeHasNoConstantPart(t *testing.T) {
	t.Parallel()
	item, err := av.MapFromSDK(sdkMap{"pk": sdkS("abc"), "n": sdkN("0")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := item.Size(), 2+3+1+1; got != want {
		t.Errorf("Size() = %d, want %d", got, want)
	}
	if got := (av.Map{}).Size(); got != 0 {
		t.Errorf("size of the empty item = %d, want 0", got)
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		v    types.AttributeValue
		want string
	}{
		{sdkS("x"), "{S:x}"},
		{sdkN("5.0"), "{N:5}"},
		{sdkB("\x00"), "{B:AA==}"},
		{sdkBOOL(true), "{BOOL:true}"},
		{sdkBOOL(false), "{BOOL:false}"},
		{sdkNULL(), "{NULL:true}"},
		{sdkSS("b", "a"), "{SS:[a, b]}"},
		{sdkNS("10", "9"), "{NS:[9, 10]}"},
		{sdkL(), "{L:[]}"},
		{sdkL(sdkS("a"), sdkL(sdkN("1"))), "{L:[{S:a}, {L:[{N:1}]}]}"},
		{sdkM(sdkMap{}), "{M:{}}"},
		{sdkM(sdkMap{"b": sdkS("x"), "a": sdkN("1")}), "{M:{a={N:1}, b={S:x}}}"},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			if got := value(t, tt.v).Print(); got != tt.want {
				t.Errorf("Print() = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		v    types.AttributeValue
		want int
	}{
		{"scalar", sdkS("a"), 1},
		{"set", sdkSS("a"), 1},
		{"empty list", sdkL(), 1},
		{"list of scalars", sdkL(sdkS("a")), 2},
		{"deepest branch counts", sdkM(sdkMap{"a": sdkS("x"), "b": sdkL(sdkL(sdkS("y")))}), 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := value(t, tt.v).Depth(); got != tt.want {
				t.Errorf("Depth() = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		v, w types.AttributeValue
		want bool
	}{
		{"substring", sdkS("abc"), sdkS("bc"), true},
		{"no substring", sdkS("abc"), sdkS("cb"), false},
		{"binary in a string", sdkS("abc"), sdkB("b"), false},
		{"bytes", sdkB("abc"), sdkB("b"), true},
		{"member", sdkSS("a", "b"), sdkS("b"), true},
		{"no member", sdkSS("a", "b"), sdkS("c"), false},
		{"member by value", sdkNS("1", "2"), sdkN("2.0"), true},
		{"member of another kind", sdkNS("1"), sdkS("1"), false},
		{"binary member", sdkBS("\xff", "\x00"), sdkB("\xff"), true},
		{"element", sdkL(sdkS("a"), sdkL(sdkN("1"))), sdkL(sdkN("1.0")), true},
		{"no element", sdkL(sdkS("a")), sdkS("b"), false},
		{"a number contains nothing", sdkN("123"), sdkN("2"), false},
		{"a map contains nothing", sdkM(sdkMap{"a": sdkS("x")}), sdkS("x"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := value(t, tt.v).Contains(value(t, tt.w)); got != tt.want {
				t.Errorf("Contains = %v, want %v", got, tt.want)
			}
		})
	}
	if value(t, sdkSS("a")).Contains(av.Value{}) {
		t.Error("a set contains no value")
	}
}

func TestSetsAreSorted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		v    types.AttributeValue
		want string
	}{
		{sdkSS("b", "", "Z", "a"), "{SS:[, Z, a, b]}"},
		{sdkNS("10", "-2", "9", "0.5", "1e9"), "{NS:[-2, 0.5, 9, 10, 1000000000]}"},
		{sdkBS("\xff", "\x7f", ""), "{BS:[, fw==, /w==]}"},
	}
	for _, tt := range tests {
		if got := value(t, tt.v).Print(); got != tt.want {
			t.Errorf("Print() = %s, want %s", got, tt.want)
		}
	}
}

// Union and difference agree with the same operations on Go maps.
func TestUnionAndDifference(t *testing.T) {
	t.Parallel()
	for _, kind := range []av.Kind{av.SS, av.NS, av.BS} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				a, b := drawSet(t, kind), drawSet(t, kind)
				inB := map[string]bool{}
				for _, m := range texts(b) {
					inB[m] = true
				}
				var union, difference []string
				for _, m := range texts(a) {
					if !inB[m] {
						difference = append(difference, m)
					}
				}
				union = append(slices.Clone(difference), texts(b)...)
				got := av.Union(a, b)
				if diff := cmp.Diff(sorted(texts(got)), sorted(union)); diff != "" {
					t.Fatalf("union (-got +want):\n%s", diff)
				}
				if d := av.Difference(a, b); d.Exists() != (len(difference) > 0) || !slices.Equal(texts(d), difference) {
					t.Fatalf("difference of %s and %s = %s", a.Print(), b.Print(), d.Print())
				}
				if !slices.IsSortedFunc(got.Members(), func(x, y av.Value) int { c, _ := av.Compare(x, y); return c }) {
					t.Fatalf("union %s is not sorted", got.Print())
				}
			})
		})
	}
}

func drawSet(t *rapid.T, kind av.Kind) av.Value {
	members := set(t, kind, scalar(kind.Element()))
	var sdk types.AttributeValue
	switch kind {
	case av.NS:
		sdk = sdkNS(members...)
	case av.BS:
		sdk = sdkBS(members...)
	default:
		sdk = sdkSS(members...)
	}
	v, err := av.FromSDK(sdk)
	if err != nil {
		t.Fatalf("FromSDK: %v", err)
	}
	return v
}

func texts(set av.Value) []string {
	var out []string
	for _, m := range set.Members() {
		out = append(out, m.Text())
	}
	return out
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func TestMapGetAndWith(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := av.Map{}
		want := map[string]av.Value{}
		names := rapid.SliceOfN(rapid.StringMatching(`[a-e]{0,2}`), 0, 30).Draw(t, "names")
		for i, name := range names {
			v := av.Value{}
			if rapid.Bool().Draw(t, "set") {
				v = av.Num(av.Int(i))
			}
			before := slices.Clone(m)
			next := m.With(name, v)
			if !av.EqualMaps(m, before) {
				t.Fatalf("With(%q) changed its receiver", name)
			}
			m = next
			want[name] = v
			if !v.Exists() {
				delete(want, name)
			}
		}
		if len(m) != len(want) || !slices.IsSortedFunc(m, func(a, b av.Attr) int { return strings.Compare(a.Name, b.Name) }) {
			t.Fatalf("map is %v, want the attributes of %v in order", m, want)
		}
		for _, name := range append(names, "missing") {
			v, ok := want[name]
			if got := m.Get(name); !av.Equal(got, v) || m.Has(name) != ok {
				t.Fatalf("Get(%q) = %s, %v, want %s, %v", name, got.Print(), m.Has(name), v.Print(), ok)
			}
		}
	})
}
