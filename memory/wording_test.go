package memory_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// reworded is a request that regions refuse in different words.
type reworded struct {
	name         string
	call         func(ctx context.Context, db *memory.DB) error
	newer, older string
}

// wordsOfValues are the faults of values: where the two layers differ in the
// text itself, and where only in the count in front.
func wordsOfValues() []reworded {
	with := func(v types.AttributeValue) func(context.Context, *memory.DB) error {
		return putCall(dynamodb.PutItemInput{TableName: noTable, Item: item{"pk": str("a"), "v": v}})
	}
	same := func(name string, v types.AttributeValue, text string) reworded {
		return reworded{name, with(v), one + text, text}
	}
	return []reworded{
		same("empty string set", strs(), were+"An string set  may not be empty"),
		same("empty number set", &types.AttributeValueMemberNS{}, were+"An number set  may not be empty"),
		same("empty binary set", &types.AttributeValueMemberBS{}, were+"Binary sets should not be empty"),
		same("null that is false", &types.AttributeValueMemberNULL{}, were+"Null attribute value types must have the value of true"),
		same("no number", num("abc"), "The parameter cannot be converted to a numeric value: abc"),
		{"number without digits", with(num("")), one + "The parameter cannot be converted to a numeric value: ", "The parameter cannot be converted to a numeric value"},
		{"duplicate strings", with(strs("b", "a", "b")), one + were + `Input collection ["a", "b", "b"] contains duplicates.`, were + "Input collection [b, a, b] contains duplicates."},
		{"duplicate numbers", with(&types.AttributeValueMemberNS{Value: []string{"1", "1.0"}}), one + were + "Input collection contains duplicates.", "Input collection contains duplicates"},
		{"duplicate binaries", with(&types.AttributeValueMemberBS{Value: [][]byte{{0}, {255}, {0}}}),
			one + were + `Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`, were + "Input collection [AA==, /w==, AA==]of type BS contains duplicates."},
		same("nesting", nested(32), "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"),
		{"nesting so deep that only the older layer looks at it", with(nested(62)),
			"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
			"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		{"a value of no kind is counted nowhere", with(nil),
			"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
	}
}

// wordsOfExpressions are the faults of expressions and of what stands in their
// place.
func wordsOfExpressions() []reworded {
	v := item{":v": num(1)}
	counted := func(name string, call func(context.Context, *memory.DB) error, text string) reworded {
		return reworded{name, call, one + text, text}
	}
	const unused = "ExpressionAttributeValues can only be specified when using expressions"
	const noNumber = "The parameter cannot be converted to a numeric value: abc"
	return []reworded{
		{"value of an expression", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ConditionExpression: aws.String("a = :v"), ExpressionAttributeValues: item{":v": num("abc")}}),
			one + noNumber, "ExpressionAttributeValues contains invalid value: " + noNumber + " for key :v"},
		counted("expectation without a value", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, Expected: map[string]types.ExpectedAttributeValue{"a": {Exists: aws.Bool(true)}}}),
			were+"Value must be provided when Exists is true for Attribute: a"),
		counted("number of arguments", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, Expected: map[string]types.ExpectedAttributeValue{"a": {ComparisonOperator: "BETWEEN", Value: num(1)}}}),
			were+"Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
		counted("syntax", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, UpdateExpression: aws.String("INVALID SYNTAX HERE")}),
			`Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"`),
		counted("empty", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, UpdateExpression: aws.String("")}),
			"Invalid UpdateExpression: The expression can not be empty;"),
		counted("unused value", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ConditionExpression: aws.String("attribute_exists(a)"), ExpressionAttributeValues: v}),
			"Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"),
		counted("mixed", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ConditionExpression: aws.String("attribute_exists(pk)"),
			Expected: map[string]types.ExpectedAttributeValue{"pk": {Exists: aws.Bool(false)}}}),
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"),
		counted("return values", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ReturnValues: types.ReturnValueAllNew}),
			"ReturnValues can only be ALL_OLD or NONE"),
		counted("names of a put without an expression", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ExpressionAttributeNames: map[string]string{"#a": "a"}}),
			"ExpressionAttributeNames can only be specified when using expressions"),
		{"values of a put without an expression", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ExpressionAttributeValues: v}),
			one + unused, unused + ": ConditionExpression is null"},
		{"values of a delete without an expression", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ExpressionAttributeValues: v}),
			one + unused, unused + ": ConditionExpression is null"},
		{"values of an update without an expression", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, ExpressionAttributeValues: v}),
			one + unused, unused + ": UpdateExpression and ConditionExpression are null"},
		{"values of a query without an expression", queryCall(dynamodb.QueryInput{TableName: noTable, ExpressionAttributeValues: v}),
			unused, unused + ": FilterExpression and KeyConditionExpression are null"},
		{"values of a scan without an expression", scanCall(dynamodb.ScanInput{TableName: noTable, ExpressionAttributeValues: v}),
			unused, unused + ": FilterExpression is null"},
		{"computed index key of another kind", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: item{"pk": str("a"), "sk": num(1)}, UpdateExpression: aws.String("SET c = n")}),
			were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi", "The update expression attempted to update the secondary index key to unsupported type"},
		{"computed index key that is too long", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: item{"pk": str("a"), "sk": num(1)},
			UpdateExpression: aws.String("SET c = if_not_exists(q, :v)"), ExpressionAttributeValues: item{":v": str(strings.Repeat("k", 2049))}}),
			were + "Size limit exceeded for Index Key c Actual Size: 2049 bytes Max Size: 2048 bytes IndexName: agsi",
			"The update expression attempted to update the secondary index key beyond allowed size limits"},
		{"faults of the update itself are counted nowhere", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, UpdateExpression: aws.String("SET a = b")}),
			"The provided expression refers to an attribute that does not exist in the item", "The provided expression refers to an attribute that does not exist in the item"},
	}
}

// wordsOfConstraints are violations of constraints, where the layers also differ
// in which of them are reported together.
func wordsOfConstraints() []reworded {
	const (
		failed     = "failed to satisfy constraint: "
		emptyNewer = one + "Value at 'TableName' " + failed + "Member must have length greater than or equal to 1"
		emptyOlder = "Value '' at 'tableName' " + failed + "Member must have length greater than or equal to 1"
		values     = "Value 'X' at 'returnValues' " + failed + "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
		// The newer layer says ALL where it means AND.
		valuesNewer   = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
		operator      = "Value 'XOR' at 'conditionalOperator' " + failed + "Member must satisfy enum value set: [OR, AND]"
		operatorNewer = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
		selected      = "Value 'X' at 'select' " + failed + "Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
		capacity      = "Value 'X' at 'returnConsumedCapacity' " + failed + "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
		noMap         = one + "Value at 'RequestItems' " + failed + "Member must have length greater than or equal to 1"
	)
	token := strings.Repeat("x", 37)
	absent := map[string]types.ExpectedAttributeValue{"a": {Exists: aws.Bool(false)}, "b": {Exists: aws.Bool(false)}}
	requests := slices.Repeat([]types.WriteRequest{{PutRequest: &types.PutRequest{Item: keyA}}}, 26)
	action := []types.TransactWriteItem{{Put: &types.Put{TableName: noTable, Item: keyA}}}
	return []reworded{
		{"put: empty table name", putCall(dynamodb.PutItemInput{TableName: aws.String(""), Item: keyA}), emptyNewer, one + emptyOlder},
		{"put: empty table name and a wrong word", putCall(dynamodb.PutItemInput{TableName: aws.String(""), Item: keyA, ReturnValues: "X"}),
			emptyNewer, "2 validation errors detected: " + values + "; " + emptyOlder},
		{"delete: empty table name", deleteCall(dynamodb.DeleteItemInput{TableName: aws.String(""), Key: keyA}), emptyNewer, one + emptyOlder},
		{"update: empty table name", updateCall(dynamodb.UpdateItemInput{TableName: aws.String(""), Key: keyA}), emptyNewer, one + emptyOlder},
		{"update: empty table name and no key", updateCall(dynamodb.UpdateItemInput{TableName: aws.String("")}),
			"2 validation errors detected: " + emptyOlder + "; Value null at 'key' " + failed + "Member must not be null",
			"2 validation errors detected: " + emptyOlder + "; Value null at 'key' " + failed + "Member must not be null"},
		{"update: two wrong words", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, ReturnValues: "X", ReturnConsumedCapacity: "X"}),
			one + "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
			"2 validation errors detected: " + capacity + "; " + values},
		{"delete: two wrong words", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ReturnValues: "X", ReturnConsumedCapacity: "X"}),
			"2 validation errors detected: " + capacity + "; " + valuesNewer, "2 validation errors detected: " + capacity + "; " + values},
		{"put: two wrong words", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ReturnValues: "X", ReturnConsumedCapacity: "X"}),
			"2 validation errors detected: " + capacity + "; " + valuesNewer, "2 validation errors detected: " + capacity + "; " + values},
		{"put: wrong operator", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, Expected: absent, ConditionalOperator: "XOR"}),
			one + operatorNewer, one + operator},
		{"update: wrong operator", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, Expected: absent, ConditionalOperator: "XOR"}),
			one + operatorNewer, one + operator},
		{"update: wrong operator and no key", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Expected: absent, ConditionalOperator: "XOR"}),
			"2 validation errors detected: " + operator + "; Value null at 'key' " + failed + "Member must not be null",
			"2 validation errors detected: " + operator + "; Value null at 'key' " + failed + "Member must not be null"},
		{"query: wrong operator and another wrong word", queryCall(dynamodb.QueryInput{TableName: noTable, ConditionalOperator: "XOR", Select: "X"}),
			operatorNewer, "2 validation errors detected: " + selected + "; " + operator},
		{"batch get of nothing", batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}),
			noMap, "The requestItems parameter is required for BatchGetItem"},
		{"batch write of nothing", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}),
			noMap, "The requestItems parameter is required for BatchWriteItem"},
		{"batch write of too much", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hash": requests}}),
			one + "Value at 'RequestItems.Hash.member' " + failed + "Member must have length less than or equal to 25",
			one + "Value '{Hash=[" + strings.Repeat("WriteRequest, ", 25) + "WriteRequest]}' at 'requestItems' " + failed +
				"Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"},
		{"batch write of nothing to a table", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hash": {}}}),
			one + "Value at 'RequestItems.Hash.member' " + failed + "Member must have length greater than or equal to 1",
			one + "Value '{Hash=[]}' at 'requestItems' " + failed +
				"Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"},
		{"token too long", transactWriteCall(dynamodb.TransactWriteItemsInput{TransactItems: action, ClientRequestToken: &token, ReturnConsumedCapacity: "X"}),
			one + "Value at 'ClientRequestToken' " + failed + "Member must have length less than or equal to 36",
			"2 validation errors detected: Value '" + token + "' at 'clientRequestToken' " + failed + "Member must have length less than or equal to 36; " + capacity},
		{"scan: limit", scanCall(dynamodb.ScanInput{TableName: noTable, Limit: aws.Int32(0)}),
			one + "Value '0' at 'limit' " + failed + "Member must have value greater than or equal to 1",
			one + "Value '0' at 'limit' " + failed + "Member must have value greater than or equal to 1"},
		{"query: limit", queryCall(dynamodb.QueryInput{TableName: noTable, Limit: aws.Int32(0)}),
			one + "Value at 'Limit' " + failed + "Member must have value greater than or equal to 1",
			one + "Value at 'Limit' " + failed + "Member must have value greater than or equal to 1"},
	}
}

// TestWordingOfRegions promises that a DB words faults as its region does. Only
// the words differ: each request is refused in both.
func TestWordingOfRegions(t *testing.T) {
	t.Parallel()
	all := slices.Concat(wordsOfValues(), wordsOfExpressions(), wordsOfConstraints())
	for _, region := range []struct {
		name  string
		older bool
	}{{"us-east-1", false}, {"eu-west-2", false}, {"eu-south-2", true}, {"me-central-1", true}} {
		t.Run(region.name, func(t *testing.T) {
			t.Parallel()
			var tests []refusal
			for _, r := range all {
				want := r.newer
				if region.older {
					want = r.older
				}
				tests = append(tests, refusal{name: r.name, call: r.call, want: want})
			}
			refuse(t, seedPlain, tests, memory.Region(region.name))
		})
	}
}

// Regions also differ in what they say of a resource that does not exist.
func TestTagsOfNothing(t *testing.T) {
	t.Parallel()
	list := func(arn string) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error {
			_, err := db.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: &arn})
			return err
		}
	}
	const (
		missing = "arn:aws:dynamodb:us-east-1:000000000000:table/Nowhere"
		index   = "arn:aws:dynamodb:me-central-1:000000000000:table/Both/index/gsi"
		denied  = "User: arn:aws:iam::000000000000:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: "
	)
	refuse(t, seedPlain, []refusal{
		{"missing table", list(missing), "ResourceNotFoundException", "Requested resource not found: ResourcArn: " + missing + " not found"},
		{"no ARN", list("Hash"), "", were + "Invalid ResourceArn: ARNs must start with 'arn:': Hash"},
	})
	t.Run("older", func(t *testing.T) {
		t.Parallel()
		refuse(t, seedPlain, []refusal{
			{"missing table", list(missing), "AccessDeniedException", denied + missing},
			{"no ARN", list("Hash"), "AccessDeniedException", denied + "Hash"},
			{"index", list(index), "", were + "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: " + index},
		}, memory.Region("me-central-1"))
	})
}
