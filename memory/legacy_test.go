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

func comparison(op types.ComparisonOperator, values ...types.AttributeValue) types.Condition {
	return types.Condition{ComparisonOperator: op, AttributeValueList: values}
}

// TestLegacyOperators checks each operator against attributes of several kinds.
func TestLegacyOperators(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Legacy", "pk:S"))
	put(t, db, "Legacy", item{"pk": str("a"), "s": str("hello"), "n": num(5), "b": bin("\x01\x02"), "set": strs("x", "y"),
		"l": seq(num(1), str("x")), "null": &types.AttributeValueMemberNULL{Value: true}})
	tests := []struct {
		name string
		cond types.Condition
		want bool
	}{
		{"n", comparison("EQ", num("5.0")), true},
		{"n", comparison("EQ", str("5")), false},
		{"l", comparison("EQ", seq(num(1), str("x"))), true},
		{"n", comparison("NE", num(5)), false},
		{"n", comparison("NE", str("5")), true},
		{"none", comparison("NE", num(5)), true},
		{"n", comparison("LT", num(6)), true},
		{"n", comparison("LE", num(5)), true},
		{"n", comparison("GT", num(5)), false},
		{"n", comparison("GE", num(5)), true},
		{"n", comparison("GE", str("")), false},
		{"none", comparison("LT", num(6)), false},
		{"n", comparison("BETWEEN", num(1), num(5)), true},
		{"n", comparison("BETWEEN", num(6), num(7)), false},
		{"n", comparison("IN", num(4), num(5)), true},
		{"s", comparison("IN", str("x")), false},
		{"s", comparison("BEGINS_WITH", str("he")), true},
		{"b", comparison("BEGINS_WITH", bin("\x01")), true},
		{"n", comparison("BEGINS_WITH", str("5")), false},
		{"s", comparison("CONTAINS", str("ell")), true},
		{"set", comparison("CONTAINS", str("y")), true},
		{"l", comparison("CONTAINS", num(1)), true},
		{"n", comparison("CONTAINS", num(5)), false},
		{"s", comparison("NOT_CONTAINS", str("xyz")), true},
		{"set", comparison("NOT_CONTAINS", str("y")), false},
		{"none", comparison("NOT_CONTAINS", str("y")), false},
		{"none", comparison("NULL"), true},
		{"null", comparison("NULL"), false},
		{"null", comparison("NOT_NULL"), true},
		{"none", comparison("NOT_NULL"), false},
	}
	for _, tt := range tests {
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Legacy"), ScanFilter: map[string]types.Condition{tt.name: tt.cond}})
		if err != nil {
			t.Errorf("%s %s: %v", tt.name, tt.cond.ComparisonOperator, err)
			continue
		}
		if got := out.Count == 1; got != tt.want {
			t.Errorf("%s %s is %v, want %v", tt.name, tt.cond.ComparisonOperator, got, tt.want)
		}
	}
}

// TestLegacyQuery checks KeyConditions, QueryFilter, ConditionalOperator and
// AttributesToGet together.
func TestLegacyQuery(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Legacy", "pk:S", "sk:S"))
	for i, sk := range []string{"a1", "a2", "b1", "b2"} {
		put(t, db, "Legacy", item{"pk": str("p"), "sk": str(sk), "n": num(i), "odd.one": boolean(i%2 == 1)})
	}
	tests := []struct {
		name     string
		sk       *types.Condition
		filter   map[string]types.Condition
		operator types.ConditionalOperator
		want     []string
	}{
		{"partition", nil, nil, "", []string{"a1", "a2", "b1", "b2"}},
		{"begins with", ptr(comparison("BEGINS_WITH", str("b"))), nil, "", []string{"b1", "b2"}},
		{"between", ptr(comparison("BETWEEN", str("a2"), str("b1"))), nil, "", []string{"a2", "b1"}},
		{"greater", ptr(comparison("GT", str("a2"))), nil, "", []string{"b1", "b2"}},
		{"both filters", nil, map[string]types.Condition{"n": comparison("GE", num(1)), "odd.one": comparison("EQ", boolean(true))}, "", []string{"a2", "b2"}},
		{"either filter", nil, map[string]types.Condition{"n": comparison("EQ", num(0)), "odd.one": comparison("EQ", boolean(true))},
			types.ConditionalOperatorOr, []string{"a1", "a2", "b2"}},
	}
	for _, tt := range tests {
		in := &dynamodb.QueryInput{TableName: aws.String("Legacy"), KeyConditions: map[string]types.Condition{"pk": comparison("EQ", str("p"))},
			QueryFilter: tt.filter, ConditionalOperator: tt.operator, AttributesToGet: []string{"sk", "absent"}}
		if tt.sk != nil {
			in.KeyConditions["sk"] = *tt.sk
		}
		out, err := db.Query(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		diff(t, tt.name, pick(out.Items, "sk"), tt.want)
		if len(out.Items[0]) != 1 {
			t.Errorf("%s: items have more than was asked for: %v", tt.name, out.Items[0])
		}
	}
	// KeyConditions go together with the expressions that are about other things.
	out, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("Legacy"),
		KeyConditions: map[string]types.Condition{"pk": comparison("EQ", str("p"))}, ProjectionExpression: aws.String("n"),
		FilterExpression: aws.String("n < :n"), ExpressionAttributeValues: item{":n": num(1)}})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "projection and filter", out.Items, []item{{"n": num(0)}})
}

// ptr returns a pointer to a condition.
func ptr(c types.Condition) *types.Condition { return &c }

func TestLegacyUpdates(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Legacy", "pk:S"))
	put(t, db, "Legacy", item{"pk": str("a"), "n": num(1), "tags": strs("x", "y"), "l": seq(num(1)), "gone": num(1), "s": str("text")})
	action := func(a types.AttributeAction, v types.AttributeValue) types.AttributeValueUpdate {
		return types.AttributeValueUpdate{Action: a, Value: v}
	}
	out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Legacy"), Key: keyA, ReturnValues: types.ReturnValueAllNew,
		AttributeUpdates: map[string]types.AttributeValueUpdate{
			"n": action("ADD", num("0.5")), "tags": action("DELETE", strs("x", "z")), "l": action("ADD", seq(num(2))),
			"gone": action("DELETE", nil), "a.b": action("", str("default is PUT")), "new": action("ADD", num(7)),
		}})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "new image", out.Attributes, item{"pk": str("a"), "n": num("1.5"), "tags": strs("y"), "l": seq(num(1), num(2)),
		"a.b": str("default is PUT"), "new": num(7), "s": str("text")})
	_, err = db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Legacy"), Key: keyA,
		AttributeUpdates: map[string]types.AttributeValueUpdate{"s": action("ADD", num(1))}})
	diff(t, "clash of kinds", messageOf(err), "Type mismatch for attribute to update")
}

func TestLegacyExpected(t *testing.T) {
	t.Parallel()
	type expected = map[string]types.ExpectedAttributeValue
	db := newDB(t)
	create(t, db, define("Legacy", "pk:S"))
	put(t, db, "Legacy", item{"pk": str("a"), "n": num(1)})
	tests := []struct {
		name     string
		expected expected
		operator types.ConditionalOperator
		want     bool
	}{
		{"nothing", expected{}, "", true},
		{"value", expected{"n": {Value: num(1)}}, "", true},
		{"other value", expected{"n": {Value: num(2)}}, "", false},
		{"value that exists", expected{"n": {Value: num(1), Exists: aws.Bool(true)}}, "", true},
		{"absent", expected{"q": {Exists: aws.Bool(false)}}, "", true},
		{"not absent", expected{"n": {Exists: aws.Bool(false)}}, "", false},
		{"comparison with Value", expected{"n": {ComparisonOperator: "GE", Value: num(1)}}, "", true},
		{"comparison with a list", expected{"n": {ComparisonOperator: "BETWEEN", AttributeValueList: []types.AttributeValue{num(2), num(3)}}}, "", false},
		{"both", expected{"n": {Value: num(1)}, "q": {ComparisonOperator: "NOT_NULL"}}, "", false},
		{"either", expected{"n": {Value: num(1)}, "q": {ComparisonOperator: "NOT_NULL"}}, types.ConditionalOperatorOr, true},
	}
	for _, tt := range tests {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Legacy"), Item: item{"pk": str("a"), "n": num(1)},
			Expected: tt.expected, ConditionalOperator: tt.operator})
		if err != nil && !is[*types.ConditionalCheckFailedException](err) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := err == nil; got != tt.want {
			t.Errorf("%s holds: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLegacyRefusals pins the texts; all come before the table is looked up.
func TestLegacyRefusals(t *testing.T) {
	t.Parallel()
	expect := func(e types.ExpectedAttributeValue) func(context.Context, *memory.DB) error {
		return putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, Expected: map[string]types.ExpectedAttributeValue{"a": e}})
	}
	filter := func(c types.Condition) func(context.Context, *memory.DB) error {
		return scanCall(dynamodb.ScanInput{TableName: noTable, ScanFilter: map[string]types.Condition{"a": c}})
	}
	update := func(u types.AttributeValueUpdate) func(context.Context, *memory.DB) error {
		return updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, AttributeUpdates: map[string]types.AttributeValueUpdate{"a": u}})
	}
	refuse(t, seedPlain, []refusal{
		{"empty name in AttributesToGet", scanCall(dynamodb.ScanInput{TableName: noTable, AttributesToGet: []string{"a", ""}}), "", "Empty attribute name"},
		{"empty name in Expected", putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, Expected: map[string]types.ExpectedAttributeValue{"": {Exists: aws.Bool(false)}}}), "", "Empty attribute name"},
		{"empty name in ScanFilter", scanCall(dynamodb.ScanInput{TableName: noTable, ScanFilter: map[string]types.Condition{"": comparison("NULL")}}), "", "Empty attribute name"},
		{"empty name in QueryFilter", queryCall(dynamodb.QueryInput{TableName: noTable, QueryFilter: map[string]types.Condition{"": comparison("NULL")}}), "", "Empty attribute name"},
		{"empty name in KeyConditions", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{"": comparison("EQ", str("a"))}}), "", "Empty attribute name"},
		{"empty name in AttributeUpdates", updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, AttributeUpdates: map[string]types.AttributeValueUpdate{"": {Value: str("b")}}}), "", "Empty attribute name"},
		{"long name", scanCall(dynamodb.ScanInput{TableName: noTable, AttributesToGet: []string{strings.Repeat("n", 65_536)}}), "", "Attribute name is too large, must be less than 65536 bytes"},
		{"exists without value", expect(types.ExpectedAttributeValue{Exists: aws.Bool(true)}), "", one + were + "Value must be provided when Exists is true for Attribute: a"},
		{"nothing", expect(types.ExpectedAttributeValue{}), "", one + were + "Value must be provided when Exists is null for Attribute: a"},
		{"value of nothing", expect(types.ExpectedAttributeValue{Exists: aws.Bool(false), Value: num(1)}), "", one + were + "Value cannot be used when Exists is false for Attribute: a"},
		{"value and list", expect(types.ExpectedAttributeValue{Value: num(1), AttributeValueList: []types.AttributeValue{num(1)}, ComparisonOperator: "EQ"}), "",
			one + were + "Value and AttributeValueList cannot be used together for Attribute: a"},
		{"operator without value", expect(types.ExpectedAttributeValue{ComparisonOperator: "EQ"}), "", one + were + "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"},
		{"list without operator", expect(types.ExpectedAttributeValue{AttributeValueList: []types.AttributeValue{num(1)}}), "", one + were + "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
		{"exists and operator", expect(types.ExpectedAttributeValue{Exists: aws.Bool(true), ComparisonOperator: "NULL"}), "", one + were + "Exists and ComparisonOperator cannot be used together for Attribute: a"},
		{"number of arguments", filter(comparison("EQ")), "", were + "Invalid number of argument(s) for the EQ ComparisonOperator"},
		{"arguments of NULL", filter(comparison("NULL", num(1))), "", were + "Invalid number of argument(s) for the NULL ComparisonOperator"},
		{"mixed arguments", filter(comparison("IN", num(1), str("a"))), "", were + "AttributeValues inside AttributeValueList must be of same type"},
		{"kind of an argument", filter(comparison("LT", seq())), "", were + "ComparisonOperator LT is not valid for L AttributeValue type"},
		{"bounds", filter(comparison("BETWEEN", num(2), num(1))), "", "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"},
		{"missing operator", filter(types.Condition{}), "", one + "Value null at 'scanFilter.a.member.comparisonOperator' failed to satisfy constraint: Member must not be null"},
		{"operator for one, with a value at fault", scanCall(dynamodb.ScanInput{TableName: noTable, ConditionalOperator: types.ConditionalOperatorAnd,
			ScanFilter: map[string]types.Condition{"a": comparison("EQ", nested(40))}}), "",
			"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		{"operator for one, with a value at fault, where the newer layer looks", queryCall(dynamodb.QueryInput{TableName: noTable, ConditionalOperator: types.ConditionalOperatorAnd,
			QueryFilter: map[string]types.Condition{"a": comparison("EQ", nested(40))}}), "",
			"ConditionalOperator can only be used when Filter or Expected has two or more elements"},
		{"operator for nothing", scanCall(dynamodb.ScanInput{TableName: noTable, ConditionalOperator: types.ConditionalOperatorAnd}), "", "ConditionalOperator cannot be used without Filter or Expected"},
		{"put of nothing", update(types.AttributeValueUpdate{}), "", one + were + "Only DELETE action is allowed when no attribute value is specified"},
		{"delete of a string", update(types.AttributeValueUpdate{Action: "DELETE", Value: str("a")}), "", one + were + "DELETE action with value is not supported for the type S"},
		{"add of a string", update(types.AttributeValueUpdate{Action: "ADD", Value: str("a")}), "", one + were + "ADD action is not supported for the type S"},
		{"unknown action", update(types.AttributeValueUpdate{Action: "SET", Value: str("a")}), "",
			one + "Value 'SET' at 'attributeUpdates.a.member.action' failed to satisfy constraint: Member must satisfy enum value set: [ADD, PUT, DELETE]"},
		{"key attribute", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, AttributeUpdates: map[string]types.AttributeValueUpdate{"pk": {Value: str("b")}}}), "",
			were + "Cannot update attribute pk. This attribute is part of the key"},
		{"no key condition", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{}}), "", "Conditions can be of length 1 or 2 only"},
		{"operator for keys", queryCall(dynamodb.QueryInput{TableName: hashTable, KeyConditions: map[string]types.Condition{"pk": comparison("NE", str("a"))}}), "",
			"Attempted conditional constraint is not an indexable operation"},
		{"operator for sort keys", queryCall(dynamodb.QueryInput{TableName: bothTable, KeyConditions: map[string]types.Condition{"pk": comparison("EQ", str("a")), "sk": comparison("NULL")}}), "",
			"Attempted conditional constraint is not an indexable operation"},
		{"missing key before the operator of another attribute", queryCall(dynamodb.QueryInput{TableName: bothTable, KeyConditions: map[string]types.Condition{"z": comparison("NULL")}}), "",
			"Query condition missed key schema element: pk"},
		{"table before operator", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{"pk": comparison("NE", str("a"))}}),
			"ResourceNotFoundException", "Requested resource not found"},
		{"partition key by range", queryCall(dynamodb.QueryInput{TableName: hashTable, KeyConditions: map[string]types.Condition{"pk": comparison("LT", str("a"))}}), "",
			"Query key condition not supported"},
		{"mixed with the expression in their place", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{"pk": comparison("EQ", str("a"))},
			KeyConditionExpression: aws.String("pk = pk"), FilterExpression: aws.String("a = a")}), "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {KeyConditions} Expression parameters: {FilterExpression, KeyConditionExpression}"},
		{"filter mixed with a filter", queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{"pk": comparison("EQ", str("a"))},
			QueryFilter: map[string]types.Condition{"a": comparison("NULL")}, FilterExpression: aws.String("a = a")}), "",
			"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {QueryFilter} Expression parameters: {FilterExpression}"},
	})
}
