package memory

import (
	"cmp"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// itemPlan is the plan of an operation on one item.
type itemPlan struct {
	item av.Map // what to put, or the Key
	eval.Compiled
}

// PutItem stores an item in place of the one with the same primary key, if
// there is one. A condition is evaluated against the old item in the same step.
func (db *DB) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return run(ctx, db, &putItem, in)
}

var putItem = operation[putIn, itemPlan, dynamodb.PutItemOutput]{
	rules:  putRules,
	tables: func(in *putIn, _ itemPlan) []string { return []string{*in.TableName} },
	find:   findServing,
	plan: func(db *DB, in *putIn) (p itemPlan, err error) {
		if p.item, err = itemFrom(in.Item, wordWrite); err != nil {
			return p, err
		}
		if err = onlyOldOrNone(in.ReturnValues); err != nil {
			return p, err
		}
		if p.item.Size() > limits.ItemBytes {
			return p, invalid(textItemSize)
		}
		p.Compiled, err = db.compile(wordWrite, eval.Request{
			Condition: in.ConditionExpression,
			Names:     in.ExpressionAttributeNames,
			Values:    in.ExpressionAttributeValues,
		}, legacyRequest{expected: in.Expected, operator: in.ConditionalOperator})
		return p, err
	},
	act: func(c *call[putIn, itemPlan]) (*dynamodb.PutItemOutput, error) {
		m, err := c.table().put(c.plan.item, c.plan.Condition)
		if err != nil {
			return nil, err
		}
		e, err := m.writeAlone(c.in.ReturnValuesOnConditionCheckFailure)
		if err != nil {
			return nil, err
		}
		return &dynamodb.PutItemOutput{
			Attributes:            e.attributes(c.in.ReturnValues, nil),
			ConsumedCapacity:      e.consumed(*c.in.TableName, c.in.ReturnConsumedCapacity),
			ItemCollectionMetrics: c.table().metricsOf(c.plan.item, c.in.ReturnItemCollectionMetrics),
		}, nil
	},
}

// UpdateItem changes attributes of an item, or makes the item if there is none
// and the update sets or adds anything. The condition and every right-hand side
// see the item as it was before.
func (db *DB) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return run(ctx, db, &updateItem, in)
}

var updateItem = operation[updateIn, itemPlan, dynamodb.UpdateItemOutput]{
	rules:  updateRules,
	tables: func(in *updateIn, _ itemPlan) []string { return []string{*in.TableName} },
	find:   findServing,
	plan: func(db *DB, in *updateIn) (p itemPlan, err error) {
		if p.item, err = itemFrom(in.Key, wordWrite); err != nil {
			return p, err
		}
		p.Compiled, err = db.compile(wordWrite, eval.Request{
			Update:    in.UpdateExpression,
			Condition: in.ConditionExpression,
			Names:     in.ExpressionAttributeNames,
			Values:    in.ExpressionAttributeValues,
		}, legacyRequest{updates: in.AttributeUpdates, expected: in.Expected, operator: in.ConditionalOperator})
		return p, err
	},
	act: func(c *call[updateIn, itemPlan]) (*dynamodb.UpdateItemOutput, error) {
		m, err := c.table().update(c.plan.item, c.plan.Condition, c.plan.Update)
		if err != nil {
			return nil, err
		}
		e, err := m.writeAlone(c.in.ReturnValuesOnConditionCheckFailure)
		if err != nil {
			return nil, err
		}
		return &dynamodb.UpdateItemOutput{
			Attributes:            e.attributes(c.in.ReturnValues, c.plan.Update),
			ConsumedCapacity:      e.consumed(*c.in.TableName, c.in.ReturnConsumedCapacity),
			ItemCollectionMetrics: c.table().metricsOf(c.plan.item, c.in.ReturnItemCollectionMetrics),
		}, nil
	},
}

// DeleteItem removes an item. Without a condition it succeeds when there is
// none.
func (db *DB) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return run(ctx, db, &deleteItem, in)
}

var deleteItem = operation[deleteIn, itemPlan, dynamodb.DeleteItemOutput]{
	rules:  deleteRules,
	tables: func(in *deleteIn, _ itemPlan) []string { return []string{*in.TableName} },
	find:   findServing,
	plan: func(db *DB, in *deleteIn) (p itemPlan, err error) {
		if p.item, err = itemFrom(in.Key, wordWrite); err != nil {
			return p, err
		}
		if err = onlyOldOrNone(in.ReturnValues); err != nil {
			return p, err
		}
		p.Compiled, err = db.compile(wordWrite, eval.Request{
			Condition: in.ConditionExpression,
			Names:     in.ExpressionAttributeNames,
			Values:    in.ExpressionAttributeValues,
		}, legacyRequest{expected: in.Expected, operator: in.ConditionalOperator})
		return p, err
	},
	act: func(c *call[deleteIn, itemPlan]) (*dynamodb.DeleteItemOutput, error) {
		m, err := c.table().delete(c.plan.item, c.plan.Condition)
		if err != nil {
			return nil, err
		}
		e, err := m.writeAlone(c.in.ReturnValuesOnConditionCheckFailure)
		if err != nil {
			return nil, err
		}
		return &dynamodb.DeleteItemOutput{
			Attributes:            e.attributes(c.in.ReturnValues, nil),
			ConsumedCapacity:      e.consumed(*c.in.TableName, c.in.ReturnConsumedCapacity),
			ItemCollectionMetrics: c.table().metricsOf(c.plan.item, c.in.ReturnItemCollectionMetrics),
		}, nil
	},
}

// GetItem returns the item with a primary key. Unless [StaleReads] is on,
// ConsistentRead only decides what a read costs.
func (db *DB) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return run(ctx, db, &getItem, in)
}

var getItem = operation[getIn, itemPlan, dynamodb.GetItemOutput]{
	rules:  getRules,
	tables: func(in *getIn, _ itemPlan) []string { return []string{*in.TableName} },
	find:   findServing,
	plan: func(db *DB, in *getIn) (p itemPlan, err error) {
		if p.item, err = itemFrom(in.Key, wordRead); err != nil {
			return p, err
		}
		p.Compiled, err = db.compile(wordRead, eval.Request{
			Projection: in.ProjectionExpression,
			Names:      in.ExpressionAttributeNames,
		}, legacyRequest{attributesToGet: in.AttributesToGet})
		return p, err
	},
	act: func(c *call[getIn, itemPlan]) (*dynamodb.GetItemOutput, error) {
		g, err := c.table().getter(c.plan.item, c.plan.Projection)
		if err != nil {
			return nil, err
		}
		r, err := g.read(isTrue(c.in.ConsistentRead))
		if err != nil {
			return nil, err
		}
		use := usage{table: *c.in.TableName, base: readUnits(r.bytes(), isTrue(c.in.ConsistentRead))}
		return &dynamodb.GetItemOutput{
			Item:             g.show(r),
			ConsumedCapacity: use.report(c.in.ReturnConsumedCapacity),
		}, nil
	},
}

// itemFrom takes an item or key over from a request.
func itemFrom(m map[string]types.AttributeValue, w wording) (av.Map, error) {
	item, err := av.MapFromSDK(m)
	if err != nil {
		return nil, w.fault(err)
	}
	return item, checkNames(item)
}

// checkNames applies the limits on attribute names, nested ones included.
func checkNames(m av.Map) error {
	for _, a := range m {
		switch {
		case a.Name == "":
			return invalid(textEmptyName)
		case len(a.Name) > limits.AttributeNameBytes:
			return invalid(textNameSize)
		}
		if err := checkNamesWithin(a.Value); err != nil {
			return err
		}
	}
	return nil
}

func checkNamesWithin(v av.Value) error {
	for _, e := range v.List() {
		if err := checkNamesWithin(e); err != nil {
			return err
		}
	}
	return checkNames(v.Map())
}

// compile checks the expressions of a request, or what stands in their place.
func (db *DB) compile(w wording, r eval.Request, l legacyRequest) (eval.Compiled, error) {
	var legacy eval.Compiled
	if !l.isEmpty() {
		if err := l.checkMixing(w, &r); err != nil {
			return eval.Compiled{}, err
		}
		if err := l.compile(w, &legacy); err != nil {
			return eval.Compiled{}, err
		}
	}
	c, err := db.compiler.Compile(r)
	if err != nil {
		return eval.Compiled{}, w.fault(err)
	}
	c.Update = cmp.Or(c.Update, legacy.Update)
	c.Condition = cmp.Or(c.Condition, legacy.Condition)
	c.KeyCondition = cmp.Or(c.KeyCondition, legacy.KeyCondition)
	c.Filter = cmp.Or(c.Filter, legacy.Filter)
	c.Projection = cmp.Or(c.Projection, legacy.Projection)
	return c, nil
}

// paths returns the paths of an expression, none of one that is absent.
func paths[E interface {
	comparable
	Paths() []eval.Path
}](expression E) []eval.Path {
	var absent E
	if expression == absent {
		return nil
	}
	return expression.Paths()
}

// onlyOldOrNone refuses what puts and deletes cannot return.
func onlyOldOrNone(rv types.ReturnValue) error {
	switch rv {
	case "", types.ReturnValueNone, types.ReturnValueAllOld:
		return nil
	}
	return wordWrite.text(textReturnValues, true)
}

// writeAlone carries out a mutation that is a request by itself.
func (m *mutation) writeAlone(onFailure types.ReturnValuesOnConditionCheckFailure) (*effect, error) {
	e, err := m.write()
	if failed, ok := errors.AsType[*conditionFailed](err); ok {
		return nil, errConditionFailed(failed.shown(onFailure))
	}
	return e, err
}

// shown returns the stored item if the request wants to see it.
func (f *conditionFailed) shown(onFailure types.ReturnValuesOnConditionCheckFailure) map[string]types.AttributeValue {
	if onFailure != types.ReturnValuesOnConditionCheckFailureAllOld || f.old == nil {
		return nil
	}
	return f.old.item.SDK()
}

// attributes returns what ReturnValues asks for; u is the update, if it was one.
func (e *effect) attributes(rv types.ReturnValue, u *eval.Update) map[string]types.AttributeValue {
	var r *record
	switch rv {
	case types.ReturnValueAllOld, types.ReturnValueUpdatedOld:
		r = e.old
	case types.ReturnValueAllNew, types.ReturnValueUpdatedNew:
		r = e.new
	}
	if r == nil {
		return nil
	}
	image := r.item
	if rv == types.ReturnValueUpdatedOld || rv == types.ReturnValueUpdatedNew {
		if u == nil {
			return nil
		}
		if image = u.Touched(image); len(image) == 0 {
			return nil
		}
	}
	return image.SDK()
}

// consumed reports what a single write cost.
func (e *effect) consumed(table string, mode types.ReturnConsumedCapacity) *types.ConsumedCapacity {
	use := usage{table: table}
	use.addWrite(e, 1)
	return use.report(mode)
}
