package ddb

import (
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fixed returns the values of the leading sort key attributes that a query asks
// for by equality, all before the one that its condition is on, and the window of
// that one. Only a key of several attributes has such: DynamoDB takes a range on
// one of them, with equality on those before.
//
// Attributes are fixed by the query's key, by its prefix, and by bounds that agree.
func (s *keySpec) fixed(key values, w window) ([]types.AttributeValue, window, error) {
	given := w.stem.over(key)
	n := s.lastGiven(given)
	at := n
	whole := w.lo == nil && w.hi == nil && w.raw == nil || w.stem != nil && w.stem.begun
	if n > 0 && (whole || !s.sk[n-1].complete(given)) {
		at = n - 1
	}
	if at == len(s.sk) {
		return nil, w, because(ErrRange, "the query's key fixes every part of %q, so that nothing is left for a range", s.sources())
	}
	var equal []types.AttributeValue
	for _, c := range s.sk[:at] {
		av, err := c.fix(given)
		if err != nil {
			return nil, w, err
		}
		for _, b := range []*bound{w.lo, w.hi} {
			if err := c.agrees(given, b, av); err != nil {
				return nil, w, err
			}
		}
		equal = append(equal, av)
	}
	for last := max(s.lastGiven(w.lo.values()), s.lastGiven(w.hi.values())); at < last-1; at++ {
		av, err := s.sk[at].fixBetween(w.lo, w.hi)
		if err != nil {
			return nil, w, err
		}
		equal = append(equal, av)
	}
	if w.stem != nil && len(s.sk) > 1 && !s.sk[at].given(valuesOf(w.stem.value)) {
		w.stem = nil // it fixes attributes before
	}
	return equal, w, nil
}

// over gives the fields of a stem, and of the query's key where the stem has none.
func (m *stem) over(key values) values {
	if m == nil {
		return key
	}
	return func(f *field) reflect.Value {
		if v := f.value(m.value); !v.IsZero() {
			return v
		}
		return key(f)
	}
}

// values gives the fields of a bound, none if there is no bound.
func (b *bound) values() values {
	if b == nil {
		return func(f *field) reflect.Value { return reflect.Zero(f.typ) }
	}
	return valuesOf(b.value)
}

// lastGiven returns how many sort key attributes there are up to the last that
// has a field which is given.
func (s *keySpec) lastGiven(v values) int {
	n := 0
	for i, c := range s.sk {
		if c.given(v) {
			n = i + 1
		}
	}
	return n
}

func (c *keyColumn) given(v values) bool {
	for _, f := range c.fields() {
		if !v(f).IsZero() {
			return true
		}
	}
	return false
}

// complete reports whether the column's last field is given.
func (c *keyColumn) complete(v values) bool {
	fields := c.fields()
	return len(fields) == 0 || !v(fields[len(fields)-1]).IsZero()
}

// fix returns the column's whole value. A number that is zero is given, since an
// attribute behind it is.
func (c *keyColumn) fix(v values) (types.AttributeValue, error) {
	for _, f := range c.fields() {
		if c.empty(f, v(f)) {
			return nil, &fieldError{field: f.name, err: because(ErrRange, "it is not given; give the attributes of the sort key from left to right")}
		}
	}
	av, err := c.render(v, -1)
	if err != nil {
		return nil, err.in(&keySpec{})
	}
	return av, nil
}

// agrees makes sure that a bound does not ask for another value than the query's
// key. It need not give any.
func (c *keyColumn) agrees(key values, b *bound, want types.AttributeValue) error {
	if b == nil || !c.given(b.values()) {
		return nil
	}
	av, err := c.fix(func(f *field) reflect.Value {
		if v := b.values()(f); !v.IsZero() {
			return v
		}
		return key(f)
	})
	if err == nil && compareKeys(av, want) != 0 {
		err = &fieldError{field: c.fields()[0].name, err: because(ErrRange, "the bound and the query's key differ in it")}
	}
	return err
}

// fixBetween returns the value that both bounds have. Where they differ, the
// range runs over several attributes, which DynamoDB does not offer.
func (c *keyColumn) fixBetween(lo, hi *bound) (types.AttributeValue, error) {
	if len(c.fields()) == 0 {
		return c.fix(lo.values())
	}
	overSeveral := &fieldError{field: c.fields()[0].name, err: because(ErrRange,
		"a key of several attributes takes a range on one; give this field in the query's key, or leave those behind it out of the bounds")}
	if lo == nil || hi == nil {
		return nil, overSeveral
	}
	from, err := c.fix(lo.values())
	if err != nil {
		return nil, err
	}
	to, err := c.fix(hi.values())
	if err == nil && compareKeys(from, to) != 0 {
		err = overSeveral
	}
	return from, err
}
