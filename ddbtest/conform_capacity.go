package ddbtest

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// conformCapacity tests what operations report to have consumed.
func conformCapacity(t *testing.T, s *suite) {
	for _, k := range costs {
		s.try(t, k.rule, func(c trial) {
			c.put("small", nil)
			c.put("4.5 KB", stored{"x": vS(strings.Repeat("x", 4500))})
			got, err := k.call(c.Context(), c)
			c.fine(err)
			switch {
			case got == nil || got.CapacityUnits == nil:
				c.Error("nothing is reported")
			case *got.CapacityUnits != k.units:
				c.Errorf("got %v units, want %v", *got.CapacityUnits, k.units)
			}
		})
	}
}

const total = types.ReturnConsumedCapacityTotal

func (c trial) getCost(ctx context.Context, sk string, consistent bool) (*types.ConsumedCapacity, error) {
	out, err := c.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &c.main, Key: c.key(sk), ConsistentRead: &consistent, ReturnConsumedCapacity: total})
	if err != nil {
		return nil, err
	}
	return out.ConsumedCapacity, nil
}

func (c trial) putCost(ctx context.Context, sk string, attributes stored) (*types.ConsumedCapacity, error) {
	out, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &c.main, Item: c.with(sk, attributes), ReturnConsumedCapacity: total})
	if err != nil {
		return nil, err
	}
	return out.ConsumedCapacity, nil
}

var costs = []struct {
	rule  string
	units float64
	call  func(context.Context, trial) (*types.ConsumedCapacity, error)
}{
	{"a read of up to 4 KB is half a unit", 0.5, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		return c.getCost(ctx, "small", false)
	}},
	{"a consistent read is twice that", 1, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		return c.getCost(ctx, "small", true)
	}},
	{"a read of 4.5 KB is two steps", 2, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		return c.getCost(ctx, "4.5 KB", true)
	}},
	{"a read of nothing costs", 1, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		return c.getCost(ctx, "none", true)
	}},
	{"a write of up to 1 KB is a unit", 1, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) { return c.putCost(ctx, "new", nil) }},
	{"a write costs by the larger of old and new item", 5, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		return c.putCost(ctx, "4.5 KB", nil)
	}},
	{"each index that the item enters costs a unit", 3, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		return c.putCost(ctx, "new", stored{"num": vN("1"), "tag": vS(c.pk)})
	}},
	{"a query rounds the sum of its items", 2, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		out, err := c.db.Query(ctx, &dynamodb.QueryInput{
			TableName: &c.main, KeyConditionExpression: aws.String("PK = :pk"), FilterExpression: aws.String("y = :pk"),
			ExpressionAttributeValues: stored{":pk": vS(c.pk)}, ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: total,
		})
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	}},
	{"a transaction costs twice", 2, func(ctx context.Context, c trial) (*types.ConsumedCapacity, error) {
		out, err := c.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{c.txAdd("small")}, ReturnConsumedCapacity: total,
		})
		if err != nil || len(out.ConsumedCapacity) != 1 {
			return nil, err
		}
		return &out.ConsumedCapacity[0], nil
	}},
}
