package model

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Got is what a read of one item found.
type Got struct {
	Item Item // nil for none
	Used Units
}

// Get reads one item; nil paths show all of it.
func (t *Table) Get(key Item, paths []Path, consistent bool) (Got, error) {
	if err := t.checkKey(key); err != nil {
		return Got{}, err
	}
	item := t.find(key)
	g := Got{Item: item, Used: Units{Table: readUnits(Size(item), consistent)}}
	if item != nil && paths != nil {
		g.Item = Select(item, paths)
	}
	return g, nil
}

// BatchGet reads items. A key that is there twice in the same words is refused; of
// two that only mean the same the item is shown once.
func (t *Table) BatchGet(keys []Item, paths []Path, consistent bool) ([]Item, Units, error) {
	for i, key := range keys {
		if slices.ContainsFunc(keys[:i], func(k Item) bool { return EqualItems(k, key) && spelledAlike(k, key) }) {
			return nil, Units{}, errDuplicate
		}
	}
	var used Units
	found := []Item{}
	for i, key := range keys {
		g, err := t.Get(key, paths, consistent)
		if err != nil {
			return nil, Units{}, err
		}
		used.add(g.Used, 1)
		if g.Item != nil && !slices.ContainsFunc(keys[:i], func(k Item) bool { return t.same(k, key) }) {
			found = append(found, g.Item)
		}
	}
	return found, used, nil
}

// spelledAlike reports whether the numbers of two equal keys are written in the
// same way.
func spelledAlike(a, b Item) bool {
	for name, v := range a {
		if n, ok := v.(*types.AttributeValueMemberN); ok && n.Value != b[name].(*types.AttributeValueMemberN).Value {
			return false
		}
	}
	return true
}

// TransactGet reads items of several tables. Nothing selected looks like no item.
func TransactGet(tables []*Table, keys []Item, paths [][]Path) ([]Item, []Units, error) {
	writes := make([]Write, len(keys))
	for i, key := range keys {
		writes[i] = Write{Verb: "CHECK", Item: key}
	}
	if err := checkAll(tables, writes); err != nil {
		return nil, nil, err
	}
	items, used := make([]Item, len(keys)), make([]Units, len(keys))
	for i, key := range keys {
		g, _ := tables[i].Get(key, paths[i], true) // the key was checked
		if items[i], used[i] = g.Item, g.Used; len(g.Item) == 0 {
			items[i] = nil
		}
	}
	return items, used, nil
}

// Read is a Query or a Scan.
type Read struct {
	Index  string // "" for the table
	Filter *Cond
	Paths  []Path // nil for all that the table or index holds
	All    bool   // ask a local index for what it does not hold
	// Limit is how many items are evaluated, 0 for no limit.
	Limit      int
	Start      Item // nil for the beginning
	Consistent bool
	Backward   bool

	// Of a Query: the values of the hash attributes, equality on leading sort
	// attributes, and Op on the next one, which is "" or one of = < <= > >=
	// between begins_with.
	Hash, Equal []Value
	Op          string
	Bounds      []Value
}

// Page is what a Query or Scan answers.
type Page struct {
	Items []Item
	// Count and Scanned are the items after and before the filter.
	Count, Scanned int
	Last           Item // nil at the end
	Used           Units
}

// selects reports whether a query selects an entry by its keys.
func (r Read) selects(key Key, entry Item) bool {
	for i, a := range key.Hash {
		if !Equal(entry[a.Name], r.Hash[i]) {
			return false
		}
	}
	for i, v := range r.Equal {
		if !Equal(entry[key.Sort[i].Name], v) {
			return false
		}
	}
	if r.Op == "" {
		return true
	}
	v := entry[key.Sort[len(r.Equal)].Name]
	switch r.Op {
	case "between":
		return ordered(r.Bounds[0], "<=", v) && ordered(v, "<=", r.Bounds[1])
	case "begins_with":
		return beginsWith(v, r.Bounds[0])
	case "=":
		return Equal(v, r.Bounds[0])
	}
	return ordered(v, r.Op, r.Bounds[0])
}

// entries returns all items of the table, or all entries of an index.
func (t *Table) entries(ix *Index) []Item {
	if ix == nil {
		return t.items
	}
	var found []Item
	for _, item := range t.items {
		if entry := t.view(ix, item); entry != nil {
			found = append(found, entry)
		}
	}
	return found
}

// Query answers a query.
func (t *Table) Query(r Read) (Page, error) {
	ix, key, err := t.bind(r)
	if err != nil {
		return Page{}, err
	}
	if err := t.checkStart(r, ix, key); err != nil {
		return Page{}, err
	}
	if err := t.checkShown(r, ix, key.all()); err != nil {
		return Page{}, err
	}
	entries := slices.DeleteFunc(slices.Clone(t.entries(ix)), func(e Item) bool { return !r.selects(key, e) })
	order := before(slices.Concat(key.Sort, t.all()))
	slices.SortFunc(entries, order)
	if r.Backward {
		slices.Reverse(entries)
	}
	if r.Start != nil {
		entries = slices.DeleteFunc(entries, func(e Item) bool {
			c := order(e, r.Start)
			return c == 0 || (c < 0) != r.Backward
		})
	}
	return t.page(r, ix, entries), nil
}

// Scan answers a scan without limit: all entries, in no order.
func (t *Table) Scan(r Read) (Page, error) {
	ix, _, err := t.bind(r)
	if err != nil {
		return Page{}, err
	}
	if err := t.checkShown(r, ix, nil); err != nil {
		return Page{}, err
	}
	return t.page(r, ix, t.entries(ix)), nil
}

// bind finds the index, nil for the table, and the key that is read by.
func (t *Table) bind(r Read) (*Index, Key, error) {
	if r.Index == "" {
		return nil, t.Key, nil
	}
	ix := t.index(r.Index)
	switch {
	case ix == nil:
		return nil, Key{}, invalid("The table does not have the specified index: " + r.Index)
	case r.Consistent && !ix.Local:
		return nil, Key{}, invalid("Consistent reads are not supported on global secondary indexes")
	}
	return ix, ix.Key, nil
}

// checkStart demands a starting key in the partition that is read and within the
// condition on the sort key. Tests give it the right attributes.
func (t *Table) checkStart(r Read, ix *Index, key Key) error {
	if r.Start == nil {
		return nil
	}
	want := len(t.all())
	if ix != nil {
		for _, a := range ix.all() {
			if !t.Has(a.Name) {
				want++
			}
		}
	}
	if len(r.Start) != want {
		return errStart
	}
	elsewhere := false
	for i, a := range key.Hash {
		elsewhere = elsewhere || !Equal(r.Start[a.Name], r.Hash[i])
	}
	sorted := r
	sorted.Hash = nil
	inRange := sorted.selects(Key{Sort: key.Sort}, r.Start)
	switch {
	case r.Op == "" && len(r.Equal) == 0 && !elsewhere, inRange && !elsewhere:
		return nil
	case r.Op == "" && len(r.Equal) == 0:
		return invalid("The provided starting key is outside query boundaries based on provided conditions")
	case !inRange:
		return invalid("The provided starting key does not match the range key predicate")
	}
	return invalid("The query can return at most one row and cannot be restarted")
}

// checkShown refuses filters on the key of a query, and attributes that a global
// index does not have.
func (t *Table) checkShown(r Read, ix *Index, key []Attribute) error {
	filtered := r.Filter.Roots(nil)
	for _, a := range key {
		if slices.Contains(filtered, a.Name) {
			return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: " + a.Name)
		}
	}
	if ix == nil || ix.Local || ix.All {
		return nil
	}
	if r.All {
		return invalid(wereInvalid + "Select type ALL_ATTRIBUTES is not supported for global secondary index " + ix.Name + " because its projection type is not ALL")
	}
	if missing := t.unprojected(r, ix); missing != nil {
		return invalid(wereInvalid + "Global secondary index " + ix.Name + " does not project [" + strings.Join(missing, ", ") + "]")
	}
	return nil
}

// unprojected returns the attributes asked for that an index does not hold.
func (t *Table) unprojected(r Read, ix *Index) []string {
	var missing []string
	for _, p := range r.Paths {
		if name := p.Root(); !t.holds(ix, name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// page evaluates entries in their order.
func (t *Table) page(r Read, ix *Index, entries []Item) Page {
	p := Page{Items: []Item{}}
	if r.Limit > 0 && len(entries) >= r.Limit {
		entries = entries[:r.Limit]
		p.Last = t.startOf(ix, entries[r.Limit-1])
	}
	fetch := ix != nil && ix.Local && !ix.All && (r.All || t.unprojected(r, ix) != nil)
	bytes := 0
	for _, e := range entries {
		bytes += Size(e)
		if fetch {
			e = t.find(e)
			p.Used.Table += readUnits(Size(e), r.Consistent)
		}
		p.Scanned++
		if !r.Filter.Holds(e) {
			continue
		}
		if r.Paths != nil {
			e = Select(e, r.Paths)
		}
		p.Count++
		p.Items = append(p.Items, e)
	}
	if ix == nil {
		p.Used.Table = readUnits(bytes, r.Consistent)
	} else {
		p.Used.index(ix.Name, readUnits(bytes, r.Consistent))
	}
	return p
}

// startOf returns the key that stands for an entry.
func (t *Table) startOf(ix *Index, entry Item) Item {
	key := t.only(entry)
	if ix != nil {
		for name, v := range ix.only(entry) {
			key[name] = v
		}
	}
	return key
}

// Items returns all items, in no order.
func (t *Table) Items() []Item { return t.items }
