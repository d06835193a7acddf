package ddb

import (
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// entityOf returns the entity of an item: the one that its images name, or where
// the stream shows none, whose keys are like the item's. It is nil for an unknown
// one that is to be skipped, and for markers of unique fields.
func (c *Changes) entityOf(r *Record) (*entity, error) {
	if c.table.marks(r.Keys) {
		return nil, nil
	}
	image := r.New
	if image == nil {
		image = r.Old
	}
	if image == nil {
		if e := c.table.entityWithKey(r.Keys); e != nil {
			return e, nil
		}
		return c.unknown(because(ErrEntityType, "no entity of the table has keys of this form; %s", defineOrSkip))
	}
	name, err := c.table.typeOf(image, defineOrSkip)
	if err != nil {
		return c.unknown(err)
	}
	if e := c.table.entityNamed(name); e != nil {
		return e, nil
	}
	return c.unknown(because(ErrEntityType, "the table defines no entity %s; %s", name, defineOrSkip))
}

const defineOrSkip = "define it, or use SkipUnknown"

func (c *Changes) unknown(err error) (*entity, error) {
	if c.skipUnknown {
		return nil, nil
	}
	return nil, err
}

// entityWithKey returns the entity whose keys are like a primary key; there is at
// most one, since keys of entities never meet.
func (t *Table) entityWithKey(key item) *entity {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entities {
		if _, err := e.parseKey(key); err == nil {
			return e
		}
	}
	return nil
}

// change decodes a record of the entity.
func (e *entity) change(r *Record) (*change, error) {
	out := &change{record: r}
	for _, image := range []struct {
		to   *reflect.Value
		from item
	}{{&out.old, r.Old}, {&out.new, r.New}} {
		if image.from == nil {
			continue
		}
		v, err := e.decode(image.from, e.primary)
		if err != nil {
			return nil, err
		}
		*image.to = v
		out.key = e.keyFields(v)
	}
	if out.key.IsValid() {
		return out, nil
	}
	var err error
	out.key, err = e.parseKey(r.Keys)
	return out, err
}

// keyFields returns a pointer to a value with those fields of another that make up its
// primary key.
func (e *entity) keyFields(v reflect.Value) reflect.Value {
	key := reflect.New(e.plan.typ)
	for _, c := range e.primary.columns() {
		for _, f := range c.fields() {
			settable(key.Elem(), f).Set(f.value(v.Elem()))
		}
	}
	return key
}

// parseKey returns a pointer to a value with the fields that a primary key holds.
func (e *entity) parseKey(key item) (reflect.Value, error) {
	v := reflect.New(e.plan.typ)
	for _, c := range e.primary.columns() {
		stored, there := key[c.attr]
		if !there {
			return v, because(ErrKey, "attribute %s is missing", c.attr)
		}
		if c.plain != nil {
			if err := e.plan.decodeItem(item{c.attr: stored}, v.Elem()); err != nil {
				return v, err
			}
			continue
		}
		text, ok := stored.(*types.AttributeValueMemberS)
		if !ok || c.template.parse(text.Value, v.Elem()) != nil {
			return v, because(ErrKey, "attribute %s does not follow the template %q", c.attr, c.template.source)
		}
	}
	return v, nil
}
