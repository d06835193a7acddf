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

func readPage[T any](ctx context.Context, p paged) (page Page[T], next string, err error) {
	page.Next, page.Cost, err = p.read(ctx, func(v found) error {
		page.Items = append(page.Items, *v.value.(*T))
		return nil
	})
	if err != nil {
		return Page[T]{}, "", err
	}
	return page, page.Next, nil
}

// prepared makes a reading that has not begun.
type prepared func() (*reading, error)

// pageOf reads the page behind a cursor.
func pageOf[T any](ctx context.Context, compile prepared, cursor string) (Page[T], error) {
	r, err := compile()
	if err != nil {
		return Page[T]{}, err
	}
	p, err := r.pages(cursor)
	if err != nil {
		return Page[T]{}, err
	}
	out, _, err := readPage[T](ctx, p)
	return out, err
}

// pagesOf yields page after page of one reading, which therefore reads nothing
// twice.
func pagesOf[P any](ctx context.Context, compile prepared, read func(context.Context, paged) (P, string, error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		var none P
		r, err := compile()
		if err != nil {
			yield(none, err)
			return
		}
		p, err := r.pages("")
		for next := ""; err == nil; {
			var page P
			if page, next, err = read(ctx, p); err != nil || !yield(page, nil) || next == "" {
				break
			}
		}
		if err != nil {
			yield(none, err)
		}
	}
}

// sequence yields the values of a reading.
func sequence[T any](ctx context.Context, compile prepared) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, err := compile()
		if err != nil {
			yield(none, err)
			return
		}
		for v, err := range r.items(ctx) {
			if err != nil {
				yield(none, err)
				return
			}
			if !yield(*v.value.(*T), nil) {
				return
			}
		}
	}
}

// upTo reads at most n values and whether that was all.
func upTo[T any](ctx context.Context, compile prepared, n int) ([]T, *reading, error) {
	r, err := compile()
	if err != nil {
		return nil, nil, err
	}
	r.limit = n
	var out []T
	for v, err := range r.items(ctx) {
		if err != nil {
			return nil, nil, err
		}
		out = append(out, *v.value.(*T))
	}
	return out, r, nil
}

// firstValue returns the first value.
func firstValue[T any](ctx context.Context, compile prepared) (T, error) {
	var none T
	values, r, err := upTo[T](ctx, compile, 1)
	switch {
	case err != nil:
		return none, err
	case len(values) == 1:
		return values[0], nil
	}
	return none, r.absent()
}

// onlyValue returns the only value.
func onlyValue[T any](ctx context.Context, compile prepared) (T, error) {
	var none T
	values, r, err := upTo[T](ctx, compile, 2)
	switch {
	case err != nil:
		return none, err
	case len(values) == 2:
		return none, r.site.fail(ErrMultiple)
	case len(values) == 1 && r.exhausted():
		return values[0], nil
	}
	return none, r.absent()
}

// absent is the error of a reading that has ended without what was wanted.
func (r *reading) absent() error {
	if r.exhausted() {
		return r.site.fail(ErrNotFound)
	}
	return r.site.fail(errCutShort)
}

var errCutShort = because(ErrIncomplete, "MaxPages ended it; raise or drop the bound")
