package ddb

import (
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Assign is one change that an update makes to an item of the entity T.
type Assign[T any] struct{ a *assign }

// assign is a change, whatever its entity.
type assign struct {
	h     *handle
	state partState            // what it leaves of the attribute
	value reflect.Value        // when state is partKnown
	av    types.AttributeValue // what is stored then
	first types.AttributeValue // what is stored if the attribute is missing and stays as it is if not
	apply func(*updateParts)   // adds the clause
	room  *room                // what a sum asks of the stored number; may be nil
	err   error
}

// updateParts collects the clauses of an update expression.
type updateParts struct{ b expression.UpdateBuilder }

func (u *updateParts) set(name expression.NameBuilder, v expression.OperandBuilder) {
	u.b = u.b.Set(name, v)
}

func (u *updateParts) remove(name expression.NameBuilder) { u.b = u.b.Remove(name) }

func (u *updateParts) add(name expression.NameBuilder, v expression.ValueBuilder) {
	u.b = u.b.Add(name, v)
}

// column adds what becomes of a key attribute.
func (u *updateParts) column(c keyChange) {
	name := nameOf(c.attr)
	if c.value == nil {
		u.remove(name)
	} else {
		u.set(name, expression.Value(c.value))
	}
}

func (h *handle) failed(err error) *assign { return &assign{h: h, err: err} }

// computed is a change whose outcome only the service knows.
func (h *handle) computed(apply func(*updateParts)) *assign {
	return &assign{h: h, state: partComputed, apply: apply}
}

// storable returns the stored form of a value, unless there is none.
func (h *handle) storable(v any) (types.AttributeValue, error) {
	av, err := h.encode(v)
	if err != nil {
		return nil, err
	}
	if _, null := av.(*types.AttributeValueMemberNULL); null && !h.nullable {
		return nil, h.refuse(because(ErrExpression, "nil and empty sets cannot be stored; use Remove"))
	}
	return av, nil
}

func (h *handle) setTo(v any) *assign {
	av, err := h.storable(v)
	if err != nil {
		return h.failed(err)
	}
	value := reflect.ValueOf(v)
	if h.loose {
		if value, err = h.codec.read(av); err != nil {
			return h.failed(h.refuse(&typedError{ErrExpression, err}))
		}
	}
	return &assign{h: h, state: partKnown, value: value, av: av, apply: func(u *updateParts) {
		u.set(h.path.name(), expression.Value(av))
	}}
}

func (h *handle) setIfAbsent(v any) *assign {
	av, err := h.storable(v)
	if err != nil {
		return h.failed(err)
	}
	a := h.computed(func(u *updateParts) {
		u.set(h.path.name(), h.path.name().IfNotExists(expression.Value(av)))
	})
	a.first = av
	return a
}

func (h *handle) setToOperand(v expression.OperandBuilder) *assign {
	switch {
	case h.err != nil:
		return h.failed(h.err)
	case v == nil:
		return h.failed(h.refuse(because(ErrExpression, "ToExpr was given nothing")))
	}
	return h.computed(func(u *updateParts) { u.set(h.path.name(), v) })
}

func (h *handle) remove() *assign {
	if h.err != nil {
		return h.failed(h.err)
	}
	return &assign{h: h, state: partGone, apply: func(u *updateParts) { u.remove(h.path.name()) }}
}

// add makes the change that adds a number or the members of a set. The action ADD
// is documented for top-level attributes only, so that a number inside another
// attribute is added by SET.
// Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.ADD.
func (h *handle) add(v any) *assign {
	by := h.clone()
	by.difference = true
	av, err := by.encode(v)
	if err != nil {
		return h.failed(err)
	}
	n, number := av.(*types.AttributeValueMemberN)
	if !number && !isSet(av) {
		return h.failed(h.refuse(because(ErrExpression, "Add needs a number, or a set with members, not %T", v)))
	}
	sum := h.computed(func(u *updateParts) { u.add(h.path.name(), expression.Value(av)) })
	if number && len(h.path) > 1 {
		sum.apply = func(u *updateParts) {
			u.set(h.path.name(), expression.Plus(h.path.name().IfNotExists(expression.Value(integer(0))), expression.Value(av)))
		}
	}
	if number {
		sum.room = h.roomFor(n.Value)
	}
	return sum
}

func (h *handle) deleteMembers(v any) *assign {
	av, err := h.encode(v)
	if err != nil {
		return h.failed(err)
	}
	if !isSet(av) {
		return h.failed(h.refuse(because(ErrExpression, "Delete needs a set with members, not %T", v)))
	}
	return h.computed(func(u *updateParts) { u.b = u.b.Delete(h.path.name(), expression.Value(av)) })
}

func isSet(av types.AttributeValue) bool {
	return slices.Contains([]string{"SS", "NS", "BS"}, descriptorOf(av))
}

// concat makes the change that puts a list before or behind the stored one.
func (h *handle) concat(v any, called string, join func(stored, more expression.OperandBuilder) expression.SetValueBuilder) *assign {
	av, err := h.encode(v)
	if err != nil {
		return h.failed(err)
	}
	if _, list := av.(*types.AttributeValueMemberL); !list {
		return h.failed(h.refuse(because(ErrExpression, "%s needs a list that is not nil, not %T", called, v)))
	}
	return h.computed(func(u *updateParts) {
		empty := expression.Value(&types.AttributeValueMemberL{Value: []types.AttributeValue{}})
		u.set(h.path.name(), join(h.path.name().IfNotExists(empty), expression.Value(av)))
	})
}

func listPrepend(stored, more expression.OperandBuilder) expression.SetValueBuilder {
	return expression.ListAppend(more, stored)
}

// To sets the attribute to v. Zero values are set like any other; to make the
// attribute go away use Remove. A nil pointer, slice or map and an empty set
// have no value that can be stored and fail with [ErrExpression], and so does the zero
// expiry, which is none, with [ErrExpiry]. A text or binary without bytes cannot
// be a key attribute of an index: [ErrKey]. An attribute
// inside another is set only if that is there: DynamoDB makes no maps on the way.
func (a Attribute[T, V]) To(v V) Assign[T] { return Assign[T]{a.h.made().setTo(v)} }

// ToExpr sets the attribute to what is made with package expression, such as the
// value of another attribute or a sum. What comes of it is not known beforehand,
// so that attributes which make up a key or are unique cannot be set this way.
func (a Attribute[T, V]) ToExpr(v expression.OperandBuilder) Assign[T] {
	return Assign[T]{a.h.made().setToOperand(v)}
}

// SetIfAbsent sets the attribute to v unless the item has it. Values that To
// refuses fail in the same way, even if the item has the attribute.
func (a Attribute[T, V]) SetIfAbsent(v V) Assign[T] { return Assign[T]{a.h.made().setIfAbsent(v)} }

// Remove removes the attribute, or an element of a list, where the elements
// behind it move up. A field that an index key needs, because it has not the option
// omitempty, cannot be removed: [ErrKey].
func (a Attribute[T, V]) Remove() Assign[T] { return Assign[T]{a.h.made().remove()} }

// Add adds the number v, which may be negative, to the attribute, or the members
// of the set v. A missing number counts as 0, and a missing set is made. It is
// exact and atomic, and with numbers not idempotent: a reply lost on the way and
// retried adds twice. A sum that does not fit the attribute's type, if that is an
// integer, would make the item unreadable: the update then fails with [ErrOverflow]
// and the stored item, and changes nothing. An empty set adds nothing and fails with
// [ErrExpression], as it does in To and Delete.
func (a Attribute[T, V]) Add(v V) Assign[T] { return Assign[T]{a.h.made().add(v)} }

// Delete takes the members of v out of the set. Members that are not in it do not
// matter; with the last one the attribute goes.
func (a Attribute[T, V]) Delete(v V) Assign[T] { return Assign[T]{a.h.made().deleteMembers(v)} }

// Append adds values to the end of the list, which is made if it is missing.
func (a Attribute[T, V]) Append(values V) Assign[T] {
	return Assign[T]{a.h.made().concat(values, "Append", expression.ListAppend)}
}

// Prepend adds values to the front of the list, which is made if it is missing.
func (a Attribute[T, V]) Prepend(values V) Assign[T] {
	return Assign[T]{a.h.made().concat(values, "Prepend", listPrepend)}
}

// checkAssigns refuses what the service would: two changes of one attribute,
// or of an attribute and something inside it; and what would break a key.
func (e *entity) checkAssigns(assigns []*assign) error {
	for i, a := range assigns {
		switch {
		case a == nil:
			return because(ErrExpression, "Set was given the zero Assign, which changes nothing")
		case a.err != nil:
			return a.err
		}
		if err := a.h.belongs(e); err != nil {
			return err
		}
		for _, b := range assigns[:i] {
			if overlap(a.h.path, b.h.path) {
				return a.h.refuse(because(ErrExpression, "the update changes %s and %s; change one of them", b.h.goPath, a.h.goPath))
			}
		}
		if a.h.top == e.stamps.version {
			return a.h.refuse(because(ErrExpression, "the version is counted up by every update"))
		}
		if e.primary.uses(a.h.top) {
			return a.h.refuse(errKeyChange)
		}
		if err := e.checkKeyAttribute(a); err != nil {
			return err
		}
	}
	if len(assigns) == 0 {
		return because(ErrExpression, "the update changes nothing; use Set")
	}
	return nil
}

var errKeyChange = because(ErrKeyChange, "it makes up the primary key; to move an item, delete it and create the new one")

func assigned(assigns []*assign, f *field) bool {
	return slices.ContainsFunc(assigns, func(a *assign) bool { return a.h.top == f })
}
