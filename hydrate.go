package ddb

import (
	"context"
)

// of prepares a reading of the items of one entity by one of its keys.
func (r reader) of(e *entity, spec *keySpec, at site, s selection) (*reading, error) {
	if err := r.check(spec); err != nil {
		return nil, err
	}
	if err := s.check(e, spec, r.hydrate); err != nil {
		return nil, err
	}
	out := &reading{reader: r, site: at, keys: spec.position, order: spec.order}
	seen := view{spec: spec, untyped: spec.thin}
	if _, anew := s.split(r.hydrate); r.hydrate {
		out.anew = rereading{entity: e, selection: anew}
		seen = view{spec: e.primary}
		out.picky = s.hide
	}
	out.skips = out.picky
	out.decode = func(it item) (found, bool, error) {
		v, err := e.decodeView(it, seen)
		if err != nil {
			return found{}, false, err
		}
		gone := r.hydrate && s.hide && e.expired(v.Elem())
		return found{e, v.Interface()}, !gone, nil
	}
	return out, nil
}

// pick leaves out the items that own does not want, where no filter can.
func (r *reading) pick(own func(item) bool) {
	r.own, r.picky, r.skips = own, true, true
}

// rereading is how the items that an index lists are read from the table.
type rereading struct {
	entity *entity // any whose table it is
	selection
}

// full reads items anew by their primary keys, in the same order, nil for those
// that are gone.
func (r *reading) full(ctx context.Context, listed []item) ([]item, error) {
	out := make([]item, len(listed))
	reads := make([]Read, len(listed))
	for i, it := range listed {
		reads[i] = Read{
			site: r.site.as("BatchGetItem", ""), entity: r.anew.entity, fields: r.anew.fields, hide: r.anew.hide,
			places: func() (places, error) { return places{r.anew.entity.keyIn(it)}, nil },
			decode: func(got item) (func(), error) {
				return func() { out[i] = got }, nil
			},
		}
	}
	batch := BatchGet(reads...)
	batch.capacity, batch.pattern = r.capacity, r.site.pattern
	f, err := batch.run(ctx)
	if f != nil {
		r.cost.Requests += f.requests
		for _, c := range f.consumed {
			r.cost.consume(&c)
		}
	}
	return out, err
}
