package design_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/schema"
)

// Sketches describe tables without defining them: each definition costs the
// compiler more than all checks together. TestSketch holds them to what a
// definition gives.

// fieldTypes are the words for fields, with their Go types and descriptors.
var fieldTypes = map[string][2]string{
	"string": {"string", "S"}, "int": {"int", "N"}, "bool": {"bool", "BOOL"}, "time": {"time.Time", "S"}, "any": {"interface {}", ""},
	"quoted": {"int", "S"}, "unix": {"time.Time", "N"},
}

// sketch is an entity: its name, its fields as in "ID string, Where=地区 string",
// and its keys.
func sketch(name, fields string, keys ...schema.EntityKey) schema.Entity {
	e := schema.Entity{Name: name, GoType: "design_test." + name}
	for f := range strings.SplitSeq(fields, ", ") {
		name, typ, _ := strings.Cut(f, " ")
		name, attr, renamed := strings.Cut(name, "=")
		if !renamed {
			attr = name
		}
		e.Fields = append(e.Fields, schema.Field{Name: name, Attribute: attr, GoType: fieldTypes[typ][0], Type: fieldTypes[typ][1]})
	}
	for _, k := range keys {
		k.Partition, k.Sort = sketchTemplate(e, k.Index, "PK", k.Partition), sketchTemplate(e, k.Index, "SK", k.Sort)
		e.Keys = append(e.Keys, k)
	}
	return e
}

// key is a key by its templates, of which sketch finds out the parts. An
// attribute in front of one, as in "ID={ID}", is the field's own.
func key(index, partition, sort string) schema.EntityKey {
	k := schema.EntityKey{Index: index, Partition: []schema.Template{{Source: partition}}}
	if sort != "" {
		k.Sort = []schema.Template{{Source: sort}}
	}
	return k
}

// meets says which entities a query by the key comes upon.
func meets(k schema.EntityKey, entities ...string) schema.EntityKey {
	k.Meets = entities
	return k
}

var pieces = regexp.MustCompile(`\{[^}]*\}|[^{]+`)

func sketchTemplate(e schema.Entity, index, role string, templates []schema.Template) []schema.Template {
	var out []schema.Template
	for _, t := range templates {
		t.Attribute, t.Type = index+role, types.ScalarAttributeTypeS
		if attr, source, plain := strings.Cut(t.Source, "={"); plain {
			field, _ := e.Field(attr)
			t = schema.Template{Attribute: attr, Type: types.ScalarAttributeType(field.Type), Source: "{" + source, Plain: true}
		}
		for _, piece := range pieces.FindAllString(t.Source, -1) {
			t.Parts = append(t.Parts, sketchPart(e, piece, t.Plain))
		}
		out = append(out, t)
	}
	return out
}

func sketchPart(e schema.Entity, piece string, plain bool) schema.Part {
	inner, isField := strings.CutPrefix(strings.TrimSuffix(piece, "}"), "{")
	if !isField {
		return schema.Part{Kind: schema.Literal, Literal: piece}
	}
	name, format, _ := strings.Cut(inner, ":")
	if name == "shard" {
		n, _ := strconv.Atoi(format)
		return schema.Part{Kind: schema.Shard, Shards: n}
	}
	field, _ := e.Field(name)
	p := schema.Part{Kind: schema.Text, Field: name, Format: format}
	switch {
	case field.GoType == "time.Time":
		p.Kind = schema.Time
		if format == "" {
			p.Format = "2006-01-02T15:04:05.000000000Z"
		}
		p.Width = len(p.Format)
	case field.GoType == "int":
		p.Kind = schema.Number
		p.Width, _ = strconv.Atoi(format)
	case field.GoType == "bool":
		p.Kind = schema.Bool
	}
	if plain {
		p.Format, p.Width = "", 0
	}
	return p
}

// tableOf is a table with the entities; it has the indexes given and, beside
// them, those that the entities name.
func tableOf(indexes []schema.Index, entities ...schema.Entity) schema.Table {
	attributes := func(templates []schema.Template) []schema.Attribute {
		var out []schema.Attribute
		for _, t := range templates {
			out = append(out, schema.Attribute{Name: t.Attribute, Type: t.Type})
		}
		return out
	}
	s := schema.Table{Name: "Tests", Discriminator: "EntityType", Separator: "#", Entities: entities, Indexes: slices.Clone(indexes)}
	for _, e := range entities {
		for _, k := range e.Keys {
			of := schema.Key{Partition: attributes(k.Partition), Sort: attributes(k.Sort)}
			if k.Index == "" {
				s.Key = of
				continue
			}
			i := slices.IndexFunc(s.Indexes, func(ix schema.Index) bool { return ix.Name == k.Index })
			if i < 0 {
				i = len(s.Indexes)
				s.Indexes = append(s.Indexes, schema.Index{Name: k.Index, Projection: types.ProjectionTypeAll})
			}
			s.Indexes[i].Key = of
		}
	}
	return s
}

// keysOnly and include are indexes with less than whole items.
func keysOnly(name string) schema.Index {
	return schema.Index{Name: name, Projection: types.ProjectionTypeKeysOnly}
}

func include(name string, attributes ...string) schema.Index {
	return schema.Index{Name: name, Projection: types.ProjectionTypeInclude, Include: attributes}
}

// TestSketch promises that a sketch is what the definition that it stands for
// would give.
func TestSketch(t *testing.T) {
	t.Parallel()
	type Sketched struct {
		_ ddb.Entity `name:"Sketched" pk:"X#{ID}#{shard:4}" sk:"V#{N:06}#{M:plain}#{Up}"`
		_ ddb.Index  `name:"GSI" pk:"DAY#{At:2006-01-02}" sk:"{At}#{ID}"`
		_ ddb.Index  `name:"HSI" pk:"{Where}" sk:"H"`

		ID    string
		N, M  int
		Up    bool
		At    time.Time
		Where string `dynamodbav:"地区"`
		V     any
	}
	table := ddb.NewTable("Tests", nowhere{}, ddb.GSI("GSI", "GSIPK", "GSISK", ddb.KeysOnly()), ddb.GSI("HSI", "地区", "HSISK", ddb.Include("V")))
	ddb.Define[Sketched](table)
	want := describe(t, table)
	e := sketch("Sketched", "ID string, N int, M int, Up bool, At time, Where=地区 string, V any",
		key("", "X#{ID}#{shard:4}", "V#{N:06}#{M:plain}#{Up}"), key("GSI", "DAY#{At:2006-01-02}", "{At}#{ID}"), key("HSI", "Where={Where}", "H"))
	e.Keys[2].Partition[0].Attribute = "地区"
	got := tableOf([]schema.Index{keysOnly("GSI"), include("HSI", "V")}, e)
	if diff := cmp.Diff(got, want, cmpopts.IgnoreFields(schema.Part{}, "By")); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}
