package memory_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

func batchGetCall(in dynamodb.BatchGetItemInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.BatchGetItem(ctx, &in)
		return err
	}
}

func batchWriteCall(in dynamodb.BatchWriteItemInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.BatchWriteItem(ctx, &in)
		return err
	}
}

func putRequest(it item) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: it}}
}

func deleteRequest(key item) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}
}

// numbered returns n keys of the table Hash.
func numbered(n int) []item {
	keys := make([]item, n)
	for i := range keys {
		keys[i] = item{"pk": str("k" + strings.Repeat("x", i))}
	}
	return keys
}

func TestBatchGetItemRefusals(t *testing.T) {
	t.Parallel()
	get := func(table string, keys ...item) dynamodb.BatchGetItemInput {
		return dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table: {Keys: keys}}}
	}
	refuse(t, seedPlain, []refusal{
		{"nothing", batchGetCall(dynamodb.BatchGetItemInput{}), "",
			one + "Value null at 'requestItems' failed to satisfy constraint: Member must not be null"},
		{"empty", batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}), "",
			one + "Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"no keys", batchGetCall(get("Hash")), "",
			one + "Value null at 'requestItems.Hash.member.keys' failed to satisfy constraint: Member must not be null"},
		{"too many keys", batchGetCall(get("Hash", numbered(101)...)), "",
			one + "Value at 'RequestItems.Hash.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100"},
		{"bad name with other faults", batchGetCall(dynamodb.BatchGetItemInput{ReturnConsumedCapacity: "X", RequestItems: map[string]types.KeysAndAttributes{"a;": {Keys: []item{keyA}}}}), "",
			"2 validation errors detected: Value '{a;}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, " +
				"Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]; " +
				"Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"},
		{"tables asked in both ways", batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"Hash": {Keys: []item{keyA}, ProjectionExpression: aws.String("a")}, "Nowhere": {Keys: []item{keyA}, AttributesToGet: []string{"a"}}}}), "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"},
		{"too many over several tables", batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"Hash": {Keys: numbered(60)}, "Nowhere": {Keys: numbered(41)}}}), "", "Too many items requested for the BatchGetItem call"},
		{"one key twice before table", batchGetCall(get("Nowhere", keyA, keyA)), "", "Provided list of item keys contains duplicates"},
		{"missing table", batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"Hash": {Keys: []item{keyA}}, "Nowhere": {Keys: []item{keyA}}}}), "ResourceNotFoundException", "Requested resource not found"},
		{"key that does not fit", batchGetCall(get("Both", keyA)), "", "The provided key element does not match the schema"},
	})
}

func TestBatchWriteItemRefusals(t *testing.T) {
	t.Parallel()
	write := func(table string, requests ...types.WriteRequest) dynamodb.BatchWriteItemInput {
		return dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}}
	}
	var many []types.WriteRequest
	for _, key := range numbered(26) {
		many = append(many, putRequest(key))
	}
	good := putRequest(item{"pk": str("new")})
	refuse(t, seedPlain, []refusal{
		{"empty", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}), "",
			one + "Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"too many", batchWriteCall(write("Hash", many...)), "",
			one + "Value at 'RequestItems.Hash.member' failed to satisfy constraint: Member must have length less than or equal to 25"},
		{"none for a table", batchWriteCall(write("Hash")), "",
			one + "Value at 'RequestItems.Hash.member' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"too many over several tables", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			"Hash": many[:20], "Bin": many[20:]}}), "", "Too many items requested for the BatchWriteItem call"},
		{"wrong word hides a bad name", batchWriteCall(dynamodb.BatchWriteItemInput{ReturnConsumedCapacity: "X", RequestItems: map[string][]types.WriteRequest{"a;": {good}}}), "",
			one + "Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"},
		{"neither put nor delete", batchWriteCall(write("Hash", types.WriteRequest{})), "",
			"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
		{"value in older words before table", batchWriteCall(write("Nowhere", putRequest(item{"pk": strs("a", "b", "a")}))), "",
			were + "Input collection [a, b, a] contains duplicates."},
		{"size before table", batchWriteCall(write("Nowhere", putRequest(item{"pk": str(strings.Repeat("x", 400*1024))}))), "",
			"Item size has exceeded the maximum allowed size"},
		{"missing table", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hash": {good}, "Nowhere": {good}}}),
			"ResourceNotFoundException", "Requested resource not found"},
		{"put without key, a good one before", batchWriteCall(write("Hash", good, putRequest(item{"v": num(1)}))), "",
			"The provided key element does not match the schema"},
		{"delete with a wrong key", batchWriteCall(write("Hash", good, deleteRequest(item{"pk": num(1)}))), "",
			"The provided key element does not match the schema"},
		{"index key", batchWriteCall(write("Both", putRequest(item{"pk": str("b"), "sk": num(1), "at": num(1)}))), "",
			were + "Type mismatch for Index Key at Expected: S Actual: N IndexName: local"},
		{"put and delete of one item", batchWriteCall(write("Hash", good, deleteRequest(item{"pk": str("new")}))), "",
			"Provided list of item keys contains duplicates"},
		{"numbers are one key however written", batchWriteCall(write("Both",
			putRequest(item{"pk": str("b"), "sk": num("1000")}), putRequest(item{"pk": str("b"), "sk": num("1e3")}))), "",
			"Provided list of item keys contains duplicates"},
	})
}

func TestBatchWriteThenGet(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	seedPlain(t, db)
	wrote, err := db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		RequestItems: map[string][]types.WriteRequest{
			"Hash": {putRequest(item{"pk": str("b"), "v": str(strings.Repeat("x", 1500))}), deleteRequest(keyA), deleteRequest(item{"pk": str("none")})},
			"Both": {putRequest(item{"pk": str("a"), "sk": num(2), "c": str("d")})},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "unprocessed", wrote.UnprocessedItems, map[string][]types.WriteRequest{})
	diff(t, "write capacity", wrote.ConsumedCapacity, []types.ConsumedCapacity{
		{TableName: bothTable, CapacityUnits: aws.Float64(2)}, // item and entry of agsi; gsi lacks n
		{TableName: hashTable, CapacityUnits: aws.Float64(4)},
	})

	got, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		RequestItems: map[string]types.KeysAndAttributes{
			"Hash": {Keys: []item{keyA, {"pk": str("b")}}, ProjectionExpression: aws.String("pk")},
			"Both": {Keys: []item{{"pk": str("a"), "sk": num("2")}, {"pk": str("a"), "sk": num("2.0")}}, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("c, q")},
			"Bin":  {Keys: []item{{"pk": bin("none")}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "responses", got.Responses, map[string][]item{
		"Hash": {{"pk": str("b")}},
		"Both": {{"c": str("d")}}, // once, though asked for in two ways
		"Bin":  {},
	})
	diff(t, "unprocessed", got.UnprocessedKeys, map[string]types.KeysAndAttributes{})
	diff(t, "read capacity", got.ConsumedCapacity, []types.ConsumedCapacity{
		{TableName: aws.String("Bin"), CapacityUnits: aws.Float64(0.5)},
		{TableName: bothTable, CapacityUnits: aws.Float64(2)},
		{TableName: hashTable, CapacityUnits: aws.Float64(1)},
	})

	got, err = db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"Hash": {Keys: []item{{"pk": str("b")}}, AttributesToGet: []string{"pk"}},
		"Both": {Keys: []item{{"pk": str("a"), "sk": num("2")}}, AttributesToGet: []string{"c", "q"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "responses by names", got.Responses, map[string][]item{"Hash": {{"pk": str("b")}}, "Both": {{"c": str("d")}}})
}

func TestBatchGetStopsAt16MB(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Big", "pk:N"))
	var keys []item
	for i := range 45 {
		put(t, db, "Big", item{"pk": num(i), "v": str(strings.Repeat("x", 390*1024))})
		keys = append(keys, item{"pk": num(i)})
	}
	in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"Big": {Keys: keys, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("#p"), ExpressionAttributeNames: map[string]string{"#p": "pk"}},
	}}
	seen := 0
	for calls := 1; len(in.RequestItems) > 0; calls++ {
		out, err := db.BatchGetItem(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got := len(out.Responses["Big"])
		if calls == 1 && got != 42 { // 42 × 390 KB < 16 MB < 43 × 390 KB
			t.Errorf("the first call returned %d items, want 42", got)
		}
		if left := out.UnprocessedKeys["Big"]; calls == 1 {
			want := in.RequestItems["Big"]
			want.Keys = keys[42:]
			diff(t, "unprocessed keys", left.Keys, want.Keys)
			diff(t, "their projection", left.ProjectionExpression, want.ProjectionExpression)
			diff(t, "their names", left.ExpressionAttributeNames, want.ExpressionAttributeNames)
			diff(t, "their consistency", left.ConsistentRead, want.ConsistentRead)
		}
		seen += got
		in.RequestItems = out.UnprocessedKeys
	}
	if seen != 45 {
		t.Errorf("got %d items in all, want 45", seen)
	}
}
