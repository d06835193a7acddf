package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// The tests in this file hold what is least expected of the service.

// change applies an update to an item of Hash and returns all of it.
func change(t testing.TB, db *memory.DB, key item, text string, values item) item {
	t.Helper()
	out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: hashTable, Key: key,
		UpdateExpression: &text, ExpressionAttributeValues: values, ReturnValues: types.ReturnValueAllNew})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out.Attributes
}

// count returns how many items of Hash a filter lets pass.
func count(t testing.TB, db *memory.DB, filter string, values item) int {
	t.Helper()
	out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: hashTable, FilterExpression: &filter, ExpressionAttributeValues: values})
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	return int(out.Count)
}

// TestNumbersAreExact checks sums that binary fractions get wrong, and the one form
// in which numbers come back.
func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	for given, want := range map[string]string{
		"00042": "42", "-0": "0", "1.5E2": "150", "+5": "5", "1.0": "1", "5.": "5", ".5": "0.5", "1.E+5": "100000", "0.0e126": "0", "0e125": "0",
		"1E125": "1" + strings.Repeat("0", 125), "-1E-130": "-0." + strings.Repeat("0", 129) + "1", strings.Repeat("9", 38): strings.Repeat("9", 38),
		"0.000" + strings.Repeat("1", 38) + "000": "0.000" + strings.Repeat("1", 38),
	} {
		put(t, db, "Hash", item{"pk": str(given), "n": num(given)})
		diff(t, given, get(t, db, "Hash", item{"pk": str(given)})["n"], num(want))
	}
	for _, tt := range []struct{ before, op, by, want string }{
		{"9007199254740993", "+", "1", "9007199254740994"},
		{"0.1", "+", "0.2", "0.3"},
		{"1e22", "+", "1", "10000000000000000000001"},
		{"1e37", "-", "1", strings.Repeat("9", 37)},
		{"1e-130", "-", "1e-130", "0"},
	} {
		key := item{"pk": str(tt.before + tt.op + tt.by)}
		put(t, db, "Hash", item{"pk": key["pk"], "n": num(tt.before)})
		diff(t, tt.before+tt.op+tt.by, change(t, db, key, "SET n = n "+tt.op+" :v", item{":v": num(tt.by)})["n"], num(tt.want))
	}
	sum := "SET n = n + :v"
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: hashTable, Key: item{"pk": str("1E125")}, UpdateExpression: &sum, ExpressionAttributeValues: item{":v": num(1)}})
	wantRefusal(t, err, "", "Number overflow. Attempting to store a number with magnitude larger than supported range")
}

// TestNumbersAreOneKey checks that a number is one key however it is written, in
// tables, conditions, indexes and starting keys.
func TestNumbersAreOneKey(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Numbered", "pk:N", "sk:N"), "gsi", []string{"sk:N"}, []string{"pk:N"}))
	for i, n := range []string{"100", "100.0", "1e2", "+100", "0100"} {
		put(t, db, "Numbered", item{"pk": num(n), "sk": num("16.4"), "i": num(i)}, item{"pk": num(n), "sk": num("16.5")})
	}
	if got := *describeTable(t, db, "Numbered").ItemCount; got != 2 {
		t.Errorf("there are %d items, want 2", got)
	}
	diff(t, "get", get(t, db, "Numbered", item{"pk": num("1.00E+2"), "sk": num("16.40")})["i"], num(4))
	diff(t, "query", pick(query(t, db, "Numbered", "", "pk = :a AND sk = :b", nil, num("1e2"), num("16.40")).Items, "sk"), []string{"16.4"})
	diff(t, "query of the index", pick(query(t, db, "Numbered", "gsi", "sk = :a AND pk >= :b", nil, num("164e-1"), num("1e2")).Items, "pk"), []string{"100"})
	after := func(in *dynamodb.QueryInput) {
		in.ExclusiveStartKey = item{"pk": num("100.000"), "sk": num("1640e-2")}
	}
	diff(t, "query after a key", pick(query(t, db, "Numbered", "", "pk = :a", after, num("100")).Items, "sk"), []string{"16.5"})
}

// TestSetsComeBackSorted checks the order of members, which may be empty texts.
func TestSetsComeBackSorted(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	put(t, db, "Hash", item{"pk": str("a"), "ss": strs("b", "", "é", "B"), "ns": &types.AttributeValueMemberNS{Value: []string{"10", "9", "-1.0"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{0x80}, {}, {0x7f}}}})
	diff(t, "item", get(t, db, "Hash", keyA), item{"pk": str("a"), "ss": strs("", "B", "b", "é"),
		"ns": &types.AttributeValueMemberNS{Value: []string{"-1", "9", "10"}}, "bs": &types.AttributeValueMemberBS{Value: [][]byte{{}, {0x7f}, {0x80}}}})
	diff(t, "after the last members", change(t, db, keyA, "DELETE ss :s", item{":s": strs("é", "b", "B", "", "other")})["ss"], nil)
}

// TestTextIsMeasuredTwice checks that size() counts UTF-16 code units, everything
// else bytes.
func TestTextIsMeasuredTwice(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	put(t, db, "Hash", item{"pk": str("a"), "s": str("é𝄞")})
	if got := count(t, db, "size(s) = :n", item{":n": num(3)}); got != 1 {
		t.Errorf("%d items have a text of size 3, want 1", got)
	}
	if got := *describeTable(t, db, "Hash").TableSizeBytes; got != 3+1+6 {
		t.Errorf("the table has %d bytes, want 10", got)
	}
}

// TestWhatIsMissing checks that only <> holds for an attribute that is not there,
// and that no item makes a condition fail.
func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	put(t, db, "Hash", item{"pk": str("a"), "s": str("a"), "l": seq()})
	for filter, want := range map[string]int{
		"q1 <> :v": 1, "q1 <> q2": 1, "q1 = q2": 0, "NOT q1 = :v": 1, "q1 < :v": 0, "size(q1) > :v": 0, "l.x <> :v": 1, "s[0] = :v": 0,
		"s BETWEEN :v AND q1": 0, "contains(q1, :v)": 0, "s < :v": 0,
	} {
		values := item{":v": num(1)}
		if !strings.Contains(filter, ":v") {
			values = nil
		}
		if got := count(t, db, filter, values); got != want {
			t.Errorf("%s lets %d items pass, want %d", filter, got, want)
		}
	}
}

// TestNamesAreLiteral checks that what stands behind a placeholder is one element
// of a path, whatever characters it has.
func TestNamesAreLiteral(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	put(t, db, "Hash", item{"pk": str("a"), "a.b": num(1), "a": obj(item{"b": num(2), "x-1": num(3), "hello world": num(4), "[0]": num(5)})})
	for path, want := range map[string]item{
		"#dot":      {"a.b": num(1)},
		"#a.b":      {"a": obj(item{"b": num(2)})},
		"a.#minus":  {"a": obj(item{"x-1": num(3)})},
		"a.#blank":  {"a": obj(item{"hello world": num(4)})},
		"#a.#index": {"a": obj(item{"[0]": num(5)})},
	} {
		all := map[string]string{"#dot": "a.b", "#a": "a", "#minus": "x-1", "#blank": "hello world", "#index": "[0]"}
		names := make(map[string]string)
		for element := range strings.SplitSeq(path, ".") {
			if name, ok := all[element]; ok {
				names[element] = name
			}
		}
		out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: hashTable, Key: keyA, ProjectionExpression: &path, ExpressionAttributeNames: names})
		if err != nil {
			t.Fatal(err)
		}
		diff(t, path, out.Item, want)
	}
}

// writers are all ways of storing an item of Both whose index key is c, nil for
// none.
func writers(c types.AttributeValue) map[string]func(context.Context, *memory.DB) error {
	key := item{"pk": str("a"), "sk": num(1)}
	whole := item{"pk": str("a"), "sk": num(1)}
	text, values := "REMOVE c", item(nil)
	if c != nil {
		whole["c"], text, values = c, "SET c = :c", item{":c": c}
	}
	return map[string]func(context.Context, *memory.DB) error{
		"put":             putCall(dynamodb.PutItemInput{TableName: bothTable, Item: whole}),
		"update":          updateCall(dynamodb.UpdateItemInput{TableName: bothTable, Key: key, UpdateExpression: &text, ExpressionAttributeValues: values}),
		"batch":           batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Both": {putRequest(whole)}}}),
		"transact put":    transactCall(putAction("Both", whole)),
		"transact update": transactCall(updateAction("Both", key, text, values)),
	}
}

// TestEveryWriteMovesTheEntry checks that an item never has two entries in an
// index, nor one under an old key.
func TestEveryWriteMovesTheEntry(t *testing.T) {
	t.Parallel()
	for way := range writers(nil) {
		db := newDB(t)
		seedPlain(t, db)
		for _, c := range []types.AttributeValue{str("open"), str("done"), nil, str("open")} {
			if err := writers(c)[way](t.Context(), db); err != nil {
				t.Fatalf("%s: %v", way, err)
			}
			for _, at := range []types.AttributeValue{str("c"), str("open"), str("done")} {
				want := int32(0)
				if s, ok := c.(*types.AttributeValueMemberS); ok && s.Value == at.(*types.AttributeValueMemberS).Value {
					want = 1
				}
				if got := query(t, db, "Both", "agsi", "c = :a", nil, at).Count; got != want {
					t.Errorf("%s of %v: %d entries at %v, want %d", way, c, got, at, want)
				}
			}
		}
	}
}

// TestEveryWriteChecksIndexKeys sends values that an index key cannot have.
func TestEveryWriteChecksIndexKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]types.AttributeValue{
		"N": num(1), "NULL": &types.AttributeValueMemberNULL{Value: true}, "L": seq(), "B": bin("b"), "SS": strs("a"),
	} {
		var tests []refusal
		want := were + "Type mismatch for Index Key c Expected: S Actual: " + name + " IndexName: agsi"
		for way, call := range writers(c) {
			if strings.HasPrefix(way, "transact") {
				tests = append(tests, refusal{name + " by " + way, call, "TransactionCanceledException",
					"Transaction cancelled, please refer cancellation reasons for specific reasons [ValidationError]"})
				continue
			}
			tests = append(tests, refusal{name + " by " + way, call, "", want})
		}
		refuse(t, seedPlain, tests)
	}
}

// TestOneKeyInTwoTables checks that items are told apart by their tables.
func TestOneKeyInTwoTables(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	for _, name := range []string{"Orders", "Stock"} {
		create(t, db, define(name, "pk:S"))
	}
	ctx := t.Context()
	_, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		"Orders": {putRequest(item{"pk": str("a"), "n": num(1)})}, "Stock": {putRequest(item{"pk": str("a"), "n": num(2)})}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := transactCall(updateAction("Orders", keyA, "ADD n :n", item{":n": num(10)}), updateAction("Stock", keyA, "ADD n :n", item{":n": num(20)}))(ctx, db); err != nil {
		t.Fatal(err)
	}
	out, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{getAction("Orders", "a"), getAction("Stock", "a")}})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "items", []item{out.Responses[0].Item, out.Responses[1].Item}, []item{{"pk": str("a"), "n": num(11)}, {"pk": str("a"), "n": num(22)}})
}

// TestDeletesOfLargeItemsFitATransaction checks that the limit is on what a
// transaction brings, not on what it meets.
func TestDeletesOfLargeItemsFitATransaction(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	var deletes actions
	for i := range 11 {
		key := keyOf(fmt.Sprint(i))
		put(t, db, "Hash", item{"pk": key["pk"], "v": str(strings.Repeat("x", 390*1024))})
		deletes = append(deletes, deleteAction("Hash", key))
	}
	if err := transactCall(deletes...)(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if got := db.Dump("Hash"); got != "table Hash\n" {
		t.Errorf("there are items left: %d bytes", len(got))
	}
}

// TestSegmentsStayWhenItemsGo checks that deleting what one segment holds moves
// nothing between the others.
func TestSegmentsStayWhenItemsGo(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	for i := range 100 {
		put(t, db, "Hash", keyOf(fmt.Sprint(i)))
	}
	segment := func(n int32) []string {
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: hashTable, Segment: &n, TotalSegments: aws.Int32(4)})
		if err != nil {
			t.Fatal(err)
		}
		return pick(out.Items, "pk")
	}
	want := [][]string{segment(0), segment(1), segment(2), segment(3)}
	for _, pk := range want[0] {
		if err := deleteCall(dynamodb.DeleteItemInput{TableName: hashTable, Key: keyOf(pk)})(t.Context(), db); err != nil {
			t.Fatal(err)
		}
	}
	want[0] = []string{}
	diff(t, "segments", [][]string{segment(0), segment(1), segment(2), segment(3)}, want)
	if n := len(slices.Concat(want...)); n == 0 || n == 100 {
		t.Errorf("%d items are left, which shows nothing", n)
	}
}

// TestNothingThatComesOutIsShared changes everything that responses hold and wants
// the table unmoved.
func TestNothingThatComesOutIsShared(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Hash", "pk:S"), "gsi", []string{"g:S"}, nil))
	put(t, db, "Hash", item{"pk": str("a"), "g": str("g"), "b": bin("abc"), "l": seq(obj(item{"x": bin("x")})), "ss": strs("m")})
	before := look(t, db)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var held []item
	updated, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, ReturnValues: types.ReturnValueAllNew})
	must(err)
	old, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, ReturnValues: types.ReturnValueAllOld})
	must(err)
	scanned, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: hashTable, IndexName: aws.String("gsi"), Limit: aws.Int32(1)})
	must(err)
	batch, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"Hash": {Keys: []item{keyA}}}})
	must(err)
	together, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{getAction("Hash", "a")}})
	must(err)
	_, err = db.PutItem(ctx, &dynamodb.PutItemInput{TableName: hashTable, Item: keyA, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		t.Fatal(err)
	}
	held = append(held, updated.Attributes, old.Attributes, scanned.Items[0], scanned.LastEvaluatedKey, batch.Responses["Hash"][0], together.Responses[0].Item, failed.Item)
	for i, it := range held {
		if len(it) == 0 {
			t.Errorf("response %d holds nothing", i)
		}
		spoil(it)
	}
	wantUnchanged(t, db, before)
}

// spoil changes everything in an item that can be changed.
func spoil(it item) {
	for name, v := range it {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			v.Value = "spoilt"
		case *types.AttributeValueMemberB:
			for i := range v.Value {
				v.Value[i] = '!'
			}
		case *types.AttributeValueMemberSS:
			v.Value[0] = "spoilt"
		case *types.AttributeValueMemberL:
			for _, e := range v.Value {
				spoil(item{"": e})
			}
		case *types.AttributeValueMemberM:
			spoil(v.Value)
		}
		delete(it, name)
	}
}

// TestNewIndexDeclaresItsKeys checks what UpdateTable demands of definitions: those
// of the new index, known or not, and nothing of those that nobody uses.
func TestNewIndexDeclaresItsKeys(t *testing.T) {
	t.Parallel()
	undeclared := addIndex("Both", "idx", []string{"sk:N"}, nil)
	undeclared.AttributeDefinitions = nil
	refuse(t, seedPlain, []refusal{{"a key that the table knows already", alterCall(undeclared), "",
		were + "Some index key attributes are not defined in AttributeDefinitions. Keys: [sk], AttributeDefinitions: []"}})
	db := newDB(t)
	seedPlain(t, db)
	more := addIndex("Both", "idx", []string{"sk:N"}, nil)
	more.AttributeDefinitions = append(more.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String("unused"), AttributeType: "S"})
	alter(t, db, more)
	for _, d := range describeTable(t, db, "Both").AttributeDefinitions {
		if *d.AttributeName == "unused" {
			t.Error("the table defines an attribute that no key uses")
		}
	}
}

// TestEmptyTableCosts checks what reading nothing costs.
func TestEmptyTableCosts(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hash", "pk:S"))
	for consistent, want := range map[bool]float64{false: 0.5, true: 1} {
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: hashTable, ConsistentRead: &consistent, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
		if err != nil {
			t.Fatal(err)
		}
		diff(t, fmt.Sprintf("scan, consistent %v", consistent), unitsOf(out.ConsumedCapacity), want)
	}
}
