package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestMatches makes a series of calls and marks those that are struck.
func TestMatches(t *testing.T) {
	t.Parallel()
	calls := []dbCall{
		readCall("Orders", "a"), addCall("Orders", "a"), readCall("Stock", "a"), addCall("Stock", "b"),
		readCall("Orders", "b"), addCall("Orders", "b"), transactCall(putAction("Stock", keyOf("z")), deleteAction("Orders", keyOf("a"))),
		queryCall(dynamodb.QueryInput{TableName: aws.String("Orders"), KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: item{":a": str("a")}}),
	}
	tests := []struct {
		name string
		when []memory.Match
		want string
	}{
		{"no match", nil, "xxxxxxxx"},
		{"operation", []memory.Match{memory.OnOperation("UpdateItem")}, ".x.x.x.."},
		{"operations", []memory.Match{memory.OnOperation("UpdateItem", "Query")}, ".x.x.x.x"},
		{"unknown operation", []memory.Match{memory.OnOperation("updateItem")}, "........"},
		{"table", []memory.Match{memory.OnTable("Stock")}, "..xx..x."},
		{"tables", []memory.Match{memory.OnTable("Stock", "Orders")}, "xxxxxxxx"},
		{"item", []memory.Match{memory.OnItem("Orders", keyOf("a"))}, "xx....x."},
		{"item of no table", []memory.Match{memory.OnItem("Nowhere", keyOf("a"))}, "........"},
		{"faulty key", []memory.Match{memory.OnItem("Orders", item{"pk": nil})}, "........"},
		{"operation and table", []memory.Match{memory.OnOperation("UpdateItem"), memory.OnTable("Orders")}, ".x...x.."},
		{"one call", []memory.Match{memory.OnCall(3)}, "..x....."},
		{"some calls", []memory.Match{memory.OnCall(1, 8)}, "x......x"},
		{"first calls", []memory.Match{memory.FirstCalls(2)}, "xx......"},
		{"second update", []memory.Match{memory.OnOperation("UpdateItem"), memory.OnCall(2)}, "...x...."},
		{"second call if an update", []memory.Match{memory.OnCall(2), memory.OnOperation("UpdateItem")}, ".x......"},
		{"every third", []memory.Match{memory.EveryCall(3)}, "..x..x.."},
		{"every one", []memory.Match{memory.EveryCall(0)}, "xxxxxxxx"},
		{"one in one", []memory.Match{memory.OneIn(1, 7)}, "xxxxxxxx"},
		{"own", []memory.Match{func(c *memory.Call) bool { in, ok := c.Input.(*dynamodb.QueryInput); return ok && in.IndexName == nil }}, ".......x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t)
			struck := errors.New("struck")
			defer db.Inject(memory.FailBefore(struck), tt.when...)()
			got := ""
			for _, call := range calls {
				switch err := call(t.Context(), db); {
				case err == struck:
					got += "x"
				case err != nil:
					t.Fatal(err)
				default:
					got += "."
				}
			}
			if got != tt.want {
				t.Errorf("struck %s, want %s", got, tt.want)
			}
		})
	}
}

// TestOneIn: the calls struck depend on the seed alone, and about one in n is.
func TestOneIn(t *testing.T) {
	t.Parallel()
	pattern := func(seed uint64) (string, int) {
		db := faultDB(t)
		defer db.Inject(memory.FailBefore(errors.New("struck")), memory.OneIn(5, seed))()
		var marks strings.Builder
		n := 0
		for range 1000 {
			if readCall("Orders", "a")(t.Context(), db) != nil {
				n++
				marks.WriteByte('x')
				continue
			}
			marks.WriteByte('.')
		}
		return marks.String(), n
	}
	first, n := pattern(1)
	if again, _ := pattern(1); again != first {
		t.Error("equal seeds strike other calls")
	}
	if other, _ := pattern(2); other == first {
		t.Error("another seed strikes the same calls")
	}
	if n < 150 || n > 250 {
		t.Errorf("%d of 1000 calls are struck, want about 200", n)
	}
}

// TestCallsAsSeen pins what a match is shown of each operation.
func TestCallsAsSeen(t *testing.T) {
	t.Parallel()
	arn := aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/Orders")
	tests := []struct {
		call dbCall
		want string
	}{
		{itemCalls("Orders")["PutItem"], "PutItem [Orders] Orders:c"},
		{itemCalls("Orders")["UpdateItem"], "UpdateItem [Orders] Orders:a"},
		{itemCalls("Orders")["DeleteItem"], "DeleteItem [Orders] Orders:a"},
		{itemCalls("Orders")["GetItem"], "GetItem [Orders] Orders:a"},
		{itemCalls("Orders")["Query"], "Query [Orders]"},
		{itemCalls("Orders")["Scan"], "Scan [Orders]"},
		{readBatchCall(map[string][]string{"Stock": {"b", "a"}, "Orders": {"b"}}), "BatchGetItem [Orders Stock] Orders:b Stock:b Stock:a"},
		{itemCalls("Stock")["BatchWriteItem"], "BatchWriteItem [Stock] Stock:c Stock:a"},
		{transactGetCall(getAction("Stock", "a"), getAction("Orders", "a"), getAction("Stock", "b")), "TransactGetItems [Stock Orders] Stock:a Orders:a Stock:b"},
		{transactCall(checkAction("Stock", keyOf("a"), "attribute_exists(pk)"), putAction("Orders", keyOf("p")),
			updateAction("Orders", keyOf("u"), "SET n = :n", item{":n": num(1)}), deleteAction("Stock", keyOf("d"))),
			"TransactWriteItems [Stock Orders] Stock:a Orders:p Orders:u Stock:d"},
		{getCall(dynamodb.GetItemInput{TableName: arn, Key: keyOf("a")}), "GetItem [Orders] Orders:a"},
		{createCall(define("New", "pk:S")), "CreateTable [New]"},
		{func(ctx context.Context, db *memory.DB) error {
			_, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: arn})
			return err
		}, "DescribeTable [Orders]"},
		{func(ctx context.Context, db *memory.DB) error { _, err := db.ListTables(ctx, nil); return err }, "ListTables []"},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t)
			got := ""
			defer db.Inject(memory.Fault{}, func(c *memory.Call) bool {
				got = fmt.Sprint(c.Operation, " ", c.Tables)
				for _, target := range c.Targets {
					got += " " + target.Table + ":" + target.Key["pk"].(*types.AttributeValueMemberS).Value
				}
				if c.Input == nil {
					t.Error("the request is not shown")
				}
				return true
			})()
			if err := tt.call(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("saw %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFaultsSeeValidCalls: what is refused anyway is neither struck nor counted.
func TestFaultsSeeValidCalls(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.Throttle(), memory.FirstCalls(1))()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := readCall("Orders", "a")(ended, db); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
	for name, call := range map[string]dbCall{
		"a missing table":      readCall("Nowhere", "a"),
		"a missing parameter":  getCall(dynamodb.GetItemInput{TableName: aws.String("Orders")}),
		"an invalid condition": deleteCall(dynamodb.DeleteItemInput{TableName: aws.String("Orders"), Key: keyOf("a"), ConditionExpression: aws.String("n >")}),
	} {
		if err := call(t.Context(), db); err == nil || is[*types.ThrottlingException](err) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if err := readCall("Orders", "a")(t.Context(), db); !is[*types.ThrottlingException](err) {
		t.Errorf("the first valid call gives %v, want it throttled", err)
	}
	wantError(t, "the second", readCall("Orders", "a")(t.Context(), db), "none")
}

// TestStop: a fault ends when it is stopped, others do not, and stopping twice
// does nothing.
func TestStop(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	first, second := errors.New("first"), errors.New("second")
	fault := memory.FailBefore(first)
	stop := db.Inject(fault)
	same := db.Inject(fault)
	other := db.Inject(memory.FailBefore(second))
	call := readCall("Orders", "a")
	wantError(t, "all", call(t.Context(), db), "first")
	stop()
	stop()
	wantError(t, "the equal one and another", call(t.Context(), db), "first")
	same()
	wantError(t, "the other", call(t.Context(), db), "second")
	other()
	wantError(t, "none", call(t.Context(), db), "none")
}

// TestStopFromMatch: a match may stop faults, and others are asked all the same.
func TestStopFromMatch(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	struck := errors.New("struck")
	var stop func()
	stop = db.Inject(memory.Fault{}, func(*memory.Call) bool { stop(); return true })
	defer db.Inject(memory.FailBefore(struck))()
	defer db.Inject(memory.FailBefore(errors.New("another")))()
	for range 2 {
		wantError(t, "the call", readCall("Orders", "a")(t.Context(), db), "struck")
	}
}

// TestFaultsAddUp: refusals come before lost replies, and unprocessed elements of
// several faults are left undone together.
func TestFaultsAddUp(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	before := contents(db)
	db.Inject(memory.LoseReply(), memory.OnOperation("UpdateItem"))
	db.Inject(memory.Conflict())
	db.Inject(memory.Throttle(), memory.OnOperation("UpdateItem"))
	wantError(t, "the update", addCall("Orders", "a")(t.Context(), db), "TransactionConflictException: Transaction is ongoing for the item")
	diff(t, "the tables", contents(db), before)
	db.Inject(memory.UnprocessedIf(memory.IsItem("Orders", keyOf("a"))))
	db.Inject(memory.UnprocessedIf(memory.IsItem("Orders", keyOf("b"))))
	out, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"Orders": {Keys: []item{keyOf("a"), keyOf("b"), keyOf("c")}}}})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "the keys left", out.UnprocessedKeys["Orders"].Keys, []item{keyOf("a"), keyOf("b")})
}

// TestFaultsInParallel: counts are exact however many calls run at once, and
// faults come and go meanwhile.
func TestFaultsInParallel(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.LoseReply(), memory.OnOperation("UpdateItem"), memory.FirstCalls(30))()
	var lost atomic.Int32
	together(8, func(i int) {
		for range 25 {
			stop := db.Inject(memory.Throttle(), memory.OnTable("Stock"))
			if err := readCall("Stock", "a")(t.Context(), db); !is[*types.ProvisionedThroughputExceededException](err) {
				t.Errorf("goroutine %d: got %v, want it throttled", i, err)
			}
			stop()
			if err := addCall("Orders", "a")(t.Context(), db); err != nil {
				lost.Add(1)
			}
		}
	})
	if got := lost.Load(); got != 30 {
		t.Errorf("%d replies are lost, want 30", got)
	}
	if got := intOf(t, get(t, db, "Orders", keyOf("a"))["n"]); got != 1+200*10 {
		t.Errorf("n is %d, want %d: every update is done once", got, 1+200*10)
	}
}
