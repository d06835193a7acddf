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
type UpdateOp[T any] struct{ op *updateOp }

// updateOp is an [UpdateOp], whatever its entity.
type updateOp struct {
	e       *entity
	pattern string
	key     reflect.Value
	upsert  bool
	from    reflect.Value // the loaded item, if given
	old     bool          // return the item as it was before
	hide    bool          // an expired item is as none
	assigns []*assign
	cond    cond
	edits   edits[dynamodb.UpdateItemInput]
}

// Update changes the item whose key is made of the fields of key. It touches
// only what Set names and the keys of the indexes that hang on that.
func (d *Definition[T]) Update(key T) UpdateOp[T] {
	return UpdateOp[T]{&updateOp{e: d.defined(), key: reflect.ValueOf(key)}}
}

// Upsert changes the item whose key is made of the fields of key, and creates it
// if it does not exist, complete with the attributes behind its key. A created
// time is set then and not changed later. Whether there is an item is not known
// beforehand, so that every field which an index key needs must be set, with
// [Attribute.SetIfAbsent] if it is a key attribute by itself, or be part of the key;
// a field with the option omitempty may be left out, and the item of that index then.
// An item of another entity, or without a discriminator, is left as it is.
func (d *Definition[T]) Upsert(key T) UpdateOp[T] {
	return UpdateOp[T]{&updateOp{e: d.defined(), key: reflect.ValueOf(key), upsert: true}}
}

// Set adds changes. Each attribute can be changed once.
func (u UpdateOp[T]) Set(changes ...Assign[T]) UpdateOp[T] {
	had := orZero(u.op).assigns
	all := had[:len(had):len(had)]
	for _, c := range changes {
		all = append(all, c.a)
	}
	return UpdateOp[T]{u.op.setting(all)}
}

// From passes the loaded item, so that index keys can be made that also need
// fields which the update does not set, and unique values be changed without
// reading them. The update then fails with [ErrConditionFailed] if one of those
// fields has changed since, and with [ErrVersion] if the item has a version and
// that has.
func (u UpdateOp[T]) From(loaded T) UpdateOp[T] {
	return UpdateOp[T]{u.op.loaded(reflect.ValueOf(loaded))}
}

// HideExpired treats an item whose expiry is past as if it were gone, which
// DynamoDB sees to only some time later: Update then fails with [ErrNotFound].
// Upsert cannot, since it would have to take away what the expired item has; use
// Create or Put.
func (u UpdateOp[T]) HideExpired() UpdateOp[T] { return UpdateOp[T]{u.op.hiding()} }

// If adds a condition on the stored item.
func (u UpdateOp[T]) If(c Cond[T]) UpdateOp[T] {
	return UpdateOp[T]{u.op.and(c.c.value())}
}

// IfExpr adds a condition made with package expression.
func (u UpdateOp[T]) IfExpr(b expression.ConditionBuilder) UpdateOp[T] {
	return UpdateOp[T]{u.op.and(raw(b))}
}

// Named says which access pattern the write is, for observers.
func (u UpdateOp[T]) Named(pattern string) UpdateOp[T] { return UpdateOp[T]{u.op.named(pattern)} }

// Edit lets f change the SDK input before it is sent, also as a part of a
// transaction, which takes the members that it knows. What f does to the changes
// is not seen when index keys and markers of unique values are made.
func (u UpdateOp[T]) Edit(f func(*dynamodb.UpdateItemInput)) UpdateOp[T] {
	return UpdateOp[T]{u.op.with(f)}
}

// Input returns the SDK input that Run sends. A change of a unique field is made
// together with its markers; see [TxOp.Input] for the whole.
func (u UpdateOp[T]) Input() (*dynamodb.UpdateItemInput, error) {
	return u.op.input()
}

// Run changes the item and returns it as it is afterwards. Update fails with
// [ErrNotFound] if there is no item (nothing is stored then), and both it and Upsert
// with [ErrEntityType] if the item is not of the entity (it is not changed then),
// with [ErrConditionFailed] and the stored item if a condition is not met, and before
// any call with [ErrKeyChange] if a change would alter the primary key, or with
// [ErrIndexPartMissing] if an index key hangs on a field that is neither set,
// nor in the key, nor passed with From.
//
// A unique field whose new value another item has fails with a [*UniqueError]. A
// change of one is a transaction, which brings nothing back: the item is then read
// right after, and may show later writes as well. If that read fails, so does Run,
// with an [*OpError] of GetItem, and the change is made.
func (u UpdateOp[T]) Run(ctx context.Context) (T, error) {
	after, err := resultOf[T](u.op.run(ctx))
	return after.Value, err
}

// RunOld does what Run does, and returns the item as it was before. If that cannot
// be read, it fails, and the change is made.
func (u UpdateOp[T]) RunOld(ctx context.Context) (Result[T], error) {
	return resultOf[T](u.op.runOld(ctx))
}

func (u UpdateOp[T]) draft() (*draft, error) { return u.op.draft() }

// and returns the operation under a further condition.
func (u *updateOp) and(c cond) *updateOp {
	more := *orZero(u)
	more.cond = more.cond.and(c)
	return &more
}

func (u *updateOp) hiding() *updateOp {
	more := *orZero(u)
	more.hide = true
	return &more
}

func (u *updateOp) with(edit func(*dynamodb.UpdateItemInput)) *updateOp {
	more := *orZero(u)
	more.edits = more.edits.with(edit)
	return &more
}

func (u *updateOp) named(pattern string) *updateOp {
	more := *orZero(u)
	more.pattern = pattern
	return &more
}

func (u *updateOp) site() site { return u.e.known().site("UpdateItem").named(u.pattern) }

func (u *updateOp) setting(assigns []*assign) *updateOp {
	more := *orZero(u)
	more.assigns = assigns
	return &more
}

func (u *updateOp) loaded(from reflect.Value) *updateOp {
	more := *orZero(u)
	more.from = from
	return &more
}

func (u *updateOp) input() (*dynamodb.UpdateItemInput, error) {
	d, err := u.draft()
	if err != nil {
		return nil, err
	}
	r, err := d.compile(cond{})
	if err != nil {
		return nil, err
	}
	return r.(updateRequest).UpdateItemInput, nil
}

func (u *updateOp) run(ctx context.Context) (reflect.Value, error) {
	d, err := u.draft()
	if err != nil {
		return reflect.Value{}, err
	}
	return d.decodeStored(d.run(ctx))
}

func (u *updateOp) runOld(ctx context.Context) (reflect.Value, error) {
	back := *orZero(u)
	back.old = true
	return back.run(ctx)
}

func (u *updateOp) draft() (*draft, error) {
	u = orZero(u)
	e, s := u.e.known(), u.site()
	if err := e.accepts(u.cond, s); err != nil {
		return nil, err
	}
	if u.upsert && u.hide {
		return nil, s.fail(because(ErrExpression, "Upsert cannot hide an expired item, since it keeps what it does not change; use Create or Put"))
	}
	places, err := e.places(u.key)
	if err != nil {
		return nil, s.fail(err)
	}
	if err := e.checkAssigns(u.assigns); err != nil {
		return nil, s.fail(err)
	}
	d := &draft{site: s, entity: e, key: places[0], places: places, explain: u.explain}
	if u.upsert {
		d.makes = makesAbsent
	}
	d.compile = func(guard cond) (request, error) { return u.compile(d.key, guard) }
	if d.unique, err = u.uniqueUse(); err != nil {
		return nil, s.fail(err)
	}
	return d, nil
}

func (u *updateOp) compile(key item, guard cond) (request, error) {
	x, err := u.expression(guard)
	if err != nil {
		return nil, u.site().fail(err)
	}
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String(u.e.table.name), Key: key,
		UpdateExpression: x.Update(), ConditionExpression: x.Condition(),
		ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if u.old {
		in.ReturnValues = types.ReturnValueAllOld
	}
	return updateRequest{u.edits.apply(in)}, nil
}

// expression renders the changes, the index upkeep and the conditions.
func (u *updateOp) expression(guard cond) (*compiled, error) {
	e := u.e
	k := &knowledge{e: e, assigns: u.assigns, key: u.key, from: u.from, upsert: u.upsert}
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
	here := e.exists()
	if u.upsert {
		here = e.absent().or(here)
	}
	c = here.and(c)
	for _, a := range u.assigns {
		if a.room != nil {
			c = c.and(a.room.cond(a.h))
		}
	}
	if u.hide {
		c = c.and(e.alive())
	}
	c = c.and(guard).and(u.cond)
	if c.err != nil {
		return nil, c.err
	}
	return finish(expression.NewBuilder().WithUpdate(parts.b).WithCondition(c.builder))
}

// uniqueUse returns what the update does to unique fields. Their stored values
// come from the loaded item if there is one.
func (u *updateOp) uniqueUse() (uniqueUse, error) {
	e := u.e
	use := uniqueUse{fresh: !u.old}
	for _, f := range e.unique {
		for _, a := range u.assigns {
			if a.h.top == f.field && a.state == partComputed && a.first == nil {
				return use, a.h.refuse(because(ErrKeyChange, "it is unique, so that its value must be known; read the item and set the result"))
			}
		}
	}
	use.watch = e.sharing(func(f *uniqueField) bool {
		return assigned(u.assigns, f.field) || u.upsert && e.primary.uses(f.field)
	})
	if len(use.watch) == 0 {
		return use, nil
	}
	use.whole = u.old
	use.after = func(stored item, _ request) item { return u.uniqueAfter(use.watch, stored) }
	if u.from.IsValid() && !u.old {
		loaded, err := e.plan.encodeItem(u.from)
		if err != nil {
			return use, err
		}
		use.stored, use.known = loaded, true
	}
	return use, nil
}

// uniqueAfter returns what unique fields hold after the update of an item.
func (u *updateOp) uniqueAfter(fields []*uniqueField, stored item) item {
	after := make(item, len(fields))
	for _, f := range fields {
		av := stored[f.attr]
		if u.e.primary.uses(f.field) {
			av, _ = f.codec().encode(f.value(u.key)) // keyFields reports the error
		}
		for _, a := range u.assigns {
			if a.h.top == f.field && (a.first == nil || av == nil) {
				if av = a.av; a.first != nil {
					av = a.first
				}
			}
		}
		if av != nil {
			after[f.attr] = av
		}
	}
	return after
}

func (u *updateOp) explain(err error) error {
	missing := ErrNotFound
	if u.upsert {
		missing = nil
	}
	err = u.e.conditionFailed(err, missing, nil)
	if u.hide {
		err = u.e.explainGone(err, missing)
	}
	if u.from.IsValid() {
		err = u.e.explainVersion(err, u.from)
	}
	return u.explainSums(err)
}
