package ddbtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// scan reads all pages of a scan of the trial's items, which it tells by filter.
func (c trial) scan(in dynamodb.ScanInput) []stored {
	c.Helper()
	in.TableName, in.ConsistentRead = &c.odd, aws.Bool(true)
	in.FilterExpression, in.ExpressionAttributeValues = aws.String("trial = :t"), stored{":t": vS(c.pk)}
	var items []stored
	for pages := dynamodb.NewScanPaginator(c.db, &in); pages.HasMorePages(); {
		page, err := pages.NextPage(c.Context())
		c.fine(err)
		items = append(items, page.Items...)
	}
	return items
}

// conformScans tests pages and segments of scans.
func conformScans(t *testing.T, s *suite) {
	const partitions, each = 12, 3
	put := func(c trial) {
		for n := range partitions * each {
			_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.odd, Item: stored{
				"n": vN(fmt.Sprint(n / each)), "b": vB(fmt.Sprintf("%s %d", c.pk, n%each)), "trial": vS(c.pk), "id": vS(fmt.Sprint(n)),
			}})
			c.fine(err)
		}
	}
	want := []string{}
	for n := range partitions * each {
		want = append(want, fmt.Sprint(n))
	}
	slices.Sort(want)
	s.try(t, "pages together are the whole, whatever the limit", func(c trial) {
		put(c)
		whole := texts(c.scan(dynamodb.ScanInput{}), "id")
		c.equal("the items", slices.Sorted(slices.Values(whole)), want)
		c.equal("in pages", texts(c.scan(dynamodb.ScanInput{Limit: aws.Int32(7)}), "id"), whole)
	})
	s.try(t, "segments together are the whole, each partition key in one of them", func(c trial) {
		put(c)
		const segments = 4
		var all []string
		segmentOf := make(map[any]int)
		for segment := range segments {
			items := c.scan(dynamodb.ScanInput{Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(segments), Limit: aws.Int32(5)})
			all = append(all, texts(items, "id")...)
			for _, it := range items {
				n := Plain(it["n"])
				if other, ok := segmentOf[n]; ok && other != segment {
					c.Errorf("the partition key %v is in the segments %d and %d", n, other, segment)
				}
				segmentOf[n] = segment
			}
		}
		c.equal("the items", slices.Sorted(slices.Values(all)), want)
	})
	for rule, in := range map[string]*dynamodb.ScanInput{
		"The TotalSegments parameter is required but was not present in the request when Segment parameter is present": {Segment: aws.Int32(0)},
		"The Segment parameter is required but was not present in the request when parameter TotalSegments is present": {TotalSegments: aws.Int32(1)},
		"The Segment parameter is zero-based and must be less than parameter TotalSegments":                            {Segment: aws.Int32(5), TotalSegments: aws.Int32(5)},
		"The provided starting key is invalid":                                                                 {ExclusiveStartKey: stored{"n": vN("1")}},
		"ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName":                           {Select: types.SelectAllProjectedAttributes},
		"Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1": {Limit: aws.Int32(0)},
		"Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES":    {Select: types.SelectSpecificAttributes},
	} {
		s.try(t, "refused: "+rule, func(c trial) {
			in.TableName = &c.odd
			_, err := c.db.Scan(c.Context(), in)
			c.refused(err, invalid, rule)
		})
	}
}
