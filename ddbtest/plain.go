package ddbtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// Attribute values that Go has no type of its own for.
type (
	// N is a number in its shortest form without an exponent: equal numbers are
	// equal texts.
	N string
	// SS is a set of strings, sorted.
	SS []string
	// NS is a set of numbers, sorted as texts.
	NS []N
	// BS is a set of binaries, sorted.
	BS [][]byte
	// Null is the value NULL.
	Null struct{}
)

// Plain returns an attribute value in the form that [Items] have: a string for S,
// []byte for B, a bool, [N], [SS], [NS], [BS], [Null], []any for a list,
// [Item] for a map, and nil for nothing.
func Plain(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return number(v.Value)
	case *types.AttributeValueMemberB:
		return v.Value
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberNULL:
		return Null{}
	case *types.AttributeValueMemberSS:
		return SS(slices.Sorted(slices.Values(v.Value)))
	case *types.AttributeValueMemberNS:
		set := make(NS, len(v.Value))
		for i, n := range v.Value {
			set[i] = number(n)
		}
		slices.Sort(set)
		return set
	case *types.AttributeValueMemberBS:
		return BS(slices.SortedFunc(slices.Values(v.Value), bytes.Compare))
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			list[i] = Plain(e)
		}
		return list
	case *types.AttributeValueMemberM:
		return plainItem(v.Value)
	}
	return nil
}

func plainItem(item map[string]types.AttributeValue) Item {
	plain := make(Item, len(item))
	for name, v := range item {
		plain[name] = Plain(v)
	}
	return plain
}

// Values lets cmp.Diff and cmp.Equal compare attribute values of the SDK's types
// by what they mean: numbers by value, sets without order.
//
//	diff := cmp.Diff(want, out.Item, ddbtest.Values())
func Values() cmp.Option { return cmp.Transformer("ddbtest.Plain", Plain) }

// mostDecimals is how many digits behind the point a number of DynamoDB can have:
// 38 digits down to 1E-130.
const mostDecimals = 130 + 37

// number returns the text of a number in the one form for its value. What is no
// number stays as it is.
func number(text string) N {
	r, ok := new(big.Rat).SetString(text)
	switch {
	case !ok:
		return N(text)
	case r.IsInt():
		return N(r.Num().String())
	}
	return N(strings.TrimRight(r.FloatString(mostDecimals), "0"))
}

// text shows a plain value on one line.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case N:
		return string(v)
	case []byte:
		return fmt.Sprintf("0x%x", v)
	case Null:
		return "NULL"
	case SS:
		return "SS" + row(v, strconv.Quote)
	case NS:
		return "NS" + row(v, func(n N) string { return string(n) })
	case BS:
		return "BS" + row(v, func(b []byte) string { return text(b) })
	case []any:
		return row(v, text)
	case Item:
		return textOfMap(v)
	}
	return fmt.Sprint(v)
}

func row[E any](elements []E, text func(E) string) string {
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = text(e)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func textOfMap(m Item) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, name+": "+text(m[name]))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
