package ddb

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// PutOp writes a whole item: the one that the caller's pointer leads to when the
// operation runs, alone, in a transaction or in a batch, and each time it does. Run
// then sets version and times of that value. So the value must not be used by others
// meanwhile, nor the operation run by several goroutines at once; those need values
// of their own.
type PutOp[T any] struct{ op *putOp }

// putOp is a [PutOp], whatever its entity. The code of operations is in types
// without parameters, so that it is compiled once and not for each entity.
type putOp struct {
	e       *entity
	pattern string
	item    reflect.Value // the caller's pointer
	create  bool
	old     bool // return the item that was replaced
	hide    bool // an expired item is as none
	cond    cond
	edits   edits[dynamodb.PutItemInput]
}

// Create writes an item that must not exist yet.
func (d *Definition[T]) Create(item *T) PutOp[T] {
	return PutOp[T]{&putOp{e: d.defined(), item: reflect.ValueOf(item), create: true}}
}

// Put writes an item, replacing the one with its key, whatever entity that is of.
func (d *Definition[T]) Put(item *T) PutOp[T] {
	return PutOp[T]{&putOp{e: d.defined(), item: reflect.ValueOf(item)}}
}

// If adds a condition on the stored item.
func (p PutOp[T]) If(c Cond[T]) PutOp[T] {
	return PutOp[T]{p.op.and(c.c.value())}
}

// IfExpr adds a condition made with package expression.
func (p PutOp[T]) IfExpr(b expression.ConditionBuilder) PutOp[T] {
	return PutOp[T]{p.op.and(raw(b))}
}

// HideExpired treats a stored item whose expiry is past as if it were gone, which
// DynamoDB sees to only some time later: Create replaces it, and Put does whatever
// its version is. Conditions of If are on the item as it is stored.
func (p PutOp[T]) HideExpired() PutOp[T] { return PutOp[T]{p.op.hiding()} }

// Named says which access pattern the write is, for observers.
func (p PutOp[T]) Named(pattern string) PutOp[T] { return PutOp[T]{p.op.named(pattern)} }

// Edit lets f change the SDK input before it is sent, also as a part of a
// transaction, which takes the members that it knows.
func (p PutOp[T]) Edit(f func(*dynamodb.PutItemInput)) PutOp[T] {
	return PutOp[T]{p.op.with(f)}
}

// Input returns the SDK input that Run sends. An item with unique fields is
// written together with their markers; see [TxOp.Input] for the whole.
func (p PutOp[T]) Input() (*dynamodb.PutItemInput, error) {
	d, err := p.op.draft()
	if err != nil {
		return nil, err
	}
	return p.op.input(d)
}

// Run writes the item and sets the version, created and updated fields of the
// caller's value once that has succeeded. Create fails with [ErrExists] if there
// is an item with that key; Put of an entity with a version fails with
// [ErrVersion] if the stored item has another; neither does so because the SDK's
// client had to send the request again and finds the item that it wrote. A
// condition that is not met fails with [ErrConditionFailed]. All carry the stored
// item in a [*ConditionError]. A unique field whose value another item has fails
// with a [*UniqueError]. Unfit key values fail with [ErrKey] and an item over
// 400 KB with [ErrItemTooLarge], before any call.
func (p PutOp[T]) Run(ctx context.Context) error {
	return p.op.run(ctx)
}

// RunOld does what Run does, and returns the item that was replaced. If that
// cannot be read, it fails, and the write is done.
func (p PutOp[T]) RunOld(ctx context.Context) (Result[T], error) {
	return resultOf[T](p.op.runOld(ctx))
}

func (p PutOp[T]) draft() (*draft, error)  { return p.op.draft() }
func (p PutOp[T]) batch() (batched, error) { return p.op.batch() }

// and returns the operation under a further condition.
func (p *putOp) and(c cond) *putOp {
	more := *orZero(p)
	more.cond = more.cond.and(c)
	return &more
}

func (p *putOp) hiding() *putOp {
	more := *orZero(p)
	more.hide = true
	return &more
}

func (p *putOp) with(edit func(*dynamodb.PutItemInput)) *putOp {
	more := *orZero(p)
	more.edits = more.edits.with(edit)
	return &more
}

func (p *putOp) named(pattern string) *putOp {
	more := *orZero(p)
	more.pattern = pattern
	return &more
}

func (p *putOp) site() site { return p.e.known().site("PutItem").named(p.pattern) }

func (p *putOp) run(ctx context.Context) error {
	d, err := p.draft()
	if err != nil {
		return err
	}
	_, err = d.run(ctx)
	return err
}

func (p *putOp) runOld(ctx context.Context) (reflect.Value, error) {
	back := *orZero(p)
	back.old = true
	d, err := back.draft()
	if err != nil {
		return reflect.Value{}, err
	}
	return d.decodeStored(d.run(ctx))
}

// make returns the caller's value, a copy if it gets stamps, and its stored form.
func (p *putOp) make() (written reflect.Value, made item, err error) {
	e, s := p.e.known(), p.site()
	if err := e.accepts(p.cond, s); err != nil {
		return written, nil, err
	}
	if p.item.IsNil() {
		return written, nil, s.fail(because(ErrKey, "the item is nil"))
	}
	caller := p.item.Elem()
	e.drawShards(caller)
	if written = caller; len(e.stamps.written) > 0 {
		written = reflect.New(e.plan.typ).Elem()
		written.Set(caller)
		e.stamp(written)
	}
	made, err = e.item(written)
	return written, made, s.fail(err)
}

// draft makes the write of the caller's value.
func (p *putOp) draft() (*draft, error) {
	p = orZero(p)
	written, made, err := p.make()
	if err != nil {
		return nil, err
	}
	e, s, caller := p.e, p.site(), p.item.Elem()
	d := &draft{site: s, entity: e, key: e.keyIn(made), makes: makesAbsent}
	if p.create && !p.hide { // which must know where an expired item lies
		d.makes = alwaysMakes
	}
	if d.places, err = e.placesBeside(d.key, written); err != nil {
		return nil, s.fail(err)
	}
	d.done = func() { e.keep(written, caller) }
	d.wrote = func(stored item, r request) bool {
		return equalValues(&types.AttributeValueMemberM{Value: stored}, &types.AttributeValueMemberM{Value: r.(putRequest).Item})
	}
	unchanged := e.unchanged(caller)
	d.compile = func(guard cond) (request, error) { return p.compile(d.under(made), unchanged, guard) }
	d.explain = func(err error) error {
		if p.create {
			return e.conditionFailed(err, nil, ErrExists)
		}
		return e.explainVersion(e.conditionFailed(err, nil, nil), caller)
	}
	if len(e.unique) > 0 {
		d.unique = uniqueUse{whole: p.old, after: func(_ item, r request) item { return r.(putRequest).Item }}
		if !p.create || p.hide {
			d.unique.watch = e.unique
		}
	}
	return d, nil
}

// compile makes the request that writes an item. unchanged is the condition on
// the stored version.
func (p *putOp) compile(made item, unchanged, guard cond) (request, error) {
	c := unchanged
	if p.create {
		c = p.e.absent()
	}
	if c.set && p.hide {
		c = c.or(p.e.gone())
	}
	x, err := c.and(guard).and(p.cond).build()
	if err != nil {
		return nil, p.site().fail(err)
	}
	in := &dynamodb.PutItemInput{TableName: aws.String(p.e.table.name), Item: made}
	if x != nil {
		in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = x.Condition(), x.Names(), x.Values()
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	if p.old {
		in.ReturnValues = types.ReturnValueAllOld
	}
	return putRequest{p.edits.apply(in)}, nil
}

func (p *putOp) input(d *draft) (*dynamodb.PutItemInput, error) {
	r, err := d.compile(cond{})
	if err != nil {
		return nil, err
	}
	return r.(putRequest).PutItemInput, nil
}

// resultOf makes the result of an operation of a decoded item, of which there may
// be none.
func resultOf[T any](v reflect.Value, err error) (Result[T], error) {
	if err != nil || !v.IsValid() {
		return Result[T]{}, err
	}
	return Result[T]{Value: *v.Interface().(*T), Found: true}, nil
}

// decodeStored makes a value of an item that came back from a write; it is not
// valid if there is none.
func (d *draft) decodeStored(stored item, err error) (reflect.Value, error) {
	if err != nil {
		return reflect.Value{}, err
	}
	v, err := d.entity.decodeIf(stored)
	return v, d.site.fail(err)
}

// absent and present are conditions on there being an item at all, of whichever
// entity.
func (e *entity) absent() cond {
	return raw(expression.AttributeNotExists(nameOf(e.primary.pk[0].attr)))
}

func (e *entity) present() cond {
	return raw(expression.AttributeExists(nameOf(e.primary.pk[0].attr)))
}

// exists is the condition that there is an item and that it is the entity's. Items
// of another entity, or of none, can lie under the key where others than this
// package write; they are left as they are, and out of reads.
func (e *entity) exists() cond {
	return raw(expression.Equal(nameOf(e.table.discriminator), expression.Value(text(e.name))))
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
