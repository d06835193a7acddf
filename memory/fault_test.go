package memory_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// faultDB has the on-demand table Orders with a global index, and the
// provisioned table Stock, each with the items "a" and "b".
func faultDB(t testing.TB, opts ...memory.Option) *memory.DB {
	t.Helper()
	db := newDB(t, opts...)
	create(t, db, withGSI(define("Orders", "pk:S"), "byStatus", []string{"status:S"}, nil))
	create(t, db, provision(define("Stock", "pk:S")))
	for _, table := range []string{"Orders", "Stock"} {
		put(t, db, table, item{"pk": str("a"), "n": num(1), "status": str("OPEN")}, item{"pk": str("b"), "n": num(2), "status": str("OPEN")})
	}
	return db
}

// contents prints both tables, which no fault can keep from it.
func contents(db *memory.DB) string { return db.Dump("Orders") + db.Dump("Stock") }

type dbCall = func(ctx context.Context, db *memory.DB) error

func keyOf(pk string) item { return item{"pk": str(pk)} }

func addCall(table, pk string) dbCall {
	return updateCall(dynamodb.UpdateItemInput{TableName: aws.String(table), Key: keyOf(pk),
		UpdateExpression: aws.String("ADD n :n"), ExpressionAttributeValues: item{":n": num(10)}})
}

func readCall(table, pk string) dbCall {
	return getCall(dynamodb.GetItemInput{TableName: aws.String(table), Key: keyOf(pk)})
}

func readBatchCall(keys map[string][]string) dbCall {
	in := dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}
	for table, pks := range keys {
		var k types.KeysAndAttributes
		for _, pk := range pks {
			k.Keys = append(k.Keys, keyOf(pk))
		}
		in.RequestItems[table] = k
	}
	return batchGetCall(in)
}

func getAction(table, pk string) types.TransactGetItem {
	return types.TransactGetItem{Get: &types.Get{TableName: aws.String(table), Key: keyOf(pk)}}
}

func transactGetCall(list ...types.TransactGetItem) dbCall {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: list})
		return err
	}
}

// itemCalls are one call of each operation on items of a table.
func itemCalls(table string) map[string]dbCall {
	name := aws.String(table)
	return map[string]dbCall{
		"PutItem":            putCall(dynamodb.PutItemInput{TableName: name, Item: item{"pk": str("c")}}),
		"UpdateItem":         addCall(table, "a"),
		"DeleteItem":         deleteCall(dynamodb.DeleteItemInput{TableName: name, Key: keyOf("a")}),
		"GetItem":            readCall(table, "a"),
		"Query":              queryCall(dynamodb.QueryInput{TableName: name, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: item{":a": str("a")}}),
		"Scan":               scanCall(dynamodb.ScanInput{TableName: name}),
		"BatchGetItem":       readBatchCall(map[string][]string{table: {"a", "b"}}),
		"BatchWriteItem":     batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: {putRequest(keyOf("c")), deleteRequest(keyOf("a"))}}}),
		"TransactGetItems":   transactGetCall(getAction(table, "a"), getAction(table, "b")),
		"TransactWriteItems": transactCall(putAction(table, keyOf("c")), deleteAction(table, keyOf("a"))),
	}
}

// describeError prints an error with all it carries.
func describeError(err error) string {
	if err == nil {
		return "none"
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return err.Error()
	}
	text := api.ErrorCode() + ": " + api.ErrorMessage()
	var reasons []types.ThrottlingReason
	switch e := api.(type) {
	case *types.ProvisionedThroughputExceededException:
		reasons = e.ThrottlingReasons
	case *types.ThrottlingException:
		reasons = e.ThrottlingReasons
	case *types.TransactionCanceledException:
		for _, r := range e.CancellationReasons {
			text += "\n" + *r.Code + ": " + aws.ToString(r.Message)
		}
	}
	for _, r := range reasons {
		text += "\n" + *r.Reason + " " + *r.Resource
	}
	return text
}

func wantError(t testing.TB, what string, got error, want string) {
	t.Helper()
	if d := cmp.Diff(want, describeError(got)); d != "" {
		t.Errorf("the error of %s differs (-want +got):\n%s", what, d)
	}
}

// Texts of the service.
const (
	provisionedTable = "ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."
	provisionedIndex = "ProvisionedThroughputExceededException: The level of configured provisioned throughput for one or more global secondary indexes " +
		"of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API."
	onDemandTable = "ThrottlingException: Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table " +
		"or index so please try again shortly. If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."
	onDemandIndex = "ThrottlingException: Throughput exceeds the current capacity for one or more global secondary indexes. " +
		"DynamoDB is automatically scaling your index so please try again shortly."
	cancelled = "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons "
	arns      = " arn:aws:dynamodb:us-east-1:000000000000:table/"
)

// reason cuts the exception's name off its text, as cancellation reasons show it.
func reason(code, exception string) string {
	_, text, _ := strings.Cut(exception, ": ")
	return "\n" + code + ": " + text
}

// TestThrottle gives the error of every operation on items, on tables of both
// billing modes; nothing is written.
func TestThrottle(t *testing.T) {
	t.Parallel()
	reads := map[string]bool{"GetItem": true, "Query": true, "Scan": true, "BatchGetItem": true, "TransactGetItems": true}
	for _, table := range []string{"Orders", "Stock"} {
		for name, call := range itemCalls(table) {
			t.Run(name+" of "+table, func(t *testing.T) {
				t.Parallel()
				db := faultDB(t)
				before := contents(db)
				defer db.Inject(memory.Throttle())()
				how := "Write"
				if reads[name] {
					how = "Read"
				}
				var want string
				switch transaction := strings.HasPrefix(name, "Transact"); {
				case transaction && table == "Orders":
					want = cancelled + "[ThrottlingError, None]" + reason("ThrottlingError", onDemandTable) + "\nNone: "
				case transaction:
					want = cancelled + "[ProvisionedThroughputExceeded, None]" + reason("ProvisionedThroughputExceeded", provisionedTable) + "\nNone: "
				case table == "Orders":
					want = onDemandTable + "\nTable" + how + "KeyRangeThroughputExceeded" + arns + table
				default:
					want = provisionedTable + "\nTable" + how + "ProvisionedThroughputExceeded" + arns + table
				}
				wantError(t, name, call(t.Context(), db), want)
				diff(t, "the tables", contents(db), before)
			})
		}
	}
}

// TestThrottleOfIndexesAndTables: a global index that is read is named, a local one
// is its table, and what is no operation on items goes through.
func TestThrottleOfIndexesAndTables(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.Throttle())()
	scan := scanCall(dynamodb.ScanInput{TableName: aws.String("Orders"), IndexName: aws.String("byStatus")})
	wantError(t, "a Scan of an index", scan(t.Context(), db),
		onDemandTable+"\nIndexReadKeyRangeThroughputExceeded"+arns+"Orders/index/byStatus")
	create(t, db, withLSI(define("More", "pk:S", "sk:S"), "local", "at:S"))
	scan = scanCall(dynamodb.ScanInput{TableName: aws.String("More"), IndexName: aws.String("local")})
	wantError(t, "a Scan of a local index", scan(t.Context(), db), onDemandTable+"\nTableReadKeyRangeThroughputExceeded"+arns+"More")
	describeTable(t, db, "More")
}

// TestConflict gives the errors of writes and transactions; what cannot conflict
// goes through.
func TestConflict(t *testing.T) {
	t.Parallel()
	const conflict = "TransactionConflictException: Transaction is ongoing for the item"
	const first = cancelled + "[TransactionConflict, None]\nTransactionConflict: Transaction is ongoing for the item\nNone: "
	want := map[string]string{
		"PutItem": conflict, "UpdateItem": conflict, "DeleteItem": conflict, "TransactGetItems": first, "TransactWriteItems": first,
		"GetItem": "none", "Query": "none", "Scan": "none", "BatchGetItem": "none", "BatchWriteItem": "none",
	}
	for name, call := range itemCalls("Orders") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t)
			before := contents(db)
			defer db.Inject(memory.Conflict())()
			wantError(t, name, call(t.Context(), db), want[name])
			if want[name] != "none" {
				diff(t, "the tables", contents(db), before)
			}
		})
	}
}

// TestConflictOnItems: only calls with a chosen item are struck, and of a
// transaction every action on one.
func TestConflictOnItems(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.ConflictIf(memory.IsItem("Orders", keyOf("b"))))()
	tests := []struct {
		name string
		call dbCall
		want string
	}{
		{"another item", addCall("Orders", "a"), "none"},
		{"the same key in another table", addCall("Stock", "b"), "none"},
		{"the item", addCall("Orders", "b"), "TransactionConflictException: Transaction is ongoing for the item"},
		{"a transaction without it", transactCall(deleteAction("Orders", keyOf("x"))), "none"},
		{"a transaction with it", transactCall(deleteAction("Orders", keyOf("x")), putAction("Orders", keyOf("b"))),
			cancelled + "[None, TransactionConflict]\nNone: \nTransactionConflict: Transaction is ongoing for the item"},
	}
	for _, tt := range tests {
		wantError(t, tt.name, tt.call(t.Context(), db), tt.want)
	}
}

// TestLoseReply: every write is done though its reply is not seen.
func TestLoseReply(t *testing.T) {
	t.Parallel()
	for name, call := range itemCalls("Orders") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quiet, struck := faultDB(t), faultDB(t)
			if err := call(t.Context(), quiet); err != nil {
				t.Fatal(err)
			}
			stop := struck.Inject(memory.LoseReply())
			wantError(t, name, call(t.Context(), struck), "InternalServerError: Internal server error")
			stop()
			diff(t, "the tables", contents(struck), contents(quiet))
		})
	}
}

// TestLoseReplyOfTransaction: the retry with the same token succeeds and does
// nothing again; without a token it is done twice.
func TestLoseReplyOfTransaction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		token *string
		want  int
	}{{"with a token", aws.String("token"), 11}, {"without a token", nil, 21}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t)
			defer db.Inject(memory.LoseReply(), memory.FirstCalls(1))()
			in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: tt.token, TransactItems: []types.TransactWriteItem{
				updateAction("Orders", keyOf("a"), "ADD n :n", item{":n": num(10)}),
			}}
			if _, err := db.TransactWriteItems(t.Context(), in); !is[*types.InternalServerError](err) {
				t.Fatalf("the first call returns %v, want an InternalServerError", err)
			}
			if _, err := db.TransactWriteItems(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if got := intOf(t, get(t, db, "Orders", keyOf("a"))["n"]); got != tt.want {
				t.Errorf("n is %d, want %d", got, tt.want)
			}
		})
	}
}

// TestLoseReplyHidesFailures: whoever does not get the reply does not learn that
// the condition failed.
func TestLoseReplyHidesFailures(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.LoseReply())()
	call := putCall(dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: keyOf("a"), ConditionExpression: aws.String("attribute_not_exists(pk)")})
	wantError(t, "the put", call(t.Context(), db), "InternalServerError: Internal server error")
}

// TestFailBeforeAndAfter: errors come back as they were given, before or after
// the write.
func TestFailBeforeAndAfter(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset by peer")
	for _, tt := range []struct {
		name  string
		fault memory.Fault
		want  int
	}{{"before", memory.FailBefore(broken), 1}, {"after", memory.FailAfter(broken), 11}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t)
			stop := db.Inject(tt.fault)
			if err := addCall("Orders", "a")(t.Context(), db); err != broken {
				t.Errorf("got %v, want the error injected", err)
			}
			stop()
			if got := intOf(t, get(t, db, "Orders", keyOf("a"))["n"]); got != tt.want {
				t.Errorf("n is %d, want %d", got, tt.want)
			}
		})
	}
}

// TestFaultsOnTables: operations on tables fail as well.
func TestFaultsOnTables(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	busy := &types.LimitExceededException{Message: aws.String("too many")}
	defer db.Inject(memory.FailBefore(busy), memory.OnOperation("CreateTable", "DeleteTable"), memory.OnTable("New", "Stock"))()
	wantError(t, "making it", createCall(define("New", "pk:S"))(t.Context(), db), "LimitExceededException: too many")
	create(t, db, define("Other", "pk:S"))
	_, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("Stock")})
	wantError(t, "deleting it", err, "LimitExceededException: too many")
	describeTable(t, db, "Stock")
}

// TestDelay: delays add up, on the sleeper that the test gives, and come before
// the call.
func TestDelay(t *testing.T) {
	t.Parallel()
	var slept []time.Duration
	var before string
	var db *memory.DB
	db = faultDB(t, memory.Sleeper(func(ctx context.Context, d time.Duration) error {
		slept = append(slept, d)
		before = contents(db)
		return ctx.Err()
	}))
	untouched := contents(db)
	db.Inject(memory.Delay(time.Second), memory.OnOperation("UpdateItem"))
	stop := db.Inject(memory.Delay(2 * time.Second))
	wantError(t, "the update", addCall("Orders", "a")(t.Context(), db), "none")
	wantError(t, "the get", readCall("Orders", "a")(t.Context(), db), "none")
	stop()
	wantError(t, "the get without delay", readCall("Orders", "a")(t.Context(), db), "none")
	diff(t, "the pauses", slept, []time.Duration{3 * time.Second, 2 * time.Second})
	if before == untouched {
		t.Error("the update was not done before the get")
	}
}

// TestDelayEndsWithContext: a call that is cancelled while it waits has done
// nothing, whether or not the sleeper says so.
func TestDelayEndsWithContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
	}{{"the sleeper reports it", context.Canceled}, {"the sleeper is silent", nil}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			db := faultDB(t, memory.Sleeper(func(context.Context, time.Duration) error {
				cancel()
				return tt.err
			}))
			before := contents(db)
			defer db.Inject(memory.Delay(time.Second), memory.OnOperation("UpdateItem"))()
			if err := addCall("Orders", "a")(ctx, db); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the context's error", err)
			}
			diff(t, "the tables", contents(db), before)
		})
	}
}

// TestDelayReallyWaits does so in the time of a bubble.
func TestDelayReallyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := faultDB(t)
		defer db.Inject(memory.Delay(time.Minute))()
		start := time.Now()
		wantError(t, "the get", readCall("Orders", "a")(t.Context(), db), "none")
		if got := time.Since(start); got != time.Minute {
			t.Errorf("the call took %v, want a minute", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := readCall("Orders", "a")(ctx, db); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		if got := time.Since(start); got != time.Minute+time.Second {
			t.Errorf("the calls took %v together, want a minute and a second", got)
		}
	})
}

// TestMeanwhile: what happens meanwhile comes before the call does anything, and
// is seen by it, even if it locks the same items.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	old := intOf(t, get(t, db, "Orders", keyOf("a"))["n"])
	calls := 0
	defer db.Inject(memory.Meanwhile(func() {
		calls++
		wantError(t, "the update in between", addCall("Orders", "a")(t.Context(), db), "none")
	}), memory.OnOperation("GetItem", "TransactWriteItems"), memory.FirstCalls(2))()
	if got := intOf(t, get(t, db, "Orders", keyOf("a"))["n"]); got != old+10 || calls != 1 {
		t.Errorf("n is %d after %d calls in between, want %d after one", got, calls, old+10)
	}
	wantError(t, "the transaction", transactCall(putAction("Stock", keyOf("b")))(t.Context(), db), "none")
	if got := intOf(t, get(t, db, "Orders", keyOf("a"))["n"]); got != old+20 || calls != 2 {
		t.Errorf("n is %d after %d calls in between, want %d after two", got, calls, old+20)
	}
}
