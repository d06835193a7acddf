package durable_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var kills = flag.Int("kills", 10, "how often TestKill kills a process")

// childVariable makes this binary the process that tests kill, instead of running
// tests.
const childVariable = "DDB_DURABLE_CHILD"

func TestMain(m *testing.M) {
	if order := os.Getenv(childVariable); order != "" {
		if err := child(order); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(n int) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }

const tableName = "Kept"

// definition is a table with an index on v.
func definition(name string) *dynamodb.CreateTableInput {
	attribute := func(n string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(n), AttributeType: kind}
	}
	key := func(n string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: aws.String(n), KeyType: types.KeyTypeHash}}
	}
	return &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest, KeySchema: key("pk"),
		AttributeDefinitions: []types.AttributeDefinition{attribute("pk", types.ScalarAttributeTypeS), attribute("v", types.ScalarAttributeTypeN)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-v"), KeySchema: key("v"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}
}
