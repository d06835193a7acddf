package durable_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/durable"
)

func streamed(in *dynamodb.CreateTableInput) *dynamodb.CreateTableInput {
	in.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	return in
}

// records returns all records of a table's latest stream in the order of their
// numbers.
func records(t *testing.T, db *memory.DB, table string) []streamtypes.Record {
	t.Helper()
	d, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	arn := d.Table.LatestStreamArn
	s, err := db.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	var all []streamtypes.Record
	for _, sh := range s.StreamDescription.Shards {
		it, err := db.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
			StreamArn: arn, ShardId: sh.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, drain(t, db, it.ShardIterator)...)
	}
	slices.SortFunc(all, func(a, b streamtypes.Record) int {
		return cmp.Compare(*a.Dynamodb.SequenceNumber, *b.Dynamodb.SequenceNumber)
	})
	return all
}

func drain(t *testing.T, db *memory.DB, iterator *string) (all []streamtypes.Record) {
	t.Helper()
	for iterator != nil {
		out, err := db.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Records) == 0 {
			return all
		}
		all, iterator = append(all, out.Records...), out.NextShardIterator
	}
	return all
}

// checkStream replays the stream of the table that the workers write to: each
// record must follow on the one before, and all make what is in the table.
func checkStream(t *testing.T, db *memory.DB) {
	t.Helper()
	replica := make(map[string]string)
	for _, r := range records(t, db, tableName) {
		pk := r.Dynamodb.Keys["pk"].(*streamtypes.AttributeValueMemberS).Value
		if got := shown(r.Dynamodb.OldImage); got != replica[pk] {
			t.Fatalf("%s of %s follows on %q, and tells of %q", r.EventName, pk, replica[pk], got)
		}
		if replica[pk] = shown(r.Dynamodb.NewImage); replica[pk] == "" {
			delete(replica, pk)
		}
	}
	out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	if err != nil {
		t.Fatal(err)
	}
	table := make(map[string]string)
	for _, it := range out.Items {
		counts := ""
		for _, name := range []string{"v", "n"} {
			if v, ok := it[name].(*types.AttributeValueMemberN); ok {
				counts += name + "=" + v.Value
			}
		}
		table[it["pk"].(*types.AttributeValueMemberS).Value] = "item " + counts
	}
	if d := gocmp.Diff(table, replica); d != "" {
		t.Errorf("table and replica (-table +replica):\n%s", d)
	}
}

// shown is an image in short; nothing for none.
func shown(image map[string]streamtypes.AttributeValue) string {
	if image == nil {
		return ""
	}
	counts := ""
	for _, name := range []string{"v", "n"} {
		if v, ok := image[name].(*streamtypes.AttributeValueMemberN); ok {
			counts += name + "=" + v.Value
		}
	}
	return "item " + counts
}

// Streams come back with their records and positions, and settings of expiry, from
// the log and from a snapshot, also with another number of partitions; readers go
// on where they were.
func TestStreamsComeBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Unix(1_700_000_000, 0)
	open := func(partitions int) *durable.Store {
		t.Helper()
		store, err := durable.Open(dir, durable.SnapshotAfter(1), durable.Engine(
			memory.Clock(func() time.Time { return now }), memory.Partitions(partitions)))
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	store := open(4)
	in := streamed(definition(tableName))
	if _, err := store.DB().CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := store.DB().UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(tableName), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("v"), Enabled: aws.Bool(true)},
	}); err != nil {
		t.Fatal(err)
	}
	put := func(n int) {
		t.Helper()
		if _, err := store.DB().PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String(tableName), Item: item{"pk": str(fmt.Sprint(n % 7)), "v": num(int(now.Unix()) + n)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	for start := range 4 {
		for n := range 20 {
			put(start*20 + n)
		}
		before := records(t, store.DB(), tableName)
		if start == 3 {
			now = now.Add(time.Hour)
			if n, err := store.DB().Expire(t.Context()); n != 7 || err != nil {
				t.Errorf("%d items expired after the start: %v", n, err)
			}
			before = records(t, store.DB(), tableName)
			if last := before[len(before)-1]; last.UserIdentity == nil || *last.UserIdentity.PrincipalId != "dynamodb.amazonaws.com" {
				t.Errorf("the last record is %+v", last)
			}
		}
		closeStore(t, store)
		store = open([]int{4, 1, 16, 4}[start])
		after := records(t, store.DB(), tableName)
		ignored := gocmp.FilterPath(func(p gocmp.Path) bool { return p.Last().String() == ".noSmithyDocumentSerde" }, gocmp.Ignore())
		if d := gocmp.Diff(before, after, ignored); d != "" {
			t.Fatalf("records (-before +after):\n%s", d)
		}
		checkStream(t, store.DB())
	}
	closeStore(t, store)
}
