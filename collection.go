package ddb

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Partition names one partition of a table or index: all items that share a
// partition key.
type Partition struct {
	entity *entity
	key    reflect.Value
	index  string
}

// Partition returns the partition in which the item with the fields of key
// lies, with whatever other entities are there.
func (d *Definition[T]) Partition(key T) Partition {
	return Partition{entity: d.entity, key: reflect.ValueOf(key)}
}

// Index returns the partition of a secondary index instead.
func (p Partition) Index(name string) Partition {
	p.index = name
	return p
}

// CollectionOp reads the items of several entities that share a partition key,
// an item collection, with one query.
type CollectionOp struct {
	table   *Table
	p       Partition
	reader  reader
	unknown bool // items of unknown entities are kept raw
}

// Collection reads a partition. Items are told apart by the discriminator.
func (t *Table) Collection(p Partition) CollectionOp { return CollectionOp{table: t, p: p} }

// Desc reads from the last item to the first.
func (c CollectionOp) Desc() CollectionOp {
	c.reader.desc = true
	return c
}

// Consistent makes the read strongly consistent, at twice the capacity. A
// global index does not offer that.
func (c CollectionOp) Consistent() CollectionOp {
	c.reader.strong = true
	return c
}

// Limit ends the read after n items, whatever their entity. 0 is no limit.
func (c CollectionOp) Limit(n int) CollectionOp {
	c.reader.limit = n
	return c
}

// PageSize sets how many items one call evaluates. 0 leaves it to the service,
// which stops at 1 MB.
func (c CollectionOp) PageSize(n int) CollectionOp {
	c.reader.pageSize = n
	return c
}

// MaxPages ends the read after n calls. 0 is no bound.
func (c CollectionOp) MaxPages(n int) CollectionOp {
	c.reader.maxPages = n
	return c
}

// KeepUnknown keeps items of entities that the table does not define, for
// [Collection.Unknown], where Load would fail with [ErrEntityType] otherwise.
func (c CollectionOp) KeepUnknown() CollectionOp {
	c.unknown = true
	return c
}

// Edit lets f change each SDK input before it is sent.
func (c CollectionOp) Edit(f func(*dynamodb.QueryInput)) CollectionOp {
	c.reader.edits = c.reader.edits.with(f)
	return c
}

func (c CollectionOp) site() site { return site{op: "Query", table: c.table, index: c.p.index} }

// Input returns the SDK input of the first call.
func (c CollectionOp) Input() (*dynamodb.QueryInput, error) {
	r, err := c.compile()
	if err != nil {
		return nil, err
	}
	in := r.sources[0].in
	c.reader.size(in, c.reader.limit)
	return c.reader.edits.apply(in), nil
}

func (c CollectionOp) compile() (*reading, error) {
	if err := c.table.Err(); err != nil {
		return nil, err
	}
	r, err := c.build()
	return r, c.site().fail(err)
}

func (c CollectionOp) build() (*reading, error) {
	if c.p.entity == nil || c.p.entity.table != c.table {
		return nil, because(ErrIndex, "the partition belongs to another table")
	}
	spec := c.p.entity.spec(c.p.index)
	if spec == nil {
		return nil, because(ErrIndex, "%s is not in it", c.p.entity.name)
	}
	if spec.thin {
		return nil, because(ErrIndex, "it does not carry the discriminator %s, so that entities cannot be told apart", c.table.discriminator)
	}
	return c.reader.over(c.site(), spec, c.p.key, sortCondition{})
}

// Collection is what was read of a partition. It belongs to the caller.
type Collection struct {
	items    map[*entity][]reflect.Value // pointers to values
	unknown  []map[string]types.AttributeValue
	count    int
	complete bool
}

// Load reads the collection. It fails with [ErrEntityType] on an item whose
// entity the table does not define.
func (c CollectionOp) Load(ctx context.Context) (*Collection, error) {
	r, err := c.compile()
	if err != nil {
		return nil, err
	}
	out := &Collection{items: make(map[*entity][]reflect.Value)}
	for item, err := range r.items(ctx) {
		if err != nil {
			return nil, err
		}
		if err := c.add(out, item); err != nil {
			return nil, c.site().fail(err)
		}
	}
	out.complete = r.exhausted()
	return out, nil
}

func (c CollectionOp) add(out *Collection, item map[string]types.AttributeValue) error {
	name, _ := item[c.table.discriminator].(*types.AttributeValueMemberS)
	var e *entity
	if name != nil {
		e = c.table.entityNamed(name.Value)
	}
	out.count++
	switch {
	case e == nil && c.unknown:
		out.unknown = append(out.unknown, item)
		return nil
	case e == nil && name == nil:
		return because(ErrEntityType, "an item has no attribute %s; write items through ddb, or use KeepUnknown", c.table.discriminator)
	case e == nil:
		return because(ErrEntityType, "the table defines no entity %s; define it, or use KeepUnknown", name.Value)
	}
	spec := e.spec(c.p.index)
	if spec == nil {
		spec = e.primary
	}
	v, err := e.decode(item, spec)
	if err != nil {
		return err
	}
	out.items[e] = append(out.items[e], v)
	return nil
}

// Complete reports whether the whole partition was read. If it was not, because
// of Limit or MaxPages, an entity that is missing may exist all the same.
func (c *Collection) Complete() bool { return c.complete }

// Len returns how many items were read, those of unknown entities included.
func (c *Collection) Len() int { return c.count }

// Unknown returns the items of entities that the table does not define.
func (c *Collection) Unknown() []map[string]types.AttributeValue { return c.unknown }

// Of returns the collection's items of one entity in the order they were read.
func Of[T any](c *Collection, d *Definition[T]) []T {
	values := c.items[d.entity]
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = *v.Interface().(*T)
	}
	return out
}
