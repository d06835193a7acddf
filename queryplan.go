package ddb

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// query is a [QueryOp], whatever its entity's Go type. What needs no type is here,
// so that it is compiled once.
type query struct {
	entity  *entity
	key     reflect.Value
	index   string
	pattern string
	window  window
	selection
	reader reader
	edits  edits[dynamodb.QueryInput]
}

func (q query) site() site {
	return q.entity.known().site("Query").at(q.index).named(q.pattern)
}

// first returns the input of the first call.
func (q query) first() (*dynamodb.QueryInput, error) {
	r, parts, err := q.plan()
	if err != nil {
		return nil, err
	}
	parts[0].in.Limit = r.size()
	return q.edits.apply(parts[0].in), nil
}

// compile returns a reading that has not begun.
func (q query) compile() (*reading, error) {
	r, parts, err := q.plan()
	if err != nil {
		return nil, err
	}
	for _, s := range parts {
		r.over(s.fetcher(r.site, q.edits))
	}
	return r, nil
}

// plan returns a reading without its sources, and what they are to read.
func (q query) plan() (*reading, []stretch, error) {
	e := q.entity.known()
	if err := e.table.ready(); err != nil {
		return nil, nil, err
	}
	r, parts, err := q.build(e)
	if err != nil {
		return nil, nil, q.site().fail(err)
	}
	return r, parts, nil
}

func (q query) build(e *entity) (*reading, []stretch, error) {
	spec := e.spec(q.index)
	if spec == nil {
		return nil, nil, because(ErrIndex, "%s is not in it; add a ddb.Index field to %s", e.name, e.plan.typ)
	}
	for _, h := range q.filter.handles {
		if slices.ContainsFunc(spec.columns(), func(c *keyColumn) bool { return c.plain != nil && c.plain == h.top }) {
			return nil, nil, &fieldError{index: spec.index, field: h.goPath, err: because(ErrExpression,
				"a filter cannot name a key attribute of what it reads; use a range")}
		}
	}
	if err := spec.samePartition(q.key, q.window); err != nil {
		return nil, nil, err
	}
	order, err := spec.sortRange(q.key, q.window)
	if err != nil {
		return nil, nil, err
	}
	r, err := q.reader.of(e, spec, q.site(), q.selection)
	if err != nil {
		return nil, nil, err
	}
	mixed := spec.mixed.Load() || q.window.raw != nil && q.window.raw.anywhere
	if mixed && spec.thin {
		r.pick(e.owns)
	}
	parts, err := q.reader.stretches(e, spec, q.key, order, q.window)
	if err != nil {
		return nil, nil, err
	}
	here, _ := q.selection.split(q.reader.hydrate)
	return r, parts, r.selectInto(parts, e, spec, here, mixed && !spec.thin)
}

// selectInto writes a selection into the inputs of a query, and takes down what
// a cursor of it belongs to.
func (r *reading) selectInto(parts []stretch, e *entity, spec *keySpec, s selection, own bool) error {
	return s.bareFirst(e, spec, own, func(x selected, bare bool) {
		for _, s := range parts {
			maps.Copy(s.in.ExpressionAttributeNames, x.names)
			maps.Copy(s.in.ExpressionAttributeValues, x.values)
			s.in.FilterExpression, s.in.ProjectionExpression = optional(x.filter), optional(x.projection)
		}
		r.skips = r.skips || x.filter != ""
		if bare {
			r.shape = s.shape(func() shape { return shapeOf(parts[0].in) })
		}
	})
}

// optional returns a pointer to a text, nil for none.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return aws.String(text)
}

// count counts the items over all pages.
func (q query) count(ctx context.Context) (int, error) {
	q.selection, q.reader = q.selection.counted(q.reader)
	r, parts, err := q.plan()
	if err != nil {
		return 0, err
	}
	for _, s := range parts {
		if !r.picky {
			s.in.Select = types.SelectCount
		}
		r.over(s.fetcher(r.site, q.edits))
	}
	return r.count(ctx)
}
