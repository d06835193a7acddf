package design

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/export"
	"github.com/seed530093c6/ddb/schema"
)

// Workbench is what a data model of NoSQL Workbench says beside the table.
type Workbench struct {
	Author      string
	Description string
	Created     time.Time // the zero time stands for 1970
	// Items are sample items, in stored form.
	Items []map[string]types.AttributeValue
}

// The members of a model, in the version that the tool has written since 2020.
type (
	wbModel struct {
		ModelName     string
		ModelMetadata wbMetadata
		DataModel     []wbTable
	}
	wbMetadata struct {
		Author, DateCreated, DateLastModified, Description, AWSService, Version string
	}
	wbTable struct {
		TableName              string
		KeyAttributes          wbKey
		NonKeyAttributes       []wbAttribute
		TableFacets            []wbFacet
		GlobalSecondaryIndexes []wbIndex `json:",omitempty"`
		TableData              []json.RawMessage
		DataAccess             wbAccess
		BillingMode            types.BillingMode
	}
	wbKey struct {
		PartitionKey wbAttribute
		SortKey      *wbAttribute `json:",omitempty"`
	}
	wbAttribute struct{ AttributeName, AttributeType string }
	wbIndex     struct {
		IndexName     string
		KeyAttributes wbKey
		Projection    wbProjection
	}
	wbProjection struct {
		ProjectionType   types.ProjectionType
		NonKeyAttributes []string `json:",omitempty"`
	}
	wbFacet struct {
		FacetName         string
		KeyAttributeAlias wbAlias
		TableData         []json.RawMessage
		NonKeyAttributes  []string
		DataAccess        wbAccess
	}
	wbAlias struct {
		PartitionKeyAlias string
		SortKeyAlias      string `json:",omitempty"`
	}
	wbAccess struct {
		MySQL struct{} `json:"MySql"`
	}
)

// Model returns the table as a data model in JSON, to be imported by NoSQL
// Workbench: keys, attributes, global indexes, the items, and each entity as a
// facet. Indexes that such a model has no form for, local ones and those with a
// key of several attributes, are left out, and named in its description. It
// fails if an item has no JSON form.
func (w Workbench) Model(s schema.Table) ([]byte, error) {
	items, err := w.items()
	if err != nil {
		return nil, err
	}
	name := tableName(s.Name)
	t := wbTable{
		TableName: name, KeyAttributes: wbKeyOf(s.Key), NonKeyAttributes: wbAttributes(s), TableFacets: wbFacets(s, items),
		TableData: rawItems(items), BillingMode: types.BillingModePayPerRequest,
	}
	var left []string
	for _, ix := range s.Indexes {
		if ix.Local || len(ix.Key.Partition) > 1 || len(ix.Key.Sort) > 1 {
			left = append(left, ix.Name)
			continue
		}
		t.GlobalSecondaryIndexes = append(t.GlobalSecondaryIndexes, wbIndex{
			IndexName: ix.Name, KeyAttributes: wbKeyOf(ix.Key), Projection: wbProjection{ix.Projection, ix.Include},
		})
	}
	about := w.Description
	if len(left) > 0 {
		about = strings.TrimSpace(about + " Without the indexes " + strings.Join(left, ", ") + ", which a model cannot hold.")
	}
	created := w.Created
	if created.IsZero() {
		created = time.Unix(0, 0)
	}
	date := created.UTC().Format("Jan 02, 2006, 03:04 PM")
	return indented(wbModel{
		ModelName:     name,
		ModelMetadata: wbMetadata{w.Author, date, date, about, "Amazon DynamoDB", "3.0"},
		DataModel:     []wbTable{t},
	})
}

// wbItem is a sample item.
type wbItem struct {
	item map[string]types.AttributeValue
	raw  json.RawMessage
}

func (w Workbench) items() ([]wbItem, error) {
	out := make([]wbItem, len(w.Items))
	for i, item := range w.Items {
		line, err := export.Marshal(item)
		if err != nil {
			return nil, fmt.Errorf("design: sample item %d: %w", i, err)
		}
		var exported struct{ Item json.RawMessage }
		if err := json.Unmarshal(line, &exported); err != nil {
			return nil, fmt.Errorf("design: sample item %d: %w", i, err)
		}
		out[i] = wbItem{item, exported.Item}
	}
	return out, nil
}

func rawItems(items []wbItem) []json.RawMessage {
	raw := make([]json.RawMessage, len(items))
	for i, it := range items {
		raw[i] = it.raw
	}
	return raw
}

func wbKeyOf(k schema.Key) wbKey {
	attribute := func(a schema.Attribute) wbAttribute { return wbAttribute{a.Name, string(a.Type)} }
	out := wbKey{PartitionKey: attribute(k.Partition[0])}
	if len(k.Sort) > 0 {
		sort := attribute(k.Sort[0])
		out.SortKey = &sort
	}
	return out
}

// wbAttributes lists all attributes but those of the primary key, each once.
func wbAttributes(s schema.Table) []wbAttribute {
	var out []wbAttribute
	add := func(name, kind string) {
		isKey := slices.ContainsFunc(s.Key.Attributes(), func(a schema.Attribute) bool { return a.Name == name })
		if !isKey && !slices.ContainsFunc(out, func(a wbAttribute) bool { return a.AttributeName == name }) {
			if kind == "" {
				kind = "S" // the value decides, which a model cannot say
			}
			out = append(out, wbAttribute{name, kind})
		}
	}
	for _, a := range s.KeyAttributes() {
		add(a.Name, string(a.Type))
	}
	add(s.Discriminator, "S")
	for _, e := range s.Entities {
		for _, f := range e.Fields {
			add(f.Attribute, f.Type)
		}
	}
	return out
}

func wbFacets(s schema.Table, items []wbItem) []wbFacet {
	facets := make([]wbFacet, len(s.Entities))
	for i, e := range s.Entities {
		key := e.Keys[0]
		f := wbFacet{
			FacetName: e.Name, KeyAttributeAlias: wbAlias{PartitionKeyAlias: sources(key.Partition), SortKeyAlias: sources(key.Sort)},
			TableData: []json.RawMessage{}, NonKeyAttributes: []string{},
		}
		for _, field := range e.Fields {
			if !slices.ContainsFunc(s.Key.Attributes(), func(a schema.Attribute) bool { return a.Name == field.Attribute }) {
				f.NonKeyAttributes = append(f.NonKeyAttributes, field.Attribute)
			}
		}
		for _, it := range items {
			if entityOf(s, it.item) == e.Name {
				f.TableData = append(f.TableData, it.raw)
			}
		}
		facets[i] = f
	}
	return facets
}

// sources writes the templates of one role of a key.
func sources(templates []schema.Template) string {
	out := make([]string, len(templates))
	for i, t := range templates {
		out[i] = t.Source
	}
	return strings.Join(out, ", ")
}

// entityOf returns what the discriminator of an item says, "" if nothing.
func entityOf(s schema.Table, item map[string]types.AttributeValue) string {
	if name, ok := item[s.Discriminator].(*types.AttributeValueMemberS); ok {
		return name.Value
	}
	return ""
}
