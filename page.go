package ddb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

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
// result ends before; otherwise what one call brings. cursor is "" for the first
// page and Next of the page before for each further one.
//
// A cursor belongs to the query that made it: same table, index, entity,
// direction, key condition and filter. Any other, and one that is damaged, fails
// with [ErrCursor]. Limit and PageSize may change on the way.
func (q QueryOp[T]) Page(ctx context.Context, cursor string) (Page[T], error) {
	var page Page[T]
	in, spec, err := q.compile()
	if err != nil {
		return page, err
	}
	seal := q.d.entity.table.sealer(in)
	start, err := seal.open(cursor)
	if err != nil {
		return page, q.site().fail(err)
	}
	if q.reader.limit == 0 && q.reader.maxPages == 0 {
		q.reader.maxPages = 1
	}
	var last delivered
	for d, err := range q.reader.walk(ctx, q.site(), in, start) {
		if err != nil {
			return page, err
		}
		if d.page != last.page {
			page.Requests++
			page.Examined += int(d.page.ScannedCount)
		}
		last = d
		if d.item == nil {
			continue
		}
		v, err := q.decode(d.item, spec, nil)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, v)
	}
	page.Next, err = seal.close(last.resume(q.d.entity.primary, spec))
	return page, q.site().fail(err)
}

// resume is the position behind the last item that was delivered: the page's
// own last key if the page was used up, else the keys of that item.
func (d delivered) resume(keys ...*keySpec) map[string]types.AttributeValue {
	switch {
	case d.page == nil:
		return nil
	case d.last:
		return d.page.LastEvaluatedKey
	}
	key := make(map[string]types.AttributeValue)
	for _, s := range keys {
		for _, c := range s.columns() {
			key[c.attr] = d.item[c.attr]
		}
	}
	return key
}
