package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
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
//
// An item is in the index if every field in both templates has a value. A field
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
	indexes []*keySpec // in the order of the struct
	stamps  stamps
	unique  []*uniqueField // in the order of the struct
}

// keySpec is an entity's key in the table or in one index.
type keySpec struct {
	index  string // "" for the table
	pk, sk *keyColumn
	// thin means that the index does not carry the discriminator.
	thin bool
	// mixed means that a query for this entity can come upon other entities,
	// and must tell them apart by the discriminator.
	mixed atomic.Bool
}

// columns returns the key's columns, one or two.
func (s *keySpec) columns() []*keyColumn {
	if s.sk == nil {
		return []*keyColumn{s.pk}
	}
	return []*keyColumn{s.pk, s.sk}
}

func (s *keySpec) uses(f *field) bool {
	return slices.ContainsFunc(s.columns(), func(c *keyColumn) bool { return c.uses(f) })
}

// keyColumn is one key attribute and how it is filled: from a template, or by
// being an attribute of the entity itself.
type keyColumn struct {
	attr     string
	template *keyTemplate
	plain    *field // the field whose attribute is the key
	kind     types.ScalarAttributeType
}

func (c *keyColumn) uses(f *field) bool {
	if c.plain != nil {
		return c.plain == f
	}
	return c.template.uses(f)
}

// fields returns the fields that make up the column.
func (c *keyColumn) fields() []*field {
	if c.plain != nil {
		return []*field{c.plain}
	}
	return c.template.needs()
}

// marker is a blank Entity or Index field with its tag.
type marker struct {
	typ  reflect.Type
	tag  string
	word map[string]string
}

// markers finds the Entity and Index fields of a struct, those of embedded
// structs too. around are the structs in which typ is embedded; one that embeds
// itself has nothing further to tell.
func markers(typ reflect.Type, around []reflect.Type, fault func(tag, problem string)) []marker {
	if slices.Contains(around, typ) {
		return nil
	}
	around = append(around[:len(around):len(around)], typ)
	var found []marker
	for sf := range fieldsOf(typ) {
		if sf.Type == entityType || sf.Type == indexType {
			words, err := tagWords(string(sf.Tag))
			if err != nil {
				fault(string(sf.Tag), err.Error())
			}
			for _, w := range words {
				if !slices.Contains([]string{"name", "pk", "sk"}, w[0]) {
					fault(string(sf.Tag), fmt.Sprintf("unknown word %q; ddb.%s takes name, pk and sk", w[0], sf.Type.Name()))
				}
			}
			m := marker{typ: sf.Type, tag: string(sf.Tag), word: make(map[string]string)}
			for _, w := range words {
				m.word[w[0]] = w[1]
			}
			found = append(found, m)
		} else if sf.Anonymous && indirect(sf.Type).Kind() == reflect.Struct {
			found = append(found, markers(indirect(sf.Type), around, fault)...)
		}
	}
	return found
}

// tagWords splits a struct tag into its key:"value" pairs. reflect.StructTag
// only looks up keys one knows; a misspelt one would go unseen.
func tagWords(tag string) ([][2]string, error) {
	var words [][2]string
	rest := strings.TrimSpace(tag)
	for rest != "" {
		name, tail, ok := strings.Cut(rest, `:"`)
		end := strings.IndexByte(tail, '"')
		if !ok || end < 0 || strings.ContainsAny(name, " \"") {
			return words, fmt.Errorf(`is not a row of word:"text" pairs at %q`, rest)
		}
		words = append(words, [2]string{name, tail[:end]})
		rest = strings.TrimSpace(tail[end+1:])
	}
	return words, nil
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
	e.plan.room = 1 + len(e.columns())
	e.spreadBy()
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
	e.primary = e.newKeySpec("", e.table.keys, m)
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
	ix := e.table.index(name, m.word["sk"] == "")
	if ix == nil {
		fault(m.tag, fmt.Sprintf("names index %s, which the table does not have; its indexes are %s", name, strings.Join(e.table.indexNames(), ", ")))
		return
	}
	spec := e.newKeySpec(name, ix.keys, m)
	spec.thin = !ix.projects(e.table.discriminator)
	e.indexes = append(e.indexes, spec)
}

// spec returns the entity's key in an index, "" being the table, or nil.
func (e *entity) spec(index string) *keySpec {
	if index == "" {
		return e.primary
	}
	for _, s := range e.indexes {
		if s.index == index {
			return s
		}
	}
	return nil
}

func (e *entity) newKeySpec(index string, keys keyNames, m marker) *keySpec {
	s := &keySpec{index: index, pk: e.newColumn(index, "pk", keys.pk, m, false)}
	hasSK := m.word["sk"] != ""
	switch {
	case keys.sk != "" && hasSK:
		s.sk = e.newColumn(index, "sk", keys.sk, m, true)
	case keys.sk != "":
		e.keyFault(index, "sk", keys.sk, m, "has no template, but the key has a sort part")
	case hasSK:
		e.keyFault(index, "sk", "", m, "has a template, but the key has no sort part")
	}
	return s
}

func (e *entity) keyFault(index, word, attr string, m marker, problem string) {
	tag := fmt.Sprintf("%s:%q", word, m.word[word])
	if index != "" {
		tag = index + " " + tag
	}
	e.table.fault(Fault{Type: e.plan.typ.String(), Tag: tag, Column: attr, Problem: problem})
}

func (e *entity) newColumn(index, word, attr string, m marker, sorted bool) *keyColumn {
	fault := func(problem string) { e.keyFault(index, word, attr, m, problem) }
	source := m.word[word]
	c := &keyColumn{attr: attr, kind: types.ScalarAttributeTypeS}
	if source == "" {
		fault("has no template")
		c.template = &keyTemplate{}
		return c
	}
	owner := e.plan.byAttr(attr)
	if owner != nil && source == "{"+owner.name+"}" {
		c.plain = owner
		kind, err := plainKind(owner)
		if err != nil {
			fault(fmt.Sprintf("names {%s}, which %s", owner.name, err))
		}
		c.kind = kind
		return c
	}
	if owner != nil {
		fault(fmt.Sprintf("fills the attribute of field %s; rename that field's attribute with a dynamodbav tag", owner.name))
	}
	c.template = compileTemplate(source, e.plan, e.table.separator, sorted, fault)
	return c
}

// plainKind returns the type of the key that a field's own attribute makes.
func plainKind(f *field) (types.ScalarAttributeType, error) {
	stored := types.ScalarAttributeType(f.slot.codec.descriptor())
	switch kind := f.typ.Kind(); {
	case f.typ == reflect.TypeFor[[]byte]():
		return stored, nil
	case kind == reflect.Bool:
		return "", fmt.Errorf("is a bool; keys are strings, numbers or bytes")
	}
	_, err := newFormat(f.typ, "", 0, false)
	return stored, err
}

// specs returns the entity's keys: the primary key, then those of its indexes.
func (e *entity) specs() []*keySpec { return append([]*keySpec{e.primary}, e.indexes...) }

// columns returns the key attributes of all the entity's keys.
func (e *entity) columns() []*keyColumn {
	var out []*keyColumn
	for _, s := range e.specs() {
		out = append(out, s.columns()...)
	}
	return out
}

// checkAgainst reports how two entities of one table get in each other's way.
func (e *entity) checkAgainst(o *entity, fault func(Fault)) {
	if e.name == o.name {
		fault(Fault{Type: e.plan.typ.String(), Problem: fmt.Sprintf("has the name %q of %s; names tell entities apart", e.name, o.plan.typ)})
	}
	if keysMeet(e.primary, o.primary) {
		fault(Fault{
			Type: e.plan.typ.String(),
			Problem: fmt.Sprintf("can have the same key as %s (%s and %s): let the templates differ in their literal text",
				o.plan.typ, e.primary.sources(), o.primary.sources()),
		})
	}
	for _, c := range e.columns() {
		for _, d := range o.columns() {
			if c.attr == d.attr && c.kind != d.kind {
				fault(Fault{Type: e.plan.typ.String(), Column: c.attr,
					Problem: fmt.Sprintf("makes the key attribute a %s, where %s makes it a %s", c.kind, o.plan.typ, d.kind)})
			}
		}
	}
	if a, b := e.stamps.ttl, o.stamps.ttl; a != nil && b != nil && a.attr != b.attr {
		fault(Fault{Type: e.plan.typ.String(), Column: a.attr,
			Problem: fmt.Sprintf("expires by another attribute than %s, which has %s; a table has one", o.plan.typ, b.attr)})
	}
	e.checkUniqueAgainst(o, fault)
	e.markMixed(o, fault)
	o.markMixed(e, fault)
}

// markMixed notes where queries for e come upon items of o.
func (e *entity) markMixed(o *entity, fault func(Fault)) {
	for _, spec := range e.specs() {
		if s := o.spec(spec.index); s != nil && spec.meetsQuery(s) {
			spec.mixed.Store(true)
		}
	}
	p := e.primary
	if p.sk != nil && p.sk.literalPrefix() == "" && p.meetsQuery(o.primary) {
		fault(Fault{
			Type: e.plan.typ.String(), Tag: fmt.Sprintf("sk:%q", p.sk.source()), Column: p.sk.attr,
			Problem: fmt.Sprintf("begins with a field, so that its keys lie among those of %s; begin it with literal text", o.plan.typ),
		})
	}
}

func (s *keySpec) sources() string {
	if s.sk == nil {
		return s.pk.source()
	}
	return s.pk.source() + " / " + s.sk.source()
}

func (c *keyColumn) source() string {
	if c.plain != nil {
		return "{" + c.plain.name + "}"
	}
	return c.template.source
}

func (c *keyColumn) shape() []charRun {
	if c.plain != nil {
		return []charRun{anyTail}
	}
	return c.template.shape()
}

func (c *keyColumn) literalPrefix() string {
	if c.plain != nil {
		return ""
	}
	return c.template.literalPrefix()
}

// keysMeet reports whether two entities can have one primary key.
func keysMeet(a, b *keySpec) bool {
	if !meet(a.pk.shape(), b.pk.shape()) {
		return false
	}
	return a.sk == nil || b.sk == nil || meet(a.sk.shape(), b.sk.shape())
}

// meetsQuery reports whether a query for all items of s in one partition can
// come upon items of o.
func (s *keySpec) meetsQuery(o *keySpec) bool {
	if !meet(s.pk.shape(), o.pk.shape()) {
		return false
	}
	if s.sk == nil || o.sk == nil {
		return true
	}
	if s.sk.plain == nil && len(s.sk.template.fields) == 0 {
		return meet(s.sk.shape(), o.sk.shape())
	}
	prefix := literalRuns(s.sk.literalPrefix())
	return meet(prefix, o.sk.shape()) || meet(append(prefix, anyTail), o.sk.shape())
}
