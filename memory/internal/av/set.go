package av

import (
	"slices"
	"strings"
)

// newSet returns the set with the given members, sorted; unique is false when
// two members are equal, in which case the value holds the member once.
func newSet(k Kind, members []string) (v Value, unique bool) {
	elem := k.Element()
	sorted := slices.Clone(members)
	if ascends(elem, sorted) {
		return setOf(k, sorted), true
	}
	slices.SortFunc(sorted, func(a, b string) int { return compareText(elem, a, b) })
	n := len(sorted)
	sorted = slices.Compact(sorted)
	return setOf(k, sorted), len(sorted) == n
}

// ascends reports whether members are in order and unique, as they are in what the
// engine has returned before.
func ascends(elem Kind, members []string) bool {
	for i := 1; i < len(members); i++ {
		if compareText(elem, members[i-1], members[i]) >= 0 {
			return false
		}
	}
	return true
}

// Has reports whether the set v holds the member m.
func (v Value) Has(m Value) bool {
	if v.kind.Element() != m.kind || !m.Exists() {
		return false
	}
	_, found := v.find(m.text)
	return found
}

func (v Value) find(text string) (int, bool) {
	elem := v.kind.Element()
	return slices.BinarySearchFunc(v.sub.set, text, func(a, b string) int { return compareText(elem, a, b) })
}

// Union returns the members of either set. Both must be of one kind.
func Union(a, b Value) Value {
	u, _ := newSet(a.kind, slices.Concat(a.sub.set, b.sub.set))
	return u
}

// Difference returns the members of a that are not in b. Both must be of one
// kind. The result is the zero Value when nothing is left, since DynamoDB has
// no empty sets.
func Difference(a, b Value) Value {
	var left []string
	for _, m := range a.sub.set {
		if _, found := b.find(m); !found {
			left = append(left, m)
		}
	}
	if len(left) == 0 {
		return Value{}
	}
	return setOf(a.kind, left)
}

// Contains reports whether v, a string, binary, set or list, contains w as
// the function contains() defines it: a substring, a member or an element.
func (v Value) Contains(w Value) bool {
	switch v.kind {
	case S, B:
		return v.kind == w.kind && strings.Contains(v.text, w.text)
	case L:
		return slices.ContainsFunc(v.sub.list, func(e Value) bool { return Equal(e, w) })
	case SS, NS, BS:
		return v.Has(w)
	}
	return false
}
