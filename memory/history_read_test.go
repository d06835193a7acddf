package memory_test

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/model"
)

// read makes what Query and Scan have in common: the index and its key, what is
// kept and what is shown of it.
func (m *maker) read() (model.Read, model.Key) {
	r := model.Read{Consistent: m.once(4), Limit: max(0, m.IntN(7)-3)}
	key := m.table.Key
	if n := m.IntN(len(m.table.Indexes) + 1); n > 0 {
		ix := m.table.Indexes[n-1]
		r.Index, key = ix.Name, ix.Key
		r.Consistent = r.Consistent && (ix.Local || m.once(4))
	}
	r.Paths = m.paths()
	r.All = r.Paths == nil && m.once(6)
	return r, key
}

// selectOf returns the Select of a read.
func selectOf(r model.Read, counts bool) types.Select {
	switch {
	case r.All:
		return types.SelectAllAttributes
	case counts:
		return types.SelectCount
	}
	return ""
}

// limitOf returns the page size of the engine.
func (h *history) limitOf(r model.Read) *int32 {
	switch {
	case h.pageSize > 0:
		return aws.Int32(int32(h.pageSize))
	case r.Limit > 0:
		return aws.Int32(int32(r.Limit))
	}
	return nil
}

func (m *maker) query() *operation {
	r, key := m.read()
	r.Backward = m.once(3)
	for _, a := range key.Hash {
		r.Hash = append(r.Hash, m.ofKind(a.Kind))
	}
	sorts := key.Sort
	for len(sorts) > 1 && m.once(2) {
		r.Equal = append(r.Equal, m.ofKind(sorts[0].Kind))
		sorts = sorts[1:]
	}
	if len(sorts) > 0 && !m.once(3) {
		m.sortCondition(&r, sorts[0].Kind)
	}
	if m.once(12) {
		r.Start = m.start(key, r)
	}
	counts := r.Paths == nil && !r.All && m.once(8)
	in := dynamodb.QueryInput{
		TableName: m.name(), IndexName: indexOrTable(r.Index), ConsistentRead: &r.Consistent, ScanIndexForward: aws.Bool(!r.Backward),
		Select: selectOf(r, counts), ReturnConsumedCapacity: indexes,
	}
	if m.once(7) {
		m.legacyQuery(&in, &r, key)
	} else {
		var e expression
		r.Filter = m.condition()
		in.KeyConditionExpression, in.FilterExpression = e.keyCondition(key, r), e.condition(r.Filter)
		in.ProjectionExpression = e.projection(r.Paths)
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
	}
	table := m.table
	return &operation{
		asked: &in,
		engine: func(h *history) (a answer, err error) {
			err = a.read(r.Start, func(start item) (model.Page, error) {
				in := in
				in.ExclusiveStartKey, in.Limit = start, h.limitOf(r)
				out, err := h.db.Query(background, &in)
				if err != nil {
					return model.Page{}, err
				}
				return pageOf(out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey, out.ConsumedCapacity), nil
			})
			return a, err
		},
		model: func(h *history) (a answer, err error) {
			err = a.read(r.Start, func(start item) (model.Page, error) {
				r := r
				r.Start = start
				return counted(counts)(h.own(table).Query(r))
			})
			return a, err
		},
	}
}

// sortCondition makes the condition on the sort key attribute that ends a query.
func (m *maker) sortCondition(r *model.Read, kind string) {
	r.Op = choose(m, "=", "<", "<=", ">", ">=", "between", "begins_with")
	switch {
	case r.Op == "between":
		low, high := m.bounds(kind)
		r.Bounds = []model.Value{low, high}
		return
	case r.Op == "begins_with" && kind == "N":
		r.Op = "="
	}
	r.Bounds = []model.Value{m.ofKind(kind)}
}

// start makes a starting key, of which there need be no item, mostly in the
// partition that is read.
func (m *maker) start(key model.Key, r model.Read) item {
	start := item{}
	for _, a := range slices.Concat(m.table.Hash, m.table.Sort, key.Hash, key.Sort) {
		start[a.Name] = m.ofKind(a.Kind)
	}
	// Without a sort key a query knows the only key there can be.
	if m.IntN(4) > 0 || r.Index == "" && len(m.table.Sort) == 0 {
		for i, a := range key.Hash {
			start[a.Name] = r.Hash[i]
		}
	}
	return start
}

// legacyQuery asks the same with the parameters from before expressions.
func (m *maker) legacyQuery(in *dynamodb.QueryInput, r *model.Read, key model.Key) {
	in.KeyConditions = map[string]types.Condition{}
	equals := func(a model.Attribute, v model.Value) {
		in.KeyConditions[a.Name] = types.Condition{ComparisonOperator: "EQ", AttributeValueList: []types.AttributeValue{v}}
	}
	for i, a := range key.Hash {
		equals(a, r.Hash[i])
	}
	for i, v := range r.Equal {
		equals(key.Sort[i], v)
	}
	if r.Op != "" {
		in.KeyConditions[key.Sort[len(r.Equal)].Name] = types.Condition{
			ComparisonOperator: map[string]types.ComparisonOperator{
				"=": "EQ", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE", "between": "BETWEEN", "begins_with": "BEGINS_WITH",
			}[r.Op],
			AttributeValueList: r.Bounds,
		}
	}
	if m.once(2) {
		r.Filter, in.QueryFilter, in.ConditionalOperator = m.comparisons(func(name string) bool { return !key.Has(name) })
	}
	if r.Paths != nil {
		in.AttributesToGet, r.Paths = m.attributesToGet()
	}
}

func (m *maker) scan() *operation {
	r, _ := m.read()
	counts := r.Paths == nil && !r.All && m.once(8)
	segments := int32(choose(m, 0, 0, 0, 1, 3))
	in := dynamodb.ScanInput{
		TableName: m.name(), IndexName: indexOrTable(r.Index), ConsistentRead: &r.Consistent, Select: selectOf(r, counts), ReturnConsumedCapacity: indexes,
	}
	if m.once(7) {
		r.Filter, in.ScanFilter, in.ConditionalOperator = m.comparisons(func(string) bool { return true })
		if r.Paths != nil {
			in.AttributesToGet, r.Paths = m.attributesToGet()
		}
	} else {
		var e expression
		r.Filter = m.condition()
		in.FilterExpression, in.ProjectionExpression = e.condition(r.Filter), e.projection(r.Paths)
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
	}
	table := m.table
	return &operation{
		asked:     &in,
		unordered: true,
		engine: func(h *history) (answer, error) {
			var all answer
			for s := range max(1, segments) {
				in := in
				if segments > 0 {
					in.Segment, in.TotalSegments = aws.Int32(s), aws.Int32(segments)
				}
				err := all.read(nil, func(start item) (model.Page, error) {
					in.ExclusiveStartKey, in.Limit = start, h.limitOf(r)
					out, err := h.db.Scan(background, &in)
					if err != nil {
						return model.Page{}, err
					}
					return pageOf(out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey, out.ConsumedCapacity), nil
				})
				if err != nil {
					return answer{}, err
				}
			}
			return all.sum(segments > 0 || h.limitOf(r) != nil), nil
		},
		model: func(h *history) (answer, error) {
			whole := r
			whole.Limit = 0
			var all answer
			err := all.read(nil, func(item) (model.Page, error) { return counted(counts)(h.own(table).Scan(whole)) })
			return all.sum(segments > 0 || h.limitOf(r) != nil), err
		},
	}
}

// pageOf takes a page of the engine over.
func pageOf(items []item, count, scanned int32, last item, used *types.ConsumedCapacity) model.Page {
	return model.Page{Items: items, Count: int(count), Scanned: int(scanned), Last: last, Used: unitsIn(*used)[0]}
}

// counted returns what takes the items off a page that only counts.
func counted(counts bool) func(model.Page, error) (model.Page, error) {
	return func(p model.Page, err error) (model.Page, error) {
		if counts {
			p.Items = nil
		}
		return p, err
	}
}

// read adds all pages from a starting key on.
func (a *answer) read(start item, page func(start item) (model.Page, error)) error {
	const most = 1000 // more than there can be items
	for range most {
		p, err := page(start)
		if err != nil {
			return err
		}
		a.lists = append(a.lists, p.Items)
		a.scanned = append(a.scanned, p.Count, p.Scanned)
		a.used = append(a.used, p.Used)
		a.last = append(a.last, p.Last)
		if start = p.Last; start == nil {
			return nil
		}
	}
	return errors.New("the pages have no end")
}

// sum adds pages up, which may be others on the other side; the capacity and the
// keys in between are not to be compared then.
func (a *answer) sum(cut bool) answer {
	count, scanned := 0, 0
	for i := 0; i < len(a.scanned); i += 2 {
		count += a.scanned[i]
		scanned += a.scanned[i+1]
	}
	whole := answer{lists: [][]item{a.all()}, scanned: []int{count, scanned}}
	if !cut {
		whole.used = a.used
	}
	return whole
}
