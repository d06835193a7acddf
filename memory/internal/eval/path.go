package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Step is one element of a document path: an attribute or map entry by name,
// or a list element by position.
type Step struct {
	// Name is the attribute or map entry; it is "" for a list element.
	Name string
	// Index is the position in a list, counted from 0; -1 for a name.
	Index int
}

// Path is a document path with all placeholders resolved. Its first step is a
// name.
type Path []Step

// Name returns the path of a top-level attribute. A dot in the name is part of
// it.
func Name(name string) Path { return Path{{Name: name, Index: -1}} }

// Root returns the name of the top-level attribute.
func (p Path) Root() string { return p[0].Name }

// String returns the path as the service prints it: [a, b, [1]].
func (p Path) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range p {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.String())
	}
	b.WriteByte(']')
	return b.String()
}

// String returns the step as the service prints it: a, [1].
func (s Step) String() string {
	if s.Index < 0 {
		return s.Name
	}
	return "[" + strconv.Itoa(s.Index) + "]"
}

// In returns the value at the path, the zero Value when it leads nowhere.
func (p Path) In(item av.Map) av.Value {
	v := item.Get(p[0].Name)
	for _, s := range p[1:] {
		v = s.in(v)
	}
	return v
}

// in returns the element of v that the step selects. Sets and scalars have
// none, a list has none by name, a map none by position.
func (s Step) in(v av.Value) av.Value {
	if s.Index < 0 {
		return v.Map().Get(s.Name)
	}
	if list := v.List(); s.Index < len(list) {
		return list[s.Index]
	}
	return av.Value{}
}

func (p Path) equal(q Path) bool { return slices.Equal(p, q) }
