package memory_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

func TestQueryRefusals(t *testing.T) {
	t.Parallel()
	// q is a query of Both by partition key; with changes it.
	q := func(with func(in *dynamodb.QueryInput)) func(context.Context, *memory.DB) error {
		in := dynamodb.QueryInput{TableName: bothTable, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("a")}}
		with(&in)
		return queryCall(in)
	}
	start := func(key item, text string, more item) func(context.Context, *memory.DB) error {
		return q(func(in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExclusiveStartKey = aws.String(text), key
			for k, v := range more {
				in.ExpressionAttributeValues[k] = v
			}
		})
	}
	refuse(t, seedPlain, []refusal{
		{"limit", q(func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(0) }), "",
			one + "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"select", q(func(in *dynamodb.QueryInput) { in.Select = "SOME" }), "",
			one + "Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"},
		{"no condition", queryCall(dynamodb.QueryInput{TableName: noTable}), "",
			"Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."},
		{"value of the start key before table", q(func(in *dynamodb.QueryInput) { in.TableName, in.ExclusiveStartKey = noTable, item{"pk": num("x")} }), "",
			"The parameter cannot be converted to a numeric value: x"},
		{"operator", q(func(in *dynamodb.QueryInput) {
			in.KeyConditionExpression = aws.String("pk = :p OR sk = :p")
		}), "", "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR"},
		{"projected without index", q(func(in *dynamodb.QueryInput) { in.TableName, in.Select = noTable, types.SelectAllProjectedAttributes }), "",
			one + "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"},
		{"all attributes with projection", q(func(in *dynamodb.QueryInput) {
			in.Select, in.AttributesToGet = types.SelectAllAttributes, []string{"x"}
			in.KeyConditionExpression, in.ExpressionAttributeValues = nil, nil
			in.KeyConditions = map[string]types.Condition{"pk": comparison("EQ", str("a"))}
		}), "", one + "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES"},
		{"specific without projection", q(func(in *dynamodb.QueryInput) { in.Select = types.SelectSpecificAttributes }), "",
			one + "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"},
		{"count with projection", q(func(in *dynamodb.QueryInput) { in.Select, in.ProjectionExpression = types.SelectCount, aws.String("x") }), "",
			one + "Cannot specify the ProjectionExpression when choosing to get only the Count"},
		{"missing table", q(func(in *dynamodb.QueryInput) { in.TableName = noTable }), "ResourceNotFoundException", "Requested resource not found"},
		{"missing index", q(func(in *dynamodb.QueryInput) { in.IndexName = aws.String("GSI") }), "", "The table does not have the specified index: GSI"},
		{"consistent global index", q(func(in *dynamodb.QueryInput) {
			in.IndexName, in.ConsistentRead, in.KeyConditionExpression = aws.String("gsi"), aws.Bool(true), aws.String("c = :p")
		}), "", "Consistent reads are not supported on global secondary indexes"},
		{"partition key missing", q(func(in *dynamodb.QueryInput) { in.KeyConditionExpression = aws.String("sk = :p") }), "",
			"Query condition missed key schema element: pk"},
		{"kind of the condition", q(func(in *dynamodb.QueryInput) { in.ExpressionAttributeValues = item{":p": num(1)} }), "",
			were + "Condition parameter type does not match schema type"},
		{"empty key value", q(func(in *dynamodb.QueryInput) { in.ExpressionAttributeValues = item{":p": str("")} }), "",
			areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"},
		{"start key of another item of a table without sort key", queryCall(dynamodb.QueryInput{TableName: hashTable, KeyConditionExpression: aws.String("pk = :p"),
			ExpressionAttributeValues: item{":p": str("a")}, ExclusiveStartKey: item{"pk": str("b")}}), "",
			"The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: {S:b}}"},
		{"start key with too little", start(item{"pk": str("a")}, "pk = :p", nil), "", "The provided starting key is invalid"},
		{"start key of another kind", start(item{"pk": str("a"), "sk": str("1")}, "pk = :p", nil), "",
			"The provided key element does not match the schema"},
		{"start key of an index without an attribute of the index", q(func(in *dynamodb.QueryInput) {
			in.IndexName, in.KeyConditionExpression, in.ExclusiveStartKey = aws.String("agsi"), aws.String("c = :p"), item{"pk": str("a"), "sk": num(1), "d": str("c")}
		}), "", "The provided starting key is invalid"},
		{"start key of an index without an attribute of the table", q(func(in *dynamodb.QueryInput) {
			in.IndexName, in.KeyConditionExpression, in.ExclusiveStartKey = aws.String("agsi"), aws.String("c = :p"), item{"pk": str("a"), "d": num(1), "c": str("c")}
		}), "", "The provided starting key is invalid: The provided key element does not match the schema"},
		{"two conditions on a table without sort key", queryCall(dynamodb.QueryInput{TableName: hashTable, KeyConditionExpression: aws.String("n = :p AND m = :p"),
			ExpressionAttributeValues: item{":p": str("a")}}), "", "Query key condition not supported"},
		{"kind before the operator of the partition key", q(func(in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeValues = aws.String("pk > :p"), item{":p": num(1)}
		}), "", were + "Condition parameter type does not match schema type"},
		{"start key empty", start(item{"pk": str(""), "sk": num(1)}, "pk = :p", nil), "",
			"The provided starting key is invalid: " + areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"},
		{"start key elsewhere", start(item{"pk": str("b"), "sk": num(1)}, "pk = :p", nil), "",
			"The provided starting key is outside query boundaries based on provided conditions"},
		{"start key outside the range", start(item{"pk": str("a"), "sk": num(9)}, "pk = :p AND sk < :s", item{":s": num(5)}), "",
			"The provided starting key does not match the range key predicate"},
		{"start key elsewhere in range", start(item{"pk": str("b"), "sk": num(1)}, "pk = :p AND sk < :s", item{":s": num(5)}), "",
			"The query can return at most one row and cannot be restarted"},
		{"filter on key", q(func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("sk = :p") }), "",
			"Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"},
		{"filter on index key", q(func(in *dynamodb.QueryInput) {
			in.IndexName, in.KeyConditionExpression, in.FilterExpression = aws.String("gsi"), aws.String("c = :p"), aws.String("n = :p")
		}), "", "Filter Expression can only contain non-primary key attributes: Primary key attribute: n"},
		{"all of a global index that has not all", q(func(in *dynamodb.QueryInput) {
			in.IndexName, in.KeyConditionExpression, in.Select = aws.String("gsi"), aws.String("c = :p"), types.SelectAllAttributes
		}), "", were + "Select type ALL_ATTRIBUTES is not supported for global secondary index gsi because its projection type is not ALL"},
		{"what a global index does not hold", q(func(in *dynamodb.QueryInput) {
			in.IndexName, in.KeyConditionExpression, in.ProjectionExpression = aws.String("gsi"), aws.String("c = :p"), aws.String("x, y, z.a")
		}), "", were + "Global secondary index gsi does not project [y, z]"},
		{"legacy: number of arguments", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{
			"pk": {ComparisonOperator: types.ComparisonOperatorEq}}}), "",
			were + "Invalid number of argument(s) for the EQ ComparisonOperator"},
		{"legacy: operator", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{
			"pk": {ComparisonOperator: "LIKE", AttributeValueList: []types.AttributeValue{str("a")}}}}), "",
			one + "Value 'LIKE' at 'keyConditions.pk.member.comparisonOperator' failed to satisfy constraint: Member must satisfy enum value set: " +
				"[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"},
		{"legacy: filter on key", queryCall(dynamodb.QueryInput{TableName: bothTable, KeyConditions: map[string]types.Condition{
			"pk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{str("a")}}},
			QueryFilter: map[string]types.Condition{"pk": {ComparisonOperator: types.ComparisonOperatorNotNull}}}), "",
			"QueryFilter can only contain non-primary key attributes: Primary key attribute: pk"},
		{"legacy: conditional operator for one", queryCall(dynamodb.QueryInput{TableName: noTable, ConditionalOperator: types.ConditionalOperatorOr,
			QueryFilter: map[string]types.Condition{"x": {ComparisonOperator: types.ComparisonOperatorNotNull}}}), "",
			"ConditionalOperator can only be used when Filter or Expected has two or more elements"},
	})
}

func TestScanRefusals(t *testing.T) {
	t.Parallel()
	s := func(in dynamodb.ScanInput) func(context.Context, *memory.DB) error {
		if in.TableName == nil {
			in.TableName = hashTable
		}
		return scanCall(in)
	}
	// The key hashes into the second of two segments.
	second := item{"pk": str("a")}
	refuse(t, seedPlain, []refusal{
		{"limit is echoed", s(dynamodb.ScanInput{Limit: aws.Int32(0)}), "",
			one + "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"total segments", s(dynamodb.ScanInput{Segment: aws.Int32(-1), TotalSegments: aws.Int32(0)}), "",
			"2 validation errors detected: Value '0' at 'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1; " +
				"Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than or equal to 0"},
		{"too many segments", s(dynamodb.ScanInput{Segment: aws.Int32(1), TotalSegments: aws.Int32(1_000_001)}), "",
			one + "Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must have value less than or equal to 1000000"},
		{"segment alone", s(dynamodb.ScanInput{TableName: noTable, Segment: aws.Int32(0)}), "",
			"The TotalSegments parameter is required but was not present in the request when Segment parameter is present"},
		{"total alone", s(dynamodb.ScanInput{TableName: noTable, TotalSegments: aws.Int32(4)}), "",
			"The Segment parameter is required but was not present in the request when parameter TotalSegments is present"},
		{"segment out of range", s(dynamodb.ScanInput{TableName: noTable, Segment: aws.Int32(5), TotalSegments: aws.Int32(5)}), "",
			"The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5"},
		{"specific without projection is not counted", s(dynamodb.ScanInput{Select: types.SelectSpecificAttributes}), "",
			"Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"},
		{"projected without index is not counted", s(dynamodb.ScanInput{Select: types.SelectAllProjectedAttributes}), "",
			"ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"},
		{"count with projection is not counted", s(dynamodb.ScanInput{Select: types.SelectCount, AttributesToGet: []string{"x"}}), "",
			"Cannot specify the AttributesToGet when choosing to get only the Count"},
		{"older words", s(dynamodb.ScanInput{FilterExpression: aws.String("n = :n"), ExpressionAttributeValues: item{":n": num("")}}), "",
			"ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value for key :n"},
		{"start key of another shape", s(dynamodb.ScanInput{ExclusiveStartKey: item{"sk": str("a")}}), "",
			"The provided starting key is invalid: The provided key element does not match the schema"},
		{"start key of an index of another kind", s(dynamodb.ScanInput{TableName: bothTable, IndexName: aws.String("agsi"), ExclusiveStartKey: item{"pk": str("a"), "sk": num(1), "c": num(1)}}), "",
			"The provided key element does not match the schema"},
		{"start key of an index with too little", s(dynamodb.ScanInput{TableName: bothTable, IndexName: aws.String("gsi"), ExclusiveStartKey: item{"pk": str("a"), "sk": num(1)}}), "",
			"The provided starting key is invalid"},
		{"start key of another segment", s(dynamodb.ScanInput{ExclusiveStartKey: second, Segment: aws.Int32(0), TotalSegments: aws.Int32(2)}), "",
			"The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 0"},
		{"consistent global index", s(dynamodb.ScanInput{TableName: bothTable, IndexName: aws.String("gsi"), ConsistentRead: aws.Bool(true)}), "",
			"Consistent reads are not supported on global secondary indexes"},
		{"missing index", s(dynamodb.ScanInput{IndexName: aws.String("none")}), "", "The table does not have the specified index: none"},
		{"mixed parameters", s(dynamodb.ScanInput{FilterExpression: aws.String("n = n"), AttributesToGet: []string{"n"},
			ScanFilter: map[string]types.Condition{"n": {ComparisonOperator: types.ComparisonOperatorNull}}}), "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet, ScanFilter} Expression parameters: {FilterExpression}"},
		{"missing table", s(dynamodb.ScanInput{TableName: noTable}), "ResourceNotFoundException", "Requested resource not found"},
	})
}
