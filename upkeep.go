package ddb

import (
	"errors"
	"reflect"

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
// part has no value, all removed (in is false). Attributes of the entity that
// are keys themselves are checked, not returned: they are written as such.
func (s *keySpec) changes(known parts) (out []keyChange, in bool, err *partError) {
	if in = s.present(known); in {
		if err := s.refuse(known); err != nil {
			return nil, false, err
		}
	}
	for _, c := range s.columns() {
		if c.plain != nil {
			if err := c.checkPlain(known); err != nil {
				return nil, false, err
			}
			continue
		}
		change := keyChange{attr: c.attr}
		if in {
			text, err := c.template.render(func(f *field) reflect.Value { v, _ := known(f); return v }, -1)
			if err != nil {
				return nil, false, err
			}
			change.value = &types.AttributeValueMemberS{Value: text}
		}
		out = append(out, change)
	}
	return out, in, nil
}

// present reports whether the write leaves every part with a value, as far as
// it knows.
func (s *keySpec) present(known parts) bool {
	for _, c := range s.columns() {
		for _, f := range c.fields() {
			v, state := known(f)
			optional := f.omitempty && s.index != ""
			if state == partGone || state == partKnown && optional && c.empty(f, v) {
				return false
			}
		}
	}
	return true
}

// refuse fails if a template needs a field whose value is not at hand.
func (s *keySpec) refuse(known parts) *partError {
	for _, c := range s.columns() {
		if c.plain != nil {
			continue
		}
		for _, f := range c.fields() {
			switch _, state := known(f); state {
			case partUnknown:
				return &partError{f, because(ErrIndexPartMissing,
					"set it in the same update, pass the loaded item with From, or make it part of the key in the same form")}
			case partComputed:
				return &partError{f, because(ErrKeyChange,
					"its value must be known to keep the index key in step; read the item and set the result")}
			}
		}
	}
	return nil
}

// empty reports whether a value leaves its part of the key without text.
func (c *keyColumn) empty(f *field, v reflect.Value) bool {
	if c.plain != nil {
		return v.IsZero() && !v.CanInt() && !v.CanUint()
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
	if state == partKnown && c.empty(c.plain, v) && !c.plain.omitempty {
		return &partError{c.plain, errEmpty}
	}
	return nil
}

// all is what a write of a whole item knows: everything.
func all(item reflect.Value) parts {
	return func(f *field) (reflect.Value, partState) { return f.value(item), partKnown }
}

// item returns the complete stored form of a value: its attributes, the
// discriminator, and the key attributes of the table and of each index it
// belongs to.
func (e *entity) item(v reflect.Value) (map[string]types.AttributeValue, error) {
	item, err := e.plan.encodeItem(v)
	if err != nil {
		return nil, err
	}
	if err := e.setExpiry(item, v); err != nil {
		return nil, err
	}
	item[e.table.discriminator] = &types.AttributeValueMemberS{Value: e.name}
	for _, s := range e.specs() {
		changes, _, err := s.changes(all(v))
		if err != nil {
			return nil, err.in(s)
		}
		for _, c := range changes {
			if c.value != nil {
				item[c.attr] = c.value
			}
		}
	}
	if size := itemSize(item); size > maxItemBytes {
		return nil, because(ErrItemTooLarge, "%d bytes, attribute names included; DynamoDB allows %d", size, maxItemBytes)
	}
	return item, nil
}

// key returns the primary key of a value. The parts of the key must be given,
// nothing else.
func (e *entity) key(v reflect.Value) (map[string]types.AttributeValue, error) {
	key := make(map[string]types.AttributeValue, 2)
	changes, _, err := e.primary.changes(all(v))
	if err != nil {
		return nil, err.in(e.primary)
	}
	for _, c := range changes {
		key[c.attr] = c.value
	}
	for _, c := range e.primary.columns() {
		if c.plain == nil {
			continue
		}
		av, err := c.plain.codec().encode(c.plain.value(v))
		if err != nil || c.empty(c.plain, c.plain.value(v)) {
			return nil, (&partError{c.plain, errEmpty}).in(e.primary)
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
