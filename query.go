package ddb

import (
	"context"
	"iter"
	"maps"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// QueryOp reads the items of one entity in one partition, in the order of the
// sort key. A QueryOp is a value: each method returns a changed copy, so that a
// base query can be shared.
type QueryOp[T any] struct {
	d      *Definition[T]
	key    T
	index  string
	lo, hi *bound
	filter cond
	hide   bool // expired items
	reader reader
	err    error
}

// Query reads the items whose partition key is made of the fields of key. Other
// entities in the partition are left out. If fields of the sort key are given
// too, from left to right, only items under those are read: with the template
// ORDER#{Year}#{Number} and a Year, that year's; with both, the one item.
//
// A number or bool that is zero counts as given only if a field behind it is;
// use a range to ask for a zero alone. A field that the partition key holds in a
// coarser format, such as a time by its day, does not count for the sort key.
func (d *Definition[T]) Query(key T) QueryOp[T] { return QueryOp[T]{d: d, key: key} }

// Index reads from a secondary index, whose templates then say which fields of
// the key are used. Reads of a global index are eventually consistent.
func (q QueryOp[T]) Index(name string) QueryOp[T] {
	q.index = name
	return q
}

// From begins the range at the first item whose sort key fields are at least
// those given in lo. Ranges are in the order of the fields' values: with the
// template {At}#{ID} and only At given, all items at that instant are in. Where
// the part is inverted (desc), "at least" still means the greater values.
func (q QueryOp[T]) From(lo T) QueryOp[T] { return q.lower(lo, true) }

// After begins the range behind all items under the fields given in lo.
func (q QueryOp[T]) After(lo T) QueryOp[T] { return q.lower(lo, false) }

// Until ends the range with the last item under the fields given in hi.
func (q QueryOp[T]) Until(hi T) QueryOp[T] { return q.upper(hi, true) }

// Before ends the range before all items under the fields given in hi.
func (q QueryOp[T]) Before(hi T) QueryOp[T] { return q.upper(hi, false) }

// Between is From(lo) and Until(hi). Bounds in the wrong order fail with
// [ErrRange].
func (q QueryOp[T]) Between(lo, hi T) QueryOp[T] { return q.From(lo).Until(hi) }

func (q QueryOp[T]) lower(v T, inclusive bool) QueryOp[T] {
	q.once(q.lo)
	q.lo = &bound{reflect.ValueOf(v), inclusive}
	return q
}

func (q QueryOp[T]) upper(v T, inclusive bool) QueryOp[T] {
	q.once(q.hi)
	q.hi = &bound{reflect.ValueOf(v), inclusive}
	return q
}

// once keeps the error of a range whose end is given again.
func (q *QueryOp[T]) once(end *bound) {
	if end != nil && q.err == nil {
		q.err = because(ErrRange, "one end of the range is given twice")
	}
}

// Filter leaves out items that do not meet the condition. They are read, and
// paid for, all the same.
func (q QueryOp[T]) Filter(c Cond[T]) QueryOp[T] {
	q.filter = q.filter.and(c.c.value())
	return q
}

// FilterExpr filters by a condition made with package expression.
func (q QueryOp[T]) FilterExpr(b expression.ConditionBuilder) QueryOp[T] {
	q.filter = q.filter.and(raw(b))
	return q
}

// HideExpired leaves out items whose expiry is past, which DynamoDB deletes only
// some time later. It is a filter.
func (q QueryOp[T]) HideExpired() QueryOp[T] {
	q.hide = true
	return q
}

// Desc reads from the last item of the range to the first.
func (q QueryOp[T]) Desc() QueryOp[T] {
	q.reader.desc = true
	return q
}

// Consistent makes the read strongly consistent, at twice the capacity. A
// global index does not offer that.
func (q QueryOp[T]) Consistent() QueryOp[T] {
	q.reader.strong = true
	return q
}

// Limit ends the query after n items, counted behind the filter. 0 is no limit.
func (q QueryOp[T]) Limit(n int) QueryOp[T] {
	q.reader.limit = n
	return q
}

// PageSize sets how many items one call evaluates, before the filter. 0 leaves
// it to the service, which stops at 1 MB.
func (q QueryOp[T]) PageSize(n int) QueryOp[T] {
	q.reader.pageSize = n
	return q
}

// MaxPages ends the query after n calls, however little they brought. 0 is no
// bound.
func (q QueryOp[T]) MaxPages(n int) QueryOp[T] {
	q.reader.maxPages = n
	return q
}

// Edit lets f change each SDK input before it is sent.
func (q QueryOp[T]) Edit(f func(*dynamodb.QueryInput)) QueryOp[T] {
	q.reader.edits = q.reader.edits.with(f)
	return q
}

func (q QueryOp[T]) site() site { return q.d.site("Query", q.index) }

// Input returns the SDK input of the first call, or of the first of the calls
// that read the shards of a sharded key.
func (q QueryOp[T]) Input() (*dynamodb.QueryInput, error) {
	r, _, err := q.compile()
	if err != nil {
		return nil, err
	}
	in := r.sources[0].in
	q.reader.size(in, q.reader.limit)
	return q.reader.edits.apply(in), nil
}

// compile returns a reading that has not begun, and the key it reads by.
func (q QueryOp[T]) compile() (*reading, *keySpec, error) {
	e := q.d.entity
	if err := e.table.Err(); err != nil {
		return nil, nil, err
	}
	r, spec, err := q.build(e)
	if err != nil {
		return nil, nil, q.site().fail(err)
	}
	return r, spec, nil
}

func (q QueryOp[T]) build(e *entity) (*reading, *keySpec, error) {
	spec := e.spec(q.index)
	switch {
	case q.err != nil:
		return nil, nil, q.err
	case spec == nil:
		return nil, nil, because(ErrIndex, "%s is not in it; add a ddb.Index field to %s", e.name, e.plan.typ)
	}
	key := reflect.ValueOf(q.key)
	order, err := spec.sortRange(key, q.lo, q.hi)
	if err != nil {
		return nil, nil, err
	}
	r, err := q.reader.over(q.site(), spec, key, order)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range r.sources {
		if err := q.addFilter(s.in, e, spec); err != nil {
			return nil, nil, err
		}
	}
	return r, spec, nil
}

// over makes a reading of the partitions that key names.
func (r reader) over(at site, spec *keySpec, key reflect.Value, order sortCondition) (*reading, error) {
	if err := r.check(spec.index); err != nil {
		return nil, err
	}
	pks, err := spec.partitions(key)
	if err != nil {
		return nil, err
	}
	out := &reading{reader: r, site: at}
	if spec.sk != nil {
		out.order = spec.sk.attr
	}
	for _, pk := range pks {
		in := queryInput(at.table, spec, pk, order)
		r.direct(in)
		out.sources = append(out.sources, &source{in: in})
	}
	return out, nil
}

// partition returns the value of a partition key; of a sharded one, that of the
// given shard.
func (s *keySpec) partition(value values, shard int) (types.AttributeValue, error) {
	if f := s.pk.plain; f != nil {
		av, err := f.codec().encode(value(f))
		if err != nil || s.pk.empty(f, value(f)) {
			return nil, (&partError{f, errEmpty}).in(s)
		}
		return av, nil
	}
	pk, err := s.pk.template.render(value, shard)
	if err != nil {
		return nil, err.in(s)
	}
	return text(pk), nil
}

// queryInput writes the key condition. Its placeholders have names, so that
// they never meet the numbered ones of package expression.
func queryInput(t *Table, s *keySpec, pk types.AttributeValue, order sortCondition) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName:                 aws.String(t.name),
		ExpressionAttributeNames:  map[string]string{"#pk": s.pk.attr},
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": pk},
	}
	if s.index != "" {
		in.IndexName = aws.String(s.index)
	}
	condition := "#pk = :pk"
	switch order.op {
	case "":
	case "begins_with":
		condition += " AND begins_with(#sk, :lo)"
	case "BETWEEN":
		condition += " AND #sk BETWEEN :lo AND :hi"
	default:
		operand := ":lo"
		if order.lo == nil {
			operand = ":hi"
		}
		condition += " AND #sk " + order.op + " " + operand
	}
	if order.op != "" {
		in.ExpressionAttributeNames["#sk"] = s.sk.attr
	}
	if order.lo != nil {
		in.ExpressionAttributeValues[":lo"] = order.lo
	}
	if order.hi != nil {
		in.ExpressionAttributeValues[":hi"] = order.hi
	}
	in.KeyConditionExpression = aws.String(condition)
	return in
}

// addFilter adds the caller's filter and, where other entities lie between, the
// one on the discriminator.
func (q QueryOp[T]) addFilter(in *dynamodb.QueryInput, e *entity, s *keySpec) error {
	f := q.filter
	for _, h := range f.handles {
		for _, c := range s.columns() {
			if c.plain == h.top {
				return &fieldError{index: s.index, field: h.goPath, err: because(ErrExpression,
					"a filter cannot name a key attribute of what it reads; use a range")}
			}
		}
	}
	if s.mixed.Load() && !s.thin {
		f = raw(expression.Equal(expression.NameNoDotSplit(e.table.discriminator), expression.Value(text(e.name)))).and(f)
	}
	text, err := f.filterText(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return err
	}
	if q.hide {
		text = e.hideExpired(text, in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	}
	if text != "" {
		in.FilterExpression = aws.String(text)
	}
	return nil
}

// filterText renders a filter and adds its placeholders to the maps.
func (c cond) filterText(names map[string]string, values map[string]types.AttributeValue) (string, error) {
	switch {
	case c.err != nil:
		return "", c.err
	case !c.set:
		return "", nil
	}
	x, err := finish(expression.NewBuilder().WithFilter(c.builder))
	if err != nil {
		return "", err
	}
	maps.Copy(names, x.Names())
	maps.Copy(values, x.Values())
	return aws.ToString(x.Filter()), nil
}

// All reads the items one by one, calling the service as they are used. Each is
// a fresh value. The first error is yielded with a zero value and ends the
// sequence. The sequence can be ranged over again, which reads again.
func (q QueryOp[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, spec, err := q.compile()
		if err != nil {
			yield(none, err)
			return
		}
		for item, err := range r.items(ctx) {
			v, err := q.decode(item, spec, err)
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

func (q QueryOp[T]) decode(item item, spec *keySpec, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	v, err := q.d.entity.decode(item, spec)
	if err != nil {
		return none, q.site().fail(err)
	}
	return *v.Interface().(*T), nil
}

// First returns the first item, or [ErrNotFound].
func (q QueryOp[T]) First(ctx context.Context) (T, error) {
	for v, err := range q.Limit(1).All(ctx) {
		return v, err
	}
	var none T
	return none, q.site().fail(ErrNotFound)
}

// Count counts the items over all pages without reading them into memory. Limit
// does not apply; MaxPages does, and then the count is of that many pages.
func (q QueryOp[T]) Count(ctx context.Context) (int, error) {
	q.reader.limit = 0
	r, _, err := q.compile()
	if err != nil {
		return 0, err
	}
	for _, s := range r.sources {
		s.in.Select = types.SelectCount
	}
	return r.count(ctx)
}
