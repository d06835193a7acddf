package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// clock is a clock that a test moves.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.nanos.Store(time.Unix(1_700_000_000, 0).UnixNano())
	return c
}

func (c *clock) now() time.Time { return time.Unix(0, c.nanos.Load()) }

func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

// newTimedDB is newDB with a clock that the test moves.
func newTimedDB(t testing.TB, opts ...memory.Option) (*memory.DB, *clock) {
	t.Helper()
	c := newClock()
	return newDB(t, append([]memory.Option{memory.Clock(c.now)}, opts...)...), c
}

// TestPowersThatDoNotStrike promises that powers which have nothing to do change
// no answer by a single byte, and that a DB without powers answers the same as
// one that once had a fault injected.
func TestPowersThatDoNotStrike(t *testing.T) {
	t.Parallel()
	plain := historyOf400(t, nil)
	tests := []struct {
		name    string
		prepare func(db *memory.DB)
		opts    []memory.Option
	}{
		{"throttling with capacity to spare", nil, []memory.Option{memory.Throttling()}},
		{"heat", nil, []memory.Option{memory.TrackHeat(2)}},
		{"no lag", nil, []memory.Option{memory.IndexLag(0), memory.StaleReads(0)}},
		{"lag that is over before anybody looks", nil, []memory.Option{memory.IndexLag(time.Millisecond)}},
		{"staleness that is over before anybody looks", nil, []memory.Option{memory.StaleReads(time.Millisecond)}},
		{"a fault that strikes nothing", func(db *memory.DB) { db.Inject(memory.Throttle(), memory.OnTable("Elsewhere")) }, nil},
		{"a fault that is no more", func(db *memory.DB) { db.Inject(memory.Throttle())() }, nil},
		{"a fault that does nothing", func(db *memory.DB) { db.Inject(memory.Fault{}) }, nil},
		{"everything", func(db *memory.DB) { db.Inject(memory.Conflict(), memory.OnOperation("CreateTable")) }, []memory.Option{
			memory.Throttling(), memory.TrackHeat(100), memory.IndexLag(time.Millisecond), memory.StaleReads(time.Millisecond),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := historyOf400(t, tt.prepare, tt.opts...)
			for i := range plain {
				if got[i] != plain[i] {
					t.Fatalf("answer %d is\n%s\nwithout powers\n%s", i, got[i], plain[i])
				}
			}
		})
	}
}

// historyOf400 makes 400 calls that a seed chooses, a second apart, and returns the
// answers as text.
func historyOf400(t *testing.T, prepare func(db *memory.DB), opts ...memory.Option) []string {
	db, c := newTimedDB(t, opts...)
	if prepare != nil {
		prepare(db)
	}
	in := withLSI(define("Same", "pk:S", "sk:N"), "local", "at:S", "-")
	create(t, db, withGSI(in, "gsi", []string{"g:S"}, []string{"at:S"}, "x"))
	r := rand.New(rand.NewPCG(1, 2))
	answers := []string{}
	for range 400 {
		c.advance(time.Second)
		out, err := anyCall(t.Context(), db, r)
		text, fault := json.Marshal(out)
		if fault != nil {
			t.Fatal(fault)
		}
		answers = append(answers, fmt.Sprintf("%s %v", text, err))
	}
	return append(answers, db.Dump("Same"))
}

// anyKey and anyItem are of the table Same, with few values so that they meet.
func anyKey(r *rand.Rand) item {
	return item{"pk": str(string(rune('a' + r.IntN(3)))), "sk": num(r.IntN(5))}
}

func anyItem(r *rand.Rand) item {
	it := anyKey(r)
	for _, name := range []string{"g", "at", "x", "y"} {
		if r.IntN(3) > 0 {
			it[name] = str(string(rune('p' + r.IntN(4))))
		}
	}
	return it
}

// anyCall makes a call of any operation on items of the table Same.
func anyCall(ctx context.Context, db *memory.DB, r *rand.Rand) (any, error) {
	if r.IntN(2) == 0 {
		return anyWrite(ctx, db, r)
	}
	table := aws.String("Same")
	const all = types.ReturnConsumedCapacityIndexes
	switch r.IntN(5) {
	case 0:
		return db.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: anyKey(r), ReturnConsumedCapacity: all})
	case 1:
		return db.Query(ctx, &dynamodb.QueryInput{TableName: table, IndexName: aws.String("gsi"), KeyConditionExpression: aws.String("g = :g"),
			ExpressionAttributeValues: item{":g": str("q")}, ReturnConsumedCapacity: all, Limit: aws.Int32(3)})
	case 2:
		return db.Scan(ctx, &dynamodb.ScanInput{TableName: table, IndexName: aws.String("local"), Select: types.SelectAllAttributes, ReturnConsumedCapacity: all})
	case 3:
		return db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: all,
			TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: table, Key: anyKey(r)}}}})
	default:
		return db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{ReturnConsumedCapacity: all,
			RequestItems: map[string]types.KeysAndAttributes{"Same": {Keys: []item{anyKey(r), anyKey(r)}}}})
	}
}

// anyWrite makes a call that may write to the table Same.
func anyWrite(ctx context.Context, db *memory.DB, r *rand.Rand) (any, error) {
	table := aws.String("Same")
	const all = types.ReturnConsumedCapacityIndexes
	switch r.IntN(6) {
	case 0, 1:
		return db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: anyItem(r), ReturnConsumedCapacity: all, ReturnValues: types.ReturnValueAllOld})
	case 2:
		return db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: table, Key: anyKey(r), ReturnConsumedCapacity: all, ReturnValues: types.ReturnValueAllNew,
			UpdateExpression: aws.String("SET x = y, g = :g"), ExpressionAttributeValues: item{":g": str("q")}})
	case 3:
		return db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: anyKey(r), ReturnConsumedCapacity: all,
			ConditionExpression: aws.String("attribute_exists(x)"), ReturnValuesOnConditionCheckFailure: "ALL_OLD"})
	case 4:
		return db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{ReturnConsumedCapacity: all, ReturnItemCollectionMetrics: "SIZE",
			RequestItems: map[string][]types.WriteRequest{"Same": {putRequest(anyItem(r)), deleteRequest(anyKey(r))}}})
	default:
		return db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: all,
			TransactItems: []types.TransactWriteItem{putAction("Same", anyItem(r)), deleteAction("Same", anyKey(r))}})
	}
}
