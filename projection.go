package ddb

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

// Handle is an attribute of the entity T, whatever its Go type: an [Attribute].
type Handle[T any] interface {
	of(*T) *handle
}

func (a Attribute[T, V]) of(*T) *handle { return a.handle() }

// projection is the attributes that a read asks for: nil all of them, empty none
// but the keys.
type projection []*handle

// project returns a projection with further attributes.
func project[T any](p projection, handles []Handle[T]) projection {
	out := append(projection{}, p...)
	for _, h := range handles {
		if isNil(h) {
			h = Attribute[T, any]{} // which does not work either
		}
		out = append(out, h.of(nil))
	}
	return out
}

// builder writes the projection for a read by the given key. What tells that an
// item is there, whose it is and where it lies is always read too: the
// discriminator and the key attributes; and those named by more.
func (p projection) builder(e *entity, spec *keySpec, more ...string) (expression.ProjectionBuilder, error) {
	var none expression.ProjectionBuilder
	var paths []documentPath
	for _, c := range append(e.primary.columns(), spec.columns()...) {
		paths = append(paths, attributePath(c.attr))
	}
	if !spec.thin {
		more = append(more, e.table.discriminator)
	}
	for _, attr := range more {
		paths = append(paths, attributePath(attr))
	}
	for _, h := range p {
		if err := h.belongs(e); err != nil {
			return none, err
		}
		if err := e.wantCarried(spec, h); err != nil {
			return none, err
		}
		paths = append(paths, h.path)
	}
	var names []expression.NameBuilder
	for _, path := range outermost(paths) {
		names = append(names, path.name())
	}
	return expression.NamesList(names[0], names[1:]...), nil
}

// express writes the projection of a read of the table, alone in its request. It
// is nil where all attributes are read.
func (p projection) express(e *entity, hide bool) (*string, map[string]string, error) {
	if p == nil {
		return nil, nil, nil
	}
	var more []string
	if f := e.stamps.ttl; hide && f != nil {
		more = append(more, f.attr)
	}
	builder, err := p.builder(e, e.primary, more...)
	if err != nil {
		return nil, nil, err
	}
	x, err := finish(expression.NewBuilder().WithProjection(builder))
	if err != nil {
		return nil, nil, err
	}
	return x.Projection(), x.Names(), nil
}

// outermost drops the paths that repeat others or lie within them, which an
// expression may not name beside those.
func outermost(paths []documentPath) []documentPath {
	var out []documentPath
	for i, path := range paths {
		covered := slices.ContainsFunc(paths, func(o documentPath) bool {
			return len(o) < len(path) && slices.Equal(o, path[:len(o)])
		})
		again := slices.ContainsFunc(paths[:i], func(o documentPath) bool { return slices.Equal(o, path) })
		if !covered && !again {
			out = append(out, path)
		}
	}
	return out
}

// wantCarried refuses an attribute that the index read from does not carry: it
// would look as if no item had it.
func (e *entity) wantCarried(spec *keySpec, h *handle) error {
	if e.carries(spec, h.top.attr) {
		return nil
	}
	return &fieldError{index: spec.index, field: h.goPath, err: because(ErrIndex,
		"it does not carry the attribute %s; add it to the index, or read whole items with Hydrate", h.top.attr)}
}

// carries reports whether the items of an index have an attribute.
func (e *entity) carries(spec *keySpec, attr string) bool {
	return spec.index == "" || e.table.projectionOf(spec.index).projects(e.table, attr)
}

// projectionOf returns the index with that name, which the table has.
func (t *Table) projectionOf(index string) *tableIndex {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := slices.IndexFunc(t.indexes, func(ix *tableIndex) bool { return ix.name == index })
	return t.indexes[i]
}
