package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// until makes calls until one fails, and returns how many succeeded.
func until(t testing.TB, db *memory.DB, call dbCall) (int, error) {
	t.Helper()
	for n := range 100_000 {
		if err := call(t.Context(), db); err != nil {
			return n, err
		}
	}
	t.Fatal("nothing fails")
	return 0, nil
}

// replace is a put of an item of so many bytes, at least 100.
func replaceCall(table, pk string, bytes int, more item) dbCall {
	it := item{"pk": str(pk)}
	for k, v := range more {
		it[k] = v
		bytes -= len(k) + len(v.(*types.AttributeValueMemberS).Value)
	}
	it["v"] = str(strings.Repeat("x", bytes-len("pk")-len(pk)-len("v")))
	return putCall(dynamodb.PutItemInput{TableName: aws.String(table), Item: it})
}

func provisioned(in *dynamodb.CreateTableInput, read, write int64) *dynamodb.CreateTableInput {
	in.BillingMode = types.BillingModeProvisioned
	in.ProvisionedThroughput = throughput(read, write)
	for i := range in.GlobalSecondaryIndexes {
		in.GlobalSecondaryIndexes[i].ProvisionedThroughput = throughput(read, write)
	}
	return in
}

// TestPartitionThroughput: a partition of an on-demand table serves 1,000 write
// units and 3,000 read units a second, reads and writes apart, and is as good as
// new a second later.
func TestPartitionThroughput(t *testing.T) {
	t.Parallel()
	strong := getCall(dynamodb.GetItemInput{TableName: aws.String("Hot"), Key: keyOf("a"), ConsistentRead: aws.Bool(true)})
	tests := []struct {
		name string
		call dbCall
		want int
		how  string
	}{
		{"writes of 1 KB", replaceCall("Hot", "a", 1024, nil), 1000, "Write"},
		{"writes of 3 KB", replaceCall("Hot", "a", 3000, nil), 334, "Write"}, // the last one overdraws
		{"eventually consistent reads", readCall("Hot", "a"), 6000, "Read"},
		{"consistent reads", strong, 3000, "Read"},
		{"reads of nothing", readCall("Hot", "none"), 6000, "Read"},
		{"transactions that write", transactCall(putAction("Hot", keyOf("a"))), 500, "Write"},
		{"transactions that read", transactGetCall(getAction("Hot", "a")), 1500, "Read"},
		{"deletes of nothing", deleteCall(dynamodb.DeleteItemInput{TableName: aws.String("Hot"), Key: keyOf("a")}), 1000, "Write"},
		{"queries", queryCall(dynamodb.QueryInput{TableName: aws.String("Hot"), KeyConditionExpression: aws.String("pk = :a"),
			ExpressionAttributeValues: item{":a": str("a")}}), 6000, "Read"},
		{"scans", scanCall(dynamodb.ScanInput{TableName: aws.String("Hot")}), 6000, "Read"},
		{"batches that write", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hot": {putRequest(keyOf("a"))}}}), 1000, "Write"},
		{"batches that read", readBatchCall(map[string][]string{"Hot": {"a"}}), 6000, "Read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db, c := newTimedDB(t, memory.Throttling(), memory.Partitions(1))
			create(t, db, define("Hot", "pk:S"))
			want := onDemandTable + "\nTable" + tt.how + "KeyRangeThroughputExceeded" + arns + "Hot"
			if strings.HasPrefix(tt.name, "transactions") {
				want = cancelled + "[ThrottlingError]" + reason("ThrottlingError", onDemandTable)
			}
			for range 2 {
				got, err := until(t, db, tt.call)
				if got != tt.want {
					t.Errorf("%d calls succeed, want %d", got, tt.want)
				}
				wantError(t, "the next", err, want)
				c.advance(2 * time.Second) // one more pays what was overdrawn
			}
		})
	}
}

// TestThroughputComesBack: capacity returns in step with the clock, and an
// overdraft is paid first.
func TestThroughputComesBack(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling(), memory.Partitions(1))
	create(t, db, define("Hot", "pk:S"))
	call := replaceCall("Hot", "a", 1024, nil)
	until(t, db, call)
	for _, step := range []struct {
		wait time.Duration
		want int
	}{
		{0, 0}, {time.Millisecond - 1, 1}, {1, 0}, {10 * time.Millisecond, 10}, {time.Second / 2, 500}, {time.Hour, 1000}, {-time.Hour, 0},
	} {
		c.advance(step.wait)
		if got, _ := until(t, db, call); got != step.want {
			t.Errorf("%d writes succeed after %v, want %d", got, step.wait, step.want)
		}
	}
}

// TestPartitionsServeApart: each partition has its own throughput, so that keys
// in others are served while one is hot.
func TestPartitionsServeApart(t *testing.T) {
	t.Parallel()
	db, _ := newTimedDB(t, memory.Throttling(), memory.Partitions(4))
	create(t, db, define("Hot", "pk:S"))
	until(t, db, replaceCall("Hot", "hot", 1024, nil))
	served := 0
	for _, pk := range strings.Split("a b c d e f g h i j k l m n o p", " ") {
		if replaceCall("Hot", pk, 1024, nil)(t.Context(), db) == nil {
			served++
		}
	}
	if served < 8 || served == 16 {
		t.Errorf("%d of 16 other keys are served, want those in three of four partitions", served)
	}
}

// TestProvisionedThroughput: a table serves what it is provisioned with, may use
// what it has not used for up to 300 seconds, and is told of changes.
func TestProvisionedThroughput(t *testing.T) {
	t.Parallel()
	const (
		write = provisionedTable + "\nTableWriteProvisionedThroughputExceeded" + arns + "Small"
		read  = provisionedTable + "\nTableReadProvisionedThroughputExceeded" + arns + "Small"
	)
	db, c := newTimedDB(t, memory.Throttling())
	create(t, db, provisioned(define("Small", "pk:S"), 5, 2))
	writing, reading := replaceCall("Small", "a", 1024, nil), readCall("Small", "a")
	serves := func(name string, call dbCall, want int, text string) {
		t.Helper()
		got, err := until(t, db, call)
		if got != want {
			t.Errorf("%s: %d calls succeed, want %d", name, got, want)
		}
		wantError(t, name, err, text)
	}
	serves("writes of a new table", writing, 2, write)
	serves("reads of a new table", reading, 10, read)
	c.advance(10 * time.Second)
	serves("writes after ten seconds", writing, 20, write)
	c.advance(time.Hour)
	serves("writes after an hour", writing, 300*2, write)
	serves("reads after an hour", reading, 300*5*2, read)
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Small"), ProvisionedThroughput: throughput(5, 100)})
	serves("writes after a change", writing, 0, write)
	c.advance(time.Second)
	serves("writes with more", writing, 100, write)
	c.advance(time.Hour)
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Small"), ProvisionedThroughput: throughput(5, 1)})
	serves("writes with less", writing, 300, write)
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Small"), BillingMode: types.BillingModePayPerRequest})
	serves("writes on demand", writing, 1000-300, onDemandTable+"\nTableWriteKeyRangeThroughputExceeded"+arns+"Small")
}

// TestAllLimitsAreNamed: where several limits stand against a request, the error
// names each once, and it counts as one refusal.
func TestAllLimitsAreNamed(t *testing.T) {
	t.Parallel()
	db, _ := newTimedDB(t, memory.Throttling(), memory.TrackHeat(1), memory.Partitions(1))
	create(t, db, provisioned(withGSI(define("Dry", "pk:S"), "gsi", []string{"g:S"}, nil), 1000, 1000))
	n := 0
	_, err := until(t, db, func(ctx context.Context, db *memory.DB) error {
		n++
		return replaceCall("Dry", "a", 100+n%2, item{"g": str("g")})(ctx, db)
	})
	wantError(t, "the write", err, provisionedTable+"\nTableWriteProvisionedThroughputExceeded"+arns+"Dry"+
		"\nTableWriteKeyRangeThroughputExceeded"+arns+"Dry\nIndexWriteProvisionedThroughputExceeded"+arns+"Dry/index/gsi"+
		"\nIndexWriteKeyRangeThroughputExceeded"+arns+"Dry/index/gsi")
	h := db.Heat("Dry")
	if h.Total.Throttled != 1 || h.Indexes[0].Total.Throttled != 1 || h.Total.Requests != 1000 {
		t.Errorf("the table counts %+v, the index %+v", h.Total, h.Indexes[0].Total)
	}
	err = batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Dry": {putRequest(keyOf("a")), putRequest(keyOf("b"))}}})(t.Context(), db)
	wantError(t, "the batch", err, provisionedTable+"\nTableWriteProvisionedThroughputExceeded"+arns+"Dry\nTableWriteKeyRangeThroughputExceeded"+arns+"Dry"+
		"\nIndexWriteProvisionedThroughputExceeded"+arns+"Dry/index/gsi\nIndexWriteKeyRangeThroughputExceeded"+arns+"Dry/index/gsi")
}

// TestMaximumThroughput: an on-demand table with a maximum serves that, and says
// so.
func TestMaximumThroughput(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling())
	in := define("Capped", "pk:S")
	in.OnDemandThroughput = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(7)}
	create(t, db, in)
	for range 2 {
		got, err := until(t, db, replaceCall("Capped", "a", 1024, nil))
		if got != 7 {
			t.Errorf("%d writes succeed, want 7", got)
		}
		wantError(t, "the next", err, onDemandTable+"\nTableWriteMaxOnDemandThroughputExceeded"+arns+"Capped")
		c.advance(time.Hour)
	}
	if got, _ := until(t, db, readCall("Capped", "a")); got != 6000 {
		t.Errorf("%d reads succeed, want those of a partition", got)
	}
}

// TestIndexBackPressure: a write is refused when an index that it changes has
// nothing left, and only then.
func TestIndexBackPressure(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling(), memory.Partitions(16))
	in := withGSI(define("Posts", "pk:S"), "byState", []string{"state:S"}, nil)
	create(t, db, in)
	// Items spread over the table; their entries all are in one partition.
	n := 0
	posting := func(state string) dbCall {
		n++
		return replaceCall("Posts", strings.Repeat("p", 1+n%97)+string(rune('a'+n%26)), 200, item{"state": str(state)})
	}
	served := 0
	for posting("OPEN")(t.Context(), db) == nil {
		served++
	}
	if served < 900 || served > 1000+97*26 {
		t.Errorf("%d writes succeed", served)
	}
	err := replaceCall("Posts", "new", 200, item{"state": str("OPEN")})(t.Context(), db)
	wantError(t, "the next", err, onDemandIndex+"\nIndexWriteKeyRangeThroughputExceeded"+arns+"Posts/index/byState")
	if got := get(t, db, "Posts", keyOf("new")); got != nil {
		t.Errorf("the refused write left %v", got)
	}
	wantError(t, "a write without entry", replaceCall("Posts", "new", 200, nil)(t.Context(), db), "none")
	wantError(t, "the removal of an entry", updateCall(dynamodb.UpdateItemInput{TableName: aws.String("Posts"), Key: keyOf("new"),
		UpdateExpression: aws.String("SET x = pk")})(t.Context(), db), "none")
	c.advance(time.Second)
	wantError(t, "a write a second later", posting("OPEN")(t.Context(), db), "none")
}

// TestProvisionedIndex: an index has a throughput of its own, for writes of the
// table and for reads, which leave the table's alone.
func TestProvisionedIndex(t *testing.T) {
	t.Parallel()
	db, _ := newTimedDB(t, memory.Throttling())
	in := provisioned(withGSI(define("Posts", "pk:S"), "byState", []string{"state:S"}, nil), 1000, 1000)
	in.GlobalSecondaryIndexes[0].ProvisionedThroughput = throughput(1, 2)
	create(t, db, in)
	const index = arns + "Posts/index/byState"
	put(t, db, "Posts", item{"pk": str("a"), "state": str("OPEN")})
	wantError(t, "a move that overdraws", updateCall(dynamodb.UpdateItemInput{TableName: aws.String("Posts"), Key: keyOf("a"),
		UpdateExpression: aws.String("SET #s = :s"), ExpressionAttributeNames: map[string]string{"#s": "state"}, ExpressionAttributeValues: item{":s": str("DONE")},
	})(t.Context(), db), "none")
	wantError(t, "the next entry", replaceCall("Posts", "b", 100, item{"state": str("OPEN")})(t.Context(), db),
		provisionedIndex+"\nIndexWriteProvisionedThroughputExceeded"+index)
	wantError(t, "a write without entry", replaceCall("Posts", "b", 100, nil)(t.Context(), db), "none")
	wantError(t, "a transaction", transactCall(checkAction("Posts", keyOf("a"), "attribute_exists(pk)"),
		putAction("Posts", item{"pk": str("c"), "state": str("OPEN")}))(t.Context(), db),
		cancelled+"[None, ProvisionedThroughputExceeded]\nNone: "+reason("ProvisionedThroughputExceeded", provisionedIndex))
	got, err := until(t, db, queryCall(dynamodb.QueryInput{TableName: aws.String("Posts"), IndexName: aws.String("byState"),
		KeyConditionExpression: aws.String("#s = :s"), ExpressionAttributeNames: map[string]string{"#s": "state"}, ExpressionAttributeValues: item{":s": str("DONE")}}))
	if got != 2 {
		t.Errorf("%d queries succeed, want 2", got)
	}
	wantError(t, "the next query", err, provisionedIndex+"\nIndexReadProvisionedThroughputExceeded"+index)
	wantError(t, "a read of the table", readCall("Posts", "a")(t.Context(), db), "none")
}

// TestIndexQuotasFollowSettings: an index that is added has the throughput that
// comes with it, and changes of it take effect.
func TestIndexQuotasFollowSettings(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling())
	create(t, db, provisioned(define("Posts", "pk:S"), 1000, 1000))
	in := addIndex("Posts", "byState", []string{"state:S"}, nil)
	in.GlobalSecondaryIndexUpdates[0].Create.ProvisionedThroughput = throughput(1, 3)
	alter(t, db, in)
	n := 0
	writing := func(ctx context.Context, db *memory.DB) error {
		n++
		return replaceCall("Posts", fmt.Sprint(n), 100, item{"state": str("OPEN")})(ctx, db)
	}
	want := func(what string, writes int) {
		t.Helper()
		got, err := until(t, db, writing)
		if got != writes {
			t.Errorf("%s: %d writes succeed, want %d", what, got, writes)
		}
		wantError(t, what, err, provisionedIndex+"\nIndexWriteProvisionedThroughputExceeded"+arns+"Posts/index/byState")
	}
	want("a new index", 3)
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Posts"), GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
		{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("byState"), ProvisionedThroughput: throughput(1, 20)}},
	}})
	want("a change", 0)
	c.advance(time.Second)
	want("a second later", 20)
}

// TestLocalIndexesDrawOnTheTable: writing entries of local indexes and reading
// them uses the throughput of the table.
func TestLocalIndexesDrawOnTheTable(t *testing.T) {
	t.Parallel()
	db, _ := newTimedDB(t, memory.Throttling(), memory.Partitions(1))
	create(t, db, withLSI(define("Local", "pk:S", "sk:S"), "byAt", "at:S", "-"))
	n := 0
	moving := func(at string) dbCall {
		return putCall(dynamodb.PutItemInput{TableName: aws.String("Local"), Item: item{"pk": str("p"), "sk": str("s"), "at": str(at), "v": str("v")}})
	}
	for moving(string(rune('a'+n%2)))(t.Context(), db) == nil {
		n++
	}
	if n != 334 { // the first costs two units, the others three
		t.Errorf("%d writes succeed, want 334", n)
	}
	got, err := until(t, db, queryCall(dynamodb.QueryInput{TableName: aws.String("Local"), IndexName: aws.String("byAt"), Select: types.SelectAllAttributes,
		KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("p")}}))
	if got != 3000 { // half a unit for the entry, half for its item
		t.Errorf("%d queries succeed, want 3000", got)
	}
	wantError(t, "the next", err, onDemandTable+"\nTableReadKeyRangeThroughputExceeded"+arns+"Local")
}

// TestFailedConditionsCost: a condition that does not hold uses the throughput
// of a write, and where nothing is left it is not evaluated.
func TestFailedConditionsCost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		call dbCall
		want int
		last string
	}{
		{"put", putCall(dynamodb.PutItemInput{TableName: aws.String("Small"), Item: keyOf("a"), ConditionExpression: aws.String("attribute_not_exists(pk)")}),
			4, provisionedTable + "\nTableWriteProvisionedThroughputExceeded" + arns + "Small"},
		{"transaction", transactCall(checkAction("Small", keyOf("a"), "attribute_not_exists(pk)")),
			2, cancelled + "[ProvisionedThroughputExceeded]" + reason("ProvisionedThroughputExceeded", provisionedTable)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db, c := newTimedDB(t, memory.Throttling())
			create(t, db, provisioned(define("Small", "pk:S"), 8, 8))
			wantError(t, "the item", replaceCall("Small", "a", 2000, nil)(t.Context(), db), "none")
			c.advance(time.Second)
			if got, _ := until(t, db, replaceCall("Small", "a", 2000, nil)); got != 7 { // 14 of 8 + 6 left
				t.Fatalf("%d writes succeed, want 7", got)
			}
			c.advance(time.Second)
			failures := 0
			var err error
			for range 10 {
				if err = tt.call(t.Context(), db); strings.Contains(describeError(err), "ConditionalCheckFailed") {
					failures++
				}
			}
			if failures != tt.want {
				t.Errorf("%d conditions are evaluated, want %d", failures, tt.want)
			}
			wantError(t, "the last", err, tt.last)
		})
	}
}

// TestThrottledBatches: elements that are refused come back, others are done, and
// the call fails only if nothing was.
func TestThrottledBatches(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling())
	create(t, db, provisioned(define("Small", "pk:S"), 2, 2))
	create(t, db, provisioned(define("Tiny", "pk:S"), 1, 1))
	in := &dynamodb.BatchWriteItemInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, RequestItems: map[string][]types.WriteRequest{
		"Small": {putRequest(keyOf("a")), putRequest(keyOf("b")), deleteRequest(keyOf("c")), putRequest(item{"pk": str("d"), "n": num("1.0")})},
		"Tiny":  {putRequest(keyOf("a")), deleteRequest(keyOf("b"))},
	}}
	out, err := db.BatchWriteItem(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	diffRequests(t, out.UnprocessedItems, map[string][]types.WriteRequest{
		"Small": {deleteRequest(keyOf("c")), putRequest(item{"pk": str("d"), "n": num(1)})},
		"Tiny":  {deleteRequest(keyOf("b"))},
	})
	diff(t, "the capacity", out.ConsumedCapacity, []types.ConsumedCapacity{
		{TableName: aws.String("Small"), CapacityUnits: aws.Float64(2)}, {TableName: aws.String("Tiny"), CapacityUnits: aws.Float64(1)},
	})
	_, err = db.BatchWriteItem(t.Context(), in)
	wantError(t, "a batch of nothing", err, provisionedTable+"\nTableWriteProvisionedThroughputExceeded"+arns+"Small")

	keys := map[string]types.KeysAndAttributes{"Small": {Keys: []item{keyOf("a"), keyOf("b"), keyOf("c"), keyOf("d"), keyOf("e")}}}
	got, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: keys})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "the items", got.Responses["Small"], []item{keyOf("a"), keyOf("b")})
	diff(t, "the keys", got.UnprocessedKeys["Small"].Keys, []item{keyOf("e")})
	wantError(t, "a batch of nothing", readBatchCall(map[string][]string{"Small": {"a"}})(t.Context(), db),
		provisionedTable+"\nTableReadProvisionedThroughputExceeded"+arns+"Small")
	c.advance(time.Second)
	wantError(t, "the rest", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: out.UnprocessedItems})(t.Context(), db), "none")
}

// TestThrottledTransactions: every action whose table or index has nothing left
// is named with the text of its billing mode, and nothing is done or used.
func TestThrottledTransactions(t *testing.T) {
	t.Parallel()
	db, _ := newTimedDB(t, memory.Throttling(), memory.Partitions(1))
	create(t, db, provisioned(define("Small", "pk:S"), 1, 2))
	create(t, db, define("Free", "pk:S"))
	create(t, db, define("Hot", "pk:S"))
	until(t, db, replaceCall("Small", "a", 100, nil))
	until(t, db, replaceCall("Hot", "a", 100, nil))
	err := transactCall(putAction("Free", keyOf("x")), putAction("Small", keyOf("x")), putAction("Hot", keyOf("x")), putAction("Free", keyOf("y")))(t.Context(), db)
	wantError(t, "the transaction", err, cancelled+"[None, ProvisionedThroughputExceeded, ThrottlingError, None]"+
		"\nNone: "+reason("ProvisionedThroughputExceeded", provisionedTable)+reason("ThrottlingError", onDemandTable)+"\nNone: ")
	if got := db.Dump("Free"); got != "table Free\n" {
		t.Errorf("the cancelled transaction wrote %s", got)
	}
	if got, _ := until(t, db, replaceCall("Free", "a", 1024, nil)); got != 1000 {
		t.Errorf("%d writes succeed after it, want 1000: it used nothing", got)
	}
}

// TestThrottledTransactionGivesTokenBack: the call can be repeated with its token.
func TestThrottledTransactionGivesTokenBack(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling())
	create(t, db, provisioned(define("Small", "pk:S"), 1, 1))
	put(t, db, "Small", keyOf("a"))
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("t"), TransactItems: []types.TransactWriteItem{putAction("Small", keyOf("b"))}}
	if _, err := db.TransactWriteItems(t.Context(), in); !is[*types.TransactionCanceledException](err) {
		t.Fatalf("got %v, want a cancellation", err)
	}
	c.advance(time.Second)
	if _, err := db.TransactWriteItems(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Minute)
	diff(t, "the item", get(t, db, "Small", keyOf("b")), keyOf("b"))
}

// TestScanStopsBeforeHotPartition: a page ends before a partition that has
// nothing left, with the key from which to go on, and fails if it begins there.
func TestScanStopsBeforeHotPartition(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling(), memory.Partitions(4))
	create(t, db, define("Spread", "pk:S"))
	pks := strings.Split("a b c d e f g h i j k l m n o p", " ")
	for _, pk := range pks {
		put(t, db, "Spread", keyOf(pk))
	}
	all, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Spread")})
	if err != nil {
		t.Fatal(err)
	}
	order := pick(all.Items, "pk")
	hot := order[len(order)-1] // in the last partition
	until(t, db, readCall("Spread", hot))
	page, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Spread")})
	if err != nil {
		t.Fatal(err)
	}
	got := pick(page.Items, "pk")
	if len(got) == 0 || len(got) >= len(order) {
		t.Fatalf("the page has %d of %d items, want those of three partitions", len(got), len(order))
	}
	diff(t, "the page", got, order[:len(got)])
	diff(t, "the key", page.LastEvaluatedKey, keyOf(got[len(got)-1]))
	rest := &dynamodb.ScanInput{TableName: aws.String("Spread"), ExclusiveStartKey: page.LastEvaluatedKey}
	_, err = db.Scan(t.Context(), rest)
	wantError(t, "the rest", err, onDemandTable+"\nTableReadKeyRangeThroughputExceeded"+arns+"Spread")
	c.advance(time.Second)
	last, err := db.Scan(t.Context(), rest)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "all pages", append(got, pick(last.Items, "pk")...), order)
}

// TestScanOfSeveralPartitions: a page that begins with capacity left is read to
// its end, and costs what it reports.
func TestScanOfSeveralPartitions(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling())
	create(t, db, provisioned(define("Spread", "pk:S"), 1, 1))
	for n := range 20 {
		c.advance(time.Second)
		put(t, db, "Spread", keyOf(string(rune('a'+n))))
	}
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Spread"), ProvisionedThroughput: throughput(2, 1)})
	until(t, db, readCall("Spread", "a"))
	c.advance(time.Second)
	for n := range 4 { // of half a unit
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Spread")})
		if err != nil || out.Count != 20 || out.LastEvaluatedKey != nil {
			t.Fatalf("scan %d returns %v and %v, want 20 items", n, out, err)
		}
	}
	_, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Spread")})
	wantError(t, "the next", err, provisionedTable+"\nTableReadProvisionedThroughputExceeded"+arns+"Spread")
}

// TestThrottlingInParallel: however many goroutines write, exactly what there is
// is served.
func TestThrottlingInParallel(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling(), memory.TrackHeat(10))
	create(t, db, provisioned(withGSI(define("Small", "pk:S"), "all", []string{"pk:S"}, nil), 100, 100))
	var served, refused atomic.Int64
	for round := range 3 {
		served.Store(0)
		together(8, func(i int) {
			for n := range 50 {
				err := putCall(dynamodb.PutItemInput{TableName: aws.String("Small"), Item: item{"pk": str(string(rune('a' + i))), "n": num(1000*round + n)}})(t.Context(), db)
				switch {
				case err == nil:
					served.Add(1)
				case is[*types.ProvisionedThroughputExceededException](err):
					refused.Add(1)
				default:
					t.Error(err)
				}
				if err := readCall("Small", "a")(t.Context(), db); err != nil && !errors.As(err, new(*types.ProvisionedThroughputExceededException)) {
					t.Error(err)
				}
				db.Heat("Small")
			}
		})
		if got := served.Load(); got != 100 {
			t.Errorf("round %d: %d writes succeed, want 100", round, got)
		}
		c.advance(time.Second)
	}
}
