package memory_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// exampleTable makes a table of orders by user.
func exampleTable(ctx context.Context, db *memory.DB) error {
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("Orders"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute("pk"), attribute("sk")},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	return err
}

func ExampleNew() {
	ctx := context.Background()
	db := memory.New()
	if err := exampleTable(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	order := map[string]types.AttributeValue{
		"pk":    &types.AttributeValueMemberS{Value: "USER#1"},
		"sk":    &types.AttributeValueMemberS{Value: "ORDER#7"},
		"total": &types.AttributeValueMemberN{Value: "129.950"},
	}
	create := &dynamodb.PutItemInput{
		TableName: aws.String("Orders"), Item: order, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
	for range 2 {
		_, err := db.PutItem(ctx, create)
		_, exists := errors.AsType[*types.ConditionalCheckFailedException](err)
		fmt.Println("exists:", exists)
	}
	fmt.Print(db.Dump("Orders"))
	// Output:
	// exists: false
	// exists: true
	// table Orders
	//   {"pk": {S:USER#1}, "sk": {S:ORDER#7}, "total": {N:129.95}}
}

func ExampleClock() {
	ctx := context.Background()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	db := memory.New(
		memory.Clock(func() time.Time { return now }),
		memory.TransitionTime(5*time.Second),
	)
	if err := exampleTable(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		out, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("Orders")})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(out.Table.TableStatus)
		now = now.Add(5 * time.Second)
	}
	// Output:
	// CREATING
	// ACTIVE
}

func ExampleDB_Check() {
	db := memory.New(memory.Partitions(4))
	if err := exampleTable(context.Background(), db); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(db.Check())
	// Output:
	// <nil>
}

// A reply that is lost does not tell whether the write was done: here it was. The
// same call again must not count twice, which the token sees to.
func ExampleDB_Inject() {
	ctx := context.Background()
	db := memory.New()
	if err := exampleTable(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	stop := db.Inject(memory.LoseReply(), memory.OnOperation("TransactWriteItems"), memory.FirstCalls(1))
	defer stop()

	in := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("order 17, first attempt"),
		TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: aws.String("Orders"),
			Key: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: "USER#1"}, "sk": &types.AttributeValueMemberS{Value: "COUNT"},
			},
			UpdateExpression:          aws.String("ADD orders :one"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		}}},
	}
	for range 2 {
		_, err := db.TransactWriteItems(ctx, in)
		fmt.Println(err)
	}
	fmt.Print(db.Dump("Orders"))
	// Output:
	// InternalServerError: Internal server error
	// <nil>
	// table Orders
	//   {"orders": {N:1}, "pk": {S:USER#1}, "sk": {S:COUNT}}
}

// A batch comes back in part, as the service does under load; whoever forgets
// UnprocessedItems loses them.
func ExampleUnprocessed() {
	ctx := context.Background()
	db := memory.New()
	if err := exampleTable(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	db.Inject(memory.Unprocessed(2), memory.OnTable("Orders"), memory.FirstCalls(1))

	var puts []types.WriteRequest
	for _, order := range []string{"ORDER#1", "ORDER#2", "ORDER#3"} {
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "USER#1"}, "sk": &types.AttributeValueMemberS{Value: order},
		}}})
	}
	requests := map[string][]types.WriteRequest{"Orders": puts}
	for len(requests) > 0 {
		out, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: requests})
		if err != nil {
			fmt.Println(err)
			return
		}
		requests = out.UnprocessedItems
		fmt.Println(len(requests["Orders"]), "left")
	}
	// Output:
	// 2 left
	// 0 left
}

// One user's orders are all in one partition, which serves 1,000 writes a second
// however large the table is. The heat shows who it is.
func ExampleThrottling() {
	ctx := context.Background()
	now := time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)
	db := memory.New(memory.Clock(func() time.Time { return now }), memory.Throttling(), memory.TrackHeat(1000))
	if err := exampleTable(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	write := func(n int) error {
		_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "USER#1"}, "sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("ORDER#%06d", n)},
		}})
		return err
	}
	n := 0
	var err error
	for err == nil {
		n++
		err = write(n)
	}
	if throttled, ok := errors.AsType[*types.ThrottlingException](err); ok {
		fmt.Println("write", n, *throttled.ThrottlingReasons[0].Reason)
	}
	now = now.Add(time.Second)
	fmt.Println("a second later:", write(n))
	for _, k := range db.Heat("Orders").Top(1) {
		fmt.Println(k.Key["pk"].(*types.AttributeValueMemberS).Value, k.WriteUnits, "units,", k.Throttled, "throttled")
	}
	// Output:
	// write 1001 TableWriteKeyRangeThroughputExceeded
	// a second later: <nil>
	// USER#1 1001 units, 1 throttled
}

// A read that need not be consistent may see the past until the write has
// settled.
func ExampleStaleReads() {
	ctx := context.Background()
	now := time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)
	db := memory.New(memory.Clock(func() time.Time { return now }), memory.StaleReads(time.Second))
	if err := exampleTable(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	key := map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "USER#1"}, "sk": &types.AttributeValueMemberS{Value: "PROFILE"},
	}
	if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: key}); err != nil {
		fmt.Println(err)
		return
	}
	misses := func(consistent bool) (n int) {
		for range 100 {
			out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("Orders"), Key: key, ConsistentRead: aws.Bool(consistent)})
			if err != nil {
				fmt.Println(err)
				return
			}
			if out.Item == nil {
				n++
			}
		}
		return n
	}
	fmt.Println("some miss it:", misses(false) > 0)
	fmt.Println("consistent reads that miss it:", misses(true))
	now = now.Add(time.Second)
	fmt.Println("a second later:", misses(false))
	// Output:
	// some miss it: true
	// consistent reads that miss it: 0
	// a second later: 0
}
