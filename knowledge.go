package ddb

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

// knowledge is what an update knows of the fields behind its index keys.
type knowledge struct {
	e       *entity
	assigns []*assign
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
		return nameOf(f.attr), expression.Value(av), err
	}
	if f := st.updated; f != nil && !assigned(k.assigns, f) {
		name, v, err := at(f)
		if err != nil {
			return err
		}
		u.set(name, v)
	}
	if f := st.version; f != nil {
		u.add(nameOf(f.attr), expression.Value(integer(1)))
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
	u.set(nameOf(k.e.table.discriminator), expression.Value(text(k.e.name)))
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
			u.set(nameOf(f.attr), expression.Value(av))
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
		name := nameOf(f.attr)
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
// the field: its very value, or every form of it that s has.
func (e *entity) keyTells(s *keySpec, f *field) bool {
	if e.primary.tells(f) {
		return true
	}
	forms := e.partial(f)
	return len(forms) > 0 && !slices.ContainsFunc(s.columns(), func(c *keyColumn) bool {
		return c.plain == f || c.plain == nil && slices.ContainsFunc(c.template.fields, func(p *keyPart) bool {
			return p.field == f && !slices.ContainsFunc(forms, func(o *keyPart) bool { return o.format == p.format })
		})
	})
}

// keyChanges returns what an update does to the key attributes of the indexes
// that it touches.
func (k *knowledge) keyChanges() ([]keyChange, error) {
	var out []keyChange
	for _, s := range k.e.specs[1:] {
		if err := k.lacks(s); err != nil {
			return nil, err.in(s)
		}
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
	return k.mayEnter(s) || slices.ContainsFunc(k.assigns, func(a *assign) bool { return s.uses(a.h.top) && !s.indifferent(a) })
}

// mayEnter reports whether an item that the update makes may be in the index: every
// part that may be empty is given. Those that may not be must be given then.
func (k *knowledge) mayEnter(s *keySpec) bool {
	return k.upsert && !slices.ContainsFunc(s.parts(), func(f *field) bool {
		return f.omitempty && !assigned(k.assigns, f) && !k.e.keyTells(s, f)
	})
}

// lacks says which part of the index key the update would take from an item that
// must have it, or leave out of one that it makes.
func (k *knowledge) lacks(s *keySpec) *partError {
	for _, a := range k.assigns {
		if f := a.h.top; a.state == partGone && len(a.h.path) == 1 && !f.omitempty && s.uses(f) {
			return &partError{f, because(ErrKey, "the index key needs it; only a field with the option omitempty can be removed, which takes the item out of the index")}
		}
	}
	if !k.mayEnter(s) {
		return nil
	}
	for _, f := range s.parts() {
		stamped := f == k.e.stamps.created && s.plain(f)
		if _, state := k.part(s, f); state == partUnknown && !stamped {
			return &partError{f, errPartMissing}
		}
	}
	return nil
}

// parts returns the fields that the key needs beside what items have anyway.
func (s *keySpec) parts() []*field {
	var out []*field
	for _, c := range s.columns() {
		if !c.elsewhere {
			out = append(out, c.fields()...)
		}
	}
	return out
}

// plain reports whether a field is a key attribute by itself, and nothing more of the
// key.
func (s *keySpec) plain(f *field) bool {
	return !slices.ContainsFunc(s.columns(), func(c *keyColumn) bool { return c.uses(f) && c.plain == nil })
}

// indifferent reports whether a change of a part leaves the rest of the key alone:
// the part is a key attribute by itself, which moves the entry as it is written, and
// the item stays in the index, as it is in it.
func (s *keySpec) indifferent(a *assign) bool {
	f := a.h.top
	return !f.omitempty && a.state != partGone && !slices.ContainsFunc(s.columns(), func(c *keyColumn) bool {
		return c.uses(f) && (c.plain == nil || a.state == partKnown && c.empty(f, a.value))
	})
}

func contains(changes []keyChange, attr string) bool {
	for _, c := range changes {
		if c.attr == attr {
			return true
		}
	}
	return false
}
