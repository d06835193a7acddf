package ddb

import (
	"reflect"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// valueCodec writes values of one field for expressions.
type valueCodec struct {
	typ   reflect.Type
	codec codec
}

func (f *field) codec() valueCodec { return valueCodec{f.typ, f.slot.codec} }

// encode returns the stored form of a value. A value in an expression is always
// sent, whatever the field leaves out: what would be left out is NULL.
func (c valueCodec) encode(v reflect.Value) (types.AttributeValue, error) {
	if !v.IsValid() || nilable(v.Type()) && v.IsNil() {
		return newNull(), nil
	}
	if _, ok := c.codec.(stringCodec); ok { // as most parts of keys are
		text := v.String()
		if !utf8.ValidString(text) {
			return nil, notUTF8(c.typ)
		}
		return &types.AttributeValueMemberS{Value: text}, nil
	}
	if c.typ.Kind() == reflect.Interface {
		held := reflect.New(c.typ).Elem()
		held.Set(v)
		v = held
	}
	av, err := c.codec.encode(&writer{depth: 1}, v)
	if av == nil && err == nil {
		av = newNull()
	}
	return av, err
}

// read returns the Go value of a stored one.
func (c valueCodec) read(av types.AttributeValue) (reflect.Value, error) {
	v := reflect.New(c.typ).Elem()
	return v, c.codec.decode(av, v)
}

// target returns the codec of what the values are or, being pointers, lead to.
func (c valueCodec) target() codec {
	made := c.codec
	for {
		p, pointer := made.(*pointerCodec)
		if !pointer {
			return made
		}
		made = p.elem
	}
}

// valueCodec writes single values of a slot of elements or entries.
func (s *slot) valueCodec(t reflect.Type) valueCodec { return valueCodec{t, s.codec} }

// anyValue writes values of any type, as a field of type any does.
func (p *structPlan) anyValue() valueCodec {
	return valueCodec{reflect.TypeFor[any](), anyCodec{codecs: p.codecs}}
}

// attributes returns the fields of a field that is stored as a map of them.
func (f *field) attributes() []*field {
	if p, ok := f.codec().target().(*structPlan); ok {
		return p.fields
	}
	return nil
}

// view is what a read sees of stored items.
type view struct {
	spec    *keySpec // the key that they are read by
	part    bool     // not all attributes
	untyped bool     // not even the discriminator
}

// decode makes a fresh value of the entity from an item as the given key shows
// it. It shares no memory with the item, and ignores attributes that the type has
// no field for.
func (e *entity) decode(item item, spec *keySpec) (reflect.Value, error) {
	return e.decodeView(item, view{spec: spec, part: !e.whole(spec), untyped: spec.thin})
}

// decodeView makes a value of what was read of an item. Where that may be a part,
// fields that the keys hold are filled from them.
func (e *entity) decodeView(item item, seen view) (reflect.Value, error) {
	v := reflect.New(e.plan.typ)
	if !seen.untyped {
		if err := e.checkType(item); err != nil {
			return v, err
		}
	}
	if seen.part {
		e.decodeKeys(item, v.Elem(), seen.spec)
	}
	if err := e.plan.decodeItem(item, v.Elem()); err != nil {
		return v, err
	}
	e.readShard(item, v.Elem())
	return v, nil
}

func (e *entity) checkType(item map[string]types.AttributeValue) error {
	attr := e.table.discriminator
	switch av := item[attr].(type) {
	case *types.AttributeValueMemberS:
		if av.Value == e.name {
			return nil
		}
		return because(ErrEntityType, "attribute %s says %s, not %s", attr, av.Value, e.name)
	case nil:
		return because(ErrEntityType, "the item has no attribute %s; write items through ddb or add it", attr)
	}
	return because(ErrEntityType, "attribute %s is no string", attr)
}

// decodeKeys fills the fields that the keys of an item hold.
func (e *entity) decodeKeys(item map[string]types.AttributeValue, v reflect.Value, spec *keySpec) {
	for _, s := range []*keySpec{spec, e.primary} {
		for _, c := range s.columns() {
			if text, ok := item[c.attr].(*types.AttributeValueMemberS); ok && c.template != nil {
				// A key that another program wrote in another form leaves the
				// fields as they are.
				scratch := reflect.New(e.plan.typ).Elem()
				if c.template.parse(text.Value, scratch) == nil {
					copyFields(v, scratch, c.template)
				}
			}
		}
	}
}

func copyFields(dst, src reflect.Value, t *keyTemplate) {
	for _, p := range t.fields {
		if p.format.lossless() {
			settable(dst, p.field).Set(p.field.value(src))
		}
	}
}
