package memory

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// The constraints of batches and transactions.

type (
	batchGetIn      = dynamodb.BatchGetItemInput
	batchWriteIn    = dynamodb.BatchWriteItemInput
	transactGetIn   = dynamodb.TransactGetItemsInput
	transactWriteIn = dynamodb.TransactWriteItemsInput
)

var batchGetRules = rules[batchGetIn]{
	member("requestItems", func(in *batchGetIn) field { return mapping(in.RequestItems) },
		notNull(), minLength(1).as(formPlace).formerly(notEmpty("requestItems", "BatchGetItem")), keysNameTables()),
	entries("requestItems", func(in *batchGetIn) map[string]types.KeysAndAttributes { return in.RequestItems }, keysRules),
	member("returnConsumedCapacity", func(in *batchGetIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
}

var keysRules = rules[types.KeysAndAttributes]{
	member("keys", func(k *types.KeysAndAttributes) field { return field{null: k.Keys == nil, size: int64(len(k.Keys))} },
		notNull(), minLength(1).as(formPlace), maxLength(limits.BatchGetKeys).as(formPlace)),
	member("attributesToGet", func(k *types.KeysAndAttributes) field { return names(k.AttributesToGet) }, minLength(1)),
}

var batchWriteRules = rules[batchWriteIn]{
	// A wrong word here hides what is wrong with the names of tables (observed).
	member("returnConsumedCapacity", func(in *batchWriteIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords.decisive()),
	member("returnItemCollectionMetrics", func(in *batchWriteIn) field { return word(in.ReturnItemCollectionMetrics) }, metricsWords),
	member("requestItems", func(in *batchWriteIn) field { return mappingOfLists(in.RequestItems, "WriteRequest") },
		notNull(), minLength(1).as(formPlace).formerly(notEmpty("requestItems", "BatchWriteItem")), keysNameTables(),
		nothing().formerly(valueLengths(1, limits.BatchWriteItems))),
	lists("requestItems", func(in *batchWriteIn) map[string][]types.WriteRequest { return in.RequestItems },
		minLength(1).as(formPlace).formerly(nothing()), maxLength(limits.BatchWriteItems).as(formPlace).formerly(nothing())),
}

var transactGetRules = rules[transactGetIn]{
	member("transactItems", func(in *transactGetIn) field {
		return sequence(in.TransactItems, func(types.TransactGetItem) string { return "TransactGetItem" })
	}, notNull(), minLength(1), maxLength(limits.TransactActions)),
	elements("transactItems", func(in *transactGetIn) []types.TransactGetItem { return in.TransactItems }, rules[types.TransactGetItem]{
		member("get", func(t *types.TransactGetItem) field { return presence(t.Get != nil) }, notNull()),
		inner("get", func(t *types.TransactGetItem) *types.Get { return t.Get }, rules[types.Get]{
			member("key", func(g *types.Get) field { return presence(g.Key != nil) }, notNull()),
			member("tableName", func(g *types.Get) field { return tableName(g.TableName) }, itemTable(emptyName)...),
		}),
	}),
	member("returnConsumedCapacity", func(in *transactGetIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
}

var transactWriteRules = rules[transactWriteIn]{
	member("clientRequestToken", func(in *transactWriteIn) field { return text(in.ClientRequestToken) },
		minLength(1).as(formPlace).decisive().formerly(minLength(1)),
		maxLength(limits.ClientRequestTokenBytes).as(formPlace).decisive().formerly(maxLength(limits.ClientRequestTokenBytes))),
	member("transactItems", func(in *transactWriteIn) field {
		return sequence(in.TransactItems, func(types.TransactWriteItem) string { return "TransactWriteItem" })
	}, notNull(), minLength(1), maxLength(limits.TransactActions)),
	elements("transactItems", func(in *transactWriteIn) []types.TransactWriteItem { return in.TransactItems }, rules[types.TransactWriteItem]{
		inner("conditionCheck", func(t *types.TransactWriteItem) *types.ConditionCheck { return t.ConditionCheck }, conditionCheckRules),
		inner("put", func(t *types.TransactWriteItem) *types.Put { return t.Put }, putActionRules),
		inner("delete", func(t *types.TransactWriteItem) *types.Delete { return t.Delete }, deleteActionRules),
		inner("update", func(t *types.TransactWriteItem) *types.Update { return t.Update }, updateActionRules),
	}),
	member("returnConsumedCapacity", func(in *transactWriteIn) field { return word(in.ReturnConsumedCapacity) }, capacityWords),
	member("returnItemCollectionMetrics", func(in *transactWriteIn) field { return word(in.ReturnItemCollectionMetrics) }, metricsWords),
}

var conditionCheckRules = rules[types.ConditionCheck]{
	member("key", func(c *types.ConditionCheck) field { return presence(c.Key != nil) }, notNull()),
	member("tableName", func(c *types.ConditionCheck) field { return tableName(c.TableName) }, itemTable(emptyName)...),
	member("conditionExpression", func(c *types.ConditionCheck) field { return text(c.ConditionExpression) }, notNull()),
	member("returnValuesOnConditionCheckFailure", func(c *types.ConditionCheck) field { return word(c.ReturnValuesOnConditionCheckFailure) }, failureWords),
}

var putActionRules = rules[types.Put]{
	member("item", func(p *types.Put) field { return presence(p.Item != nil) }, notNull()),
	member("tableName", func(p *types.Put) field { return tableName(p.TableName) }, itemTable(emptyName)...),
	member("returnValuesOnConditionCheckFailure", func(p *types.Put) field { return word(p.ReturnValuesOnConditionCheckFailure) }, failureWords),
}

var deleteActionRules = rules[types.Delete]{
	member("key", func(d *types.Delete) field { return presence(d.Key != nil) }, notNull()),
	member("tableName", func(d *types.Delete) field { return tableName(d.TableName) }, itemTable(emptyName)...),
	member("returnValuesOnConditionCheckFailure", func(d *types.Delete) field { return word(d.ReturnValuesOnConditionCheckFailure) }, failureWords),
}

var updateActionRules = rules[types.Update]{
	member("key", func(u *types.Update) field { return presence(u.Key != nil) }, notNull()),
	member("updateExpression", func(u *types.Update) field { return text(u.UpdateExpression) }, notNull()),
	member("tableName", func(u *types.Update) field { return tableName(u.TableName) }, itemTable(emptyName)...),
	member("returnValuesOnConditionCheckFailure", func(u *types.Update) field { return word(u.ReturnValuesOnConditionCheckFailure) }, failureWords),
}
