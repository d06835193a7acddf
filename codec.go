package ddb

import (
	"fmt"
	"math/big"
	"reflect"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Values are written and read as package attributevalue does, by the same tags,
// with the choices below, which the package comment tells to users. Tests hold
// the two packages against each other and each choice to its word.
//
//   - What is not there is left out, in structs at every depth: nil pointers,
//     slices and maps, and sets without members, which DynamoDB does not have. A
//     NULL in their place would spoil a later append or ADD. The option
//     nullempty asks for the NULL. Elements of lists keep their places, so that
//     there nil is NULL; entries of maps keep their keys.
//   - What is there and empty stays, and comes back empty, not nil.
//   - Times are strings in UTC with nine fractional digits, so that they sort. A
//     zero time is left out under omitempty, and so is a struct or array whose
//     IsZero method says so. Any form of RFC 3339 and whole epoch seconds are read, and
//     give UTC.
//   - A type with MarshalText and UnmarshalText is a string, keys of maps
//     included. A struct that embeds such a type beside other fields is not: its
//     text would be that of the embedded type alone. So for IsZero.
//   - Numbers keep every digit: big.Int is an N, the numbers in an any are
//     attributevalue.Number. What an N or the Go type cannot hold is an error.
//   - A map to bool or struct{} with the option of a set is that set.
//   - Text that is not valid UTF-8, in values, members of sets or keys of maps, is an
//     error; attributevalue lets JSON change it.
//   - A field of type types.AttributeValue holds what is stored.
//   - Names of attributes are matched letter by letter.
//   - What would be lost in silence is a fault of the definition: structs
//     without a field that can be stored, channels, functions, interfaces with
//     methods. So are options that contradict each other or the type.

// codec writes and reads the values of one Go type.
type codec interface {
	// encode returns the stored form of v. It returns nil if there is none,
	// as for an empty set.
	encode(w *writer, v reflect.Value) (types.AttributeValue, error)
	// decode stores av in v, a settable zero value. A NULL, or no value, leaves
	// v as it is unless the type wants to see it.
	decode(av types.AttributeValue, v reflect.Value) error
	// descriptor returns the kind of attribute value that encode makes, such as
	// "S", or "" if that hangs on the value.
	descriptor() string
}

var (
	timeType      = reflect.TypeFor[time.Time]()
	bigIntType    = reflect.TypeFor[big.Int]()
	bytesListType = reflect.TypeFor[[][]byte]()
	attrValueType = reflect.TypeFor[types.AttributeValue]()
	marshaler     = reflect.TypeFor[attributevalue.Marshaler]()
	unmarshaler   = reflect.TypeFor[attributevalue.Unmarshaler]()
)

// codecKey is what a codec hangs on.
type codecKey struct {
	typ     reflect.Type
	options options
}

// keyOf returns the key of a type under a field's options. Structs take none:
// their own fields have tags.
func keyOf(t reflect.Type, o options) codecKey {
	if storesFields(t) {
		o = 0
	}
	return codecKey{t, o}
}

// codecs makes the codecs of types and keeps them. The types of an entity's
// fields are known when it is defined; those in an any turn up later.
type codecs struct {
	mu   sync.Mutex
	made sync.Map // codecKey to codec, complete ones only
}

// structPlan makes the plan of an entity's type.
func (cs *codecs) structPlan(t reflect.Type) *structPlan {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.compiler()
	p := c.structPlan(t)
	c.publish()
	return p
}

// dynamic returns the codec of a type that turned up in an any.
func (cs *codecs) dynamic(t reflect.Type, o options) codec {
	key := codecKey{t, o}
	if made, ok := cs.made.Load(key); ok {
		return made.(codec)
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.compiler()
	made := c.codec(t, o)
	var problems []string
	refusals(made, make(map[codec]bool), func(problem string) { problems = append(problems, problem) })
	if len(problems) > 0 {
		made = &refusedCodec{reflect.TypeFor[any](), problems[0]}
	}
	c.made[key] = made
	c.publish()
	return made
}

func (cs *codecs) compiler() *compiler {
	return &compiler{codecs: cs, made: make(map[codecKey]codec)}
}

// compiler makes codecs. Those of types that may hold themselves are in made
// before they are complete.
type compiler struct {
	codecs *codecs
	made   map[codecKey]codec
}

func (c *compiler) publish() {
	for key, made := range c.made {
		c.codecs.made.Store(key, made)
	}
}

// remember notes a codec before its parts are made.
func remember[C codec](c *compiler, t reflect.Type, o options, made C) C {
	c.made[codecKey{t, o}] = made
	return made
}

// slot makes the place for values of a type under the options of a tag.
func (c *compiler) slot(t reflect.Type, o options, member bool) slot {
	s := slot{codec: c.codec(t, o), options: o, nilable: nilable(t), keepNil: member || t.Kind() == reflect.Interface && t != attrValueType}
	if s.simple = simpleOf(s.codec, o); s.simple == simpleInt {
		s.bits = t.Bits()
	}
	if o.has(omitEmpty | nullEmpty) {
		s.empty = emptiness(t)
	}
	return s
}

func (c *compiler) codec(t reflect.Type, o options) codec {
	key := keyOf(t, o)
	if made, ok := c.made[key]; ok {
		return made
	}
	if made, ok := c.codecs.made.Load(key); ok {
		return made.(codec)
	}
	switch kind := t.Kind(); {
	case isRaw(t):
		return rawCodec{t}
	case kind == reflect.Pointer && pointee(t) == nil:
		return &refusedCodec{t, fmt.Sprintf("holds %s, a pointer to nothing but pointers", t)}
	case kind == reflect.Pointer:
		p := remember(c, t, o, &pointerCodec{typ: t, options: o, chain: nilable(t.Elem())})
		p.elem = c.codec(t.Elem(), o)
		p.form = p.elem.descriptor()
		return p
	case kind == reflect.Interface && t.NumMethod() == 0:
		return anyCodec{c.codecs, o}
	case kind == reflect.Interface:
		return &refusedCodec{t, fmt.Sprintf("holds the interface %s, which cannot be read back; use a struct, or any", t)}
	case storesItself(t):
		own := &ownCodec{typ: t, options: o, marshals: has(t, marshaler), unmarshals: has(t, unmarshaler)}
		if !own.marshals || !own.unmarshals {
			own.rest = c.kept(t, o)
		}
		return own
	}
	return c.kept(t, o)
}

// storesItself reports whether a type has its own stored form.
func storesItself(t reflect.Type) bool { return has(t, marshaler) || has(t, unmarshaler) }

// storesFields reports whether a type is stored as its fields are.
func storesFields(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !storesItself(t) && !writesText(t) && !t.ConvertibleTo(timeType) && t != bigIntType
}

// has reports whether a value of the type, or a pointer to it, has the methods.
func has(t, methods reflect.Type) bool { return reflect.PointerTo(t).Implements(methods) }

// isRaw reports whether a type is a stored value already.
func isRaw(t reflect.Type) bool {
	return t == attrValueType ||
		t.Kind() == reflect.Pointer && t.Implements(attrValueType) && t.Elem().PkgPath() == attrValueType.PkgPath()
}

// kept makes the codec of a type whose form is kept here, not by its methods of
// package attributevalue.
func (c *compiler) kept(t reflect.Type, o options) codec {
	switch {
	case t == bigIntType:
		return bigCodec{}
	case t == timeType || t.ConvertibleTo(timeType) && (o.has(unixTime) || !writesText(t)):
		return timeCodec{typ: t, options: o}
	case writesText(t):
		return textCodec{t, basic(t, o)}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return c.list(t, o)
	case reflect.Map:
		return c.mapping(t, o)
	case reflect.Struct:
		return c.structPlan(t)
	}
	if b := basic(t, o); b != nil {
		return b
	}
	return &refusedCodec{t, fmt.Sprintf("holds a %s, which cannot be stored; tag it dynamodbav:\"-\" to leave it out", t)}
}

func (c *compiler) structPlan(t reflect.Type) *structPlan {
	p := remember(c, t, 0, &structPlan{typ: t, codecs: c.codecs, byName: make(map[string]*field)})
	p.collect()
	for _, f := range p.fields {
		f.slot = c.slot(f.typ, f.slot.options, false)
		p.need.count(f.slot.codec)
		p.names += len(f.attr) + 1 // of a NULL that nobody counts
		var each codec
		switch many := f.slot.codec.(type) {
		case *listCodec:
			each = many.elem.codec
		case *mapCodec:
			each = many.elem.codec
		case *keySetCodec:
			each = many.member
		default:
			continue
		}
		many := collection{field: f}
		many.each.count(each)
		p.many = append(p.many, many)
	}
	return p
}

// refusals reports why values of a codec's type cannot be stored: what is wrong
// with it and with the types that it is made of.
func refusals(c codec, seen map[codec]bool, report func(problem string)) {
	switch c := c.(type) {
	case *refusedCodec:
		report(c.problem)
	case *ownCodec:
		if c.rest != nil {
			refusals(c.rest, seen, report)
		}
	case *pointerCodec:
		visitOnce(c, seen, func() { refusals(c.elem, seen, report) })
	case *listCodec:
		visitOnce(c, seen, func() { refusals(c.elem.codec, seen, report) })
	case *mapCodec:
		visitOnce(c, seen, func() { refusals(c.elem.codec, seen, report) })
	case *keySetCodec:
		refusals(c.member, seen, report)
	case *structPlan:
		visitOnce(c, seen, func() {
			if len(c.fields) == 0 && len(c.faults) == 0 {
				report(fmt.Sprintf("holds %s, which has no field that can be stored; implement attributevalue.Marshaler and Unmarshaler, or use another type", c.typ))
			}
			for _, f := range c.faults {
				report(fmt.Sprintf("holds %s: %s: %s", c.typ, f.tag, f.problem))
			}
			for _, f := range c.fields {
				refusals(f.slot.codec, seen, report)
			}
		})
	}
}

func visitOnce(c codec, seen map[codec]bool, visit func()) {
	if !seen[c] {
		seen[c] = true
		visit()
	}
}

// refusedCodec stands for a type whose values cannot be stored.
type refusedCodec struct {
	typ     reflect.Type
	problem string
}

func (c *refusedCodec) encode(*writer, reflect.Value) (types.AttributeValue, error) {
	return nil, &EncodeError{Type: c.typ, Problem: c.problem}
}

func (c *refusedCodec) decode(av types.AttributeValue, _ reflect.Value) error {
	return &DecodeError{Kind: descriptorOf(av), Type: c.typ, Problem: c.problem}
}

func (c *refusedCodec) descriptor() string { return "" }
