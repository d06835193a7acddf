package ddb

import (
	"context"
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Page is part of a result.
type Page[T any] struct {
	Items []T
	// Next continues behind the last item; it is "" when there is no more. A
	// Next can turn out to lead to an empty page.
	Next string
	Cost
}

// Cost is what a page took.
type Cost struct {
	// Requests is how many calls were made.
	Requests int
	// ScannedCount is how many items the calls evaluated, Count how many of
	// them the filter let through. A page that ends at its Limit may hold fewer.
	Count, ScannedCount int
	// Missing is how many items Hydrate found in the index and no longer in the
	// table.
	Missing int
	// ConsumedCapacity adds up what the calls consumed. It is nil unless
	// ReturnConsumedCapacity or an observer asked for it.
	ConsumedCapacity *types.ConsumedCapacity
}

func (c *Cost) add(r *reply) {
	c.Requests++
	c.Count += r.count
	c.ScannedCount += r.scanned
	c.consume(r.capacity)
}

// consume adds the capacity of one call.
func (c *Cost) consume(more *types.ConsumedCapacity) {
	if more == nil {
		return
	}
	if c.ConsumedCapacity == nil {
		c.ConsumedCapacity = &types.ConsumedCapacity{TableName: more.TableName}
	}
	sum := c.ConsumedCapacity
	addUnits(&sum.CapacityUnits, more.CapacityUnits)
	addUnits(&sum.ReadCapacityUnits, more.ReadCapacityUnits)
	addUnits(&sum.WriteCapacityUnits, more.WriteCapacityUnits)
	if more.Table != nil {
		if sum.Table == nil {
			sum.Table = &types.Capacity{}
		}
		addCapacity(sum.Table, *more.Table)
	}
	addIndexes(&sum.GlobalSecondaryIndexes, more.GlobalSecondaryIndexes)
	addIndexes(&sum.LocalSecondaryIndexes, more.LocalSecondaryIndexes)
}

func addIndexes(sum *map[string]types.Capacity, more map[string]types.Capacity) {
	for name, units := range more {
		if *sum == nil {
			*sum = make(map[string]types.Capacity)
		}
		total := (*sum)[name]
		addCapacity(&total, units)
		(*sum)[name] = total
	}
}

func addCapacity(sum *types.Capacity, more types.Capacity) {
	addUnits(&sum.CapacityUnits, more.CapacityUnits)
	addUnits(&sum.ReadCapacityUnits, more.ReadCapacityUnits)
	addUnits(&sum.WriteCapacityUnits, more.WriteCapacityUnits)
}

// addUnits leaves what neither has as it is.
func addUnits(sum **float64, more *float64) {
	if more == nil {
		return
	}
	total := *more
	if *sum != nil {
		total += **sum
	}
	*sum = &total
}

// paged is a reading that is cut into pages.
type paged struct {
	*reading
	seal sealer
}

// pages prepares a reading for pages. One that sets neither Limit nor MaxPages
// has pages of one call to each partition.
func (r *reading) pages(cursor string) (paged, error) {
	if r.limit == 0 && r.maxPages == 0 {
		r.maxPages = 1
	}
	p := paged{r, r.site.table.sealer(r)}
	return p, r.site.fail(p.seal.open(cursor, r))
}

// fresh reports whether the reading is at the beginning of all it reads.
func (r *reading) fresh() bool {
	return !slices.ContainsFunc(r.sources, func(s *source) bool { return s.page != nil || s.from != nil || s.ended })
}

// read reads the next page, hands its items to keep, and returns the cursor
// behind it and what it took.
func (p paged) read(ctx context.Context, keep func(found) error) (string, Cost, error) {
	p.delivered, p.cost = 0, Cost{}
	for _, s := range p.sources {
		s.calls = 0
	}
	for v, err := range p.items(ctx) {
		if err == nil {
			err = keep(v)
		}
		if err != nil {
			return "", Cost{}, err
		}
	}
	next, err := p.seal.close(p.reading)
	return next, p.cost, p.site.fail(err)
}

// part is a page before its items have their type.
type part struct {
	found []found
	next  string
	whole bool // all that there is
	cost  Cost
}

// part reads the next page.
func (p paged) part(ctx context.Context) (part, error) {
	out := part{whole: p.fresh()}
	var err error
	out.next, out.cost, err = p.read(ctx, func(v found) error {
		out.found = append(out.found, v)
		return nil
	})
	out.whole = out.whole && out.next == ""
	return out, err
}

func typedPage[T any](p part) Page[T] {
	page := Page[T]{Next: p.next, Cost: p.cost}
	for _, v := range p.found {
		page.Items = append(page.Items, *v.value.(*T))
	}
	return page
}

// prepared makes a reading that has not begun.
type prepared func() (*reading, error)

// page reads the page behind a cursor.
func (compile prepared) page(ctx context.Context, cursor string) (part, error) {
	r, err := compile()
	if err != nil {
		return part{}, err
	}
	p, err := r.pages(cursor)
	if err != nil {
		return part{}, err
	}
	return p.part(ctx)
}

// pages yields page after page of one reading, which therefore reads nothing
// twice.
func (compile prepared) pages(ctx context.Context) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		r, err := compile()
		if err != nil {
			yield(part{}, err)
			return
		}
		p, err := r.pages("")
		for err == nil {
			var page part
			if page, err = p.part(ctx); err == nil && (!yield(page, nil) || page.next == "") {
				return
			}
		}
		yield(part{}, err)
	}
}

// each yields the items of a reading.
func (compile prepared) each(ctx context.Context) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		r, err := compile()
		if err != nil {
			yield(found{}, err)
			return
		}
		r.items(ctx)(yield)
	}
}

// upTo reads at most n items.
func (compile prepared) upTo(ctx context.Context, n int) ([]found, *reading, error) {
	r, err := compile()
	if err != nil {
		return nil, nil, err
	}
	r.limit = n
	var out []found
	for v, err := range r.items(ctx) {
		if err != nil {
			return nil, nil, err
		}
		out = append(out, v)
	}
	return out, r, nil
}

// first returns the first item.
func (compile prepared) first(ctx context.Context) (found, error) {
	items, r, err := compile.upTo(ctx, 1)
	switch {
	case err != nil:
		return found{}, err
	case len(items) == 1:
		return items[0], nil
	}
	return found{}, r.absent()
}

// only returns the only item.
func (compile prepared) only(ctx context.Context) (found, error) {
	items, r, err := compile.upTo(ctx, 2)
	switch {
	case err != nil:
		return found{}, err
	case len(items) == 2:
		return found{}, r.site.fail(ErrMultiple)
	case len(items) == 1 && r.exhausted():
		return items[0], nil
	}
	return found{}, r.absent()
}

// absent is the error of a reading that has ended without what was wanted.
func (r *reading) absent() error {
	if r.exhausted() {
		return r.site.fail(ErrNotFound)
	}
	return r.site.fail(errCutShort)
}

var errCutShort = because(ErrIncomplete, "MaxPages ended it; raise or drop the bound")

// as yields what seq does as to makes it; errors with the zero value.
func as[A, B any](seq iter.Seq2[A, error], to func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range seq {
			var b B
			if err == nil {
				b = to(a)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// valueOf returns what was found as a value of its type.
func valueOf[T any](v found) T { return *v.value.(*T) }

// one returns what was found as a value of its type, the zero value beside an
// error.
func one[T any](v found, err error) (out T, _ error) {
	if err == nil {
		out = valueOf[T](v)
	}
	return out, err
}
