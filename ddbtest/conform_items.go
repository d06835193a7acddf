package ddbtest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// conformItems tests the operations on single items.
func conformItems(t *testing.T, s *suite) {
	s.try(t, "a missing item is no error", func(c trial) {
		c.holds("a", nil)
		out, err := c.db.DeleteItem(c.Context(), &dynamodb.DeleteItemInput{TableName: &c.main, Key: c.key("a"), ReturnValues: types.ReturnValueAllOld})
		c.fine(err)
		c.equal("the old item", out.Attributes, stored(nil))
	})
	s.try(t, "a put replaces the whole item and can return the old one", func(c trial) {
		old := c.put("a", stored{"x": vN("1"), "y": vN("2")})
		out, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{
			TableName: &c.main, Item: c.with("a", stored{"z": vN("3")}), ReturnValues: types.ReturnValueAllOld,
		})
		c.fine(err)
		c.equal("the old item", out.Attributes, old)
		c.holds("a", c.with("a", stored{"z": vN("3")}))
	})
	s.try(t, "numeric and binary keys are equal by value", func(c trial) {
		n := vN("42.0")
		_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.odd, Item: stored{"n": n, "b": vB(c.pk), "x": vS("y")}})
		c.fine(err)
		out, err := c.db.GetItem(c.Context(), &dynamodb.GetItemInput{TableName: &c.odd, Key: stored{"n": vN("4.2E1"), "b": vB(c.pk)}, ConsistentRead: aws.Bool(true)})
		c.fine(err)
		c.equal("the item", out.Item, stored{"n": vN("42"), "b": vB(c.pk), "x": vS("y")})
	})
	conformProjections(t, s)
	conformReturns(t, s)
}

func conformProjections(t *testing.T, s *suite) {
	s.try(t, "a projection keeps the structure and leaves no gaps", func(c trial) {
		c.put("a", stored{"l": vL(vN("0"), vN("1"), vN("2")), "m": vM(stored{"a": vM(stored{"b": vN("5")}), "c": vN("6")}), "x": vN("9")})
		out, err := c.db.GetItem(c.Context(), &dynamodb.GetItemInput{
			TableName: &c.main, Key: c.key("a"), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("l[2], m.a.b, l[0], nothing.here[1]"),
		})
		c.fine(err)
		c.equal("the projection", out.Item, stored{"l": vL(vN("0"), vN("2")), "m": vM(stored{"a": vM(stored{"b": vN("5")})})})
	})
	s.try(t, "a projection to nothing is an item without attributes", func(c trial) {
		c.put("a", nil)
		out, err := c.db.GetItem(c.Context(), &dynamodb.GetItemInput{
			TableName: &c.main, Key: c.key("a"), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("nothing"),
		})
		c.fine(err)
		if out.Item == nil || len(out.Item) != 0 {
			c.Errorf("got %v, want an item without attributes", out.Item)
		}
	})
}

// conformReturns tests what writes return, of the item before and after.
func conformReturns(t *testing.T, s *suite) {
	for _, r := range returned {
		s.try(t, "an update returns "+string(r.values), func(c trial) {
			c.put("a", stored{"x": vN("1"), "y": vN("1"), "m": vM(stored{"k": vN("1"), "other": vN("1")})})
			out, err := c.db.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
				TableName: &c.main, Key: c.key("a"), ReturnValues: r.values, ExpressionAttributeValues: stored{":v": vN("2")},
				UpdateExpression: aws.String("SET x = :v, m.k = :v, fresh = :v REMOVE y"),
			})
			c.fine(err)
			want := r.want
			if r.keys {
				want = c.with("a", want)
			}
			c.equal("what is returned", out.Attributes, want)
		})
	}
	s.try(t, "a failed condition changes nothing and can return the item", func(c trial) {
		old := c.put("a", stored{"x": vN("1")})
		_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{
			TableName: &c.main, Item: c.with("a", stored{"x": vN("2")}), ConditionExpression: aws.String("attribute_not_exists(PK)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		c.refused(err, notMet, "The conditional request failed")
		c.equal("the item in the error", itemOf(err), old)
		c.holds("a", old)
		_, err = c.db.DeleteItem(c.Context(), &dynamodb.DeleteItemInput{
			TableName: &c.main, Key: c.key("none"), ConditionExpression: aws.String("attribute_exists(PK)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		c.refused(err, notMet, "The conditional request failed")
		c.equal("the item in the error", itemOf(err), stored(nil))
	})
}

var returned = []struct {
	values types.ReturnValue
	keys   bool
	want   stored
}{
	{types.ReturnValueNone, false, nil},
	{types.ReturnValueAllOld, true, stored{"x": vN("1"), "y": vN("1"), "m": vM(stored{"k": vN("1"), "other": vN("1")})}},
	{types.ReturnValueAllNew, true, stored{"x": vN("2"), "fresh": vN("2"), "m": vM(stored{"k": vN("2"), "other": vN("1")})}},
	{types.ReturnValueUpdatedOld, false, stored{"x": vN("1"), "y": vN("1"), "m": vM(stored{"k": vN("1")})}},
	{types.ReturnValueUpdatedNew, false, stored{"x": vN("2"), "fresh": vN("2"), "m": vM(stored{"k": vN("2")})}},
}
