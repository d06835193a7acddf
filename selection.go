package ddb

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// selection is what a read leaves out of its result: items by filter and expiry,
// attributes by projection.
type selection struct {
	filter cond
	hide   bool // expired items
	fields projection
}

// selected is a selection as expressions, "" for none, with the placeholders
// that they use.
type selected struct {
	filter, projection string
	names              map[string]string
	values             map[string]types.AttributeValue
}

// check refuses what the items of an index cannot answer.
func (s selection) check(e *entity, spec *keySpec, hydrate bool) error {
	for _, h := range s.filter.handles {
		if err := h.belongs(e); err != nil {
			return err
		}
		if err := e.wantCarried(spec, h); err != nil {
			return err
		}
	}
	if f := e.stamps.ttl; s.hide && !hydrate && f != nil && !e.carries(spec, f.attr) {
		return &fieldError{index: spec.index, field: f.name, err: because(ErrIndex,
			"it does not carry the expiry, attribute %s; add it to the index, or read whole items with Hydrate", f.attr)}
	}
	return nil
}

// express writes filter and projection. own says that items are to be told apart
// by the discriminator. The projection adds placeholders and changes no other.
func (s selection) express(e *entity, spec *keySpec, own bool) (selected, error) {
	var out selected
	filter := s.filter
	if own {
		filter = e.exists().and(filter)
	}
	switch {
	case filter.err != nil:
		return out, filter.err
	case filter.set || s.fields != nil:
		b := expression.NewBuilder()
		if filter.set {
			b = b.WithFilter(filter.builder)
		}
		if s.fields != nil {
			p, err := s.fields.builder(e, spec)
			if err != nil {
				return out, err
			}
			b = b.WithProjection(p)
		}
		x, err := finish(b)
		if err != nil {
			return out, err
		}
		out.names, out.values = x.Names(), x.Values()
		if filter.set {
			out.filter = *x.Filter()
		}
		if s.fields != nil {
			out.projection = *x.Projection()
		}
	}
	if s.hide {
		out.hideExpired(e)
	}
	return out, nil
}

// bareFirst expresses the selection for a read, first without its projection:
// what a cursor belongs to has none.
func (s selection) bareFirst(e *entity, spec *keySpec, own bool, write func(x selected, bare bool)) error {
	bare := s
	bare.fields = nil
	x, err := bare.express(e, spec, own)
	if err != nil {
		return err
	}
	write(x, true)
	if s.fields == nil {
		return nil
	}
	if x, err = s.express(e, spec, own); err != nil {
		return err
	}
	write(x, false)
	return nil
}

// shape returns what makes the shape of a read, of which only cursors have need: made
// at once if a projection is still to come into the input, else when it is asked for.
func (s selection) shape(of func() shape) func() shape {
	if s.fields == nil {
		return of
	}
	made := of()
	return func() shape { return made }
}

// split divides the selection between the read of an index and the one of the
// table that follows if items are hydrated.
func (s selection) split(hydrate bool) (index, table selection) {
	if hydrate {
		return selection{filter: s.filter, hide: s.hide, fields: projection{}}, selection{hide: s.hide, fields: s.fields}
	}
	return s, selection{}
}

// counted is the selection for counting: without attributes, and without reading
// items anew unless their expiry must be seen.
func (s selection) counted(r reader) (selection, reader) {
	s.fields = nil
	r.hydrate = r.hydrate && s.hide
	return s, r
}
