package memory

import (
	"errors"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// turns takes a batch through its elements, in the order of the tables' names
// and then of the request. An element is left undone when it is throttled or a
// fault says so.
type turns struct {
	strike *strike
	as     rendering // of the items read
	n      int       // elements so far
	any    bool      // one was done
	left   error     // why the first that was left undone was; nil if none was
}

// take does an element, and reports false when it is left undone or fails.
func (t *turns) take(do func() error) (bool, error) {
	err := t.strike.spares(t.n)
	if t.n++; err == nil {
		err = do()
	}
	if refused, ok := errors.AsType[*throttled](err); ok {
		if t.left == nil {
			t.left = refused
		}
		return false, nil
	}
	t.any = t.any || err == nil
	return err == nil, err
}

// done returns the response of a batch, or the error of one of which nothing
// was done. API_BatchWriteItem.html, API_BatchGetItem.html
func done[Out any](t *turns, out *Out) (*Out, error) {
	if t.left != nil && !t.any {
		return nil, t.left
	}
	return out, nil
}

// write carries out a mutation; it returns no effect of one that is left undone.
func (t *turns) write(m *mutation) (e *effect, err error) {
	_, err = t.take(func() (err error) {
		e, err = m.write()
		return err
	})
	return e, err
}

// batchRead is what a batch has read of one table.
type batchRead struct {
	items []item
	left  []av.Map // keys of what was not read
	used  units
}

// read reads items until there is no more room for their bytes. An item that
// two keys stand for is returned once.
func (t *turns) read(getters []getter, consistent bool, room *int) (batchRead, error) {
	got := batchRead{items: []item{}}
	var shown []string // where the items are stored
	for i := range getters {
		g := &getters[i]
		var r *record
		full := false
		done, err := t.take(func() error {
			r = g.look(consistent)
			if full = *room < r.bytes(); full {
				return nil
			}
			return g.admit(r, consistent)
		})
		switch {
		case err != nil:
			return got, err
		case full:
			*room = 0 // what is smaller does not overtake
			for j := i; j < len(getters); j++ {
				got.left = append(got.left, getters[j].named)
			}
			t.n += len(getters) - i - 1
			return got, nil
		case !done:
			got.left = append(got.left, g.named)
			continue
		}
		*room -= r.bytes()
		got.used += readUnits(r.bytes(), consistent)
		if r != nil && !slices.Contains(shown, g.key) {
			got.items = append(got.items, g.show(r, t.as))
			shown = append(shown, g.key)
		}
	}
	return got, nil
}
