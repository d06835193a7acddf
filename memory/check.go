package memory

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Check verifies what must hold between operations, and returns all that does
// not, joined: every record is in the partition and at the place that its keys
// say, and found by them; every index holds exactly the views of the items that
// have its key, or will once what [IndexLag] holds back has followed; sizes and
// totals add up; the records of streams are in order, in the log of their item,
// and show what the stream's view type says. It locks out all writers of one table
// at a time. It is meant for tests; an error is a fault of the engine.
func (db *DB) Check() error {
	var faults []error
	for _, name := range db.tableNames() {
		if t := db.table(name); t != nil {
			faults = append(faults, t.check())
		}
	}
	for _, s := range db.streams.all(db.now()) {
		faults = append(faults, s.check())
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
			case p.store.get(key) != r:
				report("record %d of partition %d is not what its key finds", count, i)
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

// check verifies the records of a stream.
func (s *stream) check() error {
	defer s.lock()()
	var faults []error
	for i := range s.logs {
		l := &s.logs[i]
		last := l.trimmed
		for n, c := range l.records.all() {
			if err := s.checkRecord(&c, i); err != nil {
				faults = append(faults, fmt.Errorf("%s: record %d of log %d %w", s.arn, n, i, err))
			}
			if c.at <= last || uint64(c.at) > s.last.Load() || s.end != 0 && c.at > s.end {
				faults = append(faults, fmt.Errorf("%s: record %d of log %d is out of order", s.arn, n, i))
			}
			last = c.at
		}
	}
	return errors.Join(faults...)
}

func (s *stream) checkRecord(c *captured, log int) error {
	shown := s.view(&effect{old: c.old, new: c.new}, c.expired)
	switch {
	case s.logOf(s.key.storeKey(c.keys)) != log:
		return errors.New("belongs to another log")
	case c.old != shown.old || c.new != shown.new:
		return errors.New("shows more than it should")
	case c.old != nil && c.kind == RecordInsert || c.new != nil && c.kind == RecordRemove:
		return errors.New("has an image of what was not there")
	case c.old != nil && !av.EqualMaps(s.key.only(c.old.item), c.keys) || c.new != nil && !av.EqualMaps(s.key.only(c.new.item), c.keys):
		return errors.New("has another key than its image")
	}
	return nil
}
