package ddb

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Result is where an operation that reads several items puts one of them. That
// an item is absent is told apart from one that is empty.
type Result[T any] struct {
	Value T
	Found bool
}

// Read is a Get whose item goes into a [Result], for [BatchGet] and
// [TransactGet]. Make one with Into.
type Read struct {
	site   site
	entity *entity
	strong bool
	key    func() (item, error)
	// decode reads an item, nil for none, and returns what puts it in its place.
	decode func(item) (deliver func(), err error)
}

// Into makes the Get part of an operation that reads several items, with dst to
// be filled.
func (g GetOp[T]) Into(dst *Result[T]) Read {
	return Read{
		site: g.site(), entity: g.d.entity, strong: g.consistent,
		key: func() (item, error) {
			in, err := g.Input()
			if err != nil {
				return nil, err
			}
			return in.Key, nil
		},
		decode: func(stored item) (func(), error) {
			r, err := resultOf[T](g.d.entity.decodeIf(stored))
			if err == nil && g.hide && g.d.entity.expired(reflect.ValueOf(r.Value)) {
				r = Result[T]{}
			}
			return func() { *dst = r }, g.site().fail(err)
		},
	}
}

// decodeIf makes a value of an item; it is not valid if there is none.
func (e *entity) decodeIf(stored item) (reflect.Value, error) {
	if len(stored) == 0 {
		return reflect.Value{}, nil
	}
	return e.decode(stored, e.primary)
}

// readRaw makes a consistent read of an item as it is stored.
func (e *entity) readRaw(key item, dst *item) Read {
	return Read{
		site: e.site("GetItem"), entity: e, strong: true,
		key:    func() (item, error) { return key, nil },
		decode: func(stored item) (func(), error) { return func() { *dst = stored }, nil },
	}
}

// TransactGetOp reads several items at one moment.
type TransactGetOp struct{ reads []Read }

// TransactGet reads 1 to 100 different items, of any entities and tables of one
// backend, as they are at one moment, at twice the capacity.
func TransactGet(reads ...Read) TransactGetOp { return TransactGetOp{reads} }

// Run reads the items into their results, of which it leaves none changed if it
// fails. It is sent again, with growing random pauses, while nothing but
// conflicts and throttling stand against it, up to 10 times. It fails with a
// [*TxError] if the service cancels it.
func (t TransactGetOp) Run(ctx context.Context) error {
	keys, err := readKeys(t.reads, maxActions)
	if err != nil {
		return err
	}
	in := &dynamodb.TransactGetItemsInput{}
	for i, r := range t.reads {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{
			Get: &types.Get{TableName: aws.String(r.entity.table.name), Key: keys[i]},
		})
	}
	first := t.reads[0].entity.table
	var out *dynamodb.TransactGetItemsOutput
	err = persist(ctx, unlucky, func() (err error) {
		out, err = call(ctx, site{op: "TransactGetItems", table: first}, in, first.backend.TransactGetItems)
		return err
	})
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return t.explain(cancelled)
	}
	if err != nil {
		return err
	}
	deliver := make([]func(), len(t.reads))
	for i, r := range t.reads {
		var got item
		if i < len(out.Responses) {
			got = out.Responses[i].Item
		}
		if deliver[i], err = r.decode(got); err != nil {
			return inTransaction(i, err)
		}
	}
	for _, f := range deliver {
		f()
	}
	return nil
}

func (t TransactGetOp) explain(cancelled *types.TransactionCanceledException) error {
	out := &TxError{Reasons: make([]error, len(t.reads)), cause: cancelled}
	for i, r := range cancelled.CancellationReasons {
		if i < len(t.reads) {
			out.Reasons[i] = t.reads[i].site.fail(causeOf(r))
		}
	}
	return out
}

// readKeys returns the keys of reads of one backend, at most of so many
// different items as one call takes.
func readKeys(reads []Read, most int) ([]item, error) {
	if n := len(reads); n < 1 || most > 0 && n > most {
		return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "a transaction has 1 to %d operations, not %d", most, n))
	}
	keys := make([]item, len(reads))
	seen := make(map[string]int)
	for i, r := range reads {
		if r.key == nil {
			return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "operation %d is no read; make one with Into", i))
		}
		key, err := r.key()
		if err != nil {
			return nil, err
		}
		if !sameBackend(r.entity.table, reads[0].entity.table) {
			return nil, r.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		id := r.entity.identity(key)
		if j, twice := seen[id]; twice && most > 0 {
			return nil, r.site.fail(because(ErrExpression, "operations %d and %d read one item", j, i))
		}
		seen[id] = i
		keys[i] = key
	}
	return keys, nil
}

// BatchGet reads many items at once, of any entities and tables of one backend,
// in as many calls of up to 100 as that takes. A key given twice is read once, and
// delivered twice. What the service leaves is asked for again.
func BatchGet(reads ...Read) BatchGetOp { return BatchGetOp{reads: reads} }

// GetAll reads the items with the given keys and returns them in that order,
// nil for those that do not exist.
func (d *Definition[T]) GetAll(ctx context.Context, keys ...T) ([]*T, error) {
	results := make([]Result[T], len(keys))
	reads := make([]Read, len(keys))
	for i, k := range keys {
		reads[i] = d.Get(k).Into(&results[i])
	}
	if err := BatchGet(reads...).Run(ctx); err != nil {
		return nil, err
	}
	out := make([]*T, len(keys))
	for i := range results {
		if results[i].Found {
			out[i] = &results[i].Value
		}
	}
	return out, nil
}
