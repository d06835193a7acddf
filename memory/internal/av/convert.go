package av

import (
	"iter"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// ManyKinds is the Tag of a [types.UnknownUnionMember] that stands for a value
// with more than one kind, which the SDK's own types cannot express. A decoder
// of the wire format uses it so that such a value meets the same check, in the
// same order, as every other. Its Value, unless nil, is the text of a number
// among the kinds: a faulty number is reported before the excess (observed).
const ManyKinds = "more than one kind"

// FromSDK returns v in canonical form, sharing no mutable memory with it. It
// fails with an [*Error] if the value is not one DynamoDB stores: a number out
// of range, an empty set or one with duplicates, a NULL of false, no kind, or
// nesting beyond [limits.NestingLevels].
func FromSDK(v types.AttributeValue) (Value, error) { return fromSDK(v, 1) }

// MapFromSDK returns an item in canonical form. Of several faulty attributes it
// reports the first by name. A fault's name is the attribute's.
func MapFromSDK(m map[string]types.AttributeValue) (Map, error) { return mapFromSDK(m, 1) }

func mapFromSDK(m map[string]types.AttributeValue, level int) (Map, error) {
	out := make(Map, len(m))
	i := 0
	for name, given := range Ascending(m) {
		v, err := fromSDK(given, level)
		if err != nil {
			return nil, err
		}
		out[i].Name, out[i].Value = name, v
		i++
	}
	return out, nil
}

// Ascending yields the attributes of m in the order of their names.
func Ascending(m map[string]types.AttributeValue) iter.Seq2[string, types.AttributeValue] {
	return func(yield func(string, types.AttributeValue) bool) { ascend(m, yield) }
}

func ascend(m map[string]types.AttributeValue, yield func(string, types.AttributeValue) bool) {
	// A few attributes are best put where they belong at once. They are here and not
	// in memory of the caller because the garbage collector has no interest in what
	// is written to the own stack.
	var few [32]struct {
		name  string
		value types.AttributeValue
	}
	if len(m) > len(few) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
		return
	}
	n := 0
	for name, v := range m {
		i := n
		for ; i > 0 && name < few[i-1].name; i-- {
			few[i] = few[i-1]
		}
		few[i].name, few[i].value = name, v
		n++
	}
	for i := range n {
		if !yield(few[i].name, few[i].value) {
			return
		}
	}
}

func fromSDK(v types.AttributeValue, level int) (Value, error) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		if v != nil {
			return String(v.Value), nil
		}
	case *types.AttributeValueMemberN:
		if v != nil {
			n, err := ParseNumber(v.Value)
			return Num(n), err
		}
	case *types.AttributeValueMemberB:
		if v != nil {
			return Binary(string(v.Value)), nil
		}
	case *types.AttributeValueMemberBOOL:
		if v != nil {
			return Bool(v.Value), nil
		}
	case *types.AttributeValueMemberNULL:
		if v != nil {
			return nullFromSDK(v.Value)
		}
	case *types.AttributeValueMemberSS:
		if v != nil {
			return setFromSDK(SS, v.Value, errEmptySS)
		}
	case *types.AttributeValueMemberNS:
		if v != nil {
			return numberSetFromSDK(v.Value)
		}
	case *types.AttributeValueMemberBS:
		if v != nil {
			return binarySetFromSDK(v.Value)
		}
	case *types.AttributeValueMemberL:
		if v != nil {
			return listFromSDK(v.Value, level)
		}
	case *types.AttributeValueMemberM:
		if v != nil {
			return nestedFromSDK(v.Value, level)
		}
	case *types.UnknownUnionMember:
		if v != nil && v.Tag == ManyKinds {
			return Value{}, manyKindsFault(v.Value)
		}
	}
	return Value{}, errNoKind
}

func manyKindsFault(number []byte) error {
	if number != nil {
		if _, err := ParseNumber(string(number)); err != nil {
			return err
		}
	}
	return errManyKinds
}

func nullFromSDK(isNull bool) (Value, error) {
	if !isNull {
		return Value{}, errNullFalse
	}
	return Null(), nil
}

func listFromSDK(list []types.AttributeValue, level int) (Value, error) {
	if level >= limits.NestingLevels {
		return Value{}, errNesting
	}
	elems := make([]Value, len(list))
	for i, e := range list {
		v, err := fromSDK(e, level+1)
		if err != nil {
			return Value{}, err
		}
		elems[i] = v
	}
	return List(elems), nil
}

func nestedFromSDK(m map[string]types.AttributeValue, level int) (Value, error) {
	if level >= limits.NestingLevels {
		return Value{}, errNesting
	}
	inner, err := mapFromSDK(m, level+1)
	return MapOf(inner), err
}

// setFromSDK makes a set of canonical members.
func setFromSDK(k Kind, members []string, ifEmpty *Error) (Value, error) {
	if len(members) == 0 {
		return Value{}, ifEmpty
	}
	v, unique := newSet(k, members)
	if !unique {
		return Value{}, duplicates(k, members)
	}
	return v, nil
}

func numberSetFromSDK(texts []string) (Value, error) {
	members := make([]string, len(texts))
	for i, t := range texts {
		n, err := ParseNumber(t)
		if err != nil {
			return Value{}, err
		}
		members[i] = n.text
	}
	return setFromSDK(NS, members, errEmptyNS)
}

func binarySetFromSDK(blobs [][]byte) (Value, error) {
	members := make([]string, len(blobs))
	for i, b := range blobs {
		members[i] = string(b)
	}
	return setFromSDK(BS, members, errEmptyBS)
}

// SDK returns the value in the SDK's types. The caller owns the result: it
// shares no mutable memory with v.
func (v Value) SDK() types.AttributeValue { return new(block).value(v) }

// SDK returns the map in the SDK's types; see [Value.SDK].
func (m Map) SDK() map[string]types.AttributeValue {
	b := new(block)
	for i := range m {
		b.count(m[i].Value.kind)
	}
	out := make(map[string]types.AttributeValue, len(m))
	for i := range m {
		out[m[i].Name] = b.value(m[i].Value)
	}
	return out
}

// listSDK returns the elements of a list in the SDK's types.
func listSDK(list []Value) []types.AttributeValue {
	b := new(block)
	for i := range list {
		b.count(list[i].kind)
	}
	out := make([]types.AttributeValue, len(list))
	for i := range list {
		out[i] = b.value(list[i])
	}
	return out
}

// block makes the strings and numbers of one map or list in one piece of memory
// each, instead of one for each value. The zero block is ready.
type block struct {
	strings, numbers int // to come
	s                []types.AttributeValueMemberS
	n                []types.AttributeValueMemberN
}

// count announces a value.
func (b *block) count(k Kind) {
	switch k {
	case S:
		b.strings++
	case N:
		b.numbers++
	}
}

func (b *block) string(text string) *types.AttributeValueMemberS {
	if len(b.s) == 0 {
		b.s = make([]types.AttributeValueMemberS, max(1, b.strings))
	}
	v := &b.s[0]
	b.s = b.s[1:]
	v.Value = text
	return v
}

func (b *block) number(text string) *types.AttributeValueMemberN {
	if len(b.n) == 0 {
		b.n = make([]types.AttributeValueMemberN, max(1, b.numbers))
	}
	v := &b.n[0]
	b.n = b.n[1:]
	v.Value = text
	return v
}

func (b *block) value(v Value) types.AttributeValue {
	switch v.kind {
	case S:
		return b.string(v.text)
	case N:
		return b.number(v.text)
	case B:
		return &types.AttributeValueMemberB{Value: []byte(v.text)}
	case BOOL:
		return &types.AttributeValueMemberBOOL{Value: v.flag}
	case NULL:
		return &types.AttributeValueMemberNULL{Value: true}
	case SS:
		return &types.AttributeValueMemberSS{Value: slices.Clone(v.sub.set)}
	case NS:
		return &types.AttributeValueMemberNS{Value: slices.Clone(v.sub.set)}
	case BS:
		blobs := make([][]byte, len(v.sub.set))
		for i, s := range v.sub.set {
			blobs[i] = []byte(s)
		}
		return &types.AttributeValueMemberBS{Value: blobs}
	case L:
		return &types.AttributeValueMemberL{Value: listSDK(v.sub.list)}
	case M:
		return &types.AttributeValueMemberM{Value: v.sub.attr.SDK()}
	}
	return nil
}
