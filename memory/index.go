package memory

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// index is a local or global secondary index: a structure of its own, with its
// own partitions, that holds a view of every item that has the whole index key.
type index struct {
	name       string
	local      bool
	schema     keySchema
	projection types.ProjectionType
	nonKey     []string // the attributes that INCLUDE names
	projected  []string // all attributes in a view, sorted; nil when a view is the item
	space      *keyspace
	lag        *lag // nil unless entries follow later than items
	building   building
}

// storeKey returns the key of an item's entry: the place in hash space of the
// index partition key, the index key in ordered form, then the primary key,
// which tells entries with equal index keys apart. All entries of one partition
// key thus stand together, in the order of their sort keys.
func (ix *index) storeKey(primary *keySchema, item av.Map) string {
	dst := ix.schema.appendPartition(make([]byte, 0, 96), item)
	return string(primary.appendTo(ix.schema.appendTo(dst, item), item))
}

// projects reports whether the entries of an index that does not project all
// hold the attribute.
func (ix *index) projects(name string) bool {
	_, found := slices.BinarySearch(ix.projected, name)
	return found
}

// view returns the record of an item's entry: the item's own where everything
// is projected.
func (ix *index) view(r *record) *record {
	if ix.projected == nil {
		return r
	}
	kept := make(av.Map, 0, len(ix.projected))
	for _, a := range r.item {
		if ix.projects(a.Name) {
			kept = append(kept, a)
		}
	}
	return newRecord(kept)
}

// checkItem applies the rules for index keys within an item: where an attribute
// is present it has the declared kind, is not empty and not too long.
func (ix *index) checkItem(item av.Map) error {
	for _, a := range ix.schema.all {
		v := item.Get(a.Name)
		switch {
		case !v.Exists():
		case v.Kind() != a.Kind:
			return errIndexKeyKind(ix.name, a.Name, a.Kind, v.Kind())
		case isEmpty(v):
			return errEmptyIndexKey(ix.name, a.Name, a.Kind)
		}
	}
	return ix.checkSizes(item)
}

// checkSizes applies the limits on the sizes of index keys: to each attribute,
// then to those of one role together.
func (ix *index) checkSizes(item av.Map) error {
	for i, a := range ix.schema.all {
		most := limits.PartitionKeyBytes
		if i >= len(ix.schema.hash) {
			most = limits.SortKeyBytes
		}
		if n := keyBytes(ix.schema.all[i:i+1], item); n > most {
			return errIndexKeySize(ix.name, a.Name, n, most)
		}
	}
	return ix.schema.checkSizes(item)
}

// writtenRoles returns those index key attributes of an item that are in a role of
// which an update writes anything.
func (ix *index) writtenRoles(written []eval.Path, image av.Map) av.Map {
	var out []av.Attr
	for _, role := range [...][]keyAttribute{ix.schema.hash, ix.schema.sort} {
		if !slices.ContainsFunc(role, func(a keyAttribute) bool { return touches(written, a) }) {
			continue
		}
		for _, a := range role {
			out = append(out, av.Attr{Name: a.Name, Value: image.Get(a.Name)})
		}
	}
	return av.NewMap(out)
}

// checkOutcomes applies the rules for index keys to what is known beforehand of
// the attributes that an update writes.
func (ix *index) checkOutcomes(known []eval.Outcome) error {
	var constants av.Map
	for _, a := range ix.schema.all {
		for _, o := range known {
			switch {
			case o.Name != a.Name:
			case o.Kind != a.Kind:
				return errIndexKeyKind(ix.name, a.Name, a.Kind, o.Kind)
			case o.Value.Exists() && isEmpty(o.Value):
				return errUpdateToEmpty(a.Kind)
			default:
				constants = append(constants, av.Attr{Name: a.Name, Value: o.Value})
			}
		}
	}
	return ix.checkSizes(av.NewMap(constants))
}

// checkUpdated applies the rules for index keys to the attributes that an
// update writes; what was there before the index stays as it is.
func (ix *index) checkUpdated(written []eval.Path, image av.Map, w wording) error {
	for _, a := range ix.schema.all {
		if !touches(written, a) {
			continue
		}
		v := image.Get(a.Name)
		switch {
		case !v.Exists():
		case v.Kind() != a.Kind:
			return w.computed(errIndexKeyKind(ix.name, a.Name, a.Kind, v.Kind()), textComputedKind)
		case isEmpty(v):
			return errUpdateToEmpty(a.Kind)
		}
	}
	return w.computed(ix.checkSizes(ix.writtenRoles(written, image)), textComputedSize)
}

// entryChange is what becomes of an item's entry in one index.
type entryChange struct {
	index    *index
	from, to string  // store keys; "" when there is no entry
	view     *record // the new entry
	units    units   // what the change costs
	leaves   units   // the part of it that is for the old entry of one that moves
}

// change compares the entries of two images of an item and reports false when
// nothing in the index changes. Its cost is that of
// GSI.html#GSI.ThroughputConsiderations.Writes: one write for an entry that
// comes, goes or changes, two for one that moves.
func (ix *index) change(primary *keySchema, before, after *record) (entryChange, bool) {
	c := entryChange{index: ix}
	var old *record
	if before != nil && ix.schema.within(before.item) {
		old = ix.view(before)
		c.from = ix.storeKey(primary, before.item)
	}
	if after != nil && ix.schema.within(after.item) {
		c.view = ix.view(after)
		c.to = ix.storeKey(primary, after.item)
	}
	switch {
	case old == nil && c.view == nil:
		return c, false
	case old == nil:
		c.units = writeUnits(c.view.size)
	case c.view == nil:
		c.units = writeUnits(old.size)
	case c.from != c.to:
		c.leaves = writeUnits(old.size)
		c.units = c.leaves + writeUnits(c.view.size)
	case av.EqualMaps(old.item, c.view.item):
		return c, false
	default:
		c.units = writeUnits(max(old.size, c.view.size))
	}
	return c, true
}

// partitions appends the partitions that the change touches.
func (c *entryChange) partitions(to []*partition) []*partition {
	if c.from != "" {
		to = append(to, c.index.space.partition(c.from))
	}
	if c.to != "" {
		to = append(to, c.index.space.partition(c.to))
	}
	return to
}

// commitLocked makes the change, or has it follow later. The caller holds the
// lock of the item's partition, and in the first case those of the change's.
func (c *entryChange) commitLocked(at time.Time) {
	if c.index.lag != nil {
		c.index.lag.add(*c, at)
		return
	}
	c.applyLocked(at)
}

// applyLocked makes the change; the caller holds the locks of its partitions.
func (c *entryChange) applyLocked(at time.Time) {
	if c.from != "" && c.from != c.to {
		c.index.space.partition(c.from).replace(c.from, nil, at)
	}
	if c.to != "" {
		c.index.space.partition(c.to).replace(c.to, c.view, at)
	}
}
