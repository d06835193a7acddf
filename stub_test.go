package ddb_test

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb"
)

// The SDK's client must fit as it is.
var _ ddb.Backend = (*dynamodb.Client)(nil)

// unreachable is a backend for tests of what happens before any call: calling
// it fails the test by a nil dereference.
type unreachable struct{ ddb.Backend }

// record answers like an empty table and keeps what it was sent.
type record struct {
	ddb.Backend
	sent []any
}

func (r *record) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	r.sent = append(r.sent, in)
	return &dynamodb.GetItemOutput{}, nil
}

func (r *record) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	r.sent = append(r.sent, in)
	return &dynamodb.QueryOutput{}, nil
}

func scanOf(table string) *dynamodb.ScanInput {
	return &dynamodb.ScanInput{TableName: aws.String(table)}
}

// ignoreMarkers leaves the blank marker fields out of comparisons.
var ignoreMarkers = cmpopts.IgnoreTypes(ddb.Entity{}, ddb.Index{})

// contextual answers like an empty table and shows the context of each call.
type contextual struct {
	ddb.Backend
	note func(context.Context)
}

func (c *contextual) GetItem(ctx context.Context, _ *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.note(ctx)
	return &dynamodb.GetItemOutput{}, nil
}
