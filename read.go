package ddb

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

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
	fields projection
	hide   bool
	places func() (places, error)
	decode func(item) (deliver func(), err error)
}

// Into makes the Get part of an operation that reads several items, with dst to
// be filled.
func (g GetOp[T]) Into(dst *Result[T]) Read {
	return Read{
		site: g.site(), entity: g.d.defined(), strong: g.consistent, fields: g.fields, hide: g.hide,
		places: func() (places, error) {
			if dst == nil {
				return nil, g.site().fail(because(ErrExpression, "Into was given nil; give it the Result that is to hold the item"))
			}
			_, at, err := g.input()
			return at, err
		},
		decode: func(item item) (func(), error) {
			v, err := g.decode(item)
			return func() {
				if *dst = (Result[T]{}); v != nil {
					*dst = Result[T]{Value: *v, Found: true}
				}
			}, err
		},
	}
}

// readRaw makes a consistent read of an item as it is stored.
func (e *entity) readRaw(at places, dst *item) Read {
	return Read{
		site: e.site("GetItem"), entity: e, strong: true,
		places: func() (places, error) { return at, nil },
		decode: func(stored item) (func(), error) { return func() { *dst = stored }, nil },
	}
}

// decodeIf makes a value of an item; it is not valid if there is none.
func (e *entity) decodeIf(stored item) (reflect.Value, error) {
	if len(stored) == 0 {
		return reflect.Value{}, nil
	}
	return e.decode(stored, e.primary)
}

// TransactGetOp reads several items at one moment.
type TransactGetOp struct {
	reads   []Read
	pattern string
	edits   edits[dynamodb.TransactGetItemsInput]
}

// TransactGet reads 1 to 100 different items, of any entities and tables of one
// backend, as they are at one moment, at twice the capacity.
func TransactGet(reads ...Read) TransactGetOp { return TransactGetOp{reads: reads} }

// Named says which access pattern the reads are, for observers.
func (t TransactGetOp) Named(pattern string) TransactGetOp {
	t.pattern = pattern
	return t
}

// Edit lets f change the SDK input before it is sent.
func (t TransactGetOp) Edit(f func(*dynamodb.TransactGetItemsInput)) TransactGetOp {
	t.edits = t.edits.with(f)
	return t
}

// Input returns the SDK input that Run sends.
func (t TransactGetOp) Input() (*dynamodb.TransactGetItemsInput, error) {
	in, _, err := t.input()
	return in, err
}

// input also returns which read each part of the transaction is of: one whose item
// may lie in several places has a part for each.
func (t TransactGetOp) input() (in *dynamodb.TransactGetItemsInput, of []int, err error) {
	all, err := readKeys(t.reads, maxActions)
	if err != nil {
		return nil, nil, err
	}
	in = &dynamodb.TransactGetItemsInput{}
	for i, r := range t.reads {
		s, err := newSetting(r)
		if err != nil {
			return nil, nil, err
		}
		for _, key := range all[i] {
			of = append(of, i)
			in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{
				TableName: aws.String(r.entity.table.name), Key: key,
				ProjectionExpression: s.projection, ExpressionAttributeNames: s.names,
			}})
		}
	}
	if n := len(of); n > maxActions {
		return nil, nil, t.reads[0].site.fail(because(ErrExpression,
			"a transaction has 1 to %d operations; with the further places of sharded items these are %d", maxActions, n))
	}
	return t.edits.apply(in), of, nil
}

// Run reads the items into their results, of which it leaves none changed if it
// fails. It is sent again, with growing random pauses, while nothing but
// conflicts and throttling stand against it, up to 10 times. It fails with a
// [*TxError] if the service cancels it.
func (t TransactGetOp) Run(ctx context.Context) error {
	in, of, err := t.input()
	if err != nil {
		return err
	}
	first := t.reads[0].entity.table
	at := site{op: "TransactGetItems", table: first, entity: entityNameOf(t.reads)}.named(t.pattern)
	var out *dynamodb.TransactGetItemsOutput
	err = persist(ctx, attempts, unlucky, func() (err error) {
		out, err = call(ctx, at, in, first.backend.TransactGetItems)
		return err
	})
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return t.explain(cancelled, of)
	}
	if err != nil {
		return err
	}
	got := make([]item, len(t.reads))
	for i, r := range out.Responses {
		if i < len(of) && len(r.Item) > 0 {
			got[of[i]] = r.Item
		}
	}
	return deliver(t.reads, func(i int) item { return got[i] })
}

// explain maps each reason to the read it belongs to.
func (t TransactGetOp) explain(cancelled *types.TransactionCanceledException, of []int) error {
	out := &TxError{Reasons: make([]error, len(t.reads)), cause: cancelled}
	for i, r := range cancelled.CancellationReasons {
		if cause := causeOf(r); cause != nil && i < len(of) {
			out.Reasons[of[i]] = t.reads[of[i]].site.fail(cause)
		}
	}
	return out
}

// deliver puts the item that was got for each read into its result, or none if
// one cannot be decoded.
func deliver(reads []Read, got func(int) item) error {
	deliver := make([]func(), len(reads))
	for i, r := range reads {
		var err error
		if deliver[i], err = r.decode(got(i)); err != nil {
			return err
		}
	}
	for _, d := range deliver {
		d()
	}
	return nil
}

// entityNameOf returns the name of the entity that all reads are of, "" if there
// are several.
func entityNameOf(reads []Read) string {
	return entityOf(reads, func(r Read) *entity { return r.entity })
}

// entityOf returns the name of the entity that all operations are of, "" if there
// are several.
func entityOf[Op any](ops []Op, of func(Op) *entity) string {
	if len(ops) == 0 || slices.ContainsFunc(ops, func(op Op) bool { return of(op) != of(ops[0]) }) {
		return ""
	}
	return of(ops[0]).name
}

// readKeys returns the keys of reads of one backend, at most of so many
// different items as one call takes.
func readKeys(reads []Read, most int) ([]places, error) {
	if n := len(reads); n < 1 || most > 0 && n > most {
		return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "a transaction has 1 to %d operations, not %d", most, n))
	}
	keys := make([]places, len(reads))
	seen := make(map[string]int)
	for i, r := range reads {
		if r.places == nil {
			return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "operation %d is no read; make one with Into", i))
		}
		at, err := r.places()
		if err != nil {
			return nil, err
		}
		if !sameBackend(r.entity.table, reads[0].entity.table) {
			return nil, r.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		id := r.entity.identity(at[0])
		if j, twice := seen[id]; twice && most > 0 {
			return nil, r.site.fail(because(ErrExpression, "operations %d and %d read one item", j, i))
		}
		seen[id] = i
		keys[i] = at
	}
	return keys, nil
}
