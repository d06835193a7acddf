package av

import (
	"slices"
	"strings"
)

// Kind is the data type of a [Value], named as on the wire.
type Kind uint8

// The ten kinds. The zero Kind belongs to the zero [Value], which stands for
// "no value" and is never stored.
const (
	None Kind = iota
	S
	N
	B
	SS
	NS
	BS
	M
	L
	BOOL
	NULL
)

var kindNames = [...]string{"", "S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"}

// String returns the name on the wire: "S", "NS", "BOOL".
func (k Kind) String() string { return kindNames[k] }

// KindOf returns the kind with that name on the wire.
func KindOf(name string) (Kind, bool) {
	i := slices.Index(kindNames[1:], name)
	return Kind(i + 1), i >= 0
}

// Scalar reports whether values of the kind can be keys: S, N or B.
func (k Kind) Scalar() bool { return k == S || k == N || k == B }

// Set reports whether k is one of the three set kinds.
func (k Kind) Set() bool { return k == SS || k == NS || k == BS }

// Element returns the kind of a set kind's members, and None for other kinds.
func (k Kind) Element() Kind {
	switch k {
	case SS:
		return S
	case NS:
		return N
	case BS:
		return B
	}
	return None
}

// Value is one attribute value. The zero Value means "no value".
type Value struct {
	kind Kind
	flag bool
	text string // S as given, N in canonical form, B as raw bytes
	sub  *compound
}

// compound holds the contents of the kinds that have any; one field is in use.
type compound struct {
	list []Value  // L
	attr Map      // M
	set  []string // SS, NS, BS: members in order, in the form of Value.text
	size int      // of the value, which holds as long as the contents do
}

// String returns a value of kind S.
func String(s string) Value { return Value{kind: S, text: s} }

// Binary returns a value of kind B with the bytes of s.
func Binary(s string) Value { return Value{kind: B, text: s} }

// Bool returns a value of kind BOOL.
func Bool(b bool) Value { return Value{kind: BOOL, flag: b} }

// Null returns the value of kind NULL.
func Null() Value { return Value{kind: NULL} }

// Num returns a value of kind N.
func Num(n Number) Value { return Value{kind: N, text: n.text} }

// List returns a value of kind L. It owns elems from then on.
func List(elems []Value) Value {
	return Value{kind: L, sub: &compound{list: elems, size: listSize(elems)}}
}

// MapOf returns a value of kind M.
func MapOf(m Map) Value {
	return Value{kind: M, sub: &compound{attr: m, size: mapSize(m)}}
}

// setOf returns a value of a set kind from members that are sorted and unique.
func setOf(k Kind, members []string) Value {
	return Value{kind: k, sub: &compound{set: members, size: setSize(k, members)}}
}

// Kind returns the value's kind, None for the zero Value.
func (v Value) Kind() Kind { return v.kind }

// Exists reports whether v is a value at all.
func (v Value) Exists() bool { return v.kind != None }

// Text returns the characters of an S, the canonical decimal of an N, or the
// raw bytes of a B.
func (v Value) Text() string { return v.text }

// Truth returns the value of a BOOL.
func (v Value) Truth() bool { return v.flag }

// Number returns the value of an N.
func (v Value) Number() Number { return Number{v.text} }

// List returns the elements of an L. The caller must not change them.
func (v Value) List() []Value {
	if v.sub == nil {
		return nil
	}
	return v.sub.list
}

// Map returns the contents of an M.
func (v Value) Map() Map {
	if v.sub == nil {
		return nil
	}
	return v.sub.attr
}

// Texts returns the members of a set in order, each in the form of [Value.Text].
// The caller must not change them.
func (v Value) Texts() []string {
	if v.sub == nil {
		return nil
	}
	return v.sub.set
}

// Members returns the members of a set in order, as values of the element kind.
func (v Value) Members() []Value {
	if v.sub == nil {
		return nil
	}
	elem := v.kind.Element()
	out := make([]Value, len(v.sub.set))
	for i, s := range v.sub.set {
		out[i] = Value{kind: elem, text: s}
	}
	return out
}

// Equal reports deep equality as DynamoDB defines it: same kind, numbers by
// value, sets without order.
func Equal(a, b Value) bool {
	if a.kind != b.kind || a.flag != b.flag || a.text != b.text {
		return false
	}
	if a.sub == b.sub { // images of one item share what did not change; scalars have none
		return true
	}
	switch a.kind {
	case SS, NS, BS:
		return slices.Equal(a.sub.set, b.sub.set)
	case L:
		return slices.EqualFunc(a.sub.list, b.sub.list, Equal)
	}
	return EqualMaps(a.sub.attr, b.sub.attr)
}

// Compare orders two values of one scalar kind: strings and binaries by
// unsigned bytes, numbers by value. It reports false for any other pair.
func Compare(a, b Value) (int, bool) {
	if a.kind != b.kind || !a.kind.Scalar() {
		return 0, false
	}
	return compareText(a.kind, a.text, b.text), true
}

func compareText(elem Kind, a, b string) int {
	if elem == N {
		return compareNumbers(a, b)
	}
	return strings.Compare(a, b)
}

// Depth returns how many levels of lists and maps the value spans, itself
// included: 1 for a scalar or set, 2 for a list of scalars.
func (v Value) Depth() int {
	deepest := 0
	switch v.kind {
	case L:
		for _, e := range v.sub.list {
			deepest = max(deepest, e.Depth())
		}
	case M:
		for _, a := range v.sub.attr {
			deepest = max(deepest, a.Value.Depth())
		}
	}
	return deepest + 1
}
