package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
)

// structPlan is what the layer knows of an entity's Go type, made once per
// definition.
type structPlan struct {
	typ    reflect.Type
	fields []*field
	byName map[string]*field // by Go name, promoted fields included
}

// field is one attribute-bearing field of an entity.
type field struct {
	name      string // in Go
	attr      string // attribute name in the item
	index     []int  // for reflect.Value.FieldByIndex
	typ       reflect.Type
	tag       reflect.StructTag
	omitempty bool
	nullable  bool // a NULL in the item is wanted
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	unmarshaler = reflect.TypeFor[attributevalue.Unmarshaler]()
)

// avOptions are the words that may follow the name in a dynamodbav tag.
var avOptions = []string{
	"omitempty", "omitemptyelem", "nullempty", "nullemptyelem", "string",
	"binaryset", "numberset", "stringset", "unixtime",
}

// newStructPlan reads the fields of a struct type as package attributevalue
// does: dynamodbav tags name attributes, untagged embedded structs are
// flattened, the outermost of two fields with one name wins. What
// attributevalue would ignore in silence, a misspelt option or two fields with
// one attribute name, is reported through fault.
func newStructPlan(typ reflect.Type, fault func(tag, problem string)) *structPlan {
	p := &structPlan{typ: typ, byName: make(map[string]*field)}
	p.collect(typ, nil, fault)
	p.checkNames(fault)
	return p
}

func (p *structPlan) collect(typ reflect.Type, path []int, fault func(tag, problem string)) {
	var embedded []reflect.StructField
	for sf := range fieldsOf(typ) {
		if sf.PkgPath != "" && !sf.Anonymous {
			continue
		}
		name, options := splitTag(sf.Tag.Get("dynamodbav"))
		if name == "-" {
			continue
		}
		for _, o := range options {
			if !slices.Contains(avOptions, o) {
				fault(fmt.Sprintf("%s dynamodbav:%q", sf.Name, sf.Tag.Get("dynamodbav")),
					fmt.Sprintf("unknown option %q; the options are %s", o, strings.Join(avOptions, ", ")))
			}
		}
		if sf.Anonymous && name == "" && indirect(sf.Type).Kind() == reflect.Struct && indirect(sf.Type) != timeType {
			embedded = append(embedded, sf)
			continue
		}
		if bad := unreadable(sf.Type, nil); bad != nil {
			fault(sf.Name, fmt.Sprintf("holds the interface %s, which cannot be read back; use a struct, or any", bad))
		}
		p.add(sf, name, options, path)
	}
	// Breadth first, so that an outer field is known before the embedded one
	// that it hides.
	for _, sf := range embedded {
		p.collect(indirect(sf.Type), append(slices.Clone(path), sf.Index...), fault)
	}
}

// unreadable finds an interface with methods inside a type. Package
// attributevalue writes what is in one, and panics when it reads it.
func unreadable(t reflect.Type, seen []reflect.Type) reflect.Type {
	if slices.Contains(seen, t) || t == timeType ||
		t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	seen = append(seen, t)
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return t
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return unreadable(t.Elem(), seen)
	case reflect.Struct:
		for sf := range fieldsOf(t) {
			if name, _ := splitTag(sf.Tag.Get("dynamodbav")); name == "-" || sf.PkgPath != "" {
				continue
			}
			if bad := unreadable(sf.Type, seen); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func (p *structPlan) add(sf reflect.StructField, name string, options []string, path []int) {
	if p.byName[sf.Name] != nil {
		return
	}
	f := &field{
		name:      sf.Name,
		attr:      name,
		index:     append(slices.Clone(path), sf.Index...),
		typ:       sf.Type,
		tag:       sf.Tag,
		omitempty: slices.Contains(options, "omitempty"),
		nullable:  slices.Contains(options, "nullempty") || sf.Type.Kind() == reflect.Interface,
	}
	if f.attr == "" {
		f.attr = sf.Name
	}
	p.fields = append(p.fields, f)
	p.byName[sf.Name] = f
}

func (p *structPlan) checkNames(fault func(tag, problem string)) {
	owner := make(map[string]string)
	for _, f := range p.fields {
		if first, taken := owner[f.attr]; taken {
			fault(f.name, fmt.Sprintf("the attribute %q is taken by field %s already; rename one with a dynamodbav tag", f.attr, first))
		}
		owner[f.attr] = f.name
	}
}

func (p *structPlan) byAttr(attr string) *field {
	for _, f := range p.fields {
		if f.attr == attr {
			return f
		}
	}
	return nil
}

// value returns the field's value in the struct v, the zero value if an
// embedded pointer on the way to it is nil.
func (f *field) value(v reflect.Value) reflect.Value {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Zero(f.typ)
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

func fieldsOf(typ reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range typ.NumField() {
			if !yield(typ.Field(i)) {
				return
			}
		}
	}
}

func splitTag(tag string) (name string, options []string) {
	parts := strings.Split(tag, ",")
	return parts[0], parts[1:]
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
