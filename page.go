package ddb

import "context"

// Page is part of a query's result.
type Page[T any] struct {
	Items []T
	// Next continues behind the last item; it is "" when there is no more. A
	// Next can turn out to lead to an empty page.
	Next string
	// Requests is how many calls the page took, Examined how many items they
	// evaluated.
	Requests int
	Examined int
}

// Page reads one page of the query: with Limit, that many items unless the
// result ends before; otherwise what one call brings, or one call to each shard
// of a sharded key. cursor is "" for the first
// page and Next of the page before for each further one.
//
// A cursor belongs to the query that made it: same table, index, entity,
// direction, key condition and filter. Any other, and one that is damaged, fails
// with [ErrCursor]. Limit and PageSize may change on the way.
func (q QueryOp[T]) Page(ctx context.Context, cursor string) (Page[T], error) {
	var page Page[T]
	if q.reader.limit == 0 && q.reader.maxPages == 0 {
		q.reader.maxPages = 1
	}
	r, spec, err := q.compile()
	if err != nil {
		return page, err
	}
	seal := q.d.entity.table.sealer(r)
	if err := seal.open(cursor, r); err != nil {
		return page, q.site().fail(err)
	}
	for item, err := range r.items(ctx) {
		v, err := q.decode(item, spec, err)
		if err != nil {
			return Page[T]{}, err
		}
		page.Items = append(page.Items, v)
	}
	page.Requests, page.Examined = r.requests, r.examined
	page.Next, err = seal.close(r, q.d.entity.primary, spec)
	return page, q.site().fail(err)
}
