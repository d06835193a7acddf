package memory

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// served counts what a partition or a partition key has served.
type served struct {
	requests, throttled int64
	units               [ways]units
	bytes, items        int64
}

func (l *load) served() served {
	s := served{requests: 1, bytes: int64(l.bytes), items: int64(l.items)}
	s.units[l.way] = l.units
	return s
}

func (s *served) add(n served) {
	s.requests += n.requests
	s.throttled += n.throttled
	s.units[reads] += n.units[reads]
	s.units[writes] += n.units[writes]
	s.bytes += n.bytes
	s.items += n.items
}

// heat is by what keys are compared: units, and one for each refused request.
func (s *served) heat() units {
	return s.units[reads] + s.units[writes] + units(s.throttled)*oneUnit
}

// hotKeys counts the traffic of up to a number of partition keys. When there are
// more, the coldest one gives its place and its counts to the newcomer. A key
// whose true heat is above the coldest count is therefore always among them, and
// no count is too low ("space saving", Metwally, Agrawal and El Abbadi 2005).
type hotKeys struct {
	most  int
	byKey map[string]*hotKey
	cold  coldestFirst
}

// hotKey is the count of one partition key.
type hotKey struct {
	key       string // the values in ordered form
	values    []av.Value
	served    served
	inherited served // the part of served that may be of other keys
	place     int    // in the heap
}

func (h *hotKeys) count(values []av.Value, n served) {
	var buf [64]byte
	encoded := buf[:0]
	for _, v := range values {
		encoded = v.AppendKey(encoded)
	}
	k := h.byKey[string(encoded)]
	if k == nil {
		k = h.admit(string(encoded), values)
	}
	k.served.add(n)
	heap.Fix(&h.cold, k.place)
}

// admit makes room for a key that is not counted yet.
func (h *hotKeys) admit(key string, values []av.Value) *hotKey {
	if h.byKey == nil {
		h.byKey = make(map[string]*hotKey)
	}
	var k *hotKey
	if len(h.cold) < h.most {
		k = &hotKey{key: key, values: values}
		heap.Push(&h.cold, k)
	} else {
		k = h.cold[0]
		delete(h.byKey, k.key)
		k.key, k.values, k.inherited = key, values, k.served
	}
	h.byKey[key] = k
	return k
}

// hottest returns all counts, the hottest first.
func (h *hotKeys) hottest() []*hotKey {
	all := slices.Clone(h.cold)
	slices.SortFunc(all, func(a, b *hotKey) int { return compareHeat(b, a) })
	return all
}

// compareHeat puts the colder of two keys first; of equal ones that with the
// greater key, so that hottest first is also least key first.
func compareHeat(a, b *hotKey) int {
	if c := cmp.Compare(a.served.heat(), b.served.heat()); c != 0 {
		return c
	}
	return cmp.Compare(b.key, a.key)
}

// coldestFirst is a heap for package container/heap.
type coldestFirst []*hotKey

func (c coldestFirst) Len() int           { return len(c) }
func (c coldestFirst) Less(i, j int) bool { return compareHeat(c[i], c[j]) < 0 }

func (c coldestFirst) Swap(i, j int) {
	c[i], c[j] = c[j], c[i]
	c[i].place, c[j].place = i, j
}

// Push appends a *hotKey.
func (c *coldestFirst) Push(x any) {
	k := x.(*hotKey)
	k.place = len(*c)
	*c = append(*c, k)
}

// Pop takes the last one off.
func (c *coldestFirst) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
