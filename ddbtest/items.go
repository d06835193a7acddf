package ddbtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// Items are the items of a table at one time, each under the text of its primary
// key, in a form that go-cmp compares and shows well.
type Items map[string]Item

// Item is an item by its attributes; see [Plain] for their values.
type Item map[string]any

// ItemsOf returns the items of a table. It asks the engine, past client, faults
// and accounts. The test fails at once if there is no such table.
func ItemsOf(t TB, db Backend, table string) Items {
	t.Helper()
	keys := keyAttributes(t, db, table)
	items := make(Items)
	for stored := range db.engine().Items(table) {
		items[keyText(keys, stored)] = plainItem(stored)
	}
	return items
}

// keyAttributes returns the names of the attributes of a table's primary key,
// that of the partition key first.
func keyAttributes(t TB, db Backend, table string) []string {
	t.Helper()
	out, err := db.engine().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatalf("ddbtest: items of table %s: %v", table, err)
	}
	var names []string
	for _, k := range out.Table.KeySchema {
		names = append(names, aws.ToString(k.AttributeName))
	}
	return names
}

// sortedNames returns the names of attributes in order.
func sortedNames(item map[string]types.AttributeValue) []string {
	return slices.Sorted(maps.Keys(item))
}

// keyText returns the values of the attributes of a key as a text.
func keyText(attributes []string, item map[string]types.AttributeValue) string {
	var parts []string
	for _, name := range attributes {
		switch v := item[name].(type) {
		case *types.AttributeValueMemberS:
			parts = append(parts, v.Value)
		default:
			parts = append(parts, text(Plain(v)))
		}
	}
	return strings.Join(parts, " / ")
}

// Diff returns "" if both hold the same, and otherwise what is different, in the
// form of go-cmp: with a minus what only items has, with a plus what only other
// has.
func (items Items) Diff(other Items) string { return cmp.Diff(items, other) }

// String shows the items by their keys, one attribute on each line.
func (items Items) String() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(items)) {
		fmt.Fprintf(&b, "%s\n", key)
		for _, name := range slices.Sorted(maps.Keys(items[key])) {
			fmt.Fprintf(&b, "\t%s: %s\n", name, text(items[key][name]))
		}
	}
	return b.String()
}

// Unchanged fails the test if f changes any item of any table of the engine.
func Unchanged(t TB, db Backend, f func()) {
	t.Helper()
	before := everything(t, db)
	f()
	if diff := cmp.Diff(before, everything(t, db)); diff != "" {
		t.Errorf("ddbtest: items have changed (-before +after):\n%s", diff)
	}
}

// everything returns the items of all tables.
func everything(t TB, db Backend) map[string]Items {
	t.Helper()
	all := make(map[string]Items)
	pages := dynamodb.NewListTablesPaginator(db.engine(), &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatalf("ddbtest: list the tables: %v", err)
		}
		for _, name := range page.TableNames {
			all[name] = ItemsOf(t, db, name)
		}
	}
	return all
}
