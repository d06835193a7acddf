package memory

import (
	"cmp"
	"slices"
	"sync"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// partition is one range of hash space with what is stored there.
type partition struct {
	// ordinal gives all partitions of a DB one order, the order of locking.
	ordinal uint64
	past    *past // nil unless reads may be stale

	mu    sync.RWMutex // guards all below
	store store
	bytes int // sum of the records' sizes
}

// put stores a record under the key; nil removes what is there.
func (p *partition) put(key string, r *record) {
	var old *record
	if r == nil {
		old = p.store.remove(key)
	} else {
		old = p.store.set(key, r)
		p.bytes += r.size
	}
	if old != nil {
		p.bytes -= old.size
	}
}

// record is a stored item or an index entry. It never changes: a write puts
// another in its place.
type record struct {
	item av.Map
	size int
}

func newRecord(item av.Map) *record { return &record{item, item.Size()} }

// ordered sorts partitions into the order of locking and drops repetitions.
func ordered(ps []*partition) []*partition {
	slices.SortFunc(ps, func(a, b *partition) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return slices.Compact(ps)
}

// lockAll locks partitions for writing and returns what unlocks them again.
func lockAll(ps []*partition) (unlock func()) {
	if len(ps) == 0 {
		return func() {}
	}
	ps = ordered(ps)
	for _, p := range ps {
		p.mu.Lock()
	}
	return func() {
		for _, p := range slices.Backward(ps) {
			p.mu.Unlock()
		}
	}
}

// rlockAll locks partitions for reading and returns what unlocks them again.
func rlockAll(ps []*partition) (unlock func()) {
	ps = ordered(ps)
	for _, p := range ps {
		p.mu.RLock()
	}
	return func() {
		for _, p := range slices.Backward(ps) {
			p.mu.RUnlock()
		}
	}
}
