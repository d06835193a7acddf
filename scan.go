package ddb

import (
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ScanOp reads a whole table or index and keeps the items of one entity. It
// pays for everything that it reads. A ScanOp is a value: each method returns a
// changed copy.
type ScanOp[T any] struct{ read scan }

// Scan reads the whole table, in no order that means anything. It is for jobs
// and tools; access patterns of a service want a Query.
func (d *Definition[T]) Scan() ScanOp[T] { return ScanOp[T]{newScan(d.defined(), 0, 1, 1)} }

// ParallelScan scans the table in n segments, 1 to 1,000,000, of which up to 32
// are read at once. Items come in no order.
func (d *Definition[T]) ParallelScan(n int) ScanOp[T] {
	return ScanOp[T]{newScan(d.defined(), 0, n, n)}
}

// ScanSegment scans one segment of n, counted from 0, for work that is divided
// among several processes.
func (d *Definition[T]) ScanSegment(segment, n int) ScanOp[T] {
	return ScanOp[T]{newScan(d.defined(), segment, segment+1, n)}
}

// Index scans a secondary index: only the items that are in it.
func (s ScanOp[T]) Index(name string) ScanOp[T] {
	s.read.index = name
	return s
}

// Filter leaves out items that do not meet the condition. They are read, and
// paid for, all the same.
func (s ScanOp[T]) Filter(c Cond[T]) ScanOp[T] {
	s.read.filter = s.read.filter.and(c.c.value())
	return s
}

// FilterExpr filters by a condition made with package expression.
func (s ScanOp[T]) FilterExpr(b expression.ConditionBuilder) ScanOp[T] {
	s.read.filter = s.read.filter.and(raw(b))
	return s
}

// HideExpired leaves out items whose expiry is past, which DynamoDB deletes only
// some time later. It is a filter.
func (s ScanOp[T]) HideExpired() ScanOp[T] {
	s.read.hide = true
	return s
}

// Consistent makes the reads strongly consistent, at twice the capacity. A
// global index does not offer that.
func (s ScanOp[T]) Consistent() ScanOp[T] {
	s.read.reader.strong = true
	return s
}

// Limit ends the scan after n items, counted behind the filter. 0 is no limit.
func (s ScanOp[T]) Limit(n int) ScanOp[T] {
	s.read.reader.limit = n
	return s
}

// PageSize sets how many items one call evaluates. 0 leaves it to the service,
// which stops at 1 MB.
func (s ScanOp[T]) PageSize(n int) ScanOp[T] {
	s.read.reader.pageSize = n
	return s
}

// MaxPages ends the scan after n calls to each segment. 0 is no bound.
func (s ScanOp[T]) MaxPages(n int) ScanOp[T] {
	s.read.reader.maxPages = n
	return s
}

// Project reads only the named attributes; see [QueryOp.Project].
func (s ScanOp[T]) Project(attributes ...Handle[T]) ScanOp[T] {
	s.read.fields = project(s.read.fields, attributes)
	return s
}

// Hydrate reads the items that an index lists anew from the table; see
// [QueryOp.Hydrate].
func (s ScanOp[T]) Hydrate() ScanOp[T] {
	s.read.reader.hydrate = true
	return s
}

// ReturnConsumedCapacity asks for what each call consumes, which [Page] then
// adds up.
func (s ScanOp[T]) ReturnConsumedCapacity(what types.ReturnConsumedCapacity) ScanOp[T] {
	s.read.reader.capacity = what
	return s
}

// Named says which job the scan is for, for observers.
func (s ScanOp[T]) Named(pattern string) ScanOp[T] {
	s.read.pattern = pattern
	return s
}

// Edit lets f change each SDK input before it is sent.
func (s ScanOp[T]) Edit(f func(*dynamodb.ScanInput)) ScanOp[T] {
	s.read.edits = s.read.edits.with(f)
	return s
}

// Input returns the SDK input of the first call.
func (s ScanOp[T]) Input() (*dynamodb.ScanInput, error) { return s.read.first() }

// All reads the items one by one, calling the service as they are used; several
// segments a page of each at once. The first error is yielded and ends the
// sequence.
func (s ScanOp[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return as(prepared(s.read.compile).each(ctx), valueOf[T])
}

// Page reads one page of the scan, as [QueryOp.Page] does. The cursor holds a
// position for each segment.
func (s ScanOp[T]) Page(ctx context.Context, cursor string) (Page[T], error) {
	p, err := prepared(s.read.compile).page(ctx, cursor)
	return typedPage[T](p), err
}

// Pages reads page after page, each as Page would; see [QueryOp.Pages].
func (s ScanOp[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return as(prepared(s.read.compile).pages(ctx), typedPage[T])
}

// First returns some item, or [ErrNotFound]. If MaxPages ends the search before,
// that is [ErrIncomplete].
func (s ScanOp[T]) First(ctx context.Context) (T, error) {
	return one[T](prepared(s.read.compile).first(ctx))
}

// One returns the only item; see [QueryOp.One].
func (s ScanOp[T]) One(ctx context.Context) (T, error) {
	return one[T](prepared(s.read.compile).only(ctx))
}

// Count counts the items over all pages; see [QueryOp.Count].
func (s ScanOp[T]) Count(ctx context.Context) (int, error) { return s.read.count(ctx) }
