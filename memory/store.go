package memory

import "github.com/tidwall/btree"

// store keeps records in the order of their keys. It is the only code that
// knows the tree. The zero store is empty; a partition's lock guards it.
type store struct {
	tree btree.Map[string, *record]
}

func (s *store) get(key string) *record {
	r, _ := s.tree.Get(key)
	return r
}

// set puts a record in place of what stood under the key, which it returns.
func (s *store) set(key string, r *record) *record {
	old, _ := s.tree.Set(key, r)
	return old
}

// remove returns the record that stood under the key.
func (s *store) remove(key string) *record {
	old, _ := s.tree.Delete(key)
	return old
}

func (s *store) len() int { return s.tree.Len() }

// walk visits the records of a range in its direction until visit returns
// false.
func (s *store) walk(r keyRange, visit func(key string, r *record) bool) {
	if r.backward {
		s.tree.Descend(r.high, func(key string, rec *record) bool {
			if key >= r.high { // the upper end is not part of the range
				return true
			}
			return key >= r.low && visit(key, rec)
		})
		return
	}
	s.tree.Ascend(r.low, func(key string, rec *record) bool {
		return key < r.high && visit(key, rec)
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
