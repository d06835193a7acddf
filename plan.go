package ddb

import (
	"fmt"
	"reflect"
	"slices"
)

// structPlan is what the layer knows of a struct type, an entity's or one inside
// it: its attributes and how each is written and read. It is made once per
// definition and not changed afterwards.
type structPlan struct {
	typ    reflect.Type
	fields []*field
	byName map[string]*field // by Go name, promoted fields included; nil if ambiguous
	faults []planFault
	codecs *codecs
	whole  codec        // of an entity: the plan itself, unless the type has its own stored form
	need   need         // of the struct without its lists and maps
	many   []collection // its lists and maps
	room   int          // further attributes that the item will get
	names  int          // bytes of all attribute names, and one more for each
}

// collection is a field with elements, and what each of them makes.
type collection struct {
	*field
	each need
}

// planFault is a mistake in a struct's fields.
type planFault struct{ tag, problem string }

// field is one attribute-bearing field of a struct.
type field struct {
	name      string // in Go
	attr      string // attribute name in the item
	index     []int  // for reflect.Value.FieldByIndex
	typ       reflect.Type
	tag       reflect.StructTag
	omitempty bool
	nullable  bool // a NULL in the item is wanted
	slot      slot
}

// newStructPlan reads the fields of an entity's type. Every mistake in it, and
// in the types of its fields, goes to fault.
func newStructPlan(typ reflect.Type, fault func(tag, problem string)) *structPlan {
	p := new(codecs).structPlan(typ)
	if p.whole = p; storesItself(typ) {
		p.whole = &ownCodec{typ: typ, marshals: has(typ, marshaler), unmarshals: has(typ, unmarshaler), rest: p}
	}
	for _, f := range p.faults {
		fault(f.tag, f.problem)
	}
	for _, f := range p.fields {
		refusals(f.slot.codec, map[codec]bool{p: true}, func(problem string) { fault(f.name, problem) })
	}
	return p
}

// embedding is a struct whose fields count as those of the struct around it.
type embedding struct {
	typ   reflect.Type
	index []int
}

// collect finds the fields of the plan's type as package attributevalue does:
// dynamodbav tags name attributes, untagged embedded structs are flattened, an
// outer field hides those further inside. Two fields in one place that share an
// attribute, of which attributevalue would drop at least one, are a fault.
func (p *structPlan) collect() {
	seen := make(map[reflect.Type]bool)
	for level := []embedding{{typ: p.typ}}; len(level) > 0; {
		for _, e := range level {
			seen[e.typ] = true
		}
		var next []embedding
		for _, e := range level {
			for sf := range fieldsOf(e.typ) {
				inner := p.visit(sf, append(slices.Clone(e.index), sf.Index...))
				if inner.typ != nil && !seen[inner.typ] {
					next = append(next, inner)
				}
			}
		}
		level = next
	}
}

// visit adds a field to the plan, or returns the embedded struct that it is.
func (p *structPlan) visit(sf reflect.StructField, index []int) embedding {
	tag := parseTag(sf.Tag)
	if sf.Tag.Get("ddb") == "ttl" && sf.Type == timeType {
		tag.options |= unixTime // which is how DynamoDB reads an expiry
	}
	if tag.name == "-" || !sf.IsExported() && !sf.Anonymous {
		return embedding{}
	}
	typ := indirect(sf.Type)
	if sf.Anonymous && tag.name == "" && typ.Kind() == reflect.Struct && typ != timeType {
		switch {
		case !sf.IsExported() && sf.Type.Kind() == reflect.Pointer:
			p.fault(sf.Name, fmt.Sprintf("embeds a pointer to the unexported struct %s, which cannot be set; embed the struct itself", typ))
		case opaque(typ):
			p.fault(sf.Name, fmt.Sprintf("embeds %s, which has no field that can be stored; tag it dynamodbav:\"-\" to leave it out", typ))
		}
		return embedding{typ, index}
	}
	if !sf.IsExported() && tag.name == "" {
		return embedding{}
	}
	if !sf.IsExported() && (!storesFields(sf.Type) || has(sf.Type, zeroer)) {
		p.fault(sf.Name, fmt.Sprintf("embeds the unexported type %s, which cannot be set; export it", sf.Type))
		return embedding{}
	}
	for _, problem := range tag.problems(sf.Type) {
		p.fault(fmt.Sprintf("%s dynamodbav:%q", sf.Name, sf.Tag.Get("dynamodbav")), problem)
	}
	p.add(&field{
		name: sf.Name, attr: tag.name, index: index, typ: sf.Type, tag: sf.Tag,
		omitempty: tag.options.has(omitEmpty),
		nullable:  tag.options.has(nullEmpty) || sf.Type.Kind() == reflect.Interface,
		slot:      slot{options: tag.options},
	})
	return embedding{}
}

// opaque reports whether a struct keeps everything it has to itself.
func opaque(t reflect.Type) bool {
	hidden := false
	for sf := range fieldsOf(t) {
		if sf.IsExported() || sf.Anonymous {
			return false
		}
		hidden = hidden || sf.Name != "_"
	}
	return hidden
}

func (p *structPlan) fault(tag, problem string) {
	p.faults = append(p.faults, planFault{tag, problem})
}

// add adds a field that none further out hides.
func (p *structPlan) add(f *field) {
	if f.attr == "" {
		f.attr = f.name
	}
	if o := p.byAttr(f.attr); o != nil {
		if o.name != f.name || len(o.index) == len(f.index) {
			p.fault(f.name, fmt.Sprintf("the attribute %q is taken by field %s already; rename one with a dynamodbav tag", f.attr, o.name))
		}
		return
	}
	switch o, taken := p.byName[f.name]; {
	case !taken:
		p.byName[f.name] = f
	case o != nil && len(o.index) == len(f.index):
		p.byName[f.name] = nil
	}
	p.fields = append(p.fields, f)
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
	if found := f.in(v); found.IsValid() {
		return found
	}
	return reflect.Zero(f.typ)
}

// in returns the field in the struct v, or the invalid Value if an embedded
// pointer on the way to it is nil.
func (f *field) in(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
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

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
