package wire_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// A client of any SDK sees over HTTP what the engine holds.
func ExampleHandler() {
	ctx := context.Background()
	db := memory.New()
	server := httptest.NewServer(wire.Handler(db))
	defer server.Close()

	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL),
		Region:       "us-east-1",
		Credentials:  aws.AnonymousCredentials{},
	})
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("Users"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	tables, err := db.ListTables(ctx, &dynamodb.ListTablesInput{})
	fmt.Println(tables.TableNames, err)
	// Output: [Users] <nil>
}

// With StrictAuth a request without a signature is refused.
func ExampleStrictAuth() {
	server := httptest.NewServer(wire.Handler(memory.New(), wire.StrictAuth()))
	defer server.Close()

	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL),
		Region:       "us-east-1",
		Credentials:  aws.AnonymousCredentials{},
	})
	_, err := client.ListTables(context.Background(), &dynamodb.ListTablesInput{})
	fmt.Println(apiError(err))
	// Output: MissingAuthenticationTokenException: Request is missing Authentication Token
}
