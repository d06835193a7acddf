package ddb

import (
	"context"
	"iter"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// QueryOp reads the items of one entity in one partition, in the order of the
// sort key. A QueryOp is a value: each method returns a changed copy, so that a
// base query can be shared.
type QueryOp[T any] struct{ read query }

// Query reads the items whose partition key is made of the fields of key. Other
// entities in the partition are left out. If fields of the sort key are given
// too, from left to right, only items under those are read: with the template
// ORDER#{Year}#{Number} and a Year, that year's; with both, the one item.
//
// A number or bool that is zero counts as given only if a field behind it is;
// use a range to ask for a zero alone. Nor does a field count for the sort key that
// the partition key holds in a coarser format, such as a time by its day, unless a
// field behind it is given.
func (d *Definition[T]) Query(key T) QueryOp[T] {
	return QueryOp[T]{query{entity: d.defined(), key: reflect.ValueOf(key)}}
}

// Index reads from a secondary index, whose templates then say which fields of
// the key are used. Reads of a global index are eventually consistent.
func (q QueryOp[T]) Index(name string) QueryOp[T] {
	q.read.index = name
	return q
}

// From begins the range at the first item whose sort key fields are at least
// those given in lo. Ranges are in the order of the fields' values: with the
// template {At}#{ID} and only At given, all items at that instant are in. Where
// the part is inverted (desc), "at least" still means the greater values. Bounds of
// another partition than the query's fail with [ErrRange].
func (q QueryOp[T]) From(lo T) QueryOp[T] {
	q.read.window.from(lo, true)
	return q
}

// After begins the range behind all items under the fields given in lo.
func (q QueryOp[T]) After(lo T) QueryOp[T] {
	q.read.window.from(lo, false)
	return q
}

// Until ends the range with the last item under the fields given in hi.
func (q QueryOp[T]) Until(hi T) QueryOp[T] {
	q.read.window.until(hi, true)
	return q
}

// Before ends the range before all items under the fields given in hi.
func (q QueryOp[T]) Before(hi T) QueryOp[T] {
	q.read.window.until(hi, false)
	return q
}

// Between is From(lo) and Until(hi). Bounds in the wrong order fail with
// [ErrRange].
func (q QueryOp[T]) Between(lo, hi T) QueryOp[T] { return q.From(lo).Until(hi) }

// Prefix reads the items whose sort key begins with the fields given in v, whole
// parts of it: with ORDER#{Number}#{Item} and Number 1, those of ORDER#1# and
// none of ORDER#10#. It is the same as giving the fields in the query's key,
// except that the first of them may be a zero number. Ranges can go on from
// there.
func (q QueryOp[T]) Prefix(v T) QueryOp[T] {
	q.read.window.under(v, false)
	return q
}

// StartsWith reads the items whose sort key begins with the fields given in v,
// where the last of them need only begin with the text given: with
// ORDER#{Number} and Number 1, the orders 1, 10 and 100. Formats of fixed width
// have no such beginnings.
func (q QueryOp[T]) StartsWith(v T) QueryOp[T] {
	q.read.window.under(v, true)
	return q
}

// RawFrom begins the range at a sort key as it is stored, byte for byte, RawUntil
// ends it with one. They serve keys that fields do not say, such as one that came
// from elsewhere. The range stays among the entity's own keys, and those under
// the fields given in the query's key; AnySortKey lifts that. "" is no bound. A
// number is written in digits.
func (q QueryOp[T]) RawFrom(lo string) QueryOp[T] {
	q.read.window.raw = q.read.window.raw.withLo(lo)
	return q
}

// RawUntil ends the range with a sort key as it is stored; see RawFrom.
func (q QueryOp[T]) RawUntil(hi string) QueryOp[T] {
	q.read.window.raw = q.read.window.raw.withHi(hi)
	return q
}

// RawBetween is RawFrom(lo) and RawUntil(hi).
func (q QueryOp[T]) RawBetween(lo, hi string) QueryOp[T] { return q.RawFrom(lo).RawUntil(hi) }

// RawPrefix reads the items whose sort key, as it is stored, begins with a text,
// wherever in its parts that ends; see RawFrom.
func (q QueryOp[T]) RawPrefix(prefix string) QueryOp[T] {
	q.read.window.raw = q.read.window.raw.withPrefix(prefix)
	return q
}

// AnySortKey reads the entity's items whatever their sort keys are, also those
// that do not follow its template, such as from before it was changed. The
// discriminator alone then tells them from the others of the partition, all of
// which are evaluated.
func (q QueryOp[T]) AnySortKey() QueryOp[T] {
	q.read.window.raw = q.read.window.raw.withAny()
	return q
}

// Filter leaves out items that do not meet the condition. They are read, and
// paid for, all the same.
func (q QueryOp[T]) Filter(c Cond[T]) QueryOp[T] {
	q.read.filter = q.read.filter.and(c.c.value())
	return q
}

// FilterExpr filters by a condition made with package expression.
func (q QueryOp[T]) FilterExpr(b expression.ConditionBuilder) QueryOp[T] {
	q.read.filter = q.read.filter.and(raw(b))
	return q
}

// HideExpired leaves out items whose expiry is past, which DynamoDB deletes only
// some time later. It is a filter.
func (q QueryOp[T]) HideExpired() QueryOp[T] {
	q.read.hide = true
	return q
}

// Desc reads from the last item of the range to the first.
func (q QueryOp[T]) Desc() QueryOp[T] {
	q.read.reader.desc = true
	return q
}

// Consistent makes the read strongly consistent, at twice the capacity. A
// global index does not offer that.
func (q QueryOp[T]) Consistent() QueryOp[T] {
	q.read.reader.strong = true
	return q
}

// Limit ends the query after n items, counted behind the filter. 0 is no limit.
func (q QueryOp[T]) Limit(n int) QueryOp[T] {
	q.read.reader.limit = n
	return q
}

// PageSize sets how many items one call evaluates, before the filter. 0 leaves
// it to the service, which stops at 1 MB.
func (q QueryOp[T]) PageSize(n int) QueryOp[T] {
	q.read.reader.pageSize = n
	return q
}

// MaxPages ends the query after n calls, or n to each shard of a sharded key,
// however little they brought. 0 is no bound.
func (q QueryOp[T]) MaxPages(n int) QueryOp[T] {
	q.read.reader.maxPages = n
	return q
}

// MaxBuckets bounds how many buckets a query visits whose range of times lies in
// several partitions, by a layout such as {At:2006-01-02} in the partition key. It
// ends the query then, as MaxPages does, and makes up for an end that the range
// has not. 0 is no bound for the query, but its range must have two ends then, and
// lie in no more than 1000 buckets.
//
// Buckets are read one after another in the query's order, as far as items are
// used. Each is a call, or one to each of its shards, even if it is empty, since
// nothing else tells that it is: a month by the hour is some 740 calls. A call that
// finds nothing costs half a unit, a whole one if it is consistent.
func (q QueryOp[T]) MaxBuckets(n int) QueryOp[T] {
	q.read.reader.maxBuckets = n
	return q
}

// Parallel sets how many shards of a sharded key are read at once, where more pages
// than one are needed. 0 is 32.
func (q QueryOp[T]) Parallel(n int) QueryOp[T] {
	q.read.reader.parallel = n
	return q
}

// Project reads only the named attributes, and those that make up keys and
// discriminator. Values then hold what was read and, of other fields, those that
// the keys hold whole. It saves no capacity, only what goes over the network. An
// attribute that the index does not carry is refused with [ErrIndex].
func (q QueryOp[T]) Project(attributes ...Handle[T]) QueryOp[T] {
	q.read.fields = project(q.read.fields, attributes)
	return q
}

// Hydrate reads the items that an index lists anew from the table, whole or as
// Project says, in the order of the index, by batches of up to 100: for indexes
// that do not carry what is needed. Items are as they are by then. Those that are
// gone from the table are left out and counted in [Cost]. A filter still runs in
// the index.
func (q QueryOp[T]) Hydrate() QueryOp[T] {
	q.read.reader.hydrate = true
	return q
}

// ReturnConsumedCapacity asks for what each call consumes, which [Page] then
// adds up.
func (q QueryOp[T]) ReturnConsumedCapacity(what types.ReturnConsumedCapacity) QueryOp[T] {
	q.read.reader.capacity = what
	return q
}

// Named says which access pattern the query is, for observers.
func (q QueryOp[T]) Named(pattern string) QueryOp[T] {
	q.read.pattern = pattern
	return q
}

// Edit lets f change each SDK input before it is sent. What f changes is no part
// of what a cursor belongs to. To count items use Count: a reply without the items
// that it counts fails with [ErrExpression].
func (q QueryOp[T]) Edit(f func(*dynamodb.QueryInput)) QueryOp[T] {
	q.read.edits = q.read.edits.with(f)
	return q
}

// Input returns the SDK input of the first call, or of the first of the calls
// that read the shards of a sharded key.
func (q QueryOp[T]) Input() (*dynamodb.QueryInput, error) { return q.read.first() }

// All reads the items one by one, calling the service as they are used. Each is
// a fresh value. The first error is yielded with a zero value and ends the
// sequence. The sequence can be ranged over again, which reads again.
func (q QueryOp[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return as(prepared(q.read.compile).each(ctx), valueOf[T])
}

// Page reads one page of the query: with Limit, that many items unless the
// result ends before; otherwise what one call brings, or one call to each shard
// of a sharded key. cursor is "" for the first page and Next of the page before
// for each further one.
//
// A cursor belongs to the query that made it: same table, index, entity,
// direction, key condition and filter. Any other, and one that is damaged, fails
// with [ErrCursor]. Limit, PageSize, Project and Hydrate may change on the way.
func (q QueryOp[T]) Page(ctx context.Context, cursor string) (Page[T], error) {
	p, err := prepared(q.read.compile).page(ctx, cursor)
	return typedPage[T](p), err
}

// Pages reads page after page, each as Page would, up to the end of the result;
// Limit is the size of each. Unlike further calls of Page it evaluates no item
// twice when pages end within what a call brought.
func (q QueryOp[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return as(prepared(q.read.compile).pages(ctx), typedPage[T])
}

// First returns the first item, however many must be evaluated to find it, or
// [ErrNotFound]. If MaxPages ends the search before, that is [ErrIncomplete].
func (q QueryOp[T]) First(ctx context.Context) (T, error) {
	return one[T](prepared(q.read.compile).first(ctx))
}

// One returns the only item. It fails with [ErrNotFound] if there is none, with
// [ErrMultiple] if there are several, and with [ErrIncomplete] if MaxPages ended
// the search before that was known.
func (q QueryOp[T]) One(ctx context.Context) (T, error) {
	return one[T](prepared(q.read.compile).only(ctx))
}

// Count counts the items over all pages, without reading them where the service
// can count them. Limit does not apply. If MaxPages ended it before the end, it
// returns what it has counted and [ErrIncomplete]. With Hydrate it counts the
// items of the index.
func (q QueryOp[T]) Count(ctx context.Context) (int, error) { return q.read.count(ctx) }
