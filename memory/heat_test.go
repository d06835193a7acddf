package memory_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestHeatByOperation: what each operation on items adds to the counts of the
// partition key "a" of the table and of "OPEN" in the index.
func TestHeatByOperation(t *testing.T) {
	t.Parallel()
	table := aws.String("Orders")
	whole := item{"pk": str("a"), "n": num(5), "status": str("OPEN")} // 3 + 3 + 10 bytes, as its entry
	const size = 16
	tests := []struct {
		name         string
		call         dbCall
		table, index memory.Served
	}{
		{"PutItem", putCall(dynamodb.PutItemInput{TableName: table, Item: whole}),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}},
		{"PutItem of the same", putCall(dynamodb.PutItemInput{TableName: table, Item: item{"pk": str("a"), "n": num(1), "status": str("OPEN")}}),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{}},
		{"UpdateItem", addCall("Orders", "a"),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}},
		{"UpdateItem that moves the entry", updateCall(dynamodb.UpdateItemInput{TableName: table, Key: keyOf("a"), UpdateExpression: aws.String("SET #s = :s"),
			ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: item{":s": str("DONE")}}),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}},
		{"UpdateItem whose condition fails", updateCall(dynamodb.UpdateItemInput{TableName: table, Key: keyOf("a"), ConditionExpression: aws.String("n = pk")}),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{}},
		{"DeleteItem", deleteCall(dynamodb.DeleteItemInput{TableName: table, Key: keyOf("a")}),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}},
		{"GetItem", readCall("Orders", "a"), memory.Served{Requests: 1, ReadUnits: 0.5, Bytes: size, Examined: 1}, memory.Served{}},
		{"consistent GetItem", getCall(dynamodb.GetItemInput{TableName: table, Key: keyOf("a"), ConsistentRead: aws.Bool(true)}),
			memory.Served{Requests: 1, ReadUnits: 1, Bytes: size, Examined: 1}, memory.Served{}},
		{"Query", queryCall(dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :a"), ExpressionAttributeValues: item{":a": str("a")}}),
			memory.Served{Requests: 1, ReadUnits: 0.5, Bytes: size, Examined: 1}, memory.Served{}},
		{"Query of the index", queryCall(dynamodb.QueryInput{TableName: table, IndexName: aws.String("byStatus"), KeyConditionExpression: aws.String("#s = :s"),
			ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: item{":s": str("OPEN")}}),
			memory.Served{}, memory.Served{Requests: 1, ReadUnits: 0.5, Bytes: 2 * size, Examined: 2}},
		{"Scan", scanCall(dynamodb.ScanInput{TableName: table}), memory.Served{}, memory.Served{}},
		{"BatchGetItem", readBatchCall(map[string][]string{"Orders": {"a"}}), memory.Served{Requests: 1, ReadUnits: 0.5, Bytes: size, Examined: 1}, memory.Served{}},
		{"BatchWriteItem", batchWriteCall(dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Orders": {deleteRequest(keyOf("a"))}}}),
			memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}, memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}},
		{"TransactGetItems", transactGetCall(getAction("Orders", "a")), memory.Served{Requests: 1, ReadUnits: 2, Bytes: size, Examined: 1}, memory.Served{}},
		{"TransactWriteItems", transactCall(putAction("Orders", whole)),
			memory.Served{Requests: 1, WriteUnits: 2, Bytes: size}, memory.Served{Requests: 1, WriteUnits: 1, Bytes: size}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := faultDB(t, memory.TrackHeat(100))
			before := db.Heat("Orders")
			if err := tt.call(t.Context(), db); err != nil && !is[*types.ConditionalCheckFailedException](err) {
				t.Fatal(err)
			}
			after := db.Heat("Orders")
			diff(t, "the table", minus(heatOf(after, keyOf("a")), heatOf(before, keyOf("a"))), tt.table)
			open := item{"status": str("OPEN")}
			diff(t, "the index", minus(heatOf(after.Indexes[0], open), heatOf(before.Indexes[0], open)), tt.index)
		})
	}
}

func heatOf(h memory.Heat, key item) memory.Served {
	k, _ := h.Key(key)
	return k.Served
}

func minus(a, b memory.Served) memory.Served {
	return memory.Served{
		Requests: a.Requests - b.Requests, Throttled: a.Throttled - b.Throttled,
		ReadUnits: a.ReadUnits - b.ReadUnits, WriteUnits: a.WriteUnits - b.WriteUnits, Bytes: a.Bytes - b.Bytes,
		Examined: a.Examined - b.Examined,
	}
}

// TestHeatReport: partitions are all there in their order and add up to the
// total; keys come the hottest first, equally hot ones by value; scans count for
// partitions alone.
func TestHeatReport(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.TrackHeat(100), memory.Partitions(4))
	create(t, db, withGSI(define("Logs", "day:N", "n:N"), "byLevel", []string{"level:S", "day:N"}, []string{"n:N"}, "-"))
	for n := range 12 {
		for range n % 4 {
			put(t, db, "Logs", item{"day": num(n % 4), "n": num(n), "level": str("INFO")})
		}
	}
	wantError(t, "the scan", scanCall(dynamodb.ScanInput{TableName: aws.String("Logs")})(t.Context(), db), "none")
	h := db.Heat("Logs")
	if h.Name != "Logs" || len(h.Partitions) != 4 || len(h.Indexes) != 1 || h.Indexes[0].Name != "byLevel" {
		t.Fatalf("the report is %+v", h)
	}
	var sum memory.Served
	for _, p := range h.Partitions {
		sum = minus(sum, minus(memory.Served{}, p))
	}
	diff(t, "the sum of the partitions", sum, h.Total)
	var keys memory.Served
	order := ""
	for _, k := range h.Keys {
		order += fmt.Sprint(" ", k.Key["day"].(*types.AttributeValueMemberN).Value, ":", k.WriteUnits)
		keys = minus(keys, minus(memory.Served{}, k.Served))
		diff(t, "what a key inherited", k.Inherited, memory.Served{})
	}
	if want := " 3:9 2:6 1:3"; order != want {
		t.Errorf("the keys are%s, want%s", order, want)
	}
	scanned := minus(h.Total, keys)
	if scanned.ReadUnits != 0.5 || scanned.WriteUnits != 0 || scanned.Examined != 9 {
		t.Errorf("beside the keys there are %+v, want one scan of nine items for half a unit", scanned)
	}
	diff(t, "the top", h.Top(2), h.Keys[:2])
	diff(t, "the top of many", h.Top(99), h.Keys)
	diff(t, "the top of none", len(h.Top(-1)), 0)
	diff(t, "a key by another form", heatOf(h, item{"day": num("3.0")}), h.Keys[0].Served)
	if _, found := h.Key(item{"day": num(0)}); found {
		t.Error("a key without requests is counted")
	}
	if _, found := h.Key(item{"day": nil}); found {
		t.Error("a faulty key is found")
	}
	diff(t, "a key of two attributes", h.Indexes[0].Keys[0].Key, item{"level": str("INFO"), "day": num(1)})
	diff(t, "the same report again", db.Heat("Logs"), h)
}

// TestHeatOfNothing: there is nothing to report of a missing table, or where
// nobody counts.
func TestHeatOfNothing(t *testing.T) {
	t.Parallel()
	for name, db := range map[string]*memory.DB{
		"counting": newDB(t, memory.TrackHeat(1)), "not counting": newDB(t), "throttling": newDB(t, memory.Throttling()),
	} {
		create(t, db, define("Some", "pk:S"))
		put(t, db, "Some", keyOf("a"))
		diff(t, name, db.Heat("None"), memory.Heat{})
		if name != "counting" {
			diff(t, name, db.Heat("Some"), memory.Heat{})
		}
	}
}

// TestHeatOfThrottling: refused requests count for the partition and the key that
// they were for, in the index if that refused them.
func TestHeatOfThrottling(t *testing.T) {
	t.Parallel()
	db, _ := newTimedDB(t, memory.TrackHeat(100), memory.Throttling())
	in := provisioned(withGSI(define("Posts", "pk:S"), "byState", []string{"state:S"}, nil), 1, 10)
	in.GlobalSecondaryIndexes[0].ProvisionedThroughput = throughput(1, 2)
	create(t, db, in)
	call := func(n int) error {
		return putCall(dynamodb.PutItemInput{TableName: aws.String("Posts"), Item: item{"pk": str("a"), "state": str("OPEN"), "n": num(n)}})(t.Context(), db)
	}
	for n := range 5 {
		_ = call(n)
	}
	for range 3 {
		_ = readCall("Posts", "a")(t.Context(), db)
	}
	h := db.Heat("Posts")
	const size = 3 + 9 + 3
	diff(t, "the table", heatOf(h, keyOf("a")),
		memory.Served{Requests: 4, Throttled: 1, ReadUnits: 1, WriteUnits: 2, Bytes: 4*size - 1, Examined: 2})
	diff(t, "the index", heatOf(h.Indexes[0], item{"state": str("OPEN")}),
		memory.Served{Requests: 2, Throttled: 3, WriteUnits: 2, Bytes: 2*size - 1})
	diff(t, "its total", h.Indexes[0].Total, heatOf(h.Indexes[0], item{"state": str("OPEN")}))
}

// TestHeatIsBounded: with room for few keys, a hot one is found among many cold
// ones, and what it inherited bounds its error.
func TestHeatIsBounded(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.TrackHeat(10))
	create(t, db, define("Many", "pk:S"))
	for n := range 2000 {
		put(t, db, "Many", keyOf(fmt.Sprint("cold", n)))
		if n%4 == 0 {
			put(t, db, "Many", keyOf("hot"))
		}
	}
	h := db.Heat("Many")
	if len(h.Keys) != 10 {
		t.Fatalf("%d keys are counted, want 10", len(h.Keys))
	}
	diff(t, "the hottest", h.Keys[0].Key, keyOf("hot"))
	for _, k := range h.Keys {
		least := k.WriteUnits - k.Inherited.WriteUnits
		truth := 1.0
		if k.Key["pk"].(*types.AttributeValueMemberS).Value == "hot" {
			truth = 500
		}
		if least > truth || k.WriteUnits < truth {
			t.Errorf("a key has %v units, of which %v are inherited; in truth %v", k.WriteUnits, k.Inherited.WriteUnits, truth)
		}
	}
}

// TestHeatSharesNothing: a report can be changed without harm.
func TestHeatSharesNothing(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.TrackHeat(10))
	create(t, db, define("Some", "pk:S"))
	put(t, db, "Some", keyOf("a"))
	h := db.Heat("Some")
	h.Keys[0].Key["pk"].(*types.AttributeValueMemberS).Value = "b"
	h.Partitions[0].Requests = 100
	diff(t, "the next report", db.Heat("Some").Keys[0].Key, keyOf("a"))
}
