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
	return site{op: "Query", table: q.entity.table, index: q.index, entity: q.entity.name}.named(q.pattern)
}

// first returns the input of the first call.
func (q query) first() (*dynamodb.QueryInput, error) {
	r, inputs, err := q.plan()
	if err != nil {
		return nil, err
	}
	inputs[0].Limit = r.size()
	return q.edits.apply(inputs[0]), nil
}

// compile returns a reading that has not begun.
func (q query) compile() (*reading, error) {
	r, inputs, err := q.plan()
	if err != nil {
		return nil, err
	}
	for _, in := range inputs {
		r.over(querySource(r.site, in, q.edits))
	}
	return r, nil
}

// plan returns a reading without its sources, and their inputs.
func (q query) plan() (*reading, []*dynamodb.QueryInput, error) {
	e := q.entity
	if err := e.table.Err(); err != nil {
		return nil, nil, err
	}
	r, inputs, err := q.build(e)
	if err != nil {
		return nil, nil, q.site().fail(err)
	}
	return r, inputs, nil
}

func (q query) build(e *entity) (*reading, []*dynamodb.QueryInput, error) {
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
	inputs, err := q.reader.inputs(e, spec, q.key, order)
	if err != nil {
		return nil, nil, err
	}
	here, _ := q.selection.split(q.reader.hydrate)
	return r, inputs, r.selectInto(inputs, e, spec, here, mixed && !spec.thin)
}

// selectInto writes a selection into the inputs of a query, and takes down what
// a cursor of it belongs to.
func (r *reading) selectInto(inputs []*dynamodb.QueryInput, e *entity, spec *keySpec, s selection, own bool) error {
	return s.bareFirst(e, spec, own, func(x selected, bare bool) {
		for _, in := range inputs {
			maps.Copy(in.ExpressionAttributeNames, x.names)
			maps.Copy(in.ExpressionAttributeValues, x.values)
			in.FilterExpression, in.ProjectionExpression = optional(x.filter), optional(x.projection)
		}
		r.skips = r.skips || x.filter != ""
		if bare {
			r.shape = shapeOf(inputs[0])
		}
	})
}

// optional returns a pointer to a text, nil for none.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// inputs returns the inputs of the queries that read the partitions named by
// key.
func (r reader) inputs(e *entity, spec *keySpec, key reflect.Value, order sortCondition) ([]*dynamodb.QueryInput, error) {
	pks, err := spec.partitions(key)
	if err != nil {
		return nil, err
	}
	inputs := make([]*dynamodb.QueryInput, len(pks))
	for i, pk := range pks {
		in := queryInput(e.table, spec, pk, order)
		in.ReturnConsumedCapacity = r.capacity
		if r.desc {
			in.ScanIndexForward = aws.Bool(false)
		}
		if r.strong {
			in.ConsistentRead = aws.Bool(true)
		}
		inputs[i] = in
	}
	return inputs, nil
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

// count counts the items over all pages.
func (q query) count(ctx context.Context) (int, error) {
	q.selection, q.reader = q.selection.counted(q.reader)
	r, inputs, err := q.plan()
	if err != nil {
		return 0, err
	}
	for _, in := range inputs {
		if !r.picky {
			in.Select = types.SelectCount
		}
		r.over(querySource(r.site, in, q.edits))
	}
	return r.count(ctx)
}
