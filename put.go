package ddb

import (
	"context"
	"errors"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// PutOp writes a whole item.
type PutOp[T any] struct {
	d       *Definition[T]
	item    *T
	create  bool
	cond    cond
	pattern string
	edits   edits[dynamodb.PutItemInput]
}

// Create writes an item that must not exist yet.
func (d *Definition[T]) Create(item *T) PutOp[T] { return PutOp[T]{d: d, item: item, create: true} }

// Put writes an item, replacing the one with its key.
func (d *Definition[T]) Put(item *T) PutOp[T] { return PutOp[T]{d: d, item: item} }

// If adds a condition on the stored item.
func (p PutOp[T]) If(c Cond[T]) PutOp[T] {
	p.cond = p.cond.and(c.c)
	return p
}

// IfExpr adds a condition made with package expression.
func (p PutOp[T]) IfExpr(b expression.ConditionBuilder) PutOp[T] {
	p.cond = p.cond.and(raw(b))
	return p
}

// Edit lets f change the SDK input before it is sent.
func (p PutOp[T]) Edit(f func(*dynamodb.PutItemInput)) PutOp[T] {
	p.edits = p.edits.with(f)
	return p
}

func (p PutOp[T]) site() site { return p.d.site("PutItem", "").named(p.pattern) }

// Input returns the SDK input that Run sends.
func (p PutOp[T]) Input() (*dynamodb.PutItemInput, error) {
	in, _, err := p.prepare()
	return in, err
}

// prepare returns the input, and the value that it writes: the caller's with
// its stamps.
func (p PutOp[T]) prepare() (*dynamodb.PutItemInput, reflect.Value, error) {
	e := p.d.entity
	written := reflect.New(reflect.TypeFor[T]()).Elem()
	if err := e.table.Err(); err != nil {
		return nil, written, err
	}
	if p.item == nil {
		return nil, written, p.site().fail(because(ErrKey, "the item is nil"))
	}
	written.Set(reflect.ValueOf(p.item).Elem())
	e.stamp(written)
	item, err := e.item(written)
	if err != nil {
		return nil, written, p.site().fail(err)
	}
	in := &dynamodb.PutItemInput{TableName: aws.String(e.table.name), Item: item}
	c := e.unchanged(reflect.ValueOf(p.item).Elem()).and(p.cond)
	if p.create {
		c = e.absent().and(p.cond)
	}
	x, err := c.build()
	if err != nil {
		return nil, written, p.site().fail(err)
	}
	if x != nil {
		in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = x.Condition(), x.Names(), x.Values()
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return p.edits.apply(in), written, nil
}

// Run writes the item and sets the version, created and updated fields of the
// caller's value once that has succeeded. Create fails with [ErrExists] if there
// is an item with that key, unless the SDK's client had to send the request
// again and that item is the one it wrote; Put of an entity with a version fails with
// [ErrVersion] if the stored item has another; a condition that is not met fails
// with [ErrConditionFailed]. All carry the stored item in a [*ConditionError].
// Unfit key values fail with [ErrKey] and an item over 400 KB with
// [ErrItemTooLarge], before any call.
func (p PutOp[T]) Run(ctx context.Context) error {
	in, written, err := p.prepare()
	if err != nil {
		return err
	}
	var sent retries
	_, err = callAgain(ctx, p.site(), in, p.d.entity.table.backend.PutItem, &sent)
	if err = p.explain(err); err != nil && !p.ownWork(err, in.Item, &sent) {
		return err
	}
	p.keep(written)
	return nil
}

// ownWork reports whether a Create failed only because the client sent it again
// after a reply was lost: the item that is there is the very one it wrote.
func (p PutOp[T]) ownWork(err error, wrote item, sent *retries) bool {
	failed, ok := errors.AsType[*ConditionError](err)
	return ok && p.create && failed.is == ErrExists && sent.count() > 0 &&
		equalValues(&types.AttributeValueMemberM{Value: failed.Item}, &types.AttributeValueMemberM{Value: wrote})
}

// keep carries the stamps of what was written over to the caller's value.
func (p PutOp[T]) keep(written reflect.Value) {
	p.d.entity.keep(written, reflect.ValueOf(p.item).Elem())
}

func (p PutOp[T]) explain(err error) error {
	if p.create {
		return conditionFailed(err, nil, ErrExists)
	}
	return p.d.entity.explainVersion(conditionFailed(err, nil, nil), reflect.ValueOf(p.item).Elem())
}

// absent and exists are conditions on there being an item at all.
func (e *entity) absent() cond {
	return raw(expression.AttributeNotExists(nameOf(e.primary.pk.attr)))
}

func (e *entity) exists() cond {
	return raw(expression.AttributeExists(nameOf(e.primary.pk.attr)))
}

// build renders a condition on its own; nil stands for none.
func (c cond) build() (*compiled, error) {
	if c.err != nil {
		return nil, c.err
	}
	if !c.set {
		return nil, nil
	}
	return finish(expression.NewBuilder().WithCondition(c.builder))
}

func finish(b expression.Builder) (*compiled, error) {
	x, err := b.Build()
	if err != nil {
		return nil, because(ErrExpression, "%s", err)
	}
	return &compiled{x}, nil
}

// DeleteOp deletes one item.
type DeleteOp[T any] struct {
	d       *Definition[T]
	key     T
	must    bool
	cond    cond
	pattern string
	edits   edits[dynamodb.DeleteItemInput]
}

// Delete deletes the item whose key is made of the fields of key. Deleting an
// item that does not exist succeeds, unless a condition says otherwise. If key
// has a version, as a loaded item does, only that version is deleted.
func (d *Definition[T]) Delete(key T) DeleteOp[T] { return DeleteOp[T]{d: d, key: key} }

// MustExist makes Delete fail with [ErrNotFound] if there is no item.
func (o DeleteOp[T]) MustExist() DeleteOp[T] {
	o.must = true
	return o
}

// If adds a condition on the stored item.
func (o DeleteOp[T]) If(c Cond[T]) DeleteOp[T] {
	o.cond = o.cond.and(c.c)
	return o
}

// IfExpr adds a condition made with package expression.
func (o DeleteOp[T]) IfExpr(b expression.ConditionBuilder) DeleteOp[T] {
	o.cond = o.cond.and(raw(b))
	return o
}

// Edit lets f change the SDK input before it is sent.
func (o DeleteOp[T]) Edit(f func(*dynamodb.DeleteItemInput)) DeleteOp[T] {
	o.edits = o.edits.with(f)
	return o
}

func (o DeleteOp[T]) site() site { return o.d.site("DeleteItem", "").named(o.pattern) }

// Input returns the SDK input that Run sends.
func (o DeleteOp[T]) Input() (*dynamodb.DeleteItemInput, error) {
	e := o.d.entity
	if err := e.table.Err(); err != nil {
		return nil, err
	}
	key, err := e.key(reflect.ValueOf(o.key))
	if err != nil {
		return nil, o.site().fail(err)
	}
	in := &dynamodb.DeleteItemInput{TableName: aws.String(e.table.name), Key: key}
	c := o.cond
	if o.versioned() {
		c = e.unchanged(reflect.ValueOf(o.key)).and(c)
	}
	if o.must {
		c = e.exists().and(c)
	}
	x, err := c.build()
	if err != nil {
		return nil, o.site().fail(err)
	}
	if x != nil {
		in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = x.Condition(), x.Names(), x.Values()
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return o.edits.apply(in), nil
}

// Run deletes the item. A condition that is not met fails with
// [ErrConditionFailed], a version that is not the stored one with [ErrVersion],
// and with MustExist a missing item with [ErrNotFound].
func (o DeleteOp[T]) Run(ctx context.Context) error {
	in, err := o.Input()
	if err != nil {
		return err
	}
	_, err = call(ctx, o.site(), in, o.d.entity.table.backend.DeleteItem)
	return o.explain(err)
}

// versioned reports whether the key is a loaded item's, with its version.
func (o DeleteOp[T]) versioned() bool {
	f := o.d.entity.stamps.version
	return f != nil && versionOf(f.value(reflect.ValueOf(o.key))) != 0
}

func (o DeleteOp[T]) explain(err error) error {
	missing := error(nil)
	if o.must {
		missing = ErrNotFound
	}
	err = conditionFailed(err, missing, nil)
	if o.versioned() {
		return o.d.entity.explainVersion(err, reflect.ValueOf(o.key))
	}
	return err
}
