package memory

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Check verifies what must hold between operations, and returns all that does
// not, joined: every record is in the partition and at the place that its keys
// say; every index holds exactly the views of the items that have its key, or
// will once what [IndexLag] holds back has followed; sizes and totals add up. It locks out all writers of one table at a time. It is meant
// for tests; an error is a fault of the engine.
func (db *DB) Check() error {
	var faults []error
	for _, name := range db.tableNames() {
		if t := db.table(name); t != nil {
			faults = append(faults, t.check())
		}
	}
	return errors.Join(faults...)
}

// check locks the base before it knows the indexes, since only that holds the
// layout still.
func (t *table) check() error {
	defer rlockAll(slices.Clone(t.base.partitions))()
	l := t.layout.Load()
	faults := []error{t.base.checkLocked(t.name, l.key.storeKey)}
	for _, ix := range l.indexes {
		faults = append(faults, t.checkIndex(l, ix))
	}
	return errors.Join(faults...)
}

// checkLocked verifies a keyspace in itself; place tells where an item belongs.
func (ks *keyspace) checkLocked(name string, place func(av.Map) string) error {
	var faults []error
	report := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: "+format, append([]any{name}, args...)...))
	}
	for i, p := range ks.partitions {
		bytes, count := 0, 0
		p.store.walk(everything, func(key string, r *record) bool {
			count++
			bytes += r.size
			switch {
			case key != place(r.item):
				report("record %d of partition %d is not where its keys say", count, i)
			case ks.route(key) != i:
				report("record %d of partition %d belongs to partition %d", count, i, ks.route(key))
			case r.size != r.item.Size():
				report("record %d of partition %d has size %d, counted as %d", count, i, r.item.Size(), r.size)
			}
			return true
		})
		if bytes != p.bytes {
			report("partition %d holds %d bytes, counted as %d", i, bytes, p.bytes)
		}
		if count != p.store.len() {
			report("partition %d holds %d records, counted as %d", i, count, p.store.len())
		}
	}
	return errors.Join(faults...)
}

// checkIndex compares an index, once what is held back has followed, with what
// the items of its table demand. The caller holds the locks of all base partitions.
func (t *table) checkIndex(l *layout, ix *index) error {
	coming, release := ix.lag.hold()
	defer release()
	defer rlockAll(slices.Clone(ix.space.partitions))()
	name := t.name + "." + ix.name
	faults := []error{ix.space.checkLocked(name, func(entry av.Map) string { return ix.storeKey(&l.key, entry) })}
	want := 0
	for _, p := range t.base.partitions {
		p.store.walk(everything, func(_ string, r *record) bool {
			if !ix.schema.within(r.item) {
				return true
			}
			want++
			key := ix.storeKey(&l.key, r.item)
			entry, late := coming[key]
			if !late {
				entry = ix.space.partition(key).store.get(key)
			}
			switch {
			case entry == nil:
				faults = append(faults, fmt.Errorf("%s: an item has no entry", name))
			case !av.EqualMaps(entry.item, ix.view(r).item):
				faults = append(faults, fmt.Errorf("%s: an entry is not the view of its item", name))
			case ix.projected == nil && entry != r:
				faults = append(faults, fmt.Errorf("%s: an entry does not share its item's record", name))
			}
			return true
		})
	}
	got := 0
	for _, p := range ix.space.partitions {
		got += p.store.len()
	}
	for key, entry := range coming {
		if there := ix.space.partition(key).store.get(key); there == nil && entry != nil {
			got++
		} else if there != nil && entry == nil {
			got--
		}
	}
	if got != want {
		faults = append(faults, fmt.Errorf("%s: %d entries for %d items", name, got, want))
	}
	return errors.Join(faults...)
}
