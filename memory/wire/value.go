package wire

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

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

var stringMapPlan = plan{
	class: javaMap(javaString),
	decode: func(d *decoder, v reflect.Value, element bool) {
		v.Set(reflect.ValueOf(mapWith(d, javaString, element, d.string)))
	},
	encode: func(e *encoder, v reflect.Value) {
		e.open('{')
		m := v.Interface().(map[string]string)
		for i, name := range slices.Sorted(maps.Keys(m)) {
			e.name(i, name)
			e.string(m[name])
		}
		e.close('}')
	},
	absent: isNil,
}

// attributeMap gathers the members first, so that the map can be made in its size.
func (d *decoder) attributeMap(element bool) map[string]types.AttributeValue {
	if !d.mapOf(attributeValueClass, element) {
		return nil
	}
	before := len(d.members)
	for n := 0; d.more(n, '}'); n++ {
		name := d.names.text(d.key())
		value := d.attributeElement()
		d.members = append(d.members, attribute{name, value})
	}
	m := make(map[string]types.AttributeValue, len(d.members)-before)
	for _, member := range d.members[before:] {
		m[member.name] = member.value
	}
	d.members = d.members[:before]
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
		kind := d.attributeKind(name)
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
func (d *decoder) attributeKind(name []byte) types.AttributeValue {
	switch string(name) {
	case "S":
		v := next(&d.strings)
		v.Value = d.string()
		return v
	case "N":
		v := next(&d.numbers)
		v.Value = d.string()
		return v
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

// mapWith reads an object that stands for a map to values of the Java class; a null
// in it is the zero value.
func mapWith[T any](d *decoder, class string, element bool, read func() T) map[string]T {
	if !d.mapOf(class, element) {
		return nil
	}
	m := make(map[string]T)
	for n := 0; d.more(n, '}'); n++ {
		name := d.names.text(d.key())
		var value T
		if !d.word("null") {
			value = read()
		}
		m[name] = value
	}
	return m
}

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

// next returns one of a few values that are made together.
func next[T any](few *[]T) *T {
	if len(*few) == 0 {
		*few = make([]T, 8)
	}
	v := &(*few)[0]
	*few = (*few)[1:]
	return v
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
	if item, ok := av.FromStored(m); ok {
		e.buf = appendItem(e.buf, item)
		return
	}
	e.open('{')
	i := 0
	for name, v := range av.Ascending(m) {
		e.name(i, name)
		e.attributeValue(v)
		i++
	}
	e.close('}')
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

// appendItem appends an item as the engine stores it. Passing the slice on is a good
// deal cheaper than writing through the encoder for every few bytes.
func appendItem(dst []byte, m av.Map) []byte {
	dst = append(dst, '{')
	for i := range m {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, m[i].Name), ':')
		dst = appendValue(dst, m[i].Value)
	}
	return append(dst, '}')
}

func appendValue(dst []byte, v av.Value) []byte {
	dst = append(append(append(dst, `{"`...), v.Kind().String()...), `":`...)
	switch v.Kind() {
	case av.S, av.N:
		dst = appendString(dst, v.Text())
	case av.B:
		dst = appendBlob(dst, []byte(v.Text()))
	case av.BOOL:
		dst = strconv.AppendBool(dst, v.Truth())
	case av.NULL:
		dst = append(dst, "true"...)
	case av.SS, av.NS:
		dst = appendList(dst, v.Texts(), appendString)
	case av.BS:
		dst = appendList(dst, v.Texts(), func(dst []byte, s string) []byte { return appendBlob(dst, []byte(s)) })
	case av.L:
		dst = appendList(dst, v.List(), appendValue)
	case av.M:
		dst = appendItem(dst, v.Map())
	}
	return append(dst, '}')
}

func appendList[T any](dst []byte, elems []T, each func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, elem := range elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = each(dst, elem)
	}
	return append(dst, ']')
}

// kind begins the object that a value is.
func (e *encoder) kind(name string) {
	e.buf = append(append(append(e.buf, `{"`...), name...), `":`...)
}

func list[T any](e *encoder, elems []T, write func(T)) {
	e.open('[')
	for i, elem := range elems {
		e.element(i)
		write(elem)
	}
	e.close(']')
}
