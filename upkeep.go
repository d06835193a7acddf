package ddb

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// partState is what a write knows of a field that goes into a key.
type partState uint8

const (
	partUnknown  partState = iota // not mentioned, stored value not at hand
	partKnown                     // will have this value
	partGone                      // will be removed
	partComputed                  // will have a value that only the service knows
)

// parts tells a write's knowledge of a field.
type parts func(*field) (reflect.Value, partState)

// keyChange is what happens to one key attribute: it is set, or removed if the
// value is nil.
type keyChange struct {
	attr  string
	value types.AttributeValue
}

// changes is the one place where key attributes are made. It returns what
// becomes of the key's template-made attributes: all set, or, when an optional
// part has no value, all removed (in is false). An attribute that another index
// shares follows its own fields alone. Attributes of the entity that are keys
// themselves are checked, not returned: they are written as such.
func (s *keySpec) changes(known parts) (out []keyChange, in bool, err *partError) {
	in = s.present(known)
	for _, c := range s.columns() {
		switch {
		case c.elsewhere:
			continue
		case c.plain != nil:
			if err := c.checkPlain(known); err != nil {
				return nil, false, err
			}
			continue
		}
		f, state := c.state(known, s.index != "")
		switch {
		case in || c.shared && state != partGone:
			if !in && state == partUnknown && len(c.fields()) == 1 {
				continue // as it is stored
			}
			text, err := c.make(known, f, state)
			if err != nil {
				return nil, false, err
			}
			out = append(out, keyChange{c.attr, text})
		default:
			out = append(out, keyChange{attr: c.attr})
		}
	}
	if in {
		err = cmp.Or(checkLengths(s.pk, known), checkLengths(s.sk, known))
	}
	return out, in, err
}

// present reports whether the write leaves every part with a value, as far as
// it knows.
func (s *keySpec) present(known parts) bool {
	return !slices.ContainsFunc(s.columns(), func(c *keyColumn) bool {
		_, state := c.state(known, s.index != "")
		return !c.elsewhere && state == partGone
	})
}

// state is what a write knows of a column as a whole: that a field is gone, or
// else computed, or else unknown, and which field that is.
func (c *keyColumn) state(known parts, optional bool) (*field, partState) {
	worst, which := partKnown, (*field)(nil)
	for _, f := range c.fields() {
		v, state := known(f)
		if state == partKnown && optional && f.omitempty && c.empty(f, v) {
			state = partGone
		}
		if rank[state] > rank[worst] {
			worst, which = state, f
		}
	}
	return which, worst
}

// rank orders states by what they mean for a column that has several.
var rank = [...]int{partKnown: 0, partUnknown: 1, partComputed: 2, partGone: 3}

var errPartMissing = because(ErrIndexPartMissing,
	"set it in the same update, pass the loaded item with From, or make it part of the key in the same form")

// make writes a column's key, or says which field is not at hand.
func (c *keyColumn) make(known parts, f *field, state partState) (types.AttributeValue, *partError) {
	switch state {
	case partUnknown:
		return nil, &partError{f, errPartMissing}
	case partComputed:
		return nil, &partError{f, because(ErrKeyChange,
			"its value must be known to keep the index key in step; read the item and set the result")}
	}
	return c.render(func(f *field) reflect.Value { v, _ := known(f); return v }, -1)
}

// empty reports whether a value leaves its part of the key without text.
func (c *keyColumn) empty(f *field, v reflect.Value) bool {
	if c.plain != nil {
		number := v.CanInt() || v.CanUint()
		return v.IsZero() && (f.omitempty || !number) || v.Kind() == reflect.Slice && v.Len() == 0
	}
	p := c.template.part(f)
	if p == nil { // only chooses the shard
		return false
	}
	_, err := p.format.encode(v)
	return errors.Is(err, errEmpty)
}

// checkPlain refuses a value that the service would not take as a key.
func (c *keyColumn) checkPlain(known parts) *partError {
	v, state := known(c.plain)
	switch {
	case state != partKnown:
		return nil
	case c.empty(c.plain, v) && !(c.plain.omitempty && v.IsZero()):
		return &partError{c.plain, errEmpty}
	}
	return nil
}

// checkKeyAttribute refuses a change that gives a key attribute of an index a value
// which no key can have, were it only for items that lack the attribute.
func (e *entity) checkKeyAttribute(a *assign) error {
	v := a.av
	if a.first != nil {
		v = a.first
	}
	if v == nil || len(a.h.path) > 1 {
		return nil
	}
	for _, s := range e.specs[1:] {
		for _, c := range s.columns() {
			switch {
			case c.plain != a.h.top:
			case isEmptyText(v) && c.plain.omitempty:
				return (&partError{c.plain, because(ErrKey, "the %s is empty, as no key can be; use Remove", c.plain.typ)}).in(s)
			case isEmptyText(v):
				return (&partError{c.plain, errEmpty}).in(s)
			case valueSize(v) > c.most:
				return c.tooLong(c.plain).in(s)
			}
		}
	}
	return nil
}

// isEmptyText reports whether a value is a text or binary without bytes.
func isEmptyText(v types.AttributeValue) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value == ""
	case *types.AttributeValueMemberB:
		return len(v.Value) == 0
	}
	return false
}

// all is what a write of a whole item knows: everything.
func all(item reflect.Value) parts {
	return func(f *field) (reflect.Value, partState) { return f.value(item), partKnown }
}

// item returns the complete stored form of a value: its attributes, the
// discriminator, and the key attributes of the table and of each index it
// belongs to.
func (e *entity) item(v reflect.Value) (map[string]types.AttributeValue, error) {
	item, most, err := e.plan.encodeSized(v)
	if err != nil {
		return nil, err
	}
	if err := e.setExpiry(item, v); err != nil {
		return nil, err
	}
	most += maxNumberBytes
	item[e.table.discriminator] = &types.AttributeValueMemberS{Value: e.name}
	most += len(e.table.discriminator) + len(e.name)
	for _, s := range e.specs {
		changes, _, err := s.changes(all(v))
		if err != nil {
			return nil, err.in(s)
		}
		for _, c := range changes {
			if c.value != nil {
				item[c.attr] = c.value
				most += len(c.attr) + valueSize(c.value)
			}
		}
	}
	if err := checkSize(item, most); err != nil {
		return nil, err
	}
	return item, nil
}

// key returns the primary key of a value. The parts of the key must be given,
// nothing else.
func (e *entity) key(v reflect.Value) (map[string]types.AttributeValue, error) {
	key, value := make(map[string]types.AttributeValue, 2), valuesOf(v)
	for _, c := range e.primary.columns() {
		av, err := c.render(value, -1)
		if err != nil {
			return nil, err.in(e.primary)
		}
		key[c.attr] = av
	}
	return key, nil
}

// keyIn returns the primary key of a stored item.
func (e *entity) keyIn(stored item) item {
	key := make(item, 2)
	for _, c := range e.primary.columns() {
		key[c.attr] = stored[c.attr]
	}
	return key
}

// in turns the fault of a part into the error that callers see.
func (e *partError) in(s *keySpec) error {
	cause := e.err
	var r *reason
	if !errors.As(cause, &r) {
		cause = because(ErrKey, "the %s %s", e.field.typ, e.err)
	}
	return &fieldError{index: s.index, field: e.field.name, err: cause}
}

// fieldError carries index and field to the [OpError] that is made of it.
type fieldError struct {
	index, field string
	err          error
}

func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }
func (e *fieldError) Unwrap() error { return e.err }
