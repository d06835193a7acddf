package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// newDB returns a DB whose invariants are checked when the test ends.
func newDB(t testing.TB, opts ...memory.Option) *memory.DB {
	t.Helper()
	opts = append([]memory.Option{memory.Clock(func() time.Time { return time.Unix(1_700_000_000, 0) })}, opts...)
	db := memory.New(opts...)
	t.Cleanup(func() {
		if err := db.Check(); err != nil {
			t.Errorf("invariants after the test: %v", err)
		}
	})
	return db
}

// item is an item in the short form that tests write.
type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num[T int | string](n T) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

func bin(b string) types.AttributeValue { return &types.AttributeValueMemberB{Value: []byte(b)} }

func boolean(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

func seq(elems ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: elems}
}

func obj(m item) types.AttributeValue { return &types.AttributeValueMemberM{Value: m} }

func strs(members ...string) types.AttributeValue {
	return &types.AttributeValueMemberSS{Value: members}
}

// key declares a key attribute as name:KIND.
func parseKeys(spec []string) (names, kinds []string) {
	for _, s := range spec {
		names = append(names, s[:len(s)-2])
		kinds = append(kinds, s[len(s)-1:])
	}
	return names, kinds
}

func elements(hash, sort []string) []types.KeySchemaElement {
	var out []types.KeySchemaElement
	for _, n := range hash {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(n), KeyType: types.KeyTypeHash})
	}
	for _, n := range sort {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(n), KeyType: types.KeyTypeRange})
	}
	return out
}

// define starts the definition of an on-demand table whose key attributes are
// given as name:KIND, as in "pk:S".
func define(name, hash string, sort ...string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest}
	hashes, kinds := parseKeys([]string{hash})
	sorts, more := parseKeys(sort)
	addDefinitions(in, append(hashes, sorts...), append(kinds, more...))
	in.KeySchema = elements(hashes, sorts)
	return in
}

func addDefinitions(in *dynamodb.CreateTableInput, names, kinds []string) {
next:
	for i, n := range names {
		for _, d := range in.AttributeDefinitions {
			if *d.AttributeName == n {
				continue next
			}
		}
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(n), AttributeType: types.ScalarAttributeType(kinds[i]),
		})
	}
}

// projectionOf returns ALL for nothing, KEYS_ONLY for "-", else INCLUDE.
func projectionOf(nonKey []string) *types.Projection {
	switch {
	case len(nonKey) == 0:
		return &types.Projection{ProjectionType: types.ProjectionTypeAll}
	case nonKey[0] == "-":
		return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: nonKey}
}

// withGSI adds a global index; key attributes are name:KIND, nonKey as in
// projectionOf.
func withGSI(in *dynamodb.CreateTableInput, name string, hash, sort []string, nonKey ...string) *dynamodb.CreateTableInput {
	hashes, kinds := parseKeys(hash)
	sorts, more := parseKeys(sort)
	addDefinitions(in, append(hashes, sorts...), append(kinds, more...))
	in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
		IndexName: aws.String(name), KeySchema: elements(hashes, sorts), Projection: projectionOf(nonKey),
	})
	return in
}

// withLSI adds a local index on the table's partition key and the sort key
// attribute name:KIND.
func withLSI(in *dynamodb.CreateTableInput, name, sort string, nonKey ...string) *dynamodb.CreateTableInput {
	sorts, kinds := parseKeys([]string{sort})
	addDefinitions(in, sorts, kinds)
	in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{
		IndexName: aws.String(name), KeySchema: elements([]string{*in.KeySchema[0].AttributeName}, sorts), Projection: projectionOf(nonKey),
	})
	return in
}

func create(t testing.TB, db *memory.DB, in *dynamodb.CreateTableInput) {
	t.Helper()
	if _, err := db.CreateTable(t.Context(), in); err != nil {
		t.Fatalf("create table %s: %v", *in.TableName, err)
	}
}

func put(t testing.TB, db *memory.DB, table string, items ...item) {
	t.Helper()
	for _, it := range items {
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: it}); err != nil {
			t.Fatalf("put into %s: %v", table, err)
		}
	}
}

func get(t testing.TB, db *memory.DB, table string, key item) item {
	t.Helper()
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key})
	if err != nil {
		t.Fatalf("get from %s: %v", table, err)
	}
	return out.Item
}

// indexOrTable returns an IndexName, nil for the table itself.
func indexOrTable(name string) *string {
	if name == "" {
		return nil
	}
	return aws.String(name)
}
