package ddb

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// cmpItems compares attribute values.
var cmpItems = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
	types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
)

var _ cmp.Option = cmpItems

// planOf makes the plan of a type without faults.
func planOf(t testing.TB, typ reflect.Type) *structPlan {
	t.Helper()
	return newStructPlan(typ, func(tag, problem string) { t.Fatalf("%s: %s: %s", typ, tag, problem) })
}
