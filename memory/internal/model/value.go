package model

import (
	"bytes"
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Value is a value, nil for none.
type Value = types.AttributeValue

// Item is an item or key, nil for none. Nothing in the model changes an item that
// it was given or has returned.
type Item = map[string]Value

// Kind returns the name of a value's kind, "" for no value.
func Kind(v Value) string {
	switch v.(type) {
	case *types.AttributeValueMemberS:
		return "S"
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberB:
		return "B"
	case *types.AttributeValueMemberBOOL:
		return "BOOL"
	case *types.AttributeValueMemberNULL:
		return "NULL"
	case *types.AttributeValueMemberSS:
		return "SS"
	case *types.AttributeValueMemberNS:
		return "NS"
	case *types.AttributeValueMemberBS:
		return "BS"
	case *types.AttributeValueMemberL:
		return "L"
	case *types.AttributeValueMemberM:
		return "M"
	}
	return ""
}

// Equal reports whether two values are equal: numbers by value, sets without
// regard to order. No value equals none.
func Equal(a, b Value) bool {
	if Kind(a) != Kind(b) {
		return false
	}
	switch a := a.(type) {
	case *types.AttributeValueMemberL:
		return slices.EqualFunc(a.Value, list(b), Equal)
	case *types.AttributeValueMemberM:
		return EqualItems(a.Value, mapping(b))
	case *types.AttributeValueMemberBOOL:
		return a.Value == b.(*types.AttributeValueMemberBOOL).Value
	case *types.AttributeValueMemberNULL, nil:
		return true
	}
	if ms := members(a); ms != nil {
		return len(ms) == len(members(b)) && !slices.ContainsFunc(ms, func(m Value) bool { return !has(b, m) })
	}
	order, _ := compare(a, b)
	return order == 0
}

// EqualItems reports whether two items have equal attributes.
func EqualItems(a, b Item) bool { return maps.EqualFunc(a, b, Equal) }

// compare orders two strings, two numbers or two binaries.
func compare(a, b Value) (order int, ok bool) {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		if b, ok := b.(*types.AttributeValueMemberS); ok {
			return cmp.Compare(a.Value, b.Value), true
		}
	case *types.AttributeValueMemberB:
		if b, ok := b.(*types.AttributeValueMemberB); ok {
			return bytes.Compare(a.Value, b.Value), true
		}
	case *types.AttributeValueMemberN:
		if b, ok := b.(*types.AttributeValueMemberN); ok {
			if a.Value == b.Value {
				return 0, true
			}
			return number(a).Cmp(number(b)), true
		}
	}
	return 0, false
}

func number(v Value) *big.Rat {
	text := v.(*types.AttributeValueMemberN).Value
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return big.NewRat(n, 1)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("the model was given what is no number")
	}
	return r
}

func newNumber(r *big.Rat) Value {
	text := r.Num().String()
	if !r.IsInt() {
		text = strings.TrimRight(r.FloatString(130), "0")
	}
	return &types.AttributeValueMemberN{Value: text}
}

// list returns the elements of an L, nil of another value.
func list(v Value) []Value {
	if l, ok := v.(*types.AttributeValueMemberL); ok {
		return l.Value
	}
	return nil
}

// mapping returns the entries of an M, nil of another value.
func mapping(v Value) Item {
	if m, ok := v.(*types.AttributeValueMemberM); ok {
		return m.Value
	}
	return nil
}

// members returns the members of a set, nil of another value.
func members(v Value) []Value {
	var out []Value
	switch v := v.(type) {
	case *types.AttributeValueMemberSS:
		for _, m := range v.Value {
			out = append(out, &types.AttributeValueMemberS{Value: m})
		}
	case *types.AttributeValueMemberNS:
		for _, m := range v.Value {
			out = append(out, &types.AttributeValueMemberN{Value: m})
		}
	case *types.AttributeValueMemberBS:
		for _, m := range v.Value {
			out = append(out, &types.AttributeValueMemberB{Value: m})
		}
	}
	return out
}

// newSet makes a set of a kind; there are no empty sets.
func newSet(kind string, ms []Value) Value {
	if len(ms) == 0 {
		return nil
	}
	switch kind {
	case "SS":
		v := &types.AttributeValueMemberSS{}
		for _, m := range ms {
			v.Value = append(v.Value, m.(*types.AttributeValueMemberS).Value)
		}
		return v
	case "NS":
		v := &types.AttributeValueMemberNS{}
		for _, m := range ms {
			v.Value = append(v.Value, m.(*types.AttributeValueMemberN).Value)
		}
		return v
	}
	v := &types.AttributeValueMemberBS{}
	for _, m := range ms {
		v.Value = append(v.Value, m.(*types.AttributeValueMemberB).Value)
	}
	return v
}

// has reports whether a set has a member.
func has(set, m Value) bool {
	return slices.ContainsFunc(members(set), func(x Value) bool { return Equal(x, m) })
}

// contains is the function of that name.
func contains(v, w Value) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		w, ok := w.(*types.AttributeValueMemberS)
		return ok && strings.Contains(v.Value, w.Value)
	case *types.AttributeValueMemberB:
		w, ok := w.(*types.AttributeValueMemberB)
		return ok && bytes.Contains(v.Value, w.Value)
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, func(e Value) bool { return Equal(e, w) })
	}
	return has(v, w)
}

// beginsWith is the function begins_with.
func beginsWith(v, w Value) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		w, ok := w.(*types.AttributeValueMemberS)
		return ok && strings.HasPrefix(v.Value, w.Value)
	case *types.AttributeValueMemberB:
		w, ok := w.(*types.AttributeValueMemberB)
		return ok && bytes.HasPrefix(v.Value, w.Value)
	}
	return false
}

// sizeOf is the function size, nil for values that have none.
func sizeOf(v Value) Value {
	var n int
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		n = len(utf16.Encode([]rune(v.Value)))
	case *types.AttributeValueMemberB:
		n = len(v.Value)
	case *types.AttributeValueMemberL:
		n = len(v.Value)
	case *types.AttributeValueMemberM:
		n = len(v.Value)
	default:
		if n = len(members(v)); n == 0 {
			return nil
		}
	}
	return newNumber(new(big.Rat).SetInt64(int64(n)))
}

// bytesOf is how much a value counts towards the size of an item.
func bytesOf(v Value) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberBytes(number(v))
	case *types.AttributeValueMemberL:
		n := 3
		for _, e := range v.Value {
			n += 1 + bytesOf(e)
		}
		return n
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + Size(v.Value)
	}
	if ms := members(v); ms != nil {
		n := 0
		for _, m := range ms {
			n += bytesOf(m)
		}
		return n
	}
	return 1 // BOOL and NULL
}

// Size returns the size of an item.
func Size(item Item) int {
	n := 0
	for name, v := range item {
		n += len(name) + bytesOf(v)
	}
	return n
}

func numberBytes(r *big.Rat) int {
	if r.Sign() == 0 {
		return 1
	}
	text := new(big.Rat).Abs(r).FloatString(130)
	if r.IsInt() {
		text = new(big.Int).Abs(r.Num()).String()
	}
	whole, fraction, _ := strings.Cut(text, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if fraction == "" {
		whole = strings.TrimRight(whole, "0")
	}
	if whole == "" {
		fraction = strings.TrimLeft(fraction, "0")
	}
	n := 1 + (len(whole)+1)/2 + (len(fraction)+1)/2
	if r.Sign() < 0 {
		n++
	}
	return n
}
