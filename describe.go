package ddb

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/schema"
)

// Schema describes the table, its entities and the access patterns declared for
// it as plain data, from which package design makes documents, deployments and
// findings. It fails with [ErrDefinition] if there are faults.
func (t *Table) Schema() (schema.Table, error) {
	create, err := t.CreateTableInput()
	if err != nil {
		return schema.Table{}, err
	}
	expiry, err := t.UpdateTimeToLiveInput()
	if err != nil {
		return schema.Table{}, err
	}
	kinds := make(map[string]types.ScalarAttributeType)
	for _, d := range create.AttributeDefinitions {
		kinds[*d.AttributeName] = d.AttributeType
	}
	out := schema.Table{
		Name: t.name, Discriminator: t.discriminator, Separator: string(t.separator),
		Key: describeKey(create.KeySchema, kinds),
	}
	if expiry != nil {
		out.TTL = *expiry.TimeToLiveSpecification.AttributeName
	}
	for _, ix := range create.GlobalSecondaryIndexes {
		out.Indexes = append(out.Indexes, describeIndex(*ix.IndexName, false, ix.KeySchema, ix.Projection, kinds))
	}
	for _, ix := range create.LocalSecondaryIndexes {
		out.Indexes = append(out.Indexes, describeIndex(*ix.IndexName, true, ix.KeySchema, ix.Projection, kinds))
	}
	keys := map[string]schema.Key{"": out.Key}
	for _, ix := range out.Indexes {
		keys[ix.Name] = ix.Key
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entities {
		out.Entities = append(out.Entities, e.describe(keys))
	}
	for _, p := range t.patterns {
		out.Patterns = append(out.Patterns, copyPattern(p))
	}
	return out, nil
}

func copyPattern(p schema.Pattern) schema.Pattern {
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Filter, s.Reads = slices.Clone(s.Filter), slices.Clone(s.Reads)
	}
	return p
}

func describeKey(elements []types.KeySchemaElement, kinds map[string]types.ScalarAttributeType) schema.Key {
	var k schema.Key
	for _, el := range elements {
		a := schema.Attribute{Name: *el.AttributeName, Type: kinds[*el.AttributeName]}
		if el.KeyType == types.KeyTypeHash {
			k.Partition = append(k.Partition, a)
		} else {
			k.Sort = append(k.Sort, a)
		}
	}
	return k
}

func describeIndex(name string, local bool, key []types.KeySchemaElement, p *types.Projection, kinds map[string]types.ScalarAttributeType) schema.Index {
	return schema.Index{
		Name: name, Local: local, Key: describeKey(key, kinds),
		Projection: p.ProjectionType, Include: slices.Clone(p.NonKeyAttributes),
	}
}

// describe describes the entity; keys are those of the table and its indexes by
// name, "" being the table. The caller holds the table's mu.
func (e *entity) describe(keys map[string]schema.Key) schema.Entity {
	out := schema.Entity{Name: e.name, GoType: e.plan.typ.String(), Fields: describeFields(e.plan.fields, e.plan)}
	for i, f := range e.plan.fields {
		out.Fields[i].Keeps = e.word(f)
	}
	for _, s := range e.specs {
		k := schema.EntityKey{Index: s.index}
		for _, c := range s.pk {
			k.Partition = append(k.Partition, c.describe())
		}
		for _, c := range s.sk {
			k.Sort = append(k.Sort, c.describe())
		}
		for _, c := range s.columns() {
			k.Sparse = k.Sparse || s.index != "" && slices.ContainsFunc(c.fields(), func(f *field) bool { return f.omitempty })
		}
		for _, o := range e.table.entities {
			if other := o.spec(s.index); o != e && other != nil && s.meetsQuery(other) {
				k.Meets = append(k.Meets, o.name)
			}
		}
		out.Keys = append(out.Keys, k)
	}
	return out
}

// word returns what a ddb tag says of a field, "" if nothing.
func (e *entity) word(f *field) string {
	if slices.ContainsFunc(e.unique, func(u *uniqueField) bool { return u.field == f }) {
		return "unique"
	}
	switch s := e.stamps; f {
	case s.version:
		return "version"
	case s.ttl:
		return "ttl"
	case s.created:
		return "created"
	case s.updated:
		return "updated"
	}
	return ""
}

// describeFields describes fields and those of the structs that they hold; above
// are the structs that they are in, which a recursive type leads back to.
func describeFields(fields []*field, above ...*structPlan) []schema.Field {
	out := make([]schema.Field, len(fields))
	for i, f := range fields {
		out[i] = schema.Field{
			Name: f.name, Attribute: f.attr, Type: f.slot.codec.descriptor(), GoType: f.typ.String(), Optional: f.omitempty,
		}
		switch p := heldStruct(f.slot.codec); {
		case p == nil:
		case slices.Contains(above, p):
			out[i].Recursive = true
		default:
			out[i].Fields = describeFields(p.fields, append(slices.Clip(above), p)...)
		}
	}
	return out
}

// heldStruct returns the struct that a codec's values are made of, alone or in
// lists and maps, or nil.
func heldStruct(c codec) *structPlan {
	switch c := c.(type) {
	case *structPlan:
		return c
	case *pointerCodec:
		return heldStruct(c.elem)
	case *listCodec:
		return heldStruct(c.elem.codec)
	case *mapCodec:
		return heldStruct(c.elem.codec)
	}
	return nil
}

func (c *keyColumn) describe() schema.Template {
	out := schema.Template{Attribute: c.attr, Type: c.kind, Source: c.source(), Plain: c.plain != nil}
	if c.plain != nil {
		out.Parts = []schema.Part{{Kind: partKindOf(c.plain.typ), Field: c.plain.name}}
		return out
	}
	for _, p := range c.template.parts {
		out.Parts = append(out.Parts, p.describe())
	}
	return out
}

func (p keyPart) describe() schema.Part {
	switch {
	case p.shard != nil:
		out := schema.Part{Kind: schema.Shard, Shards: p.shard.n, Also: slices.Clone(p.shard.also)}
		for _, f := range p.shard.fields() {
			out.By = append(out.By, f.name)
		}
		return out
	case p.field == nil:
		return schema.Part{Kind: schema.Literal, Literal: p.literal}
	}
	return schema.Part{
		Kind: partKindOf(p.field.typ), Field: p.field.name,
		Format: formatOf(p.format), Width: p.format.width(), Descending: p.format.descending(),
	}
}

// partKindOf says what a field of the type puts into a key.
func partKindOf(t reflect.Type) schema.PartKind {
	kind := t.Kind()
	switch {
	case t == timeType:
		return schema.Time
	case t == reflect.TypeFor[[]byte]():
		return schema.Bytes
	case writesText(t):
		return schema.Text
	case kind == reflect.Bool:
		return schema.Bool
	case kind >= reflect.Int && kind <= reflect.Float64:
		return schema.Number
	}
	return schema.Text
}

// formatOf returns what stands behind the colon of a placeholder, or what holds
// without it.
func formatOf(f partFormat) string {
	switch f := f.(type) {
	case timeFormat:
		if f.desc {
			return "desc:" + f.layout
		}
		return f.layout
	case intFormat:
		return f.text()
	case textFormat:
		switch {
		case f.lower:
			return "lower"
		case f.upper:
			return "upper"
		}
	}
	return ""
}

// text is the format as templates write it.
func (f intFormat) text() string {
	if f.digits == 0 {
		return "plain"
	}
	text := ""
	if f.desc {
		text = "desc:"
	}
	if f.signed {
		text += "+"
	}
	return text + fmt.Sprintf("0%d", f.digits)
}
