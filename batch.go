package ddb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

// batchWrites is the size of a call. ServiceQuotas.html#limits-api.
const batchWrites = 25

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

// runChunks carries out chunks side by side. send carries out one and returns
// what was left of it. Progress resets the count of attempts; what is left in
// the end, and what an error or the context kept from being done, is reported.
func runChunks(ctx context.Context, chunks []chunk, progress func(done int), send func(context.Context, chunk) (chunk, error)) error {
	var mu sync.Mutex // guards left, failed and done
	var left []int
	var failed error
	done := 0
	g := new(errgroup.Group)
	g.SetLimit(batchCalls)
	for _, c := range chunks {
		g.Go(func() error {
			rest, err := finishChunk(ctx, c, send)
			mu.Lock()
			defer mu.Unlock()
			left = append(left, rest...)
			if err != nil && failed == nil {
				failed = err
			}
			done += len(c) - len(rest)
			if progress != nil {
				progress(done)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	return &BatchError{Left: left, err: failed}
}

// finishChunk sends a chunk until nothing of it is left.
func finishChunk(ctx context.Context, c chunk, send func(context.Context, chunk) (chunk, error)) (chunk, error) {
	for attempt := 1; len(c) > 0; attempt++ {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		rest, err := send(ctx, c)
		if err != nil && !errors.Is(err, ErrThrottled) {
			return c, err
		}
		if err != nil {
			rest = c
		}
		if len(rest) < len(c) {
			attempt = 1
		}
		c = rest
		if len(c) > 0 && (attempt >= batchAttempts || !pause(ctx, attempt)) {
			if err := ctx.Err(); err != nil {
				return c, err
			}
			return c, because(ErrThrottled, "the service left operations unprocessed %d times in a row", attempt)
		}
	}
	return nil, nil
}

// BatchWrite is an operation that can run in a batch: Put and Delete without
// conditions.
type BatchWrite interface {
	batch() (batched, error)
}

// batched is one operation of a batch.
type batched struct {
	site    site
	entity  *entity
	key     string // identity of the item
	put     bool
	request types.WriteRequest
	done    func()
}

func (p PutOp[T]) batch() (batched, error) {
	in, written, err := p.prepare()
	if err != nil {
		return batched{}, err
	}
	if in.ConditionExpression != nil {
		return batched{}, p.site().fail(because(ErrExpression, "a batch has no conditions, and Create and versions need one; use Put of an entity without version, or Transact"))
	}
	return batched{
		site: p.site(), entity: p.d.entity, key: p.d.entity.identity(in.Item), put: true,
		request: types.WriteRequest{PutRequest: &types.PutRequest{Item: in.Item}},
		done:    func() { p.keep(written) },
	}, nil
}

func (o DeleteOp[T]) batch() (batched, error) {
	in, err := o.Input()
	if err != nil {
		return batched{}, err
	}
	if in.ConditionExpression != nil {
		return batched{}, o.site().fail(because(ErrExpression, "a batch has no conditions; use Transact"))
	}
	return batched{
		site: o.site(), entity: o.d.entity, key: o.d.entity.identity(in.Key),
		request: types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: in.Key}},
		done:    func() {},
	}, nil
}

// BatchOp writes and deletes many items, each for itself.
type BatchOp struct {
	writes   []BatchWrite
	pattern  string
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
	var progress func(int)
	if b.progress != nil {
		progress = func(done int) { b.progress(done, len(order)) }
	}
	var chunks []chunk
	for c := range slices.Chunk(order, batchWrites) {
		chunks = append(chunks, c)
	}
	return runChunks(ctx, chunks, progress, func(ctx context.Context, c chunk) (chunk, error) {
		return sendWrites(ctx, b.pattern, ops, c)
	})
}

// compile returns all operations and which of them to send.
func (b BatchOp) compile() ([]batched, []int, error) {
	ops := make([]batched, len(b.writes))
	last := make(map[string]int)
	var order []int
	for i, w := range b.writes {
		op, err := w.batch()
		if err != nil {
			return nil, nil, fmt.Errorf("batch, operation %d: %w", i, err)
		}
		ops[i] = op
		if i > 0 && !sameBackend(op.site.table, ops[0].site.table) {
			return nil, nil, op.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		if j, twice := last[op.key]; twice {
			if ops[j].put != op.put {
				return nil, nil, op.site.fail(because(ErrExpression, "operations %d and %d put and delete one item", j, i))
			}
			order = slices.DeleteFunc(order, func(k int) bool { return k == j })
		}
		last[op.key] = i
		order = append(order, i)
	}
	return ops, order, nil
}

// sendWrites makes one call and returns what it left.
func sendWrites(ctx context.Context, pattern string, ops []batched, c chunk) (chunk, error) {
	in := &dynamodb.BatchWriteItemInput{RequestItems: make(map[string][]types.WriteRequest)}
	for _, i := range c {
		name := ops[i].site.table.name
		in.RequestItems[name] = append(in.RequestItems[name], ops[i].request)
	}
	first := ops[c[0]].site.table
	out, err := call(ctx, site{op: "BatchWriteItem", table: first}.named(pattern), in, first.backend.BatchWriteItem)
	if err != nil {
		return nil, err
	}
	var rest chunk
	for _, i := range c {
		if unwritten(ops[i], out.UnprocessedItems) {
			rest = append(rest, i)
		} else {
			ops[i].done()
		}
	}
	return rest, nil
}

func unwritten(op batched, left map[string][]types.WriteRequest) bool {
	return slices.ContainsFunc(left[op.site.table.name], func(r types.WriteRequest) bool {
		if r.PutRequest != nil {
			return op.put && op.entity.identity(r.PutRequest.Item) == op.key
		}
		return r.DeleteRequest != nil && !op.put && op.entity.identity(r.DeleteRequest.Key) == op.key
	})
}
