package ddb

import (
	"context"
	"iter"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ScanOp reads a whole table or index and keeps the items of one entity. It
// pays for everything that it reads.
type ScanOp[T any] struct {
	d       *Definition[T]
	index   string
	pattern string
	selection
	reader   reader
	segments segments
	edits    edits[dynamodb.ScanInput]
}

// segments are the parts of a table that a scan reads, from First up to before
// Last of so many.
type segments struct{ First, Last, Of int }

const maxSegments = 1_000_000

// Scan reads the whole table, in no order that means anything. It is for jobs
// and tools; access patterns of a service want a Query.
func (d *Definition[T]) Scan() ScanOp[T] { return ScanOp[T]{d: d, segments: segments{0, 1, 1}} }

// ParallelScan scans the table in n segments, 1 to 1,000,000, of which up to 32
// are read at once. Items come in no order.
func (d *Definition[T]) ParallelScan(n int) ScanOp[T] {
	return ScanOp[T]{d: d, segments: segments{0, n, n}}
}

// ScanSegment scans one segment of n, counted from 0, for work that is divided
// among several processes.
func (d *Definition[T]) ScanSegment(segment, n int) ScanOp[T] {
	return ScanOp[T]{d: d, segments: segments{segment, segment + 1, n}}
}

// Index scans a secondary index: only the items that are in it.
func (s ScanOp[T]) Index(name string) ScanOp[T] {
	s.index = name
	return s
}

// Filter leaves out items that do not meet the condition. They are read, and
// paid for, all the same.
func (s ScanOp[T]) Filter(c Cond[T]) ScanOp[T] {
	s.filter = s.filter.and(c.c)
	return s
}

// FilterExpr filters by a condition made with package expression.
func (s ScanOp[T]) FilterExpr(b expression.ConditionBuilder) ScanOp[T] {
	s.filter = s.filter.and(raw(b))
	return s
}

// HideExpired leaves out items whose expiry is past, which DynamoDB deletes only
// some time later. It is a filter.
func (s ScanOp[T]) HideExpired() ScanOp[T] {
	s.hide = true
	return s
}

// Consistent makes the reads strongly consistent, at twice the capacity. A
// global index does not offer that.
func (s ScanOp[T]) Consistent() ScanOp[T] {
	s.reader.strong = true
	return s
}

// Limit ends the scan after n items, counted behind the filter. 0 is no limit.
func (s ScanOp[T]) Limit(n int) ScanOp[T] {
	s.reader.limit = n
	return s
}

// PageSize sets how many items one call evaluates. 0 leaves it to the service,
// which stops at 1 MB.
func (s ScanOp[T]) PageSize(n int) ScanOp[T] {
	s.reader.pageSize = n
	return s
}

// MaxPages ends the scan after n calls to each segment. 0 is no bound.
func (s ScanOp[T]) MaxPages(n int) ScanOp[T] {
	s.reader.maxPages = n
	return s
}

// Project reads only the named attributes; see [QueryOp.Project].
func (s ScanOp[T]) Project(attributes ...Handle[T]) ScanOp[T] {
	s.fields = project(s.fields, attributes)
	return s
}

// Hydrate reads the items that an index lists anew from the table; see
// [QueryOp.Hydrate].
func (s ScanOp[T]) Hydrate() ScanOp[T] {
	s.reader.hydrate = true
	return s
}

// ReturnConsumedCapacity asks for what each call consumes, which [Page] then
// adds up.
func (s ScanOp[T]) ReturnConsumedCapacity(what types.ReturnConsumedCapacity) ScanOp[T] {
	s.reader.capacity = what
	return s
}

// Named says which job the scan is for, for observers.
func (s ScanOp[T]) Named(pattern string) ScanOp[T] {
	s.pattern = pattern
	return s
}

// Edit lets f change each SDK input before it is sent.
func (s ScanOp[T]) Edit(f func(*dynamodb.ScanInput)) ScanOp[T] {
	s.edits = s.edits.with(f)
	return s
}

func (s ScanOp[T]) site() site { return s.d.site("Scan", s.index).named(s.pattern) }

// Input returns the SDK input of the first call.
func (s ScanOp[T]) Input() (*dynamodb.ScanInput, error) {
	r, in, err := s.plan()
	if err != nil {
		return nil, err
	}
	in = s.segments.cut(in, s.segments.First)
	in.Limit = r.size()
	return s.edits.apply(in), nil
}

func (s ScanOp[T]) compile() (*reading, error) {
	r, in, err := s.plan()
	if err != nil {
		return nil, err
	}
	s.over(r, in)
	return r, nil
}

// over gives the reading its sources, the segments.
func (s ScanOp[T]) over(r *reading, in *dynamodb.ScanInput) {
	for i := s.segments.First; i < s.segments.Last; i++ {
		r.over(scanSource(r.site, s.segments.cut(in, i), s.edits))
	}
}

// cut returns the input for one segment.
func (s segments) cut(in *dynamodb.ScanInput, segment int) *dynamodb.ScanInput {
	part := *in
	if s.Of > 1 {
		part.Segment, part.TotalSegments = aws.Int32(int32(segment)), aws.Int32(int32(s.Of))
	}
	return &part
}

// plan returns a reading without its sources, and the input of all of them.
func (s ScanOp[T]) plan() (*reading, *dynamodb.ScanInput, error) {
	if err := s.d.entity.table.Err(); err != nil {
		return nil, nil, err
	}
	r, in, err := s.build(s.d.entity)
	if err != nil {
		return nil, nil, s.site().fail(err)
	}
	return r, in, nil
}

func (s ScanOp[T]) build(e *entity) (*reading, *dynamodb.ScanInput, error) {
	spec := e.spec(s.index)
	switch parts := s.segments; {
	case spec == nil:
		return nil, nil, because(ErrIndex, "%s is not in it; add a ddb.Index field to %s", e.name, e.plan.typ)
	case parts.Of < 1 || parts.Of > maxSegments || parts.First < 0 || parts.Last > parts.Of:
		return nil, nil, because(ErrRange, "there are 1 to 1,000,000 segments, counted from 0")
	}
	r, err := s.reader.of(e, spec, s.site(), s.selection)
	if err != nil {
		return nil, nil, err
	}
	r.order = nil
	if spec.thin {
		r.pick(e.owns)
	}
	in := &dynamodb.ScanInput{TableName: aws.String(e.table.name), ReturnConsumedCapacity: s.reader.capacity}
	in.IndexName = optional(s.index)
	if s.reader.strong {
		in.ConsistentRead = aws.Bool(true)
	}
	here, _ := s.selection.split(s.reader.hydrate)
	err = here.bareFirst(e, spec, !spec.thin, func(x selected, bare bool) {
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = filled(x.names), filled(x.values)
		in.FilterExpression, in.ProjectionExpression = optional(x.filter), optional(x.projection)
		r.skips = r.skips || x.filter != ""
		if bare {
			r.shape = shapeOfScan(in, s.segments)
		}
	})
	return r, in, err
}

// filled returns nil for an empty map, which the service refuses.
func filled[V any](m map[string]V) map[string]V {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}

// All reads the items one by one, calling the service as they are used; several
// segments a page of each at once. The first error is yielded and ends the
// sequence.
func (s ScanOp[T]) All(ctx context.Context) iter.Seq2[T, error] { return sequence[T](ctx, s.compile) }

// Page reads one page of the scan, as [QueryOp.Page] does. The cursor holds a
// position for each segment.
func (s ScanOp[T]) Page(ctx context.Context, cursor string) (Page[T], error) {
	return pageOf[T](ctx, s.compile, cursor)
}

// Pages reads page after page, each as Page would; see [QueryOp.Pages].
func (s ScanOp[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return pagesOf(ctx, s.compile, readPage[T])
}

// First returns some item, or [ErrNotFound]. If MaxPages ends the search before,
// that is [ErrIncomplete].
func (s ScanOp[T]) First(ctx context.Context) (T, error) { return firstValue[T](ctx, s.compile) }

// One returns the only item; see [QueryOp.One].
func (s ScanOp[T]) One(ctx context.Context) (T, error) { return onlyValue[T](ctx, s.compile) }

// Count counts the items over all pages; see [QueryOp.Count].
func (s ScanOp[T]) Count(ctx context.Context) (int, error) {
	s.selection, s.reader = s.selection.counted(s.reader)
	r, in, err := s.plan()
	if err != nil {
		return 0, err
	}
	if !r.picky {
		in.Select = types.SelectCount
	}
	s.over(r, in)
	return r.count(ctx)
}
