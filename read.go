package ddb

import (
	"context"
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
	key    func() (item, error)
	decode func(item) (deliver func(), err error)
}

// Into makes the Get part of an operation that reads several items, with dst to
// be filled.
func (g GetOp[T]) Into(dst *Result[T]) Read {
	return Read{
		site: g.site(), entity: g.d.entity, strong: g.consistent, fields: g.fields, hide: g.hide,
		key: func() (item, error) {
			in, err := g.Input()
			if err != nil {
				return nil, err
			}
			return in.Key, nil
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
	keys, err := readKeys(t.reads, maxActions)
	if err != nil {
		return nil, err
	}
	in := &dynamodb.TransactGetItemsInput{}
	for i, r := range t.reads {
		s, err := newSetting(r)
		if err != nil {
			return nil, err
		}
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{
			TableName: aws.String(r.entity.table.name), Key: keys[i],
			ProjectionExpression: s.projection, ExpressionAttributeNames: s.names,
		}})
	}
	return t.edits.apply(in), nil
}

// Run reads the items into their results, of which it leaves none changed if it
// fails. It is sent again, with growing random pauses, while nothing but
// conflicts and throttling stand against it.
func (t TransactGetOp) Run(ctx context.Context) error {
	in, err := t.Input()
	if err != nil {
		return err
	}
	first := t.reads[0].entity.table
	at := site{op: "TransactGetItems", table: first, entity: entityNameOf(t.reads)}.named(t.pattern)
	out, err := retryTx(ctx, func() (*dynamodb.TransactGetItemsOutput, error) {
		return call(ctx, at, in, first.backend.TransactGetItems)
	})
	if err != nil {
		return err
	}
	return deliver(t.reads, func(i int) item {
		if i < len(out.Responses) {
			return out.Responses[i].Item
		}
		return nil
	})
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
	e := reads[0].entity
	if slices.ContainsFunc(reads, func(r Read) bool { return r.entity != e }) {
		return ""
	}
	return e.name
}

// readKeys returns the keys of reads of one backend, at most of so many
// different items as one call takes.
func readKeys(reads []Read, most int) ([]item, error) {
	if n := len(reads); n < 1 || most > 0 && n > most {
		return nil, because(ErrExpression, "a transaction has 1 to %d operations, not %d", most, n)
	}
	keys := make([]item, len(reads))
	seen := make(map[string]bool)
	for i, r := range reads {
		key, err := r.key()
		if err != nil {
			return nil, err
		}
		if !sameBackend(r.entity.table, reads[0].entity.table) {
			return nil, r.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		id := r.entity.identity(key)
		if most > 0 && seen[id] {
			return nil, r.site.fail(because(ErrExpression, "operation %d is the second on one item", i))
		}
		seen[id] = true
		keys[i] = key
	}
	return keys, nil
}
