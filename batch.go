package ddb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// batchWrites is the size of a call. ServiceQuotas.html#limits-api.
const batchWrites = 25

// batchAttempts is how many calls in a row may bring nothing further before a
// batch gives up on what is left.
const batchAttempts = 10

// batchCalls bounds how many calls of one batch are under way.
const batchCalls = 4

// BatchError lists what a batch could not do. Of writes, the rest is done.
type BatchError struct {
	// Left holds the positions of the operations that were not carried out.
	Left []int
	err  error
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("ddb: batch: %d operations were not carried out: %s", len(e.Left), unprefixed(e.err))
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
	progress func(done, of int) // may be nil
	of       int

	mu     sync.Mutex // guards what follows, and calls of progress
	left   []int
	failed error
	done   int
}

func newChunks(all []chunk, send func(context.Context, chunk) (chunk, error), progress func(done, of int)) *chunks {
	c := &chunks{all: all, send: send, progress: progress}
	for _, one := range all {
		c.of += len(one)
	}
	return c
}

// run carries out chunks side by side. Progress resets the count of attempts; what
// is left in the end, and what an error or the context kept from being done, is
// reported.
func (c *chunks) run(ctx context.Context) error {
	g, _ := newCrew(ctx, batchCalls) // what one call meets does not end the others
	for _, one := range c.all {
		g.run(func() error {
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
	if err := g.wait(); err != nil {
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
		c.progress(c.done, c.of)
	}
}

// finish sends a chunk until nothing of it is left.
func (c *chunks) finish(ctx context.Context, one chunk) (chunk, error) {
	for attempt := 1; len(one) > 0; attempt++ {
		if err := unfit(ctx); err != nil {
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

func (p *putOp) batch() (batched, error) {
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

func (o *deleteOp) batch() (batched, error) {
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
	case d.scattered():
		return d.site.fail(because(ErrExpression, "a batch cannot find out by which number of shards the item lies; use the verb by itself or Transact, or drop also from the key after Reshard"))
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
	pattern  string
	progress func(done, of int)
	edits    edits[dynamodb.BatchWriteItemInput]
}

// Batch makes a batch of any number of puts and deletes, of any entities and
// tables of one backend. It is no transaction: some can succeed and others not,
// and there are no conditions. Of two puts of one item the later is sent; a put
// and a delete of one item are refused, since their order would be open, and so are
// writes of an entity whose number of shards is changing (also).
func Batch(writes ...BatchWrite) BatchOp { return BatchOp{writes: writes} }

// Progress calls f as operations are done. Calls do not overlap.
func (b BatchOp) Progress(f func(done, of int)) BatchOp {
	b.progress = f
	return b
}

// Named says which access pattern the writes are, for observers.
func (b BatchOp) Named(pattern string) BatchOp {
	b.pattern = pattern
	return b
}

// Edit lets f change each SDK input before it is sent.
func (b BatchOp) Edit(f func(*dynamodb.BatchWriteItemInput)) BatchOp {
	b.edits = b.edits.with(f)
	return b
}

// Inputs returns the SDK inputs of the calls that Run makes, if the service leaves
// nothing unprocessed.
func (b BatchOp) Inputs() ([]*dynamodb.BatchWriteItemInput, error) {
	w, err := b.prepare()
	if err != nil {
		return nil, err
	}
	var out []*dynamodb.BatchWriteItemInput
	for _, c := range w.chunks() {
		out = append(out, w.input(c))
	}
	return out, nil
}

// Run carries out the batch in calls of up to 25, some at once, and sends again
// what the service leaves unprocessed, with growing random pauses. It fails
// before any call if an operation is faulty, and with a [*BatchError] that lists
// what was left if the service, an error or ctx kept it from finishing.
func (b BatchOp) Run(ctx context.Context) error {
	w, err := b.prepare()
	if err != nil {
		return err
	}
	return newChunks(w.chunks(), w.send, b.progress).run(ctx)
}

// written is a batch of writes that has been checked.
type written struct {
	BatchOp
	entity string // "" if there are several
	ops    []batched
	order  []int // of those to be sent
}

// prepare checks the operations one by one and beside each other.
func (b BatchOp) prepare() (*written, error) {
	ops := make([]batched, len(b.writes))
	last := make(map[string]int)
	var order []int
	for i, w := range b.writes {
		if isNil(w) {
			return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "operation %d of the batch is nil", i))
		}
		op, err := w.batch()
		if err != nil {
			return nil, &operationError{"batch", i, err}
		}
		op.id = op.entity.identity(op.key)
		ops[i] = op
		if i > 0 && !sameBackend(op.entity.table, ops[0].entity.table) {
			return nil, op.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		if j, twice := last[op.id]; twice {
			if ops[j].put != op.put {
				return nil, op.site.fail(because(ErrExpression, "operations %d and %d put and delete one item", j, i))
			}
			order = slices.DeleteFunc(order, func(k int) bool { return k == j })
		}
		last[op.id] = i
		order = append(order, i)
	}
	return &written{b, entityOf(ops, func(op batched) *entity { return op.entity }), ops, order}, nil
}

func (w *written) chunks() []chunk {
	var out []chunk
	for c := range slices.Chunk(w.order, batchWrites) {
		out = append(out, c)
	}
	return out
}

// input returns the input of a call.
func (w *written) input(c chunk) *dynamodb.BatchWriteItemInput {
	in := &dynamodb.BatchWriteItemInput{RequestItems: make(map[string][]types.WriteRequest)}
	for _, i := range c {
		name := w.ops[i].entity.table.name
		in.RequestItems[name] = append(in.RequestItems[name], w.ops[i].request)
	}
	return w.edits.apply(in)
}

// send makes one call and returns what it left.
func (w *written) send(ctx context.Context, c chunk) (chunk, error) {
	first := w.ops[c[0]].entity.table
	at := site{op: "BatchWriteItem", table: first, entity: w.entity}.named(w.pattern)
	out, err := call(ctx, at, w.input(c), first.backend.BatchWriteItem)
	if err != nil {
		return nil, err
	}
	var rest chunk
	for _, i := range c {
		if unwritten(w.ops[i], out.UnprocessedItems) {
			rest = append(rest, i)
		}
	}
	if len(rest) < requests(out.UnprocessedItems) {
		// Something is left that is none of what was sent, by an Edit or a backend of
		// its own mind. What that means for the rest is not known; all is sent again,
		// which does no harm.
		return c, nil
	}
	for _, i := range c {
		if done := w.ops[i].done; done != nil && !slices.Contains(rest, i) {
			done()
		}
	}
	return rest, nil
}

func requests(left map[string][]types.WriteRequest) int {
	n := 0
	for _, of := range left {
		n += len(of)
	}
	return n
}

func unwritten(op batched, left map[string][]types.WriteRequest) bool {
	return slices.ContainsFunc(left[op.entity.table.name], func(r types.WriteRequest) bool {
		if r.PutRequest != nil {
			return op.put && op.entity.identity(r.PutRequest.Item) == op.id
		}
		return r.DeleteRequest != nil && !op.put && op.entity.identity(r.DeleteRequest.Key) == op.id
	})
}
