package schema

import "slices"

// Index returns the index with that name, and whether there is one.
func (t Table) Index(name string) (Index, bool) {
	return find(t.Indexes, func(ix Index) bool { return ix.Name == name })
}

// Entity returns the entity with that name, and whether there is one.
func (t Table) Entity(name string) (Entity, bool) {
	return find(t.Entities, func(e Entity) bool { return e.Name == name })
}

// Key returns the entity's key in an index, "" being the table, and whether the
// entity is in it.
func (e Entity) Key(index string) (EntityKey, bool) {
	return find(e.Keys, func(k EntityKey) bool { return k.Index == index })
}

// Field returns the field with that Go name, and whether there is one.
func (e Entity) Field(name string) (Field, bool) {
	return find(e.Fields, func(f Field) bool { return f.Name == name })
}

func find[T any](all []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	var none T
	return none, false
}

// Attributes returns the key's attributes, those of the partition key first.
func (k Key) Attributes() []Attribute { return slices.Concat(k.Partition, k.Sort) }

// KeyAttributes returns the key attributes of the table and its indexes, each
// once, in that order.
func (t Table) KeyAttributes() []Attribute {
	all := t.Key.Attributes()
	for _, ix := range t.Indexes {
		all = append(all, ix.Key.Attributes()...)
	}
	var once []Attribute
	for _, a := range all {
		if !slices.Contains(once, a) {
			once = append(once, a)
		}
	}
	return once
}

// Carries reports whether the items of the index have the attribute: it is
// projected, or a key attribute of the index or of its table.
func (ix Index) Carries(table Table, attribute string) bool {
	named := func(a Attribute) bool { return a.Name == attribute }
	return ix.Projection == "ALL" || slices.Contains(ix.Include, attribute) ||
		slices.ContainsFunc(ix.Key.Attributes(), named) || slices.ContainsFunc(table.Key.Attributes(), named)
}
