package ddb

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Assign is one change that an update makes to an item of the entity T.
type Assign[T any] struct{ a assign }

// assign is a change, whatever its entity.
type assign struct {
	h     *handle
	state partState            // what it leaves of the attribute
	value reflect.Value        // when state is partKnown
	av    types.AttributeValue // operand, nil for a removal
	apply func(*updateParts)   // adds the clause
	err   error
}

// updateParts collects the clauses of an update expression.
type updateParts struct{ b expression.UpdateBuilder }

func (u *updateParts) set(name expression.NameBuilder, v expression.OperandBuilder) {
	u.b = u.b.Set(name, v)
}

func (u *updateParts) remove(name expression.NameBuilder) { u.b = u.b.Remove(name) }

// column adds what becomes of a key attribute.
func (u *updateParts) column(c keyChange) {
	name := expression.NameNoDotSplit(c.attr)
	if c.value == nil {
		u.remove(name)
	} else {
		u.set(name, expression.Value(c.value))
	}
}

func (u *updateParts) add(name expression.NameBuilder, v expression.ValueBuilder) {
	u.b = u.b.Add(name, v)
}

// To sets the attribute to v. Zero values are set like any other; to make the
// attribute go away use Remove. A nil pointer, slice or map and an empty set
// have no value that can be stored and fail with [ErrExpression].
func (a Attribute[T, V]) To(v V) Assign[T] {
	av, err := a.handle().encode(v)
	if err != nil {
		return Assign[T]{assign{h: a.handle(), err: err}}
	}
	if _, null := av.(*types.AttributeValueMemberNULL); null && !a.handle().top.nullable {
		return Assign[T]{assign{h: a.handle(), err: &fieldError{field: a.handle().goPath,
			err: because(ErrExpression, "nil and empty sets cannot be stored; use Remove")}}}
	}
	name := a.handle().name()
	return Assign[T]{assign{h: a.handle(), state: partKnown, value: reflect.ValueOf(v), av: av, apply: func(u *updateParts) {
		u.set(name, expression.Value(av))
	}}}
}

// SetIfAbsent sets the attribute to v unless the item has it.
func (a Attribute[T, V]) SetIfAbsent(v V) Assign[T] {
	av, err := a.handle().encode(v)
	if err != nil {
		return Assign[T]{assign{h: a.handle(), err: err}}
	}
	name := a.handle().name()
	return Assign[T]{assign{h: a.handle(), state: partComputed, av: av, apply: func(u *updateParts) {
		u.set(name, name.IfNotExists(expression.Value(av)))
	}}}
}

// Remove removes the attribute.
func (a Attribute[T, V]) Remove() Assign[T] {
	if a.handle().err != nil {
		return Assign[T]{assign{h: a.handle(), err: a.handle().err}}
	}
	name := a.handle().name()
	return Assign[T]{assign{h: a.handle(), state: partGone, apply: func(u *updateParts) { u.remove(name) }}}
}

// Add adds the number delta, which may be negative, to the attribute; a missing
// attribute counts as 0. It is exact and atomic, and not idempotent: a reply
// lost on the way and retried adds twice.
func (a Attribute[T, V]) Add(delta V) Assign[T] {
	av, err := a.handle().encode(delta)
	if err == nil {
		if _, number := av.(*types.AttributeValueMemberN); !number {
			err = &fieldError{field: a.handle().goPath, err: because(ErrExpression, "Add needs a number, not %T", delta)}
		}
	}
	if err != nil {
		return Assign[T]{assign{h: a.handle(), err: err}}
	}
	name := a.handle().name()
	return Assign[T]{assign{h: a.handle(), state: partComputed, av: av, apply: func(u *updateParts) {
		u.add(name, expression.Value(av))
	}}}
}

// Append adds values to the end of the list, which is made if it is missing.
func (a Attribute[T, V]) Append(values V) Assign[T] {
	av, err := a.handle().encode(values)
	if err == nil {
		if _, list := av.(*types.AttributeValueMemberL); !list {
			err = &fieldError{field: a.handle().goPath, err: because(ErrExpression, "Append needs a list that is not nil, not %T", values)}
		}
	}
	if err != nil {
		return Assign[T]{assign{h: a.handle(), err: err}}
	}
	name := a.handle().name()
	return Assign[T]{assign{h: a.handle(), state: partComputed, av: av, apply: func(u *updateParts) {
		empty := expression.Value(&types.AttributeValueMemberL{Value: []types.AttributeValue{}})
		u.set(name, expression.ListAppend(name.IfNotExists(empty), expression.Value(av)))
	}}}
}

// checkAssigns refuses what the service would: two changes of one attribute,
// or of an attribute and something inside it; and what would break a key.
func (e *entity) checkAssigns(assigns []assign) error {
	for i, a := range assigns {
		if a.err != nil {
			return a.err
		}
		for _, b := range assigns[:i] {
			if overlap(a.h.path, b.h.path) {
				return &fieldError{field: a.h.goPath, err: because(ErrExpression, "the update changes %s and %s; change one of them", b.h.goPath, a.h.goPath)}
			}
		}
		if a.h.top == e.stamps.version {
			return &fieldError{field: a.h.goPath, err: because(ErrExpression, "the version is counted up by every update")}
		}
		if e.primary.uses(a.h.top) {
			return &fieldError{field: a.h.goPath, err: because(ErrKeyChange,
				"it makes up the primary key; to move an item, delete it and create the new one")}
		}
	}
	if len(assigns) == 0 {
		return because(ErrExpression, "the update changes nothing; use Set")
	}
	return nil
}

func assigned(assigns []assign, f *field) bool {
	return slices.ContainsFunc(assigns, func(a assign) bool { return a.h.top == f })
}

func overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// knowledge is what an update knows of the fields behind its index keys.
type knowledge struct {
	e       *entity
	assigns []assign
	key     reflect.Value // the struct whose fields make the primary key
	from    reflect.Value // the loaded item, if given
	upsert  bool          // the item may be made
	guarded []*field      // fields taken from it
}

// of returns what the update knows of the parts of the index key s.
func (k *knowledge) of(s *keySpec) parts {
	return func(f *field) (reflect.Value, partState) { return k.part(s, f) }
}

func (k *knowledge) part(s *keySpec, f *field) (reflect.Value, partState) {
	for _, a := range k.assigns {
		if a.h.top != f {
			continue
		}
		if len(a.h.path) > 1 {
			return reflect.Value{}, partComputed
		}
		return a.value, a.state
	}
	if k.e.keyTells(s, f) {
		return f.value(k.key), partKnown
	}
	if k.from.IsValid() {
		k.guard(f)
		return f.value(k.from), partKnown
	}
	return reflect.Value{}, partUnknown
}

func (k *knowledge) guard(f *field) {
	for _, g := range k.guarded {
		if g == f {
			return
		}
	}
	k.guarded = append(k.guarded, f)
}

// stamps adds the changes of the fields that the layer keeps, and for an item
// that may be made, what every item has.
func (k *knowledge) stamps(u *updateParts) error {
	st, now := k.e.stamps, k.e.table.clock().UTC()
	at := func(f *field) (expression.NameBuilder, expression.ValueBuilder, error) {
		av, err := f.codec().encode(reflect.ValueOf(now))
		return expression.NameNoDotSplit(f.attr), expression.Value(av), err
	}
	if f := st.updated; f != nil && !assigned(k.assigns, f) {
		name, v, err := at(f)
		if err != nil {
			return err
		}
		u.set(name, v)
	}
	if f := st.version; f != nil {
		u.add(expression.NameNoDotSplit(f.attr), expression.Value(&types.AttributeValueMemberN{Value: "1"}))
	}
	if !k.upsert {
		return nil
	}
	if f := st.created; f != nil && !assigned(k.assigns, f) && !k.e.primary.uses(f) {
		name, v, err := at(f)
		if err != nil {
			return err
		}
		u.set(name, name.IfNotExists(v))
	}
	u.set(expression.NameNoDotSplit(k.e.table.discriminator), expression.Value(text(k.e.name)))
	return k.keyFields(u)
}

// keyFields sets the attributes behind the primary key.
func (k *knowledge) keyFields(u *updateParts) error {
	var done []*field
	for _, c := range k.e.primary.columns() {
		for _, f := range c.fields() {
			if c.plain != nil || slices.Contains(done, f) {
				continue // the key itself, or set already
			}
			av, err := f.codec().encode(f.value(k.key))
			if err != nil {
				return &fieldError{field: f.name, err: because(ErrKey, "the %s %s", f.typ, err)}
			}
			u.set(expression.NameNoDotSplit(f.attr), expression.Value(av))
			done = append(done, f)
		}
	}
	return nil
}

// condition is that the fields taken from a loaded item still have the values
// that went into the keys, and the item its version.
func (k *knowledge) condition() (cond, error) {
	var c cond
	if k.from.IsValid() {
		c = k.e.unchanged(k.from)
	}
	for _, f := range k.guarded {
		name := expression.NameNoDotSplit(f.attr)
		v := f.value(k.from)
		if f.omitempty && v.IsZero() {
			c = c.and(raw(expression.AttributeNotExists(name)))
			continue
		}
		av, err := f.codec().encode(v)
		if err != nil {
			return c, fmt.Errorf("%s: %w", f.name, err)
		}
		c = c.and(raw(expression.Equal(name, expression.Value(av))))
	}
	return c, nil
}

// keyTells reports whether the primary key holds what the index key s needs of
// the field: its very value, or the same text of it as s has.
func (e *entity) keyTells(s *keySpec, f *field) bool {
	for _, c := range e.primary.columns() {
		if c.plain == f {
			return true
		}
		if c.template != nil {
			if p := c.template.part(f); p != nil && (p.format.lossless() || s.writes(f, p.format)) {
				return true
			}
		}
	}
	return false
}

// writes reports whether the key has the field in that form and in no other.
func (s *keySpec) writes(f *field, format partFormat) bool {
	if shard := s.shards(); shard != nil && slices.Contains(shard.by, f) {
		return false
	}
	for _, c := range s.columns() {
		if c.plain == f {
			return false
		}
		if c.template != nil {
			if p := c.template.part(f); p != nil && p.format != format {
				return false
			}
		}
	}
	return true
}

// keyChanges returns what an update does to the key attributes of the indexes
// that it touches.
func (k *knowledge) keyChanges() ([]keyChange, error) {
	var out []keyChange
	for _, s := range k.e.indexes {
		if !k.touches(s) {
			continue
		}
		changes, _, err := s.changes(k.of(s))
		if err != nil {
			return nil, err.in(s)
		}
		for _, c := range changes {
			if !contains(out, c.attr) {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// touches reports whether the update changes the index's key, or may make an
// item whose key it is.
func (k *knowledge) touches(s *keySpec) bool {
	for _, a := range k.assigns {
		if s.uses(a.h.top) {
			return true
		}
	}
	if !k.upsert {
		return false
	}
	for _, c := range s.columns() {
		for _, f := range c.fields() {
			if !k.e.keyTells(s, f) {
				return false
			}
		}
	}
	return true
}

func contains(changes []keyChange, attr string) bool {
	for _, c := range changes {
		if c.attr == attr {
			return true
		}
	}
	return false
}
