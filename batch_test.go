package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// lazy carries out only part of each batch: all but the last operation, or none
// at all when stuck.
type lazy struct {
	*memory.DB
	stuck bool

	mu    sync.Mutex // guards sizes
	sizes []int
}

func (l *lazy) note(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sizes = append(l.sizes, n)
}

func (l *lazy) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	left := make(map[string][]types.WriteRequest)
	n := 0
	for table, requests := range in.RequestItems {
		n += len(requests)
		if keep := len(requests) - 1; l.stuck || keep > 0 {
			if l.stuck {
				keep = 0
			}
			left[table] = requests[keep:]
			in.RequestItems[table] = requests[:keep]
		}
	}
	l.note(n)
	if l.stuck {
		return &dynamodb.BatchWriteItemOutput{UnprocessedItems: left}, nil
	}
	out, err := l.DB.BatchWriteItem(ctx, in)
	if err == nil {
		out.UnprocessedItems = left
	}
	return out, err
}

func (l *lazy) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	left := make(map[string]types.KeysAndAttributes)
	for table, keys := range in.RequestItems {
		l.note(len(keys.Keys))
		if n := len(keys.Keys); n > 1 {
			rest := keys
			rest.Keys = keys.Keys[n/2:]
			left[table] = rest
			keys.Keys = keys.Keys[:n/2]
			in.RequestItems[table] = keys
		}
	}
	out, err := l.DB.BatchGetItem(ctx, in)
	if err == nil {
		out.UnprocessedKeys = left
	}
	return out, err
}

func openLazy(t testing.TB, stuck bool) (shop, *lazy) {
	t.Helper()
	l := &lazy{DB: memory.New(), stuck: stuck}
	s := newShop(l)
	create(t, l.DB, s.table)
	return s, l
}

// TestBatchesFinish asserts that batches of any size are carried out whole,
// whatever the service leaves, in calls of its size.
func TestBatchesFinish(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 25, 26, 60} {
		s, l := openLazy(t, false)
		ctx := t.Context()
		var writes []ddb.BatchWrite
		var keys []Note
		for i := range size {
			n := Note{UserID: fmt.Sprint("u", i%3), NoteID: fmt.Sprint(i)}
			writes = append(writes, s.notes.Put(&n))
			keys = append(keys, n)
		}
		done := 0
		if err := ddb.Batch(writes...).Progress(func(n, of int) {
			if n < done || of != size {
				t.Errorf("progress went from %d to %d of %d", done, n, of)
			}
			done = n
		}).Run(ctx); err != nil || done != size {
			t.Fatalf("%d writes: got %v after %d", size, err, done)
		}
		if size == 0 && len(l.sizes) > 0 || len(l.sizes) > 0 && slices.Max(l.sizes) > 25 {
			t.Errorf("%d writes: got calls of %v", size, l.sizes)
		}
		keys = append(keys, Note{UserID: "u", NoteID: "missing"})
		if size > 0 {
			keys = append(keys, keys[0])
		}
		got, err := s.notes.GetAll(ctx, keys...)
		if err != nil || len(got) != len(keys) {
			t.Fatalf("%d reads: got %d and %v", len(keys), len(got), err)
		}
		for i, n := range got {
			if i == size && n != nil || i != size && (n == nil || n.NoteID != keys[i].NoteID) {
				t.Errorf("%d reads: at %d got %+v, want %q", len(keys), i, n, keys[i].NoteID)
			}
		}
		var deletes []ddb.BatchWrite
		for _, k := range keys[:size] {
			deletes = append(deletes, s.notes.Delete(k))
		}
		if err := ddb.Batch(deletes...).Run(ctx); err != nil {
			t.Fatal(err)
		}
		wantEmpty(t, l.DB)
	}
}

// TestStuckBatchSaysWhatIsLeft asserts that a batch which gets nowhere ends with
// the list of what it did not do.
func TestStuckBatchSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	s, l := openLazy(t, true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no pauses
	a, b := Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"}
	err := ddb.Batch(s.notes.Put(&a), s.notes.Put(&b)).Run(ctx)
	left, ok := errors.AsType[*ddb.BatchError](err)
	if !ok || !slices.Equal(left.Left, []int{0, 1}) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a BatchError with both and the context's error", err)
	}
	wantEmpty(t, l.DB)
}

// TestThrottledBatchGivesUp asserts that a service which leaves everything
// unprocessed is asked a bounded number of times, with growing pauses.
func TestThrottledBatchGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, l := openLazy(t, true)
		begin := time.Now()
		err := ddb.Batch(s.notes.Put(&Note{UserID: "u", NoteID: "a"})).Run(t.Context())
		left, ok := errors.AsType[*ddb.BatchError](err)
		if !ok || !errors.Is(err, ddb.ErrThrottled) || len(left.Left) != 1 || len(l.sizes) != 10 {
			t.Errorf("got %v after %d calls, want ErrThrottled after 10", err, len(l.sizes))
		}
		if waited := time.Since(begin); waited <= 0 || waited > 10*time.Second {
			t.Errorf("waited %s in all, want growing pauses of at most a second", waited)
		}
	})
}

// strange leaves what it was not sent, in its first calls, after doing all it was.
type strange struct {
	*memory.DB
	first, calls int
}

func (s *strange) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	out, err := s.DB.BatchWriteItem(ctx, in, opts...)
	if s.calls++; err == nil && s.calls <= s.first {
		key := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "x"}, "SK": &types.AttributeValueMemberS{Value: "y"}}
		out.UnprocessedItems = map[string][]types.WriteRequest{"Shop": {{DeleteRequest: &types.DeleteRequest{Key: key}}}}
	}
	return out, err
}

// TestBatchWithStrangeLeftovers asserts that a batch does not pass for done while
// the backend says that something is left, whatever it is.
func TestBatchWithStrangeLeftovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for first, want := range map[int]error{1: nil, 100: ddb.ErrThrottled} {
			b := &strange{DB: memory.New(), first: first}
			s := newShop(b)
			create(t, b.DB, s.table)
			err := ddb.Batch(s.notes.Put(&Note{UserID: "u", NoteID: "a"})).Run(t.Context())
			if !errors.Is(err, want) || b.calls != min(first+1, 10) {
				t.Errorf("%d strange replies: got %v after %d calls, want %v", first, err, b.calls, want)
			}
		}
	})
}

// TestBatchFaults asserts what a batch refuses before any call.
func TestBatchFaults(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	n := Note{UserID: "u", NoteID: "n"}
	newer := Note{UserID: "u", NoteID: "n", Text: "newer"}
	for says, b := range map[string]ddb.BatchOp{
		"no conditions":                    ddb.Batch(s.notes.Create(&n)),
		"batch has no conditions":          ddb.Batch(s.notes.Delete(n).MustExist()),
		"put and delete one item":          ddb.Batch(s.notes.Put(&n), s.notes.Delete(n)),
		"ddb: batch, operation 1: PutItem": ddb.Batch(s.notes.Put(&n), s.notes.Put(&Note{UserID: "u"})),
		"another backend":                  ddb.Batch(s.notes.Put(&n), newShop(&record{}).notes.Put(&newer)),
	} {
		if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error that says %q", err, says)
		}
	}
	wantEmpty(t, db)
	if err := ddb.Batch(s.notes.Put(&n), s.notes.Put(&newer)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.notes.Get(n).Run(t.Context()); err != nil || got.Text != "newer" {
		t.Errorf("two puts of one item: got %+v and %v, want the later", got, err)
	}
}

// TestReadsOfSeveralEntities asserts that batch and transactional reads put each
// item in its place and tell absent from empty.
func TestReadsOfSeveralEntities(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	put(t, s.users, User{ID: "u", Name: "张三"})
	put(t, s.notes, Note{UserID: "u", NoteID: "n"})
	for name, run := range map[string]func(...ddb.Read) error{
		"batch":       func(r ...ddb.Read) error { return ddb.BatchGet(r...).Run(ctx) },
		"transaction": func(r ...ddb.Read) error { return ddb.TransactGet(r...).Run(ctx) },
	} {
		missing := ddb.Result[Note]{Found: true}
		var user ddb.Result[User]
		var note ddb.Result[Note]
		err := run(
			s.notes.Get(Note{UserID: "u", NoteID: "x"}).Into(&missing),
			s.users.Get(User{ID: "u"}).Consistent().Into(&user),
			s.notes.Get(Note{UserID: "u", NoteID: "n"}).Into(&note),
		)
		if err != nil || missing.Found || !user.Found || user.Value.Name != "张三" || !note.Found || note.Value.NoteID != "n" {
			t.Errorf("%s: got %+v, %+v, %+v and %v", name, missing, user, note, err)
		}
		if err := run(s.notes.Get(Note{UserID: "u"}).Into(&note)); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("%s: got %v, want ErrKey", name, err)
		}
	}
	var a, b ddb.Result[Note]
	n := Note{UserID: "u", NoteID: "n"}
	if err := ddb.TransactGet(s.notes.Get(n).Into(&a), s.notes.Get(n).Into(&b)).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("one item twice: got %v, want ErrExpression", err)
	}
	if err := ddb.BatchGet(s.notes.Get(n).Into(&a), s.notes.Get(n).Into(&b)).Run(ctx); err != nil || !a.Found || !b.Found {
		t.Errorf("one item twice in a batch: got %+v, %+v and %v, want both", a, b, err)
	}
	if err := ddb.TransactGet().Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("no reads: got %v, want ErrExpression", err)
	}
}

// TestScan asserts that a scan finds all items of its entity and of no other,
// whole, in an index, and in segments side by side, and ends when it is left.
func TestScan(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	var want []string
	for i := range 40 {
		o := order(fmt.Sprint("u", i%5), fmt.Sprintf("%02d", i), "2024-01-01T00:00:00Z", "NEW")
		if i%4 == 0 {
			o.ProductID = "p"
		}
		put(t, s.orders, o)
		put(t, s.notes, Note{UserID: fmt.Sprint("u", i%5), NoteID: fmt.Sprint(i)})
		want = append(want, o.OrderID)
	}
	all := func(op ddb.ScanOp[Order]) []string {
		t.Helper()
		var got []string
		for o, err := range op.All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, o.OrderID)
		}
		slices.Sort(got)
		return got
	}
	scan := s.orders.Scan()
	for name, op := range map[string]ddb.ScanOp[Order]{
		"whole": scan, "paged": scan.PageSize(3), "consistent": scan.Consistent(),
		"segments": s.orders.ParallelScan(7).PageSize(2), "many segments": s.orders.ParallelScan(500),
	} {
		if got := all(op); !slices.Equal(got, want) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if got := all(scan.Index("GSI2")); len(got) != 10 {
		t.Errorf("sparse index: got %d items, want 10", len(got))
	}
	if got := all(s.orders.ParallelScan(3).Filter(s.product.Exists())); len(got) != 10 {
		t.Errorf("filter: got %d items, want 10", len(got))
	}
	for _, segments := range []int{1, 4} {
		if got := all(s.orders.ParallelScan(segments).Limit(5)); len(got) != 5 {
			t.Errorf("limit with %d segments: got %d items, want 5", segments, len(got))
		}
	}
	for _, op := range []ddb.ScanOp[Order]{scan.Index("GSI9"), scan.Index("GSI1").Consistent(), scan.Limit(-1)} {
		for _, err := range op.All(ctx) {
			if !errors.Is(err, ddb.ErrIndex) && !errors.Is(err, ddb.ErrRange) {
				t.Errorf("got %v, want ErrIndex or ErrRange", err)
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	n := 0
	for _, err := range s.orders.ParallelScan(4).All(cancelled) {
		n++
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
	if n != 1 {
		t.Errorf("got %d yields of a cancelled scan, want one error", n)
	}
}
