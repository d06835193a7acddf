package memory_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// words are the members that hold one of a few words, with those words in the
// order in which messages list them.
var words = map[string]string{
	"ReturnConsumedCapacity":              "[INDEXES, TOTAL, NONE]",
	"ReturnItemCollectionMetrics":         "[SIZE, NONE]",
	"ReturnValues":                        "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
	"ReturnValuesOnConditionCheckFailure": "[ALL_OLD, NONE]",
	"Select":                              "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
	"ConditionalOperator":                 "[OR, AND]",
	"BillingMode":                         "[PROVISIONED, PAY_PER_REQUEST]",
	"TableClass":                          "[STANDARD, STANDARD_INFREQUENT_ACCESS]",
}

// calling calls an operation by its name.
func calling(operation string, request any) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		out := reflect.ValueOf(db).MethodByName(operation).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(request)})
		err, _ := out[1].Interface().(error)
		return err
	}
}

// soundByOperation returns the first sound request of each operation.
func soundByOperation() map[string]reflect.Value {
	requests := make(map[string]reflect.Value)
	for _, request := range sound() {
		v := reflect.ValueOf(request).Elem()
		operation := strings.TrimSuffix(v.Type().Name(), "Input")
		if _, there := requests[operation]; !there {
			requests[operation] = v
		}
	}
	return requests
}

// TestWords gives each member of each operation that holds one of a few words
// another one.
func TestWords(t *testing.T) {
	t.Parallel()
	var tests []refusal
	for operation, v := range soundByOperation() {
		for member, list := range words {
			f := v.FieldByName(member)
			if !f.IsValid() {
				continue
			}
			spoilt := reflect.New(v.Type())
			spoilt.Elem().Set(v)
			spoilt.Elem().FieldByName(member).SetString("X")
			want := fmt.Sprintf("%sValue 'X' at '%s' failed to satisfy constraint: Member must satisfy enum value set: %s", one, lowered(member), list)
			switch {
			case member == "ReturnValues":
				want = one + "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
			case member == "ConditionalOperator" && operation == "Query":
				want = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
			case member == "ConditionalOperator" && operation != "Scan":
				want = one + "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
			}
			tests = append(tests, refusal{name: operation + " " + member, call: calling(operation, spoilt.Interface()), want: want})
		}
	}
	refuse(t, seedPlain, tests)
}

// TestTableNames gives each operation that takes the name of one table names that
// no table has.
func TestTableNames(t *testing.T) {
	t.Parallel()
	const failed = " failed to satisfy constraint: "
	long := strings.Repeat("n", 256)
	var tests []refusal
	for operation, v := range soundByOperation() {
		if !v.FieldByName("TableName").IsValid() {
			continue
		}
		// What is said of a missing, an empty, a long and an odd name.
		texts := map[string]string{
			"":     one + "Value '' at 'tableName'" + failed + "Member must have length greater than or equal to 1",
			long:   one + "Value '" + long + "' at 'tableName'" + failed + "Member must have length less than or equal to 255",
			"abc;": one + "Value 'abc;' at 'tableName'" + failed + "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
		}
		missing := one + "Value null at 'tableName'" + failed + "Member must not be null"
		switch operation {
		case "PutItem", "UpdateItem", "DeleteItem":
			texts[""] = noName
		case "CreateTable":
			texts[""] = one + "Value '' at 'tableName'" + failed + "Member must have length greater than or equal to 3"
			missing = "The parameter 'TableName' is required but was not present in the request"
		case "UpdateTable", "UpdateTimeToLive":
			texts[""] = "TableName must be at least 3 characters long and at most 255 characters long"
			texts[long] = texts[""]
			missing = "The parameter 'TableName' is required but was not present in the request"
		}
		named := func(name *string) func(context.Context, *memory.DB) error {
			spoilt := reflect.New(v.Type())
			spoilt.Elem().Set(v)
			spoilt.Elem().FieldByName("TableName").Set(reflect.ValueOf(name))
			return calling(operation, spoilt.Interface())
		}
		tests = append(tests, refusal{name: operation + " without a name", call: named(nil), want: missing})
		for name, want := range texts {
			tests = append(tests, refusal{name: operation + fmt.Sprintf(" with a name of %d characters", len(name)), call: named(aws.String(name)), want: want})
		}
	}
	refuse(t, seedPlain, tests)
}

// lowered returns a member's name as messages write it.
func lowered(member string) string { return strings.ToLower(member[:1]) + member[1:] }

// TestRequiredMembers leaves out what must be there.
func TestRequiredMembers(t *testing.T) {
	t.Parallel()
	null := func(member string) string {
		return one + "Value null at '" + member + "' failed to satisfy constraint: Member must not be null"
	}
	refuse(t, seedPlain, []refusal{
		{"PutItem Item", putCall(dynamodb.PutItemInput{TableName: hashTable}), "", null("item")},
		{"UpdateItem Key", updateCall(dynamodb.UpdateItemInput{TableName: hashTable}), "", null("key")},
		{"DeleteItem Key", deleteCall(dynamodb.DeleteItemInput{TableName: hashTable}), "", null("key")},
		{"GetItem Key", getCall(dynamodb.GetItemInput{TableName: hashTable}), "", null("key")},
		{"BatchWriteItem RequestItems", batchWriteCall(dynamodb.BatchWriteItemInput{}), "", null("requestItems")},
		{"CreateTable KeySchema and AttributeDefinitions", createCall(&dynamodb.CreateTableInput{TableName: aws.String("New")}), "",
			"2 validation errors detected: Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be null; " +
				"Value null at 'keySchema' failed to satisfy constraint: Member must not be null"},
		{"UpdateTimeToLive TimeToLiveSpecification", calling("UpdateTimeToLive", &dynamodb.UpdateTimeToLiveInput{TableName: hashTable}), "",
			null("timeToLiveSpecification")},
		{"TagResource Tags", calling("TagResource", &dynamodb.TagResourceInput{ResourceArn: aws.String("arn:x")}), "", null("tags")},
		{"ListTagsOfResource ResourceArn", calling("ListTagsOfResource", &dynamodb.ListTagsOfResourceInput{}), "", null("resourceArn")},
	})
}

// TestAtMostTenAreListed makes more violations than messages list.
func TestAtMostTenAreListed(t *testing.T) {
	t.Parallel()
	in := define("New", "pk:S")
	for range 12 {
		addDefinitions(in, []string{fmt.Sprint("a", len(in.AttributeDefinitions))}, []string{"X"})
	}
	var want []string
	for i := range 10 {
		want = append(want, fmt.Sprintf("Value 'X' at 'attributeDefinitions.%d.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]", i+2))
	}
	refuse(t, seedPlain, []refusal{{"definitions", createCall(in), "", "10 validation errors detected: " + strings.Join(want, "; ")}})
}

func TestStreamSpecificationRefusals(t *testing.T) {
	t.Parallel()
	const (
		view    = "Value 'X' at 'streamSpecification.streamViewType' failed to satisfy constraint: Member must satisfy enum value set: [NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]"
		enabled = "Value null at 'streamSpecification.streamEnabled' failed to satisfy constraint: Member must not be null"
	)
	in := define("New", "pk:S")
	in.StreamSpecification = &types.StreamSpecification{StreamViewType: "X"}
	refuse(t, seedPlain, []refusal{
		{"CreateTable", createCall(in), "", "2 validation errors detected: " + enabled + "; " + view},
		{"UpdateTable", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: "X"}}), "", one + view},
	})
}
