package memory_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/internal/bare"
)

// TestAllocations promises that operations do not begin to allocate more than they
// need: what the response consists of, a stored item, the key, and a few things
// around. It is not parallel, since it counts what the whole process allocates.
func TestAllocations(t *testing.T) {
	db := newDB(t)
	create(t, db, define("Orders", "PK:S", "SK:S"))
	for n := range bare.CollectionSize {
		put(t, db, "Orders", bare.Parcel(n))
	}
	table, key, one := aws.String("Orders"), bare.ParcelKey(42), item{":one": num(1)}
	paid := bare.Parcel(42)
	paid["status"] = str("PAID")
	items := []item{bare.Parcel(42), paid}
	partition := item{":pk": key["PK"]}
	turn := 0
	for _, tt := range []struct {
		name string
		most float64
		call func() error
	}{
		{"GetItem", 18, func() error {
			_, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table, Key: key})
			return err
		}},
		{"PutItem in place of another", 10, func() error {
			turn++
			_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: items[turn%2]})
			return err
		}},
		{"UpdateItem with ADD", 16, func() error {
			_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: table, Key: key, UpdateExpression: aws.String("ADD visits :one"), ExpressionAttributeValues: one,
			})
			return err
		}},
		{"Query of 100", 1350, func() error {
			_, err := db.Query(t.Context(), &dynamodb.QueryInput{
				TableName: table, KeyConditionExpression: aws.String("PK = :pk"), ExpressionAttributeValues: partition,
			})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := testing.AllocsPerRun(100, func() {
				if err := tt.call(); err != nil {
					t.Fatal(err)
				}
			})
			if got > tt.most {
				t.Errorf("%v allocations, want at most %v", got, tt.most)
			}
		})
	}
}
