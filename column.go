package ddb

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// keyColumn is one key attribute and how it is filled: from a template, or by
// being an attribute of the entity itself.
type keyColumn struct {
	attr     string
	template *keyTemplate
	plain    *field   // the field whose attribute is the key
	alone    []*field // plain, as all fields of the column
	kind     types.ScalarAttributeType
	most     int // bytes
	// elsewhere means that an index uses an attribute which items have anyway:
	// one of the table's own key, or the discriminator.
	elsewhere bool
	// shared means that another index uses the attribute too. It is then kept
	// for its own fields alone, whichever of the indexes the item is in.
	shared bool
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
		return c.alone
	}
	return c.template.needs
}

// source is the template as a tag writes it.
func (c *keyColumn) source() string {
	if c.plain != nil {
		return "{" + c.plain.name + "}"
	}
	return c.template.source
}

// tells reports whether the column holds the field's very value.
func (c *keyColumn) tells(f *field) bool {
	return c.plain == f || c.plain == nil && c.template.tells(f)
}

// Lengths of key attributes in bytes. Constraints.html#limits-partition-sort-keys.
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// render returns the column's value in a key. The shard is the item's own if it
// is negative.
func (c *keyColumn) render(value values, shard int) (types.AttributeValue, *partError) {
	if f := c.plain; f != nil {
		v := value(f)
		av, err := f.codec().encode(v)
		if err != nil || c.empty(f, v) {
			return nil, &partError{f, errEmpty}
		}
		if valueSize(av) > c.most {
			return nil, c.tooLong(f)
		}
		return av, nil
	}
	key, err := c.template.render(value, shard)
	if err != nil {
		return nil, err
	}
	if n := len(c.template.fields); n > 0 && len(key) > c.most {
		return nil, c.tooLong(c.template.fields[n-1].field)
	}
	return text(key), nil
}

func (c *keyColumn) tooLong(f *field) *partError {
	return &partError{f, fmt.Errorf("makes the key attribute %s longer than %d bytes", c.attr, c.most)}
}

// checkLengths refuses keys of attributes that the service would, several for one
// role being taken together. What a template makes alone is checked with that.
func checkLengths(role []*keyColumn, known parts) *partError {
	if len(role) == 1 && role[0].plain == nil {
		return nil
	}
	total := 0
	for _, c := range role {
		if _, state := c.state(known, true); state != partKnown || c.elsewhere {
			continue
		}
		if total += c.length(known); total > c.most {
			return c.tooLong(c.fields()[len(c.fields())-1])
		}
	}
	return nil
}

// length returns the bytes of a key attribute whose fields are known, 0 if it
// cannot be made.
func (c *keyColumn) length(known parts) int {
	if c.plain != nil {
		v, _ := known(c.plain)
		codec := c.plain.codec()
		if _, ok := codec.codec.(stringCodec); ok {
			return v.Len()
		}
		av, _ := codec.encode(v)
		return valueSize(av)
	}
	made, err := c.render(func(f *field) reflect.Value { v, _ := known(f); return v }, -1)
	if err != nil {
		return 0
	}
	return valueSize(made)
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

// newColumns compiles what a tag says of one role of a key, with the attributes
// that the key has for it.
func (e *entity) newColumns(spec *keySpec, word string, attrs []string, m marker) []*keyColumn {
	source := m.word[word]
	fault := func(problem string) {
		e.keyFault(spec.index, word, strings.Join(attrs, ", "), m, problem)
	}
	sources := splitTemplates(source, len(attrs))
	switch {
	case len(attrs) == 0 && source == "":
		return nil
	case len(attrs) == 0:
		fault("has a template, but the key has no sort part")
		return nil
	case spec.local && word == "pk" && source != "":
		fault("has a template, but a local index has the table's partition key; leave it out")
	case source == "":
		if sources = e.madeAnyway(spec, attrs); sources == nil && word == "sk" {
			fault("has no template, but the key has a sort part")
		} else if sources == nil {
			fault("has no template")
		}
	case len(attrs) == 1 && fieldList(source, e.table.separator) != nil:
		fault(fmt.Sprintf("lists %d fields, but the key has one attribute; list an attribute for each in ddb.GSI, or put the separator %q between the fields",
			len(fieldList(source, e.table.separator)), e.table.separator))
		sources = nil
	case len(sources) != len(attrs):
		fault(fmt.Sprintf("lists %d templates, but the key has %d attributes", len(sources), len(attrs)))
		sources = nil
	}
	out := make([]*keyColumn, len(attrs))
	for i, attr := range attrs {
		if sources == nil {
			out[i] = &keyColumn{attr: attr, kind: types.ScalarAttributeTypeS, template: &keyTemplate{}}
			continue
		}
		out[i] = e.newColumn(spec, word, attr, sources[i], m)
	}
	return out
}

// newColumn compiles the template of one attribute.
func (e *entity) newColumn(spec *keySpec, word, attr, source string, m marker) *keyColumn {
	fault := func(problem string) { e.keyFault(spec.index, word, attr, m, problem) }
	c := &keyColumn{attr: attr, kind: types.ScalarAttributeTypeS, most: maxPartitionKey}
	if word == "sk" {
		c.most = maxSortKey
	}
	if source == "" {
		fault("has no template for the attribute")
	}
	e.relate(c, spec, source, fault)
	owner := e.plan.byAttr(attr)
	if owner != nil && source == "{"+owner.name+"}" {
		c.plain, c.alone = owner, []*field{owner}
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
	c.template = compileTemplate(source, e.plan, e.table.separator, word == "sk", fault)
	return c
}

// relate finds out where else the entity fills the attribute, and reports a
// template that would fill it with something else.
func (e *entity) relate(c *keyColumn, spec *keySpec, source string, fault func(string)) {
	if c.attr == e.table.discriminator {
		c.elsewhere = spec.index != ""
		if source != e.name {
			fault(fmt.Sprintf("fills the discriminator, which is %q; write that, or leave the template out", e.name))
		}
		return
	}
	if spec.index == "" {
		return
	}
	for _, s := range e.specs {
		for _, o := range s.columns() {
			switch {
			case o.attr != c.attr:
			case s == e.primary:
				c.elsewhere = true
			default:
				c.shared, o.shared = true, true
			}
			if o.attr == c.attr && o.source() != source {
				fault(fmt.Sprintf("fills an attribute that holds %q already; an attribute has one template", o.source()))
			}
		}
	}
}

// madeAnyway returns the templates of attributes that items have whether or not
// they are in the index, or nil if one is none of those.
func (e *entity) madeAnyway(spec *keySpec, attrs []string) []string {
	if spec.index == "" {
		return nil
	}
	var out []string
	for _, attr := range attrs {
		if attr == e.table.discriminator {
			out = append(out, e.name)
		}
		for _, c := range e.primary.columns() {
			if c.attr == attr {
				out = append(out, c.source())
			}
		}
	}
	if len(out) != len(attrs) {
		return nil
	}
	return out
}

func (e *entity) keyFault(index, word, attr string, m marker, problem string) {
	tag := fmt.Sprintf("%s:%q", word, m.word[word])
	if index != "" {
		tag = index + " " + tag
	}
	e.table.fault(Fault{Type: e.plan.typ.String(), Tag: tag, Column: attr, Problem: problem})
}

// plainKind returns the type of the key that a field's own attribute makes.
func plainKind(f *field) (types.ScalarAttributeType, error) {
	stored := types.ScalarAttributeType(f.slot.codec.descriptor())
	switch kind := f.typ.Kind(); {
	case stored == types.ScalarAttributeTypeB && kind != reflect.Pointer:
		return stored, nil
	case stored == types.ScalarAttributeTypeN && f.typ.Implements(numeral):
		return stored, nil
	case kind == reflect.Bool:
		return stored, errors.New("is a bool; keys are strings, numbers or bytes")
	}
	_, err := newFormat(f.typ, "", 0, false)
	if err == nil && !slices.Contains(types.ScalarAttributeTypeS.Values(), stored) {
		err = errors.New("has a stored form of its own, of which it is not known whether it is a string, number or bytes")
	}
	return stored, err
}

// fieldListForm is a key of several attributes, each a field's own.
var fieldListForm = regexp.MustCompile(`^\{[^{}:]+\}(,\{[^{}:]+\})+$`)

// fieldList returns the names in such a key as {Region},{Status}; nil if it is
// none. Where the separator is a comma that is one template of two fields.
func fieldList(source string, sep byte) []string {
	if sep == ',' || !fieldListForm.MatchString(source) {
		return nil
	}
	names := strings.Split(source, ",")
	for i, n := range names {
		names[i] = strings.Trim(n, "{}")
	}
	return names
}

// impliedNames returns the attributes of an index that no option lists.
func (e *entity) impliedNames(index string, m marker) keyNames {
	role := func(source, attr string) []string {
		fields := fieldList(source, e.table.separator)
		if fields == nil {
			return []string{attr}
		}
		out := slices.Clone(fields)
		for i, name := range fields {
			if f := e.plan.byName[name]; f != nil {
				out[i] = f.attr
			}
		}
		return out
	}
	keys := keyNames{pk: role(m.word["pk"], index+"PK")}
	if m.word["sk"] != "" {
		keys.sk = role(m.word["sk"], index+"SK")
	}
	return keys
}

// splitTemplates splits the templates of a key of n attributes at the commas
// outside of braces. The one template of one attribute may hold commas.
func splitTemplates(source string, n int) []string {
	if n == 1 {
		return []string{source}
	}
	var out []string
	depth, start := 0, 0
	for i := range len(source) {
		switch source[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, source[start:i])
				start = i + 1
			}
		}
	}
	return append(out, source[start:])
}
