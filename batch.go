package ddb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

// Sizes of single calls. ServiceQuotas.html#limits-api.
const (
	batchWrites = 25
	batchGets   = 100
)

// batchAttempts is how many calls in a row may bring nothing further before a
// batch gives up on what is left.
const batchAttempts = 10

// batchCalls bounds how many calls of one batch are under way.
const batchCalls = 4

// BatchError lists what a batch could not do. The rest is done.
type BatchError struct {
	// Left holds the positions of the operations that were not carried out.
	Left []int
	err  error
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("ddb: batch: %d operations were not carried out: %s", len(e.Left), e.err)
}

// Unwrap returns what stood in the way, [ErrThrottled] if the service left
// operations unprocessed time and again.
func (e *BatchError) Unwrap() error { return e.err }

// chunk is one call's worth of a batch, as positions in it.
type chunk []int

// chunks is a batch cut into calls.
type chunks struct {
	all []chunk
	// send carries out a chunk and returns what was left of it.
	send     func(context.Context, chunk) (chunk, error)
	progress func(done int) // may be nil

	mu     sync.Mutex // guards what follows, and calls of progress
	left   []int
	failed error
	done   int
}

// run carries out chunks side by side. Progress resets the count of attempts; what
// is left in the end, and what an error or the context kept from being done, is
// reported.
func (c *chunks) run(ctx context.Context) error {
	g := new(errgroup.Group)
	g.SetLimit(batchCalls)
	for _, one := range c.all {
		g.Go(func() error {
			rest, err := c.finish(ctx, one)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.left = append(c.left, rest...)
			if err != nil && c.failed == nil {
				c.failed = err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if len(c.left) == 0 {
		return nil
	}
	slices.Sort(c.left)
	return &BatchError{Left: c.left, err: c.failed}
}

func (c *chunks) advance(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	if n > 0 && c.progress != nil {
		c.progress(c.done)
	}
}

// finish sends a chunk until nothing of it is left.
func (c *chunks) finish(ctx context.Context, one chunk) (chunk, error) {
	for attempt := 1; len(one) > 0; attempt++ {
		if err := ctx.Err(); err != nil {
			return one, err
		}
		rest, err := c.send(ctx, one)
		if err != nil && !errors.Is(err, ErrThrottled) {
			return one, err
		}
		if err != nil {
			rest = one
		}
		if len(rest) < len(one) {
			attempt = 1
			c.advance(len(one) - len(rest))
		}
		one = rest
		if len(one) > 0 && (attempt >= batchAttempts || !pause(ctx, attempt)) {
			if err := ctx.Err(); err != nil {
				return one, err
			}
			return one, because(ErrThrottled, "the service left operations unprocessed %d times in a row", attempt)
		}
	}
	return nil, nil
}

// BatchWrite is an operation that can run in a batch: Put and Delete without
// conditions, of entities without unique fields.
type BatchWrite interface {
	batch() (batched, error)
}

// batched is one operation of a batch.
type batched struct {
	*draft
	id      string // of the item
	put     bool
	request types.WriteRequest
}

func (p putOp) batch() (batched, error) {
	d, err := p.draft()
	if err != nil {
		return batched{}, err
	}
	in, err := p.input(d)
	if err != nil {
		return batched{}, err
	}
	err = d.batchable(in.ConditionExpression, "and Create and versions need one; use Put of an entity without version, or Transact")
	return batched{draft: d, put: true, request: types.WriteRequest{PutRequest: &types.PutRequest{Item: in.Item}}}, err
}

func (o deleteOp) batch() (batched, error) {
	d, err := o.draft()
	if err != nil {
		return batched{}, err
	}
	in, err := o.input(d)
	if err != nil {
		return batched{}, err
	}
	err = d.batchable(in.ConditionExpression, "use Transact")
	return batched{draft: d, request: types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: in.Key}}}, err
}

// batchable refuses what a batch cannot do.
func (d *draft) batchable(condition *string, instead string) error {
	switch {
	case d.unique.after != nil:
		return d.site.fail(because(ErrExpression, "a batch cannot keep the markers of unique fields in step; use Transact"))
	case condition != nil:
		return d.site.fail(because(ErrExpression, "a batch has no conditions, %s", instead))
	}
	return nil
}

// BatchOp writes and deletes many items, each for itself.
type BatchOp struct {
	writes   []BatchWrite
	progress func(done, of int)
}

// Batch makes a batch of any number of puts and deletes, of any entities and
// tables of one backend. It is no transaction: some can succeed and others not,
// and there are no conditions. Of two puts of one item the later is sent; a put
// and a delete of one item are refused, since their order would be open.
func Batch(writes ...BatchWrite) BatchOp { return BatchOp{writes: writes} }

// Progress calls f as operations are done. Calls do not overlap.
func (b BatchOp) Progress(f func(done, of int)) BatchOp {
	b.progress = f
	return b
}

// Run carries out the batch in calls of up to 25, some at once, and sends again
// what the service leaves unprocessed, with growing random pauses. It fails
// before any call if an operation is faulty, and with a [*BatchError] that lists
// what was left if the service, an error or ctx kept it from finishing.
func (b BatchOp) Run(ctx context.Context) error {
	ops, order, err := b.compile()
	if err != nil || len(order) == 0 {
		return err
	}
	c := &chunks{all: slices.Collect(inChunks(order, batchWrites)), progress: b.reporting(len(order))}
	c.send = func(ctx context.Context, c chunk) (chunk, error) { return sendWrites(ctx, ops, c) }
	return c.run(ctx)
}

func inChunks(positions []int, size int) iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		for c := range slices.Chunk(positions, size) {
			if !yield(c) {
				return
			}
		}
	}
}

// reporting returns what tells the caller of progress.
func (b BatchOp) reporting(of int) func(done int) {
	if b.progress == nil {
		return nil
	}
	return func(done int) { b.progress(done, of) }
}

// compile returns all operations and which of them to send.
func (b BatchOp) compile() ([]batched, []int, error) {
	ops := make([]batched, len(b.writes))
	last := make(map[string]int)
	var order []int
	for i, w := range b.writes {
		if w == nil {
			return nil, nil, fmt.Errorf("ddb: %w", because(ErrExpression, "operation %d of the batch is nil", i))
		}
		op, err := w.batch()
		if err != nil {
			return nil, nil, fmt.Errorf("batch, operation %d: %w", i, err)
		}
		op.id = op.entity.identity(op.key)
		ops[i] = op
		if i > 0 && !sameBackend(op.entity.table, ops[0].entity.table) {
			return nil, nil, op.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		if j, twice := last[op.id]; twice {
			if ops[j].put != op.put {
				return nil, nil, op.site.fail(because(ErrExpression, "operations %d and %d put and delete one item", j, i))
			}
			order = slices.DeleteFunc(order, func(k int) bool { return k == j })
		}
		last[op.id] = i
		order = append(order, i)
	}
	return ops, order, nil
}

// sendWrites makes one call and returns what it left.
func sendWrites(ctx context.Context, ops []batched, c chunk) (chunk, error) {
	in := &dynamodb.BatchWriteItemInput{RequestItems: make(map[string][]types.WriteRequest)}
	for _, i := range c {
		name := ops[i].site.table.name
		in.RequestItems[name] = append(in.RequestItems[name], ops[i].request)
	}
	first := ops[c[0]].site.table
	out, err := call(ctx, site{op: "BatchWriteItem", table: first}, in, first.backend.BatchWriteItem)
	if err != nil {
		return nil, err
	}
	var rest chunk
	for _, i := range c {
		if unwritten(ops[i], out.UnprocessedItems) {
			rest = append(rest, i)
		} else if done := ops[i].done; done != nil {
			done()
		}
	}
	return rest, nil
}

func unwritten(op batched, left map[string][]types.WriteRequest) bool {
	return slices.ContainsFunc(left[op.site.table.name], func(r types.WriteRequest) bool {
		if r.PutRequest != nil {
			return op.put && op.entity.identity(r.PutRequest.Item) == op.id
		}
		return r.DeleteRequest != nil && !op.put && op.entity.identity(r.DeleteRequest.Key) == op.id
	})
}

// BatchGetOp reads many items, each for itself.
type BatchGetOp struct {
	reads    []Read
	progress func(done, of int)
}

// Progress calls f as items are read, counting each key once. Calls do not
// overlap.
func (b BatchGetOp) Progress(f func(done, of int)) BatchGetOp {
	b.progress = f
	return b
}

// Run reads the items into their results, in calls of up to 100, some at once.
// It asks again for what the service leaves, with growing random pauses, and
// fails with a [*BatchError] if some are left in the end: their results are as they
// were, all others delivered. An item that does not fit its type fails as Get does,
// and keeps no other from being delivered. Without any read it does nothing.
func (b BatchGetOp) Run(ctx context.Context) error {
	if len(b.reads) == 0 {
		return nil
	}
	keys, err := readKeys(b.reads, 0)
	if err != nil {
		return err
	}
	f := &fetched{reads: b.reads, keys: keys, at: make(map[string]item)}
	distinct := f.distinct()
	c := &chunks{all: slices.Collect(inChunks(distinct, batchGets)), send: f.send}
	if b.progress != nil {
		c.progress = func(done int) { b.progress(done, len(distinct)) }
	}
	return f.deliver(c.run(ctx))
}

// fetched gathers the items of a batch of reads.
type fetched struct {
	reads []Read
	keys  []item

	mu sync.Mutex      // guards at
	at map[string]item // by identity
}

// deliver puts the items in their places, but for those that an error says were
// left.
func (f *fetched) deliver(err error) error {
	missing := make(map[string]bool)
	left, ok := errors.AsType[*BatchError](err)
	if err != nil && !ok {
		return err
	}
	if ok {
		for _, i := range left.Left {
			missing[f.id(i)] = true
		}
		left.Left = nil
	}
	var failed []error
	for i, r := range f.reads {
		if missing[f.id(i)] {
			left.Left = append(left.Left, i)
			continue
		}
		deliver, err := r.decode(f.at[f.id(i)])
		if err != nil {
			failed = append(failed, err)
			continue
		}
		deliver()
	}
	return errors.Join(append(failed, err)...)
}

func (f *fetched) id(i int) string { return f.reads[i].entity.identity(f.keys[i]) }

// distinct returns the first read of each key. Reads of one call share their
// consistency by table, so consistent ones come first.
func (f *fetched) distinct() []int {
	seen := make(map[string]bool)
	var out []int
	for _, strong := range []bool{true, false} {
		for i, r := range f.reads {
			if id := f.id(i); r.strong == strong && !seen[id] {
				seen[id] = true
				out = append(out, i)
			}
		}
	}
	return out
}

func (f *fetched) send(ctx context.Context, c chunk) (chunk, error) {
	in := &dynamodb.BatchGetItemInput{RequestItems: make(map[string]types.KeysAndAttributes)}
	for _, i := range c {
		name := f.reads[i].entity.table.name
		keys := in.RequestItems[name]
		keys.Keys = append(keys.Keys, f.keys[i])
		if f.reads[i].strong {
			keys.ConsistentRead = aws.Bool(true)
		}
		in.RequestItems[name] = keys
	}
	first := f.reads[c[0]].entity.table
	out, err := call(ctx, site{op: "BatchGetItem", table: first}, in, first.backend.BatchGetItem)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var rest chunk
	for _, i := range c {
		e := f.reads[i].entity
		id := f.id(i)
		if slices.ContainsFunc(out.UnprocessedKeys[e.table.name].Keys, func(k item) bool { return e.identity(k) == id }) {
			rest = append(rest, i)
		}
	}
	for name, items := range out.Responses {
		e := f.entityOf(c, name)
		for _, it := range items {
			if e != nil {
				f.at[e.identity(it)] = it
			}
		}
	}
	return rest, nil
}

// entityOf returns an entity of the named table, for its key attributes.
func (f *fetched) entityOf(c chunk, table string) *entity {
	for _, i := range c {
		if e := f.reads[i].entity; e.table.name == table {
			return e
		}
	}
	return nil
}
