package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Projection selects parts of an item. Expressions.ProjectionExpressions.html.
type Projection struct {
	paths []Path
	root  branch
}

// NewProjection returns a projection of paths of which none is the beginning of
// another. It keeps the slice.
func NewProjection(paths []Path) *Projection {
	return &Projection{paths: paths, root: grow(paths)}
}

// Paths returns the selected paths in the order in which they are written. The
// caller must not change them.
func (p *Projection) Paths() []Path { return p.paths }

// Apply returns the selected parts of the item within the maps and lists that
// hold them. Elements of lists are in the order of their positions, without
// gaps; a map or list of which nothing is selected is absent. Key attributes
// are not added. The result is never nil; it shares values with the item.
func (p *Projection) Apply(item av.Map) av.Map { return p.root.pickMap(item) }

func (b *binder) projection(paths []*expr.Path) *Projection {
	bound := make([]Path, len(paths))
	for i, p := range paths {
		bound[i] = b.path(p)
	}
	return &Projection{paths: bound, root: b.separate(bound)}
}
