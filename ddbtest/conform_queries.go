package ddbtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// sortKeys are the sort keys that a query is over, in their order: by bytes.
var sortKeys = []string{"A", "B#1", "B#10", "B#2", "B#9", "C", "a", "é"}

// query reads all pages of a query of the trial's partition.
func (c trial) query(in dynamodb.QueryInput) []stored {
	c.Helper()
	if in.TableName == nil {
		in.TableName = &c.main
	}
	if in.KeyConditionExpression == nil {
		in.KeyConditionExpression = aws.String("PK = :pk")
	}
	values := stored{":pk": vS(c.pk)}
	for name, v := range in.ExpressionAttributeValues {
		values[name] = v
	}
	in.ExpressionAttributeValues = values
	var items []stored
	for pages := dynamodb.NewQueryPaginator(c.db, &in); pages.HasMorePages(); {
		page, err := pages.NextPage(c.Context())
		c.fine(err)
		items = append(items, page.Items...)
	}
	return items
}

// texts returns the values of a string attribute.
func texts(items []stored, attribute string) []string {
	out := []string{}
	for _, it := range items {
		if v, ok := it[attribute].(*types.AttributeValueMemberS); ok {
			out = append(out, v.Value)
		}
	}
	return out
}

// conformQueries tests ranges, order, pages and filters of queries.
func conformQueries(t *testing.T, s *suite) {
	for _, r := range ranges {
		s.try(t, "sort key "+r.condition, func(c trial) {
			for _, sk := range sortKeys {
				c.put(sk, nil)
			}
			in := dynamodb.QueryInput{ConsistentRead: aws.Bool(true), ExpressionAttributeValues: r.values}
			if r.condition != "" {
				in.KeyConditionExpression = aws.String("PK = :pk AND " + r.condition)
			}
			c.equal("forward", texts(c.query(in), "SK"), r.want)
			backward := slices.Clone(r.want)
			slices.Reverse(backward)
			in.ScanIndexForward = aws.Bool(false)
			c.equal("backward", texts(c.query(in), "SK"), backward)
			for limit := range int32(4) {
				in.Limit = aws.Int32(limit + 1)
				c.equal(fmt.Sprintf("in pages of %d", limit+1), texts(c.query(in), "SK"), backward)
			}
		})
	}
	s.try(t, "Limit counts items before the filter", func(c trial) {
		for n, sk := range sortKeys {
			c.put(sk, stored{"even": vBool(n%2 == 0)})
		}
		out, err := c.db.Query(c.Context(), &dynamodb.QueryInput{
			TableName: &c.main, KeyConditionExpression: aws.String("PK = :pk"), FilterExpression: aws.String("even = :t"),
			ExpressionAttributeValues: stored{":pk": vS(c.pk), ":t": vBool(true)}, Limit: aws.Int32(5), ConsistentRead: aws.Bool(true),
		})
		c.fine(err)
		c.equal("the items", texts(out.Items, "SK"), []string{"A", "B#10", "B#9"})
		c.equal("the count", out.Count, int32(3))
		c.equal("the scanned count", out.ScannedCount, int32(5))
		c.equal("the last key", out.LastEvaluatedKey, c.key("B#9"))
	})
	s.try(t, "a count shows no items", func(c trial) {
		c.put("a", nil)
		out, err := c.db.Query(c.Context(), &dynamodb.QueryInput{
			TableName: &c.main, KeyConditionExpression: aws.String("PK = :pk"), ExpressionAttributeValues: stored{":pk": vS(c.pk)},
			Select: types.SelectCount, ConsistentRead: aws.Bool(true),
		})
		c.fine(err)
		if out.Count != 1 || out.Items != nil {
			c.Errorf("got a count of %d and %v, want 1 and no items", out.Count, out.Items)
		}
	})
	s.try(t, "a start key need not exist", func(c trial) {
		c.put("A", nil)
		c.put("C", nil)
		c.equal("behind B", texts(c.query(dynamodb.QueryInput{ExclusiveStartKey: c.key("B"), ConsistentRead: aws.Bool(true)}), "SK"), []string{"C"})
	})
	for _, r := range badQueries {
		s.try(t, "refused: "+r.rule, func(c trial) {
			in := r.in
			in.TableName = &c.main
			_, err := c.db.Query(c.Context(), &in)
			c.refused(err, invalid, r.text)
		})
	}
}

var ranges = []struct {
	condition string
	values    stored
	want      []string
}{
	{"", nil, sortKeys},
	{"SK = :a", stored{":a": vS("B#1")}, []string{"B#1"}},
	{"begins_with(SK, :a)", stored{":a": vS("B#")}, []string{"B#1", "B#10", "B#2", "B#9"}},
	{"begins_with(SK, :a)", stored{":a": vS("B#1")}, []string{"B#1", "B#10"}},
	{"SK > :a", stored{":a": vS("C")}, []string{"a", "é"}},
	{"SK >= :a", stored{":a": vS("C")}, []string{"C", "a", "é"}},
	{"SK < :a", stored{":a": vS("B#10")}, []string{"A", "B#1"}},
	{":a >= SK", stored{":a": vS("B#10")}, []string{"A", "B#1", "B#10"}},
	{"SK BETWEEN :a AND :b", stored{":a": vS("B#2"), ":b": vS("C")}, []string{"B#2", "B#9", "C"}},
	{"(SK BETWEEN :a AND :b)", stored{":a": vS("x"), ":b": vS("y")}, []string{}},
}

var badQueries = []struct {
	rule string
	in   dynamodb.QueryInput
	text string
}{
	{"no key condition", dynamodb.QueryInput{}, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."},
	{"no partition key", dynamodb.QueryInput{KeyConditionExpression: aws.String("SK = :v"), ExpressionAttributeValues: stored{":v": vS("a")}},
		"Query condition missed key schema element: PK"},
	{"a partition key that is not equal", dynamodb.QueryInput{KeyConditionExpression: aws.String("PK > :v"), ExpressionAttributeValues: stored{":v": vS("a")}},
		"Query key condition not supported"},
	{"alternatives", dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :v OR PK = :w"), ExpressionAttributeValues: stored{":v": vS("a"), ":w": vS("b")}},
		"Invalid operator used in KeyConditionExpression: OR"},
	{"a key of another type", dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :v"), ExpressionAttributeValues: stored{":v": vN("1")}},
		"Condition parameter type does not match schema type"},
	{"a filter on a key", dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :v"), FilterExpression: aws.String("SK = :v"), ExpressionAttributeValues: stored{":v": vS("1")}},
		"Filter Expression can only contain non-primary key attributes: Primary key attribute: SK"},
	{"an index that is not there", dynamodb.QueryInput{IndexName: aws.String("none"), KeyConditionExpression: aws.String("PK = :v"), ExpressionAttributeValues: stored{":v": vS("1")}},
		"The table does not have the specified index: none"},
	{"a consistent read of a global index", dynamodb.QueryInput{IndexName: aws.String("byTag"), ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("tag = :v"), ExpressionAttributeValues: stored{":v": vS("1")}},
		"Consistent reads are not supported on global secondary indexes"},
	{"a limit of 0", dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :v"), ExpressionAttributeValues: stored{":v": vS("1")}, Limit: aws.Int32(0)},
		"Member must have value greater than or equal to 1"},
	{"a start outside", dynamodb.QueryInput{KeyConditionExpression: aws.String("PK = :v"), ExpressionAttributeValues: stored{":v": vS("1")},
		ExclusiveStartKey: stored{"PK": vS("2"), "SK": vS("a")}},
		"The provided starting key is outside query boundaries based on provided conditions"},
}
