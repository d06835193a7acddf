package av

import (
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
	out := make(Map, 0, len(m))
	for name := range m {
		out = append(out, Attr{Name: name})
	}
	NewMap(out)
	for i := range out {
		v, err := fromSDK(m[out[i].Name], level)
		if err != nil {
			return nil, err
		}
		out[i].Value = v
	}
	return out, nil
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
func (v Value) SDK() types.AttributeValue {
	switch v.kind {
	case S:
		return &types.AttributeValueMemberS{Value: v.text}
	case N:
		return &types.AttributeValueMemberN{Value: v.text}
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
		list := make([]types.AttributeValue, len(v.sub.list))
		for i, e := range v.sub.list {
			list[i] = e.SDK()
		}
		return &types.AttributeValueMemberL{Value: list}
	case M:
		return &types.AttributeValueMemberM{Value: v.sub.attr.SDK()}
	}
	return nil
}

// SDK returns the map in the SDK's types; see [Value.SDK].
func (m Map) SDK() map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(m))
	for _, a := range m {
		out[a.Name] = a.Value.SDK()
	}
	return out
}
