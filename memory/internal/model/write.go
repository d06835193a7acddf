package model

import (
	"maps"
	"slices"
)

// Write is a write to one item. Verb is PUT, UPDATE, DELETE or CHECK.
type Write struct {
	Verb   string
	Item   Item // to put, or the Key
	Update Update
	Cond   *Cond
	// Return is the ReturnValues of a write by itself.
	Return string
	// ShowOld asks for the stored item if the condition does not hold.
	ShowOld bool
}

// Written is what a write did.
type Written struct {
	Attributes Item // nil for none
	Used       Units
}

// find returns the stored item with a key, nil for none.
func (t *Table) find(key Item) Item {
	for _, item := range t.items {
		if t.same(item, key) {
			return item
		}
	}
	return nil
}

// replace puts an item, nil for none, in place of the one with a key.
func (t *Table) replace(key, item Item) {
	t.items = slices.DeleteFunc(t.items, func(i Item) bool { return t.same(i, key) })
	if item != nil {
		t.items = append(t.items, item)
	}
}

// check applies what can be said of a write before the item is looked at.
func (t *Table) check(w Write) error {
	if w.Verb == "PUT" {
		return t.checkItem(w.Item)
	}
	if err := t.checkKey(w.Item); err != nil || w.Verb != "UPDATE" {
		return err
	}
	for _, a := range t.all() {
		if w.Update.targets(a.Name) {
			return invalid(wereInvalid + "Cannot update attribute " + a.Name + ". This attribute is part of the key")
		}
	}
	return t.checkOutcomes(w.Update)
}

// image returns what a write makes of an item, nil standing for none.
func (t *Table) image(w Write, old Item) (Item, error) {
	switch w.Verb {
	case "PUT":
		return maps.Clone(w.Item), nil
	case "DELETE":
		return nil, nil
	case "CHECK":
		return old, nil
	}
	if old == nil {
		if !w.Update.creates() {
			return nil, nil
		}
		old = w.Item
	}
	image, err := w.Update.apply(old)
	if err != nil {
		return nil, err
	}
	return image, t.checkWritten(w.Update, image)
}

// Write carries out a write by itself.
func (t *Table) Write(w Write) (Written, error) {
	if err := t.check(w); err != nil {
		return Written{}, err
	}
	old := t.find(w.Item)
	if !w.Cond.Holds(old) {
		return Written{}, t.unmet(w, old, CodeCondition)
	}
	image, err := t.image(w, old)
	if err != nil {
		return Written{}, err
	}
	t.replace(w.Item, image)
	return Written{w.shown(old, image), t.cost(old, image)}, nil
}

func (t *Table) unmet(w Write, old Item, code string) *Failure {
	f := &Failure{Code: code, Text: "The conditional request failed"}
	if w.ShowOld {
		f.Item = old
	}
	return f
}

// shown returns what Return asks for.
func (w Write) shown(old, image Item) Item {
	paths := make([]Path, len(w.Update))
	for i, a := range w.Update {
		paths[i] = a.Target
	}
	part := func(item Item) Item {
		if p := Select(item, paths); len(p) > 0 {
			return p
		}
		return nil
	}
	switch w.Return {
	case "ALL_OLD":
		return old
	case "ALL_NEW":
		return image
	case "UPDATED_OLD":
		return part(old)
	case "UPDATED_NEW":
		return part(image)
	}
	return nil
}

// BatchWrite carries out puts and deletes one after the other, once all of them
// have been found right.
func (t *Table) BatchWrite(writes []Write) (Units, error) {
	for i, w := range writes {
		key := w.Item
		if w.Verb == "PUT" {
			key = t.only(w.Item)
		}
		if err := t.checkKey(key); err != nil {
			return Units{}, err
		}
		if w.Verb == "PUT" {
			if err := t.checkIndexKeys(w.Item); err != nil {
				return Units{}, err
			}
		}
		for _, other := range writes[:i] {
			if t.same(other.Item, w.Item) {
				return Units{}, errDuplicate
			}
		}
	}
	var used Units
	for _, w := range writes {
		old := t.find(w.Item)
		image, _ := t.image(w, old) // a put or a delete
		t.replace(w.Item, image)
		used.add(t.cost(old, image), 1)
	}
	return used, nil
}

// Transact carries out writes of several tables, all or none.
func Transact(tables []*Table, writes []Write) ([]Units, error) {
	if err := checkAll(tables, writes); err != nil {
		return nil, err
	}
	old, images, reasons := make([]Item, len(writes)), make([]Item, len(writes)), make([]Failure, len(writes))
	var whole, first error
	unmet := false
	for i, w := range writes {
		reasons[i].Code = reasonNone
		old[i] = tables[i].find(w.Item)
		if !w.Cond.Holds(old[i]) {
			unmet = true
			reasons[i] = *tables[i].unmet(w, old[i], reasonCondition)
			continue
		}
		var err error
		images[i], err = tables[i].image(w, old[i])
		sort(i, len(writes), err, &whole, &first)
	}
	switch {
	case whole != nil:
		return nil, whole
	case first != nil:
		return nil, first
	case unmet:
		return nil, cancelled(reasons)
	}
	used := make([]Units, len(writes))
	for i, w := range writes {
		if w.Verb != "CHECK" {
			tables[i].replace(w.Item, images[i])
		}
		used[i] = tables[i].cost(old[i], images[i])
	}
	return used, nil
}

// checkAll applies what can be said of the writes of a transaction before the
// items are looked at: faults of the request as a whole, then items that are
// named twice, then the first fault that cancels.
func checkAll(tables []*Table, writes []Write) error {
	var whole, first error
	twice := false
	for i, w := range writes {
		err := tables[i].check(w)
		sort(i, len(writes), err, &whole, &first)
		for j, other := range writes[:i] {
			twice = twice || err == nil && tables[i] == tables[j] && tables[i].check(other) == nil && tables[i].same(other.Item, w.Item)
		}
	}
	switch {
	case whole != nil:
		return whole
	case twice:
		return errSameItem
	}
	return first
}

// sort keeps what is wrong with action i of n: the first fault of the request as a
// whole, and the first that cancels.
func sort(i, n int, err error, whole, first *error) {
	why, ok := err.(*Failure)
	switch {
	case !ok:
	case why.whole && *whole == nil:
		*whole = why
	case !why.whole && *first == nil:
		reasons := slices.Repeat([]Failure{{Code: reasonNone}}, n)
		reasons[i] = Failure{Code: reasonValidation, Text: why.Text}
		*first = cancelled(reasons)
	}
}
