package memory_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestNilOptions checks that what is nil leaves a DB as it is without.
func TestNilOptions(t *testing.T) {
	t.Parallel()
	db := memory.New(nil, memory.Clock(nil), memory.Sleeper(nil), memory.WithJournal(nil))
	defer db.Inject(memory.Delay(time.Nanosecond))()
	out, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("Orders"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(aws.ToTime(out.TableDescription.CreationDateTime)); age < -time.Hour || age > time.Hour {
		t.Errorf("the table is %v old, want the time of now", age)
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("Orders"), Item: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "1"}},
	}); err != nil {
		t.Error(err)
	}
}
