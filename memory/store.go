package memory

import "github.com/tidwall/btree"

// store keeps records by their keys, in order. It is the only code that knows
// how. The zero store is empty; a partition's lock guards it.
//
// A tree is slow to search once it no longer fits into the processor's cache, since
// each comparison looks at a key somewhere in memory. Most requests name a whole
// key: those take the map, and the tree has to do with what comes, goes, or is
// walked.
type store struct {
	slots map[string]*slot
	tree  btree.Map[string, *slot]
}

// slot is the place of a record in both, so that one can be put in place of
// another without a search of the tree.
type slot struct{ record *record }

func (s *store) get(key string) *record {
	if at := s.slots[key]; at != nil {
		return at.record
	}
	return nil
}

// set puts a record in place of what stood under the key, which it returns.
func (s *store) set(key string, r *record) *record {
	if at := s.slots[key]; at != nil {
		old := at.record
		at.record = r
		return old
	}
	if s.slots == nil {
		s.slots = make(map[string]*slot)
	}
	at := &slot{r}
	s.slots[key] = at
	s.tree.Set(key, at)
	return nil
}

// remove returns the record that stood under the key.
func (s *store) remove(key string) *record {
	at := s.slots[key]
	if at == nil {
		return nil
	}
	delete(s.slots, key)
	s.tree.Delete(key)
	return at.record
}

func (s *store) len() int { return len(s.slots) }

// walk visits the records of a range in its direction until visit returns
// false.
func (s *store) walk(r keyRange, visit func(key string, r *record) bool) {
	if r.backward {
		s.tree.Descend(r.high, func(key string, at *slot) bool {
			if key >= r.high { // the upper end is not part of the range
				return true
			}
			return key >= r.low && visit(key, at.record)
		})
		return
	}
	s.tree.Ascend(r.low, func(key string, at *slot) bool {
		return key < r.high && visit(key, at.record)
	})
}

// keyRange is the half-open range [low, high) of store keys, to be read upwards
// or backward.
type keyRange struct {
	low, high string
	backward  bool
}

// after returns the part of the range that comes after key in its direction.
func (r keyRange) after(key string) keyRange {
	if r.backward {
		r.high = min(r.high, key)
	} else {
		r.low = max(r.low, key+"\x00") // the next key there can be
	}
	return r
}

// prefixEnd returns the least key above all that begin with prefix.
func prefixEnd(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xFF {
			b[i]++
			return string(b[:i+1])
		}
	}
	return maxKey
}

// everything is the range of all store keys.
var everything = keyRange{low: minKey, high: maxKey}
