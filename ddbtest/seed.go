package ddbtest

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/export"
)

// Seed creates items of an entity, with keys, versions and times as Create sets
// them. The test fails at once if one cannot be created, be it because two have
// the same key.
func Seed[T any](t TB, d *ddb.Definition[T], values ...T) {
	t.Helper()
	for i := range values {
		if err := d.Create(&values[i]).Run(t.Context()); err != nil {
			t.Fatalf("ddbtest: seed %d: %v", i, err)
		}
	}
}

// Load puts items from files in the format of table exports, plain or gzip, into
// a table on the engine. Each is checked first: that it is of an entity of the
// table and has the keys that its attributes make. If one is not, nothing is put
// and the test fails at once.
func Load(t TB, db Backend, table *ddb.Table, paths ...string) {
	t.Helper()
	var items []map[string]types.AttributeValue
	for _, path := range paths {
		for line, err := range export.ReadFile(path) {
			if err == nil {
				if err = table.Verify(line.Item); err != nil {
					err = line.Fail(err)
				}
			}
			if err != nil {
				t.Fatalf("ddbtest: load: %v", err)
			}
			items = append(items, line.Item)
		}
	}
	for _, item := range items {
		if _, err := db.engine().DB.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table.Name()), Item: item}); err != nil {
			t.Fatalf("ddbtest: load into table %s: %v", table.Name(), err)
		}
	}
}
