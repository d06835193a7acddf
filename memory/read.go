package memory

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// A getter reads one item by its primary key.
type getter struct {
	table      *table
	key        string
	named      av.Map           // the Key
	projection *eval.Projection // nil for all attributes
}

// getter returns the reader of the item with the key.
func (t *table) getter(key av.Map, p *eval.Projection) (getter, error) {
	l := t.layout.Load()
	if err := l.key.checkKey(key); err != nil {
		return getter{}, err
	}
	if err := l.checkPaths(paths(p)); err != nil {
		return getter{}, err
	}
	return getter{t, l.key.storeKey(key), key, p}, nil
}

// show returns what the response holds of a record, nil when there is none.
func (g *getter) show(r *record, as rendering) map[string]types.AttributeValue {
	if r == nil {
		return nil
	}
	return as.project(r.item, g.projection)
}

// rendering is how items stand in a response: in the SDK's types, or as they are stored
// for a caller that asks for it.
type rendering struct{ stored bool }

func renderingFor(ctx context.Context) rendering { return rendering{stored: av.KeepsStored(ctx)} }

// project returns the selected attributes of an item, all if p is nil.
func (as rendering) project(item av.Map, p *eval.Projection) map[string]types.AttributeValue {
	if p != nil {
		item = p.Apply(item)
	}
	if as.stored && len(item) > 0 {
		return item.Stored()
	}
	return item.SDK()
}

// A pager reads one page of a table or of an index.
type pager struct {
	table  *table
	index  *index // nil for the table itself
	within keyRange
	// partition holds the values of the one partition key that the range is
	// within, nil for none.
	partition []av.Value
	moment    moment // whose state to read
	limit     int    // of items to evaluate; 0 for none
	// consistent doubles the price of completing entries.
	consistent bool
	// fetch completes the entries of a local secondary index with what the
	// index does not hold.
	fetch bool
}

// page is what a pager has read. Each record stands for one item evaluated.
type page struct {
	records []*record
	bytes   int   // of the records as the table or index holds them
	size    int   // of the records as they are here; counts towards the page
	fetched units // what completing them cost
	// stopped tells that the limit or the size of a page ended it; there may be
	// more after the last record.
	stopped bool
	// refused tells why nothing could be read.
	refused *throttled
}

// read walks the range partition by partition, each under its lock, and stops
// when enough items were evaluated. Only ranges within one partition are read
// backward. Query.Pagination.html: the size of a page is that of the items before
// any filter or projection.
func (pg *pager) read() page {
	space := pg.table.base
	if pg.index != nil {
		space = pg.index.space
	}
	var out page
	watched := pg.traffic() != nil
	first := space.route(pg.within.low)
	for n := first; n <= space.route(pg.within.high) && !out.stopped; n++ {
		before := out
		pg.readPartition(&out, space.partitions[n], pg.table.base.partitions[n])
		if watched && !pg.admit(&out, &before, n) {
			break
		}
	}
	if watched {
		pg.admitNothing(&out, first)
	}
	return out
}

// readPartition appends what one partition holds of the range. A local secondary
// index is hashed like its table, so an entry's item is in the partition of the
// same number; its lock comes first in the order of locks.
func (pg *pager) readPartition(out *page, p, base *partition) {
	if pg.fetch {
		base.mu.RLock()
		defer base.mu.RUnlock()
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	primary := &pg.table.layout.Load().key
	p.walkLocked(pg.within, pg.moment, func(_ string, r *record) bool {
		out.bytes += r.size
		if pg.fetch {
			r = base.getLocked(primary.storeKey(r.item), pg.moment)
			out.fetched += readUnits(r.size, pg.consistent)
		}
		out.size += r.size
		out.records = append(out.records, r)
		out.stopped = len(out.records) == pg.limit || out.size >= limits.PageBytes
		return !out.stopped
	})
}
