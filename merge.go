package ddb

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"math/big"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// turns is a heap of sources, on top of which is the one whose item comes next.
type turns struct {
	sources []*source
	of      *reading // nil before the first call
}

func (t *turns) Len() int           { return len(t.sources) }
func (t *turns) Less(i, j int) bool { return t.of.before(t.sources[i], t.sources[j]) }
func (t *turns) Swap(i, j int)      { t.sources[i], t.sources[j] = t.sources[j], t.sources[i] }

// Push is part of heap.Interface.
func (t *turns) Push(s any) { t.sources = append(t.sources, s.(*source)) }

// Pop is part of heap.Interface.
func (t *turns) Pop() any {
	last := len(t.sources) - 1
	s := t.sources[last]
	t.sources = t.sources[:last]
	return s
}

// begin sorts the sources into those to be fetched from and those that are over.
func (r *reading) begin() {
	r.ready.of = r
	for _, s := range r.sources {
		if !s.over() {
			r.dry = append(r.dry, s)
		}
	}
}

// turn returns the source whose item comes next, fetching as that takes: where
// sources are merged, from all that are dry, else only when nothing is left. It
// returns nil at the end, and when a source that is needed has used up its calls.
func (r *reading) turn(ctx context.Context) (*source, error) {
	if r.ready.of == nil {
		r.begin()
	}
	for !r.buffered() {
		now, later := r.fetchable()
		if len(now) == 0 {
			return nil, nil
		}
		if err := atOnce(ctx, r.parallel, now, r.fetch); err != nil {
			return nil, err
		}
		r.dry = later
		for _, s := range now {
			r.cost.add(s.page)
			r.sort(s)
		}
	}
	if r.ready.Len() == 0 {
		return nil, nil
	}
	return r.ready.sources[0], nil
}

// buffered reports whether the next item, or that there is none, is known
// without a further call.
func (r *reading) buffered() bool {
	return len(r.dry) == 0 || r.order == nil && r.ready.Len() > 0
}

// fetchable splits the dry sources into those to fetch from now and the others.
// Without an order there is no need of all of them, nor of memory for so many
// pages.
func (r *reading) fetchable() (now, later []*source) {
	for _, s := range r.dry {
		switch used := r.spent(s); {
		case used && r.order != nil:
			return nil, r.dry
		case used || r.order == nil && len(now) == cmp.Or(r.parallel, inParallel):
			later = append(later, s)
		default:
			now = append(now, s)
		}
	}
	return now, later
}

// sort puts a source where it belongs after a fetch.
func (r *reading) sort(s *source) {
	switch {
	case !s.drained():
		heap.Push(&r.ready, s)
	case !s.over():
		r.dry = append(r.dry, s)
	}
}

// took puts a source from which an item was taken where it now belongs.
func (r *reading) took(s *source) {
	if !s.drained() {
		heap.Fix(&r.ready, 0)
		return
	}
	heap.Pop(&r.ready)
	r.sort(s)
}

// before reports whether a's next item comes before b's; of equals, the source
// named first.
func (r *reading) before(a, b *source) bool {
	x, y := a.page.items[a.next], b.page.items[b.next]
	for _, attr := range r.order {
		if c := compareKeys(x[attr], y[attr]); c != 0 {
			return c < 0 != r.desc
		}
	}
	return a.at < b.at
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
