package ddbtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func putOf(item stored) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
}

func deleteOf(key stored) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}
}

// writeBatch sends a batch of writes to the main table.
func (c trial) writeBatch(writes ...types.WriteRequest) error {
	_, err := c.db.BatchWriteItem(c.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{c.main: writes}})
	return err
}

// readBatch sends a batch of reads to the main table.
func (c trial) readBatch(keys ...stored) ([]stored, error) {
	out, err := c.db.BatchGetItem(c.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		c.main: {Keys: keys, ConsistentRead: aws.Bool(true)},
	}})
	if err != nil {
		return nil, err
	}
	return out.Responses[c.main], nil
}

// conformBatches tests reads and writes of several items, each for itself.
func conformBatches(t *testing.T, s *suite) {
	s.try(t, "a batch puts and deletes, and reads what is there", func(c trial) {
		c.put("old", nil)
		c.fine(c.writeBatch(putOf(c.with("a", stored{"x": vN("1")})), putOf(c.key("b")), deleteOf(c.key("old")), deleteOf(c.key("none"))))
		items, err := c.readBatch(c.key("a"), c.key("b"), c.key("old"), c.key("none"))
		c.fine(err)
		c.equal("the sort keys", slices.Sorted(slices.Values(texts(items, "SK"))), []string{"a", "b"})
	})
	s.try(t, "a batch with a faulty element does nothing", func(c trial) {
		c.refused(c.writeBatch(putOf(c.key("a")), putOf(stored{"PK": vS(c.pk)})), invalid, mismatch)
		c.refused(c.writeBatch(putOf(c.key("a")), putOf(c.with("b", stored{"x": vSS("v", "v")}))), invalid, "contains duplicates")
		c.refused(c.writeBatch(putOf(c.key("a")), deleteOf(c.key("a"))), invalid, "Provided list of item keys contains duplicates")
		c.holds("a", nil)
	})
	s.try(t, "a key cannot be read twice", func(c trial) {
		_, err := c.readBatch(c.key("a"), c.key("a"))
		c.refused(err, invalid, "Provided list of item keys contains duplicates")
	})
	s.try(t, "25 writes and 100 reads are the most", func(c trial) {
		var writes []types.WriteRequest
		var keys []stored
		for n := range 101 {
			keys = append(keys, c.key(fmt.Sprint(n)))
			writes = append(writes, putOf(c.key(fmt.Sprint(n))))
		}
		c.fine(c.writeBatch(writes[:25]...))
		c.refused(c.writeBatch(writes[:26]...), invalid, "25")
		_, err := c.readBatch(keys[:100]...)
		c.fine(err)
		_, err = c.readBatch(keys...)
		c.refused(err, invalid, "Member must have length less than or equal to 100")
		c.refused(c.writeBatch(), invalid, "Member must have length greater than or equal to 1")
	})
	s.try(t, "a missing table fails the whole batch", func(c trial) {
		_, err := c.db.BatchWriteItem(c.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			c.main: {putOf(c.key("a"))}, "ddbtest-none": {putOf(c.key("a"))},
		}})
		c.refused(err, noTable, "Requested resource not found")
		c.holds("a", nil)
	})
}
