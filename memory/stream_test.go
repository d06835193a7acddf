package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb/memory"
)

// streamed defines a table with a stream.
func streamed(in *dynamodb.CreateTableInput, view types.StreamViewType) *dynamodb.CreateTableInput {
	in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: view}
	return in
}

// switchStream enables the stream of a table, or without a view disables it.
func switchStream(table string, view types.StreamViewType) dynamodb.UpdateTableInput {
	return dynamodb.UpdateTableInput{TableName: aws.String(table), StreamSpecification: &types.StreamSpecification{
		StreamEnabled: aws.Bool(view != ""), StreamViewType: view,
	}}
}

// asking is what readers of streams need of a test, be it of rapid or not.
type asking interface {
	Context() context.Context
	Fatalf(string, ...any)
	Helper()
}

func latestStream(t asking, db *memory.DB, table string) string {
	t.Helper()
	out, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatalf("describe %s: %v", table, err)
	}
	return aws.ToString(out.Table.LatestStreamArn)
}

func describeStream(t asking, db *memory.DB, arn string) *streamtypes.StreamDescription {
	t.Helper()
	out, err := db.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn)})
	if err != nil {
		t.Fatalf("describe %s: %v", arn, err)
	}
	return out.StreamDescription
}

// shardsOf returns all shards, page by page.
func shardsOf(t asking, db *memory.DB, arn string, limit int32) []streamtypes.Shard {
	t.Helper()
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn), Limit: aws.Int32(limit)}
	var all []streamtypes.Shard
	for {
		out, err := db.DescribeStream(t.Context(), in)
		if err != nil {
			t.Fatalf("describe %s: %v", arn, err)
		}
		all = append(all, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return all
		}
	}
}

func iteratorOf(t asking, db *memory.DB, in dynamodbstreams.GetShardIteratorInput) *string {
	t.Helper()
	out, err := db.GetShardIterator(t.Context(), &in)
	if err != nil {
		t.Fatalf("iterator of %s: %v", aws.ToString(in.ShardId), err)
	}
	return out.ShardIterator
}

// drain reads until there is nothing more, limit records a call, and reports
// whether the shard is closed.
func drain(t asking, db *memory.DB, iterator *string, limit int32) ([]streamtypes.Record, bool) {
	t.Helper()
	var all []streamtypes.Record
	for iterator != nil {
		out, err := db.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(limit)})
		if err != nil {
			t.Fatalf("records: %v", err)
		}
		if out.NextShardIterator != nil && len(out.Records) == 0 {
			return all, false
		}
		all, iterator = append(all, out.Records...), out.NextShardIterator
	}
	return all, true
}

// recordsOf returns all records of a stream in the order of their numbers.
func recordsOf(t asking, db *memory.DB, arn string) []streamtypes.Record {
	t.Helper()
	var all []streamtypes.Record
	for _, sh := range shardsOf(t, db, arn, 100) {
		records, _ := drain(t, db, iteratorOf(t, db, dynamodbstreams.GetShardIteratorInput{
			StreamArn: aws.String(arn), ShardId: sh.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		}), 1000)
		all = append(all, records...)
	}
	slices.SortFunc(all, func(a, b streamtypes.Record) int {
		return strings.Compare(*a.Dynamodb.SequenceNumber, *b.Dynamodb.SequenceNumber)
	})
	return all
}

// image is the short form of an image in tests: attributes as name=value.
func image(m map[string]streamtypes.AttributeValue) string {
	if m == nil {
		return "none"
	}
	var parts []string
	for name, v := range m {
		switch v := v.(type) {
		case *streamtypes.AttributeValueMemberS:
			parts = append(parts, name+"="+v.Value)
		case *streamtypes.AttributeValueMemberN:
			parts = append(parts, name+"="+v.Value)
		default:
			parts = append(parts, fmt.Sprintf("%s=%T", name, v))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// brief is the short form of a record in tests.
func brief(r streamtypes.Record) string {
	s := fmt.Sprintf("%s %s: %s -> %s", r.EventName, image(r.Dynamodb.Keys), image(r.Dynamodb.OldImage), image(r.Dynamodb.NewImage))
	if r.UserIdentity != nil {
		s += " by " + *r.UserIdentity.Type + " " + *r.UserIdentity.PrincipalId
	}
	return s
}

func briefs(records []streamtypes.Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = brief(r)
	}
	return out
}

// Every kind of write, to an item that is not there, one that is equal to what is
// written, and one that differs, leaves the record that the view type shows, or
// none where nothing changes.
func TestStreamRecords(t *testing.T) {
	t.Parallel()
	const table = "Tab"
	key := item{"pk": str("a")}
	with := func(v string) item { return item{"pk": str("a"), "v": str(v)} }
	setV := func(v string) *dynamodb.UpdateItemInput {
		return &dynamodb.UpdateItemInput{
			TableName: aws.String(table), Key: key, UpdateExpression: aws.String("SET v = :v"), ExpressionAttributeValues: item{":v": str(v)},
		}
	}
	update := func(in *dynamodb.UpdateItemInput) func(context.Context, *memory.DB) error { return updateCall(*in) }
	batch := func(w types.WriteRequest) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error {
			_, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: {w}}})
			return err
		}
	}
	expire := func(ctx context.Context, db *memory.DB) error {
		_, err := db.Expire(ctx)
		return err
	}
	const (
		inserted = "INSERT pk=a: none -> pk=a v=new"
		modified = "MODIFY pk=a: pk=a v=old -> pk=a v=new"
		removed  = "REMOVE pk=a: pk=a v=old -> none"
	)
	writes := []struct {
		name                  string
		call                  func(context.Context, *memory.DB) error
		absent, equal, differ string // the record for NEW_AND_OLD_IMAGES; "" for none
	}{
		{"PutItem", putCall(dynamodb.PutItemInput{TableName: aws.String(table), Item: with("new")}), inserted, "", modified},
		{"PutItem of the bare key", putCall(dynamodb.PutItemInput{TableName: aws.String(table), Item: key}),
			"INSERT pk=a: none -> pk=a", "MODIFY pk=a: pk=a v=new -> pk=a", "MODIFY pk=a: pk=a v=old -> pk=a"},
		{"PutItem under a false condition", putCall(dynamodb.PutItemInput{
			TableName: aws.String(table), Item: with("new"), ConditionExpression: aws.String("v = pk"),
		}), "", "", ""},
		{"UpdateItem", update(setV("new")), inserted, "", modified},
		{"UpdateItem that removes", updateCall(dynamodb.UpdateItemInput{
			TableName: aws.String(table), Key: key, UpdateExpression: aws.String("REMOVE v"),
		}), "", "MODIFY pk=a: pk=a v=new -> pk=a", "MODIFY pk=a: pk=a v=old -> pk=a"},
		{"UpdateItem that removes what is not there", updateCall(dynamodb.UpdateItemInput{
			TableName: aws.String(table), Key: key, UpdateExpression: aws.String("REMOVE w"),
		}), "", "", ""},
		{"UpdateItem without an expression", updateCall(dynamodb.UpdateItemInput{TableName: aws.String(table), Key: key}),
			"INSERT pk=a: none -> pk=a", "", ""},
		{"DeleteItem", deleteCall(dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key}),
			"", "REMOVE pk=a: pk=a v=new -> none", removed},
		{"BatchWriteItem put", batch(types.WriteRequest{PutRequest: &types.PutRequest{Item: with("new")}}), inserted, "", modified},
		{"BatchWriteItem delete", batch(types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}),
			"", "REMOVE pk=a: pk=a v=new -> none", removed},
		{"TransactWriteItems put", transactCall(putAction(table, with("new"))), inserted, "", modified},
		{"TransactWriteItems update", transactCall(updateAction(table, key, "SET v = :v", item{":v": str("new")})), inserted, "", modified},
		{"TransactWriteItems delete", transactCall(deleteAction(table, key)), "", "REMOVE pk=a: pk=a v=new -> none", removed},
		{"TransactWriteItems check", transactCall(checkAction(table, key, "attribute_not_exists(nothing)")), "", "", ""},
		{"cancelled TransactWriteItems", transactCall(putAction(table, with("new")),
			checkAction(table, item{"pk": str("b")}, "attribute_exists(pk)")), "", "", ""},
		{"expiry of what has none", expire, "", "", ""},
	}
	for _, w := range writes {
		for _, before := range []struct{ name, v, want string }{
			{"absent", "", w.absent}, {"equal", "new", w.equal}, {"different", "old", w.differ},
		} {
			for _, view := range types.StreamViewType("").Values() {
				t.Run(fmt.Sprintf("%s/%s/%s", w.name, before.name, view), func(t *testing.T) {
					t.Parallel()
					db := newDB(t)
					create(t, db, define(table, "pk:S"))
					if before.v != "" {
						put(t, db, table, with(before.v))
					}
					alter(t, db, switchStream(table, view))
					_ = w.call(t.Context(), db) // some are refused
					var want []string
					if before.want != "" {
						want = []string{shown(before.want, view)}
					}
					if d := cmp.Diff(briefs(recordsOf(t, db, latestStream(t, db, table))), want, cmpopts.EquateEmpty()); d != "" {
						t.Errorf("records (-got +want):\n%s", d)
					}
				})
			}
		}
	}
}

// shown returns a record for NEW_AND_OLD_IMAGES as another view shows it.
func shown(record string, view types.StreamViewType) string {
	head, images, _ := strings.Cut(record, ": ")
	before, after, _ := strings.Cut(images, " -> ")
	if view == types.StreamViewTypeKeysOnly || view == types.StreamViewTypeNewImage {
		before = "none"
	}
	if view == types.StreamViewTypeKeysOnly || view == types.StreamViewTypeOldImage {
		after = "none"
	}
	return head + ": " + before + " -> " + after
}

// A put of an equal item is no change, even if sets and maps are written in
// another order or numbers in another form.
func TestEqualItemsLeaveNoRecord(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeKeysOnly))
	put(t, db, "Tab",
		item{"pk": str("a"), "s": strs("x", "y"), "n": num("10"), "m": obj(item{"b": num(1), "c": num(2)})},
		item{"pk": str("a"), "s": strs("y", "x"), "n": num("1e1"), "m": obj(item{"c": num("2.0"), "b": num(1)})})
	want := []string{"INSERT pk=a: none -> none"}
	if d := cmp.Diff(briefs(recordsOf(t, db, latestStream(t, db, "Tab"))), want); d != "" {
		t.Errorf("records (-got +want):\n%s", d)
	}
}

// A record has all the members that readers rely on, each of its kind of value
// exactly, and shares nothing with the engine.
func TestStreamRecordInFull(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_987)
	db := newDB(t, memory.Clock(func() time.Time { return at }), memory.Region("eu-west-1"), memory.Account("123456789012"))
	create(t, db, streamed(define("Tab", "pk:S", "sk:N"), types.StreamViewTypeNewAndOldImages))
	whole := item{
		"pk": str("a"), "sk": num(1), "big": num("12345678901234567890123456789012345678"), "b": bin("\x00\xFF"),
		"t": boolean(true), "null": &types.AttributeValueMemberNULL{Value: true}, "ss": strs("x", "y"),
		"ns": &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}}, "bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"l": seq(num(1), obj(item{"deep": str("é")})), "m": obj(item{"empty": seq()}),
	}
	put(t, db, "Tab", whole)
	arn := latestStream(t, db, "Tab")
	if want := "arn:aws:dynamodb:eu-west-1:123456789012:table/Tab/stream/2023-11-14T22:13:20.987"; arn != want {
		t.Errorf("ARN is %s, want %s", arn, want)
	}
	s, n := func(v string) streamtypes.AttributeValue { return &streamtypes.AttributeValueMemberS{Value: v} },
		func(v string) streamtypes.AttributeValue { return &streamtypes.AttributeValueMemberN{Value: v} }
	want := streamtypes.Record{
		AwsRegion: aws.String("eu-west-1"), EventName: streamtypes.OperationTypeInsert, EventSource: aws.String("aws:dynamodb"),
		EventVersion: aws.String("1.1"),
		Dynamodb: &streamtypes.StreamRecord{
			ApproximateCreationDateTime: aws.Time(time.Unix(1_700_000_000, 0).UTC()),
			Keys:                        map[string]streamtypes.AttributeValue{"pk": s("a"), "sk": n("1")},
			NewImage: map[string]streamtypes.AttributeValue{
				"pk": s("a"), "sk": n("1"), "big": n("12345678901234567890123456789012345678"),
				"b": &streamtypes.AttributeValueMemberB{Value: []byte{0, 0xFF}},
				"t": &streamtypes.AttributeValueMemberBOOL{Value: true}, "null": &streamtypes.AttributeValueMemberNULL{Value: true},
				"ss": &streamtypes.AttributeValueMemberSS{Value: []string{"x", "y"}},
				"ns": &streamtypes.AttributeValueMemberNS{Value: []string{"1", "2.5"}},
				"bs": &streamtypes.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
				"l": &streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{n("1"),
					&streamtypes.AttributeValueMemberM{Value: map[string]streamtypes.AttributeValue{"deep": s("é")}}}},
				"m": &streamtypes.AttributeValueMemberM{Value: map[string]streamtypes.AttributeValue{
					"empty": &streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{}}}},
			},
			SizeBytes: aws.Int64(7 + *describeTable(t, db, "Tab").TableSizeBytes), StreamViewType: streamtypes.StreamViewTypeNewAndOldImages,
		},
	}
	for range 2 { // the second time after the first result was changed
		got := recordsOf(t, db, arn)[0]
		if id := aws.ToString(got.EventID); len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Errorf("event id is %q, want 32 hexadecimal digits", id)
		}
		if number := aws.ToString(got.Dynamodb.SequenceNumber); len(number) != 21 || strings.Trim(number, "0123456789") != "" {
			t.Errorf("sequence number is %q, want 21 digits", number)
		}
		ignored := cmpopts.IgnoreFields(streamtypes.Record{}, "EventID")
		number := cmpopts.IgnoreFields(streamtypes.StreamRecord{}, "SequenceNumber")
		unexported := cmpopts.IgnoreUnexported(streamtypes.Record{}, streamtypes.StreamRecord{},
			streamtypes.AttributeValueMemberS{}, streamtypes.AttributeValueMemberN{}, streamtypes.AttributeValueMemberB{},
			streamtypes.AttributeValueMemberBOOL{}, streamtypes.AttributeValueMemberNULL{}, streamtypes.AttributeValueMemberSS{},
			streamtypes.AttributeValueMemberNS{}, streamtypes.AttributeValueMemberBS{}, streamtypes.AttributeValueMemberL{},
			streamtypes.AttributeValueMemberM{})
		if d := cmp.Diff(got, want, ignored, number, unexported); d != "" {
			t.Fatalf("record (-got +want):\n%s", d)
		}
		got.Dynamodb.NewImage["b"].(*streamtypes.AttributeValueMemberB).Value[0] = 9
		got.Dynamodb.NewImage["l"].(*streamtypes.AttributeValueMemberL).Value[0] = s("changed")
		got.Dynamodb.NewImage["ss"].(*streamtypes.AttributeValueMemberSS).Value[0] = "changed"
		got.Dynamodb.Keys["pk"] = s("changed")
	}
}

// A transaction leaves one record for each item that it changes, in the streams
// of all its tables.
func TestTransactionRecords(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, streamed(define("One", "pk:S"), types.StreamViewTypeNewImage))
	create(t, db, streamed(define("Two", "pk:S"), types.StreamViewTypeKeysOnly))
	create(t, db, define("Bare", "pk:S"))
	put(t, db, "One", item{"pk": str("same")})
	err := transactCall(
		putAction("One", item{"pk": str("a")}), putAction("Two", item{"pk": str("a")}), putAction("One", item{"pk": str("same")}),
		putAction("Bare", item{"pk": str("a")}), putAction("One", item{"pk": str("b")}),
	)(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string][]string{
		"One": {"INSERT pk=same: none -> pk=same", "INSERT pk=a: none -> pk=a", "INSERT pk=b: none -> pk=b"},
		"Two": {"INSERT pk=a: none -> none"},
	} {
		if d := cmp.Diff(briefs(recordsOf(t, db, latestStream(t, db, table))), want); d != "" {
			t.Errorf("records of %s (-got +want):\n%s", table, d)
		}
	}
}
