package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Attributes are written by package attributevalue with these choices:
//   - times in UTC with nine fractional digits, so that they sort; a zero time
//     with omitempty is left out;
//   - what would be a NULL at the top of an item is left out: nil pointers,
//     slices and maps, and empty sets, which DynamoDB does not have. A NULL in
//     their place would spoil a later append or ADD. The option nullempty keeps
//     it.

func encodeOptions(o *attributevalue.EncoderOptions) {
	o.OmitEmptyTime = true
	o.OmitNullAttributeValues = true
	o.EncodeTime = func(t time.Time) (types.AttributeValue, error) {
		return &types.AttributeValueMemberS{Value: t.UTC().Format(timeLayout)}, nil
	}
}

// encode returns the attributes of an entity's value, without key attributes
// that templates make and without the discriminator.
func (p *structPlan) encode(v reflect.Value) (map[string]types.AttributeValue, error) {
	item, err := attributevalue.MarshalMapWithOptions(v.Interface(), encodeOptions)
	if err != nil {
		return nil, err
	}
	for _, f := range p.fields {
		if _, null := item[f.attr].(*types.AttributeValueMemberNULL); null && !f.nullable {
			delete(item, f.attr)
		}
	}
	return item, nil
}

// valueCodec encodes values of one field as the field's tag says.
type valueCodec struct {
	attr string
	wrap reflect.Type // a struct with just that field
}

func newValueCodec(f reflect.StructField) valueCodec {
	name, options := splitTag(f.Tag.Get("dynamodbav"))
	if name == "" {
		name = f.Name
	}
	// A value in an expression is always sent, even an empty one.
	options = slices.DeleteFunc(options, func(o string) bool { return o == "omitempty" || o == "nullempty" })
	tag := fmt.Sprintf("dynamodbav:%q", strings.Join(append([]string{name}, options...), ","))
	return valueCodec{
		attr: name,
		wrap: reflect.StructOf([]reflect.StructField{{Name: "V", Type: f.Type, Tag: reflect.StructTag(tag)}}),
	}
}

func (c valueCodec) encode(v reflect.Value) (types.AttributeValue, error) {
	w := reflect.New(c.wrap).Elem()
	w.Field(0).Set(v)
	item, err := attributevalue.MarshalMapWithOptions(w.Interface(), encodeOptions)
	if err != nil {
		return nil, err
	}
	if item[c.attr] == nil {
		return nil, errEmpty
	}
	return item[c.attr], nil
}

func (f *field) codec() valueCodec {
	return newValueCodec(reflect.StructField{Name: f.name, Type: f.typ, Tag: f.tag})
}

// decode makes a fresh value of the entity from an item. Attributes that the
// type has no field for are ignored.
func (e *entity) decode(item map[string]types.AttributeValue, spec *keySpec) (reflect.Value, error) {
	v := reflect.New(e.plan.typ)
	if !spec.thin {
		if err := e.checkType(item); err != nil {
			return v, err
		}
	}
	if err := attributevalue.UnmarshalMap(item, v.Interface()); err != nil {
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
