package ddb

import (
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// pointerCodec is for pointers, which are stored as what they point to.
type pointerCodec struct {
	typ     reflect.Type
	options options
	elem    codec
	form    string
	chain   bool // goes to something that may point on, and so perhaps in a ring
}

// pointee returns what pointers of type t lead to in the end, nil if that is
// only ever another pointer, as with type P *P.
func pointee(t reflect.Type) reflect.Type {
	var seen []reflect.Type
	for t.Kind() == reflect.Pointer {
		if slices.Contains(seen, t) {
			return nil
		}
		seen = append(seen, t)
		t = t.Elem()
	}
	return t
}

func (c *pointerCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if v.IsNil() {
		if c.options.has(omitEmpty) && c.options.has(omitEmptyElem) {
			return nil, nil
		}
		return newNull(), nil
	}
	if !c.chain {
		return c.elem.encode(w, v.Elem())
	}
	if err := w.enter(c.typ); err != nil {
		return nil, err
	}
	av, err := c.elem.encode(w, v.Elem())
	w.leave()
	return av, err
}

func (c *pointerCodec) decode(av types.AttributeValue, v reflect.Value) error {
	switch descriptorOf(av) {
	case "", "NULL":
		return nil
	}
	p := reflect.New(c.typ.Elem())
	v.Set(p)
	return c.elem.decode(av, p.Elem())
}

func (c *pointerCodec) descriptor() string { return c.form }

// anyCodec is for interfaces without methods, which hold values of any type.
type anyCodec struct {
	codecs  *codecs
	options options
}

func (c anyCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if v.IsNil() {
		return newNull(), nil
	}
	v = v.Elem()
	return c.codecs.dynamic(v.Type(), c.options).encode(w, v)
}

func (c anyCodec) decode(av types.AttributeValue, v reflect.Value) error {
	value, err := natural(av)
	if value != nil {
		v.Set(reflect.ValueOf(value))
	}
	return err
}

func (c anyCodec) descriptor() string { return "" }

// natural returns the Go value that an any gets: nil, bool, string, []byte,
// attributevalue.Number, []any, map[string]any, and for sets slices.
func natural(av types.AttributeValue) (any, error) {
	switch descriptorOf(av) {
	case "", "NULL":
		return nil, nil
	}
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return av.Value, nil
	case *types.AttributeValueMemberN:
		return attributevalue.Number(av.Value), nil
	case *types.AttributeValueMemberB:
		return append([]byte{}, av.Value...), nil
	case *types.AttributeValueMemberBOOL:
		return av.Value, nil
	case *types.AttributeValueMemberL:
		out := make([]any, len(av.Value))
		for i, m := range av.Value {
			value, err := natural(m)
			if err != nil {
				return nil, within(err, index(i))
			}
			out[i] = value
		}
		return out, nil
	case *types.AttributeValueMemberM:
		out := make(map[string]any, len(av.Value))
		var failed leastError
		for name, m := range av.Value {
			value, err := natural(m)
			if err != nil {
				failed.note(name, within(err, name))
			}
			out[name] = value
		}
		return out, failed.err
	case *types.AttributeValueMemberSS:
		return append([]string{}, av.Value...), nil
	case *types.AttributeValueMemberNS:
		out := make([]attributevalue.Number, len(av.Value))
		for i, n := range av.Value {
			out[i] = attributevalue.Number(n)
		}
		return out, nil
	case *types.AttributeValueMemberBS:
		return copyBytes(av.Value), nil
	}
	return nil, wrongKind(av, reflect.TypeFor[any]())
}

// rawCodec is for stored values themselves.
type rawCodec struct{ typ reflect.Type }

func (c rawCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if v.IsNil() {
		return nil, nil
	}
	av, _ := v.Interface().(types.AttributeValue)
	return w.foreign(copyValue(av)), checkTexts(av, c.typ)
}

func (c rawCodec) decode(av types.AttributeValue, v reflect.Value) error {
	out := reflect.ValueOf(copyValue(av))
	switch {
	case !out.IsValid():
		return nil
	case !out.Type().AssignableTo(c.typ):
		return wrongKind(av, c.typ)
	}
	v.Set(out)
	return nil
}

func (c rawCodec) descriptor() string { return "" }

// copyValue returns a value that shares no memory with av; nil for none.
func copyValue(av types.AttributeValue) types.AttributeValue {
	if descriptorOf(av) == "" {
		return nil
	}
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: av.Value}
	case *types.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: av.Value}
	case *types.AttributeValueMemberB:
		return &types.AttributeValueMemberB{Value: append([]byte{}, av.Value...)}
	case *types.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: av.Value}
	case *types.AttributeValueMemberNULL:
		return &types.AttributeValueMemberNULL{Value: av.Value}
	case *types.AttributeValueMemberL:
		out := make([]types.AttributeValue, len(av.Value))
		for i, m := range av.Value {
			out[i] = copyValue(m)
		}
		return &types.AttributeValueMemberL{Value: out}
	case *types.AttributeValueMemberM:
		out := make(map[string]types.AttributeValue, len(av.Value))
		for name, m := range av.Value {
			out[name] = copyValue(m)
		}
		return &types.AttributeValueMemberM{Value: out}
	case *types.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: slices.Clone(av.Value)}
	case *types.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: slices.Clone(av.Value)}
	case *types.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: copyBytes(av.Value)}
	}
	return av
}

func copyBytes(all [][]byte) [][]byte {
	out := make([][]byte, len(all))
	for i, b := range all {
		out[i] = append([]byte{}, b...)
	}
	return out
}
