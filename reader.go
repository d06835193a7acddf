package ddb

import (
	"context"
	"iter"

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
	maxPages int
	edits    edits[dynamodb.QueryInput]
}

func (r reader) check(index string) error {
	switch {
	case index != "" && r.strong:
		return because(ErrIndex, "a global secondary index has no consistent reads")
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

// delivered is one item on its way to the caller, with the page it came from.
type delivered struct {
	item map[string]types.AttributeValue
	page *dynamodb.QueryOutput
	last bool // of its page
}

// walk is the one page loop. It yields items from start on, one call per page,
// none after the consumer stops. A page without items is yielded with a nil
// item, so that its end is seen.
func (r reader) walk(ctx context.Context, s site, in *dynamodb.QueryInput, start map[string]types.AttributeValue) iter.Seq2[delivered, error] {
	return func(yield func(delivered, error) bool) {
		got := 0
		for pages := 0; r.maxPages == 0 || pages < r.maxPages; pages++ {
			next := *in
			next.ExclusiveStartKey = start
			r.size(&next, r.limit-got)
			out, err := call(ctx, s, r.edits.apply(&next), s.table.backend.Query)
			if err != nil {
				yield(delivered{}, err)
				return
			}
			if len(out.Items) == 0 && !yield(delivered{page: out, last: true}, nil) {
				return
			}
			for i, item := range out.Items {
				got++
				if !yield(delivered{item, out, i == len(out.Items)-1}, nil) || got == r.limit {
					return
				}
			}
			if start = out.LastEvaluatedKey; len(start) == 0 {
				return
			}
		}
	}
}
