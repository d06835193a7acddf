package ddb

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Modify reads the item, lets change alter it, and writes what is different,
// index keys included, provided that nobody has changed the item in between;
// otherwise it starts anew, with growing random pauses. change can therefore run
// several times, but not once more because a reply was lost and the SDK's client
// sent the write again: it then recognises the item that it wrote, and fails with
// [ErrInDoubt] if others have changed the item since. If change returns an error, nothing
// is written and Modify returns that error; if it changes nothing, nothing is written.
//
// Version and times are the layer's, whatever change makes of them, be it by putting
// another value in place of the item: the version goes on from the stored one, and a
// created time stays unless change sets another.
//
// With a version field the version decides whether the item has changed, without
// one all fields do. Modify returns the item as it is afterwards. It fails with
// [ErrNotFound], with [ErrKeyChange] if change altered the primary key, with a
// [*UniqueError] if another item has the new value of a unique field, and with
// [ErrVersion] or [ErrConditionFailed] if it met others time and again.
func (d *Definition[T]) Modify(ctx context.Context, key T, change func(*T) error) (T, error) {
	e := d.defined()
	if change == nil {
		return *new(T), e.site("Modify").fail(because(ErrExpression, "Modify was given no function"))
	}
	after, err := e.modify(ctx, reflect.ValueOf(key), func(v reflect.Value) error { return change(v.Interface().(*T)) })
	if err != nil {
		return *new(T), err
	}
	return *after.Interface().(*T), nil
}

func (e *entity) modify(ctx context.Context, key reflect.Value, change func(reflect.Value) error) (after reflect.Value, err error) {
	s := e.site("Modify")
	if err := e.table.ready(); err != nil {
		return after, err
	}
	places, err := e.places(key)
	if err != nil {
		return after, s.fail(err)
	}
	changed := func(err error) bool {
		return overtaken(err) || errors.Is(err, ErrConditionFailed) && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrInDoubt)
	}
	err = persist(ctx, anewAttempts, changed, func() (err error) {
		after, err = e.modifyOnce(ctx, places, change)
		return err
	})
	return after, s.fail(err)
}

func (e *entity) modifyOnce(ctx context.Context, places places, change func(reflect.Value) error) (after reflect.Value, err error) {
	stored, err := e.read(ctx, places...)
	switch {
	case err != nil:
		return after, err
	case stored == nil:
		return after, ErrNotFound
	}
	before, err := e.decode(stored, e.primary)
	if err != nil {
		return after, err
	}
	after, err = e.decode(stored, e.primary) // shares nothing with before
	if err != nil {
		return after, err
	}
	if err := change(after); err != nil {
		return after, err
	}
	e.restore(after.Elem(), before.Elem())
	d, err := e.difference(places[0], stored, before.Elem(), after.Elem())
	if d == nil || err != nil {
		return after, err
	}
	_, err = d.run(ctx)
	return after, err
}

// difference returns the update that makes the stored item what after says, and
// puts the stamps into after; nil if nothing is different. own is the key that the
// item has by its fields.
func (e *entity) difference(own, stored item, before, after reflect.Value) (*draft, error) {
	key := e.keyIn(stored)
	made, err := e.item(after)
	if err != nil {
		return nil, err
	}
	for _, c := range e.primary.columns() {
		if !equalValues(made[c.attr], own[c.attr]) {
			return nil, &fieldError{field: c.fields()[0].name, err: errKeyChange}
		}
	}
	if len(e.changed(stored, at(made, key))) == 0 {
		return nil, nil
	}
	e.stamp(after)
	if made, err = e.item(after); err != nil {
		return nil, err
	}
	made = at(made, key)
	changed := e.changed(stored, made)
	same, err := e.asRead(stored, before)
	if err != nil {
		return nil, err
	}
	d := &draft{site: e.site("UpdateItem"), entity: e, key: key}
	d.compile = func(guard cond) (request, error) {
		return e.setting(d.site, made, changed, e.exists().and(same).and(guard))
	}
	d.wrote = func(stored item, _ request) bool { return len(e.changed(stored, made)) == 0 }
	d.explain = func(err error) error {
		return e.explainVersion(e.conditionFailed(err, ErrConditionFailed, nil), before)
	}
	if watch := e.sharing(func(f *uniqueField) bool { return slices.Contains(changed, f.attr) }); watch != nil {
		d.unique = uniqueUse{watch: watch, known: true, stored: stored, after: func(item, request) item { return made }}
	}
	return d, nil
}

// setting makes the request that sets attributes to what they are in made, under
// whose key the item is stored, and removes those that made has not.
func (e *entity) setting(s site, made item, attrs []string, c cond) (request, error) {
	var parts updateParts
	for _, attr := range attrs {
		parts.column(keyChange{attr, made[attr]})
	}
	x, err := finish(expression.NewBuilder().WithUpdate(parts.b).WithCondition(c.builder))
	if err != nil {
		return nil, s.fail(err)
	}
	return updateRequest{&dynamodb.UpdateItemInput{
		TableName: aws.String(e.table.name), Key: e.keyIn(made),
		UpdateExpression: x.Update(), ConditionExpression: x.Condition(),
		ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}, nil
}

// attrs returns the attributes that the entity owns: those of its fields and
// its keys. Others in an item are left alone.
func (e *entity) attrs() []string {
	var out []string
	for _, f := range e.plan.fields {
		out = append(out, f.attr)
	}
	for _, c := range e.columns() {
		if !slices.Contains(out, c.attr) {
			out = append(out, c.attr)
		}
	}
	return out
}

// changed lists the entity's attributes in which two items differ.
func (e *entity) changed(a, b item) []string {
	return slices.DeleteFunc(e.attrs(), func(attr string) bool { return equalValues(a[attr], b[attr]) })
}

// asRead is the condition that an item is as it was read: that its version is, or
// else all its fields.
func (e *entity) asRead(stored item, v reflect.Value) (cond, error) {
	if e.stamps.version != nil {
		return e.unchanged(v), nil
	}
	return e.same(stored)
}

// maxGuarded is how many fields a condition can compare within DynamoDB's 300
// operators.
const maxGuarded = 140

// same is the condition that all fields have the values of the stored item.
func (e *entity) same(stored item) (cond, error) {
	if n := len(e.plan.fields); n > maxGuarded {
		return cond{}, because(ErrExpression, "%d fields are too many to compare; give the entity a version field", n)
	}
	var c cond
	for _, f := range e.plan.fields {
		if slices.ContainsFunc(e.primary.columns(), func(c *keyColumn) bool { return c.plain == f }) {
			continue
		}
		c = c.and(storedAs(f.attr, stored))
	}
	return c, nil
}

// storedAs is the condition that an attribute is as it is in an item.
func storedAs(attr string, stored item) cond {
	if v := stored[attr]; v != nil {
		return raw(expression.Equal(nameOf(attr), expression.Value(v)))
	}
	return raw(expression.AttributeNotExists(nameOf(attr)))
}

// equalValues compares two attribute values as DynamoDB does: numbers by value,
// sets without order. nil stands for no attribute.
func equalValues(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case *types.AttributeValueMemberN:
		b, ok := b.(*types.AttributeValueMemberN)
		return ok && equalNumbers(a.Value, b.Value)
	case *types.AttributeValueMemberSS:
		b, ok := b.(*types.AttributeValueMemberSS)
		return ok && slices.Equal(slices.Sorted(slices.Values(a.Value)), slices.Sorted(slices.Values(b.Value)))
	case *types.AttributeValueMemberNS:
		b, ok := b.(*types.AttributeValueMemberNS)
		return ok && sameMembers(a.Value, b.Value, equalNumbers)
	case *types.AttributeValueMemberBS:
		b, ok := b.(*types.AttributeValueMemberBS)
		return ok && sameMembers(a.Value, b.Value, func(x, y []byte) bool { return string(x) == string(y) })
	case *types.AttributeValueMemberL:
		b, ok := b.(*types.AttributeValueMemberL)
		return ok && slices.EqualFunc(a.Value, b.Value, equalValues)
	case *types.AttributeValueMemberM:
		b, ok := b.(*types.AttributeValueMemberM)
		if !ok || len(a.Value) != len(b.Value) {
			return false
		}
		for name, v := range a.Value {
			if w, in := b.Value[name]; !in || !equalValues(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := exactNumber(a)
	y, okY := exactNumber(b)
	return okX && okY && x.Cmp(y) == 0
}

func sameMembers[V any](a, b []V, equal func(V, V) bool) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x V) bool {
		return !slices.ContainsFunc(b, func(y V) bool { return equal(x, y) })
	})
}
