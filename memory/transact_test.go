package memory_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

type actions = []types.TransactWriteItem

func transactWriteCall(in dynamodb.TransactWriteItemsInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.TransactWriteItems(ctx, &in)
		return err
	}
}

func transactCall(list ...types.TransactWriteItem) func(context.Context, *memory.DB) error {
	return transactWriteCall(dynamodb.TransactWriteItemsInput{TransactItems: list})
}

func putAction(table string, it item, condition ...string) types.TransactWriteItem {
	p := &types.Put{TableName: aws.String(table), Item: it}
	if condition != nil {
		p.ConditionExpression = aws.String(condition[0])
	}
	return types.TransactWriteItem{Put: p}
}

func updateAction(table string, key item, text string, values item, condition ...string) types.TransactWriteItem {
	u := &types.Update{TableName: aws.String(table), Key: key, UpdateExpression: aws.String(text), ExpressionAttributeValues: values}
	if condition != nil {
		u.ConditionExpression = aws.String(condition[0])
	}
	return types.TransactWriteItem{Update: u}
}

func deleteAction(table string, key item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(table), Key: key}}
}

func checkAction(table string, key item, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: aws.String(table), Key: key, ConditionExpression: aws.String(condition)}}
}

// TestTransactWriteRefusals holds the faults that are reported for the request
// as a whole.
func TestTransactWriteRefusals(t *testing.T) {
	t.Parallel()
	var many actions
	for _, key := range numbered(101) {
		many = append(many, putAction("Hash", key))
	}
	big := func(pk string) types.TransactWriteItem {
		return putAction("Hash", item{"pk": str(pk), "v": str(strings.Repeat("x", 390*1024))})
	}
	var heavy actions
	for _, pk := range strings.Split("a b c d e f g h i j k", " ") {
		heavy = append(heavy, big(pk))
	}
	good := putAction("Hash", item{"pk": str("new")})
	refuse(t, seedPlain, []refusal{
		{"nothing", transactCall(), "", one + "Value null at 'transactItems' failed to satisfy constraint: Member must not be null"},
		{"empty", transactCall(actions{}...), "", one + "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"too many", transactCall(many...), "", one + "Value '[" + strings.TrimSuffix(strings.Repeat("TransactWriteItem, ", 101), ", ") +
			"]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"},
		{"token too long", func(ctx context.Context, db *memory.DB) error {
			_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions{good}, ClientRequestToken: aws.String(strings.Repeat("t", 37))})
			return err
		}, "", one + "Value at 'ClientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36"},
		{"joined constraints", transactCall(types.TransactWriteItem{Put: &types.Put{}}, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: hashTable, Key: keyA}}), "",
			"3 validation errors detected: Value null at 'transactItems.1.member.put.item' failed to satisfy constraint: Member must not be null; " +
				"Value null at 'transactItems.1.member.put.tableName' failed to satisfy constraint: Member must not be null; " +
				"Value null at 'transactItems.2.member.conditionCheck.conditionExpression' failed to satisfy constraint: Member must not be null"},
		{"two actions in one", transactCall(types.TransactWriteItem{Put: good.Put, Delete: &types.Delete{TableName: hashTable, Key: keyA}}), "",
			"TransactItems can only contain one of Check, Put, Update or Delete"},
		{"expression before table", transactCall(good, checkAction("Nowhere", keyA, "a = ")), "",
			`Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="`},
		{"unused name", transactCall(types.TransactWriteItem{Put: &types.Put{TableName: hashTable, Item: keyA, ConditionExpression: aws.String("attribute_exists(pk)"),
			ExpressionAttributeNames: map[string]string{"#x": "x"}}}), "", "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"},
		{"oversize put", transactCall(putAction("Nowhere", item{"pk": str(strings.Repeat("x", 400*1024))})), "", "Item size has exceeded the maximum allowed size"},
		{"payload", transactCall(heavy...), "", "Transaction payload size cannot exceed 4194304 bytes"},
		{"missing table", transactCall(good, putAction("Nowhere", keyA)), "ResourceNotFoundException", "Requested resource not found"},
		{"one item twice", transactCall(good, checkAction("Hash", item{"pk": str("new")}, "attribute_not_exists(pk)")), "",
			"Transaction request cannot include multiple operations on one item"},
		{"numbers are one key however written", transactCall(putAction("Both", item{"pk": str("b"), "sk": num("1")}), deleteAction("Both", item{"pk": str("b"), "sk": num("1.0")})), "",
			"Transaction request cannot include multiple operations on one item"},
		{"empty key", transactCall(good, putAction("Hash", item{"pk": str("")})), "",
			areNt + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"},
		{"empty index key", transactCall(good, putAction("Both", item{"pk": str("b"), "sk": num(1), "c": str("")})), "",
			areNt + "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: agsi, IndexKey: c"},
		{"update to an empty index key", transactCall(good, updateAction("Both", item{"pk": str("a"), "sk": num(1)}, "SET c = :v", item{":v": str("")})), "",
			areNt + "The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."},
	})
}

// TestTransactWriteCancellations holds the faults that cancel, with the reason
// of every action.
func TestTransactWriteCancellations(t *testing.T) {
	t.Parallel()
	const validation, condition, none = "ValidationError", "ConditionalCheckFailed", "None"
	failing := checkAction("Hash", keyA, "attribute_not_exists(pk)")
	failing.ConditionCheck.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	good := putAction("Hash", item{"pk": str("new")})
	tests := []struct {
		name  string
		list  actions
		codes []string
		texts []string // of the reasons that have one
	}{
		{"all false conditions are reported", actions{failing, good, putAction("Hash", item{"pk": str("b")}, "attribute_exists(pk)")},
			[]string{condition, none, condition}, []string{"The conditional request failed", "The conditional request failed"}},
		{"key of another kind hides conditions", actions{failing, putAction("Hash", item{"pk": num(1)}), putAction("Hash", item{"pk": num(2)})},
			[]string{none, validation, none}, []string{were + "Type mismatch for key pk expected: S actual: N"}},
		{"index key of another kind", actions{putAction("Both", item{"pk": str("b"), "sk": num(1), "c": num(1)}), good},
			[]string{validation, none}, []string{were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"}},
		{"update of an index key to another kind hides conditions", actions{failing, updateAction("Both", item{"pk": str("a"), "sk": num(1)}, "SET c = :v", item{":v": num(1)}, "attribute_not_exists(pk)")},
			[]string{none, validation}, []string{were + "Type mismatch for Index Key c Expected: S Actual: N IndexName: agsi"}},
		{"key that does not fit", actions{good, deleteAction("Hash", item{"pk": num(1)})},
			[]string{none, validation}, []string{"The provided key element does not match the schema"}},
		{"key attribute", actions{updateAction("Hash", keyA, "REMOVE pk", nil)},
			[]string{validation}, []string{were + "Cannot update attribute pk. This attribute is part of the key"}},
		{"update that cannot be done hides conditions", actions{failing, updateAction("Hash", item{"pk": str("b")}, "SET n = n + :one", item{":one": num(1)})},
			[]string{none, validation}, []string{"The provided expression refers to an attribute that does not exist in the item"}},
		{"its own condition comes first", actions{updateAction("Hash", item{"pk": str("b")}, "SET n = n + :one", item{":one": num(1)}, "attribute_exists(n)")},
			[]string{condition}, []string{"The conditional request failed"}},
		{"oversize update", actions{updateAction("Hash", keyA, "SET v = :v", item{":v": str(strings.Repeat("x", 400*1024-10))})},
			[]string{validation}, []string{"Item size to update has exceeded the maximum allowed size"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := newDB(t)
			seedPlain(t, db)
			before := look(t, db)
			_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: tt.list})
			cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
			if !ok {
				t.Fatalf("got %v, want a cancellation", err)
			}
			diff(t, "message", cancelled.ErrorMessage(),
				"Transaction cancelled, please refer cancellation reasons for specific reasons ["+strings.Join(tt.codes, ", ")+"]")
			var codes, texts []string
			for _, r := range cancelled.CancellationReasons {
				codes = append(codes, *r.Code)
				if r.Message != nil {
					texts = append(texts, *r.Message)
				}
			}
			diff(t, "codes", codes, tt.codes)
			diff(t, "messages", texts, tt.texts)
			if tt.codes[0] == condition && tt.list[0].ConditionCheck != nil {
				diff(t, "item of the first reason", cancelled.CancellationReasons[0].Item, get(t, db, "Hash", keyA))
			}
			wantUnchanged(t, db, before)
		})
	}
}

func TestTransactWriteAndGet(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	seedPlain(t, db)
	out, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity:      types.ReturnConsumedCapacityIndexes,
		ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize,
		TransactItems: actions{
			putAction("Hash", item{"pk": str("b"), "v": num(1)}, "attribute_not_exists(pk)"),
			updateAction("Both", item{"pk": str("a"), "sk": num(1)}, "SET c = :c", item{":c": str("moved")}),
			deleteAction("Hash", keyA),
			checkAction("Hash", item{"pk": str("none")}, "attribute_not_exists(pk)"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	capacity := func(units float64) *types.Capacity {
		return &types.Capacity{CapacityUnits: aws.Float64(units), WriteCapacityUnits: aws.Float64(units)}
	}
	diff(t, "capacity", out.ConsumedCapacity, []types.ConsumedCapacity{
		{TableName: hashTable, CapacityUnits: aws.Float64(6), WriteCapacityUnits: aws.Float64(6), Table: capacity(6)},
		{TableName: bothTable, CapacityUnits: aws.Float64(6), WriteCapacityUnits: aws.Float64(6), Table: capacity(2),
			GlobalSecondaryIndexes: map[string]types.Capacity{"gsi": *capacity(2), "agsi": *capacity(2)}},
	})
	if got := out.ItemCollectionMetrics; len(got) != 1 || len(got["Both"]) != 1 {
		t.Errorf("metrics are %v, want those of one collection of Both", got)
	}

	get := func(table string, key item, projection string) types.TransactGetItem {
		g := &types.Get{TableName: aws.String(table), Key: key}
		if projection != "" {
			g.ProjectionExpression = aws.String(projection)
		}
		return types.TransactGetItem{Get: g}
	}
	read, err := db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		TransactItems: []types.TransactGetItem{
			get("Hash", item{"pk": str("b")}, ""),
			get("Hash", keyA, ""),
			get("Both", item{"pk": str("a"), "sk": num(1)}, "c"),
			get("Both", item{"pk": str("a"), "sk": num(2)}, "c"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var items []item
	for _, r := range read.Responses {
		items = append(items, r.Item)
	}
	diff(t, "items in order, with gaps", items, []item{{"pk": str("b"), "v": num(1)}, nil, {"c": str("moved")}, nil})
	diff(t, "read capacity", read.ConsumedCapacity, []types.ConsumedCapacity{
		{TableName: hashTable, CapacityUnits: aws.Float64(4), ReadCapacityUnits: aws.Float64(4)},
		{TableName: bothTable, CapacityUnits: aws.Float64(4), ReadCapacityUnits: aws.Float64(4)},
	})
}

func TestTransactGetRefusals(t *testing.T) {
	t.Parallel()
	call := func(gets ...types.Get) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error {
			in := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{}}
			for i := range gets {
				in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &gets[i]})
			}
			_, err := db.TransactGetItems(ctx, in)
			return err
		}
	}
	good := types.Get{TableName: hashTable, Key: keyA}
	refuse(t, seedPlain, []refusal{
		{"empty", call(), "", one + "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"one item twice", call(good, good), "", "Transaction request cannot include multiple operations on one item"},
		{"missing table", call(good, types.Get{TableName: noTable, Key: keyA}), "ResourceNotFoundException", "Requested resource not found"},
		{"projection before table", call(types.Get{TableName: noTable, Key: keyA, ProjectionExpression: aws.String("a,")}), "",
			`Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","`},
		{"key that does not fit cancels", call(good, types.Get{TableName: hashTable, Key: item{}}), "TransactionCanceledException",
			"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]"},
	})
}

// TestTransactGetPayload checks that items which are too large together are not
// returned, and those just small enough are.
func TestTransactGetPayload(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Big", "pk:N"))
	in := &dynamodb.TransactGetItemsInput{}
	for i := range 11 {
		size := 400 * 1024
		if i == 10 {
			size = 96*1024 + 1 // with the ten before, one byte more than 4 MB
		}
		put(t, db, "Big", item{"pk": num(i + 1), "v": str(strings.Repeat("x", size-5))})
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: aws.String("Big"), Key: item{"pk": num(i + 1)}}})
	}
	_, err := db.TransactGetItems(t.Context(), in)
	wantRefusal(t, err, "", "Transaction payload size cannot exceed 4194304 bytes")
	put(t, db, "Big", item{"pk": num(11), "v": str(strings.Repeat("x", 96*1024-5))})
	if _, err := db.TransactGetItems(t.Context(), in); err != nil {
		t.Errorf("items of 4 MB: %v", err)
	}
}

// TestClientRequestToken checks what a token is good for, for how long, and that
// nothing of it is kept afterwards.
func TestClientRequestToken(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	db := newDB(t, memory.Clock(func() time.Time { return now }))
	seedPlain(t, db)
	count := func(token string, add int, condition ...string) (*dynamodb.TransactWriteItemsOutput, error) {
		return db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String(token), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			TransactItems: actions{updateAction("Hash", keyA, "ADD n :n", item{":n": num(add)}, condition...)},
		})
	}
	expect := func(n int) {
		t.Helper()
		if got := intOf(t, get(t, db, "Hash", keyA)["n"]); got != n {
			t.Errorf("n is %d, want %d", got, n)
		}
	}
	first, err := count("token", 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(2)
	diff(t, "capacity of the first call", first.ConsumedCapacity,
		[]types.ConsumedCapacity{{TableName: hashTable, CapacityUnits: aws.Float64(2), WriteCapacityUnits: aws.Float64(2)}})

	now = now.Add(10*time.Minute - time.Second)
	again, err := count("token", 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(2)
	diff(t, "capacity of the repetition", again.ConsumedCapacity,
		[]types.ConsumedCapacity{{TableName: hashTable, CapacityUnits: aws.Float64(2), ReadCapacityUnits: aws.Float64(2)}})
	if _, err := count("token", 2); !is[*types.IdempotentParameterMismatchException](err) {
		t.Errorf("another request with the token returned %v, want a mismatch", err)
	}
	expect(2)

	now = now.Add(time.Second)
	if _, err := count("token", 2); err != nil {
		t.Errorf("after ten minutes the token returned %v", err)
	}
	expect(4)

	if _, err := count("failing", 1, "attribute_not_exists(pk)"); !is[*types.TransactionCanceledException](err) {
		t.Errorf("got %v, want a cancellation", err)
	}
	if _, err := count("failing", 5); err != nil {
		t.Errorf("the token of a cancelled transaction returned %v", err)
	}
	expect(9)
}
