package model

import "maps"

// Units is consumed capacity, in halves of a unit.
type Units struct {
	Table   int
	Indexes map[string]int // nil or by name; an index that took no part is absent
}

// Total returns the sum of all parts.
func (u Units) Total() int {
	n := u.Table
	for _, i := range u.Indexes {
		n += i
	}
	return n
}

// Equal reports whether two amounts are equal in all parts.
func (u Units) Equal(v Units) bool { return u.Table == v.Table && maps.Equal(u.Indexes, v.Indexes) }

// add adds what something else took, the table's part times factor.
func (u *Units) add(v Units, factor int) {
	u.Table += factor * v.Table
	for name, n := range v.Indexes {
		u.index(name, n)
	}
}

func (u *Units) index(name string, n int) {
	if u.Indexes == nil {
		u.Indexes = make(map[string]int)
	}
	u.Indexes[name] += n
}

// Sum adds up what several writes or reads took, the table's part of each times
// factor.
func Sum(all []Units, factor int) Units {
	var sum Units
	for _, u := range all {
		sum.add(u, factor)
	}
	return sum
}

func writeUnits(bytes int) int { return 2 * max(1, (bytes+1023)/1024) }

func readUnits(bytes int, consistent bool) int {
	n := max(1, (bytes+4095)/4096)
	if consistent {
		n *= 2
	}
	return n
}

// cost returns what a write took that made image of old.
func (t *Table) cost(old, image Item) Units {
	u := Units{Table: writeUnits(max(Size(old), Size(image)))}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		from, to := t.view(ix, old), t.view(ix, image)
		switch {
		case from == nil && to == nil || from != nil && to != nil && EqualItems(from, to):
		case from == nil:
			u.index(ix.Name, writeUnits(Size(to)))
		case to == nil:
			u.index(ix.Name, writeUnits(Size(from)))
		case !ix.same(from, to):
			u.index(ix.Name, writeUnits(Size(from))+writeUnits(Size(to)))
		default:
			u.index(ix.Name, writeUnits(max(Size(from), Size(to))))
		}
	}
	return u
}
