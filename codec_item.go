package ddb

import (
	"reflect"

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
		return &types.AttributeValueMemberS{Value: v.String()}, nil
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

// anyValue writes values of any type, as a field of type any does.
func (p *structPlan) anyValue() valueCodec {
	return valueCodec{reflect.TypeFor[any](), anyCodec{codecs: p.codecs}}
}

// attributes returns the fields of a field that is stored as a map of them.
func (f *field) attributes() []*field {
	c := f.slot.codec
	if p, ok := c.(*pointerCodec); ok {
		c = p.elem
	}
	if p, ok := c.(*structPlan); ok {
		return p.fields
	}
	return nil
}

// decode makes a fresh value of the entity from an item, with which it shares no
// memory. Attributes that the type has no field for are ignored.
func (e *entity) decode(item map[string]types.AttributeValue, spec *keySpec) (reflect.Value, error) {
	v := reflect.New(e.plan.typ)
	if !spec.thin {
		if err := e.checkType(item); err != nil {
			return v, err
		}
	}
	if err := e.plan.decodeItem(item, v.Elem()); err != nil {
		return v, err
	}
	if spec.thin {
		e.decodeKeys(item, v.Elem(), spec)
	}
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

// decodeKeys fills the fields that the keys of an item from a thin index hold.
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
