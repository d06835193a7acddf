package ddb

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Modify reads the item, lets change alter it, and writes what is different,
// index keys included, provided that nobody has changed the item in between;
// otherwise it starts anew, with growing random pauses. change can therefore run
// several times. If it returns an error, nothing is written and Modify returns
// that error; if it changes nothing, nothing is written.
//
// With a version field the version decides whether the item has changed, without
// one all fields do. Modify returns the item as it is afterwards. It fails with
// [ErrNotFound], with [ErrKeyChange] if change altered the primary key, and with
// [ErrVersion] or [ErrConditionFailed] if it met others time and again.
func (d *Definition[T]) Modify(ctx context.Context, key T, change func(*T) error) (T, error) {
	var v T
	changed := func(err error) bool {
		return overtaken(err) || errors.Is(err, ErrConditionFailed) && !errors.Is(err, ErrNotFound)
	}
	err := anew(ctx, changed, func() (err error) {
		v, err = d.modifyOnce(ctx, key, change)
		return err
	})
	return v, d.site("Modify", "").fail(err)
}

func (d *Definition[T]) modifyOnce(ctx context.Context, key T, change func(*T) error) (T, error) {
	var none T
	e := d.entity
	read, err := d.Get(key).Consistent().Input()
	if err != nil {
		return none, err
	}
	out, err := call(ctx, d.site("GetItem", ""), read, e.table.backend.GetItem)
	switch {
	case err != nil:
		return none, err
	case out.Item == nil:
		return none, ErrNotFound
	}
	before, err := d.Decode(out.Item)
	if err != nil {
		return none, err
	}
	after, err := d.Decode(out.Item) // shares nothing with before
	if err != nil {
		return none, err
	}
	if err := change(&after); err != nil {
		return none, err
	}
	in, err := d.difference(read.Key, out.Item, reflect.ValueOf(&before).Elem(), reflect.ValueOf(&after).Elem())
	if in == nil || err != nil {
		return after, err
	}
	_, err = call(ctx, d.site("UpdateItem", ""), in, e.table.backend.UpdateItem)
	if err != nil {
		return none, e.explainVersion(conditionFailed(err, ErrConditionFailed, nil), reflect.ValueOf(before))
	}
	return after, nil
}

// difference returns the update that makes the stored item what after says, and
// puts the stamps into after; nil if nothing is different.
func (d *Definition[T]) difference(key, stored item, before, after reflect.Value) (*dynamodb.UpdateItemInput, error) {
	e := d.entity
	made, err := e.item(after)
	if err != nil {
		return nil, err
	}
	for _, c := range e.primary.columns() {
		if !equalValues(made[c.attr], key[c.attr]) {
			return nil, &fieldError{field: c.fields()[0].name, err: errKeyChange}
		}
	}
	if len(e.changed(stored, made)) == 0 {
		return nil, nil
	}
	e.stamp(after)
	if made, err = e.item(after); err != nil {
		return nil, err
	}
	var parts updateParts
	for _, attr := range e.changed(stored, made) {
		parts.column(keyChange{attr, made[attr]})
	}
	guard := e.unchanged(before)
	if e.stamps.version == nil {
		if guard, err = e.same(stored); err != nil {
			return nil, err
		}
	}
	c := e.exists().and(guard)
	x, err := finish(expression.NewBuilder().WithUpdate(parts.b).WithCondition(c.builder))
	if err != nil {
		return nil, err
	}
	return &dynamodb.UpdateItemInput{
		TableName: aws.String(e.table.name), Key: key,
		UpdateExpression: x.Update(), ConditionExpression: x.Condition(),
		ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, nil
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
		name := nameOf(f.attr)
		if v := stored[f.attr]; v != nil {
			c = c.and(raw(expression.Equal(name, expression.Value(v))))
		} else {
			c = c.and(raw(expression.AttributeNotExists(name)))
		}
	}
	return c, nil
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
	x, okX := new(big.Rat).SetString(strings.TrimPrefix(a, "+"))
	y, okY := new(big.Rat).SetString(strings.TrimPrefix(b, "+"))
	return okX && okY && x.Cmp(y) == 0
}

func sameMembers[V any](a, b []V, equal func(V, V) bool) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x V) bool {
		return !slices.ContainsFunc(b, func(y V) bool { return equal(x, y) })
	})
}
