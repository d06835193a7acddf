package ddb

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DeleteOp deletes one item.
type DeleteOp[T any] struct{ op *deleteOp }

// deleteOp is a [DeleteOp], whatever its entity.
type deleteOp struct {
	e       *entity
	pattern string
	key     reflect.Value
	must    bool
	old     bool // return the item
	hide    bool // an expired item is as none
	cond    cond
	edits   edits[dynamodb.DeleteItemInput]
}

// Delete deletes the item whose key is made of the fields of key. Deleting an
// item that does not exist succeeds, unless a condition says otherwise. If key
// has a version, as a loaded item does, only that version is deleted. Of which
// entity the item is matters to MustExist alone.
func (d *Definition[T]) Delete(key T) DeleteOp[T] {
	return DeleteOp[T]{&deleteOp{e: d.defined(), key: reflect.ValueOf(key)}}
}

// MustExist makes Delete fail with [ErrNotFound] if there is no item, and with
// [ErrEntityType] if it is not of the entity.
func (o DeleteOp[T]) MustExist() DeleteOp[T] {
	return DeleteOp[T]{o.op.mustExist()}
}

// HideExpired treats an item whose expiry is past as if it were gone, which
// DynamoDB sees to only some time later: under a condition, a version or
// MustExist, Delete leaves it alone and fails as if there were none.
func (o DeleteOp[T]) HideExpired() DeleteOp[T] { return DeleteOp[T]{o.op.hiding()} }

// If adds a condition on the stored item.
func (o DeleteOp[T]) If(c Cond[T]) DeleteOp[T] {
	return DeleteOp[T]{o.op.and(c.c.value())}
}

// IfExpr adds a condition made with package expression.
func (o DeleteOp[T]) IfExpr(b expression.ConditionBuilder) DeleteOp[T] {
	return DeleteOp[T]{o.op.and(raw(b))}
}

// Named says which access pattern the write is, for observers.
func (o DeleteOp[T]) Named(pattern string) DeleteOp[T] { return DeleteOp[T]{o.op.named(pattern)} }

// Edit lets f change the SDK input before it is sent, also as a part of a
// transaction, which takes the members that it knows.
func (o DeleteOp[T]) Edit(f func(*dynamodb.DeleteItemInput)) DeleteOp[T] {
	return DeleteOp[T]{o.op.with(f)}
}

// Input returns the SDK input that Run sends. An item with unique fields is
// deleted together with their markers; see [TxOp.Input] for the whole.
func (o DeleteOp[T]) Input() (*dynamodb.DeleteItemInput, error) {
	d, err := o.op.draft()
	if err != nil {
		return nil, err
	}
	return o.op.input(d)
}

// Run deletes the item. A condition that is not met fails with
// [ErrConditionFailed], a version that is not the stored one with [ErrVersion],
// and with MustExist a missing item with [ErrNotFound].
func (o DeleteOp[T]) Run(ctx context.Context) error {
	return o.op.run(ctx)
}

// RunOld does what Run does, and returns the item that was deleted. If that
// cannot be read, it fails, and the item is gone.
func (o DeleteOp[T]) RunOld(ctx context.Context) (Result[T], error) {
	return resultOf[T](o.op.runOld(ctx))
}

func (o DeleteOp[T]) draft() (*draft, error)  { return o.op.draft() }
func (o DeleteOp[T]) batch() (batched, error) { return o.op.batch() }

// and returns the operation under a further condition.
func (o *deleteOp) and(c cond) *deleteOp {
	more := *orZero(o)
	more.cond = more.cond.and(c)
	return &more
}

func (o *deleteOp) mustExist() *deleteOp {
	more := *orZero(o)
	more.must = true
	return &more
}

func (o *deleteOp) hiding() *deleteOp {
	more := *orZero(o)
	more.hide = true
	return &more
}

func (o *deleteOp) with(edit func(*dynamodb.DeleteItemInput)) *deleteOp {
	more := *orZero(o)
	more.edits = more.edits.with(edit)
	return &more
}

func (o *deleteOp) named(pattern string) *deleteOp {
	more := *orZero(o)
	more.pattern = pattern
	return &more
}

func (o *deleteOp) site() site { return o.e.known().site("DeleteItem").named(o.pattern) }

func (o *deleteOp) run(ctx context.Context) error {
	d, err := o.draft()
	if err != nil {
		return err
	}
	_, err = d.run(ctx)
	return err
}

func (o *deleteOp) runOld(ctx context.Context) (reflect.Value, error) {
	back := *orZero(o)
	back.old = true
	d, err := back.draft()
	if err != nil {
		return reflect.Value{}, err
	}
	return d.decodeStored(d.run(ctx))
}

func (o *deleteOp) draft() (*draft, error) {
	o = orZero(o)
	e, s := o.e.known(), o.site()
	if err := e.accepts(o.cond, s); err != nil {
		return nil, err
	}
	places, err := e.places(o.key)
	if err != nil {
		return nil, s.fail(err)
	}
	d := &draft{site: s, entity: e, key: places[0], places: places, explain: o.explain}
	d.compile = func(guard cond) (request, error) { return o.compile(d.key, guard) }
	if len(e.unique) > 0 {
		d.unique = uniqueUse{watch: e.unique, whole: o.old, after: func(item, request) item { return nil }}
	}
	return d, nil
}

func (o *deleteOp) compile(key item, guard cond) (request, error) {
	c := guard.and(o.cond)
	if o.versioned() {
		c = o.e.unchanged(o.key).and(c)
	}
	if o.must {
		c = o.e.exists().and(c)
	}
	if asked := o.must || o.versioned() || o.cond.set; asked && o.hide {
		c = o.e.alive().and(c)
	}
	x, err := c.build()
	if err != nil {
		return nil, o.site().fail(err)
	}
	in := &dynamodb.DeleteItemInput{TableName: aws.String(o.e.table.name), Key: key}
	if x != nil {
		in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = x.Condition(), x.Names(), x.Values()
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	if o.old {
		in.ReturnValues = types.ReturnValueAllOld
	}
	return deleteRequest{o.edits.apply(in)}, nil
}

func (o *deleteOp) input(d *draft) (*dynamodb.DeleteItemInput, error) {
	r, err := d.compile(cond{})
	if err != nil {
		return nil, err
	}
	return r.(deleteRequest).DeleteItemInput, nil
}

// versioned reports whether the key is a loaded item's, with its version.
func (o *deleteOp) versioned() bool {
	f := o.e.stamps.version
	return f != nil && versionOf(f.value(o.key)) != 0
}

func (o *deleteOp) explain(err error) error {
	missing := ErrConditionFailed
	if o.must {
		missing = ErrNotFound
	}
	err = o.e.conditionFailed(err, missing, nil)
	if o.hide {
		err = o.e.explainGone(err, missing)
	}
	if o.versioned() {
		return o.e.explainVersion(err, o.key)
	}
	return err
}
