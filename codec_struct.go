package ddb

import (
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// slot is a place for values of one type: a field, the elements of a list or
// the entries of a map.
type slot struct {
	codec   codec
	options options
	empty   func(reflect.Value) bool // under omitempty and nullempty
	nilable bool
	keepNil bool // nil is stored as NULL, not left out
	simple  simple
	bits    int // of a simple integer
}

// simple says that the values of a slot are plain strings or integers, without
// options. They are most of what there is, and structs deal with them at once.
type simple uint8

const (
	notSimple simple = iota
	simpleString
	simpleInt
)

func simpleOf(c codec, o options) simple {
	switch c.(type) {
	case stringCodec:
		if o == 0 {
			return simpleString
		}
	case intCodec:
		if o == 0 {
			return simpleInt
		}
	}
	return notSimple
}

// encode returns what the slot stores of v, nil if it stores nothing.
func (s *slot) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if s.empty != nil && s.empty(v) {
		if s.options.has(omitEmpty) {
			return nil, nil
		}
		return newNull(), nil
	}
	if s.nilable && v.IsNil() {
		if s.keepNil {
			return newNull(), nil
		}
		return nil, nil
	}
	return s.codec.encode(w, v)
}

func newNull() types.AttributeValue { return &types.AttributeValueMemberNULL{Value: true} }

func nilable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return false
}

// emptiness returns what tells whether a value of the type is empty to the
// options omitempty and nullempty. A collection that is not nil is not empty.
func emptiness(t reflect.Type) func(reflect.Value) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return reflect.Value.IsNil
	case reflect.Float32, reflect.Float64:
		return func(v reflect.Value) bool { return v.Float() == 0 }
	case reflect.Array, reflect.Struct:
		switch {
		case t == bigIntType:
			return func(v reflect.Value) bool { return bigIntOf(v).Sign() == 0 }
		case has(t, zeroer) && !embeds(t, func(e reflect.Type) bool { return has(e, zeroer) }):
			return func(v reflect.Value) bool { return pointerTo(v).(interface{ IsZero() bool }).IsZero() }
		}
		return func(v reflect.Value) bool { return v.Kind() == reflect.Array && v.Len() == 0 }
	}
	return reflect.Value.IsZero
}

var zeroer = reflect.TypeFor[interface{ IsZero() bool }]()

// pointerTo returns a pointer to the value, which is copied if it has no
// address. Methods are called on pointers, so that it does not matter whether
// they are a value's or a pointer's.
func pointerTo(v reflect.Value) any { return addressable(v).Addr().Interface() }

func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	p := reflect.New(v.Type()).Elem()
	p.Set(v)
	return p
}

// encodeItem returns the attributes of an entity's value, without key attributes
// that templates make and without the discriminator.
func (p *structPlan) encodeItem(v reflect.Value) (map[string]types.AttributeValue, error) {
	item, _, err := p.encodeSized(v)
	return item, err
}

// encodeSized does what encodeItem does, and says how many bytes that is at most.
func (p *structPlan) encodeSized(v reflect.Value) (map[string]types.AttributeValue, int, error) {
	v = addressable(v)
	w := new(writer)
	n := p.estimate(v)
	w.reserve(&n)
	if p.whole == p {
		item, err := p.attributes(w, v)
		return item, w.most, located(err)
	}
	av, err := p.whole.encode(w, v)
	if err != nil {
		return nil, 0, located(err)
	}
	m, ok := av.(*types.AttributeValueMemberM)
	if !ok || m == nil || m.Value == nil {
		return nil, 0, &EncodeError{Type: p.typ, Problem: "marshals itself to something other than a map"}
	}
	return m.Value, w.most, nil
}

// estimate returns what the struct v makes, as far as it can be told without
// going further into it.
func (p *structPlan) estimate(v reflect.Value) need {
	n := p.need
	for _, many := range p.many {
		if fv := many.in(v); fv.IsValid() {
			n.add(&many.each, fv.Len())
		}
	}
	return n
}

// decodeItem stores an item's attributes in v, a settable zero value.
func (p *structPlan) decodeItem(item map[string]types.AttributeValue, v reflect.Value) error {
	if p.whole == p {
		return p.fill(item, v)
	}
	return p.whole.decode(&types.AttributeValueMemberM{Value: item}, v)
}

func (p *structPlan) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	item, err := p.attributes(w, v)
	if err != nil {
		return nil, err
	}
	return w.mapping(item), nil
}

// attributes returns the attributes of the struct v.
func (p *structPlan) attributes(w *writer, v reflect.Value) (map[string]types.AttributeValue, error) {
	if err := w.enter(p.typ); err != nil {
		return nil, err
	}
	item := make(map[string]types.AttributeValue, len(p.fields)+p.room)
	w.most += p.names
	for _, f := range p.fields {
		fv := f.in(v)
		if !fv.IsValid() {
			continue
		}
		switch f.slot.simple {
		case simpleString:
			text := fv.String()
			if !utf8.ValidString(text) {
				return nil, within(notUTF8(f.typ), f.name)
			}
			item[f.attr] = w.string(text)
			continue
		case simpleInt:
			item[f.attr] = w.number(w.int(fv.Int()))
			continue
		}
		av, err := f.slot.encode(w, fv)
		if err != nil {
			return nil, within(err, f.name)
		}
		switch {
		case av != nil:
			item[f.attr] = av
		case f.slot.options.has(nullEmpty):
			item[f.attr] = newNull()
		}
	}
	w.leave()
	return item, nil
}

func (p *structPlan) decode(av types.AttributeValue, v reflect.Value) error {
	m, ok := av.(*types.AttributeValueMemberM)
	if !ok || m == nil {
		return wrongKind(av, p.typ)
	}
	return p.fill(m.Value, v)
}

// fill stores attributes in the struct v.
func (p *structPlan) fill(item map[string]types.AttributeValue, v reflect.Value) error {
	for _, f := range p.fields {
		av := item[f.attr]
		if av == nil {
			continue
		}
		var fv reflect.Value
		if len(f.index) == 1 {
			fv = v.Field(f.index[0])
		} else {
			fv = settable(v, f)
		}
		// What is of the kind that is expected is stored at once, and all else left to
		// the codec.
		switch f.slot.simple {
		case simpleString:
			if s, ok := av.(*types.AttributeValueMemberS); ok && s != nil {
				fv.SetString(s.Value)
				continue
			}
		case simpleInt:
			if n, ok := av.(*types.AttributeValueMemberN); ok && n != nil {
				if i, err := strconv.ParseInt(n.Value, 10, f.slot.bits); err == nil {
					fv.SetInt(i)
					continue
				}
			}
		}
		if err := f.slot.codec.decode(av, fv); err != nil {
			return within(err, f.attr)
		}
	}
	return nil
}

func (p *structPlan) descriptor() string { return "M" }

// wrongKind says that a value does not fit a type, unless it is NULL or nothing,
// which fit every type as its zero value.
func wrongKind(av types.AttributeValue, t reflect.Type) error {
	switch kind := descriptorOf(av); kind {
	case "", "NULL":
		return nil
	default:
		return &DecodeError{Kind: kind, Type: t, Problem: "does not fit"}
	}
}

// descriptorOf returns the data type descriptor of an attribute value: "" for
// none and "?" for one that this package does not know.
// Programming.LowLevelAPI.html#Programming.LowLevelAPI.DataTypeDescriptors.
func descriptorOf(av types.AttributeValue) string {
	if v := reflect.ValueOf(av); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	switch av.(type) {
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
	case *types.AttributeValueMemberL:
		return "L"
	case *types.AttributeValueMemberM:
		return "M"
	case *types.AttributeValueMemberSS:
		return "SS"
	case *types.AttributeValueMemberNS:
		return "NS"
	case *types.AttributeValueMemberBS:
		return "BS"
	}
	return "?"
}

// within puts a step in front of the path of an error.
func within(err error, step string) error {
	path := errorPath(err)
	switch {
	case path == nil:
	case *path == "" || (*path)[0] == '[':
		*path = step + *path
	default:
		*path = step + "." + *path
	}
	return err
}

// errorPath returns where in an item or value the error is.
func errorPath(err error) *string {
	switch err := err.(type) {
	case *EncodeError:
		return &err.Path
	case *DecodeError:
		return &err.Path
	}
	return nil
}

// located gives callers the path as the field at fault.
func located(err error) error {
	if path := errorPath(err); path != nil {
		return &fieldError{field: *path, err: err}
	}
	return err
}

func index(i int) string { return fmt.Sprintf("[%d]", i) }
