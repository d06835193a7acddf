package memory

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
)

// What requests ask of partitions, and whether they may.

// partitionKey returns the values of the partition key in an item.
func (t *traffic) partitionKey(item av.Map) []av.Value {
	if t.books.keys == 0 {
		return nil // nobody counts
	}
	values := make([]av.Value, len(t.hash))
	for i, a := range t.hash {
		values[i] = item.Get(a.Name)
	}
	return values
}

// admitLocked takes the capacity that a mutation needs, given what it does; nil
// stands for one that cannot be done, which costs as if it rewrote the item. The
// caller holds the lock of the item's partition.
func (m *mutation) admitLocked(e *effect) error {
	if m.table.base.traffic == nil {
		return nil
	}
	if refused := m.table.powers.books.admit(m.loadsLocked(nil, e, 1, 0)); refused != nil {
		return refused
	}
	return nil
}

// admitAllLocked takes the capacity that a transaction needs, all or nothing.
// effects is nil if it cannot be done. A failure is its cancellation.
func admitAllLocked(mutations []mutation, effects []*effect) error {
	p := mutations[0].table.powers
	if p == nil || p.books == nil {
		return nil
	}
	var loads []load
	for i := range mutations {
		var e *effect
		if effects != nil {
			e = effects[i]
		}
		loads = mutations[i].loadsLocked(loads, e, transactFactor, i)
	}
	if refused := p.books.admit(loads); refused != nil {
		return refused.cancellation(len(mutations))
	}
	return nil
}

// loadsLocked appends the loads of a mutation, that of the table first. factor
// multiplies what the table costs.
func (m *mutation) loadsLocked(to []load, e *effect, factor units, owner int) []load {
	space := m.table.base
	if e == nil {
		old := space.partition(m.key).store.get(m.key)
		e = &effect{old: old, new: old}
	}
	bytes := max(e.old.bytes(), e.new.bytes())
	base := load{
		on: space.traffic, part: space.route(m.key), key: space.traffic.partitionKey(m.named), way: writes,
		units: factor * writeUnits(bytes), bytes: bytes, owner: owner,
	}
	at := len(to)
	to = append(to, base)
	for i := range e.changes {
		c := &e.changes[i]
		if c.index.local {
			to[at].units += c.units
			continue
		}
		to = c.loads(to, e, owner)
	}
	return to
}

// loads appends the loads of a change in a global secondary index: one, or two
// for an entry that moves.
func (c *entryChange) loads(to []load, e *effect, owner int) []load {
	space := c.index.space
	part := func(key string, r *record, n units) {
		to = append(to, load{
			on: space.traffic, part: space.route(key), key: space.traffic.partitionKey(r.item), way: writes,
			units: n, bytes: c.index.view(r).size, owner: owner,
		})
	}
	switch {
	case c.to == "":
		part(c.from, e.old, c.units)
	case c.from == "" || c.from == c.to:
		part(c.to, e.new, c.units)
	default:
		part(c.from, e.old, c.leaves)
		part(c.to, e.new, c.units-c.leaves)
	}
	return to
}

// read returns the record of the item, as look does, if the capacity allows it.
func (g *getter) read(consistent bool) (*record, error) {
	r := g.look(consistent)
	return r, g.admit(r, consistent)
}

// look returns the record of the item, nil when there is none: the present one,
// or where reads may be stale and this one is not consistent, one that was.
func (g *getter) look(consistent bool) *record {
	p := g.table.base.partition(g.key)
	m := g.table.powers.moment(consistent)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.getLocked(g.key, m)
}

// admit takes the capacity that reading the record needs.
func (g *getter) admit(r *record, consistent bool) error {
	if g.table.base.traffic == nil {
		return nil
	}
	if refused := g.table.powers.books.admit([]load{g.load(r, readUnits(r.bytes(), consistent), 0)}); refused != nil {
		return refused
	}
	return nil
}

// load is what reading a record asks of its partition.
func (g *getter) load(r *record, n units, owner int) load {
	space := g.table.base
	l := load{
		on: space.traffic, part: space.route(g.key), key: space.traffic.partitionKey(g.named), way: reads,
		units: n, bytes: r.bytes(), owner: owner,
	}
	if r != nil {
		l.items = 1
	}
	return l
}

// admitReads takes the capacity that a transaction needs to read records. A
// failure is its cancellation.
func admitReads(getters []getter, records []*record) error {
	p := getters[0].table.powers
	if p == nil || p.books == nil {
		return nil
	}
	loads := make([]load, len(getters))
	for i := range getters {
		loads[i] = getters[i].load(records[i], transactFactor*readUnits(records[i].bytes(), true), i)
	}
	if refused := p.books.admit(loads); refused != nil {
		return refused.cancellation(len(getters))
	}
	return nil
}

// traffic returns that of what the pager reads, nil if nobody watches.
func (pg *pager) traffic() *traffic {
	if pg.index != nil && !pg.index.local {
		return pg.index.space.traffic
	}
	return pg.table.base.traffic
}

// cost is what the records of the page cost so far.
func (out *page) cost(consistent bool) units {
	if len(out.records) == 0 {
		return 0
	}
	return readUnits(out.bytes, consistent) + out.fetched
}

// admit takes the capacity for what a page has read of a partition beyond what
// it had before, which may round to nothing, but not where there is nothing
// left. Then the page ends before the partition, or fails if it has no records.
// admit reports whether reading can go on.
func (pg *pager) admit(out, before *page, part int) bool {
	if len(out.records) == len(before.records) {
		return true
	}
	return pg.take(out, before, part, out.cost(pg.consistent)-before.cost(pg.consistent))
}

// admitNothing takes the capacity for a page that found nothing.
func (pg *pager) admitNothing(out *page, part int) {
	if len(out.records) == 0 && out.refused == nil {
		pg.take(out, &page{}, part, readUnits(0, pg.consistent))
	}
}

func (pg *pager) take(out, before *page, part int, n units) bool {
	t := pg.traffic()
	refused := t.books.admit([]load{{
		on: t, part: part, key: pg.partition, way: reads, units: n, bytes: out.bytes - before.bytes,
		items: len(out.records) - len(before.records), further: len(before.records) > 0,
	}})
	if refused == nil {
		return true
	}
	*out = *before
	if out.stopped = len(out.records) > 0; !out.stopped {
		out.refused = refused
	}
	return false
}
