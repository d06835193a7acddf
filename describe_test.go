package ddb_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/schema"
)

// TestSchema promises a whole description: keys, indexes, fields, and which
// entities lie among others.
func TestSchema(t *testing.T) {
	t.Parallel()
	type place struct {
		City string
		Zip  string `dynamodbav:"zip,omitempty"`
	}
	type customer struct {
		_ ddb.Entity `name:"Customer" pk:"C#{ID}" sk:"PROFILE"`
		_ ddb.Index  `name:"ByMail" pk:"{Mail:lower}" sk:"C"`

		ID    string
		Mail  string `dynamodbav:"mail,omitempty"`
		Place place
	}
	type visit struct {
		_ ddb.Entity `name:"Visit" pk:"C#{Customer}" sk:"VISIT#{Day:2006-01-02}"`
		_ ddb.Index  `name:"ByMail" pk:"{Mail}" sk:"C{Day:2006}"`

		Customer string
		Mail     string
		Day      time.Time
	}
	table := ddb.NewTable("Visits", unreachable{}, ddb.Discriminator("kind"), ddb.GSI("ByMail", "MailPK", "MailSK", ddb.KeysOnly()))
	ddb.Define[customer](table)
	ddb.Define[visit](table)
	got, err := table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	literal := func(text string) schema.Part { return schema.Part{Kind: schema.Literal, Literal: text} }
	key := func(attr, source string, parts ...schema.Part) []schema.Template {
		return []schema.Template{{Attribute: attr, Type: "S", Source: source, Parts: parts}}
	}
	attribute := func(name string) []schema.Attribute { return []schema.Attribute{{Name: name, Type: "S"}} }
	want := schema.Table{
		Name: "Visits", Discriminator: "kind", Separator: "#",
		Key:     schema.Key{Partition: attribute("PK"), Sort: attribute("SK")},
		Indexes: []schema.Index{{Name: "ByMail", Key: schema.Key{Partition: attribute("MailPK"), Sort: attribute("MailSK")}, Projection: "KEYS_ONLY"}},
		Entities: []schema.Entity{
			{
				Name: "Customer", GoType: "ddb_test.customer",
				Fields: []schema.Field{
					{Name: "ID", Attribute: "ID", Type: "S", GoType: "string"},
					{Name: "Mail", Attribute: "mail", Type: "S", GoType: "string", Optional: true},
					{Name: "Place", Attribute: "Place", Type: "M", GoType: "ddb_test.place", Fields: []schema.Field{
						{Name: "City", Attribute: "City", Type: "S", GoType: "string"},
						{Name: "Zip", Attribute: "zip", Type: "S", GoType: "string", Optional: true},
					}},
				},
				Keys: []schema.EntityKey{
					{Partition: key("PK", "C#{ID}", literal("C#"), schema.Part{Kind: schema.Text, Field: "ID"}), Sort: key("SK", "PROFILE", literal("PROFILE"))},
					{
						Index: "ByMail", Sparse: true,
						Partition: key("MailPK", "{Mail:lower}", schema.Part{Kind: schema.Text, Field: "Mail", Format: "lower"}), Sort: key("MailSK", "C", literal("C")),
					},
				},
			},
			{
				Name: "Visit", GoType: "ddb_test.visit",
				Fields: []schema.Field{
					{Name: "Customer", Attribute: "Customer", Type: "S", GoType: "string"},
					{Name: "Mail", Attribute: "Mail", Type: "S", GoType: "string"},
					{Name: "Day", Attribute: "Day", Type: "S", GoType: "time.Time"},
				},
				Keys: []schema.EntityKey{
					{
						Partition: key("PK", "C#{Customer}", literal("C#"), schema.Part{Kind: schema.Text, Field: "Customer"}),
						Sort:      key("SK", "VISIT#{Day:2006-01-02}", literal("VISIT#"), schema.Part{Kind: schema.Time, Field: "Day", Format: "2006-01-02", Width: 10}),
					},
					{
						Index: "ByMail", Meets: []string{"Customer"},
						Partition: key("MailPK", "{Mail}", schema.Part{Kind: schema.Text, Field: "Mail"}),
						Sort:      key("MailSK", "C{Day:2006}", literal("C"), schema.Part{Kind: schema.Time, Field: "Day", Format: "2006", Width: 4}),
					},
				},
			},
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if diff := cmp.Diff(got.KeyAttributes(), slices.Concat(attribute("PK"), attribute("SK"), attribute("MailPK"), attribute("MailSK"))); diff != "" {
		t.Errorf("key attributes (-got +want)\n%s", diff)
	}
}

// TestSchemaParts promises that every kind of part is told apart.
func TestSchemaParts(t *testing.T) {
	t.Parallel()
	type reading struct {
		_ ddb.Entity `name:"Reading" pk:"DAY#{Day:2006-01-02}#{shard:10,by=Device}" sk:"{Level:desc:+04}#{Up}#{Device:lower}"`
		_ ddb.Index  `name:"G1" pk:"{Raw}" sk:"N#{N:plain}"`
		_ ddb.Index  `name:"G2" pk:"ALL" sk:"{At}"`

		Day    time.Time
		At     time.Time `dynamodbav:",omitempty"`
		Level  int
		Up     bool
		Device string
		Raw    []byte
		N      uint8
		Seen   time.Time `ddb:"updated"`
		Until  time.Time `ddb:"ttl"`
	}
	table := ddb.NewTable("Readings", unreachable{}, ddb.GSI("G1", "Raw", "G1SK", ddb.KeysOnly()), ddb.GSI("G2", "G2PK", "G2SK", ddb.Include("Level")))
	ddb.Define[reading](table)
	s, err := table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	e := s.Entities[0]
	literal := func(text string) schema.Part { return schema.Part{Kind: schema.Literal, Literal: text} }
	got := [][]schema.Part{e.Keys[0].Partition[0].Parts, e.Keys[0].Sort[0].Parts, e.Keys[1].Partition[0].Parts, e.Keys[1].Sort[0].Parts, e.Keys[2].Partition[0].Parts, e.Keys[2].Sort[0].Parts}
	want := [][]schema.Part{
		{literal("DAY#"), {Kind: schema.Time, Field: "Day", Format: "2006-01-02", Width: 10}, literal("#"), {Kind: schema.Shard, Shards: 10, By: []string{"Device"}}},
		{{Kind: schema.Number, Field: "Level", Format: "desc:+04", Width: 5, Descending: true}, literal("#"), {Kind: schema.Bool, Field: "Up"}, literal("#"), {Kind: schema.Text, Field: "Device", Format: "lower"}},
		{{Kind: schema.Bytes, Field: "Raw"}},
		{literal("N#"), {Kind: schema.Number, Field: "N", Format: "plain"}},
		{literal("ALL")},
		{{Kind: schema.Time, Field: "At", Format: "2006-01-02T15:04:05.000000000Z", Width: 30}},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("parts (-got +want)\n%s", diff)
	}
	if !e.Keys[1].Partition[0].Plain || e.Keys[1].Partition[0].Type != "B" || e.Keys[1].Sort[0].Plain {
		t.Errorf("plain attributes: got %+v", e.Keys[1])
	}
	if e.Keys[1].Sparse || !e.Keys[2].Sparse {
		t.Errorf("sparse: got %t and %t, want false and true", e.Keys[1].Sparse, e.Keys[2].Sparse)
	}
	if s.TTL != "Until" || e.Fields[7].Keeps != "updated" || e.Fields[8].Type != "N" {
		t.Errorf("kept fields: got TTL %q, %+v", s.TTL, e.Fields[7:])
	}
	if ix, ok := s.Index("G2"); !ok || ix.Local || !ix.Carries(s, "Level") || !ix.Carries(s, "SK") || !ix.Carries(s, "G2SK") || ix.Carries(s, "Up") {
		t.Errorf("what G2 carries: got %+v", ix)
	}
}

// TestSchemaRecursive promises that a type that holds itself is described once.
func TestSchemaRecursive(t *testing.T) {
	t.Parallel()
	type node struct {
		Name     string
		Children []*node
		Others   map[string]node
	}
	type tree struct {
		_ ddb.Entity `pk:"TREE#{ID}" sk:"TREE"`

		ID   string
		Root node
	}
	table := ddb.NewTable("Trees", unreachable{})
	ddb.Define[tree](table)
	s, err := table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	got := s.Entities[0].Fields[1].Fields
	want := []schema.Field{
		{Name: "Name", Attribute: "Name", Type: "S", GoType: "string"},
		{Name: "Children", Attribute: "Children", Type: "L", GoType: "[]*ddb_test.node", Recursive: true},
		{Name: "Others", Attribute: "Others", Type: "M", GoType: "map[string]ddb_test.node", Recursive: true},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("fields (-got +want)\n%s", diff)
	}
}

// TestSchemaFaults promises that a faulty table has no description.
func TestSchemaFaults(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("T", unreachable{})
	if _, err := table.Schema(); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("got %v, want ErrDefinition", err)
	}
}
