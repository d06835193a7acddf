package bench_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	minidyn "github.com/truora/minidyn/aws-v2/client"

	"github.com/seed530093c6/ddb/internal/bare"
	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory"
)

// engine is what both engines and the SDK's client have in common.
type engine interface {
	api
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// parcels is the table of the parcels of package bare.
func parcels() *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: aws.String("Parcels"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
	}
}

func fill(b *testing.B, e engine, from, to int) {
	b.Helper()
	for n := from; n < to; n++ {
		if _, err := e.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String("Parcels"), Item: bare.Parcel(n)}); err != nil {
			b.Fatal(err)
		}
	}
}

// engineCalls are the calls that engines are measured by, on a table of so many
// parcels. n counts them.
var engineCalls = []struct {
	name string
	call func(ctx context.Context, e engine, items, n int) error
}{
	{"GetItem", func(ctx context.Context, e engine, items, n int) error {
		_, err := e.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("Parcels"), Key: bare.ParcelKey(spread(n, items))})
		return err
	}},
	{"PutItem", func(ctx context.Context, e engine, items, n int) error {
		it := bare.Parcel(spread(n, items))
		it["status"] = &types.AttributeValueMemberS{Value: []string{"OPEN", "PAID"}[n%2]}
		_, err := e.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Parcels"), Item: it})
		return err
	}},
	{"UpdateItem", func(ctx context.Context, e engine, items, n int) error {
		_, err := e.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String("Parcels"), Key: bare.ParcelKey(spread(n, items)),
			UpdateExpression:          aws.String("ADD visits :one"),
			ExpressionAttributeValues: item{":one": &types.AttributeValueMemberN{Value: "1"}},
		})
		return err
	}},
	{"Query100", func(ctx context.Context, e engine, items, n int) error {
		out, err := e.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String("Parcels"), KeyConditionExpression: aws.String("PK = :pk AND begins_with(SK, :sk)"),
			ExpressionAttributeValues: item{
				":pk": bare.ParcelKey(spread(n, items))["PK"], ":sk": &types.AttributeValueMemberS{Value: "ORDER#"},
			},
		})
		if err != nil {
			return err
		}
		return count(len(out.Items))
	}},
}

// spread walks over the parcels in an order that is none of a table's.
func spread(n, items int) int { return n * 7919 % items }

// BenchmarkEngine makes the same calls to the engine and to minidyn, which simulates
// DynamoDB in process as well. The making of requests counts. Against the least that
// a table can be, the engine is measured beside its code.
func BenchmarkEngine(b *testing.B) {
	const items = 1_000
	for _, c := range engineCalls {
		on := func(name string, start func() engine) versus.Side {
			return versus.Side{Name: name, Setup: func(b *testing.B) func(int) {
				e := start()
				if _, err := e.CreateTable(b.Context(), parcels()); err != nil {
					b.Fatal(err)
				}
				fill(b, e, 0, items)
				return func(n int) {
					if err := c.call(b.Context(), e, items, n); err != nil {
						b.Fatal(err)
					}
				}
			}}
		}
		b.Run("op="+c.name, func(b *testing.B) {
			versus.Run(b,
				on("ddb", func() engine { return memory.New() }),
				on("minidyn", func() engine { return minidyn.NewClient() }))
		})
	}
}
