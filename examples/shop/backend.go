package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// database is what the example needs of a backend: items and tables.
type database interface {
	ddb.Backend
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
}

// open returns the embedded engine, or a client of the endpoint, and what to
// call it.
func open(endpoint string) (database, string, error) {
	if endpoint == "" {
		return memory.New(), "embedded engine", nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, "", fmt.Errorf("--endpoint %q is no URL such as http://localhost:8000", endpoint)
	}
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       env("AWS_REGION", "us-east-1"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID:     env("AWS_ACCESS_KEY_ID", "local"),
				SecretAccessKey: env("AWS_SECRET_ACCESS_KEY", "local"),
				SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
			}, nil
		}),
	}), u.Host, nil
}

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// createTable makes the table unless it exists, and waits until it can be used.
func createTable(ctx context.Context, db database, table *ddb.Table) error {
	in, err := table.CreateTableInput()
	if err != nil {
		return err
	}
	var exists *types.ResourceInUseException
	if _, err := db.CreateTable(ctx, in); err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("create table %s: %w", table.Name(), err)
	}
	waiter := dynamodb.NewTableExistsWaiter(db, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = time.Second })
	return waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: in.TableName}, 5*time.Minute)
}
