package model

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Attribute is a key attribute; Kind is S, N or B.
type Attribute struct{ Name, Kind string }

// Key is a primary key or the key of an index.
type Key struct{ Hash, Sort []Attribute }

func (k Key) all() []Attribute { return slices.Concat(k.Hash, k.Sort) }

// Has reports whether the attribute is part of the key.
func (k Key) Has(name string) bool {
	return slices.ContainsFunc(k.all(), func(a Attribute) bool { return a.Name == name })
}

// Index is a secondary index.
type Index struct {
	Name  string
	Local bool
	Key
	// Projected are the attributes besides keys; All overrules it.
	Projected []string
	All       bool
}

// Table is a table with its items, in no order.
type Table struct {
	Name string
	Key
	Indexes []Index // in the order of their names
	items   []Item
}

func (t *Table) index(name string) *Index {
	i := slices.IndexFunc(t.Indexes, func(ix Index) bool { return ix.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Indexes[i]
}

// only returns the key attributes of an item.
func (k Key) only(item Item) Item {
	key := make(Item)
	for _, a := range k.all() {
		key[a.Name] = item[a.Name]
	}
	return key
}

func (k Key) same(a, b Item) bool {
	return !slices.ContainsFunc(k.all(), func(at Attribute) bool { return !Equal(a[at.Name], b[at.Name]) })
}

func isEmpty(v Value) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value == ""
	case *types.AttributeValueMemberB:
		return len(v.Value) == 0
	}
	return false
}

func emptyText(kind string) string {
	word := "string"
	if kind == "B" {
		word = "binary"
	}
	return "The AttributeValue for a key attribute cannot contain an empty " + word + " value."
}

// checkKey applies the rules for a Key.
func (k Key) checkKey(key Item) error {
	if len(key) != len(k.all()) {
		return errKey
	}
	for _, a := range k.all() {
		switch {
		case Kind(key[a.Name]) != a.Kind:
			return errKey
		case isEmpty(key[a.Name]):
			return invalidWhole(areNotValid + emptyText(a.Kind) + " Key: " + a.Name)
		}
	}
	return nil
}

// checkItem applies the rules for the keys within an item that is put.
func (t *Table) checkItem(item Item) error {
	for _, a := range t.all() {
		switch v := item[a.Name]; {
		case v == nil:
			return invalid(wereInvalid + "Missing the key " + a.Name + " in the item")
		case Kind(v) != a.Kind:
			return invalid(fmt.Sprintf("%sType mismatch for key %s expected: %s actual: %s", wereInvalid, a.Name, a.Kind, Kind(v)))
		case isEmpty(v):
			return invalidWhole(areNotValid + emptyText(a.Kind) + " Key: " + a.Name)
		}
	}
	return t.checkIndexKeys(item)
}

func (t *Table) checkIndexKeys(item Item) error {
	for _, ix := range t.Indexes {
		for _, a := range ix.all() {
			switch v := item[a.Name]; {
			case v == nil:
			case Kind(v) != a.Kind:
				return ix.mismatch(a, Kind(v))
			case isEmpty(v):
				return invalidWhole(fmt.Sprintf("%sA value specified for a secondary index key is not supported. %s IndexName: %s, IndexKey: %s",
					areNotValid, emptyText(a.Kind), ix.Name, a.Name))
			}
		}
	}
	return nil
}

func (ix *Index) mismatch(a Attribute, kind string) error {
	return invalid(fmt.Sprintf("%sType mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", wereInvalid, a.Name, a.Kind, kind, ix.Name))
}

// checkOutcomes applies the rules for index keys to what an update writes whatever
// the item holds.
func (t *Table) checkOutcomes(u Update) error {
	for _, ix := range t.Indexes {
		for _, at := range ix.all() {
			for _, a := range u {
				kind := a.Source.kind()
				switch {
				case len(a.Target) > 1 || a.Target.Root() != at.Name || kind == "":
				case kind != at.Kind:
					return ix.mismatch(at, kind)
				case a.Verb == "SET" && isEmpty(a.Source.Operand.Value):
					return errUpdateToEmpty(at)
				}
			}
		}
	}
	return nil
}

// checkWritten applies them to what an update has written.
func (t *Table) checkWritten(u Update, item Item) error {
	for _, ix := range t.Indexes {
		for _, a := range ix.all() {
			switch v := item[a.Name]; {
			case v == nil || !u.targets(a.Name):
			case Kind(v) != a.Kind:
				return ix.mismatch(a, Kind(v))
			case isEmpty(v):
				return errUpdateToEmpty(a)
			}
		}
	}
	return nil
}

func errUpdateToEmpty(a Attribute) error {
	return invalidWhole(areNotValid + "The update expression attempted to update a secondary index key to a value that is not supported. " + emptyText(a.Kind))
}

// view returns an item's entry in an index, nil when it has none.
func (t *Table) view(ix *Index, item Item) Item {
	for _, a := range ix.all() {
		if v := item[a.Name]; Kind(v) != a.Kind || isEmpty(v) {
			return nil
		}
	}
	entry := make(Item)
	for name, v := range item {
		if ix.All || t.holds(ix, name) {
			entry[name] = v
		}
	}
	return entry
}

// holds reports whether the entries of an index that does not project all have
// the attribute.
func (t *Table) holds(ix *Index, name string) bool {
	return t.Has(name) || ix.Has(name) || slices.Contains(ix.Projected, name)
}

// before orders items by their values of the attributes, one after the other.
func before(attributes []Attribute) func(a, b Item) int {
	return func(a, b Item) int {
		for _, at := range attributes {
			if order, _ := compare(a[at.Name], b[at.Name]); order != 0 {
				return order
			}
		}
		return 0
	}
}
