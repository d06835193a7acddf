package memory

import (
	"slices"
	"sync"
	"time"
)

// past is what a partition held until lately, for reads that may be stale. It
// forgets with every use what no read can ask for any more.
type past struct {
	keep time.Duration

	mu       sync.Mutex // guards replaced; comes after the partition's lock
	replaced queue[replacement]
}

// replacement is what stood under a key until a time; nil for nothing.
type replacement struct {
	key string
	old *record
	at  time.Time
}

// replace puts a record under the key, or nothing for nil, and remembers what
// was there if the partition has a past.
func (p *partition) replace(key string, r *record, at time.Time) {
	if p.past != nil {
		p.past.add(replacement{key, p.store.get(key), at})
	}
	p.put(key, r)
}

func (h *past) add(r replacement) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forgetLocked(r.at)
	h.replaced.push(r)
}

// forgetLocked drops what was replaced before any read at now can look back.
func (h *past) forgetLocked(now time.Time) {
	n := 0
	for _, r := range h.replaced.all() {
		if now.Sub(r.at) < h.keep {
			break
		}
		n++
	}
	h.replaced.drop(n)
}

// A moment is the time whose state a read sees, and the time at which it asks.
// The zero moment is the present.
type moment struct{ then, now time.Time }

// moment returns what a read sees: the present every other time.
func (p *powers) moment(consistent bool) moment {
	if p == nil || p.stale <= 0 || consistent {
		return moment{}
	}
	p.chance.Lock()
	defer p.chance.Unlock()
	if p.chance.Uint64()%2 == 0 {
		return moment{}
	}
	now := p.clock()
	return moment{then: now.Add(-time.Duration(p.chance.Int64N(int64(p.stale) + 1))), now: now}
}

// since returns what stood at a moment where something else stands now. The
// first replacement after the moment tells.
func (h *past) since(m moment) map[string]*record {
	if h == nil || m == (moment{}) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forgetLocked(m.now)
	var stood map[string]*record
	for _, r := range h.replaced.all() {
		if !r.at.After(m.then) {
			continue
		}
		if _, known := stood[r.key]; known {
			continue
		}
		if stood == nil {
			stood = make(map[string]*record)
		}
		stood[r.key] = r.old
	}
	return stood
}

// getLocked returns what stood under the key at a moment, nil for nothing.
func (p *partition) getLocked(key string, m moment) *record {
	if stood := p.past.since(m); stood != nil {
		if r, known := stood[key]; known {
			return r
		}
	}
	return p.store.get(key)
}

// walkLocked visits the records of a range as they were at a moment, in its
// direction, until visit returns false.
func (p *partition) walkLocked(r keyRange, m moment, visit func(key string, r *record) bool) {
	stood := p.past.since(m)
	if len(stood) == 0 {
		p.store.walk(r, visit)
		return
	}
	keys := r.sorted(stood)
	going := true
	// catchUp visits what stood before the key but is gone.
	catchUp := func(until func(key string) bool) {
		for going && len(keys) > 0 && !until(keys[0]) {
			if old := stood[keys[0]]; old != nil {
				going = visit(keys[0], old)
			}
			keys = keys[1:]
		}
	}
	p.store.walk(r, func(key string, rec *record) bool {
		catchUp(func(k string) bool { return r.reaches(k, key) })
		if old, known := stood[key]; known {
			keys = keys[1:]
			rec = old
		}
		if going && rec != nil {
			going = visit(key, rec)
		}
		return going
	})
	catchUp(func(string) bool { return false })
}

// sorted returns the keys of records that are within the range, in its
// direction.
func (r keyRange) sorted(records map[string]*record) []string {
	var keys []string
	for k := range records {
		if k >= r.low && k < r.high {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	if r.backward {
		slices.Reverse(keys)
	}
	return keys
}

// reaches reports whether a does not come before b in the range's direction.
func (r keyRange) reaches(a, b string) bool {
	if r.backward {
		return a <= b
	}
	return a >= b
}

// forget drops the past of all partitions.
func (ks *keyspace) forget() {
	for _, p := range ks.partitions {
		if p.past != nil {
			p.past.mu.Lock()
			p.past.replaced = queue[replacement]{}
			p.past.mu.Unlock()
		}
	}
}
