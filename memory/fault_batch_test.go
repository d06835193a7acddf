package memory_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb/memory"
)

// TestUnprocessedItems: elements of a batch write come back as they were
// requested, the rest is done.
func TestUnprocessedItems(t *testing.T) {
	t.Parallel()
	requests := func() map[string][]types.WriteRequest {
		return map[string][]types.WriteRequest{
			"Orders": {putRequest(item{"pk": str("c"), "n": num(3)}), deleteRequest(keyOf("a"))},
			"Stock":  {putRequest(item{"pk": str("d"), "n": num(4)}), deleteRequest(keyOf("b"))},
		}
	}
	of := func(table string, list ...types.WriteRequest) map[string][]types.WriteRequest {
		return map[string][]types.WriteRequest{table: list}
	}
	tests := []struct {
		name  string
		fault memory.Fault
		want  map[string][]types.WriteRequest
	}{
		{"none", memory.Unprocessed(0), map[string][]types.WriteRequest{}},
		{"the last", memory.Unprocessed(1), of("Stock", deleteRequest(keyOf("b")))},
		{"the last three", memory.Unprocessed(3), map[string][]types.WriteRequest{
			"Orders": requests()["Orders"][1:], "Stock": requests()["Stock"],
		}},
		{"one in the middle", memory.UnprocessedIf(memory.IsItem("Orders", keyOf("a"))), of("Orders", deleteRequest(keyOf("a")))},
		{"one that is not there", memory.UnprocessedIf(memory.IsItem("Orders", keyOf("b"))), map[string][]types.WriteRequest{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t)
			stop := db.Inject(tt.fault)
			out, err := db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: requests()})
			if err != nil {
				t.Fatal(err)
			}
			diffRequests(t, out.UnprocessedItems, tt.want)
			stop()
			left := 0
			for _, list := range out.UnprocessedItems {
				left += len(list)
			}
			done := 0
			for _, check := range []struct {
				table, pk string
				there     bool
			}{{"Orders", "c", true}, {"Orders", "a", false}, {"Stock", "d", true}, {"Stock", "b", false}} {
				if (get(t, db, check.table, keyOf(check.pk)) != nil) == check.there {
					done++
				}
			}
			if done+left != 4 {
				t.Errorf("%d elements are done and %d left of 4", done, left)
			}
		})
	}
}

func diffRequests(t testing.TB, got, want map[string][]types.WriteRequest) {
	t.Helper()
	requests := cmpopts.IgnoreUnexported(types.WriteRequest{}, types.PutRequest{}, types.DeleteRequest{})
	if d := cmp.Diff(want, got, values, requests); d != "" {
		t.Errorf("unprocessed items differ (-want +got):\n%s", d)
	}
}

// TestUnprocessedKeys: keys of a batch read come back with the parameters of
// their table.
func TestUnprocessedKeys(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.UnprocessedIf(memory.IsItem("Orders", keyOf("a"))))()
	out, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"Orders": {
			Keys: []item{keyOf("a"), keyOf("b")}, ConsistentRead: aws.Bool(true),
			ProjectionExpression: aws.String("#n"), ExpressionAttributeNames: map[string]string{"#n": "n"},
		},
		"Stock": {Keys: []item{keyOf("a")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "responses", out.Responses["Orders"], []item{{"n": num(2)}})
	if n := len(out.Responses["Stock"]); n != 1 {
		t.Errorf("%d items of the other table, want 1", n)
	}
	if len(out.UnprocessedKeys) != 1 {
		t.Fatalf("unprocessed keys of %d tables, want 1", len(out.UnprocessedKeys))
	}
	again := out.UnprocessedKeys["Orders"]
	diff(t, "keys", again.Keys, []item{keyOf("a")})
	if !*again.ConsistentRead || *again.ProjectionExpression != "#n" || again.ExpressionAttributeNames["#n"] != "n" {
		t.Errorf("the parameters are not repeated: %+v", again)
	}
}

// TestNothingProcessed: a batch of which nothing is done fails as if throttled.
func TestNothingProcessed(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	defer db.Inject(memory.Unprocessed(100))()
	calls := itemCalls("Stock")
	wantError(t, "the write", calls["BatchWriteItem"](t.Context(), db),
		provisionedTable+"\nTableWriteProvisionedThroughputExceeded"+arns+"Stock")
	wantError(t, "the read", itemCalls("Orders")["BatchGetItem"](t.Context(), db),
		onDemandTable+"\nTableReadKeyRangeThroughputExceeded"+arns+"Orders")
	for _, name := range []string{"PutItem", "GetItem", "TransactWriteItems"} {
		wantError(t, name, calls[name](t.Context(), db), "none")
	}
}

// TestUnprocessedBehindFullBatch: what is left undone for want of room does not
// shift what a fault chooses.
func TestUnprocessedBehindFullBatch(t *testing.T) {
	t.Parallel()
	db := faultDB(t)
	keys := map[string]types.KeysAndAttributes{}
	var all []item
	for n := range 45 {
		key := keyOf(fmt.Sprint("big", n))
		all = append(all, key)
		wantError(t, "the put", replaceCall("Orders", fmt.Sprint("big", n), 400<<10, nil)(t.Context(), db), "none")
	}
	keys["Orders"] = types.KeysAndAttributes{Keys: all}
	keys["Stock"] = types.KeysAndAttributes{Keys: []item{keyOf("none"), keyOf("left"), keyOf("nothing")}}
	defer db.Inject(memory.UnprocessedIf(memory.IsItem("Stock", keyOf("left"))))()
	out, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: keys})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "the keys without room", out.UnprocessedKeys["Orders"].Keys, all[40:])
	diff(t, "the keys of the fault", out.UnprocessedKeys["Stock"].Keys, []item{keyOf("left")})
}
