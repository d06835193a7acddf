package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// values compares SDK values by what they hold.
var values = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberL{},
	types.AttributeValueMemberM{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{},
	types.AttributeValueMemberBS{}, types.Capacity{}, types.ConsumedCapacity{}, types.ItemCollectionMetrics{},
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, values); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

func TestPutGetDelete(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Items", "pk:S", "sk:N"))
	first := item{"pk": str("a"), "sk": num("1.0"), "v": seq(obj(item{"x": boolean(true)}), strs("b", "a"))}
	put(t, db, "Items", first)

	stored := item{"pk": str("a"), "sk": num(1), "v": seq(obj(item{"x": boolean(true)}), strs("a", "b"))}
	diff(t, "item", get(t, db, "Items", item{"pk": str("a"), "sk": num("1e0")}), stored)
	diff(t, "missing item", get(t, db, "Items", item{"pk": str("a"), "sk": num(2)}), item(nil))

	out, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("Items"), Item: item{"pk": str("a"), "sk": num(1), "w": str("new")},
		ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "old image", out.Attributes, stored)
	diff(t, "replaced item", get(t, db, "Items", item{"pk": str("a"), "sk": num(1)}), item{"pk": str("a"), "sk": num(1), "w": str("new")})

	for range 2 {
		if _, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: aws.String("Items"), Key: item{"pk": str("a"), "sk": num(1)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	diff(t, "deleted item", get(t, db, "Items", item{"pk": str("a"), "sk": num(1)}), item(nil))
}

func TestNothingIsShared(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Items", "pk:S"))
	blob := []byte("abc")
	list := []types.AttributeValue{str("x")}
	in := item{"pk": str("a"), "b": &types.AttributeValueMemberB{Value: blob}, "l": &types.AttributeValueMemberL{Value: list}}
	want := item{"pk": str("a"), "b": bin("abc"), "l": seq(str("x"))}
	put(t, db, "Items", in)
	blob[0], list[0] = 'z', str("changed")
	in["c"] = str("added")

	got := get(t, db, "Items", item{"pk": str("a")})
	diff(t, "item after the request was changed", got, want)
	got["b"].(*types.AttributeValueMemberB).Value[0] = 'z'
	got["l"].(*types.AttributeValueMemberL).Value[0] = str("changed")
	diff(t, "item after the response was changed", get(t, db, "Items", item{"pk": str("a")}), want)
}

func TestContextIsOver(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Items", "pk:S"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Items"), Item: item{"pk": str("a")}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	diff(t, "item", get(t, db, "Items", item{"pk": str("a")}), item(nil))
}

func TestConditionFailure(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Items", "pk:S"))
	stored := item{"pk": str("a"), "v": num(1)}
	put(t, db, "Items", stored)
	absent := aws.String("attribute_not_exists(pk)")
	tests := []struct {
		name  string
		key   string
		cond  *string
		shown types.ReturnValuesOnConditionCheckFailure
		want  item
	}{
		{"item shown", "a", absent, types.ReturnValuesOnConditionCheckFailureAllOld, stored},
		{"item not shown", "a", absent, "", nil},
		{"no item to show", "b", aws.String("attribute_exists(pk)"), types.ReturnValuesOnConditionCheckFailureAllOld, nil},
	}
	for _, tt := range tests {
		_, putErr := db.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String("Items"), Item: item{"pk": str(tt.key), "v": num(9)},
			ConditionExpression: tt.cond, ReturnValuesOnConditionCheckFailure: tt.shown,
		})
		_, updateErr := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("Items"), Key: item{"pk": str(tt.key)}, UpdateExpression: aws.String("REMOVE v"),
			ConditionExpression: tt.cond, ReturnValuesOnConditionCheckFailure: tt.shown,
		})
		_, deleteErr := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: aws.String("Items"), Key: item{"pk": str(tt.key)},
			ConditionExpression: tt.cond, ReturnValuesOnConditionCheckFailure: tt.shown,
		})
		for op, err := range map[string]error{"put": putErr, "update": updateErr, "delete": deleteErr} {
			var failed *types.ConditionalCheckFailedException
			if !errors.As(err, &failed) {
				t.Errorf("%s: %s returned %v, want a failed condition", tt.name, op, err)
				continue
			}
			diff(t, tt.name+": "+op+": message", failed.ErrorMessage(), "The conditional request failed")
			diff(t, tt.name+": "+op+": item", failed.Item, tt.want)
		}
	}
	diff(t, "stored item", get(t, db, "Items", item{"pk": str("a")}), stored)
	diff(t, "other item", get(t, db, "Items", item{"pk": str("b")}), item(nil))
}
