package ddb

import (
	"context"
	"iter"
	"maps"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// reader is how items are read, page by page, whatever comes out of it.
type reader struct {
	desc       bool
	strong     bool
	limit      int // items delivered
	pageSize   int // items evaluated per call
	maxPages   int // calls per partition or segment
	maxBuckets int // buckets per shard that a range over several may visit
	parallel   int // calls at once; 0 is inParallel
	capacity   types.ReturnConsumedCapacity
	hydrate    bool // the items of an index are read anew from the table
}

func (r reader) check(spec *keySpec) error {
	switch {
	case r.strong && !spec.consistent():
		return errNotConsistent
	case spec.index == "" && r.hydrate:
		return because(ErrIndex, "Hydrate is for indexes; the table itself has whole items")
	}
	for _, bound := range []struct {
		name string
		n    int
	}{{"Limit", r.limit}, {"PageSize", r.pageSize}, {"MaxPages", r.maxPages}, {"MaxBuckets", r.maxBuckets}, {"Parallel", r.parallel}} {
		if bound.n < 0 {
			return because(ErrRange, "%s cannot be negative", bound.name)
		}
	}
	return nil
}

type item = map[string]types.AttributeValue

// reply is what one call brought.
type reply struct {
	items          []item
	count, scanned int
	last           item // empty at the end
	left           bool // a bucket was read to its end
	capacity       *types.ConsumedCapacity
}

// source is one stretch on its way to the reader: the partition that a query
// reads, one shard of it, or one segment of a scan.
type source struct {
	at   int // place among the sources
	send fetcher
	from item   // where the page began; nil is the beginning
	page *reply // nil before the first call
	next int    // the first item of the page not yet taken

	calls, buckets int  // since the page began
	ended          bool // it was over before the first call
}

// drained reports whether the page is used up.
func (s *source) drained() bool { return s.page == nil || s.next == len(s.page.items) }

// over reports whether nothing comes behind the page.
func (s *source) over() bool {
	return s.ended || s.page != nil && len(s.page.last) == 0
}

// take returns the next item of the page.
func (s *source) take() item {
	s.next++
	return s.page.items[s.next-1]
}

// resume is the position behind what was taken of the source: the page's own
// last key if the page was used up, else the keys of the last item. The end is
// an empty item, the beginning nil.
func (s *source) resume(keys []*keySpec) item {
	switch {
	case s.drained() && s.over():
		return item{}
	case s.page == nil:
		return s.from
	case s.drained():
		return s.page.last
	case s.next == 0:
		return s.from
	}
	at := make(item)
	for _, k := range keys {
		for _, c := range k.columns() {
			at[c.attr] = s.page.items[s.next-1][c.attr]
		}
	}
	return at
}

// found is an item on its way to the caller: its entity and value, or the item
// itself if the entity is unknown.
type found struct {
	entity *entity
	value  any // *T, or the item
}

// reading is one run of a reader over its sources. It is used by one goroutine.
type reading struct {
	reader
	site    site
	order   []string // attributes that sources are merged by; nil if they have no order among them
	keys    []*keySpec
	shape   func() shape // what a cursor belongs to
	skips   bool         // calls evaluate items that are then left out
	picky   bool         // some of them by the reading itself
	own     func(item) bool
	anew    rereading
	decode  func(item) (found, bool, error)
	sources []*source

	together  []item    // the latest group, whose memory the next one takes
	ready     turns     // sources with an item to take
	dry       []*source // sources to be fetched from
	delivered int
	cost      Cost
}

// over makes sources of what sends, one for each.
func (r *reading) over(sends ...fetcher) {
	for i, send := range sends {
		r.sources = append(r.sources, &source{at: i, send: send})
	}
}

// items is the one page loop. It yields items in order, one call per page and
// source, none after the consumer stops. What was delivered can be told
// afterwards from the sources, and the loop can be run again to go on.
func (r *reading) items(ctx context.Context) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		for r.limit == 0 || r.delivered < r.limit {
			group, err := r.group(ctx)
			if err != nil {
				yield(found{}, err)
				return
			}
			if len(group) == 0 {
				return
			}
			for _, item := range group {
				v, keep, err := r.admit(item)
				if err != nil {
					yield(found{}, err)
					return
				}
				if !keep {
					continue
				}
				if r.delivered++; !yield(v, nil) {
					return
				}
			}
		}
	}
}

// admit decodes an item, unless it is left out.
func (r *reading) admit(it item) (found, bool, error) {
	if it == nil {
		r.cost.Missing++
		return found{}, false, nil
	}
	v, keep, err := r.decode(it)
	return v, keep, r.site.fail(err)
}

// group returns the items whose turn it is: the next one or, to be hydrated
// together, all that are there without a further call. It is empty when there is
// none, at the end or because the calls are used up. Items that Hydrate did not
// find are nil.
func (r *reading) group(ctx context.Context) ([]item, error) {
	most := 1
	if r.hydrate {
		if most = batchGets; r.limit > 0 {
			most = min(most, r.limit-r.delivered)
		}
	}
	group := r.together[:0]
	for len(group) < most {
		if len(group) > 0 && !r.buffered() {
			break
		}
		s, err := r.turn(ctx)
		if err != nil {
			return nil, err
		}
		if s == nil {
			break
		}
		it := s.take()
		r.took(s)
		if r.own == nil || r.own(it) {
			group = append(group, it)
		}
	}
	r.together = group
	if !r.hydrate || len(group) == 0 {
		return group, nil
	}
	return r.full(ctx, group)
}

// fetch reads the next page of one source.
func (r *reading) fetch(ctx context.Context, s *source) error {
	if s.page != nil {
		s.from = s.page.last
	}
	out, err := s.send(ctx, s.from, r.size())
	if err != nil {
		return err
	}
	s.page, s.next = &out, 0
	s.calls++
	if out.left {
		s.buckets++
	}
	return nil
}

// spent reports whether a source may not be read any further now.
func (r *reading) spent(s *source) bool {
	return r.maxPages > 0 && s.calls >= r.maxPages || r.maxBuckets > 0 && s.buckets >= r.maxBuckets
}

// size is how much the next call evaluates. If items are left out afterwards,
// what is still wanted says nothing of it.
func (r *reading) size() *int32 {
	n := r.pageSize
	if left := r.limit - r.delivered; r.limit > 0 && !r.skips && (n == 0 || left < n) {
		n = left
	}
	if n == 0 {
		return nil
	}
	return aws.Int32(int32(min(n, math.MaxInt32)))
}

// exhausted reports whether everything was delivered.
func (r *reading) exhausted() bool {
	for _, s := range r.sources {
		if !s.drained() || !s.over() {
			return false
		}
	}
	return true
}

// querySource returns what sends the calls of a query.
func querySource(at site, in *dynamodb.QueryInput, e edits[dynamodb.QueryInput]) fetcher {
	return func(ctx context.Context, from item, size *int32) (reply, error) {
		next := *in
		next.ExclusiveStartKey, next.Limit = from, size
		if len(e) > 0 { // which may change what calls share
			next.ExpressionAttributeNames, next.ExpressionAttributeValues = maps.Clone(in.ExpressionAttributeNames), maps.Clone(in.ExpressionAttributeValues)
		}
		out, err := call(ctx, at, e.apply(&next), at.table.backend.Query)
		if err != nil {
			return reply{}, err
		}
		return at.brought(in.Select, reply{items: out.Items, count: int(out.Count), scanned: int(out.ScannedCount), last: out.LastEvaluatedKey, capacity: out.ConsumedCapacity})
	}
}

// brought returns a reply, unless it only counts, though the read is for items.
func (s site) brought(asked types.Select, r reply) (reply, error) {
	if len(r.items) == 0 && r.count > 0 && asked != types.SelectCount {
		return reply{}, s.fail(because(ErrExpression, "the reply counts items and has none, since Edit asked for that; use Count"))
	}
	return r, nil
}

// scanSource returns what sends the calls of a scan.
func scanSource(at site, in *dynamodb.ScanInput, e edits[dynamodb.ScanInput]) fetcher {
	return func(ctx context.Context, from item, size *int32) (reply, error) {
		next := *in
		next.ExclusiveStartKey, next.Limit = from, size
		if len(e) > 0 { // which may change what calls share
			next.ExpressionAttributeNames, next.ExpressionAttributeValues = maps.Clone(in.ExpressionAttributeNames), maps.Clone(in.ExpressionAttributeValues)
		}
		out, err := call(ctx, at, e.apply(&next), at.table.backend.Scan)
		if err != nil {
			return reply{}, err
		}
		return at.brought(in.Select, reply{items: out.Items, count: int(out.Count), scanned: int(out.ScannedCount), last: out.LastEvaluatedKey, capacity: out.ConsumedCapacity})
	}
}
