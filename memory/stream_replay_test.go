package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
)

// follower reads a stream as a program should: all shards, a parent before its
// children, with iterators that go on where the last call ended, or once they are
// too old behind the last record.
type follower struct {
	arn       string
	iterators map[string]*string // by shard; nil for one that is read to its end
	read      map[string]*string // by shard, the number of the last record
	table     map[string]string  // by key, what replaying the records makes
	last      map[string]string  // by key, the number of the latest record
	records   int
}

func follow(arn string) *follower {
	return &follower{
		arn: arn, iterators: make(map[string]*string), read: make(map[string]*string),
		table: make(map[string]string), last: make(map[string]string),
	}
}

// catchUp reads all there is, limit records a call.
func (f *follower) catchUp(t asking, db *memory.DB, limit int32) {
	t.Helper()
	for _, sh := range shardsOf(t, db, f.arn, 100) {
		id := *sh.ShardId
		if _, known := f.iterators[id]; !known {
			if sh.ParentShardId != nil && f.iterators[*sh.ParentShardId] != nil {
				t.Fatalf("the parent of %s is not at its end, though it is closed", id)
			}
			f.iterators[id] = f.begin(t, db, id)
		}
		for f.iterators[id] != nil {
			out, err := db.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: f.iterators[id], Limit: aws.Int32(limit)})
			if is[*streamtypes.ExpiredIteratorException](err) {
				f.iterators[id] = f.begin(t, db, id)
				continue
			}
			if err != nil {
				t.Fatalf("records: %v", err)
			}
			for _, r := range out.Records {
				f.replay(t, r)
				f.read[id] = r.Dynamodb.SequenceNumber
			}
			f.iterators[id] = out.NextShardIterator
			if len(out.Records) == 0 {
				break
			}
		}
	}
}

func (f *follower) begin(t asking, db *memory.DB, id string) *string {
	t.Helper()
	in := dynamodbstreams.GetShardIteratorInput{
		StreamArn: aws.String(f.arn), ShardId: aws.String(id), ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	}
	if f.read[id] != nil {
		in.ShardIteratorType, in.SequenceNumber = streamtypes.ShardIteratorTypeAfterSequenceNumber, f.read[id]
	}
	return iteratorOf(t, db, in)
}

// replay applies a record to the replica, which must be what the record says that
// the table was.
func (f *follower) replay(t asking, r streamtypes.Record) {
	t.Helper()
	f.records++
	key := image(r.Dynamodb.Keys)
	before, there := f.table[key]
	if !there {
		before = "none"
	}
	if got := image(r.Dynamodb.OldImage); got != before {
		t.Fatalf("%s follows on %s", brief(r), before)
	}
	if number := *r.Dynamodb.SequenceNumber; number <= f.last[key] {
		t.Fatalf("%s has number %s, after %s", brief(r), number, f.last[key])
	} else {
		f.last[key] = number
	}
	if r.EventName == streamtypes.OperationTypeRemove {
		delete(f.table, key)
		return
	}
	f.table[key] = image(r.Dynamodb.NewImage)
}

// scanned returns the items of a table as replay makes them.
func scanned(t asking, db *memory.DB, table string) map[string]string {
	t.Helper()
	out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	items := make(map[string]string)
	for _, it := range out.Items {
		var whole, key []string
		for name, v := range it {
			text := ""
			switch v := v.(type) {
			case *types.AttributeValueMemberS:
				text = name + "=" + v.Value
			case *types.AttributeValueMemberN:
				text = name + "=" + v.Value
			}
			whole = append(whole, text)
			if name == "pk" || name == "sk" {
				key = append(key, text)
			}
		}
		slices.Sort(whole)
		slices.Sort(key)
		items[strings.Join(key, " ")] = strings.Join(whole, " ")
	}
	return items
}

// TestReplay promises that replaying a stream over an empty table makes the table,
// whatever was written, batched, transacted, refused and expired, and however
// shards follow each other meanwhile.
func TestReplay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1_700_000_000, 0)
		partitions := rapid.SampledFrom([]int{1, 2, 16}).Draw(t, "partitions")
		db := memory.New(memory.Clock(func() time.Time { return now }), memory.Partitions(partitions),
			memory.IndexLag(time.Duration(rapid.IntRange(0, 1).Draw(t, "lag"))*time.Second))
		in := withGSI(define("Tab", "pk:S", "sk:N"), "gsi", []string{"g:S"}, nil)
		if _, err := db.CreateTable(t.Context(), streamed(in, types.StreamViewTypeNewAndOldImages)); err != nil {
			t.Fatal(err)
		}
		ttl := &types.TimeToLiveSpecification{AttributeName: aws.String("n"), Enabled: aws.Bool(true)}
		if _, err := db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: aws.String("Tab"), TimeToLiveSpecification: ttl}); err != nil {
			t.Fatal(err)
		}
		f := follow(latestStream(t, db, "Tab"))
		image := func(t *rapid.T) item {
			it := drawItemKey(t)
			it["g"] = str(keptWords.Draw(t, "g"))
			it["n"] = num(int(now.Unix()) + rapid.IntRange(-2, 5).Draw(t, "n"))
			return it
		}
		steps := map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				in := &dynamodb.PutItemInput{TableName: aws.String("Tab"), Item: image(t)}
				if rapid.Bool().Draw(t, "if absent") {
					in.ConditionExpression = aws.String("attribute_not_exists(pk)")
				}
				_, _ = db.PutItem(t.Context(), in)
			},
			"update": func(t *rapid.T) {
				_, _ = db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
					TableName: aws.String("Tab"), Key: drawItemKey(t), ExpressionAttributeValues: item{":one": num(1)},
					UpdateExpression: aws.String(rapid.SampledFrom([]string{"ADD n :one", "SET g = pk ADD n :one", "REMOVE g ADD n :one"}).Draw(t, "update")),
				})
			},
			"delete": func(t *rapid.T) {
				_, _ = db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("Tab"), Key: drawItemKey(t)})
			},
			"batch": func(t *rapid.T) {
				var writes []types.WriteRequest
				for range rapid.IntRange(1, 4).Draw(t, "writes") {
					if rapid.Bool().Draw(t, "is put") {
						writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: image(t)}})
					} else {
						writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: drawItemKey(t)}})
					}
				}
				_, _ = db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Tab": writes}})
			},
			"transact": func(t *rapid.T) {
				in := &dynamodb.TransactWriteItemsInput{}
				for range rapid.IntRange(1, 4).Draw(t, "actions") {
					in.TransactItems = append(in.TransactItems, rapid.SampledFrom([]types.TransactWriteItem{
						putAction("Tab", image(t)), deleteAction("Tab", drawItemKey(t)),
						updateAction("Tab", drawItemKey(t), "ADD n :n", item{":n": num(1)}), checkAction("Tab", drawItemKey(t), "attribute_exists(pk)"),
					}).Draw(t, "action"))
				}
				_, _ = db.TransactWriteItems(t.Context(), in)
			},
			"time passes": func(t *rapid.T) {
				now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, 3 * time.Hour}).Draw(t, "time"))
				f.catchUp(t, db, 1000) // or records are trimmed
			},
			"expire": func(t *rapid.T) {
				if _, err := db.Expire(t.Context()); err != nil {
					t.Fatal(err)
				}
			},
			"read": func(t *rapid.T) { f.catchUp(t, db, int32(rapid.IntRange(1, 5).Draw(t, "limit"))) },
		}
		t.Repeat(steps)
		f.catchUp(t, db, 1000)
		if d := cmp.Diff(scanned(t, db, "Tab"), f.table); d != "" {
			t.Fatalf("table and replica (-table +replica):\n%s", d)
		}
		if err := db.Check(); err != nil {
			t.Fatalf("invariants: %v", err)
		}
	})
}

// TestStreamsUnderLoad promises that with many writers, alone and in transactions,
// while readers follow and the stream of another table goes on and off, every
// change is read once, in the order of its item.
func TestStreamsUnderLoad(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t)
	create(t, db, streamed(withGSI(define("Tab", "pk:S", "sk:N"), "gsi", []string{"g:S"}, nil), types.StreamViewTypeNewAndOldImages))
	create(t, db, define("Other", "pk:S", "sk:N"))
	const writers, writes = 8, 150
	stop := make(chan struct{})
	var done sync.WaitGroup
	followers := make([]*follower, 2)
	for i := range followers {
		followers[i] = follow(latestStream(t, db, "Tab"))
		done.Go(func() {
			for going := true; going; {
				select {
				case <-stop:
					going = false
				default:
				}
				followers[i].catchUp(t, db, int32(1+i*99))
			}
		})
	}
	together(writers+1, func(w int) {
		if w == writers {
			for n := range writes / 10 {
				_, _ = db.UpdateTable(t.Context(), new(switchStream("Other", []types.StreamViewType{"", types.StreamViewTypeKeysOnly}[n%2])))
				c.advance(10 * time.Minute)
			}
			return
		}
		own, shared := item{"pk": str(fmt.Sprint(w)), "sk": num(0)}, item{"pk": str("shared"), "sk": num(w % 3)}
		for n := range writes {
			var err error
			switch n % 3 {
			case 0:
				err = putCall(dynamodb.PutItemInput{TableName: aws.String("Tab"), Item: item{"pk": own["pk"], "sk": own["sk"], "n": num(n)}})(t.Context(), db)
			case 1:
				err = transactCall(updateAction("Tab", shared, "ADD n :n", item{":n": num(1)}), updateAction("Tab", own, "ADD n :n", item{":n": num(1)}),
					putAction("Other", item{"pk": own["pk"], "sk": num(n)}))(t.Context(), db)
			default:
				err = deleteCall(dynamodb.DeleteItemInput{TableName: aws.String("Tab"), Key: own})(t.Context(), db)
			}
			if err != nil {
				t.Errorf("write %d of writer %d: %v", n, w, err)
			}
		}
	})
	close(stop)
	done.Wait()
	for i, f := range followers {
		f.catchUp(t, db, 1000)
		if want := writers * writes * 4 / 3; f.records != want {
			t.Errorf("follower %d has read %d records, want %d", i, f.records, want)
		}
		if d := cmp.Diff(scanned(t, db, "Tab"), f.table); d != "" {
			t.Errorf("table and replica %d (-table +replica):\n%s", i, d)
		}
	}
}
