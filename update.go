package ddb

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// UpdateOp changes attributes of one item that exists.
type UpdateOp[T any] struct {
	d       *Definition[T]
	key     T
	upsert  bool
	from    *T
	assigns []assign
	cond    cond
	pattern string
	edits   edits[dynamodb.UpdateItemInput]
}

// Update changes the item whose key is made of the fields of key. It touches
// only what Set names and the keys of the indexes that hang on that.
func (d *Definition[T]) Update(key T) UpdateOp[T] { return UpdateOp[T]{d: d, key: key} }

// Upsert changes the item whose key is made of the fields of key, and creates it
// if it does not exist, complete with the attributes behind its key. A created
// time is set then and not changed later.
func (d *Definition[T]) Upsert(key T) UpdateOp[T] { return UpdateOp[T]{d: d, key: key, upsert: true} }

// Set adds changes. Each attribute can be changed once.
func (u UpdateOp[T]) Set(changes ...Assign[T]) UpdateOp[T] {
	u.assigns = u.assigns[:len(u.assigns):len(u.assigns)]
	for _, c := range changes {
		u.assigns = append(u.assigns, c.a)
	}
	return u
}

// From passes the loaded item, so that index keys can be made that also need
// fields which the update does not set. The update then fails with
// [ErrConditionFailed] if one of those fields has changed since, and with
// [ErrVersion] if the item has a version and that has.
func (u UpdateOp[T]) From(loaded T) UpdateOp[T] {
	u.from = &loaded
	return u
}

// If adds a condition on the stored item.
func (u UpdateOp[T]) If(c Cond[T]) UpdateOp[T] {
	u.cond = u.cond.and(c.c)
	return u
}

// IfExpr adds a condition made with package expression.
func (u UpdateOp[T]) IfExpr(b expression.ConditionBuilder) UpdateOp[T] {
	u.cond = u.cond.and(raw(b))
	return u
}

// Edit lets f change the SDK input before it is sent.
func (u UpdateOp[T]) Edit(f func(*dynamodb.UpdateItemInput)) UpdateOp[T] {
	u.edits = u.edits.with(f)
	return u
}

func (u UpdateOp[T]) site() site { return u.d.site("UpdateItem", "").named(u.pattern) }

// Input returns the SDK input that Run sends.
func (u UpdateOp[T]) Input() (*dynamodb.UpdateItemInput, error) {
	e := u.d.entity
	if err := e.table.Err(); err != nil {
		return nil, err
	}
	key, err := e.key(reflect.ValueOf(u.key))
	if err != nil {
		return nil, u.site().fail(err)
	}
	x, err := u.expression()
	if err != nil {
		return nil, u.site().fail(err)
	}
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String(e.table.name), Key: key,
		UpdateExpression: x.Update(), ConditionExpression: x.Condition(),
		ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
		ReturnValues: types.ReturnValueAllNew,
	}
	if in.ConditionExpression != nil {
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return u.edits.apply(in), nil
}

// expression renders the changes, the index upkeep and the conditions.
func (u UpdateOp[T]) expression() (*compiled, error) {
	e := u.d.entity
	if err := e.checkAssigns(u.assigns); err != nil {
		return nil, err
	}
	k := &knowledge{e: e, assigns: u.assigns, key: reflect.ValueOf(u.key), upsert: u.upsert}
	if u.from != nil {
		k.from = reflect.ValueOf(*u.from)
	}
	changes, err := k.keyChanges()
	if err != nil {
		return nil, err
	}
	var parts updateParts
	for _, a := range u.assigns {
		a.apply(&parts)
	}
	for _, c := range changes {
		parts.column(c)
	}
	if err := k.stamps(&parts); err != nil {
		return nil, err
	}
	c, err := k.condition()
	if err != nil {
		return nil, err
	}
	if !u.upsert {
		c = e.exists().and(c)
	}
	c = c.and(u.cond)
	if c.err != nil {
		return nil, c.err
	}
	b := expression.NewBuilder().WithUpdate(parts.b)
	if c.set {
		b = b.WithCondition(c.builder)
	}
	return finish(b)
}

// Run changes the item and returns it as it is afterwards. Update fails with
// [ErrNotFound] if there is no item (nothing is stored then), with
// [ErrConditionFailed] and the stored item if a condition is not met, and before
// any call with [ErrKeyChange] if a change would alter the primary key, or with
// [ErrIndexPartMissing] if an index key hangs on a field that is neither set,
// nor in the key, nor passed with From.
func (u UpdateOp[T]) Run(ctx context.Context) (T, error) {
	var none T
	in, err := u.Input()
	if err != nil {
		return none, err
	}
	out, err := call(ctx, u.site(), in, u.d.entity.table.backend.UpdateItem)
	if err != nil {
		return none, u.explain(err)
	}
	v, err := u.d.entity.decode(out.Attributes, u.d.entity.primary)
	if err != nil {
		return none, u.site().fail(err)
	}
	return *v.Interface().(*T), nil
}

func (u UpdateOp[T]) explain(err error) error {
	missing := ErrNotFound
	if u.upsert {
		missing = nil
	}
	err = conditionFailed(err, missing, nil)
	if u.from != nil {
		return u.d.entity.explainVersion(err, reflect.ValueOf(*u.from))
	}
	return err
}
