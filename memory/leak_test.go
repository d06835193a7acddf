package memory_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestNothingLeaks makes, uses and deletes 10,000 tables in one DB and wants as
// much memory and as many goroutines in use after the last ones as after the
// first ones. It is not parallel, since it looks at the whole heap; parallel
// tests do not run meanwhile.
func TestNothingLeaks(t *testing.T) {
	powers := []memory.Option{
		memory.Throttling(), memory.TrackHeat(10), memory.IndexLag(time.Second), memory.StaleReads(time.Second),
		memory.TransitionTime(time.Minute),
	}
	tests := []struct {
		name string
		opts []memory.Option
		view types.StreamViewType
	}{
		{"plain", nil, types.StreamViewTypeNewAndOldImages},
		{"with all powers, and changes that take time", powers, types.StreamViewTypeKeysOnly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const first, all = 1500, 10_000 // what is kept for a day, and caches, fill up in the first
			db, c := newTimedDB(t, append(tt.opts, memory.Partitions(2))...)
			for n := range first {
				useTable(t, db, c, n, tt.view)
				c.advance(10 * time.Minute)
			}
			before, goroutines := heapInUse(), runtime.NumGoroutine()
			for n := first; n < all; n++ {
				useTable(t, db, c, n, tt.view)
				c.advance(10 * time.Minute)
			}
			const most = 2 << 20
			if after := heapInUse(); after > before+most {
				t.Errorf("%d tables later %d KB are in use, %d KB before", all-first, after>>10, before>>10)
			}
			if got := runtime.NumGoroutine(); got > goroutines {
				t.Errorf("%d goroutines are running, %d before", got, goroutines)
			}
			runtime.KeepAlive(db)
		})
	}
}

// heapInUse returns the bytes that are reachable.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestStreamsForget writes to one table with a stream for a long time, and lets
// items expire, and wants no more memory in use than what a day takes, also for a
// part of hash space that nobody writes to any more. See TestNothingLeaks.
func TestStreamsForget(t *testing.T) {
	db, c := newTimedDB(t, memory.Partitions(2))
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeNewAndOldImages))
	expireBy(t, db, "Tab", "ttl")
	arn := latestStream(t, db, "Tab")
	write := func(n int, pk string) {
		c.advance(time.Minute)
		put(t, db, "Tab", item{"pk": str(pk), "n": num(n), "big": str(string(make([]byte, 1000))), "ttl": num(int(c.now().Unix()) + 60)})
		expire(t, db)
	}
	for n := range 3000 {
		write(n, fmt.Sprint(n))
	}
	before := heapInUse()
	for n := range 20_000 {
		write(n, "one")
		if n%1000 == 0 {
			shardsOf(t, db, arn, 100)
		}
	}
	if after := heapInUse(); after > before+1<<20 {
		t.Errorf("%d KB are in use, %d KB before", after>>10, before>>10)
	}
	day := int(24 * time.Hour / time.Minute)
	if n := len(recordsOf(t, db, arn)); n > 2*day+2 {
		t.Errorf("%d records are kept of a day with %d writes that expire", n, day)
	}
	runtime.KeepAlive(db)
}

// useTable makes a table with indexes and a stream, uses all that keeps something
// for a while, and deletes it, two seconds later by the clock.
func useTable(t *testing.T, db *memory.DB, c *clock, n int, view types.StreamViewType) {
	name := fmt.Sprintf("Table%05d", n)
	in := withLSI(define(name, "pk:S", "sk:N"), "local", "at:S")
	in = streamed(in, view)
	create(t, db, withGSI(in, "gsi", []string{"g:S"}, nil))
	ctx := t.Context()
	settled := func() bool { return describeTable(t, db, name).TableStatus == types.TableStatusActive }
	for !settled() {
		c.advance(time.Minute)
	}
	big := string(make([]byte, 500))
	for sk := range 4 {
		put(t, db, name, item{"pk": str("a"), "sk": num(sk), "at": str("b"), "g": str("c"), "big": str(big)})
	}
	stop := db.Inject(memory.LoseReply(), memory.OnTable(name), memory.OnOperation("TransactWriteItems"))
	_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(name),
		TransactItems: []types.TransactWriteItem{
			updateAction(name, item{"pk": str("a"), "sk": num(1)}, fmt.Sprintf("SET v%d = :v", n), item{":v": str(big)}),
		}})
	if stop(); !is[*types.InternalServerError](err) {
		t.Fatal(err)
	}
	query(t, db, name, "gsi", "g = :a", nil, str("c"))
	query(t, db, name, "local", "pk = :a", nil, str("a"))
	recordsOf(t, db, latestStream(t, db, name))
	if n%2 == 0 {
		alter(t, db, dropIndex(name, "gsi"))
	}
	c.advance(2 * time.Second)
	for !settled() {
		c.advance(time.Minute)
	}
	if _, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
}
