package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// value draws an attribute value of any kind.
func value(depth int) *rapid.Generator[av.Value] {
	return rapid.Custom(func(t *rapid.T) av.Value {
		kinds := []av.Kind{av.S, av.N, av.B, av.BOOL, av.NULL, av.SS, av.NS, av.BS}
		if depth > 0 {
			kinds = append(kinds, av.L, av.M)
		}
		given := func() types.AttributeValue {
			some := rapid.SliceOfNDistinct(rapid.String(), 1, 3, rapid.ID)
			switch rapid.SampledFrom(kinds).Draw(t, "kind") {
			case av.S:
				return &types.AttributeValueMemberS{Value: rapid.String().Draw(t, "S")}
			case av.N:
				return &types.AttributeValueMemberN{Value: fmt.Sprint(rapid.Int().Draw(t, "N"))}
			case av.B:
				return &types.AttributeValueMemberB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "B")}
			case av.BOOL:
				return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "BOOL")}
			case av.NULL:
				return &types.AttributeValueMemberNULL{Value: true}
			case av.SS:
				return &types.AttributeValueMemberSS{Value: some.Draw(t, "SS")}
			case av.NS:
				return &types.AttributeValueMemberNS{Value: []string{"1", fmt.Sprint(rapid.IntMin(2).Draw(t, "NS"))}}
			case av.BS:
				var all [][]byte
				for _, s := range some.Draw(t, "BS") {
					all = append(all, []byte(s))
				}
				return &types.AttributeValueMemberBS{Value: all}
			case av.L:
				list := []types.AttributeValue{}
				for _, v := range rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "L") {
					list = append(list, v.SDK())
				}
				return &types.AttributeValueMemberL{Value: list}
			}
			return &types.AttributeValueMemberM{Value: item(depth-1).Draw(t, "M").SDK()}
		}()
		v, err := av.FromSDK(given)
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
}

func item(depth int) *rapid.Generator[av.Map] {
	return rapid.Custom(func(t *rapid.T) av.Map {
		var m av.Map
		for name, v := range rapid.MapOfN(rapid.String(), value(depth), 0, 40).Draw(t, "item") {
			m = m.With(name, v)
		}
		return m
	})
}

// TestStoredItems promises that items look the same on the wire whether they come
// as they are stored or in the SDK's types, and that a body with one is read back.
func TestStoredItems(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := item(2).Draw(t, "item")
		var stored, converted encoder
		stored.attributeMap(m.Stored())
		converted.attributeMap(m.SDK())
		if diff := cmp.Diff(string(stored.buf), string(converted.buf)); diff != "" {
			t.Fatalf("stored, converted (-got +want)\n%s", diff)
		}
		d := decoder{scanner: scanner{body: stored.buf}, names: new(names)}
		back, err := av.MapFromSDK(d.attributeMap(false))
		if err != nil || !d.end() || !av.EqualMaps(back, m) {
			t.Fatalf("%s is read as %v, %v", stored.buf, back, err)
		}
	})
}

// TestStrings promises that what stands for a text in JSON is the text, however
// its characters lie in groups of eight.
func TestStrings(t *testing.T) {
	t.Parallel()
	awkward := []string{"\"", "\\", "\x00", "\x1f", "\n", " ", "!", "#", "[", "]", "\x7f", "é", "€", "\U0001F600"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringMatching(`[ -~]{0,9}`))).Draw(t, "text"), "")
		var e encoder
		e.string(text)
		var got string
		if err := json.Unmarshal(e.buf, &got); err != nil || got != text {
			t.Fatalf("%q is written %s: %v", text, e.buf, err)
		}
	})
}

// TestNames promises that names are shared as long as there are few, and right in
// any case. It is not parallel, since it counts allocations.
func TestNames(t *testing.T) {
	var n names
	for i := range 2 * maxNames {
		for _, text := range []string{fmt.Sprint("name", i), strings.Repeat("x", maxNameBytes+i)} {
			if got := n.text([]byte(text)); got != text {
				t.Fatalf("%q for %q", got, text)
			}
		}
	}
	if got := len(*n.known.Load()); got != maxNames {
		t.Errorf("%d names are kept, want %d", got, maxNames)
	}
	name := []byte("name1")
	if got := testing.AllocsPerRun(100, func() { n.text(name) }); got != 0 {
		t.Errorf("%v allocations for a name that is known", got)
	}
}
