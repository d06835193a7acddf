package ddb

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// GetOp reads one item by its primary key.
type GetOp[T any] struct {
	d          *Definition[T]
	key        T
	consistent bool
	hide       bool
	edits      edits[dynamodb.GetItemInput]
}

// Get reads the item whose key is made of the fields of key; other fields do
// not matter.
func (d *Definition[T]) Get(key T) GetOp[T] { return GetOp[T]{d: d, key: key} }

// Consistent makes the read strongly consistent, at twice the capacity.
func (g GetOp[T]) Consistent() GetOp[T] {
	g.consistent = true
	return g
}

// HideExpired treats an item whose expiry is past as if it were gone, which
// DynamoDB sees to only some time later.
func (g GetOp[T]) HideExpired() GetOp[T] {
	g.hide = true
	return g
}

// Edit lets f change the SDK input before it is sent.
func (g GetOp[T]) Edit(f func(*dynamodb.GetItemInput)) GetOp[T] {
	g.edits = g.edits.with(f)
	return g
}

func (g GetOp[T]) site() site { return g.d.site("GetItem", "") }

// Input returns the SDK input that Run sends.
func (g GetOp[T]) Input() (*dynamodb.GetItemInput, error) {
	if err := g.d.entity.table.Err(); err != nil {
		return nil, err
	}
	key, err := g.d.entity.key(reflect.ValueOf(g.key))
	if err != nil {
		return nil, g.site().fail(err)
	}
	in := &dynamodb.GetItemInput{TableName: aws.String(g.d.entity.table.name), Key: key}
	if g.consistent {
		in.ConsistentRead = aws.Bool(true)
	}
	return g.edits.apply(in), nil
}

// Run reads the item. It fails with [ErrNotFound] if there is none, with
// [ErrKey] if part of the key is missing or unfit, and with [ErrEntityType] if
// the item is of another entity.
func (g GetOp[T]) Run(ctx context.Context) (T, error) {
	var none T
	in, err := g.Input()
	if err != nil {
		return none, err
	}
	out, err := call(ctx, g.site(), in, g.d.entity.table.backend.GetItem)
	if err != nil {
		return none, err
	}
	if out.Item == nil {
		return none, g.site().fail(ErrNotFound)
	}
	v, err := g.d.entity.decode(out.Item, g.d.entity.primary)
	if err != nil {
		return none, g.site().fail(err)
	}
	if g.hide && g.d.entity.expired(v.Elem()) {
		return none, g.site().fail(ErrNotFound)
	}
	return *v.Interface().(*T), nil
}

func (d *Definition[T]) site(op, index string) site {
	return site{op: op, table: d.entity.table, index: index, entity: d.entity.name}
}

// edits are a caller's changes to an SDK input, applied in order.
type edits[In any] []func(*In)

func (e edits[In]) with(f func(*In)) edits[In] { return append(e[:len(e):len(e)], f) }

func (e edits[In]) apply(in *In) *In {
	for _, f := range e {
		f(in)
	}
	return in
}
