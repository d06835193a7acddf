package ddb

import (
	"bytes"
	"context"
	"iter"
	"math/big"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// reader is how a query is read, page by page, whatever comes out of it.
type reader struct {
	desc     bool
	strong   bool
	limit    int // items delivered
	pageSize int // items evaluated per call
	maxPages int // calls per partition
	edits    edits[dynamodb.QueryInput]
}

func (r reader) check(s *keySpec) error {
	switch {
	case r.strong && !s.consistent():
		return errNotConsistent
	case r.limit < 0 || r.pageSize < 0 || r.maxPages < 0:
		return because(ErrRange, "Limit, PageSize and MaxPages cannot be negative")
	}
	return nil
}

// direct sets direction and consistency.
func (r reader) direct(in *dynamodb.QueryInput) {
	if r.desc {
		in.ScanIndexForward = aws.Bool(false)
	}
	if r.strong {
		in.ConsistentRead = aws.Bool(true)
	}
}

// size sets how much the next call evaluates, when left items are still wanted.
func (r reader) size(in *dynamodb.QueryInput, left int) {
	n := r.pageSize
	if in.FilterExpression == nil && left > 0 && (n == 0 || left < n) {
		n = left
	}
	in.Limit = nil
	if n > 0 {
		in.Limit = aws.Int32(int32(min(n, 1<<31-1)))
	}
}

type item = map[string]types.AttributeValue

// source is one partition on its way to the reader: all that a query reads, or
// one shard of it.
type source struct {
	in    *dynamodb.QueryInput
	from  item                  // where the page began; nil is the beginning
	page  *dynamodb.QueryOutput // nil before the first call
	next  int                   // the first item of the page not yet delivered
	calls int
	ended bool // the partition was over before the first call
}

// drained reports whether the page is used up.
func (s *source) drained() bool { return s.page == nil || s.next == len(s.page.Items) }

// over reports whether nothing comes behind the page.
func (s *source) over() bool {
	return s.ended || s.page != nil && len(s.page.LastEvaluatedKey) == 0
}

// resume is the position behind what was delivered of the source: the page's
// own last key if the page was used up, else the keys of the last item. The end
// of the partition is an empty item, its beginning nil.
func (s *source) resume(keys ...*keySpec) item {
	switch {
	case s.drained() && s.over():
		return item{}
	case s.page == nil:
		return s.from
	case s.drained():
		return s.page.LastEvaluatedKey
	case s.next == 0:
		return s.from
	}
	at := make(item)
	for _, k := range keys {
		for _, c := range k.columns() {
			at[c.attr] = s.page.Items[s.next-1][c.attr]
		}
	}
	return at
}

// reading is one run of a reader over its sources. It is used by one goroutine.
type reading struct {
	reader
	site    site
	sources []*source
	order   []string // attributes that sources are merged by

	delivered, requests, examined int
}

// items is the one page loop. It yields items in order, one call per page and
// source, none after the consumer stops. What was delivered can be told
// afterwards from the sources.
func (r *reading) items(ctx context.Context) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		for r.limit == 0 || r.delivered < r.limit {
			more, err := r.fill(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			s := r.first()
			if !more || s == nil {
				return
			}
			s.next++
			r.delivered++
			if !yield(s.page.Items[s.next-1], nil) {
				return
			}
		}
	}
}

// fill fetches until every source that is not over has an item to compare. It
// reports false when that cannot be because a source's calls are used up.
func (r *reading) fill(ctx context.Context) (bool, error) {
	for {
		var dry []*source
		for _, s := range r.sources {
			if !s.drained() || s.over() {
				continue
			}
			if r.maxPages > 0 && s.calls == r.maxPages {
				return false, nil
			}
			dry = append(dry, s)
		}
		if len(dry) == 0 {
			return true, nil
		}
		if err := fillAll(ctx, dry, r.fetch); err != nil {
			return false, err
		}
		for _, s := range dry {
			r.requests++
			r.examined += int(s.page.ScannedCount)
		}
	}
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

// fetch reads the next page of one source.
func (r *reading) fetch(ctx context.Context, s *source) error {
	in := *s.in
	if s.page != nil {
		s.from = s.page.LastEvaluatedKey
	}
	in.ExclusiveStartKey = s.from
	r.size(&in, r.limit-r.delivered)
	out, err := call(ctx, r.site, r.edits.apply(&in), r.site.table.backend.Query)
	if err != nil {
		return err
	}
	s.page, s.next = out, 0
	s.calls++
	return nil
}

// count adds up the counts of all pages of all sources.
func (r *reading) count(ctx context.Context) (int, error) {
	var total atomic.Int64
	err := fillAll(ctx, r.sources, func(ctx context.Context, s *source) error {
		for r.maxPages == 0 || s.calls < r.maxPages {
			if err := r.fetch(ctx, s); err != nil {
				return err
			}
			total.Add(int64(s.page.Count))
			if s.over() {
				return nil
			}
		}
		return nil
	})
	return int(total.Load()), err
}

// first returns the source whose next item comes first, nil if there is none.
func (r *reading) first() *source {
	var best *source
	for _, s := range r.sources {
		if s.drained() {
			continue
		}
		if best == nil || r.before(s.page.Items[s.next], best.page.Items[best.next]) {
			best = s
		}
	}
	return best
}

// before reports whether a comes before b; of equals, the source named first.
func (r *reading) before(a, b item) bool {
	for _, attr := range r.order {
		if c := compareKeys(a[attr], b[attr]); c != 0 {
			return c < 0 != r.desc
		}
	}
	return false
}

// compareKeys orders two key values of one type as DynamoDB does.
func compareKeys(a, b types.AttributeValue) int {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		if b, ok := b.(*types.AttributeValueMemberS); ok {
			return strings.Compare(a.Value, b.Value)
		}
	case *types.AttributeValueMemberB:
		if b, ok := b.(*types.AttributeValueMemberB); ok {
			return bytes.Compare(a.Value, b.Value)
		}
	case *types.AttributeValueMemberN:
		if b, ok := b.(*types.AttributeValueMemberN); ok {
			x, okX := new(big.Rat).SetString(a.Value)
			y, okY := new(big.Rat).SetString(b.Value)
			if okX && okY {
				return x.Cmp(y)
			}
		}
	}
	return 0
}
