package design_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/schema"
)

// TestWorkbench compares a data model with a file.
func TestWorkbench(t *testing.T) {
	t.Parallel()
	s := newStore(nowhere{})
	model, err := design.Workbench{
		Author: "shop", Description: "The store.", Created: time.Date(2026, 11, 30, 9, 5, 0, 0, time.UTC), Items: sampleItems(t, s),
	}.Model(describe(t, s.table))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "workbench.json", model)
}

// TestWorkbenchLeavesOut promises that what a model cannot hold is named in it,
// and that an item without a JSON form is an error.
func TestWorkbenchLeavesOut(t *testing.T) {
	t.Parallel()
	s := describe(t, newStore(nowhere{}).table)
	s.Indexes = append(s.Indexes, schema.Index{Name: "Local", Local: true, Key: schema.Key{Partition: s.Key.Partition, Sort: []schema.Attribute{{Name: "At", Type: "N"}}}, Projection: "ALL"},
		schema.Index{Name: "Several", Key: schema.Key{Partition: []schema.Attribute{{Name: "A", Type: "S"}, {Name: "B", Type: "S"}}}, Projection: "ALL"})
	model, err := design.Workbench{}.Model(s)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		ModelMetadata struct{ Description, DateCreated string }
		DataModel     []struct {
			GlobalSecondaryIndexes []struct{ IndexName string }
			NonKeyAttributes       []struct{ AttributeName, AttributeType string }
		}
	}
	if err := json.Unmarshal(model, &parsed); err != nil {
		t.Fatal(err)
	}
	if got, want := parsed.ModelMetadata.Description, "Without the indexes Local, Several, which a model cannot hold."; got != want {
		t.Errorf("description %q, want %q", got, want)
	}
	if got, want := parsed.ModelMetadata.DateCreated, "Jan 01, 1970, 12:00 AM"; got != want {
		t.Errorf("created %q, want %q", got, want)
	}
	if n := len(parsed.DataModel[0].GlobalSecondaryIndexes); n != 2 {
		t.Errorf("%d indexes, want 2", n)
	}
	bad := []map[string]types.AttributeValue{{"PK": nil}}
	if _, err := (design.Workbench{Items: bad}).Model(s); err == nil || !strings.Contains(err.Error(), "sample item 0") {
		t.Errorf("an item that is none: got %v, want an error on sample item 0", err)
	}
}

// patterns are access patterns of the store, as if declared.
func patterns() []schema.Pattern {
	return []schema.Pattern{
		{Name: "a customer by id", Steps: []schema.Step{{Operation: "GetItem", Entity: "客户", Key: "PK = CUSTOMER#{ID} AND SK = PROFILE", Partitions: 1}}},
		{Name: "orders of a day", Steps: []schema.Step{{
			Operation: "Query", Entity: "订单", Index: "ByDay", Key: "DayPK = DAY#{PlacedAt}#{shard}", Partitions: 10,
			Descending: true, Limit: 20, Filter: []string{"金额"}, Reads: []string{"金额"},
		}}},
		{Name: "place an order | pay", Steps: []schema.Step{
			{Operation: "PutItem", Entity: "订单", Key: "PK = CUSTOMER#{CustomerID} AND SK = ORDER#{PlacedAt}#{ID}"},
			{Operation: "UpdateItem", Entity: "客户", Key: "PK = CUSTOMER#{ID} AND SK = PROFILE"},
		}},
	}
}

// TestMarkdown compares a document of everything with a file.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	s := newStore(nowhere{})
	table := describe(t, s.table)
	table.Patterns = patterns()
	items := sampleItems(t, s)
	usage := []design.Usage{
		{Pattern: "orders of a day", Op: "Query", Index: "ByDay", Entity: "订单", Calls: 10, Items: 20, Examined: 200, Units: 5.5, Filtered: true},
		{Pattern: "place an order | pay", Op: "TransactWriteItems", Calls: 1, Units: 8},
	}
	golden(t, "store.md", design.Document{
		Table: table, Usage: usage, Items: items,
		Findings: design.Check(table, design.Evidence{Items: items, Usage: usage}),
	}.Markdown())
}

// TestMarkdownAlone promises that a table alone makes a document.
func TestMarkdownAlone(t *testing.T) {
	t.Parallel()
	type odd struct {
		_ ddb.Entity "pk:\"A`B#{ID}\""

		ID   string `dynamodbav:"a|b"`
		Next *odd
		Any  any
	}
	table := ddb.NewTable("Odd", nowhere{}, ddb.Keys("PK", ""))
	ddb.Define[odd](table)
	got := string(design.Document{Table: describe(t, table)}.Markdown())
	for _, want := range []string{
		"# Table `Odd`\n\nPrimary key `PK` (S).", "Items do not expire.",
		"| odd | `` A`B#{ID} `` | | |\n", "| `a\\|b` | S | `ID` `string` | key |\n",
		"| `Next` | M | `Next` `*design_test.odd` | nests without bound |\n", "| `Any` | any | `Any` `interface {}` | |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the document lacks %q:\n%s", want, got)
		}
	}
	for _, not := range []string{"## Access patterns", "## Indexes", "## Sizes", "## Findings"} {
		if strings.Contains(got, not) {
			t.Errorf("the document has %q", not)
		}
	}
}
