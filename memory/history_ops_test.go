package memory_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/seed530093c6/ddb/memory/internal/model"
)

// operation is one call with what it means.
type operation struct {
	asked     any  // the request, for people
	unordered bool // the items come in no particular order
	engine    func(h *history) (answer, error)
	model     func(h *history) (answer, error)
}

func (op *operation) String() string { return printed(reflect.ValueOf(op.asked)) }

// operation makes one of any sort, mostly of the maker's table.
func (m *maker) operation(tables []*model.Table) *operation {
	switch n := m.IntN(100); {
	case n < 18:
		return m.put()
	case n < 38:
		return m.updateItem()
	case n < 46:
		return m.delete()
	case n < 54:
		return m.get()
	case n < 72:
		return m.query()
	case n < 80:
		return m.scan()
	case n < 85:
		return m.batchWrite()
	case n < 90:
		return m.batchGet()
	case n < 96:
		return m.transactWrite(tables)
	}
	return m.transactGet(tables)
}

func (m *maker) name() *string { return aws.String(m.table.Name) }

// own finds the history's own table of that name.
func (h *history) own(t *model.Table) *model.Table {
	for _, own := range h.tables {
		if own.Name == t.Name {
			return own
		}
	}
	return nil
}

// All operations ask for as much of the consumed capacity as there is.
const indexes = types.ReturnConsumedCapacityIndexes

// unitsOf returns what responses say of consumed capacity.
func unitsIn(all ...types.ConsumedCapacity) []model.Units {
	var out []model.Units
	halves := func(units *float64) int { return int(*units * 2) }
	for _, c := range all {
		u := model.Units{Table: halves(c.Table.CapacityUnits)}
		for _, arm := range []map[string]types.Capacity{c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes} {
			for name, units := range arm {
				if u.Indexes == nil {
					u.Indexes = map[string]int{}
				}
				u.Indexes[name] = halves(units.CapacityUnits)
			}
		}
		if u.Total() != halves(c.CapacityUnits) {
			u.Table = -1 // equal to nothing
		}
		out = append(out, u)
	}
	return out
}

// asFailure returns an error of either side as one of the model's.
func asFailure(err error) *model.Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*model.Failure](err); ok {
		return f
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return &model.Failure{Text: err.Error()}
	}
	f := &model.Failure{Code: api.ErrorCode(), Text: api.ErrorMessage()}
	if c, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		f.Item = c.Item
	}
	if c, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		for _, r := range c.CancellationReasons {
			f.Reasons = append(f.Reasons, model.Failure{Code: aws.ToString(r.Code), Text: aws.ToString(r.Message), Item: r.Item})
		}
	}
	return f
}

// shows is the answer that shows one item, nil for none.
func shows(shown item, used ...model.Units) answer {
	return answer{lists: [][]item{{shown}}, used: used}
}

// write makes the operation of a write by itself.
func (m *maker) write(asked any, w model.Write, call func(h *history) (item, *types.ConsumedCapacity, error)) *operation {
	table := m.table
	return &operation{
		asked: asked,
		engine: func(h *history) (answer, error) {
			shown, used, err := call(h)
			if err != nil {
				return answer{}, err
			}
			return shows(shown, unitsIn(*used)...), nil
		},
		model: func(h *history) (answer, error) {
			done, err := h.own(table).Write(w)
			return shows(done.Attributes, done.Used), err
		},
	}
}

var background = context.Background()

// onFailure returns how to ask for the stored item.
func onFailure(show bool) types.ReturnValuesOnConditionCheckFailure {
	if show {
		return types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return ""
}

func (m *maker) put() *operation {
	w := model.Write{Verb: "PUT", Item: m.item(), Return: choose(m, "", "NONE", "ALL_OLD"), ShowOld: m.once(2)}
	in := &dynamodb.PutItemInput{
		TableName: m.name(), Item: w.Item, ReturnValues: types.ReturnValue(w.Return), ReturnConsumedCapacity: indexes,
		ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld),
	}
	if m.once(7) {
		w.Cond, in.Expected, in.ConditionalOperator = m.expected()
	} else {
		var e expression
		w.Cond = m.condition()
		in.ConditionExpression = e.condition(w.Cond)
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
	}
	return m.write(in, w, func(h *history) (item, *types.ConsumedCapacity, error) {
		out, err := h.db.PutItem(background, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Attributes, out.ConsumedCapacity, nil
	})
}

func (m *maker) updateItem() *operation {
	w := model.Write{
		Verb: "UPDATE", Item: m.key(), ShowOld: m.once(2),
		Return: choose(m, "", "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"),
	}
	in := &dynamodb.UpdateItemInput{
		TableName: m.name(), Key: w.Item, ReturnValues: types.ReturnValue(w.Return), ReturnConsumedCapacity: indexes,
		ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld),
	}
	if m.once(7) {
		w.Update, in.AttributeUpdates = m.legacyUpdate()
		if m.once(2) {
			w.Cond, in.Expected, in.ConditionalOperator = m.expected()
		}
	} else {
		var e expression
		w.Update, w.Cond = m.update(), m.condition()
		in.UpdateExpression, in.ConditionExpression = e.update(w.Update), e.condition(w.Cond)
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
	}
	return m.write(in, w, func(h *history) (item, *types.ConsumedCapacity, error) {
		out, err := h.db.UpdateItem(background, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Attributes, out.ConsumedCapacity, nil
	})
}

func (m *maker) delete() *operation {
	w := model.Write{Verb: "DELETE", Item: m.key(), Return: choose(m, "", "NONE", "ALL_OLD"), ShowOld: m.once(2)}
	in := &dynamodb.DeleteItemInput{
		TableName: m.name(), Key: w.Item, ReturnValues: types.ReturnValue(w.Return), ReturnConsumedCapacity: indexes,
		ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld),
	}
	if m.once(7) {
		w.Cond, in.Expected, in.ConditionalOperator = m.expected()
	} else {
		var e expression
		w.Cond = m.condition()
		in.ConditionExpression = e.condition(w.Cond)
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
	}
	return m.write(in, w, func(h *history) (item, *types.ConsumedCapacity, error) {
		out, err := h.db.DeleteItem(background, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Attributes, out.ConsumedCapacity, nil
	})
}

// names makes the names of AttributesToGet, with the paths they stand for.
func (m *maker) attributesToGet() ([]string, []model.Path) {
	names := some(m, attributes...)
	paths := make([]model.Path, len(names))
	for i, name := range names {
		paths[i] = model.Name(name)
	}
	return names, paths
}

func (m *maker) get() *operation {
	key, paths, consistent, table := m.key(), m.paths(), m.once(2), m.table
	in := &dynamodb.GetItemInput{TableName: m.name(), Key: key, ConsistentRead: &consistent, ReturnConsumedCapacity: indexes}
	if m.once(7) {
		in.AttributesToGet, paths = m.attributesToGet()
	} else {
		var e expression
		in.ProjectionExpression = e.projection(paths)
		in.ExpressionAttributeNames = e.names
	}
	return &operation{
		asked: in,
		engine: func(h *history) (answer, error) {
			out, err := h.db.GetItem(background, in)
			if err != nil {
				return answer{}, err
			}
			return shows(out.Item, unitsIn(*out.ConsumedCapacity)...), nil
		},
		model: func(h *history) (answer, error) {
			got, err := h.own(table).Get(key, paths, consistent)
			return shows(got.Item, got.Used), err
		},
	}
}

func (m *maker) batchWrite() *operation {
	var writes []model.Write
	var requests []types.WriteRequest
	for range 1 + m.IntN(5) {
		if m.once(3) {
			key := m.key()
			writes = append(writes, model.Write{Verb: "DELETE", Item: key})
			requests = append(requests, deleteRequest(key))
			continue
		}
		it := m.item()
		writes = append(writes, model.Write{Verb: "PUT", Item: it})
		requests = append(requests, putRequest(it))
	}
	table := m.table
	in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table.Name: requests}, ReturnConsumedCapacity: indexes}
	return &operation{
		asked: in,
		engine: func(h *history) (answer, error) {
			out, err := h.db.BatchWriteItem(background, in)
			if err != nil {
				return answer{}, err
			}
			return answer{used: unitsIn(out.ConsumedCapacity...)}, nil
		},
		model: func(h *history) (answer, error) {
			used, err := h.own(table).BatchWrite(writes)
			return answer{used: []model.Units{used}}, err
		},
	}
}

func (m *maker) batchGet() *operation {
	var keys []item
	for range 1 + m.IntN(6) {
		keys = append(keys, m.key())
	}
	paths, consistent, table := m.paths(), m.once(2), m.table
	request := types.KeysAndAttributes{Keys: keys, ConsistentRead: &consistent}
	if m.once(7) {
		request.AttributesToGet, paths = m.attributesToGet()
	} else {
		var e expression
		request.ProjectionExpression = e.projection(paths)
		request.ExpressionAttributeNames = e.names
	}
	in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table.Name: request}, ReturnConsumedCapacity: indexes}
	return &operation{
		asked:     in,
		unordered: true,
		engine: func(h *history) (answer, error) {
			out, err := h.db.BatchGetItem(background, in)
			if err != nil {
				return answer{}, err
			}
			return answer{lists: [][]item{out.Responses[table.Name]}, used: unitsIn(out.ConsumedCapacity...)}, nil
		},
		model: func(h *history) (answer, error) {
			items, used, err := h.own(table).BatchGet(keys, paths, consistent)
			return answer{lists: [][]item{items}, used: []model.Units{used}}, err
		},
	}
}

// perTable adds up the units of actions by the tables they are on, in the order in
// which the tables come first.
func perTable(tables []*model.Table, used []model.Units) []model.Units {
	var order []*model.Table
	parts := map[*model.Table][]model.Units{}
	for i, t := range tables {
		if parts[t] == nil {
			order = append(order, t)
		}
		parts[t] = append(parts[t], used[i])
	}
	var out []model.Units
	for _, t := range order {
		out = append(out, model.Sum(parts[t], 2))
	}
	return out
}

// ownAll finds the history's own tables of those names.
func (h *history) ownAll(tables []*model.Table) []*model.Table {
	var out []*model.Table
	for _, t := range tables {
		out = append(out, h.own(t))
	}
	return out
}

// transactWrite makes a transaction. With a token it is sent twice, and the second
// time does nothing unless the first one failed.
func (m *maker) transactWrite(tables []*model.Table) *operation {
	in := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: indexes}
	var on []*model.Table
	var writes []model.Write
	for range 1 + m.IntN(4) {
		m.table = choose(m, tables...)
		w, action := m.transactAction()
		on, writes = append(on, m.table), append(writes, w)
		in.TransactItems = append(in.TransactItems, action)
	}
	if m.once(3) {
		in.ClientRequestToken = aws.String(fmt.Sprintf("token-%d", m.Uint64()))
	}
	return &operation{
		asked: in,
		engine: func(h *history) (answer, error) {
			out, err := h.db.TransactWriteItems(background, in)
			if in.ClientRequestToken != nil {
				if _, again := h.db.TransactWriteItems(background, in); (again == nil) != (err == nil) {
					return answer{}, fmt.Errorf("first %w, then %w", err, again)
				}
			}
			if err != nil {
				return answer{}, err
			}
			return answer{used: unitsIn(out.ConsumedCapacity...)}, nil
		},
		model: func(h *history) (answer, error) {
			own := h.ownAll(on)
			used, err := model.Transact(own, writes)
			if err != nil {
				return answer{}, err
			}
			return answer{used: perTable(own, used)}, nil
		},
	}
}

// transactAction makes one action of a transaction.
func (m *maker) transactAction() (model.Write, types.TransactWriteItem) {
	w := model.Write{Verb: choose(m, "PUT", "UPDATE", "DELETE", "CHECK"), Item: m.key(), Cond: m.condition(), ShowOld: m.once(2)}
	var e expression
	switch w.Verb {
	case "PUT":
		w.Item = m.item()
		return w, types.TransactWriteItem{Put: &types.Put{
			TableName: m.name(), Item: w.Item, ConditionExpression: e.condition(w.Cond), ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld),
			ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		}}
	case "UPDATE":
		for w.Update == nil {
			w.Update = m.update()
		}
		return w, types.TransactWriteItem{Update: &types.Update{
			TableName: m.name(), Key: w.Item, UpdateExpression: e.update(w.Update), ConditionExpression: e.condition(w.Cond),
			ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld), ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		}}
	case "DELETE":
		return w, types.TransactWriteItem{Delete: &types.Delete{
			TableName: m.name(), Key: w.Item, ConditionExpression: e.condition(w.Cond), ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld),
			ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		}}
	}
	w.Cond = m.cond(2)
	return w, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: m.name(), Key: w.Item, ConditionExpression: e.condition(w.Cond), ReturnValuesOnConditionCheckFailure: onFailure(w.ShowOld),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	}}
}

func (m *maker) transactGet(tables []*model.Table) *operation {
	in := &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: indexes}
	var on []*model.Table
	var keys []item
	var paths [][]model.Path
	for range 1 + m.IntN(4) {
		m.table = choose(m, tables...)
		var e expression
		on, keys, paths = append(on, m.table), append(keys, m.key()), append(paths, m.paths())
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{
			TableName: m.name(), Key: keys[len(keys)-1], ProjectionExpression: e.projection(paths[len(paths)-1]), ExpressionAttributeNames: e.names,
		}})
	}
	return &operation{
		asked: in,
		engine: func(h *history) (answer, error) {
			out, err := h.db.TransactGetItems(background, in)
			if err != nil {
				return answer{}, err
			}
			var items []item
			for _, r := range out.Responses {
				items = append(items, r.Item)
			}
			return answer{lists: [][]item{items}, used: unitsIn(out.ConsumedCapacity...)}, nil
		},
		model: func(h *history) (answer, error) {
			own := h.ownAll(on)
			items, used, err := model.TransactGet(own, keys, paths)
			if err != nil {
				return answer{}, err
			}
			return answer{lists: [][]item{items}, used: perTable(own, used)}, nil
		},
	}
}
