package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// expressionFault is an expression that no operation takes, with what it stands
// for and the text that belongs to it. In the text %s stands for the parameter.
type expressionFault struct {
	name   string
	text   string
	names  map[string]string
	values item
	want   string
}

// expressionPlace is an operation with an expression in one of its parameters.
type expressionPlace struct {
	name   string
	call   func(f expressionFault) func(context.Context, *memory.DB) error
	counts bool
}

// conditionPlaces are all places of conditions and filters. The table does not
// exist.
func conditionPlaces() []expressionPlace {
	type call = func(context.Context, *memory.DB) error
	return []expressionPlace{
		{"PutItem ConditionExpression", func(f expressionFault) call {
			return putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ConditionExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values})
		}, true},
		{"UpdateItem ConditionExpression", func(f expressionFault) call {
			return updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, ConditionExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values})
		}, true},
		{"DeleteItem ConditionExpression", func(f expressionFault) call {
			return deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: keyA, ConditionExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values})
		}, true},
		{"TransactWriteItems ConditionExpression", func(f expressionFault) call {
			return transactCall(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: noTable, Key: keyA,
				ConditionExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values}})
		}, false},
		{"Scan FilterExpression", func(f expressionFault) call {
			return scanCall(dynamodb.ScanInput{TableName: noTable, FilterExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values})
		}, false},
	}
}

// queryFilterPlace is the place of a query's filter, beside a key condition that
// brings a value of its own.
func queryFilterPlace() expressionPlace {
	return expressionPlace{"Query FilterExpression", func(f expressionFault) func(context.Context, *memory.DB) error {
		values := item{":key": str("a")}
		for k, v := range f.values {
			values[k] = v
		}
		return queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditionExpression: aws.String("pk = :key"), FilterExpression: &f.text,
			ExpressionAttributeNames: f.names, ExpressionAttributeValues: values})
	}, false}
}

func updatePlaces() []expressionPlace {
	type call = func(context.Context, *memory.DB) error
	return []expressionPlace{
		{"UpdateItem UpdateExpression", func(f expressionFault) call {
			return updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, UpdateExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values})
		}, true},
		{"TransactWriteItems UpdateExpression", func(f expressionFault) call {
			return transactCall(types.TransactWriteItem{Update: &types.Update{TableName: noTable, Key: keyA,
				UpdateExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values}})
		}, false},
	}
}

func projectionPlaces() []expressionPlace {
	type call = func(context.Context, *memory.DB) error
	return []expressionPlace{
		{"GetItem ProjectionExpression", func(f expressionFault) call {
			return getCall(dynamodb.GetItemInput{TableName: noTable, Key: keyA, ProjectionExpression: &f.text, ExpressionAttributeNames: f.names})
		}, false},
		{"BatchGetItem ProjectionExpression", func(f expressionFault) call {
			return batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				"Nowhere": {Keys: []item{keyA}, ProjectionExpression: &f.text, ExpressionAttributeNames: f.names}}})
		}, false},
		{"TransactGetItems ProjectionExpression", func(f expressionFault) call {
			return transactGetCall(types.TransactGetItem{Get: &types.Get{TableName: noTable, Key: keyA, ProjectionExpression: &f.text, ExpressionAttributeNames: f.names}})
		}, false},
		{"Query ProjectionExpression", func(f expressionFault) call {
			return queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditionExpression: aws.String("pk = :key"), ExpressionAttributeValues: item{":key": str("a")},
				ProjectionExpression: &f.text, ExpressionAttributeNames: f.names})
		}, false},
		{"Scan ProjectionExpression", func(f expressionFault) call {
			return scanCall(dynamodb.ScanInput{TableName: noTable, ProjectionExpression: &f.text, ExpressionAttributeNames: f.names})
		}, false},
	}
}

func keyConditionPlaces() []expressionPlace {
	return []expressionPlace{{"Query KeyConditionExpression", func(f expressionFault) func(context.Context, *memory.DB) error {
		return queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditionExpression: &f.text, ExpressionAttributeNames: f.names, ExpressionAttributeValues: f.values})
	}, false}}
}

// refuseExpressions sends each expression to each place.
func refuseExpressions(t *testing.T, places []expressionPlace, faults []expressionFault) {
	t.Helper()
	for _, place := range places {
		_, parameter, _ := strings.Cut(place.name, " ")
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			var tests []refusal
			for _, f := range faults {
				want := strings.Replace(f.want, "%s", "Invalid "+parameter+": ", 1)
				if place.counts {
					want = one + want
				}
				tests = append(tests, refusal{name: f.name, call: place.call(f), want: want})
			}
			refuse(t, seedPlain, tests)
		})
	}
}

// depth returns a path of n elements.
func depth(n int) string { return "a" + strings.Repeat(".b", n-1) }

// operators returns a condition with an odd number of operators, comparisons joined
// by OR, and the value that it takes.
func operators(n int) (string, item) {
	terms := make([]string, 0, n/2+1)
	for i := range (n + 1) / 2 {
		terms = append(terms, fmt.Sprintf("a%d=:v", i))
	}
	return strings.Join(terms, " OR "), item{":v": num(1)}
}

func TestConditionFaults(t *testing.T) {
	t.Parallel()
	v := func(name string, value types.AttributeValue) item { return item{name: value} }
	many, manyValues := operators(301)
	hundred := "a IN (:v" + strings.Repeat(", :v", 100) + ")"
	refuseExpressions(t, append(conditionPlaces(), queryFilterPlace()), []expressionFault{
		{"empty", "", nil, nil, "%sThe expression can not be empty;"},
		{"blank", " \t\r\n", nil, nil, "%sThe expression can not be empty;"},
		{"too long, before its syntax", strings.Repeat("=", 4097), nil, nil, "%sExpression size has exceeded the maximum allowed size; expression size: 4097"},
		{"syntax", "a = :v AND OR", nil, nil, `%sSyntax error; token: "OR", near: "AND OR"`},
		{"comparator of other languages", "a != :v", nil, nil, `%sSyntax error; token: "!", near: "a !="`},
		{"leading underscore", "_a = :v", nil, nil, `%sSyntax error; token: "_", near: "_a"`},
		{"literal", "a = 5", nil, nil, `%sSyntax error; token: "5", near: "= 5"`},
		{"value as the beginning of a path", ":v.a = :v", nil, nil, `%sSyntax error; token: ".", near: ":v.a"`},
		{"lone marker", "# = :v", nil, nil, `%sSyntax error; token: "#", near: "# ="`},
		{"end", "a =", nil, nil, `%sSyntax error; token: "<EOF>", near: "="`},
		{"path as a condition", "a", nil, nil, `%sSyntax error; token: "<EOF>", near: "a"`},
		{"redundant parentheses", "((a = :v))", nil, nil, "%sThe expression has redundant parentheses;"},
		{"reserved word", "size = :v", nil, nil, "%sAttribute name is a reserved keyword; reserved keyword: size"},
		{"reserved word behind a dot", "info.Name = :v", nil, nil, "%sAttribute name is a reserved keyword; reserved keyword: Name"},
		{"unknown function", "foo(a)", nil, nil, "%sInvalid function name; function: foo"},
		{"function in capitals", "SIZE(a) > :v", nil, nil, "%sInvalid function name; function: SIZE"},
		{"size as a condition", "size(a)", nil, nil, "%sThe function is not allowed to be used this way in an expression; function: size"},
		{"condition as an operand", "contains(a, b) = :v", nil, nil, "%sThe function is not allowed to be used this way in an expression; function: contains"},
		{"too few operands", "begins_with(a)", nil, nil, "%sIncorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1"},
		{"beginning that is a number", "begins_with(a, :v)", nil, v(":v", num(1)), "%sIncorrect operand type for operator or function; operator or function: begins_with, operand type: N"},
		{"less than a map", "a < :v", nil, v(":v", obj(nil)), "%sIncorrect operand type for operator or function; operator or function: <, operand type: M"},
		{"size of a number", "size(:v) > a", nil, v(":v", num(1)), "%sIncorrect operand type for operator or function; operator or function: size, operand type: N"},
		{"existence of a value", "attribute_exists(:v)", nil, v(":v", num(1)), "%sOperator or function requires a document path; operator or function: attribute_exists"},
		{"a path with itself", "a = #a", map[string]string{"#a": "a"}, nil,
			"%sThe first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]"},
		{"too many operators", many, nil, manyValues, "%sThe expression contains too many operators; operator count: 301"},
		{"too many in a list", hundred, nil, v(":v", num(1)), "%sThe IN operator is provided with too many operands; number of operands: 101"},
		{"undefined name", "#a = b", nil, nil, "%sAn expression attribute name used in the document path is not defined; attribute name: #a"},
		{"undefined value", "a = :a", nil, nil, "%sAn expression attribute value used in expression is not defined; attribute value: :a"},
		{"name in other letters", "#A = b", map[string]string{"#a": "a"}, nil, "%sAn expression attribute name used in the document path is not defined; attribute name: #A"},
		{"bounds the wrong way round", "a BETWEEN :h AND :l", nil, item{":h": num(5), ":l": num(1)},
			"%sThe BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:1}"},
		{"bounds of two kinds", "a BETWEEN :l AND :h", nil, item{":l": str("a"), ":h": num(1)},
			"%sThe BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {S:a}, upper bound operand: AttributeValue: {N:1}"},
		{"unknown type", "attribute_type(a, :v)", nil, v(":v", str("DOG")), "%sInvalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
		{"33 elements", depth(33) + " = b", nil, nil, "%sThe document path has too many nesting levels; nesting levels: 33"},
		{"large position", "a[99999999999999] = b", nil, nil, "%sList index is not within the allowable range; index: [99999999999999]"},
		{"unused names", "a = b", map[string]string{"#b": "b", "#a": "a"}, nil, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"},
		{"unused value", "a = b", nil, v(":a", num(1)), "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}"},
		{"no names", "a = b", map[string]string{}, nil, "ExpressionAttributeNames must not be empty"},
		{"bad key of a name", "a = b", map[string]string{"a": "a"}, nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "a"`},
		{"key of a name that is too long", "a = b", map[string]string{"#" + strings.Repeat("a", 255): "a"}, nil,
			"ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; key size: 256"},
		{"empty name", "#a = b", map[string]string{"#a": ""}, nil, "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a"},
		{"bad key of a value", "a = b", nil, v("a", num(1)), `ExpressionAttributeValues contains invalid key: Syntax error; key: "a"`},
		{"keys of all values before the values", "a = b", nil, item{":a": num("x"), "z": num(1)}, `ExpressionAttributeValues contains invalid key: Syntax error; key: "z"`},
		{"names before values", "a = b", map[string]string{}, v("a", num(1)), "ExpressionAttributeNames must not be empty"},
	})
	refuseExpressions(t, conditionPlaces(), []expressionFault{
		{"no values", "a = b", nil, item{}, "ExpressionAttributeValues must not be empty"},
	})
}

func TestUpdateFaults(t *testing.T) {
	t.Parallel()
	v := func(value types.AttributeValue) item { return item{":v": value} }
	refuseExpressions(t, updatePlaces(), []expressionFault{
		{"empty", "", nil, nil, "%sThe expression can not be empty;"},
		{"too long, without the figure", strings.Repeat("=", 4097), nil, nil, "%sExpression size has exceeded the maximum allowed size;"},
		{"syntax", "INVALID SYNTAX", nil, nil, `%sSyntax error; token: "INVALID", near: "INVALID SYNTAX"`},
		{"leading underscore", "SET _123 = :v", nil, nil, `%sSyntax error; token: "_", near: "SET _123"`},
		{"two sums", "SET a = b + c + d", nil, nil, `%sSyntax error; token: "+", near: "c + d"`},
		{"sum as an argument", "SET a = if_not_exists(b + c, d)", nil, nil, `%sSyntax error; token: "+", near: "b + c"`},
		{"ADD of a path", "ADD a b", nil, nil, `%sSyntax error; token: "b", near: "a b"`},
		{"trailing comma", "REMOVE a,", nil, nil, `%sSyntax error; token: "<EOF>", near: ","`},
		{"reserved word", "SET name = :v", nil, nil, "%sAttribute name is a reserved keyword; reserved keyword: name"},
		{"reserved word before an unknown function", "SET a = foo(b, c), name = :v", nil, nil, "%sAttribute name is a reserved keyword; reserved keyword: name"},
		{"unknown function", "SET a = foo(b, c)", nil, nil, "%sInvalid function name; function: foo"},
		{"function of conditions", "SET a = size(b)", nil, nil, "%sThe function is not allowed to be used this way in an expression; function: size"},
		{"lists within lists", "SET a = list_append(list_append(b, c), d)", nil, nil, "%sThe function is not allowed to be used this way in an expression; function: list_append"},
		{"section twice", "SET a = :v SET b = :v", nil, nil, `%sThe "SET" section can only be used once in an update expression;`},
		{"section twice before undefined", "REMOVE a remove #b", nil, nil, `%sThe "REMOVE" section can only be used once in an update expression;`},
		{"undefined name before undefined value", "SET a = :a, #b = c", nil, nil, "%sAn expression attribute name used in the document path is not defined; attribute name: #b"},
		{"undefined value", "SET a = :a, b.c = d, b = e", nil, nil, "%sAn expression attribute value used in expression is not defined; attribute value: :a"},
		{"overlap", "SET a = b REMOVE a.b", nil, nil, "%sTwo document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]"},
		{"overlap before conflict", "SET a.b = c, a[1] = c, d = c REMOVE d", nil, nil,
			"%sTwo document paths overlap with each other; must remove or rewrite one of these paths; path one: [d], path two: [d]"},
		{"conflict", "SET a.b = c REMOVE a[1]", nil, nil, "%sTwo document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]"},
		{"conflict before operands", "SET a.b = :v + c, a[1] = c", nil, v(str("a")),
			"%sTwo document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]"},
		{"ADD of a string", "ADD a :v", nil, v(str("a")), "%sIncorrect operand type for operator or function; operator: ADD, operand type: STRING"},
		{"ADD of a list", "ADD a :v", nil, v(seq()), "%sIncorrect operand type for operator or function; operator: ADD, operand type: LIST"},
		{"DELETE of a number", "DELETE a :v", nil, v(num(1)), "%sIncorrect operand type for operator or function; operator: DELETE, operand type: NUMBER"},
		{"sum with a string", "SET a = b + :v", nil, v(str("a")), "%sIncorrect operand type for operator or function; operator or function: +, operand type: S"},
		{"list with a number", "SET a = list_append(b, :v)", nil, v(num(1)), "%sIncorrect operand type for operator or function; operator or function: list_append, operand type: N"},
		{"default of a value", "SET a = if_not_exists(:v, b)", nil, v(num(1)), "%sOperator or function requires a document path; operator or function: if_not_exists"},
		{"too few operands", "SET a = if_not_exists(b)", nil, nil, "%sIncorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1"},
		{"33 elements", "REMOVE " + depth(33), nil, nil, "%sThe document path has too many nesting levels; nesting levels: 33"},
		{"large position", "REMOVE a[2147483648]", nil, nil, "%sList index is not within the allowable range; index: [2147483648]"},
	})
}

func TestProjectionFaults(t *testing.T) {
	t.Parallel()
	refuseExpressions(t, projectionPlaces(), []expressionFault{
		{"empty", "", nil, nil, "%sThe expression can not be empty;"},
		{"too long", strings.Repeat(",", 4097), nil, nil, "%sExpression size has exceeded the maximum allowed size; expression size: 4097"},
		{"function", "size(a)", nil, nil, `%sSyntax error; token: "(", near: "size(a"`},
		{"trailing comma", "a,", nil, nil, `%sSyntax error; token: "<EOF>", near: ","`},
		{"reserved word", "a, Status", nil, nil, "%sAttribute name is a reserved keyword; reserved keyword: Status"},
		{"same path twice", "a, #a", map[string]string{"#a": "a"}, nil, "%sTwo document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]"},
		{"conflict", "a.b, a[0]", nil, nil, "%sTwo document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]"},
		{"undefined name", "a.#b", nil, nil, "%sAn expression attribute name used in the document path is not defined; attribute name: #b"},
		{"33 elements", depth(33), nil, nil, "%sThe document path has too many nesting levels; nesting levels: 33"},
		{"unused name", "a", map[string]string{"#b": "b"}, nil, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"},
	})
}

func TestKeyConditionFaults(t *testing.T) {
	t.Parallel()
	a, b := item{":a": str("a")}, item{":a": str("a"), ":b": str("b")}
	refuseExpressions(t, keyConditionPlaces(), []expressionFault{
		{"empty", "", nil, nil, "%sThe expression can not be empty;"},
		{"OR", "pk = :a OR sk = :b", nil, b, "%sInvalid operator used in KeyConditionExpression: OR"},
		{"NOT", "NOT pk = :a", nil, a, "%sInvalid operator used in KeyConditionExpression: NOT"},
		{"IN", "pk IN (:a)", nil, a, "%sInvalid operator used in KeyConditionExpression: IN"},
		{"not equal", "pk <> :a", nil, a, "%sInvalid operator used in KeyConditionExpression: <>"},
		{"function", "attribute_exists(pk)", nil, nil, "%sInvalid operator used in KeyConditionExpression: attribute_exists"},
		{"contains", "contains(pk, :a)", nil, a, "%sInvalid operator used in KeyConditionExpression: contains"},
		{"size", "size(pk) = :a", nil, a, "%sKeyConditionExpressions cannot contain nested operations"},
		{"nested", "pk.x = :a", nil, a, "%sKeyConditionExpressions cannot have conditions on nested attributes"},
		{"values alone", ":a = :b", nil, b, "%sInvalid condition in KeyConditionExpression: No key attribute specified"},
		{"two attributes", "pk = sk", nil, nil, "%sInvalid condition in KeyConditionExpression: Multiple attribute names used in one condition"},
		{"one attribute twice", "pk = :a AND pk = :b", nil, b, "%sKeyConditionExpressions must only contain one condition per key"},
		{"value before BETWEEN", ":a BETWEEN pk AND sk", nil, a, "%sInvalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand"},
		{"value before begins_with", "begins_with(:a, pk)", nil, a, "%sInvalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand"},
		{"beginning of a number", "begins_with(sk, :a)", nil, item{":a": num(1)}, "%sIncorrect operand type for operator or function; operator or function: begins_with, operand type: N"},
		{"bounds the wrong way round", "sk BETWEEN :b AND :a", nil, b,
			"%sThe BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"},
		{"unused before the form", "pk = :a OR sk = :a", nil, b, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"},
	})
}

// TestExpressionsAtTheLimit sends what is just small enough.
func TestExpressionsAtTheLimit(t *testing.T) {
	t.Parallel()
	most, values := operators(299)
	longest := "n = :v" + strings.Repeat(" ", 4096-len("n = :v"))
	for name, in := range map[string]dynamodb.ScanInput{
		"operators":       {FilterExpression: aws.String("NOT " + most), ExpressionAttributeValues: values},
		"list":            {FilterExpression: aws.String("a IN (:v" + strings.Repeat(", :v", 99) + ")"), ExpressionAttributeValues: values},
		"length":          {FilterExpression: &longest, ExpressionAttributeValues: values},
		"path":            {FilterExpression: aws.String(depth(32) + " = :v"), ExpressionAttributeValues: values},
		"position":        {FilterExpression: aws.String("a[2147483647] = :v"), ExpressionAttributeValues: values},
		"placeholder":     {FilterExpression: aws.String("#" + strings.Repeat("a", 254) + " = :v"), ExpressionAttributeValues: values, ExpressionAttributeNames: map[string]string{"#" + strings.Repeat("a", 254): "a"}},
		"attribute name":  {FilterExpression: aws.String("#a = :v"), ExpressionAttributeValues: values, ExpressionAttributeNames: map[string]string{"#a": strings.Repeat("a", 65535)}},
		"one pair around": {FilterExpression: aws.String("((a = :v) AND b = :v)"), ExpressionAttributeValues: values},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDB(t)
			seedPlain(t, db)
			in.TableName = hashTable
			if _, err := db.Scan(t.Context(), &in); err != nil {
				t.Error(err)
			}
		})
	}
}
