package ddbotel

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/seed530093c6/ddb"
)

// identity says what kind of call it is, in few different ways.
func identity(c ddb.Call) []attribute.KeyValue {
	out := []attribute.KeyValue{semconv.DBSystemNameAWSDynamoDB, semconv.DBOperationName(c.Op), semconv.DBCollectionName(c.Table)}
	if c.Index != "" {
		out = append(out, semconv.AWSDynamoDBIndexName(c.Index))
	}
	if c.Entity != "" {
		out = append(out, EntityKey.String(c.Entity))
	}
	if c.Pattern != "" {
		out = append(out, PatternKey.String(c.Pattern))
	}
	return out
}

// request says what was asked. Expressions hold no values, only names of them.
func request(input any) []attribute.KeyValue {
	var out bag
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		out.tables(aws.ToString(in.TableName))
		out.text(semconv.AWSDynamoDBProjectionKey, in.ProjectionExpression)
		out.flag(semconv.AWSDynamoDBConsistentReadKey, in.ConsistentRead)
	case *dynamodb.PutItemInput:
		out.tables(aws.ToString(in.TableName))
	case *dynamodb.UpdateItemInput:
		out.tables(aws.ToString(in.TableName))
	case *dynamodb.DeleteItemInput:
		out.tables(aws.ToString(in.TableName))
	case *dynamodb.QueryInput:
		out.tables(aws.ToString(in.TableName))
		out.text(semconv.AWSDynamoDBProjectionKey, in.ProjectionExpression)
		out.flag(semconv.AWSDynamoDBConsistentReadKey, in.ConsistentRead)
		out.flag(semconv.AWSDynamoDBScanForwardKey, in.ScanIndexForward)
		out.number(semconv.AWSDynamoDBLimitKey, in.Limit)
		out.choice(in.Select)
	case *dynamodb.ScanInput:
		out.tables(aws.ToString(in.TableName))
		out.text(semconv.AWSDynamoDBProjectionKey, in.ProjectionExpression)
		out.flag(semconv.AWSDynamoDBConsistentReadKey, in.ConsistentRead)
		out.number(semconv.AWSDynamoDBLimitKey, in.Limit)
		out.number(semconv.AWSDynamoDBSegmentKey, in.Segment)
		out.number(semconv.AWSDynamoDBTotalSegmentsKey, in.TotalSegments)
		out.choice(in.Select)
	case *dynamodb.BatchGetItemInput:
		out.tables(slices.Sorted(maps.Keys(in.RequestItems))...)
	case *dynamodb.BatchWriteItemInput:
		out.tables(slices.Sorted(maps.Keys(in.RequestItems))...)
	case *dynamodb.TransactGetItemsInput:
		out.tables(touched(in.TransactItems, read)...)
	case *dynamodb.TransactWriteItemsInput:
		out.tables(touched(in.TransactItems, written)...)
	}
	return out
}

// response says what came back.
func response(c ddb.Call) []attribute.KeyValue {
	out := bag{RetriesKey.Int(c.Retries)}
	var units []string
	for _, one := range c.ConsumedCapacity {
		if text, err := json.Marshal(consumed(one)); err == nil {
			units = append(units, string(text))
		}
	}
	if len(units) > 0 {
		out = append(out, semconv.AWSDynamoDBConsumedCapacity(units...))
	}
	if c.Err != nil {
		return out
	}
	switch c.Input.(type) {
	case *dynamodb.QueryInput, *dynamodb.ScanInput:
		out = append(out, semconv.AWSDynamoDBCount(c.Items), semconv.AWSDynamoDBScannedCount(c.Examined))
	}
	if reads(c.Input) {
		out = append(out, semconv.DBResponseReturnedRows(c.Items))
	}
	return out
}

// reads reports whether a call returns items.
func reads(input any) bool {
	switch input.(type) {
	case *dynamodb.GetItemInput, *dynamodb.QueryInput, *dynamodb.ScanInput, *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput:
		return true
	}
	return false
}

// consumed is the capacity as the conventions want it: the service's own JSON.
func consumed(c types.ConsumedCapacity) map[string]any {
	out := units(types.Capacity{CapacityUnits: c.CapacityUnits, ReadCapacityUnits: c.ReadCapacityUnits, WriteCapacityUnits: c.WriteCapacityUnits})
	out["TableName"] = c.TableName
	if c.Table != nil {
		out["Table"] = units(*c.Table)
	}
	for name, indexes := range map[string]map[string]types.Capacity{
		"LocalSecondaryIndexes": c.LocalSecondaryIndexes, "GlobalSecondaryIndexes": c.GlobalSecondaryIndexes,
	} {
		if len(indexes) == 0 {
			continue
		}
		parts := make(map[string]any, len(indexes))
		for index, part := range indexes {
			parts[index] = units(part)
		}
		out[name] = parts
	}
	return out
}

// units are the members of a capacity that are there.
func units(c types.Capacity) map[string]any {
	out := make(map[string]any)
	for name, n := range map[string]*float64{
		"CapacityUnits": c.CapacityUnits, "ReadCapacityUnits": c.ReadCapacityUnits, "WriteCapacityUnits": c.WriteCapacityUnits,
	} {
		if n != nil {
			out[name] = *n
		}
	}
	return out
}

// read returns the table that a read of a transaction names.
func read(i types.TransactGetItem) *string {
	if i.Get == nil {
		return nil
	}
	return i.Get.TableName
}

// written returns the table that an operation of a transaction names.
func written(i types.TransactWriteItem) *string {
	switch {
	case i.Put != nil:
		return i.Put.TableName
	case i.Update != nil:
		return i.Update.TableName
	case i.Delete != nil:
		return i.Delete.TableName
	case i.ConditionCheck != nil:
		return i.ConditionCheck.TableName
	}
	return nil
}

// touched returns the different tables of some operations, sorted.
func touched[I any](items []I, of func(I) *string) []string {
	var out []string
	for _, i := range items {
		if name := of(i); name != nil {
			out = append(out, *name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bag gathers attributes that are set.
type bag []attribute.KeyValue

func (b *bag) tables(names ...string) { *b = append(*b, semconv.AWSDynamoDBTableNames(names...)) }

func (b *bag) text(key attribute.Key, v *string) {
	if v != nil {
		*b = append(*b, key.String(*v))
	}
}

func (b *bag) flag(key attribute.Key, v *bool) {
	if v != nil {
		*b = append(*b, key.Bool(*v))
	}
}

func (b *bag) number(key attribute.Key, v *int32) {
	if v != nil {
		*b = append(*b, key.Int(int(*v)))
	}
}

func (b *bag) choice(v types.Select) {
	if v != "" {
		*b = append(*b, semconv.AWSDynamoDBSelect(string(v)))
	}
}
