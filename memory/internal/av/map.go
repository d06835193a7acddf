package av

import (
	"cmp"
	"slices"
)

// Attr is a named value.
type Attr struct {
	Name  string
	Value Value
}

// Map is the contents of an item or of a value of kind M: attributes sorted by
// the bytes of their names, each name once. It never changes once made.
type Map []Attr

// NewMap returns the map with the given attributes, which it owns and sorts.
// Names must be unique.
func NewMap(attrs []Attr) Map {
	slices.SortFunc(attrs, func(a, b Attr) int { return cmp.Compare(a.Name, b.Name) })
	return attrs
}

// linear is the size up to which stepping through a map beats bisecting it.
const linear = 8

func (m Map) find(name string) (int, bool) {
	if len(m) > linear {
		return slices.BinarySearchFunc(m, name, func(a Attr, n string) int { return cmp.Compare(a.Name, n) })
	}
	for i := range m {
		if m[i].Name >= name {
			return i, m[i].Name == name
		}
	}
	return len(m), false
}

// Get returns the value of an attribute, the zero Value when there is none.
func (m Map) Get(name string) Value {
	if i, ok := m.find(name); ok {
		return m[i].Value
	}
	return Value{}
}

// Has reports whether the map has the attribute.
func (m Map) Has(name string) bool {
	_, ok := m.find(name)
	return ok
}

// With returns a map in which the attribute has the value; m is unchanged.
// With the zero Value the attribute is absent.
func (m Map) With(name string, v Value) Map {
	i, ok := m.find(name)
	switch {
	case !v.Exists() && !ok:
		return m
	case !v.Exists():
		return slices.Concat(m[:i], m[i+1:])
	case ok:
		out := slices.Clone(m)
		out[i].Value = v
		return out
	}
	out := make(Map, 0, len(m)+1)
	return append(append(append(out, m[:i]...), Attr{name, v}), m[i:]...)
}

// EqualMaps reports whether two maps have equal attributes.
func EqualMaps(a, b Map) bool {
	return slices.EqualFunc(a, b, func(x, y Attr) bool { return x.Name == y.Name && Equal(x.Value, y.Value) })
}
