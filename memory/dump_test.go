package memory_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestItems: the items come in the order of a Scan and belong to the caller,
// whatever faults are injected, and nobody counts them.
func TestItems(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.TrackHeat(10))
	create(t, db, define("Orders", "pk:S", "n:N"))
	for n := range 50 {
		put(t, db, "Orders", item{"pk": str(string(rune('a' + n%7))), "n": num(n), "list": seq(num(n))})
	}
	scan, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Orders")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Inject(memory.LoseReply())()
	before := db.Heat("Orders")
	got := slices.Collect(db.Items("Orders"))
	diff(t, "the items", got, scan.Items)
	diff(t, "the heat", db.Heat("Orders"), before)

	for _, it := range got {
		it["list"].(*types.AttributeValueMemberL).Value[0] = str("changed")
		delete(it, "n")
	}
	diff(t, "the items again", slices.Collect(db.Items("Orders")), scan.Items)

	for range db.Items("Orders") {
		put := dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: item{"pk": str("a"), "n": num(0)}}
		_ = putCall(put)(t.Context(), db) // nothing is locked meanwhile
		break
	}
	for range db.Items("None") {
		t.Error("a table that does not exist has an item")
	}
}
