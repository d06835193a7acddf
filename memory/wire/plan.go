package wire

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// codec translates between JSON and the SDK's types. It studies each type once
// and is safe for concurrent use.
type codec struct {
	mu    sync.Mutex // held while a type is studied
	plans sync.Map   // of reflect.Type to *plan
	names names
}

// plan is how values of one Go type stand on the wire.
type plan struct {
	// class is the Java class that the service decodes into; it appears in the
	// texts of faults.
	class string
	// decode reads a value other than null. element tells that the value
	// belongs to a list or map and not to a structure.
	decode func(d *decoder, v reflect.Value, element bool)
	encode func(e *encoder, v reflect.Value)
	// absent reports whether a member with the value is left out; nil stands
	// for never.
	absent func(v reflect.Value) bool
	// members are those of a structure.
	members []member
}

// member is one member of a structure.
type member struct {
	index int
	name  string // on the wire
	*plan
}

// plan returns the plan for a type of the SDK.
func (c *codec) plan(t reflect.Type) *plan {
	if p, ok := c.plans.Load(t); ok {
		return p.(*plan)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := study{codec: c, found: make(map[reflect.Type]*plan)}
	p := s.plan(t)
	for t, p := range s.found {
		c.plans.Store(t, p)
	}
	return p
}

// study makes the plans for a type and those it is made of. They become visible
// to others when all are complete.
type study struct {
	codec *codec
	found map[reflect.Type]*plan
}

func (s *study) plan(t reflect.Type) *plan {
	if p, ok := s.codec.plans.Load(t); ok {
		return p.(*plan)
	}
	if p, ok := s.found[t]; ok {
		return p
	}
	p := new(plan)
	s.found[t] = p // before its parts, which may contain it
	*p = s.describe(t)
	return p
}

var (
	timeType           = reflect.TypeFor[time.Time]()
	blobType           = reflect.TypeFor[[]byte]()
	errorType          = reflect.TypeFor[error]()
	attributeValueType = reflect.TypeFor[types.AttributeValue]()
	stringMapType      = reflect.TypeFor[map[string]string]()
	attributeMapType   = reflect.TypeFor[map[string]types.AttributeValue]()
)

// describe covers the kinds of types that the SDK's requests, responses and
// exceptions are made of; there are no others.
func (s *study) describe(t reflect.Type) plan {
	switch t {
	case timeType:
		return timePlan
	case blobType:
		return blobPlan
	case attributeValueType:
		return attributeValuePlan
	case stringMapType:
		return stringMapPlan
	case attributeMapType:
		return attributeMapPlan
	}
	switch t.Kind() {
	case reflect.Pointer:
		return pointerTo(s.plan(t.Elem()), t.Elem())
	case reflect.Struct:
		return s.structure(t)
	case reflect.Slice:
		return listOf(s.plan(t.Elem()), t)
	case reflect.Map:
		return mapTo(s.plan(t.Elem()), t)
	case reflect.Interface:
		return s.union()
	case reflect.String:
		return stringPlan
	case reflect.Bool:
		return boolPlan
	case reflect.Int32:
		return integerPlan(javaLang+"Integer", 32)
	case reflect.Int64:
		return integerPlan(javaLang+"Long", 64)
	case reflect.Float64:
		return floatPlan
	}
	return plan{}
}

func isNil(v reflect.Value) bool { return v.IsNil() }

func pointerTo(elem *plan, t reflect.Type) plan {
	return plan{
		class: elem.class,
		decode: func(d *decoder, v reflect.Value, element bool) {
			v.Set(reflect.New(t))
			elem.decode(d, v.Elem(), element)
		},
		encode: func(e *encoder, v reflect.Value) { elem.encode(e, v.Elem()) },
		absent: isNil,
	}
}

var stringPlan = plan{
	class:  javaString,
	decode: func(d *decoder, v reflect.Value, _ bool) { v.SetString(d.string()) },
	encode: func(e *encoder, v reflect.Value) { e.string(v.String()) },
	absent: func(v reflect.Value) bool { return v.Len() == 0 }, // an enum that is not set
}

var boolPlan = plan{
	class:  javaLang + "Boolean",
	decode: func(d *decoder, v reflect.Value, _ bool) { v.SetBool(d.bool()) },
	encode: func(e *encoder, v reflect.Value) { e.bool(v.Bool()) },
}

var floatPlan = plan{
	class:  javaLang + "Double",
	decode: func(d *decoder, v reflect.Value, _ bool) { v.SetFloat(d.float()) },
	encode: func(e *encoder, v reflect.Value) { e.float(v.Float()) },
}

var timePlan = plan{
	class:  "java.util.Date",
	decode: func(d *decoder, v reflect.Value, _ bool) { v.Set(reflect.ValueOf(d.time())) },
	encode: func(e *encoder, v reflect.Value) { e.time(v.Interface().(time.Time)) },
}

var blobPlan = plan{
	class:  "java.nio.ByteBuffer",
	decode: func(d *decoder, v reflect.Value, _ bool) { v.SetBytes(d.blob()) },
	encode: func(e *encoder, v reflect.Value) { e.blob(v.Bytes()) },
	absent: isNil,
}

func integerPlan(class string, bits int) plan {
	return plan{
		class:  class,
		decode: func(d *decoder, v reflect.Value, _ bool) { v.SetInt(d.integer(class, bits)) },
		encode: func(e *encoder, v reflect.Value) { e.integer(v.Int()) },
	}
}

// listOf decodes a null among the elements as the element's zero value.
func listOf(elem *plan, t reflect.Type) plan {
	return plan{
		class: javaList(elem.class),
		decode: func(d *decoder, v reflect.Value, element bool) {
			if !d.list(element) {
				return
			}
			v.Set(reflect.MakeSlice(t, 0, 0))
			for n := 0; d.more(n, ']'); n++ {
				v.Grow(1)
				v.SetLen(n + 1)
				v.Index(n).SetZero()
				if !d.word("null") {
					elem.decode(d, v.Index(n), true)
				}
			}
		},
		encode: func(e *encoder, v reflect.Value) {
			e.open('[')
			for i := range v.Len() {
				e.element(i)
				elem.encode(e, v.Index(i))
			}
			e.close(']')
		},
		absent: isNil,
	}
}

// mapTo decodes a null among the values as the value's zero value.
func mapTo(elem *plan, t reflect.Type) plan {
	return plan{
		class: javaMap(elem.class),
		decode: func(d *decoder, v reflect.Value, element bool) {
			if !d.mapOf(elem.class, element) {
				return
			}
			v.Set(reflect.MakeMap(t))
			for n := 0; d.more(n, '}'); n++ {
				name := string(d.key())
				value := reflect.New(t.Elem()).Elem()
				if !d.word("null") {
					elem.decode(d, value, true)
				}
				v.SetMapIndex(reflect.ValueOf(name), value)
			}
		},
		encode: func(e *encoder, v reflect.Value) {
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			e.open('{')
			for i, key := range keys {
				e.name(i, key.String())
				elem.encode(e, v.MapIndex(key))
			}
			e.close('}')
		},
		absent: isNil,
	}
}

func (s *study) structure(t reflect.Type) plan {
	class := javaDynamoDB + t.Name()
	var members []member
	for i := range t.NumField() {
		if f := t.Field(i); onWire(t, f) {
			members = append(members, member{i, wireName(t, f.Name), s.plan(f.Type)})
		}
	}
	byName := make(map[string]*member, len(members))
	for i := range members {
		byName[members[i].name] = &members[i]
	}
	p := plan{
		class:   class,
		members: members,
		decode: func(d *decoder, v reflect.Value, element bool) {
			if !d.structure(class, element) {
				return
			}
			for n := 0; d.more(n, '}'); n++ {
				m := byName[string(d.key())]
				switch {
				case d.word("null"):
				case m == nil: // the service ignores members it does not know
					d.skip()
				default:
					m.decode(d, v.Field(m.index), false)
				}
			}
		},
	}
	p.encode = func(e *encoder, v reflect.Value) {
		e.open('{')
		p.encodeMembers(e, v, 0)
		e.close('}')
	}
	return p
}

// encodeMembers writes the members of a structure into an object that has n
// already, and returns how many there are then.
func (p *plan) encodeMembers(e *encoder, v reflect.Value, n int) int {
	for _, m := range p.members {
		f := v.Field(m.index)
		if m.absent != nil && m.absent(f) {
			continue
		}
		e.name(n, m.name)
		m.encode(e, f)
		n++
	}
	return n
}

// onWire reports whether a field is part of the protocol. The message of an
// exception is added by its envelope, since its name differs; see [envelope].
func onWire(t reflect.Type, f reflect.StructField) bool {
	switch f.Name {
	case "ResultMetadata", "ErrorCodeOverride":
		return false
	case "Message":
		return !reflect.PointerTo(t).Implements(errorType)
	}
	return f.IsExported()
}

// wireName returns the name of a member, which is the field's but for the
// structures in which the service's model begins names with a small letter.
func wireName(t reflect.Type, field string) string {
	switch t {
	case reflect.TypeFor[types.ThrottlingReason](), reflect.TypeFor[types.ThrottlingException](), reflect.TypeFor[streamtypes.Record]():
		return strings.ToLower(field[:1]) + field[1:]
	}
	return field
}

// union encodes the attribute values of streams, which are types of their own;
// requests do not contain any.
func (s *study) union() plan {
	return plan{
		encode: func(e *encoder, v reflect.Value) {
			value := v.Elem().Elem() // the struct behind the pointer in the interface
			_, kind, _ := strings.Cut(value.Type().Name(), "Member")
			e.open('{')
			e.name(0, kind)
			s.codec.plan(value.Field(0).Type()).encode(e, value.Field(0))
			e.close('}')
		},
		absent: isNil,
	}
}
