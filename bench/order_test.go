package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/internal/byhand"
)

// Order is the order of package byhand as an entity. Its keys are fields, so that
// all sides store the same attributes, ddb one more: the name of the entity.
type Order struct {
	_ ddb.Entity `name:"Order" pk:"{UserID}" sk:"{OrderID}"`
	byhand.Order
}

type item = map[string]types.AttributeValue

// ordersOn defines the entity in a table on the backend.
func ordersOn(tb testing.TB, backend ddb.Backend) *ddb.Definition[Order] {
	tb.Helper()
	table := ddb.NewTable("Orders", backend, ddb.Keys("UserID", "OrderID"))
	orders := ddb.Define[Order](table)
	if err := table.Err(); err != nil {
		tb.Fatal(err)
	}
	return orders
}

// sampleKey returns the key of the sample order.
func sampleKey() Order {
	o := byhand.Sample()
	return Order{Order: byhand.Order{UserID: o.UserID, OrderID: o.OrderID}}
}

// stored returns the sample order as ddb stores it, under the nth order id.
func stored(n int) item {
	o := byhand.Sample()
	o.OrderID = fmt.Sprintf("2024-%03d", n)
	it := byhand.Marshal(&o)
	it["EntityType"] = &types.AttributeValueMemberS{Value: "Order"}
	return it
}

// pageSize is how many items a query brings.
const pageSize = 100

// stub is a backend that answers at once, with the same every time.
type stub struct {
	ddb.Backend
	get   dynamodb.GetItemOutput
	query dynamodb.QueryOutput
	put   dynamodb.PutItemOutput
}

func newStub() *stub {
	s := &stub{get: dynamodb.GetItemOutput{Item: stored(1)}}
	for n := range pageSize {
		s.query.Items = append(s.query.Items, stored(n))
	}
	s.query.Count, s.query.ScannedCount = pageSize, pageSize
	return s
}

func (s *stub) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &s.get, nil
}

func (s *stub) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return &s.query, nil
}

func (s *stub) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return &s.put, nil
}
