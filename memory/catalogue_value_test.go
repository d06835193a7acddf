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

// valueFault is a value that nobody may send, with the words of the newer layer of
// validation and of the older one.
type valueFault struct {
	name         string
	value        types.AttributeValue
	newer, older string
	// shape marks values of no kind, which are counted nowhere.
	shape bool
	// content marks numbers and sets whose members are at fault, which are not said
	// to stand in a starting key.
	content bool
}

func valueFaults() []valueFault {
	same := func(name string, v types.AttributeValue, text string) valueFault {
		return valueFault{name: name, value: v, newer: text, older: text}
	}
	const (
		overflow  = "Number overflow. Attempting to store a number with magnitude larger than supported range"
		underflow = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
		nesting   = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
		noKind    = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	)
	content := func(name string, v types.AttributeValue, newer, older string) valueFault {
		return valueFault{name: name, value: v, newer: newer, older: older, content: true}
	}
	number := func(name, n, text string) valueFault { return content(name, num(n), text, text) }
	sets := func(newer, older string, v types.AttributeValue, name string) valueFault {
		return content(name, v, were+newer, older)
	}
	return []valueFault{
		number("no number", "abc", "The parameter cannot be converted to a numeric value: abc"),
		number("number with a blank", " 1", "The parameter cannot be converted to a numeric value:  1"),
		number("hexadecimal number", "0x10", "The parameter cannot be converted to a numeric value: 0x10"),
		number("not a number", "NaN", "The parameter cannot be converted to a numeric value: NaN"),
		content("number without digits", num(""), "The parameter cannot be converted to a numeric value: ", "The parameter cannot be converted to a numeric value"),
		number("39 digits", strings.Repeat("1", 39), "Attempting to store more than 38 significant digits in a Number"),
		number("too large", "1e126", overflow),
		number("zero with too large an exponent", "0e126", overflow),
		content("largest 32-bit exponent", num("1e2147483647"), overflow, underflow),
		number("too small", "1e-131", underflow),
		number("exponent beyond 64 bits", "1e99999999999999999999", "The parameter cannot be converted to a numeric value: 1e99999999999999999999"),
		sets(`Input collection ["a", "b", "b"] contains duplicates.`, were+"Input collection [b, a, b] contains duplicates.", strs("b", "a", "b"), "equal strings"),
		sets("Input collection contains duplicates.", "Input collection contains duplicates", &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}}, "equal numbers"),
		sets(`Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`, were+"Input collection [AA==, /w==, AA==]of type BS contains duplicates.",
			&types.AttributeValueMemberBS{Value: [][]byte{{0}, {255}, {0}}}, "equal binaries"),
		same("no strings", strs(), were+"An string set  may not be empty"),
		sets("An number set  may not be empty", were+"An number set  may not be empty", &types.AttributeValueMemberNS{}, "no numbers"),
		same("no binaries", &types.AttributeValueMemberBS{}, were+"Binary sets should not be empty"),
		same("null that is false", &types.AttributeValueMemberNULL{}, were+"Null attribute value types must have the value of true"),
		same("33 levels", nested(32), nesting),
		same("fault deep inside", seq(obj(item{"x": seq(str("a"), strs())})), were+"An string set  may not be empty"),
		{name: "no kind", newer: noKind, older: noKind, shape: true},
		{name: "no kind deep inside", value: seq(obj(item{"x": nil})), newer: noKind, older: noKind, shape: true},
	}
}

// valuePlace is where a value can stand in a request, and how faults are worded
// there.
type valuePlace struct {
	name   string
	call   func(v types.AttributeValue) func(context.Context, *memory.DB) error
	older  bool // words of the older layer
	counts bool // with the number of errors in front
	within string
	bare   func(valueFault) bool // what is reported without that; nil for nothing
}

// valuePlaces sends everything to a table that does not exist, so that a fault
// that is found is found before the table.
func valuePlaces() []valuePlace {
	type call = func(context.Context, *memory.DB) error
	key := func(v types.AttributeValue) item { return item{"pk": v} }
	const (
		inValues = "ExpressionAttributeValues contains invalid value: % for key :v"
		inStart  = "The provided starting key is invalid: %"
	)
	notShape := func(f valueFault) bool { return !f.shape }
	content := func(f valueFault) bool { return f.content }
	return []valuePlace{
		{"PutItem Item", func(v types.AttributeValue) call {
			return putCall(dynamodb.PutItemInput{TableName: noTable, Item: item{"pk": str("a"), "v": v}})
		}, false, true, "%", nil},
		{"PutItem ExpressionAttributeValues", func(v types.AttributeValue) call {
			return putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, ConditionExpression: aws.String("a = :v"), ExpressionAttributeValues: item{":v": v}})
		}, false, true, inValues, notShape},
		{"PutItem Expected", func(v types.AttributeValue) call {
			return putCall(dynamodb.PutItemInput{TableName: noTable, Item: keyA, Expected: map[string]types.ExpectedAttributeValue{
				"a": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{v}}}})
		}, false, true, "%", nil},
		{"UpdateItem Key", func(v types.AttributeValue) call {
			return updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: key(v)})
		}, false, true, "%", nil},
		{"UpdateItem ExpressionAttributeValues", func(v types.AttributeValue) call {
			return updateCall(dynamodb.UpdateItemInput{TableName: noTable, Key: keyA, UpdateExpression: aws.String("SET a = :v"), ExpressionAttributeValues: item{":v": v}})
		}, false, true, inValues, notShape},
		{"DeleteItem Key", func(v types.AttributeValue) call {
			return deleteCall(dynamodb.DeleteItemInput{TableName: noTable, Key: key(v)})
		}, false, true, "%", nil},
		{"GetItem Key", func(v types.AttributeValue) call {
			return getCall(dynamodb.GetItemInput{TableName: noTable, Key: key(v)})
		}, false, false, "%", nil},
		{"BatchGetItem Keys", func(v types.AttributeValue) call {
			return batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"Nowhere": {Keys: []item{key(v)}}}})
		}, false, false, "%", nil},
		{"BatchWriteItem PutRequest", func(v types.AttributeValue) call {
			return batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Nowhere": {putRequest(item{"pk": str("a"), "v": v})}}})
		}, true, false, "%", nil},
		{"BatchWriteItem DeleteRequest", func(v types.AttributeValue) call {
			return batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Nowhere": {deleteRequest(key(v))}}})
		}, true, false, "%", nil},
		{"Query ExclusiveStartKey", func(v types.AttributeValue) call {
			return queryCall(dynamodb.QueryInput{TableName: noTable, ExclusiveStartKey: key(v)})
		}, false, false, inStart, content},
		{"Query ExpressionAttributeValues", func(v types.AttributeValue) call {
			return queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditionExpression: aws.String("pk = :v"), ExpressionAttributeValues: item{":v": v}})
		}, false, false, inValues, notShape},
		{"Query KeyConditions", func(v types.AttributeValue) call {
			return queryCall(dynamodb.QueryInput{TableName: noTable, KeyConditions: map[string]types.Condition{"pk": comparison("EQ", v)}})
		}, false, false, "%", nil},
		{"Scan ExclusiveStartKey", func(v types.AttributeValue) call {
			return scanCall(dynamodb.ScanInput{TableName: noTable, ExclusiveStartKey: key(v)})
		}, true, false, inStart, content},
		{"Scan ExpressionAttributeValues", func(v types.AttributeValue) call {
			return scanCall(dynamodb.ScanInput{TableName: noTable, FilterExpression: aws.String("a = :v"), ExpressionAttributeValues: item{":v": v}})
		}, true, false, inValues, nil},
		{"Scan ScanFilter", func(v types.AttributeValue) call {
			return scanCall(dynamodb.ScanInput{TableName: noTable, ScanFilter: map[string]types.Condition{"a": comparison("EQ", v)}})
		}, true, false, "%", nil},
		{"TransactWriteItems Put", func(v types.AttributeValue) call {
			return transactCall(putAction("Nowhere", item{"pk": str("a"), "v": v}))
		}, true, false, "%", nil},
		{"TransactWriteItems Update", func(v types.AttributeValue) call {
			return transactCall(updateAction("Nowhere", keyA, "SET a = :v", item{":v": v}))
		}, true, false, inValues, nil},
		{"TransactWriteItems Delete", func(v types.AttributeValue) call {
			return transactCall(deleteAction("Nowhere", key(v)))
		}, true, false, "%", nil},
		{"TransactWriteItems ConditionCheck", func(v types.AttributeValue) call {
			return transactCall(checkAction("Nowhere", key(v), "attribute_exists(a)"))
		}, true, false, "%", nil},
		{"TransactGetItems Get", func(v types.AttributeValue) call {
			return transactGetCall(types.TransactGetItem{Get: &types.Get{TableName: noTable, Key: key(v)}})
		}, true, false, "%", nil},
	}
}

// TestValueFaults sends every faulty value in every place.
func TestValueFaults(t *testing.T) {
	t.Parallel()
	for _, place := range valuePlaces() {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			var tests []refusal
			for _, f := range valueFaults() {
				text := f.newer
				if place.older {
					text = f.older
				}
				want := text
				if place.bare == nil || !place.bare(f) {
					want = strings.Replace(place.within, "%", text, 1)
				}
				if place.counts && !f.shape {
					want = one + want
				}
				tests = append(tests, refusal{name: f.name, call: place.call(f.value), want: want})
			}
			refuse(t, seedPlain, tests)
		})
	}
}

// TestKeyFaults sends faulty keys with every operation that takes a Key, and with
// those that put items.
func TestKeyFaults(t *testing.T) {
	t.Parallel()
	type call = func(context.Context, *memory.DB) error
	const (
		empty   = areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
		tooLong = were + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
		cancels = "Transaction cancelled, please refer cancellation reasons for specific reasons [ValidationError]"
	)
	long := strings.Repeat("k", 2049)
	faults := []struct {
		name              string
		key               item
		keyed, put, batch string // what is said of a Key, of an item, of one in a batch
		whole             bool   // a transaction is refused as a whole
	}{
		{"another kind", item{"pk": num(1)}, noMatch, were + "Type mismatch for key pk expected: S actual: N", noMatch, false},
		{"no scalar", item{"pk": seq()}, noMatch, were + "Type mismatch for key pk expected: S actual: L", noMatch, false},
		{"missing", item{"v": str("a")}, noMatch, were + "Missing the key pk in the item", noMatch, false},
		{"empty", item{"pk": str("")}, empty, empty, empty, true},
		{"too long", item{"pk": str(long)}, tooLong, tooLong, tooLong, false},
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			tests := []refusal{
				{"PutItem", putCall(dynamodb.PutItemInput{TableName: hashTable, Item: f.key}), "", f.put},
				{"UpdateItem", updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: f.key}), "", f.keyed},
				{"DeleteItem", deleteCall(dynamodb.DeleteItemInput{TableName: hashTable, Key: f.key}), "", f.keyed},
				{"GetItem", getCall(dynamodb.GetItemInput{TableName: hashTable, Key: f.key}), "", f.keyed},
				{"BatchGetItem", batchGetCall(dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"Hash": {Keys: []item{f.key}}}}), "", f.keyed},
				{"BatchWriteItem put", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hash": {putRequest(f.key)}}}), "", f.batch},
				{"BatchWriteItem delete", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hash": {deleteRequest(f.key)}}}), "", f.batch},
			}
			code, put, keyed := "TransactionCanceledException", cancels, cancels
			if f.whole {
				code, put, keyed = "", f.put, f.keyed
			}
			tests = append(tests, refusal{"TransactWriteItems put", transactCall(putAction("Hash", f.key)), code, put})
			for name, action := range map[string]call{
				"TransactWriteItems update": transactCall(updateAction("Hash", f.key, "REMOVE a", nil)),
				"TransactWriteItems delete": transactCall(deleteAction("Hash", f.key)),
				"TransactWriteItems check":  transactCall(checkAction("Hash", f.key, "attribute_exists(a)")),
				"TransactGetItems":          transactGetCall(types.TransactGetItem{Get: &types.Get{TableName: hashTable, Key: f.key}}),
			} {
				tests = append(tests, refusal{name, action, code, keyed})
			}
			refuse(t, seedPlain, tests)
		})
	}
}
