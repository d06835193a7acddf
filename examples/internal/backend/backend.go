package backend

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// DB is what examples need of a backend: items and tables. *dynamodb.Client and
// *memory.DB are one.
type DB interface {
	ddb.Backend
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
}

// Open returns a fresh engine with the given options or, if endpoint is not "", a
// client of the endpoint at that URL, and what to call it. The client takes
// region and credentials from AWS_REGION, AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
func Open(endpoint string, opts ...memory.Option) (DB, string, error) {
	if endpoint == "" {
		return memory.New(opts...), "embedded engine", nil
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

// Streams returns what reads the streams of a DB that [Open] returned.
func Streams(db DB) ddb.StreamBackend {
	client, ok := db.(*dynamodb.Client)
	if !ok {
		return db.(*memory.DB)
	}
	o := client.Options()
	if u, err := url.Parse(aws.ToString(o.BaseEndpoint)); err == nil && strings.HasSuffix(u.Host, ".amazonaws.com") {
		o.BaseEndpoint = nil // streams have another one, which the SDK knows
	}
	return dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials})
}

// CreateTable makes the table, with what edits change of its definition, unless it
// exists, waits until it can be used, and switches expiry on if an entity has one.
func CreateTable(ctx context.Context, db DB, table *ddb.Table, edits ...func(*dynamodb.CreateTableInput)) error {
	in, err := table.CreateTableInput()
	if err != nil {
		return err
	}
	for _, edit := range edits {
		edit(in)
	}
	var exists *types.ResourceInUseException
	if _, err := db.CreateTable(ctx, in); err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("create table %s: %w", table.Name(), err)
	}
	waiter := dynamodb.NewTableExistsWaiter(db, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = time.Second })
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: in.TableName}, 5*time.Minute); err != nil {
		return fmt.Errorf("wait for table %s: %w", table.Name(), err)
	}
	return switchOnExpiry(ctx, db, table)
}

// WithStream is an edit for [CreateTable]: the table has a stream with the images
// of items before and after each change.
func WithStream(in *dynamodb.CreateTableInput) {
	in.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
}

func switchOnExpiry(ctx context.Context, db DB, table *ddb.Table) error {
	in, err := table.UpdateTimeToLiveInput()
	if in == nil || err != nil {
		return err
	}
	out, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: in.TableName})
	if err != nil {
		return fmt.Errorf("expiry of table %s: %w", table.Name(), err)
	}
	if d := out.TimeToLiveDescription; d != nil && d.TimeToLiveStatus != types.TimeToLiveStatusDisabled {
		return nil // the service refuses what is there already
	}
	if _, err := db.UpdateTimeToLive(ctx, in); err != nil {
		return fmt.Errorf("expiry of table %s: %w", table.Name(), err)
	}
	return nil
}
