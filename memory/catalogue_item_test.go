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

func TestPutItemRefusals(t *testing.T) {
	t.Parallel()
	tooLarge := item{"pk": str("big"), "v": str(strings.Repeat("x", 400*1024-5))}
	refuse(t, seedPlain, []refusal{
		{"nothing at all", putCall(dynamodb.PutItemInput{}), "",
			"2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null; " +
				"Value null at 'item' failed to satisfy constraint: Member must not be null"},
		{"empty table name hides the rest", putCall(dynamodb.PutItemInput{TableName: aws.String(""), ReturnValues: "X"}), "",
			one + "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"table name too long", putCall(dynamodb.PutItemInput{TableName: aws.String(strings.Repeat("a", 256)), Item: keyA}), "",
			one + "Value '" + strings.Repeat("a", 256) + "' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255"},
		{"table name with a blank", putCall(dynamodb.PutItemInput{TableName: aws.String("bad table"), Item: keyA}), "",
			one + "Value 'bad table' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
		{"all wrong words in the order of the model", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: keyA,
			ReturnConsumedCapacity: "total", ReturnItemCollectionMetrics: "X", ReturnValues: "X"}), "",
			"3 validation errors detected: Value 'total' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; " +
				"Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; " +
				"Value 'X' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]"},
		{"table with a short name is just missing", putCall(dynamodb.PutItemInput{TableName: aws.String("ab"), Item: keyA}),
			"ResourceNotFoundException", "Requested resource not found"},
		{"value before table", putCall(dynamodb.PutItemInput{TableName: noTable, Item: item{"pk": num("x1")}}), "",
			one + "The parameter cannot be converted to a numeric value: x1"},
		{"empty set", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), "v": strs()}}), "",
			one + were + "An string set  may not be empty"},
		{"set with duplicates", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), "v": strs("a", "b", "b")}}), "",
			one + were + `Input collection ["a", "b", "b"] contains duplicates.`},
		{"no kind is not counted", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), "v": nil}}), "",
			"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
		{"nesting", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), "v": nested(32)}}), "",
			one + "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		{"empty attribute name", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), "": num(1)}}), "",
			"Empty attribute name"},
		{"empty attribute name deep inside", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), "v": seq(obj(item{"": num(1)}))}}), "",
			"Empty attribute name"},
		{"attribute name too long", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b"), strings.Repeat("n", 65536): num(1)}}), "",
			"Attribute name is too large, must be less than 65536 bytes"},
		{"return values", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ReturnValues: types.ReturnValueAllNew}), "",
			one + "ReturnValues can only be ALL_OLD or NONE"},
		{"size before table", putCall(dynamodb.PutItemInput{TableName: noTable, Item: tooLarge}), "",
			"Item size has exceeded the maximum allowed size"},
		{"expression before table", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ConditionExpression: aws.String("pk = :x")}), "",
			one + "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :x"},
		{"mixed parameters", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ConditionExpression: aws.String("attribute_exists(pk)"),
			Expected: map[string]types.ExpectedAttributeValue{"pk": {Exists: aws.Bool(false)}}}), "",
			one + "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"},
		{"missing table", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA}),
			"ResourceNotFoundException", "Requested resource not found"},
		{"table of another account", putCall(dynamodb.PutItemInput{TableName: aws.String("arn:aws:dynamodb:us-east-1:111111111111:table/Hash"), Item: keyA}),
			"ResourceNotFoundException", "Requested resource not found"},
		{"missing key", putCall(dynamodb.PutItemInput{TableName: bothTable, Item: keyA}), "", were + "Missing the key sk in the item"},
		{"key of another kind", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": num(1)}}), "",
			were + "Type mismatch for key pk expected: S actual: N"},
		{"empty key", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("")}}), "",
			areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"},
		{"empty binary key", putCall(dynamodb.PutItemInput{TableName: aws.String("Bin"), Item: item{"pk": bin("")}}), "",
			areNt + "The AttributeValue for a key attribute cannot contain an empty binary value. Key: pk"},
		{"partition key too long", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str(strings.Repeat("k", 2049))}}), "",
			were + "Size of hashkey has exceeded the maximum size limit of2048 bytes"},
		{"index key of another kind names the first index by name", putCall(dynamodb.PutItemInput{TableName: bothTable,
			Item: item{"pk": str("b"), "sk": num(1), "c": num(1)}}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"},
		{"empty index key", putCall(dynamodb.PutItemInput{TableName: bothTable, Item: item{"pk": str("b"), "sk": num(1), "at": str("")}}), "",
			areNt + "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: local, IndexKey: at"},
		{"index key too long", putCall(dynamodb.PutItemInput{TableName: bothTable, Item: item{"pk": str("b"), "sk": num(1), "at": str(strings.Repeat("k", 1025))}}), "",
			were + "Size limit exceeded for Index Key at Actual Size: 1025 bytes Max Size: 1024 bytes IndexName: local"},
		{"partition key of an index too long", putCall(dynamodb.PutItemInput{TableName: bothTable, Item: item{"pk": str("b"), "sk": num(1), "c": str(strings.Repeat("k", 2049))}}), "",
			were + "Size limit exceeded for Index Key c Actual Size: 2049 bytes Max Size: 2048 bytes IndexName: agsi"},
		{"index keys before the condition", putCall(dynamodb.PutItemInput{TableName: bothTable, Item: item{"pk": str("b"), "sk": num(1), "c": boolean(true)},
			ConditionExpression: aws.String("attribute_exists(pk)")}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: BOOL IndexName: agsi"},
		{"path into a key", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: item{"pk": str("b")}, ConditionExpression: aws.String("attribute_exists(pk.x)")}), "",
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk"},
		{"path into an index key", putCall(dynamodb.PutItemInput{TableName: bothTable, Item: item{"pk": str("b"), "sk": num(1)}, ConditionExpression: aws.String("attribute_exists(c[1])")}), "",
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: c"},
		{"condition", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: keyA, ConditionExpression: aws.String("attribute_not_exists(pk)")}),
			"ConditionalCheckFailedException", "The conditional request failed"},
	})
}

func TestUpdateItemRefusals(t *testing.T) {
	t.Parallel()
	set := func(table *string, key item, text string, values item) func(context.Context, *memory.DB) error {
		return updateCall(dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String(text), ExpressionAttributeValues: values})
	}
	keyBoth := item{"pk": str("a"), "sk": num(1)}
	refuse(t, seedPlain, []refusal{
		{"missing key joins the rest", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, ReturnValues: "X", ReturnConsumedCapacity: "X"}), "",
			"3 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; " +
				"Value 'X' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; " +
				"Value null at 'key' failed to satisfy constraint: Member must not be null"},
		{"a wrong word for the return values hides other wrong words", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, ReturnValues: "X", ReturnConsumedCapacity: "X"}), "",
			one + "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"},
		{"syntax before table", set(noTable, keyA, "SETT a = :v", item{":v": num(1)}), "",
			one + `Invalid UpdateExpression: Syntax error; token: "SETT", near: "SETT a"`},
		{"unused value before table", set(noTable, keyA, "REMOVE a", item{":v": num(1)}), "",
			one + "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"},
		{"empty expression", set(hashTable, keyA, "", nil), "", one + "Invalid UpdateExpression: The expression can not be empty;"},
		{"missing table", set(noTable, keyA, "REMOVE a", nil), "ResourceNotFoundException", "Requested resource not found"},
		{"key that does not fit", set(hashTable, item{"pk": num(1)}, "REMOVE a", nil), "", "The provided key element does not match the schema"},
		{"key with too much", set(hashTable, keyBoth, "REMOVE a", nil), "", "The provided key element does not match the schema"},
		{"key attribute", set(hashTable, keyA, "SET pk = :v", item{":v": str("a")}), "", were + "Cannot update attribute pk. This attribute is part of the key"},
		{"inside a key attribute", set(hashTable, keyA, "SET pk.x = :v", item{":v": str("a")}), "", were + "Cannot update attribute pk. This attribute is part of the key"},
		{"removing a key attribute", set(bothTable, keyBoth, "REMOVE sk", nil), "", were + "Cannot update attribute sk. This attribute is part of the key"},
		{"inside an index key", set(bothTable, keyBoth, "SET c.x = :v", item{":v": str("a")}), "",
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: c"},
		{"index key of another kind", set(bothTable, keyBoth, "SET c = :v", item{":v": num(1)}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"},
		{"index key empty", set(bothTable, keyBoth, "SET c = :v", item{":v": str("")}), "",
			areNt + "The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."},
		{"index key of another kind before the condition", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: keyBoth, UpdateExpression: aws.String("SET c = :v"),
			ConditionExpression: aws.String("attribute_not_exists(pk)"), ExpressionAttributeValues: item{":v": num(1)}}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"},
		{"index key empty before the condition", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: keyBoth, UpdateExpression: aws.String("SET c = :v"),
			ConditionExpression: aws.String("attribute_not_exists(pk)"), ExpressionAttributeValues: item{":v": str("")}}), "",
			areNt + "The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."},
		{"legacy: index key of another kind before the condition", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: keyBoth,
			AttributeUpdates: map[string]types.AttributeValueUpdate{"n": {Value: str("x")}},
			Expected:         map[string]types.ExpectedAttributeValue{"pk": {Exists: aws.Bool(false)}}}), "",
			were + "Type mismatch for Index Key n Expected: N Actual: S IndexName: gsi"},
		{"index key computed to another kind after the condition", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: keyBoth, UpdateExpression: aws.String("SET c = n"),
			ConditionExpression: aws.String("attribute_not_exists(pk)")}), "ConditionalCheckFailedException", "The conditional request failed"},
		{"index key computed to another kind", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: keyBoth, UpdateExpression: aws.String("SET c = n")}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"},
		{"index key by arithmetic before the condition", updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: keyBoth, UpdateExpression: aws.String("SET c = n + n"),
			ConditionExpression: aws.String("attribute_not_exists(pk)")}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"},
		{"index key made a list", set(bothTable, keyBoth, "SET c = list_append(:l, x)", item{":l": seq()}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: L IndexName: agsi"},
		{"index key deleted from as a set", set(bothTable, keyBoth, "DELETE c :s", item{":s": strs("a")}), "",
			were + "Type mismatch for Index Key c Expected: S Actual: SS IndexName: agsi"},
		{"index key too long", set(bothTable, keyBoth, "SET c = :v", item{":v": str(strings.Repeat("k", 2049))}), "",
			were + "Size limit exceeded for Index Key c Actual Size: 2049 bytes Max Size: 2048 bytes IndexName: agsi"},
		{"reading inside a key attribute", set(bothTable, keyBoth, "SET y = if_not_exists(z, pk.x)", nil), "",
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk"},
		{"reading inside an index key", set(bothTable, keyBoth, "SET y = list_append(z, c[1])", nil), "",
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: c"},
		{"key attribute before an index key", set(bothTable, keyBoth, "SET sk = :v, c = :v", item{":v": num(2)}), "",
			were + "Cannot update attribute sk. This attribute is part of the key"},
		{"missing attribute", set(hashTable, keyA, "SET a = b", nil), "", "The provided expression refers to an attribute that does not exist in the item"},
		{"wrong kind in the item", set(hashTable, keyA, "SET s = s + :one", item{":one": num(1)}), "", "An operand in the update expression has an incorrect data type"},
		{"no parent", set(hashTable, keyA, "SET q.x = :v", item{":v": num(1)}), "", "The document path provided in the update expression is invalid for update"},
		{"counter on a missing item leaves no ghost", set(hashTable, item{"pk": str("ghost")}, "SET n = n + :one", item{":one": num(1)}), "",
			"The provided expression refers to an attribute that does not exist in the item"},
		{"too large", set(hashTable, keyA, "SET v = :v", item{":v": str(strings.Repeat("x", 400*1024))}), "", "Item size to update has exceeded the maximum allowed size"},
		{"too deep", set(hashTable, keyA, "SET m.y = :v", item{":v": nested(31)}), "",
			"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		{"condition before the update is computed", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, UpdateExpression: aws.String("SET a = b"),
			ConditionExpression: aws.String("attribute_not_exists(pk)")}), "ConditionalCheckFailedException", "The conditional request failed"},
		{"key attribute before the condition", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, UpdateExpression: aws.String("REMOVE pk"),
			ConditionExpression: aws.String("attribute_not_exists(pk)")}), "", were + "Cannot update attribute pk. This attribute is part of the key"},
	})
}

func TestGetAndDeleteRefusals(t *testing.T) {
	t.Parallel()
	refuse(t, seedPlain, []refusal{
		{"delete: return values", deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ReturnValues: types.ReturnValueUpdatedOld}), "",
			one + "ReturnValues can only be ALL_OLD or NONE"},
		{"delete: key", deleteCall(dynamodb.DeleteItemInput{TableName: bothTable, Key: keyA}), "", "The provided key element does not match the schema"},
		{"delete: condition", deleteCall(dynamodb.DeleteItemInput{TableName: hashTable, Key: item{"pk": str("none")}, ConditionExpression: aws.String("attribute_exists(pk)")}),
			"ConditionalCheckFailedException", "The conditional request failed"},
		{"get: empty table name is echoed", getCall(dynamodb.GetItemInput{TableName: aws.String(""), Key: keyA}), "",
			one + "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"get: value is not counted", getCall(dynamodb.GetItemInput{TableName: noTable, Key: item{"pk": num("one")}}), "",
			"The parameter cannot be converted to a numeric value: one"},
		{"get: projection before table", getCall(dynamodb.GetItemInput{TableName: noTable, Key: keyA, ProjectionExpression: aws.String("a, a")}), "",
			"Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]"},
		{"get: names without an expression", getCall(dynamodb.GetItemInput{TableName: noTable, Key: keyA, ExpressionAttributeNames: map[string]string{"#a": "a"}}), "",
			"ExpressionAttributeNames can only be specified when using expressions"},
		{"get: attributes twice", getCall(dynamodb.GetItemInput{TableName: noTable, Key: keyA, AttributesToGet: []string{"a", "b", "a"}}), "",
			were + "Duplicate value in attribute name: a"},
		{"get: no attributes", getCall(dynamodb.GetItemInput{TableName: noTable, Key: keyA, AttributesToGet: []string{}}), "",
			one + "Value '[]' at 'attributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"get: missing table", getCall(dynamodb.GetItemInput{TableName: noTable, Key: keyA}), "ResourceNotFoundException", "Requested resource not found"},
		{"get: key too long on a read", getCall(dynamodb.GetItemInput{TableName: hashTable, Key: item{"pk": str(strings.Repeat("k", 2049))}}), "",
			were + "Size of hashkey has exceeded the maximum size limit of2048 bytes"},
		{"get: empty key", getCall(dynamodb.GetItemInput{TableName: hashTable, Key: item{"pk": str("")}}), "",
			areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"},
		{"get: path into a key", getCall(dynamodb.GetItemInput{TableName: hashTable, Key: keyA, ProjectionExpression: aws.String("pk[0]")}), "",
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk"},
	})
}
