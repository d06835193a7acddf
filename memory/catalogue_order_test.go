package memory_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// A flaw is one thing that can be wrong with a request.
type flaw[In any] struct {
	name string
	// spoil brings the flaw into a request that is otherwise right.
	spoil func(in *In)
	code  string // "" for ValidationException
	want  string
}

// inOrder brings flaws into a request, each by itself and each pair of them, and
// wants the first in the list to be the one that is reported. A pair that one of
// the two undoes is left out: it is recognized by the request being the same as
// with one of them. Nothing may change.
func inOrder[In, Out any](t *testing.T, method func(*memory.DB, context.Context, *In, ...func(*dynamodb.Options)) (*Out, error),
	sound func() *In, flaws []flaw[In]) {
	t.Helper()
	db := newDB(t)
	seedPlain(t, db)
	before := look(t, db)
	for i, first := range flaws {
		t.Run(first.name, func(t *testing.T) {
			alone := sound()
			first.spoil(alone)
			_, err := method(db, t.Context(), alone)
			wantRefusal(t, err, first.code, first.want)
			for _, later := range flaws[i+1:] {
				both, other := sound(), sound()
				later.spoil(both)
				later.spoil(other)
				first.spoil(both)
				if reflect.DeepEqual(both, alone) || reflect.DeepEqual(both, other) {
					continue
				}
				if _, err := method(db, t.Context(), both); messageOf(err) != first.want {
					t.Errorf("together with %q it is reported as\n%v\nwant\n%s", later.name, err, first.want)
				}
			}
		})
	}
	wantUnchanged(t, db, before)
	if _, err := method(db, t.Context(), sound()); err != nil {
		t.Errorf("without any of the flaws the request fails with %v", err)
	}
}

// Texts that several lists of flaws have.
const (
	noName     = one + "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
	noNameRead = one + "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
	wrongWord  = one + "Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
	noNumber   = "The parameter cannot be converted to a numeric value: x"
	noTexts    = "ExpressionAttributeNames must not be empty"
	noNeed     = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}"
	noMatch    = "The provided key element does not match the schema"
	notFound   = "Requested resource not found"
	falseNow   = "The conditional request failed"
	intoKey    = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk"
	kindOfC    = were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"
	syntaxOf   = `Expression: Syntax error; token: "<EOF>", near: "="`
)

func TestOrderOfPutItem(t *testing.T) {
	t.Parallel()
	type in = dynamodb.PutItemInput
	sound := func() *in {
		return &in{TableName: bothTable, Item: item{"pk": str("a"), "sk": num(1)}, ConditionExpression: aws.String("#x = :x"),
			ExpressionAttributeNames: map[string]string{"#x": "x"}, ExpressionAttributeValues: item{":x": str("x")}}
	}
	inOrder(t, (*memory.DB).PutItem, sound, []flaw[in]{
		{"name", func(in *in) { in.TableName = aws.String("") }, "", noName},
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", func(in *in) { in.Item["v"] = num("x") }, "", one + noNumber},
		{"name of an attribute", func(in *in) { in.Item[""] = num(1) }, "", "Empty attribute name"},
		{"return values", func(in *in) { in.ReturnValues = types.ReturnValueAllNew }, "", one + "ReturnValues can only be ALL_OLD or NONE"},
		{"size", func(in *in) { in.Item["w"] = str(strings.Repeat("x", 400*1024)) }, "", "Item size has exceeded the maximum allowed size"},
		{"placeholders", func(in *in) { in.ExpressionAttributeNames = map[string]string{} }, "", one + noTexts},
		{"mixture", func(in *in) { in.Expected = map[string]types.ExpectedAttributeValue{"a": {}} }, "",
			one + "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"},
		{"syntax", func(in *in) { in.ConditionExpression = aws.String("#x = :x AND a =") }, "", one + "Invalid Condition" + syntaxOf},
		{"unused", func(in *in) { in.ExpressionAttributeNames["#unused"] = "u" }, "", one + noNeed},
		{"table", func(in *in) { in.TableName = noTable }, "ResourceNotFoundException", notFound},
		{"key", func(in *in) { delete(in.Item, "sk") }, "", were + "Missing the key sk in the item"},
		{"index key", func(in *in) { in.Item["c"] = num(1) }, "", kindOfC},
		{"path", func(in *in) { in.ConditionExpression = aws.String("#x = :x AND attribute_exists(pk.y)") }, "", intoKey},
		{"condition", func(in *in) { in.Item["pk"] = str("none") }, "ConditionalCheckFailedException", falseNow},
	})
}

func TestOrderOfUpdateItem(t *testing.T) {
	t.Parallel()
	type in = dynamodb.UpdateItemInput
	sound := func() *in {
		return &in{TableName: bothTable, Key: item{"pk": str("a"), "sk": num(1)}, UpdateExpression: aws.String("SET y = :x"), ConditionExpression: aws.String("#x = :x"),
			ExpressionAttributeNames: map[string]string{"#x": "x"}, ExpressionAttributeValues: item{":x": str("x")}}
	}
	// More is set beside what the request sets anyway.
	set := func(more string) func(in *in) {
		return func(in *in) { in.UpdateExpression = aws.String(*in.UpdateExpression + ", " + more) }
	}
	inOrder(t, (*memory.DB).UpdateItem, sound, []flaw[in]{
		{"name", func(in *in) { in.TableName = aws.String("") }, "", noName},
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", func(in *in) { in.Key["sk"] = num("x") }, "", one + noNumber},
		{"placeholders", func(in *in) { in.ExpressionAttributeNames = map[string]string{} }, "", one + noTexts},
		{"mixture", func(in *in) { in.AttributeUpdates = map[string]types.AttributeValueUpdate{"a": {}} }, "",
			one + "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression, ConditionExpression}"},
		{"syntax of the update", set("a ="), "", one + "Invalid Update" + syntaxOf},
		{"syntax of the condition", func(in *in) { in.ConditionExpression = aws.String("#x = :x AND a =") }, "", one + "Invalid Condition" + syntaxOf},
		{"unused", func(in *in) { in.ExpressionAttributeNames["#unused"] = "u" }, "", one + noNeed},
		{"table", func(in *in) { in.TableName = noTable }, "ResourceNotFoundException", notFound},
		{"key", func(in *in) { in.Key["more"] = num(1) }, "", noMatch},
		{"key attribute", set("sk = :x"), "", were + "Cannot update attribute sk. This attribute is part of the key"},
		{"index key", func(in *in) {
			in.UpdateExpression = aws.String("ADD c :n " + *in.UpdateExpression)
			in.ExpressionAttributeValues[":n"] = num(1)
		}, "", kindOfC},
		{"path of the update", set("z = pk.y"), "", intoKey},
		{"path of the condition", func(in *in) { in.ConditionExpression = aws.String("#x = :x AND attribute_exists(c.y)") }, "",
			strings.Replace(intoKey, "Key: pk", "IndexKey: c", 1)},
		{"condition", func(in *in) { in.Key["pk"] = str("none") }, "ConditionalCheckFailedException", falseNow},
		{"missing attribute", set("w = q1"), "", "The provided expression refers to an attribute that does not exist in the item"},
		{"computed index key", func(in *in) {
			set("#t = n")(in)
			in.ExpressionAttributeNames["#t"] = "at"
		}, "", were + "Type mismatch for Index Key at Expected: S Actual: N IndexName: local"},
		{"size", func(in *in) {
			in.UpdateExpression = aws.String(*in.UpdateExpression + ", big = :big")
			in.ExpressionAttributeValues[":big"] = str(strings.Repeat("x", 400*1024))
		}, "",
			"Item size to update has exceeded the maximum allowed size"},
	})
}

func TestOrderOfDeleteItem(t *testing.T) {
	t.Parallel()
	type in = dynamodb.DeleteItemInput
	sound := func() *in {
		return &in{TableName: bothTable, Key: item{"pk": str("a"), "sk": num(1)}, ConditionExpression: aws.String("#x <> :y"),
			ExpressionAttributeNames: map[string]string{"#x": "x"}, ExpressionAttributeValues: item{":y": str("y")}}
	}
	inOrder(t, (*memory.DB).DeleteItem, sound, []flaw[in]{
		{"name", func(in *in) { in.TableName = aws.String("") }, "", noName},
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", func(in *in) { in.Key["sk"] = num("x") }, "", one + noNumber},
		{"return values", func(in *in) { in.ReturnValues = types.ReturnValueAllNew }, "", one + "ReturnValues can only be ALL_OLD or NONE"},
		{"placeholders", func(in *in) { in.ExpressionAttributeNames = map[string]string{} }, "", one + noTexts},
		{"mixture", func(in *in) { in.Expected = map[string]types.ExpectedAttributeValue{"a": {}} }, "",
			one + "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"},
		{"syntax", func(in *in) { in.ConditionExpression = aws.String("#x <> :y AND a =") }, "", one + "Invalid Condition" + syntaxOf},
		{"unused", func(in *in) { in.ExpressionAttributeNames["#unused"] = "u" }, "", one + noNeed},
		{"table", func(in *in) { in.TableName = noTable }, "ResourceNotFoundException", notFound},
		{"key", func(in *in) { in.Key["more"] = num(1) }, "", noMatch},
		{"path", func(in *in) { in.ConditionExpression = aws.String("#x <> :y AND attribute_exists(pk.y)") }, "", intoKey},
		{"condition", func(in *in) { in.ExpressionAttributeValues[":y"] = str("x") }, "ConditionalCheckFailedException", falseNow},
	})
}

func TestOrderOfGetItem(t *testing.T) {
	t.Parallel()
	type in = dynamodb.GetItemInput
	sound := func() *in {
		return &in{TableName: bothTable, Key: item{"pk": str("a"), "sk": num(1)}, ProjectionExpression: aws.String("#x"), ExpressionAttributeNames: map[string]string{"#x": "x"}}
	}
	inOrder(t, (*memory.DB).GetItem, sound, []flaw[in]{
		{"name", func(in *in) { in.TableName = aws.String("") }, "", noNameRead},
		{"value", func(in *in) { in.Key["sk"] = num("x") }, "", noNumber},
		{"placeholders", func(in *in) { in.ExpressionAttributeNames = map[string]string{} }, "", noTexts},
		{"mixture", func(in *in) { in.AttributesToGet = []string{"a"} }, "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"},
		{"overlap", func(in *in) { in.ProjectionExpression = aws.String("#x, x.y") }, "",
			"Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [x], path two: [x, y]"},
		{"unused", func(in *in) { in.ExpressionAttributeNames["#unused"] = "u" }, "", noNeed},
		{"table", func(in *in) { in.TableName = noTable }, "ResourceNotFoundException", notFound},
		{"key", func(in *in) { in.Key["more"] = num(1) }, "", noMatch},
		{"path", func(in *in) { in.ProjectionExpression = aws.String("#x, pk.y") }, "", intoKey},
	})
}

func TestOrderOfQuery(t *testing.T) {
	t.Parallel()
	type in = dynamodb.QueryInput
	sound := func() *in {
		return &in{TableName: bothTable, IndexName: aws.String("gsi"), KeyConditionExpression: aws.String("c = :c AND n > :n"), FilterExpression: aws.String("#x = :c"),
			ProjectionExpression: aws.String("#x"), ExpressionAttributeNames: map[string]string{"#x": "x"}, ExpressionAttributeValues: item{":c": str("c"), ":n": num(0)},
			ExclusiveStartKey: item{"pk": str("a"), "sk": num(1), "c": str("c"), "n": num(1)}}
	}
	filter := func(more string) func(in *in) {
		return func(in *in) { in.FilterExpression = aws.String(*in.FilterExpression + " AND " + more) }
	}
	inOrder(t, (*memory.DB).Query, sound, []flaw[in]{
		{"limit", func(in *in) { in.Limit = aws.Int32(0) }, "", one + "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"value of the start key", func(in *in) { in.ExclusiveStartKey["sk"] = num("x") }, "", noNumber},
		{"placeholders", func(in *in) { in.ExpressionAttributeNames = map[string]string{} }, "", noTexts},
		{"mixture", func(in *in) { in.AttributesToGet = []string{"a"} }, "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} " +
				"Expression parameters: {ProjectionExpression, FilterExpression, KeyConditionExpression}"},
		{"syntax of the key condition", func(in *in) { in.KeyConditionExpression = aws.String("c = :c AND n > :n AND a =") }, "", "Invalid KeyCondition" + syntaxOf},
		{"syntax of the filter", filter("a ="), "", "Invalid Filter" + syntaxOf},
		{"overlap", func(in *in) { in.ProjectionExpression = aws.String("#x, x.y") }, "",
			"Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [x], path two: [x, y]"},
		{"unused", func(in *in) { in.ExpressionAttributeNames["#unused"] = "u" }, "", noNeed},
		{"no key condition", func(in *in) { in.KeyConditionExpression = aws.String("NOT c = :c AND n > :n") }, "",
			"Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: NOT"},
		{"count", func(in *in) { in.Select = types.SelectCount }, "", one + "Cannot specify the ProjectionExpression when choosing to get only the Count"},
		{"table", func(in *in) { in.TableName = noTable }, "ResourceNotFoundException", notFound},
		{"index", func(in *in) { in.IndexName = aws.String("none") }, "", "The table does not have the specified index: none"},
		{"consistency", func(in *in) { in.ConsistentRead = aws.Bool(true) }, "", "Consistent reads are not supported on global secondary indexes"},
		{"size of the start key", func(in *in) { in.ExclusiveStartKey["more"] = num(1) }, "", "The provided starting key is invalid"},
		{"partition key of the start key", func(in *in) { in.ExclusiveStartKey["c"] = num(1) }, "", noMatch},
		{"partition key", func(in *in) { in.KeyConditionExpression = aws.String("z = :c AND n > :n") }, "", "Query condition missed key schema element: c"},
		{"kind of the partition key", func(in *in) { in.ExpressionAttributeValues[":c"] = num(1) }, "", were + "Condition parameter type does not match schema type"},
		{"operator of the partition key", func(in *in) { in.KeyConditionExpression = aws.String("c >= :c AND n > :n") }, "", "Query key condition not supported"},
		{"sort key of the start key", func(in *in) { in.ExclusiveStartKey["n"] = str("1") }, "", noMatch},
		{"sort key", func(in *in) { in.KeyConditionExpression = aws.String("c = :c AND z > :n") }, "", "Query condition missed key schema element: n"},
		{"kind of the sort key", func(in *in) { in.ExpressionAttributeValues[":n"] = str("0") }, "", were + "Condition parameter type does not match schema type"},
		{"table key of the start key", func(in *in) { in.ExclusiveStartKey["pk"] = num(1) }, "", "The provided starting key is invalid: " + noMatch},
		{"start key outside the range", func(in *in) { in.ExclusiveStartKey["n"] = num(-1) }, "", "The provided starting key does not match the range key predicate"},
		{"start key of another partition", func(in *in) { in.ExclusiveStartKey["c"] = str("d") }, "", "The query can return at most one row and cannot be restarted"},
		{"path of the projection", func(in *in) { in.ProjectionExpression = aws.String("#x, pk.y") }, "", intoKey},
		{"filter on the key", filter("n = :c"), "", "Filter Expression can only contain non-primary key attributes: Primary key attribute: n"},
		{"what the index does not hold", func(in *in) { in.ProjectionExpression = aws.String("#x, y") }, "", were + "Global secondary index gsi does not project [y]"},
		{"path of the filter", filter("attribute_exists(pk.y)"), "", intoKey},
	})
}

func TestOrderOfScan(t *testing.T) {
	t.Parallel()
	type in = dynamodb.ScanInput
	sound := func() *in {
		return &in{TableName: bothTable, IndexName: aws.String("gsi"), FilterExpression: aws.String("#x = :c"), ExpressionAttributeNames: map[string]string{"#x": "x"},
			ExpressionAttributeValues: item{":c": str("c")}, ExclusiveStartKey: item{"pk": str("a"), "sk": num(1), "c": str("c"), "n": num(1)}}
	}
	filter := func(more string) func(in *in) {
		return func(in *in) { in.FilterExpression = aws.String(*in.FilterExpression + " AND " + more) }
	}
	inOrder(t, (*memory.DB).Scan, sound, []flaw[in]{
		{"limit", func(in *in) { in.Limit = aws.Int32(0) }, "", one + "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"value of the start key", func(in *in) { in.ExclusiveStartKey["sk"] = num("x") }, "", noNumber},
		{"placeholders", func(in *in) { in.ExpressionAttributeNames = map[string]string{} }, "", noTexts},
		{"mixture", func(in *in) { in.ScanFilter = map[string]types.Condition{"a": {ComparisonOperator: "EQ"}} }, "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}"},
		{"syntax", filter("a ="), "", "Invalid Filter" + syntaxOf},
		{"unused", func(in *in) { in.ExpressionAttributeNames["#unused"] = "u" }, "", noNeed},
		{"nothing specified", func(in *in) { in.Select = types.SelectSpecificAttributes }, "",
			"Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"},
		{"segment", func(in *in) { in.Segment = aws.Int32(1) }, "", "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"},
		{"table", func(in *in) { in.TableName = noTable }, "ResourceNotFoundException", notFound},
		{"index", func(in *in) { in.IndexName = aws.String("none") }, "", "The table does not have the specified index: none"},
		{"consistency", func(in *in) { in.ConsistentRead = aws.Bool(true) }, "", "Consistent reads are not supported on global secondary indexes"},
		{"size of the start key", func(in *in) { in.ExclusiveStartKey["more"] = num(1) }, "", "The provided starting key is invalid"},
		{"index key of the start key", func(in *in) { in.ExclusiveStartKey["n"] = str("1") }, "", noMatch},
		{"all of what the index does not hold", func(in *in) { in.Select = types.SelectAllAttributes }, "",
			were + "Select type ALL_ATTRIBUTES is not supported for global secondary index gsi because its projection type is not ALL"},
		{"table key of the start key", func(in *in) { in.ExclusiveStartKey["pk"] = num(1) }, "", "The provided starting key is invalid: " + noMatch},
		{"path", filter("attribute_exists(pk.y)"), "", intoKey},
	})
}

func TestOrderOfBatchGetItem(t *testing.T) {
	t.Parallel()
	type in = dynamodb.BatchGetItemInput
	sound := func() *in {
		return &in{RequestItems: map[string]types.KeysAndAttributes{
			"Both": {Keys: []item{{"pk": str("a"), "sk": num(1)}}, ProjectionExpression: aws.String("#x"), ExpressionAttributeNames: map[string]string{"#x": "x"}},
			"Hash": {Keys: []item{keyA}},
		}}
	}
	both := func(change func(k *types.KeysAndAttributes)) func(in *in) {
		return func(in *in) {
			k := in.RequestItems["Both"]
			change(&k)
			in.RequestItems["Both"] = k
		}
	}
	inOrder(t, (*memory.DB).BatchGetItem, sound, []flaw[in]{
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", both(func(k *types.KeysAndAttributes) { k.Keys[0]["sk"] = num("x") }), "", noNumber},
		{"placeholders", both(func(k *types.KeysAndAttributes) { k.ExpressionAttributeNames = map[string]string{} }), "", noTexts},
		{"mixture", both(func(k *types.KeysAndAttributes) { k.AttributesToGet = []string{"a", "a"} }), "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"},
		{"syntax", both(func(k *types.KeysAndAttributes) { k.ProjectionExpression = aws.String("#x,") }), "",
			`Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","`},
		{"unused", both(func(k *types.KeysAndAttributes) { k.ExpressionAttributeNames["#unused"] = "u" }), "", noNeed},
		{"twice", both(func(k *types.KeysAndAttributes) { k.Keys = append(k.Keys, maps.Clone(k.Keys[0])) }), "", "Provided list of item keys contains duplicates"},
		{"attributes twice, in a later table", func(in *in) {
			in.RequestItems["Hash"] = types.KeysAndAttributes{Keys: []item{keyA}, AttributesToGet: []string{"a", "a"}}
		}, "", were + "Duplicate value in attribute name: a"},
		{"too many in all", func(in *in) { in.RequestItems["Bin"] = types.KeysAndAttributes{Keys: numbered(100)} }, "", "Too many items requested for the BatchGetItem call"},
		{"table", func(in *in) { in.RequestItems["Nowhere"] = types.KeysAndAttributes{Keys: []item{keyA}} }, "ResourceNotFoundException", notFound},
		{"key", both(func(k *types.KeysAndAttributes) { k.Keys[0]["more"] = num(1) }), "", noMatch},
	})
}

func TestOrderOfBatchWriteItem(t *testing.T) {
	t.Parallel()
	type in = dynamodb.BatchWriteItemInput
	sound := func() *in {
		return &in{RequestItems: map[string][]types.WriteRequest{
			"Both": {putRequest(item{"pk": str("a"), "sk": num(1)})}, "Hash": {deleteRequest(item{"pk": str("a")})},
		}}
	}
	add := func(table string, requests ...types.WriteRequest) func(in *in) {
		return func(in *in) { in.RequestItems[table] = append(in.RequestItems[table], requests...) }
	}
	inOrder(t, (*memory.DB).BatchWriteItem, sound, []flaw[in]{
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", func(in *in) { in.RequestItems["Both"][0].PutRequest.Item["v"] = num("x") }, "", noNumber},
		{"size", func(in *in) { in.RequestItems["Both"][0].PutRequest.Item["w"] = str(strings.Repeat("x", 400*1024)) }, "", "Item size has exceeded the maximum allowed size"},
		{"neither", add("Hash", types.WriteRequest{}), "", "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
		{"table", add("Nowhere", putRequest(keyA)), "ResourceNotFoundException", notFound},
		{"key", func(in *in) { delete(in.RequestItems["Both"][0].PutRequest.Item, "sk") }, "", noMatch},
		{"index key", func(in *in) { in.RequestItems["Both"][0].PutRequest.Item["c"] = num(1) }, "", kindOfC},
		{"twice", add("Hash", putRequest(keyA)), "", "Provided list of item keys contains duplicates"},
	})
}

func TestOrderOfTransactWriteItems(t *testing.T) {
	t.Parallel()
	type in = dynamodb.TransactWriteItemsInput
	sound := func() *in {
		return &in{TransactItems: actions{
			{Put: &types.Put{TableName: bothTable, Item: item{"pk": str("a"), "sk": num(1)}, ConditionExpression: aws.String("#x = :x"),
				ExpressionAttributeNames: map[string]string{"#x": "x"}, ExpressionAttributeValues: item{":x": str("x")}}},
			updateAction("Hash", item{"pk": str("a")}, "SET n = :n", item{":n": num(1)}),
		}}
	}
	add := func(more ...types.TransactWriteItem) func(in *in) {
		return func(in *in) { in.TransactItems = append(in.TransactItems, more...) }
	}
	cancelled := func(codes ...string) string {
		return "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]"
	}
	inOrder(t, (*memory.DB).TransactWriteItems, sound, []flaw[in]{
		{"token", func(in *in) { in.ClientRequestToken = aws.String(strings.Repeat("t", 37)) }, "",
			one + "Value at 'ClientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36"},
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", func(in *in) { in.TransactItems[0].Put.Item["v"] = num("x") }, "", noNumber},
		{"name of an attribute", func(in *in) { in.TransactItems[0].Put.Item[""] = num(1) }, "", "Empty attribute name"},
		{"placeholders", func(in *in) { in.TransactItems[0].Put.ExpressionAttributeNames = map[string]string{} }, "", noTexts},
		{"syntax", func(in *in) { in.TransactItems[0].Put.ConditionExpression = aws.String("#x = :x AND a =") }, "", "Invalid Condition" + syntaxOf},
		{"size", func(in *in) { in.TransactItems[0].Put.Item["w"] = str(strings.Repeat("x", 400*1024)) }, "", "Item size has exceeded the maximum allowed size"},
		{"unused", func(in *in) { in.TransactItems[0].Put.ExpressionAttributeNames["#unused"] = "u" }, "", noNeed},
		{"syntax of a later action", func(in *in) { in.TransactItems[1].Update.UpdateExpression = aws.String("SET a =") }, "", "Invalid Update" + syntaxOf},
		{"table", add(putAction("Nowhere", keyA)), "ResourceNotFoundException", notFound},
		{"empty key", add(putAction("Hash", item{"pk": str("")})), "",
			areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"},
		{"twice", add(deleteAction("Hash", keyOf("z")), deleteAction("Hash", keyOf("z"))), "", "Transaction request cannot include multiple operations on one item"},
		{"key", func(in *in) { in.TransactItems[0].Put.Item["sk"] = str("1") }, "TransactionCanceledException", cancelled("ValidationError", "None")},
		{"key of a later action", func(in *in) { in.TransactItems[1].Update.Key["more"] = num(1) }, "TransactionCanceledException", cancelled("None", "ValidationError")},
		{"missing attribute", func(in *in) { in.TransactItems[1].Update.UpdateExpression = aws.String("SET n = :n + q1") }, "TransactionCanceledException",
			cancelled("None", "ValidationError")},
		{"condition", func(in *in) { in.TransactItems[0].Put.Item["pk"] = str("none") }, "TransactionCanceledException", cancelled("ConditionalCheckFailed", "None")},
	})
}

func TestOrderOfTransactGetItems(t *testing.T) {
	t.Parallel()
	type in = dynamodb.TransactGetItemsInput
	sound := func() *in {
		return &in{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: bothTable, Key: item{"pk": str("a"), "sk": num(1)}, ProjectionExpression: aws.String("#x"), ExpressionAttributeNames: map[string]string{"#x": "x"}}},
			getAction("Hash", "a"),
		}}
	}
	inOrder(t, (*memory.DB).TransactGetItems, sound, []flaw[in]{
		{"word", func(in *in) { in.ReturnConsumedCapacity = "X" }, "", wrongWord},
		{"value", func(in *in) { in.TransactItems[0].Get.Key["sk"] = num("") }, "", "The parameter cannot be converted to a numeric value"},
		{"placeholders", func(in *in) { in.TransactItems[0].Get.ExpressionAttributeNames = map[string]string{} }, "", noTexts},
		{"syntax", func(in *in) { in.TransactItems[0].Get.ProjectionExpression = aws.String("#x,") }, "", `Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","`},
		{"unused", func(in *in) { in.TransactItems[0].Get.ExpressionAttributeNames["#unused"] = "u" }, "", noNeed},
		{"table", func(in *in) { in.TransactItems = append(in.TransactItems, getAction("Nowhere", "a")) }, "ResourceNotFoundException", notFound},
		{"twice", func(in *in) {
			in.TransactItems = append(in.TransactItems, getAction("Hash", "z"), getAction("Hash", "z"))
		}, "", "Transaction request cannot include multiple operations on one item"},
		{"key", func(in *in) { in.TransactItems[0].Get.Key["more"] = num(1) }, "TransactionCanceledException",
			"Transaction cancelled, please refer cancellation reasons for specific reasons [ValidationError, None]"},
		{"key of a later action", func(in *in) { in.TransactItems[1].Get.Key["more"] = num(1) }, "TransactionCanceledException",
			"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]"},
	})
}

func TestOrderOfCreateTable(t *testing.T) {
	t.Parallel()
	type in = dynamodb.CreateTableInput
	sound := func() *in {
		return withLSI(withGSI(define("New", "pk:S", "sk:S"), "gsi", []string{"g:S"}, nil), "local", "at:S")
	}
	inOrder(t, (*memory.DB).CreateTable, sound, []flaw[in]{
		{"no name", func(in *in) { in.TableName = nil }, "", "The parameter 'TableName' is required but was not present in the request"},
		{"word", func(in *in) { in.TableClass = "X" }, "", one + "Value 'X' at 'tableClass' failed to satisfy constraint: Member must satisfy enum value set: [STANDARD, STANDARD_INFREQUENT_ACCESS]"},
		{"throughput on demand", func(in *in) { in.ProvisionedThroughput = throughput(1, 1) }, "",
			were + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
		{"attribute defined twice", func(in *in) { in.AttributeDefinitions = append(in.AttributeDefinitions, in.AttributeDefinitions[0]) }, "",
			"Attribute Name is duplicated: pk"},
		{"key", func(in *in) { in.KeySchema[0].KeyType = types.KeyTypeRange }, "", "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
		{"projection of a global index", func(in *in) { in.GlobalSecondaryIndexes[0].Projection.ProjectionType = "" }, "", were + "Unknown ProjectionType: null"},
		{"throughput of a global index", func(in *in) { in.GlobalSecondaryIndexes[0].ProvisionedThroughput = throughput(1, 1) }, "",
			were + "ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST"},
		{"projection of a local index", func(in *in) { in.LocalSecondaryIndexes[0].Projection.NonKeyAttributes = []string{"x"} }, "",
			were + "ProjectionType is ALL, but NonKeyAttributes is specified"},
		{"one name for two", func(in *in) { in.LocalSecondaryIndexes[0].IndexName = aws.String("gsi") }, "", were + "Duplicate index name: gsi"},
		{"unused definition", func(in *in) { addDefinitions(in, []string{"x"}, []string{"S"}) }, "",
			were + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, g, at, x], keys used: [pk, sk, g, at]"},
		{"ceiling", func(in *in) { in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(0)} }, "",
			were + "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"},
		{"name taken", func(in *in) { in.TableName = hashTable }, "ResourceInUseException", "Table already exists: Hash"},
	})
}
