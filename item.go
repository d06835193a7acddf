package ddb

import (
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item returns the complete stored form of a value, key attributes and
// discriminator included, as Put would write it. It fails as Put does.
func (d *Definition[T]) Item(v *T) (map[string]types.AttributeValue, error) {
	_, made, err := d.Put(v).op.make()
	return made, err
}

// Decode makes a value from a stored item, as Get does. It fails with
// [ErrEntityType] if the item is of another entity.
func (d *Definition[T]) Decode(item map[string]types.AttributeValue) (T, error) {
	var none T
	if err := d.defined().table.ready(); err != nil {
		return none, err
	}
	v, err := d.defined().decode(item, d.defined().primary)
	if err != nil {
		return none, d.site("Decode", "").fail(err)
	}
	return *v.Interface().(*T), nil
}

// Verify checks a stored item, of whichever of the table's entities it is: that
// its attributes fit the entity and make the very keys that it has, those of
// sharded keys by any number of shards that the key's template says. It is meant
// for items from elsewhere, such as imports: reads take attributes as they are, also
// where they contradict the keys, and fill fields that have none from the keys, which
// Verify does not. It fails with [ErrEntityType] or
// [ErrKey]. Markers of unique fields are checked for their keys and the entity of
// their owner.
func (t *Table) Verify(item map[string]types.AttributeValue) error {
	if err := t.ready(); err != nil {
		return err
	}
	s := site{op: "Verify", table: t}
	name, err := t.typeOf(item, "add it")
	if err != nil {
		return s.fail(err)
	}
	e := t.entityNamed(name)
	if e == nil && name == markerName {
		return s.fail(t.verifyMarker(item))
	}
	if e == nil {
		return s.fail(because(ErrEntityType, "the table defines no entity %s", name))
	}
	s.entity = e.name
	v, err := e.decodeView(item, view{bare: true})
	if err != nil {
		return s.fail(err)
	}
	made, err := e.item(v.Elem())
	if err != nil {
		return s.fail(err)
	}
	for _, c := range e.columns() {
		if !reflect.DeepEqual(made[c.attr], item[c.attr]) && !c.elsewhereOf(v.Elem(), item[c.attr]) {
			return s.fail(because(ErrKey, "attribute %s is not what the item's own attributes make by %q", c.attr, c.source()))
		}
	}
	return nil
}

// owns reports whether an item is the entity's by its primary key alone: no two
// entities of a table can have the same.
func (e *entity) owns(it item) bool {
	for _, c := range e.primary.columns() {
		av, templated := it[c.attr].(*types.AttributeValueMemberS)
		switch {
		case c.plain != nil && kindOf(it[c.attr]) == c.kind:
		case c.plain == nil && templated && meet(literalRuns(av.Value), c.shape()):
		default:
			return false
		}
	}
	return true
}
