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
	untyped bool     // not the discriminator
	bare    bool     // fields have what their own attributes say, nothing else
}

// decode makes a fresh value of the entity from an item as the given key shows
// it. It shares no memory with the item, and ignores attributes that the type has
// no field for.
func (e *entity) decode(item item, spec *keySpec) (reflect.Value, error) {
	return e.decodeView(item, view{spec: spec, untyped: spec.thin})
}

// decodeView makes a value of what was read of an item. Fields whose attributes are
// not there, because the read does not ask for them, the index does not carry them or
// whoever wrote the item has left them to its keys, are filled from those.
func (e *entity) decodeView(item item, seen view) (reflect.Value, error) {
	v := reflect.New(e.plan.typ)
	if !seen.untyped {
		if err := e.checkType(item); err != nil {
			return v, err
		}
	}
	if err := e.plan.decodeItem(item, v.Elem()); err != nil {
		return v, err
	}
	if !seen.bare {
		e.primary.fill(item, v.Elem())
		if seen.spec != e.primary {
			seen.spec.fill(item, v.Elem())
		}
	}
	e.readShard(item, v.Elem())
	return v, nil
}

func (e *entity) checkType(item map[string]types.AttributeValue) error {
	name, err := e.table.typeOf(item, "write items through ddb or add it")
	if err == nil && name != e.name {
		err = because(ErrEntityType, "attribute %s says %s, not %s", e.table.discriminator, name, e.name)
	}
	return err
}

// typeOf returns which entity an item says it is; help is what to do if it does not.
func (t *Table) typeOf(item map[string]types.AttributeValue, help string) (string, error) {
	av := item[t.discriminator]
	switch name, ok := av.(*types.AttributeValueMemberS); {
	case ok && name != nil:
		return name.Value, nil
	case isNil(av):
		return "", because(ErrEntityType, "the item has no attribute %s; %s", t.discriminator, help)
	}
	return "", because(ErrEntityType, "attribute %s of the item is no string; %s", t.discriminator, help)
}

// fill fills the fields of v that have no attribute in the item and that the key
// holds whole.
func (s *keySpec) fill(item item, v reflect.Value) {
	for _, c := range s.columns() {
		if c.template != nil {
			c.fill(item, v)
		}
	}
}

func (c *keyColumn) fill(item item, v reflect.Value) {
	var parsed reflect.Value
	for _, p := range c.template.fields {
		// Nearly all are there, so that the value is looked at first.
		if !p.format.lossless() || !p.field.value(v).IsZero() || item[p.field.attr] != nil {
			continue
		}
		if !parsed.IsValid() {
			parsed = reflect.New(v.Type()).Elem()
			text, ok := item[c.attr].(*types.AttributeValueMemberS)
			// A key that another program wrote in another form leaves the fields
			// as they are.
			if !ok || c.template.parse(text.Value, parsed) != nil {
				return
			}
		}
		settable(v, p.field).Set(p.field.value(parsed))
	}
}
