package ddbtest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// byTag reads the sort keys of the items under a tag of the trial's.
func (c trial) byTag(tag string) func() (any, error) {
	return func() (any, error) {
		out, err := c.db.Query(c.Context(), &dynamodb.QueryInput{
			TableName: &c.main, IndexName: aws.String("byTag"), KeyConditionExpression: aws.String("tag = :t"),
			ExpressionAttributeValues: stored{":t": vS(c.pk + tag)},
		})
		if err != nil {
			return nil, err
		}
		return texts(out.Items, "SK"), nil
	}
}

// change updates one of the trial's items.
func (c trial) change(sk, expression string, values stored) {
	c.Helper()
	_, err := c.db.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
		TableName: &c.main, Key: c.key(sk), UpdateExpression: &expression, ExpressionAttributeValues: values,
	})
	c.fine(err)
}

// conformIndexes tests which items are in an index, in which order, with what.
func conformIndexes(t *testing.T, s *suite) {
	s.try(t, "an index is sparse, sorted, and follows every write", func(c trial) {
		tagged := func(tag, num string) stored { return stored{"tag": vS(c.pk + tag), "num": vN(num)} }
		c.put("ten", tagged("x", "10"))
		c.put("nine", tagged("x", "9"))
		c.put("minus", tagged("x", "-1"))
		c.put("without a number", stored{"tag": vS(c.pk + "x")})
		c.put("without a tag", stored{"num": vN("5")})
		c.eventually("sorted by number", []string{"minus", "nine", "ten"}, c.byTag("x"))
		c.change("nine", "SET num = :n", stored{":n": vN("90")})
		c.change("ten", "SET tag = :t", stored{":t": vS(c.pk + "y")})
		c.change("minus", "REMOVE num", nil)
		c.change("without a tag", "SET tag = :t", stored{":t": vS(c.pk + "x")})
		c.eventually("after updates", []string{"without a tag", "nine"}, c.byTag("x"))
		c.eventually("where one moved to", []string{"ten"}, c.byTag("y"))
		_, err := c.db.DeleteItem(c.Context(), &dynamodb.DeleteItemInput{TableName: &c.main, Key: c.key("nine")})
		c.fine(err)
		c.put("without a tag", stored{"num": vN("5")})
		c.eventually("after a delete and a put", []string{}, c.byTag("x"))
	})
	s.try(t, "an index shows what it projects", func(c trial) {
		c.put("a", stored{"kind": vS(c.pk), "note": vS("shown"), "x": vN("1")})
		thin := func(in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			in.TableName, in.IndexName, in.KeyConditionExpression = &c.main, aws.String("thin"), aws.String("kind = :k")
			in.ExpressionAttributeValues = stored{":k": vS(c.pk)}
			return c.db.Query(c.Context(), &in)
		}
		c.eventually("the entries", []stored{c.with("a", stored{"kind": vS(c.pk), "note": vS("shown")})}, func() (any, error) {
			out, err := thin(dynamodb.QueryInput{})
			if err != nil {
				return nil, err
			}
			return out.Items, nil
		})
		_, err := thin(dynamodb.QueryInput{Select: types.SelectAllAttributes})
		c.refused(err, invalid, "Select type ALL_ATTRIBUTES is not supported for global secondary index thin because its projection type is not ALL")
		_, err = thin(dynamodb.QueryInput{ProjectionExpression: aws.String("x")})
		c.refused(err, invalid, "Global secondary index thin does not project [x]")
	})
	conformLocalIndex(t, s)
}

func conformLocalIndex(t *testing.T, s *suite) {
	s.try(t, "a local index is consistent and fetches what it lacks", func(c trial) {
		c.put("z", stored{"num": vN("1"), "x": vS("first")})
		c.put("a", stored{"num": vN("2"), "x": vS("second")})
		c.put("b", nil)
		in := dynamodb.QueryInput{IndexName: aws.String("byNum"), ConsistentRead: aws.Bool(true)}
		c.equal("the order", texts(c.query(in), "SK"), []string{"z", "a"})
		c.equal("what it lacks", texts(c.query(in), "x"), []string{})
		in.Select = types.SelectAllAttributes
		c.equal("all attributes", texts(c.query(in), "x"), []string{"first", "second"})
		in.ScanIndexForward = aws.Bool(false)
		in.KeyConditionExpression, in.ExpressionAttributeValues = aws.String("PK = :pk AND num >= :n"), stored{":n": vN("2")}
		c.equal("a range, backward", texts(c.query(in), "SK"), []string{"a"})
	})
	s.try(t, "pages of an index go on by index key and table key", func(c trial) {
		for _, sk := range []string{"a", "b", "c"} {
			c.put(sk, stored{"num": vN("7")})
		}
		out, err := c.db.Query(c.Context(), &dynamodb.QueryInput{
			TableName: &c.main, IndexName: aws.String("byNum"), ConsistentRead: aws.Bool(true), Limit: aws.Int32(1),
			KeyConditionExpression: aws.String("PK = :pk"), ExpressionAttributeValues: stored{":pk": vS(c.pk)},
		})
		c.fine(err)
		first := texts(out.Items, "SK")
		if len(first) != 1 {
			c.Fatalf("got %v, want one item", first)
		}
		c.equal("the last key", out.LastEvaluatedKey, c.with(first[0], stored{"num": vN("7")}))
		c.equal("in pages of one", len(c.query(dynamodb.QueryInput{IndexName: aws.String("byNum"), ConsistentRead: aws.Bool(true), Limit: aws.Int32(1)})), 3)
	})
}
