package ddbtest

import (
	"crypto/rand"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// transact sends a transaction of writes under a token.
func (c trial) transact(token *string, items ...types.TransactWriteItem) error {
	_, err := c.db.TransactWriteItems(c.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: token})
	return err
}

func (c trial) txPut(sk string, attributes stored) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: &c.main, Item: c.with(sk, attributes)}}
}

func (c trial) txAdd(sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &c.main, Key: c.key(sk), UpdateExpression: aws.String("ADD x :one"), ExpressionAttributeValues: stored{":one": vN("1")},
	}}
}

func (c trial) txCheck(sk, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &c.main, Key: c.key(sk), ConditionExpression: &condition,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

// conformTransactions tests writes that happen all or not at all.
func conformTransactions(t *testing.T, s *suite) {
	s.try(t, "a transaction does everything", func(c trial) {
		c.put("old", nil)
		c.put("checked", nil)
		c.fine(c.transact(nil, c.txPut("a", stored{"x": vN("1")}), c.txAdd("b"), c.txCheck("checked", "attribute_exists(PK)"),
			types.TransactWriteItem{Delete: &types.Delete{TableName: &c.main, Key: c.key("old")}}))
		c.holds("a", c.with("a", stored{"x": vN("1")}))
		c.holds("b", c.with("b", stored{"x": vN("1")}))
		c.holds("old", nil)
	})
	s.try(t, "or nothing, and gives every reason", func(c trial) {
		there := c.put("there", stored{"x": vN("5")})
		err := c.transact(nil, c.txPut("a", nil), c.txCheck("there", "attribute_not_exists(PK)"), c.txCheck("none", "attribute_exists(PK)"))
		c.cancelled(err, "None", "ConditionalCheckFailed: The conditional request failed", "ConditionalCheckFailed: The conditional request failed")
		if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
			c.equal("the item of a reason", cancelled.CancellationReasons[1].Item, there)
		}
		c.holds("a", nil)
		c.holds("there", there)
	})
	s.try(t, "conditions see the items as they were before", func(c trial) {
		c.fine(c.transact(nil, c.txPut("a", nil), c.txCheck("b", "attribute_not_exists(PK)")))
	})
	s.try(t, "an item cannot be named twice", func(c trial) {
		c.refused(c.transact(nil, c.txAdd("a"), c.txCheck("a", "attribute_exists(PK)")), invalid, "Transaction request cannot include multiple operations on one item")
		c.holds("a", nil)
	})
	s.try(t, "a key that does not fit cancels it", func(c trial) {
		bad := c.txAdd("a")
		bad.Update.Key = stored{"PK": vS(c.pk)}
		c.cancelled(c.transact(nil, c.txPut("b", nil), bad), "None", "ValidationError: "+mismatch)
		c.holds("b", nil)
	})
	conformTokens(t, s)
	s.try(t, "1 to 100 actions make a transaction", func(c trial) {
		many := make([]types.TransactWriteItem, 101)
		for i := range many {
			many[i] = c.txAdd("item" + string(rune('0'+i/10)) + string(rune('0'+i%10)))
		}
		c.fine(c.transact(nil, many[:100]...))
		c.refused(c.transact(nil, many...), invalid, "Member must have length less than or equal to 100")
	})
	s.try(t, "reads give one answer for each key, in order", func(c trial) {
		a, b := c.put("a", stored{"x": vN("1")}), c.put("b", nil)
		get := func(sk string) types.TransactGetItem {
			return types.TransactGetItem{Get: &types.Get{TableName: &c.main, Key: c.key(sk)}}
		}
		out, err := c.db.TransactGetItems(c.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{get("b"), get("none"), get("a")}})
		c.fine(err)
		var items []stored
		for _, r := range out.Responses {
			items = append(items, r.Item)
		}
		c.equal("the items", items, []stored{b, nil, a})
	})
}

// conformTokens tests tokens that keep a transaction from running twice.
func conformTokens(t *testing.T, s *suite) {
	s.try(t, "a token runs its transaction once", func(c trial) {
		token := aws.String(rand.Text())
		for range 3 {
			c.fine(c.transact(token, c.txAdd("a")))
		}
		c.holds("a", c.with("a", stored{"x": vN("1")}))
		c.refused(c.transact(token, c.txAdd("b")), "IdempotentParameterMismatchException", "")
		c.holds("b", nil)
	})
	s.try(t, "a token of a cancelled transaction can be used again", func(c trial) {
		token := aws.String(rand.Text())
		items := []types.TransactWriteItem{c.txAdd("a"), c.txCheck("b", "attribute_exists(PK)")}
		c.refused(c.transact(token, items...), canceled, "[None, ConditionalCheckFailed]")
		c.put("b", nil)
		c.fine(c.transact(token, items...))
		c.holds("a", c.with("a", stored{"x": vN("1")}))
	})
}
