package ddb

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"
)

// ReshardOp moves the items of one entity to the shards where they belong. A
// ReshardOp is a value: each method returns a changed copy.
type ReshardOp[T any] struct{ op reshard }

// reshard is a [ReshardOp], whatever its entity.
type reshard struct {
	e        *entity
	scan     scan
	cursor   string
	progress func(Resharded)
}

// Resharded is what a Reshard has done.
type Resharded struct {
	Checked int // items that were looked at
	Moved   int // items that have another primary key now
	Updated int // items of which index keys alone have changed
	// Next is where a Reshard that was ended begins again, for From; "" at the end
	// of the table.
	Next string
}

// reshardPage is how many items a Reshard evaluates per call if nothing is said,
// reshardAtOnce how many it moves at once.
const (
	reshardPage   = 100
	reshardAtOnce = 8
)

// Reshard moves all items of the entity that lie by a number of shards which the
// key's template says with also, as in {shard:20,also=10}, to where they lie by the
// one that holds. Once it has run to its end, also can be dropped.
//
// It scans the table, consistently, and pays for that. An item whose primary key
// changes is moved in one transaction, markers of unique values included: it is put
// under its new key if there is none and deleted under the old one if it is as it
// was read, so that it is never gone, never there twice, and no write is lost. An
// item of which only an index key changes is updated. Versions and times that the
// layer keeps stay as they are. An item drawn into a shard (random) that no longer
// exists is drawn anew; one in a shard that still does stays.
//
// All writers must know both numbers by then. It can run beside them, and beside
// itself, and be repeated: what lies where it belongs is left alone. Queries that
// run meanwhile can come upon an item twice, or not at all, which is moved between
// their calls. Streams have a deletion and an insertion of each item moved.
func (d *Definition[T]) Reshard() ReshardOp[T] {
	s := newScan(d.defined(), 0, 1, 1)
	s.reader.strong, s.reader.pageSize, s.reader.maxPages = true, reshardPage, 1
	return ReshardOp[T]{reshard{e: d.defined(), scan: s}}
}

// Parallel sets how many items are moved at once. 0 is 8.
func (r ReshardOp[T]) Parallel(n int) ReshardOp[T] {
	r.op.scan.reader.parallel = n
	return r
}

// PageSize sets how many items of the table are evaluated between two calls of
// Progress. 0 is 100.
func (r ReshardOp[T]) PageSize(n int) ReshardOp[T] {
	r.op.scan.reader.pageSize = cmp.Or(n, reshardPage)
	return r
}

// From begins where another run, now over, has come to: at the Next that it
// reported last.
func (r ReshardOp[T]) From(next string) ReshardOp[T] {
	r.op.cursor = next
	return r
}

// Progress calls f after each page with what has been done so far. Calls do not
// overlap.
func (r ReshardOp[T]) Progress(f func(Resharded)) ReshardOp[T] {
	r.op.progress = f
	return r
}

// Named says which access pattern this is, for observers.
func (r ReshardOp[T]) Named(pattern string) ReshardOp[T] {
	r.op.scan.pattern = pattern
	return r
}

// Run moves the items. It returns what it has done also beside an error; Next is
// then the page that it has not finished. Others writing an item make it read that
// item again, up to 20 times. It fails with [ErrExists] if another item has the key
// that one is to be moved to, which a writer must have made that did not know of
// both; one of the two has to be deleted. It fails with [ErrKey] if an item's key is
// none that its fields make, or no key of the entity has several numbers of shards.
func (r ReshardOp[T]) Run(ctx context.Context) (Resharded, error) { return r.op.run(ctx) }

func (r reshard) site() site { return r.e.known().site("Reshard").named(r.scan.pattern) }

func (r reshard) run(ctx context.Context) (Resharded, error) {
	done := Resharded{Next: r.cursor}
	if err := r.e.known().table.ready(); err != nil {
		return done, err
	}
	if !slices.ContainsFunc(r.e.specs, func(s *keySpec) bool { spec := s.shards(); return spec != nil && len(spec.also) > 0 }) {
		return done, r.site().fail(because(ErrKey, "no key of %s has several numbers of shards; say the former one, as in {shard:20,also=10}", r.e.name))
	}
	for {
		page, err := prepared(r.raw).page(ctx, done.Next)
		if err != nil {
			return done, err
		}
		if err := r.movePage(ctx, page, &done); err != nil {
			return done, err
		}
		done.Next = page.next
		if r.progress != nil {
			r.progress(done)
		}
		if page.next == "" {
			return done, nil
		}
	}
}

// raw prepares a reading of the entity's items as they are stored.
func (r reshard) raw() (*reading, error) {
	out, err := r.scan.compile()
	if err == nil {
		out.decode = func(it item) (found, bool, error) { return found{value: it}, true, nil }
	}
	return out, err
}

// movePage moves the items of a page, some at once.
func (r reshard) movePage(ctx context.Context, page part, done *Resharded) error {
	var moved, updated atomic.Int64
	err := atOnce(ctx, cmp.Or(r.scan.reader.parallel, reshardAtOnce), page.found, func(ctx context.Context, f found) error {
		how, err := r.move(ctx, f.value.(item))
		switch how {
		case keyMoved:
			moved.Add(1)
		case indexMoved:
			updated.Add(1)
		}
		return err
	})
	done.Checked += len(page.found)
	done.Moved += int(moved.Load())
	done.Updated += int(updated.Load())
	return err
}

// shift is what becomes of an item.
type shift uint8

const (
	unmoved shift = iota
	indexMoved
	keyMoved
)

// move puts one item where it belongs, reading it anew if others change it.
func (r reshard) move(ctx context.Context, stored item) (how shift, err error) {
	e, old := r.e, r.e.keyIn(stored)
	anew := false
	changed := func(err error) bool {
		return overtaken(err) || errors.Is(err, ErrConditionFailed) && !errors.Is(err, ErrExists)
	}
	err = persist(ctx, anewAttempts, changed, func() (err error) {
		if anew {
			if stored, err = e.read(ctx, old); err != nil || stored == nil {
				how = unmoved
				return err
			}
		}
		anew = true
		how, err = r.moveOnce(ctx, stored)
		return err
	})
	if errors.Is(err, ErrExists) {
		// Another run may have been faster with this very item.
		if stored, again := e.read(ctx, old); stored == nil && again == nil {
			return unmoved, nil
		}
	}
	if err != nil {
		return unmoved, r.site().fail(err)
	}
	return how, nil
}

func (r reshard) moveOnce(ctx context.Context, stored item) (shift, error) {
	e := r.e
	moved, v, err := e.resharded(stored)
	if err != nil {
		return unmoved, err
	}
	attrs := slices.DeleteFunc(slices.Sorted(maps.Keys(moved)), func(attr string) bool { return equalValues(stored[attr], moved[attr]) })
	if len(attrs) == 0 {
		return unmoved, nil
	}
	same, err := e.untouched(stored, v)
	if err != nil {
		return unmoved, err
	}
	old, key := e.keyIn(stored), e.keyIn(moved)
	if e.identity(old) == e.identity(key) {
		d := &draft{site: r.site(), entity: e, key: key, explain: e.changedSince}
		d.compile = func(guard cond) (request, error) { return e.setting(d.site, moved, attrs, same.and(guard)) }
		_, err := d.run(ctx)
		return indexMoved, err
	}
	put := &draft{site: r.site(), entity: e, key: key}
	put.explain = func(err error) error { return e.conditionFailed(err, nil, ErrExists) }
	put.compile = func(guard cond) (request, error) {
		return (&putOp{e: e, create: true}).compile(moved, cond{}, guard)
	}
	del := &draft{site: r.site(), entity: e, key: old, explain: e.changedSince}
	del.compile = func(guard cond) (request, error) {
		return (&deleteOp{e: e, key: reflect.Zero(e.plan.typ)}).compile(old, same.and(guard))
	}
	if len(e.unique) > 0 {
		put.unique.after = func(item, request) item { return moved }
		del.unique = uniqueUse{watch: e.unique, known: true, stored: stored, after: func(item, request) item { return nil }}
	}
	x := &transaction{drafts: []*draft{put, del}, pattern: r.scan.pattern}
	_, err = x.run(ctx)
	return keyMoved, err
}

func (e *entity) changedSince(err error) error {
	return e.conditionFailed(err, ErrConditionFailed, nil)
}

// resharded returns a stored item as it is where it belongs, and its value.
func (e *entity) resharded(stored item) (moved item, v reflect.Value, err error) {
	before, err := e.decode(stored, e.primary)
	if err != nil {
		return nil, v, err
	}
	after, err := e.decode(stored, e.primary)
	if err != nil {
		return nil, v, err
	}
	v, moved = before.Elem(), maps.Clone(stored)
	for _, f := range e.redraw(after.Elem()) {
		if moved[f.attr], err = f.codec().encode(f.value(after.Elem())); err != nil {
			return nil, v, err
		}
	}
	for _, s := range e.specs {
		for _, c := range s.pk {
			if stored[c.attr] == nil || c.elsewhere || c.shards() == nil {
				continue
			}
			now, err := c.render(valuesOf(v), -1)
			if err != nil {
				return nil, v, err.in(s)
			}
			if !equalValues(now, stored[c.attr]) && !c.elsewhereOf(v, stored[c.attr]) {
				return nil, v, because(ErrKey, "attribute %s is not what the item's own attributes make by %q", c.attr, c.source())
			}
			if moved[c.attr], err = c.render(valuesOf(after.Elem()), -1); err != nil {
				return nil, v, err.in(s)
			}
		}
	}
	return moved, v, nil
}

// redraw draws shards anew that are beyond the number that holds, and returns the
// fields that keep them.
func (e *entity) redraw(v reflect.Value) []*field {
	var out []*field
	for _, s := range e.specs {
		spec := s.shards()
		if spec == nil || spec.chosen == nil {
			continue
		}
		n, err := spec.drawn(spec.chosen.value(v).String())
		if err == nil && n >= spec.n {
			settable(v, spec.chosen).SetString(strconv.Itoa(rand.IntN(spec.n)))
			out = append(out, spec.chosen)
		}
	}
	return out
}

// untouched is the condition that an item is as it was read, attributes that the
// entity does not know included.
func (e *entity) untouched(stored item, v reflect.Value) (cond, error) {
	c, err := e.asRead(stored, v)
	if err != nil {
		return c, err
	}
	own := append(e.attrs(), e.table.discriminator)
	foreign := slices.DeleteFunc(slices.Sorted(maps.Keys(stored)), func(attr string) bool { return slices.Contains(own, attr) })
	if n := len(foreign) + len(e.plan.fields); n > maxGuarded {
		return c, because(ErrExpression, "%d attributes are too many to compare", n)
	}
	c = e.exists().and(c)
	for _, attr := range foreign {
		c = c.and(storedAs(attr, stored))
	}
	return c, nil
}
