package av_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// exact compares values of the SDK's types; they hold a marker field that has
// no content.
var exact = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{},
	types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
	types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
)

// A canonical value comes back as it went in, and both conversions copy.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.MapOfN(text(), sdkValue(3), 0, 6).Draw(t, "item")
		item, err := av.MapFromSDK(given)
		if err != nil {
			t.Fatalf("MapFromSDK: %v", err)
		}
		first := item.SDK()
		if diff := cmp.Diff(first, given, exact); diff != "" {
			t.Fatalf("round trip (-got +want):\n%s", diff)
		}
		scramble(given)
		if diff := cmp.Diff(item.SDK(), first, exact); diff != "" {
			t.Fatalf("the item shares memory with the request (-got +want):\n%s", diff)
		}
		keep := item.SDK()
		scramble(first)
		if diff := cmp.Diff(item.SDK(), keep, exact); diff != "" {
			t.Fatalf("the item shares memory with an earlier reply (-got +want):\n%s", diff)
		}
	})
}

// scramble overwrites everything that can be reached from m.
func scramble(m sdkMap) {
	for name, v := range m {
		scrambleValue(v)
		m[name] = sdkS("scrambled")
	}
	m["added"] = sdkS("scrambled")
}

func scrambleValue(v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		v.Value = "scrambled"
	case *types.AttributeValueMemberN:
		v.Value = "666"
	case *types.AttributeValueMemberB:
		clear(v.Value)
		v.Value = append(v.Value, 'x')
	case *types.AttributeValueMemberBOOL:
		v.Value = !v.Value
	case *types.AttributeValueMemberNULL:
		v.Value = false
	case *types.AttributeValueMemberSS:
		clear(v.Value)
	case *types.AttributeValueMemberNS:
		clear(v.Value)
	case *types.AttributeValueMemberBS:
		for _, b := range v.Value {
			clear(b)
		}
		clear(v.Value)
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			scrambleValue(e)
		}
		clear(v.Value)
		_ = append(v.Value, sdkS("scrambled"))
	case *types.AttributeValueMemberM:
		scramble(v.Value)
	}
}

func TestFromSDKFaults(t *testing.T) {
	t.Parallel()
	const (
		invalid = "One or more parameter values were invalid: "
		empty   = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
		many    = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	)
	manyKinds := func(number []byte) types.AttributeValue {
		return &types.UnknownUnionMember{Tag: av.ManyKinds, Value: number}
	}
	tests := []struct {
		name        string
		v           types.AttributeValue
		want, older string
		shape       bool
	}{
		{name: "empty string set", v: sdkSS(), want: invalid + "An string set  may not be empty"},
		{name: "empty number set", v: sdkNS(), want: invalid + "An number set  may not be empty"},
		{name: "empty binary set", v: sdkBS(), want: invalid + "Binary sets should not be empty"},
		{
			name: "duplicate string", v: sdkSS("b", "a", "b"),
			want:  invalid + `Input collection ["a", "b", "b"] contains duplicates.`,
			older: invalid + "Input collection [b, a, b] contains duplicates.",
		},
		{
			name: "duplicate empty string", v: sdkSS("", ""),
			want:  invalid + `Input collection ["", ""] contains duplicates.`,
			older: invalid + "Input collection [, ] contains duplicates.",
		},
		{
			name: "duplicate binary", v: sdkBS("\x00", "\xff", "\x00"),
			want:  invalid + `Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
			older: invalid + "Input collection [AA==, /w==, AA==]of type BS contains duplicates.",
		},
		{
			name: "duplicate number", v: sdkNS("1", "2", "1.0"),
			want:  invalid + "Input collection contains duplicates.",
			older: "Input collection contains duplicates",
		},
		{name: "faulty number before duplicates", v: sdkNS("1", "1", "x"), want: notNumber + ": x"},
		{name: "faulty number", v: sdkN("x"), want: notNumber + ": x"},
		{name: "null that is false", v: &types.AttributeValueMemberNULL{}, want: invalid + "Null attribute value types must have the value of true"},
		{name: "nil", v: nil, want: empty, shape: true},
		{name: "no kind", v: &types.UnknownUnionMember{Tag: "X"}, want: empty, shape: true},
		{name: "many kinds", v: manyKinds(nil), want: many, shape: true},
		{name: "many kinds, one a number", v: manyKinds([]byte("1")), want: many, shape: true},
		{name: "many kinds, one a faulty number", v: manyKinds([]byte("x")), want: notNumber + ": x"},
		{name: "many kinds, one an empty number", v: manyKinds([]byte{}), want: notNumber + ": ", older: notNumber},
		{name: "nil in a list", v: sdkL(sdkS("a"), nil), want: empty, shape: true},
		{name: "nil in a map", v: sdkM(sdkMap{"a": nil}), want: empty, shape: true},
		{name: "first fault by name", v: sdkM(sdkMap{"b": sdkN("b"), "a": sdkN("a"), "c": sdkN("c")}), want: notNumber + ": a"},
		{name: "first fault by index", v: sdkL(sdkN("1"), sdkN("b"), sdkN("a")), want: notNumber + ": b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.older == "" {
				tt.older = tt.want
			}
			v, err := av.FromSDK(tt.v)
			fault, ok := errors.AsType[*av.Error](err)
			if !ok {
				t.Fatalf("FromSDK = %s, %v, want an *av.Error", v.Print(), err)
			}
			got := av.Error{Text: fault.Text, Older: fault.Older, Shape: fault.Shape}
			if diff := cmp.Diff(got, av.Error{Text: tt.want, Older: tt.older, Shape: tt.shape}); diff != "" {
				t.Errorf("fault (-got +want):\n%s", diff)
			}
		})
	}
}

// A pointer to nothing is no value, and no panic.
func TestFromSDKTypedNil(t *testing.T) {
	t.Parallel()
	for _, v := range []types.AttributeValue{
		(*types.AttributeValueMemberS)(nil), (*types.AttributeValueMemberN)(nil), (*types.AttributeValueMemberB)(nil),
		(*types.AttributeValueMemberBOOL)(nil), (*types.AttributeValueMemberNULL)(nil),
		(*types.AttributeValueMemberSS)(nil), (*types.AttributeValueMemberNS)(nil), (*types.AttributeValueMemberBS)(nil),
		(*types.AttributeValueMemberL)(nil), (*types.AttributeValueMemberM)(nil), (*types.UnknownUnionMember)(nil),
	} {
		t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
			t.Parallel()
			_, err := av.FromSDK(v)
			fault, ok := errors.AsType[*av.Error](err)
			if !ok || !fault.Shape {
				t.Errorf("FromSDK(nil %T) = %v, want a shape fault", v, err)
			}
		})
	}
}

func TestFromSDKNilContents(t *testing.T) {
	t.Parallel()
	tests := []struct {
		v    types.AttributeValue
		want string
	}{
		{&types.AttributeValueMemberB{}, "{B:}"},
		{&types.AttributeValueMemberL{}, "{L:[]}"},
		{&types.AttributeValueMemberM{}, "{M:{}}"},
		{sdkBS("", "a"), "{BS:[, YQ==]}"},
	}
	for _, tt := range tests {
		if got := value(t, tt.v).Print(); got != tt.want {
			t.Errorf("FromSDK = %s, want %s", got, tt.want)
		}
	}
}

// A scalar may sit under 31 lists or maps, at the top level of an item none.
func TestNestingLimit(t *testing.T) {
	t.Parallel()
	wraps := map[string]func(types.AttributeValue) types.AttributeValue{
		"maps":  func(v types.AttributeValue) types.AttributeValue { return sdkM(sdkMap{"m": v}) },
		"lists": func(v types.AttributeValue) types.AttributeValue { return sdkL(v) },
	}
	for name, wrap := range wraps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := sdkS("leaf")
			for range limits.NestingLevels - 1 {
				v = wrap(v)
			}
			item, err := av.MapFromSDK(sdkMap{"a": v})
			if err != nil {
				t.Fatalf("31 levels around a scalar: %v", err)
			}
			if got := item.Get("a").Depth(); got != limits.NestingLevels {
				t.Errorf("Depth() = %d, want %d", got, limits.NestingLevels)
			}
			_, err = av.MapFromSDK(sdkMap{"a": wrap(v)})
			const want = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
			if err == nil || err.Error() != want {
				t.Errorf("32 levels around a scalar: %v, want %q", err, want)
			}
		})
	}
}

// benchItem has the shape of an order: mostly short strings and numbers, one
// list of maps, one set.
func benchItem() sdkMap {
	line := func(i int) types.AttributeValue {
		return sdkM(sdkMap{"sku": sdkS(fmt.Sprintf("SKU-%04d", i)), "qty": sdkN("2"), "price": sdkN("19.99")})
	}
	return sdkMap{
		"PK": sdkS("USER#12345"), "SK": sdkS("ORDER#2024-05-01#0001"),
		"GSI1PK": sdkS("STATUS#PENDING"), "GSI1SK": sdkS("2024-05-01#0001"),
		"entity": sdkS("Order"), "status": sdkS("PENDING"), "total": sdkN("199.9"), "version": sdkN("3"),
		"paid": sdkBOOL(false), "tags": sdkSS("gift", "express"), "lines": sdkL(line(1), line(2), line(3)),
	}
}

func BenchmarkMapFromSDK(b *testing.B) {
	item := benchItem()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := av.MapFromSDK(item); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMapSDK(b *testing.B) {
	item, err := av.MapFromSDK(benchItem())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		item.SDK()
	}
}
