package memory

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// pagePlan is the plan of an operation that reads pages.
type pagePlan struct {
	start av.Map // ExclusiveStartKey, nil for none
	eval.Compiled
	filterName string // what messages call the filter
	shownName  string // what messages call the projection
}

// Query returns the items with one partition key, in the order of their sort
// keys, from a table or an index. Entries of an index with equal index keys
// follow each other in the order of the table's keys. A page that ends because
// of Limit has a LastEvaluatedKey even if nothing follows.
//
// Differs from DynamoDB: a page ends at 1 MB of items; the service also counts
// something for each item, of which only the sum is known.
func (db *DB) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return run(ctx, db, &query, in)
}

var query = operation[queryIn, pagePlan, dynamodb.QueryOutput]{
	rules: queryRules,
	table: func(in *queryIn) *string { return in.TableName },
	find:  findServing,
	plan: func(db *DB, in *queryIn) (p pagePlan, err error) {
		if p.start, err = startFrom(in.ExclusiveStartKey, db.words.query); err != nil {
			return p, err
		}
		p.Compiled, err = db.compile(db.words.query, eval.Request{
			KeyCondition: in.KeyConditionExpression,
			Filter:       in.FilterExpression,
			Projection:   in.ProjectionExpression,
			Names:        in.ExpressionAttributeNames,
			Values:       in.ExpressionAttributeValues,
		}, legacyRequest{
			attributesToGet: in.AttributesToGet,
			queryFilter:     in.QueryFilter,
			operator:        in.ConditionalOperator,
			keyConditions:   in.KeyConditions,
		})
		if err != nil {
			return p, err
		}
		if p.KeyCondition == nil {
			return p, invalid(textNoKeyCondition)
		}
		p.name(in.QueryFilter != nil, in.AttributesToGet != nil)
		return p, p.checkSelect(in.Select, in.IndexName, oneDetected)
	},
	act: func(c *call[queryIn, pagePlan]) (*dynamodb.QueryOutput, error) {
		r, err := c.db.reading(c.table(), c.in.IndexName, isTrue(c.in.ConsistentRead), c.in.Limit)
		if err != nil {
			return nil, err
		}
		if err := r.planQuery(&c.plan, c.in.ScanIndexForward == nil || *c.in.ScanIndexForward); err != nil {
			return nil, err
		}
		if err := r.planItems(c.in.Select, &c.plan); err != nil {
			return nil, err
		}
		a, err := r.answer(c.as)
		if err != nil {
			return nil, err
		}
		return &dynamodb.QueryOutput{
			Items:            a.items,
			Count:            int32(a.count),
			ScannedCount:     int32(a.scanned),
			LastEvaluatedKey: a.last,
			ConsumedCapacity: a.consumed(*c.in.TableName, c.in.ReturnConsumedCapacity),
		}, nil
	},
}

// Scan returns all items of a table, or all entries of an index, or one segment
// of them, in the order of hash space and within it of sort keys.
//
// Differs from DynamoDB: entries of an index are in the order of the hash of the
// index partition key alone, so that those with one partition key stand together
// and are in one segment.
func (db *DB) Scan(ctx context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return run(ctx, db, &scan, in)
}

var scan = operation[scanIn, pagePlan, dynamodb.ScanOutput]{
	rules: scanRules,
	table: func(in *scanIn) *string { return in.TableName },
	find:  findServing,
	plan: func(db *DB, in *scanIn) (p pagePlan, err error) {
		if p.start, err = startFrom(in.ExclusiveStartKey, db.words.scan); err != nil {
			return p, err
		}
		p.Compiled, err = db.compile(db.words.scan, eval.Request{
			Filter:     in.FilterExpression,
			Projection: in.ProjectionExpression,
			Names:      in.ExpressionAttributeNames,
			Values:     in.ExpressionAttributeValues,
		}, legacyRequest{attributesToGet: in.AttributesToGet, scanFilter: in.ScanFilter, operator: in.ConditionalOperator})
		if err != nil {
			return p, err
		}
		p.name(false, in.AttributesToGet != nil)
		if err := p.checkSelect(in.Select, in.IndexName, ""); err != nil {
			return p, err
		}
		return p, checkSegment(in.Segment, in.TotalSegments)
	},
	act: func(c *call[scanIn, pagePlan]) (*dynamodb.ScanOutput, error) {
		r, err := c.db.reading(c.table(), c.in.IndexName, isTrue(c.in.ConsistentRead), c.in.Limit)
		if err != nil {
			return nil, err
		}
		if err := r.planScan(&c.plan, c.in.Select, c.in.Segment, c.in.TotalSegments); err != nil {
			return nil, err
		}
		if err := r.planItems(c.in.Select, &c.plan); err != nil {
			return nil, err
		}
		a, err := r.answer(c.as)
		if err != nil {
			return nil, err
		}
		return &dynamodb.ScanOutput{
			Items:            a.items,
			Count:            int32(a.count),
			ScannedCount:     int32(a.scanned),
			LastEvaluatedKey: a.last,
			ConsumedCapacity: a.consumed(*c.in.TableName, c.in.ReturnConsumedCapacity),
		}, nil
	},
}

// name settles what messages call the parameters.
func (p *pagePlan) name(legacyFilter, legacyProjection bool) {
	p.filterName, p.shownName = "Filter Expression", "ProjectionExpression"
	if legacyFilter {
		p.filterName = "QueryFilter"
	}
	if legacyProjection {
		p.shownName = "AttributesToGet"
	}
}

// startFrom takes an ExclusiveStartKey over from a request.
func startFrom(key map[string]types.AttributeValue, w wording) (av.Map, error) {
	if key == nil {
		return nil, nil
	}
	start, err := itemFrom(key, w)
	if err == nil {
		return start, nil
	}
	_, fault := av.MapFromSDK(key)
	if fault, ok := errors.AsType[*av.Error](fault); ok && fault.Content {
		return nil, err
	}
	return nil, errStartKeyValue(err)
}

// checkSelect applies the rules for Select that need no table. Query counts their
// faults, and Scan does not (observed).
func (p *pagePlan) checkSelect(s types.Select, index *string, count string) error {
	switch {
	case s == types.SelectAllProjectedAttributes && index == nil:
		return invalid(count + textSelectProjected)
	case s == types.SelectSpecificAttributes && p.Projection == nil:
		return invalid(count + textSelectSpecific)
	case s != "" && s != types.SelectSpecificAttributes && p.Projection != nil:
		return invalid(count + selectWithText(p.shownName, s))
	}
	return nil
}

func checkSegment(segment, total *int32) error {
	switch {
	case segment == nil && total == nil:
		return nil
	case total == nil:
		return invalid(textTotalSegmentsMissing)
	case segment == nil:
		return invalid(textSegmentMissing)
	case *segment >= *total:
		return errSegmentRange(int(*segment), int(*total))
	}
	return nil
}
