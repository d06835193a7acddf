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
