package av

import (
	"slices"
	"strings"
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
	slices.SortFunc(attrs, func(a, b Attr) int { return strings.Compare(a.Name, b.Name) })
	return attrs
}

// find returns the position at which an attribute is or would be.
func (m Map) find(name string) (int, bool) {
	return slices.BinarySearchFunc(m, name, func(a Attr, n string) int { return strings.Compare(a.Name, n) })
}

// linear is the size up to which looking at every name beats bisecting, since most
// names differ in length already.
const linear = 24

// Get returns the value of an attribute, the zero Value when there is none.
func (m Map) Get(name string) Value {
	if len(m) > linear {
		if i, ok := m.find(name); ok {
			return m[i].Value
		}
		return Value{}
	}
	for i := range m {
		if m[i].Name == name {
			return m[i].Value
		}
	}
	return Value{}
}

// Has reports whether the map has the attribute.
func (m Map) Has(name string) bool { return m.Get(name).Exists() }

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
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !Equal(a[i].Value, b[i].Value) {
			return false
		}
	}
	return true
}
