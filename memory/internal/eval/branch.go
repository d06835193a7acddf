package eval

import (
	"cmp"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// branch is a node of the tree that the document paths of a projection or
// update form together. Since no path is the beginning of another, a branch is
// either where one path ends or has branches below it, all by name or all by
// position.
type branch struct {
	step    Step
	first   int // number of the first path through here
	leaf    int // number of the path that ends here, or notLeaf
	names   []branch
	indexes []branch
}

const notLeaf = -1

func newBranch(s Step, first int) branch { return branch{step: s, first: first, leaf: notLeaf} }

// newRoot returns the root of a tree for n paths.
func newRoot(n int) branch {
	root := newBranch(Step{}, 0)
	root.names = make([]branch, 0, n)
	return root
}

// grow returns the tree of paths that are known not to overlap.
func grow(paths []Path) branch {
	root := newRoot(len(paths))
	for i, p := range paths {
		root.add(p, i)
	}
	return root
}

// rivals tells which earlier paths a path cannot stand beside: one that it
// overlaps with, and one that takes the same value for a list that it takes for
// a map or the reverse. notLeaf means there is none.
type rivals struct{ overlap, conflict int }

// add enters path number i. A path that overlaps is not entered as a whole.
func (b *branch) add(p Path, i int) rivals {
	r := rivals{notLeaf, notLeaf}
	for _, s := range p {
		if b.leaf != notLeaf {
			r.overlap = b.leaf
			return r
		}
		if c := b.clash(s); c != notLeaf && r.conflict == notLeaf {
			r.conflict = c
		}
		b = b.child(s, i)
	}
	if b.first != i {
		r.overlap = b.first
		return r
	}
	b.leaf = i
	return r
}

// clash returns the first path that descends from b in the other way than s.
func (b *branch) clash(s Step) int {
	others := b.names
	if s.Index < 0 {
		others = b.indexes
	}
	first := notLeaf
	for i := range others {
		if f := others[i].first; first == notLeaf || f < first {
			first = f
		}
	}
	return first
}

// child returns the branch below b for a step, made for path i if it is new.
func (b *branch) child(s Step, i int) *branch {
	below := &b.names
	if s.Index >= 0 {
		below = &b.indexes
	}
	at, found := slices.BinarySearchFunc(*below, s, func(c branch, s Step) int {
		return cmp.Or(cmp.Compare(c.step.Index, s.Index), cmp.Compare(c.step.Name, s.Name))
	})
	if !found {
		*below = slices.Insert(*below, at, newBranch(s, i))
	}
	return &(*below)[at]
}

// pick returns what the tree selects of a value, the zero Value for nothing.
func (b *branch) pick(v av.Value) av.Value {
	switch {
	case b.leaf != notLeaf:
		return v
	case v.Kind() == av.M:
		if m := b.pickMap(v.Map()); len(m) > 0 {
			return av.MapOf(m)
		}
	case v.Kind() == av.L:
		if list := b.pickList(v.List()); len(list) > 0 {
			return av.List(list)
		}
	}
	return av.Value{}
}

// pickMap keeps the order of the branches, which is that of the map.
func (b *branch) pickMap(m av.Map) av.Map {
	out := make(av.Map, 0, min(len(m), len(b.names)))
	for i := range b.names {
		c := &b.names[i]
		if v := c.pick(m.Get(c.step.Name)); v.Exists() {
			out = append(out, av.Attr{Name: c.step.Name, Value: v})
		}
	}
	return out
}

// pickList closes the gaps between the elements it selects.
func (b *branch) pickList(list []av.Value) []av.Value {
	var out []av.Value
	for i := range b.indexes {
		c := &b.indexes[i]
		if c.step.Index >= len(list) {
			break
		}
		if v := c.pick(list[c.step.Index]); v.Exists() {
			out = append(out, v)
		}
	}
	return out
}

// separate enters the paths of an expression into a new tree and notes those
// that overlap or conflict.
func (b *binder) separate(paths []Path) branch {
	const text = "Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s"
	root := newRoot(len(paths))
	for i, p := range paths {
		r := root.add(p, i)
		if r.overlap != notLeaf {
			b.note(pathOverlap, text, "overlap", paths[r.overlap], p)
		}
		if r.conflict != notLeaf {
			b.note(pathConflict, text, "conflict", paths[r.conflict], p)
		}
	}
	return root
}
