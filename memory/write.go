package memory

import (
	"time"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// A mutation is what a request does to one item. Every write is one, be it a
// put, an update or a delete, alone, in a batch or in a transaction.
type mutation struct {
	table     *table
	key       string          // where the item is stored
	named     av.Map          // the item or Key of the request
	condition *eval.Condition // nil for none
	// image makes the new image of the item from what is named and the old image,
	// where nil stands for no item, as in what it returns. It must not change
	// anything.
	image func(named av.Map, old *record) (*record, error)
	// expires says that the service itself removes the item, which costs nothing.
	expires bool

	effect effect // once it is worked out
}

// effect is what a mutation would do, or has done.
type effect struct {
	old, new *record // nil for no item
	changes  []entryChange
	draft    *draft // of a record for the table's stream; nil for none
}

// conditionFailed reports that a mutation's condition does not hold.
type conditionFailed struct{ old *record }

func (*conditionFailed) Error() string { return conditionText }

// evaluateLocked works a mutation out against the stored item and changes
// nothing that is stored. The caller holds the lock of the item's partition.
func (m *mutation) evaluateLocked() (*effect, error) {
	e := &m.effect
	*e = effect{old: m.table.base.partition(m.key).store.get(m.key)}
	var before av.Map
	if e.old != nil {
		before = e.old.item
	}
	if m.condition != nil && !m.condition.Match(before) {
		return nil, &conditionFailed{e.old}
	}
	var err error
	if e.new, err = m.image(m.named, e.old); err != nil {
		return nil, err
	}
	if e.old != nil && e.new != nil && av.EqualMaps(e.old.item, e.new.item) {
		e.new = e.old // nothing to write, and the entries stay as well
		return e, nil
	}
	l := m.table.layout.Load()
	for _, ix := range l.indexes {
		if c, changed := ix.change(&l.key, e.old, e.new); changed {
			e.changes = append(e.changes, c)
		}
	}
	return e, nil
}

// commitLocked stores what evaluateLocked worked out. The caller has held the
// lock of the item's partition since, and holds those of all index partitions
// that are touched and of the stream's log. at is the time of the commit for
// powers that remember it.
func (m *mutation) commitLocked(e *effect, at time.Time) {
	if e.new == e.old {
		return
	}
	m.table.base.partition(m.key).replace(m.key, e.new, at)
	for i := range e.changes {
		e.changes[i].commitLocked(at)
	}
	e.draft.commitLocked()
}

// write carries out a single mutation: condition and change are one step that
// nothing comes between.
func (m *mutation) write() (*effect, error) {
	p := m.table.base.partition(m.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := m.evaluateLocked()
	if !m.expires {
		if refused := m.admitLocked(e); refused != nil {
			return nil, refused
		}
	}
	if err != nil {
		return nil, err
	}
	defer lockAll(touched(nil, e))()
	if m.table.captures() {
		defer draftAll([]mutation{*m}, []*effect{e})()
	}
	if err := m.table.ledger.writeLocked(m, e); err != nil {
		return nil, err
	}
	m.commitLocked(e, m.table.powers.now())
	return e, nil
}

// touched appends the index partitions in which an effect changes entries now.
func touched(to []*partition, e *effect) []*partition {
	for i := range e.changes {
		if e.changes[i].index.lag == nil {
			to = e.changes[i].partitions(to)
		}
	}
	return to
}

// putImage replaces whatever is stored.
func putImage(item av.Map, _ *record) (*record, error) { return newRecord(item), nil }

// deleteImage leaves nothing.
func deleteImage(av.Map, *record) (*record, error) { return nil, nil }

// keepImage leaves everything, as a condition check does.
func keepImage(_ av.Map, old *record) (*record, error) { return old, nil }

// put returns the mutation that stores an item.
func (t *table) put(item av.Map, c *eval.Condition) (mutation, error) {
	l := t.layout.Load()
	if err := l.checkItem(item); err != nil {
		return mutation{}, err
	}
	if err := l.checkPaths(paths(c)); err != nil {
		return mutation{}, err
	}
	return mutation{table: t, key: l.key.storeKey(item), named: item, condition: c, image: putImage}, nil
}

// delete returns the mutation that removes the item with the key.
func (t *table) delete(key av.Map, c *eval.Condition) (mutation, error) {
	return t.keyed(key, c, deleteImage)
}

// require returns the mutation that changes nothing but demands a condition.
func (t *table) require(key av.Map, c *eval.Condition) (mutation, error) {
	return t.keyed(key, c, keepImage)
}

func (t *table) keyed(key av.Map, c *eval.Condition, image func(named av.Map, old *record) (*record, error)) (mutation, error) {
	l := t.layout.Load()
	if err := l.key.checkKey(key); err != nil {
		return mutation{}, err
	}
	if err := l.checkPaths(paths(c)); err != nil {
		return mutation{}, err
	}
	return mutation{table: t, key: l.key.storeKey(key), named: key, condition: c, image: image}, nil
}

// update returns the mutation that applies an update, nil for none, to the item
// with the key, which it makes if need be. What it computes is worded as w says.
func (t *table) update(key av.Map, c *eval.Condition, u *eval.Update, w wording) (mutation, error) {
	m, err := t.keyed(key, nil, nil)
	if err != nil {
		return m, err
	}
	l := t.layout.Load()
	if err := l.checkTargets(paths(u)); err != nil {
		return m, err
	}
	if err := l.checkOutcomes(u); err != nil {
		return m, err
	}
	if u != nil {
		if err := l.checkPaths(u.Paths(), u.Reads()); err != nil {
			return m, err
		}
	}
	if err := l.checkPaths(paths(c)); err != nil {
		return m, err
	}
	m.condition = c
	m.image = func(key av.Map, old *record) (*record, error) { return l.updateImage(key, old, u, w) }
	return m, nil
}

// updateImage returns the image that an update makes of an item. A missing item
// starts as its bare key, unless the update only takes away.
func (l *layout) updateImage(key av.Map, old *record, u *eval.Update, w wording) (*record, error) {
	switch {
	case old == nil && u != nil && !u.Creates():
		return nil, nil
	case old == nil:
		old = &record{item: key}
	}
	if u == nil {
		return newRecord(old.item), nil
	}
	item, err := u.Apply(old.item)
	if err != nil {
		return nil, wording{}.fault(err)
	}
	written := paths(u)
	if err := l.checkUpdated(written, item, w); err != nil {
		return nil, err
	}
	image := newRecord(item)
	if image.size > limits.ItemBytes {
		return nil, invalid(textUpdateSize)
	}
	for _, p := range written {
		if item.Get(p.Root()).Depth() > limits.NestingLevels {
			return nil, invalid(textNesting)
		}
	}
	return image, nil
}
