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
	pattern    string
	consistent bool
	hide       bool
	fields     projection
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

// Project reads only the named attributes, and those that make up key and
// discriminator, so that an item without the named ones is found all the same.
// The value then holds what was read and, of other fields, those that the key
// holds whole. It saves no capacity.
func (g GetOp[T]) Project(attributes ...Handle[T]) GetOp[T] {
	g.fields = project(g.fields, attributes)
	return g
}

// Named says which access pattern the read is, for observers.
func (g GetOp[T]) Named(pattern string) GetOp[T] {
	g.pattern = pattern
	return g
}

// Edit lets f change the SDK input before it is sent.
func (g GetOp[T]) Edit(f func(*dynamodb.GetItemInput)) GetOp[T] {
	g.edits = g.edits.with(f)
	return g
}

func (g GetOp[T]) site() site { return g.d.site("GetItem", "").named(g.pattern) }

// Input returns the SDK input that Run sends.
func (g GetOp[T]) Input() (*dynamodb.GetItemInput, error) {
	in, _, err := g.input()
	return in, err
}

// input returns the input of the first call, and where the item may lie.
func (g GetOp[T]) input() (*dynamodb.GetItemInput, places, error) {
	if err := g.d.defined().table.ready(); err != nil {
		return nil, nil, err
	}
	at, err := g.d.defined().places(reflect.ValueOf(g.key))
	if err != nil {
		return nil, nil, g.site().fail(err)
	}
	in := &dynamodb.GetItemInput{TableName: aws.String(g.d.defined().table.name), Key: at[0]}
	if g.consistent {
		in.ConsistentRead = aws.Bool(true)
	}
	projection, names, err := g.projected()
	if err != nil {
		return nil, nil, g.site().fail(err)
	}
	in.ProjectionExpression, in.ExpressionAttributeNames = projection, names
	at[0] = g.edits.apply(in).Key
	return in, at, nil
}

// projected returns the projection and its placeholders, nil if there is none.
func (g GetOp[T]) projected() (*string, map[string]string, error) {
	return g.fields.express(g.d.defined(), g.hide)
}

// decode makes a value of the item, nil if there is none or it counts as gone.
func (g GetOp[T]) decode(item item) (*T, error) {
	if item == nil {
		return nil, nil
	}
	e := g.d.defined()
	v, err := e.decodeView(item, view{spec: e.primary})
	if err != nil || g.hide && e.expired(v.Elem()) {
		return nil, g.site().fail(err)
	}
	return v.Interface().(*T), nil
}

// Run reads the item. It fails with [ErrNotFound] if there is none, with
// [ErrKey] if part of the key is missing or unfit, and with [ErrEntityType] if
// the item is of another entity.
func (g GetOp[T]) Run(ctx context.Context) (T, error) {
	var none T
	in, at, err := g.input()
	if err != nil {
		return none, err
	}
	found, err := at.find(ctx, g.site(), in)
	if err != nil {
		return none, err
	}
	v, err := g.decode(found)
	switch {
	case err != nil:
		return none, err
	case v == nil:
		return none, g.site().fail(ErrNotFound)
	}
	return *v, nil
}

func (d *Definition[T]) site(op, index string) site {
	return d.defined().site(op).at(index)
}

// edits are a caller's changes to an SDK input, applied in order.
type edits[In any] []func(*In)

func (e edits[In]) with(f func(*In)) edits[In] {
	if f == nil {
		return e
	}
	return append(e[:len(e):len(e)], f)
}

func (e edits[In]) apply(in *In) *In {
	for _, f := range e {
		f(in)
	}
	return in
}
