package ddb

import (
	"context"
	"iter"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

// ScanOp reads a whole table or index and keeps the items of one entity. It
// pays for everything that it reads.
type ScanOp[T any] struct {
	d        *Definition[T]
	index    string
	filter   cond
	strong   bool
	limit    int
	pageSize int
	segments int
	edits    edits[dynamodb.ScanInput]
}

// Scan reads the whole table, in no order that means anything. It is for jobs
// and tools; access patterns of a service want a Query.
func (d *Definition[T]) Scan() ScanOp[T] { return ScanOp[T]{d: d} }

// Index scans a secondary index: only the items that are in it.
func (s ScanOp[T]) Index(name string) ScanOp[T] {
	s.index = name
	return s
}

// Filter leaves out items that do not meet the condition.
func (s ScanOp[T]) Filter(c Cond[T]) ScanOp[T] {
	s.filter = s.filter.and(c.c.value())
	return s
}

// FilterExpr filters by a condition made with package expression.
func (s ScanOp[T]) FilterExpr(b expression.ConditionBuilder) ScanOp[T] {
	s.filter = s.filter.and(raw(b))
	return s
}

// Consistent makes the reads strongly consistent, at twice the capacity. A
// global index does not offer that.
func (s ScanOp[T]) Consistent() ScanOp[T] {
	s.strong = true
	return s
}

// Limit ends the scan after n items, counted behind the filter. 0 is no limit.
func (s ScanOp[T]) Limit(n int) ScanOp[T] {
	s.limit = n
	return s
}

// PageSize sets how many items one call evaluates. 0 leaves it to the service,
// which stops at 1 MB.
func (s ScanOp[T]) PageSize(n int) ScanOp[T] {
	s.pageSize = n
	return s
}

// Segments scans n parts of the table at once, 1 to 1,000,000.
func (s ScanOp[T]) Segments(n int) ScanOp[T] {
	s.segments = n
	return s
}

// Edit lets f change each SDK input before it is sent.
func (s ScanOp[T]) Edit(f func(*dynamodb.ScanInput)) ScanOp[T] {
	s.edits = s.edits.with(f)
	return s
}

func (s ScanOp[T]) site() site { return s.d.site("Scan", s.index) }

// Input returns the SDK input of the first call.
func (s ScanOp[T]) Input() (*dynamodb.ScanInput, error) {
	in, err := s.compile()
	if err != nil {
		return nil, err
	}
	if s.segments > 1 {
		in.Segment, in.TotalSegments = aws.Int32(0), aws.Int32(int32(s.segments))
	}
	return s.edits.apply(in), nil
}

func (s ScanOp[T]) compile() (*dynamodb.ScanInput, error) {
	if err := s.d.entity.table.Err(); err != nil {
		return nil, err
	}
	in, err := s.build()
	return in, s.site().fail(err)
}

func (s ScanOp[T]) build() (*dynamodb.ScanInput, error) {
	e := s.d.entity
	spec := e.spec(s.index)
	switch {
	case spec == nil:
		return nil, because(ErrIndex, "%s is not in it; add a ddb.Index field to %s", e.name, e.plan.typ)
	case spec.thin:
		return nil, because(ErrIndex, "it does not carry the discriminator %s, so that entities cannot be told apart", e.table.discriminator)
	case s.index != "" && s.strong:
		return nil, because(ErrIndex, "a global secondary index has no consistent reads")
	case s.limit < 0 || s.pageSize < 0 || s.segments < 0 || s.segments > 1_000_000:
		return nil, because(ErrRange, "Limit and PageSize cannot be negative, and there are 1 to 1,000,000 segments")
	}
	in := &dynamodb.ScanInput{
		TableName:                aws.String(e.table.name),
		ExpressionAttributeNames: map[string]string{}, ExpressionAttributeValues: map[string]types.AttributeValue{},
	}
	own := raw(expression.Equal(expression.NameNoDotSplit(e.table.discriminator), expression.Value(text(e.name))))
	filter, err := own.and(s.filter).filterText(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return nil, err
	}
	in.FilterExpression = aws.String(filter)
	if s.index != "" {
		in.IndexName = aws.String(s.index)
	}
	if s.strong {
		in.ConsistentRead = aws.Bool(true)
	}
	if s.pageSize > 0 {
		in.Limit = aws.Int32(int32(min(s.pageSize, 1<<31-1)))
	}
	return in, nil
}

// All reads the items one by one, calling the service as they are used; with
// Segments, some pages ahead and in no order. The first error is yielded and
// ends the sequence, as breaking off does; no goroutine is left then.
func (s ScanOp[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		in, err := s.compile()
		if err != nil {
			yield(none, err)
			return
		}
		n := 0
		for item, err := range s.items(ctx, in) {
			v := none
			if err == nil {
				v, err = s.decode(item)
			}
			if n++; !yield(v, err) || err != nil || n == s.limit {
				return
			}
		}
	}
}

func (s ScanOp[T]) decode(item item) (T, error) {
	v, err := s.d.entity.decode(item, s.d.entity.spec(s.index))
	if err != nil {
		var none T
		return none, s.site().fail(err)
	}
	return *v.Interface().(*T), nil
}

func (s ScanOp[T]) items(ctx context.Context, in *dynamodb.ScanInput) iter.Seq2[item, error] {
	if s.segments <= 1 {
		return s.segment(ctx, in)
	}
	return s.parallel(ctx, in)
}

// segment is the page loop of one segment.
func (s ScanOp[T]) segment(ctx context.Context, in *dynamodb.ScanInput) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		next := *in
		for {
			page := next
			out, err := call(ctx, s.site(), s.edits.apply(&page), s.d.entity.table.backend.Scan)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, item := range out.Items {
				if !yield(item, nil) {
					return
				}
			}
			if next.ExclusiveStartKey = out.LastEvaluatedKey; len(next.ExclusiveStartKey) == 0 {
				return
			}
		}
	}
}

// parallel runs the segments side by side and hands their items on.
func (s ScanOp[T]) parallel(ctx context.Context, in *dynamodb.ScanInput) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		items := make(chan item)
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(inParallel)
		var wg sync.WaitGroup
		var failed error
		wg.Go(func() {
			for i := range s.segments {
				part := *in
				part.Segment, part.TotalSegments = aws.Int32(int32(i)), aws.Int32(int32(s.segments))
				g.Go(func() error { return s.send(ctx, &part, items) })
			}
			failed = g.Wait()
			close(items)
		})
		defer wg.Wait()
		defer cancel()
		for item := range items {
			if !yield(item, nil) {
				cancel()
				for range items { // let the segments end
				}
				return
			}
		}
		if failed != nil {
			yield(nil, failed)
		}
	}
}

func (s ScanOp[T]) send(ctx context.Context, in *dynamodb.ScanInput, to chan<- item) error {
	for item, err := range s.segment(ctx, in) {
		if err != nil {
			return err
		}
		select {
		case to <- item:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
