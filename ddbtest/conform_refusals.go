package ddbtest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// conformRefusals tests what is refused for its form, before any item is looked
// at: expressions, keys, parameters.
func conformRefusals(t *testing.T, s *suite) {
	for _, r := range badConditions {
		s.try(t, "condition "+r.expression, func(c trial) {
			in := &dynamodb.DeleteItemInput{TableName: &c.main, Key: c.key("a"), ConditionExpression: &r.expression, ExpressionAttributeValues: r.values}
			_, err := c.db.DeleteItem(c.Context(), in)
			c.refused(err, invalid, r.text)
			in.TableName = aws.String("ddbtest-none")
			_, err = c.db.DeleteItem(c.Context(), in)
			c.refused(err, invalid, r.text) // before the table is looked for
		})
	}
	for _, r := range badUpdates {
		s.try(t, "update "+r.expression, func(c trial) {
			_, err := c.db.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
				TableName: &c.main, Key: c.key("a"), UpdateExpression: &r.expression, ExpressionAttributeValues: r.values,
			})
			c.refused(err, invalid, r.text)
			c.holds("a", nil)
		})
	}
	for _, r := range badKeys {
		s.try(t, "key with "+r.rule, func(c trial) {
			_, err := c.db.GetItem(c.Context(), &dynamodb.GetItemInput{TableName: &c.main, Key: r.key})
			c.refused(err, invalid, r.read)
			_, err = c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.main, Item: r.key})
			if r.write == "" {
				c.fine(err)
			} else {
				c.refused(err, invalid, r.write)
			}
		})
	}
	for _, r := range badCalls {
		s.try(t, r.rule, func(c trial) { c.refused(r.call(c.Context(), c), r.code, r.text) })
	}
}

type refusal struct {
	expression string
	values     stored
	text       string
}

var badConditions = []refusal{
	{"a = :v AND", stored{":v": vN("1")}, "Invalid ConditionExpression: Syntax error; token: \"<EOF>\""},
	{"a != :v", stored{":v": vN("1")}, "Invalid ConditionExpression: Syntax error; token: \"!\""},
	{"status = :v", stored{":v": vN("1")}, "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status"},
	{"a = :w", stored{":v": vN("1")}, "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :w"},
	{"#a = :v", stored{":v": vN("1")}, "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #a"},
	{"a = :v", stored{":v": vN("1"), ":w": vN("1")}, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"},
	{"a = a", nil, "Invalid ConditionExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]"},
	{"((a = :v))", stored{":v": vN("1")}, "Invalid ConditionExpression: The expression has redundant parentheses;"},
	{"a < :v", stored{":v": vM(nil)}, "Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: <, operand type: M"},
	{"begins_with(a, :v)", stored{":v": vN("1")}, "Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"},
	{"begins_with(a)", nil, "Invalid ConditionExpression: Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1"},
	{"Size(a) = :v", stored{":v": vN("1")}, "Invalid ConditionExpression: Invalid function name; function: Size"},
	{"size(a)", nil, "Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: size"},
	{"attribute_exists(:v)", stored{":v": vN("1")}, "Invalid ConditionExpression: Operator or function requires a document path; operator or function: attribute_exists"},
	{"attribute_type(a, :v)", stored{":v": vS("DOG")}, "Invalid ConditionExpression: Invalid attribute type name found; type: DOG"},
	{"a BETWEEN :hi AND :lo", stored{":lo": vN("1"), ":hi": vN("5")}, "Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound"},
	{"a BETWEEN :lo AND :hi", stored{":lo": vN("1"), ":hi": vS("5")}, "Invalid ConditionExpression: The BETWEEN operator requires same data type for lower and upper bounds"},
	{"a = :v", stored{":v": vN("x")}, "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x for key :v"},
}

var badUpdates = []refusal{
	{"SET a = :v SET b = :v", stored{":v": vN("1")}, "Invalid UpdateExpression: The \"SET\" section can only be used once in an update expression;"},
	{"SET a = :v, a.b = :v", stored{":v": vN("1")},
		"Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]"},
	{"SET a.b = :v REMOVE a[1]", stored{":v": vN("1")},
		"Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]"},
	{"SET PK = :v", stored{":v": vS("1")}, "Cannot update attribute PK. This attribute is part of the key"},
	{"SET a = b + :v", stored{":v": vS("1")}, "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: +, operand type: S"},
	{"ADD a :v", stored{":v": vS("1")}, "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: STRING"},
	{"ADD a b", nil, "Invalid UpdateExpression: Syntax error; token: \"b\""},
	{"SET a = list_append(list_append(b, :v), :v)", stored{":v": vL()},
		"Invalid UpdateExpression: The function is not allowed to be used this way in an expression; function: list_append"},
	{"SET a.order = :v", stored{":v": vN("1")}, "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: order"},
	{"SET num = :v", stored{":v": vS("1")}, "Type mismatch for Index Key num Expected: N Actual: S"},
	{"SET tag = :v", stored{":v": vS("")}, "The AttributeValue for a key attribute cannot contain an empty string value"},
}

const mismatch = "The provided key element does not match the schema"

var badKeys = []struct {
	rule        string
	key         stored
	read, write string // "" if it is fine
}{
	{"a missing part", stored{"PK": vS("a")}, mismatch, "Missing the key SK in the item"},
	{"a part of another type", stored{"PK": vS("a"), "SK": vN("1")}, mismatch, "Type mismatch for key SK expected: S actual: N"},
	{"an empty part", stored{"PK": vS("a"), "SK": vS("")},
		"The AttributeValue for a key attribute cannot contain an empty string value. Key: SK",
		"The AttributeValue for a key attribute cannot contain an empty string value. Key: SK"},
}

var badCalls = []struct {
	rule       string
	call       func(context.Context, trial) error
	code, text string
}{
	{"a key with an attribute too many", func(ctx context.Context, c trial) error {
		_, err := c.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &c.main, Key: c.with("a", stored{"x": vN("1")})})
		return err
	}, invalid, mismatch},
	{"a missing table", func(ctx context.Context, c trial) error {
		_, err := c.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("ddbtest-none"), Key: c.key("a")})
		return err
	}, noTable, "Requested resource not found"},
	{"values without an expression", func(ctx context.Context, c trial) error {
		_, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &c.main, Item: c.key("a"), ExpressionAttributeValues: stored{":v": vN("1")}})
		return err
	}, invalid, "ExpressionAttributeValues can only be specified when using expressions"},
	{"a put that returns the new item", func(ctx context.Context, c trial) error {
		_, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &c.main, Item: c.key("a"), ReturnValues: types.ReturnValueAllNew})
		return err
	}, invalid, "ReturnValues can only be ALL_OLD or NONE"},
	{"an index key of another type", func(ctx context.Context, c trial) error {
		_, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &c.main, Item: c.with("a", stored{"num": vS("1")})})
		return err
	}, invalid, "Type mismatch for Index Key num Expected: N Actual: S IndexName: by"},
	{"a partition key over 2048 bytes", func(ctx context.Context, c trial) error {
		long := make([]byte, 2049)
		for i := range long {
			long[i] = 'x'
		}
		_, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &c.main, Item: stored{"PK": vS(string(long)), "SK": vS("a")}})
		return err
	}, invalid, "Size of hashkey has exceeded the maximum size limit of2048 bytes"},
	{"a projection that overlaps", func(ctx context.Context, c trial) error {
		_, err := c.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &c.main, Key: c.key("a"), ProjectionExpression: aws.String("a, a.b")})
		return err
	}, invalid, "Invalid ProjectionExpression: Two document paths overlap with each other"},
}
