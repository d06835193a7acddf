package memory

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// The constraints of the operations on items, each list in the order in which
// the service reports violations (observed). Those on tables are in
// rules_table.go.

// tableName is the field of a table's name or ARN; the constraints on names bind
// the name in the ARN.
func tableName(ref *string) field {
	if ref == nil {
		return field{null: true}
	}
	name := nameInARN(*ref)
	return text(&name)
}

// nameInARN returns the table's name where ref is an ARN, and ref otherwise.
func nameInARN(ref string) string {
	if !strings.HasPrefix(ref, "arn:") {
		return ref
	}
	_, name, found := strings.Cut(ref, ":table/")
	if !found {
		return ref
	}
	name, _, _ = strings.Cut(name, "/")
	return name
}

// itemTable binds the table's name in operations on items, which accept names
// that CreateTable would not (observed). Those that word constraints the newer
// way stop at an empty name.
func itemTable(empty constraint) []constraint {
	return []constraint{notNull(), empty, nameAlphabet(), maxLength(limits.TableNameMax)}
}

func indexName() []constraint {
	return []constraint{nameAlphabet(), minLength(limits.TableNameMin), maxLength(limits.TableNameMax)}
}

var (
	emptyName      = minLength(1)
	emptyNameAlone = minLength(1).as(formPlace).decisive().formerly(minLength(1))

	capacityWords = oneOf("INDEXES", "TOTAL", "NONE")
	metricsWords  = oneOf("SIZE", "NONE")
	returnWords   = oneOf("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
	failureWords  = oneOf("ALL_OLD", "NONE")
	selectWords   = oneOf("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")

	// The newer layer lists some words otherwise than they are spelled (observed).
	writeReturnWords = oneOfAs(
		[]string{"ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW", "NONE"},
		[]string{"ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"}).as(formBare).formerly(returnWords)
	updateReturnWords  = writeReturnWords.decisive()
	operatorWords      = oneOf("OR", "AND")
	writeOperatorWords = oneOfAs([]string{"AND", "OR"}, []string{"ALL", "OR"}).as(formBare).formerly(operatorWords)
	queryOperatorWords = writeOperatorWords.as(formUncounted).decisive()
)

var (
	comparisonWords = oneOf("IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS")

	conditionRules = rules[types.Condition]{
		member("comparisonOperator", func(c *types.Condition) field { return word(c.ComparisonOperator) }, notNull(), comparisonWords),
	}
	expectedRules = rules[types.ExpectedAttributeValue]{
		member("comparisonOperator", func(e *types.ExpectedAttributeValue) field { return word(e.ComparisonOperator) }, comparisonWords),
	}
	attributeUpdateRules = rules[types.AttributeValueUpdate]{
		member("action", func(u *types.AttributeValueUpdate) field { return word(u.Action) }, oneOf("ADD", "PUT", "DELETE")),
	}
)

func names(list []string) field {
	return sequence(list, func(s string) string { return s })
}

type (
	putIn    = dynamodb.PutItemInput
	updateIn = dynamodb.UpdateItemInput
	deleteIn = dynamodb.DeleteItemInput
	getIn    = dynamodb.GetItemInput
	queryIn  = dynamodb.QueryInput
	scanIn   = dynamodb.ScanInput
)

var putRules = rules[putIn]{
	member("returnConsumedCapacity", func(in *putIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	member("returnValues", func(in *putIn) field { return word(in.ReturnValues) }, writeReturnWords),
	member("tableName", func(in *putIn) field { return tableName(in.TableName) }, itemTable(emptyNameAlone)...),
	member("item", func(in *putIn) field { return presence(in.Item != nil) }, notNull()),
	member("conditionalOperator", func(in *putIn) field { return word(in.ConditionalOperator) }, writeOperatorWords),
	entries("expected", func(in *putIn) map[string]types.ExpectedAttributeValue { return in.Expected }, expectedRules),
	member("returnItemCollectionMetrics", func(in *putIn) field { return word(in.ReturnItemCollectionMetrics) }, metricsWords),
	member("returnValuesOnConditionCheckFailure", func(in *putIn) field { return word(in.ReturnValuesOnConditionCheckFailure) }, failureWords),
}

var updateRules = rules[updateIn]{
	leftToOlder(func(in *updateIn) bool { return in.Key == nil }), // observed
	member("returnConsumedCapacity", func(in *updateIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	member("tableName", func(in *updateIn) field { return tableName(in.TableName) }, itemTable(emptyNameAlone)...),
	member("returnItemCollectionMetrics", func(in *updateIn) field { return word(in.ReturnItemCollectionMetrics) }, metricsWords),
	member("returnValues", func(in *updateIn) field { return word(in.ReturnValues) }, updateReturnWords),
	member("conditionalOperator", func(in *updateIn) field { return word(in.ConditionalOperator) }, writeOperatorWords),
	member("key", func(in *updateIn) field { return presence(in.Key != nil) }, notNull()),
	entries("expected", func(in *updateIn) map[string]types.ExpectedAttributeValue { return in.Expected }, expectedRules),
	entries("attributeUpdates", func(in *updateIn) map[string]types.AttributeValueUpdate { return in.AttributeUpdates }, attributeUpdateRules),
	member("returnValuesOnConditionCheckFailure", func(in *updateIn) field { return word(in.ReturnValuesOnConditionCheckFailure) }, failureWords),
}

var deleteRules = rules[deleteIn]{
	member("returnConsumedCapacity", func(in *deleteIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	member("tableName", func(in *deleteIn) field { return tableName(in.TableName) }, itemTable(emptyNameAlone)...),
	member("returnValues", func(in *deleteIn) field { return word(in.ReturnValues) }, writeReturnWords),
	member("returnItemCollectionMetrics", func(in *deleteIn) field { return word(in.ReturnItemCollectionMetrics) }, metricsWords),
	member("key", func(in *deleteIn) field { return presence(in.Key != nil) }, notNull()),
	member("conditionalOperator", func(in *deleteIn) field { return word(in.ConditionalOperator) }, writeOperatorWords),
	entries("expected", func(in *deleteIn) map[string]types.ExpectedAttributeValue { return in.Expected }, expectedRules),
	member("returnValuesOnConditionCheckFailure", func(in *deleteIn) field { return word(in.ReturnValuesOnConditionCheckFailure) }, failureWords),
}

var getRules = rules[getIn]{
	member("returnConsumedCapacity", func(in *getIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	member("attributesToGet", func(in *getIn) field { return names(in.AttributesToGet) }, minLength(1)),
	member("tableName", func(in *getIn) field { return tableName(in.TableName) }, itemTable(emptyName)...),
	member("key", func(in *getIn) field { return presence(in.Key != nil) }, notNull()),
}

var queryRules = rules[queryIn]{
	member("select", func(in *queryIn) field { return word(in.Select) }, selectWords),
	member("indexName", func(in *queryIn) field { return text(in.IndexName) }, indexName()...),
	member("returnConsumedCapacity", func(in *queryIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	entries("queryFilter", func(in *queryIn) map[string]types.Condition { return in.QueryFilter }, conditionRules),
	member("tableName", func(in *queryIn) field { return tableName(in.TableName) }, itemTable(emptyName)...),
	member("conditionalOperator", func(in *queryIn) field { return word(in.ConditionalOperator) }, queryOperatorWords),
	member("attributesToGet", func(in *queryIn) field { return names(in.AttributesToGet) }, minLength(1)),
	member("limit", func(in *queryIn) field { return number(in.Limit) }, atLeast(1).as(formPlace)),
	entries("keyConditions", func(in *queryIn) map[string]types.Condition { return in.KeyConditions }, conditionRules),
}

var scanRules = rules[scanIn]{
	member("select", func(in *scanIn) field { return word(in.Select) }, selectWords),
	member("indexName", func(in *scanIn) field { return text(in.IndexName) }, indexName()...),
	member("totalSegments", func(in *scanIn) field { return number(in.TotalSegments) }, atLeast(1), atMost(limits.TotalSegments)),
	member("returnConsumedCapacity", func(in *scanIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	member("tableName", func(in *scanIn) field { return tableName(in.TableName) }, itemTable(emptyName)...),
	member("conditionalOperator", func(in *scanIn) field { return word(in.ConditionalOperator) }, operatorWords),
	entries("scanFilter", func(in *scanIn) map[string]types.Condition { return in.ScanFilter }, conditionRules),
	member("segment", func(in *scanIn) field { return number(in.Segment) }, atLeast(0), atMost(limits.TotalSegments-1)),
	member("limit", func(in *scanIn) field { return number(in.Limit) }, atLeast(1)),
	member("attributesToGet", func(in *scanIn) field { return names(in.AttributesToGet) }, minLength(1)),
}
