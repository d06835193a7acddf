package durable_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory/durable"
)

// What one start has written, the next one finds.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "ddb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := durable.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.DB().CreateTable(ctx, definition("Orders")); err != nil {
		log.Fatal(err)
	}
	if _, err := store.DB().PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("Orders"), Item: item{"pk": str("2024-001"), "v": num(7)},
	}); err != nil {
		log.Fatal(err)
	}
	if err := store.Close(); err != nil {
		log.Fatal(err)
	}

	if store, err = durable.Open(dir); err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	fmt.Print(store.DB().Dump("Orders"))
	// Output:
	// table Orders
	//   {"pk": {S:2024-001}, "v": {N:7}}
	// index by-v
	//   {"pk": {S:2024-001}, "v": {N:7}}
}
