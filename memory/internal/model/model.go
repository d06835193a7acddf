package model

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Item is an item: attributes with strings and ints.
type Item map[string]any

// Table is a table with its indexes, which are views computed when asked for.
type Table struct {
	Hash, Sort string // key attributes
	Indexes    []Index
	items      []Item
}

// Index is a secondary index.
type Index struct {
	Name, Hash, Sort string
	// Projected are the attributes besides the keys; All overrules it.
	Projected []string
	All       bool
}

// The ways in which a write fails.
var (
	ErrCondition = errors.New("the condition does not hold")
	ErrKind      = errors.New("a number is needed")
	ErrMissing   = errors.New("there is no such attribute")
)

// Condition demands something of an item; the zero Condition demands nothing.
type Condition struct {
	Attribute string
	Absent    bool // there must be no such attribute
	Equals    any  // or it must have this value
}

func (c Condition) holds(item Item) bool {
	if c.Attribute == "" {
		return true
	}
	v, there := item[c.Attribute]
	if c.Absent {
		return !there
	}
	return there && v == c.Equals
}

// sameKey reports whether two items have one primary key.
func (t *Table) sameKey(a, b Item) bool {
	return a[t.Hash] == b[t.Hash] && a[t.Sort] == b[t.Sort]
}

func (t *Table) find(key Item) int {
	return slices.IndexFunc(t.items, func(i Item) bool { return t.sameKey(i, key) })
}

// Get returns the item with a key, nil when there is none.
func (t *Table) Get(key Item) Item {
	if i := t.find(key); i >= 0 {
		return maps.Clone(t.items[i])
	}
	return nil
}

// Put stores an item and returns the one it replaces.
func (t *Table) Put(item Item, c Condition) (Item, error) {
	old := t.Get(item)
	if !c.holds(old) {
		return nil, ErrCondition
	}
	t.drop(item)
	t.items = append(t.items, maps.Clone(item))
	return old, nil
}

// Delete removes an item and returns it.
func (t *Table) Delete(key Item, c Condition) (Item, error) {
	old := t.Get(key)
	if !c.holds(old) {
		return nil, ErrCondition
	}
	t.drop(key)
	return old, nil
}

func (t *Table) drop(key Item) {
	t.items = slices.DeleteFunc(t.items, func(i Item) bool { return t.sameKey(i, key) })
}

// Change is an update: attributes to set, to copy from another attribute, to add
// a number to, to remove. No attribute is named twice.
type Change struct {
	Set    map[string]any
	Copy   map[string]string // target to source
	Add    map[string]int
	Remove []string
}

// Update changes an item, or makes it unless the change only removes, and
// returns the new image. Of several faults that of Add is reported.
func (t *Table) Update(key Item, ch Change, c Condition) (Item, error) {
	old := t.Get(key)
	if !c.holds(old) {
		return nil, ErrCondition
	}
	if old == nil && len(ch.Set)+len(ch.Copy)+len(ch.Add) == 0 {
		return nil, nil
	}
	image := maps.Clone(old)
	if image == nil {
		image = Item{t.Hash: key[t.Hash], t.Sort: key[t.Sort]}
	}
	before := maps.Clone(image)
	for name, v := range ch.Set {
		image[name] = v
	}
	for name, n := range ch.Add {
		v, there := before[name]
		have, isNumber := v.(int)
		if there && !isNumber {
			return nil, ErrKind
		}
		image[name] = have + n
	}
	for to, from := range ch.Copy {
		v, there := before[from]
		if !there {
			return nil, ErrMissing
		}
		image[to] = v
	}
	for _, name := range ch.Remove {
		delete(image, name)
	}
	t.drop(key)
	t.items = append(t.items, image)
	return maps.Clone(image), nil
}

// Range is what a query selects of one partition: everything if Op is "", else
// what compares to Low (and High) as one of = < <= > >= between begins.
type Range struct {
	Op        string
	Low, High any
}

// Holds reports whether a sort key value is in the range.
func (r Range) Holds(v any) bool {
	switch r.Op {
	case "":
		return true
	case "=":
		return compare(v, r.Low) == 0
	case "<":
		return compare(v, r.Low) < 0
	case "<=":
		return compare(v, r.Low) <= 0
	case ">":
		return compare(v, r.Low) > 0
	case ">=":
		return compare(v, r.Low) >= 0
	case "between":
		return compare(v, r.Low) >= 0 && compare(v, r.High) <= 0
	default:
		return strings.HasPrefix(v.(string), r.Low.(string))
	}
}

// compare orders two strings or two ints.
func compare(a, b any) int {
	if s, ok := a.(string); ok {
		return cmp.Compare(s, b.(string))
	}
	return cmp.Compare(a.(int), b.(int))
}

// Query returns what a query of the table, or of the index with that name,
// evaluates, in order.
func (t *Table) Query(index string, partition any, r Range, backward bool) []Item {
	hash, sort := t.Hash, t.Sort
	if ix := t.index(index); ix != nil {
		hash, sort = ix.Hash, ix.Sort
	}
	var found []Item
	for _, item := range t.Scan(index) {
		if item[hash] == partition && r.Holds(item[sort]) {
			found = append(found, item)
		}
	}
	slices.SortFunc(found, func(a, b Item) int {
		return cmp.Or(compare(a[sort], b[sort]), compare(a[t.Hash], b[t.Hash]), compare(a[t.Sort], b[t.Sort]))
	})
	if backward {
		slices.Reverse(found)
	}
	return found
}

// Scan returns all items of the table, or all entries of an index, in no order.
func (t *Table) Scan(index string) []Item {
	ix := t.index(index)
	var found []Item
	for _, item := range t.items {
		if ix == nil {
			found = append(found, maps.Clone(item))
		} else if entry := t.view(ix, item); entry != nil {
			found = append(found, entry)
		}
	}
	return found
}

func (t *Table) index(name string) *Index {
	for i := range t.Indexes {
		if t.Indexes[i].Name == name {
			return &t.Indexes[i]
		}
	}
	return nil
}

// view returns an item's entry in an index, nil when it has none.
func (t *Table) view(ix *Index, item Item) Item {
	if item[ix.Hash] == nil || item[ix.Sort] == nil {
		return nil
	}
	entry := Item{}
	for name, v := range item {
		isKey := name == t.Hash || name == t.Sort || name == ix.Hash || name == ix.Sort
		if ix.All || isKey || slices.Contains(ix.Projected, name) {
			entry[name] = v
		}
	}
	return entry
}
