package wire

import (
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Attribute values make up most of what goes over the wire, and have a way of
// their own past reflection.

const attributeValueClass = javaDynamoDB + "AttributeValue"

var attributeValuePlan = plan{
	class: attributeValueClass,
	decode: func(d *decoder, v reflect.Value, element bool) {
		if value := d.attributeValue(element); value != nil {
			v.Set(reflect.ValueOf(value))
		}
	},
	encode: func(e *encoder, v reflect.Value) { e.attributeValue(v.Interface().(types.AttributeValue)) },
	absent: isNil,
}

var attributeMapPlan = plan{
	class: javaMap(attributeValueClass),
	decode: func(d *decoder, v reflect.Value, element bool) {
		v.Set(reflect.ValueOf(d.attributeMap(element)))
	},
	encode: func(e *encoder, v reflect.Value) {
		e.attributeMap(v.Interface().(map[string]types.AttributeValue))
	},
	absent: isNil,
}

func (d *decoder) attributeMap(element bool) map[string]types.AttributeValue {
	if !d.mapOf(attributeValueClass, element) {
		return nil
	}
	m := make(map[string]types.AttributeValue)
	for n := 0; d.more(n, '}'); n++ {
		name := string(d.key())
		m[name] = d.attributeElement()
	}
	return m
}

// attributeElement reads a value in a map or list; null stands for a value
// without a kind.
func (d *decoder) attributeElement() types.AttributeValue {
	if d.word("null") {
		return nil
	}
	return d.attributeValue(true)
}

// attributeValue reads one value. One without a kind is nil, and one with
// several is what package av knows as such: both are for the engine to refuse.
func (d *decoder) attributeValue(element bool) types.AttributeValue {
	if !d.structure(attributeValueClass, element) {
		return nil
	}
	var value types.AttributeValue
	var several []types.AttributeValue
	for n := 0; d.more(n, '}'); n++ {
		name := d.key()
		if d.word("null") {
			continue
		}
		kind := d.attributeKind(string(name))
		if kind == nil {
			continue
		}
		if value != nil && reflect.TypeOf(kind) != reflect.TypeOf(value) {
			several = append(several, value)
		}
		value = kind
	}
	if several != nil {
		return manyKinds(append(several, value))
	}
	return value
}

// attributeKind reads the value of the kind with that name, and returns nil
// for a name that is none.
func (d *decoder) attributeKind(name string) types.AttributeValue {
	switch name {
	case "S":
		return &types.AttributeValueMemberS{Value: d.string()}
	case "N":
		return &types.AttributeValueMemberN{Value: d.string()}
	case "B":
		return &types.AttributeValueMemberB{Value: d.blob()}
	case "BOOL":
		return &types.AttributeValueMemberBOOL{Value: d.bool()}
	case "NULL":
		return &types.AttributeValueMemberNULL{Value: d.bool()}
	case "SS":
		return &types.AttributeValueMemberSS{Value: listWith(d, d.string)}
	case "NS":
		return &types.AttributeValueMemberNS{Value: listWith(d, d.string)}
	case "BS":
		return &types.AttributeValueMemberBS{Value: listWith(d, d.blob)}
	case "L":
		return &types.AttributeValueMemberL{Value: listWith(d, d.listElement)}
	case "M":
		return &types.AttributeValueMemberM{Value: d.attributeMap(false)}
	}
	d.skip()
	return nil
}

func (d *decoder) listElement() types.AttributeValue { return d.attributeValue(true) }

// listWith reads an array; a null in it is the zero value.
func listWith[T any](d *decoder, read func() T) []T {
	if !d.list(false) {
		return nil
	}
	list := []T{}
	for n := 0; d.more(n, ']'); n++ {
		var elem T
		if !d.word("null") {
			elem = read()
		}
		list = append(list, elem)
	}
	return list
}

// manyKinds stands for a value with several kinds.
func manyKinds(values []types.AttributeValue) types.AttributeValue {
	many := &types.UnknownUnionMember{Tag: av.ManyKinds}
	for _, v := range values {
		if n, ok := v.(*types.AttributeValueMemberN); ok {
			many.Value = []byte(n.Value)
		}
	}
	return many
}

func (e *encoder) attributeMap(m map[string]types.AttributeValue) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	e.inOrder(names, func(name string) { e.attributeValue(m[name]) })
}

func (e *encoder) attributeValue(v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		e.kind("S")
		e.string(v.Value)
	case *types.AttributeValueMemberN:
		e.kind("N")
		e.string(v.Value)
	case *types.AttributeValueMemberB:
		e.kind("B")
		e.blob(v.Value)
	case *types.AttributeValueMemberBOOL:
		e.kind("BOOL")
		e.bool(v.Value)
	case *types.AttributeValueMemberNULL:
		e.kind("NULL")
		e.bool(v.Value)
	case *types.AttributeValueMemberSS:
		e.kind("SS")
		list(e, v.Value, e.string)
	case *types.AttributeValueMemberNS:
		e.kind("NS")
		list(e, v.Value, e.string)
	case *types.AttributeValueMemberBS:
		e.kind("BS")
		list(e, v.Value, e.blob)
	case *types.AttributeValueMemberL:
		e.kind("L")
		list(e, v.Value, e.attributeValue)
	case *types.AttributeValueMemberM:
		e.kind("M")
		e.attributeMap(v.Value)
	default:
		e.open('{')
	}
	e.close('}')
}

func (e *encoder) kind(name string) {
	e.open('{')
	e.name(0, name)
}

func list[T any](e *encoder, elems []T, write func(T)) {
	e.open('[')
	for i, elem := range elems {
		e.element(i)
		write(elem)
	}
	e.close(']')
}
