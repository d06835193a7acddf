package memory

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// PutItem stores an item in place of the one with the same primary key, if
// there is one. A condition is evaluated against the old item in the same step.
func (db *DB) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return run(ctx, db, &putItem, in)
}

var putItem = operation[putIn, action, dynamodb.PutItemOutput]{
	rules:  putRules,
	writes: true,
	table:  func(in *putIn) *string { return in.TableName },
	find:   findServing,
	plan: func(db *DB, in *putIn) (action, error) {
		return planWrite(db, db.words.put, actionRequest{
			action: action{verb: verbPut, ref: *in.TableName, onFailure: in.ReturnValuesOnConditionCheckFailure},
			given:  in.Item,
			asked: eval.Request{
				Condition: in.ConditionExpression,
				Names:     in.ExpressionAttributeNames,
				Values:    in.ExpressionAttributeValues,
			},
			legacy: legacyRequest{expected: in.Expected, operator: in.ConditionalOperator},
		}, in.ReturnValues)
	},
	act: func(c *call[putIn, action]) (*dynamodb.PutItemOutput, error) {
		w, err := c.plan.write(c.table(), reply{c.in.ReturnValues, c.in.ReturnConsumedCapacity, c.in.ReturnItemCollectionMetrics})
		if err != nil {
			return nil, err
		}
		return &dynamodb.PutItemOutput{Attributes: w.attributes, ConsumedCapacity: w.capacity, ItemCollectionMetrics: w.metrics}, nil
	},
}

// UpdateItem changes attributes of an item, or makes the item if there is none
// and the update sets or adds anything. The condition and every right-hand side
// see the item as it was before.
func (db *DB) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return run(ctx, db, &updateItem, in)
}

var updateItem = operation[updateIn, action, dynamodb.UpdateItemOutput]{
	rules:  updateRules,
	writes: true,
	table:  func(in *updateIn) *string { return in.TableName },
	find:   findServing,
	plan: func(db *DB, in *updateIn) (action, error) {
		return planWrite(db, db.words.update, actionRequest{
			action: action{verb: verbUpdate, ref: *in.TableName, onFailure: in.ReturnValuesOnConditionCheckFailure},
			given:  in.Key,
			asked: eval.Request{
				Update:    in.UpdateExpression,
				Condition: in.ConditionExpression,
				Names:     in.ExpressionAttributeNames,
				Values:    in.ExpressionAttributeValues,
			},
			legacy: legacyRequest{updates: in.AttributeUpdates, expected: in.Expected, operator: in.ConditionalOperator},
		}, in.ReturnValues)
	},
	act: func(c *call[updateIn, action]) (*dynamodb.UpdateItemOutput, error) {
		w, err := c.plan.write(c.table(), reply{c.in.ReturnValues, c.in.ReturnConsumedCapacity, c.in.ReturnItemCollectionMetrics})
		if err != nil {
			return nil, err
		}
		return &dynamodb.UpdateItemOutput{Attributes: w.attributes, ConsumedCapacity: w.capacity, ItemCollectionMetrics: w.metrics}, nil
	},
}

// DeleteItem removes an item. Without a condition it succeeds when there is
// none.
func (db *DB) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return run(ctx, db, &deleteItem, in)
}

var deleteItem = operation[deleteIn, action, dynamodb.DeleteItemOutput]{
	rules:  deleteRules,
	writes: true,
	table:  func(in *deleteIn) *string { return in.TableName },
	find:   findServing,
	plan: func(db *DB, in *deleteIn) (action, error) {
		return planWrite(db, db.words.delete, actionRequest{
			action: action{verb: verbDelete, ref: *in.TableName, onFailure: in.ReturnValuesOnConditionCheckFailure},
			given:  in.Key,
			asked: eval.Request{
				Condition: in.ConditionExpression,
				Names:     in.ExpressionAttributeNames,
				Values:    in.ExpressionAttributeValues,
			},
			legacy: legacyRequest{expected: in.Expected, operator: in.ConditionalOperator},
		}, in.ReturnValues)
	},
	act: func(c *call[deleteIn, action]) (*dynamodb.DeleteItemOutput, error) {
		w, err := c.plan.write(c.table(), reply{c.in.ReturnValues, c.in.ReturnConsumedCapacity, c.in.ReturnItemCollectionMetrics})
		if err != nil {
			return nil, err
		}
		return &dynamodb.DeleteItemOutput{Attributes: w.attributes, ConsumedCapacity: w.capacity, ItemCollectionMetrics: w.metrics}, nil
	},
}

// itemPlan is the plan of an operation that reads one item.
type itemPlan struct {
	item av.Map // the Key
	eval.Compiled
}

// GetItem returns the item with a primary key.
//
// Differs from DynamoDB: unless [StaleReads] is on, no read is stale;
// ConsistentRead only decides what it costs.
func (db *DB) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return run(ctx, db, &getItem, in)
}

var getItem = operation[getIn, itemPlan, dynamodb.GetItemOutput]{
	rules: getRules,
	table: func(in *getIn) *string { return in.TableName },
	find:  findServing,
	plan: func(db *DB, in *getIn) (p itemPlan, err error) {
		if p.item, err = itemFrom(in.Key, db.words.get); err != nil {
			return p, err
		}
		p.Compiled, err = db.compile(db.words.get, eval.Request{
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
			Item:             g.show(r, c.as),
			ConsumedCapacity: use.report(c.in.ReturnConsumedCapacity),
		}, nil
	},
}
