package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
)

// Entity marks a struct as an entity of a single-table design. It stands as a
// blank field whose tag says how the entity's primary key is made:
//
//	_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{OrderID}"`
//
// The name is what the discriminator attribute holds; without one it is the
// struct's name. A table with a simple key takes no sk.
type Entity struct{}

// Index marks an entity's place in a secondary index, one blank field for each:
//
//	_ ddb.Index `name:"GSI1" pk:"STATUS#{Status}" sk:"{PlacedAt}#{OrderID}"`
//	_ ddb.Index `name:"ByRegion" pk:"{Region},{Status}" sk:"{Score},{At}"` // a key of several attributes
//	_ ddb.Index `name:"ByTitle" sk:"{Title:lower}"`                         // a local index
//
// An item is in the index if every field in its templates has a value. A field
// with the dynamodbav option omitempty may be empty; the item is then left out
// (a sparse index). Any other empty field is an error.
type Index struct{}

var (
	entityType = reflect.TypeFor[Entity]()
	indexType  = reflect.TypeFor[Index]()
)

// entity is what a table knows of a Go type, whatever that type is.
type entity struct {
	table   *Table
	name    string // discriminator
	plan    *structPlan
	primary *keySpec
	specs   []*keySpec // primary, then those of indexes in the order of the struct
	stamps  stamps
	unique  []*uniqueField // in the order of the struct
}

// known returns the entity; of none, such as an operation has that no Definition has
// made, one with which no operation works.
func (e *entity) known() *entity {
	if e == nil {
		return undefined(Fault{Problem: "an operation or a Definition is nil or zero; operations come from a Definition, and that from ddb.Define"})
	}
	return e
}

// undefined is an entity that is not defined, and why.
func undefined(why Fault) *entity {
	none := new(keySpec)
	return &entity{table: &Table{faults: []Fault{why}}, primary: none, specs: []*keySpec{none}}
}

// keySpec is an entity's key in the table or in one index.
type keySpec struct {
	index  string // "" for the table
	local  bool   // a local index
	pk, sk []*keyColumn
	all    []*keyColumn // both, made once since every call needs them
	order  []string     // attributes of the sort part
	// position is the keys that a position in a result has: the primary and this one.
	position []*keySpec
	// thin means that the index does not carry the discriminator.
	thin bool
	// mixed means that a query for this entity can come upon other entities,
	// and must tell them apart by the discriminator.
	mixed atomic.Bool
}

// columns returns the key's columns in the order of its schema.
func (s *keySpec) columns() []*keyColumn {
	if s.all == nil {
		return slices.Concat(s.pk, s.sk)
	}
	return s.all
}

// settle makes what every call needs of a key whose columns are known.
func (s *keySpec) settle(primary *keySpec) {
	s.all, s.position = s.columns(), []*keySpec{primary, s}
	for _, c := range s.sk {
		s.order = append(s.order, c.attr)
	}
}

// consistent reports whether the key can be read strongly consistently.
func (s *keySpec) consistent() bool { return s.index == "" || s.local }

var errNotConsistent = because(ErrIndex, "a global secondary index has no consistent reads; read the table or a local index")

// tells reports whether the key holds the field's very value.
func (s *keySpec) tells(f *field) bool {
	return slices.ContainsFunc(s.columns(), func(c *keyColumn) bool { return c.tells(f) })
}

func (s *keySpec) uses(f *field) bool {
	return slices.ContainsFunc(s.columns(), func(c *keyColumn) bool { return c.uses(f) })
}

// newEntity compiles a struct type for a table. Faults go to the table; the
// entity is usable only if there were none.
func newEntity(t *Table, typ reflect.Type) *entity {
	e := &entity{table: t, name: typ.Name()}
	fault := func(tag, problem string) { t.fault(Fault{Type: typ.String(), Tag: tag, Problem: problem}) }
	if typ.Kind() != reflect.Struct {
		fault("", "is no struct; define entities as structs with a blank ddb.Entity field")
		return e
	}
	e.plan = newStructPlan(typ, fault)
	marks := markers(typ, nil, fault)
	for _, m := range marks {
		if m.typ == entityType {
			e.setPrimary(m, fault)
		}
	}
	if e.primary == nil {
		fault("", "has no blank field of type ddb.Entity with the templates of its key")
		return e
	}
	for _, m := range marks {
		if m.typ == indexType {
			e.addIndex(m, fault)
		}
	}
	e.plan.room = 1
	for _, c := range e.columns() {
		if c.plain == nil && !c.elsewhere {
			e.plan.room++
		}
	}
	e.spreadBy(fault)
	e.readStamps(fault)
	e.checkUnique(fault)
	if f := e.plan.byAttr(t.discriminator); f != nil {
		fault(f.name, fmt.Sprintf("the attribute %q is the table's discriminator; rename the field with a dynamodbav tag, or the discriminator with ddb.Discriminator", t.discriminator))
	}
	return e
}

func (e *entity) setPrimary(m marker, fault func(tag, problem string)) {
	if e.primary != nil {
		fault(m.tag, "is a second ddb.Entity field; an entity has one primary key")
		return
	}
	if m.word["name"] != "" {
		e.name = m.word["name"]
	}
	spec := &keySpec{}
	spec.pk = e.newColumns(spec, "pk", e.table.keys.pk, m)
	spec.sk = e.newColumns(spec, "sk", e.table.keys.sk, m)
	e.primary, e.specs = spec, []*keySpec{spec}
	spec.settle(e.primary)
}

func (e *entity) addIndex(m marker, fault func(tag, problem string)) {
	name := m.word["name"]
	switch {
	case name == "":
		fault(m.tag, `needs the name of the index, as in name:"GSI1"`)
		return
	case e.spec(name) != nil:
		fault(m.tag, fmt.Sprintf("names index %s twice", name))
		return
	}
	ix := e.table.index(name)
	if ix == nil && !e.table.declared {
		ix = e.table.imply(name, e.impliedNames(name, m))
	}
	if ix == nil {
		fault(m.tag, fmt.Sprintf("names index %s, which the table does not have; its indexes are %s", name, strings.Join(e.table.indexNames(), ", ")))
		return
	}
	spec := &keySpec{index: name, local: ix.local, thin: !ix.projects(e.table, e.table.discriminator)}
	spec.pk = e.newColumns(spec, "pk", ix.keys.pk, m)
	spec.sk = e.newColumns(spec, "sk", ix.keys.sk, m)
	e.specs = append(e.specs, spec)
	spec.settle(e.primary)
}

// spec returns the entity's key in an index, "" being the table, or nil.
func (e *entity) spec(index string) *keySpec {
	for _, s := range e.specs {
		if s.index == index {
			return s
		}
	}
	return nil
}

// columns returns the key attributes of all the entity's keys.
func (e *entity) columns() []*keyColumn {
	var out []*keyColumn
	for _, s := range e.specs {
		out = append(out, s.columns()...)
	}
	return out
}
