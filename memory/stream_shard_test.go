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

	"github.com/seed530093c6/ddb/memory"
)

const shardLife = 4 * time.Hour

// shownShards is the short form of shards: each with its parent, and whether it is
// closed.
func shownShards(shards []streamtypes.Shard) []string {
	short := make(map[string]string)
	var out []string
	for i, sh := range shards {
		short[*sh.ShardId] = fmt.Sprint(i)
		s := short[*sh.ShardId]
		if sh.ParentShardId != nil {
			parent, known := short[*sh.ParentShardId]
			if !known {
				parent = "gone"
			}
			s += " of " + parent
		}
		if sh.SequenceNumberRange.EndingSequenceNumber != nil {
			s += " closed"
		}
		out = append(out, s)
	}
	return out
}

// A shard for each part of hash space is open at a time. After four hours it is
// closed and has a child; 24 hours later it is gone. What is disabled is closed.
func TestShardsFollowEachOther(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Partitions(2))
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeKeysOnly))
	arn := latestStream(t, db, "Tab")
	expect := func(want ...string) {
		t.Helper()
		if d := cmp.Diff(shownShards(shardsOf(t, db, arn, 1)), want); d != "" {
			t.Fatalf("shards (-got +want):\n%s", d)
		}
	}
	expect("0", "1")
	c.advance(shardLife - time.Millisecond)
	expect("0", "1")
	c.advance(time.Millisecond)
	expect("0 closed", "1 closed", "2 of 0", "3 of 1")
	c.advance(24*time.Hour - time.Millisecond)
	expect("0 closed", "1 closed", "2 of 0 closed", "3 of 1 closed", "4 of 2 closed", "5 of 3 closed", "6 of 4 closed", "7 of 5 closed",
		"8 of 6 closed", "9 of 7 closed", "10 of 8 closed", "11 of 9 closed", "12 of 10", "13 of 11")
	c.advance(time.Millisecond)
	if got := shownShards(shardsOf(t, db, arn, 100))[0]; got != "0 of gone closed" {
		t.Errorf("24 hours after it was closed the first shard is %s, want one whose parent is gone", got)
	}
	alter(t, db, switchStream("Tab", ""))
	if got := shownShards(shardsOf(t, db, arn, 100)); !strings.HasSuffix(got[len(got)-1], "closed") {
		t.Errorf("the last shard of a disabled stream is open: %v", got)
	}
	c.advance(24*time.Hour - time.Millisecond)
	expect("0 of gone closed", "1 of gone closed", "2 of 0 closed", "3 of 1 closed")
	for _, sh := range shardsOf(t, db, arn, 100) {
		if id := *sh.ShardId; len(id) < 28 || len(id) > 65 {
			t.Errorf("id %s has %d characters", id, len(id))
		}
	}
	c.advance(time.Millisecond)
	_, err := db.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn)})
	if !is[*streamtypes.ResourceNotFoundException](err) {
		t.Errorf("24 hours after it was disabled the stream answers %v", err)
	}
}

// DescribeStream returns shards in the order of their names, in pages, also from
// a name that does not exist, and the children of one shard on request.
func TestDescribeStream(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Partitions(3), memory.TransitionTime(time.Minute))
	create(t, db, streamed(define("Tab", "pk:B", "sk:N"), types.StreamViewTypeNewImage))
	arn := latestStream(t, db, "Tab")
	d := describeStream(t, db, arn)
	if d.StreamStatus != streamtypes.StreamStatusEnabling {
		t.Errorf("status is %s, want ENABLING", d.StreamStatus)
	}
	c.advance(shardLife)
	d = describeStream(t, db, arn)
	if d.StreamStatus != streamtypes.StreamStatusEnabled || d.StreamViewType != streamtypes.StreamViewTypeNewImage ||
		*d.TableName != "Tab" || *d.StreamArn != arn || !strings.HasSuffix(arn, "/stream/"+*d.StreamLabel) ||
		!d.CreationRequestDateTime.Equal(time.Unix(1_700_000_000, 0)) {
		t.Errorf("description is %+v", d)
	}
	if d := cmp.Diff(fmt.Sprint(*d.KeySchema[0].AttributeName, d.KeySchema[0].KeyType, *d.KeySchema[1].AttributeName, d.KeySchema[1].KeyType), "pkHASHskRANGE"); d != "" {
		t.Errorf("key (-got +want):\n%s", d)
	}
	var ids []string
	for _, sh := range shardsOf(t, db, arn, 4) {
		ids = append(ids, *sh.ShardId)
	}
	if !slices.IsSorted(ids) || len(ids) != 6 {
		t.Errorf("shards are %v, want 6 in order", ids)
	}
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn), ExclusiveStartShardId: aws.String(strings.Repeat("z", 30))}
	if out, err := db.DescribeStream(t.Context(), in); err != nil || len(out.StreamDescription.Shards) != 0 {
		t.Errorf("behind all shards: %v, %v", out, err)
	}
	children := func(id string) (*dynamodbstreams.DescribeStreamOutput, error) {
		return db.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{
			StreamArn: aws.String(arn), ShardFilter: &streamtypes.ShardFilter{Type: streamtypes.ShardFilterTypeChildShards, ShardId: aws.String(id)},
		})
	}
	if out, err := children(ids[1]); err != nil || len(out.StreamDescription.Shards) != 1 || *out.StreamDescription.Shards[0].ShardId != ids[4] {
		t.Errorf("children of the second shard: %+v, %v", out, err)
	}
	if out, err := children(ids[4]); err != nil || len(out.StreamDescription.Shards) != 0 {
		t.Errorf("children of an open shard: %+v, %v", out, err)
	}
	if _, err := children(strings.Repeat("z", 30)); !is[*streamtypes.ResourceNotFoundException](err) {
		t.Errorf("children of no shard: %v", err)
	}
	alter(t, db, switchStream("Tab", ""))
	if got := describeStream(t, db, arn).StreamStatus; got != streamtypes.StreamStatusDisabling {
		t.Errorf("status is %s, want DISABLING", got)
	}
	c.advance(time.Minute)
	if got := describeStream(t, db, arn).StreamStatus; got != streamtypes.StreamStatusDisabled {
		t.Errorf("status is %s, want DISABLED", got)
	}
}

// A stream that is enabled again is another one; the old one can be read for 24
// hours, also when its table is gone. Names are never given twice, even if no time
// passes.
func TestStreamsOfATable(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t)
	create(t, db, define("Other", "pk:S"))
	create(t, db, define("Tab", "pk:S"))
	if d := describeTable(t, db, "Tab"); d.LatestStreamArn != nil || d.StreamSpecification != nil {
		t.Errorf("a table without stream has %v, %v", d.LatestStreamArn, d.StreamSpecification)
	}
	put(t, db, "Tab", item{"pk": str("before")})
	d := alter(t, db, switchStream("Tab", types.StreamViewTypeNewImage))
	first := *d.LatestStreamArn
	if d.StreamSpecification == nil || d.StreamSpecification.StreamViewType != types.StreamViewTypeNewImage || !*d.StreamSpecification.StreamEnabled {
		t.Errorf("specification is %+v", d.StreamSpecification)
	}
	put(t, db, "Tab", item{"pk": str("first")})
	d = alter(t, db, switchStream("Tab", ""))
	if d.StreamSpecification != nil || *d.LatestStreamArn != first {
		t.Errorf("once disabled: %v, %s", d.StreamSpecification, *d.LatestStreamArn)
	}
	put(t, db, "Tab", item{"pk": str("between")})
	second := *alter(t, db, switchStream("Tab", types.StreamViewTypeKeysOnly)).LatestStreamArn
	put(t, db, "Tab", item{"pk": str("second")})
	if _, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("Tab")}); err != nil {
		t.Fatal(err)
	}
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeOldImage))
	third := latestStream(t, db, "Tab")
	put(t, db, "Tab", item{"pk": str("third")})
	for arn, want := range map[string]string{
		first: "INSERT pk=first: none -> pk=first", second: "INSERT pk=second: none -> none", third: "INSERT pk=third: none -> none",
	} {
		if d := cmp.Diff(briefs(recordsOf(t, db, arn)), []string{want}); d != "" {
			t.Errorf("records of %s (-got +want):\n%s", arn, d)
		}
	}
	list := func(in dynamodbstreams.ListStreamsInput) []string {
		t.Helper()
		var arns []string
		for {
			out, err := db.ListStreams(t.Context(), &in)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range out.Streams {
				if want := "arn:aws:dynamodb:us-east-1:000000000000:table/" + *s.TableName + "/stream/" + *s.StreamLabel; *s.StreamArn != want {
					t.Errorf("stream %s, want %s", *s.StreamArn, want)
				}
				arns = append(arns, *s.StreamArn)
			}
			if in.ExclusiveStartStreamArn = out.LastEvaluatedStreamArn; in.ExclusiveStartStreamArn == nil {
				return arns
			}
		}
	}
	other := *alter(t, db, switchStream("Other", types.StreamViewTypeKeysOnly)).LatestStreamArn
	if d := cmp.Diff(list(dynamodbstreams.ListStreamsInput{Limit: aws.Int32(1)}), []string{other, first, second, third}); d != "" {
		t.Errorf("streams (-got +want):\n%s", d)
	}
	if d := cmp.Diff(list(dynamodbstreams.ListStreamsInput{TableName: aws.String("Tab"), Limit: aws.Int32(2)}), []string{first, second, third}); d != "" {
		t.Errorf("streams of one table (-got +want):\n%s", d)
	}
	if d := cmp.Diff(list(dynamodbstreams.ListStreamsInput{TableName: describeTable(t, db, "Tab").TableArn}), []string{first, second, third}); d != "" {
		t.Errorf("streams of one table by its ARN (-got +want):\n%s", d)
	}
	c.advance(24*time.Hour + time.Second)
	if d := cmp.Diff(list(dynamodbstreams.ListStreamsInput{}), []string{other, third}); d != "" {
		t.Errorf("streams a day later (-got +want):\n%s", d)
	}
}

// Each type of iterator begins where it says, within its shard.
func TestShardIterators(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Partitions(1))
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeKeysOnly))
	arn := latestStream(t, db, "Tab")
	begin := c.now()
	for i := range 6 { // at seconds 1 to 3, two each
		if i%2 == 0 {
			c.advance(time.Second)
		}
		put(t, db, "Tab", item{"pk": str(fmt.Sprint(i))})
	}
	sh := shardsOf(t, db, arn, 1)[0]
	records := recordsOf(t, db, arn)
	number := func(i int) *string { return records[i].Dynamodb.SequenceNumber }
	const (
		at    = streamtypes.ShardIteratorTypeAtSequenceNumber
		after = streamtypes.ShardIteratorTypeAfterSequenceNumber
		since = streamtypes.ShardIteratorTypeAtTimestamp
	)
	read := func(in dynamodbstreams.GetShardIteratorInput) string {
		t.Helper()
		in.StreamArn, in.ShardId = aws.String(arn), sh.ShardId
		found, closed := drain(t, db, iteratorOf(t, db, in), 4)
		if closed {
			t.Errorf("%s: an open shard has an end", in.ShardIteratorType)
		}
		var keys string
		for _, r := range found {
			keys += strings.TrimPrefix(image(r.Dynamodb.Keys), "pk=")
		}
		return keys
	}
	moment := func(d time.Duration) *time.Time { return aws.Time(begin.Add(d)) }
	for _, tt := range []struct {
		name string
		in   dynamodbstreams.GetShardIteratorInput
		want string
	}{
		{"horizon", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon}, "012345"},
		{"latest", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: streamtypes.ShardIteratorTypeLatest}, ""},
		{"at the beginning of the shard", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: at, SequenceNumber: sh.SequenceNumberRange.StartingSequenceNumber}, "012345"},
		{"at the third", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: at, SequenceNumber: number(2)}, "2345"},
		{"after the third", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: after, SequenceNumber: number(2)}, "345"},
		{"after the last", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: after, SequenceNumber: number(5)}, ""},
		{"since before the shard", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: since, Timestamp: moment(-48 * time.Hour)}, "012345"},
		{"since a record", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: since, Timestamp: moment(2 * time.Second)}, "2345"},
		{"since shortly after one", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: since, Timestamp: moment(2*time.Second + time.Millisecond)}, "45"},
		{"since now", dynamodbstreams.GetShardIteratorInput{ShardIteratorType: since, Timestamp: moment(3 * time.Second)}, "45"},
	} {
		if got := read(tt.in); got != tt.want {
			t.Errorf("%s: records %q, want %q", tt.name, got, tt.want)
		}
	}
	latest := iteratorOf(t, db, dynamodbstreams.GetShardIteratorInput{
		StreamArn: aws.String(arn), ShardId: sh.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeLatest,
	})
	put(t, db, "Tab", item{"pk": str("6")})
	if found, _ := drain(t, db, latest, 1); len(found) != 1 || brief(found[0]) != "INSERT pk=6: none -> none" {
		t.Errorf("LATEST has %v, want what was written since", briefs(found))
	}
	c.advance(shardLife)
	put(t, db, "Tab", item{"pk": str("7")})
	all := shardsOf(t, db, arn, 100)
	horizon := func(sh streamtypes.Shard) *string {
		return iteratorOf(t, db, dynamodbstreams.GetShardIteratorInput{
			StreamArn: aws.String(arn), ShardId: sh.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
	}
	if found, closed := drain(t, db, horizon(all[0]), 2); len(found) != 7 || !closed {
		t.Errorf("the closed shard has %d records, closed %v; want 7, true", len(found), closed)
	}
	if found, closed := drain(t, db, horizon(all[1]), 2); len(found) != 1 || closed {
		t.Errorf("the open shard has %d records, closed %v; want 1, false", len(found), closed)
	}
}

// Refusals by those who read streams, with the words of the service where they
// are known.
func TestStreamRefusals(t *testing.T) {
	t.Parallel()
	const (
		table   = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab"
		arn     = table + "/stream/2023-11-14T22:13:20.000"
		missing = table + "/stream/2023-11-14T22:13:20.001"
		shard   = "shardId-00000001700000000000-00000000"
		start   = "107130316800000000000"
	)
	seed := func(t testing.TB, db *memory.DB) {
		create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeKeysOnly))
		create(t, db, define("Bare", "pk:S"))
		put(t, db, "Tab", item{"pk": str("a")})
	}
	list := func(in dynamodbstreams.ListStreamsInput) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error { _, err := db.ListStreams(ctx, &in); return err }
	}
	describe := func(in dynamodbstreams.DescribeStreamInput) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error { _, err := db.DescribeStream(ctx, &in); return err }
	}
	iterator := func(change func(in *dynamodbstreams.GetShardIteratorInput)) func(context.Context, *memory.DB) error {
		in := dynamodbstreams.GetShardIteratorInput{
			StreamArn: aws.String(arn), ShardId: aws.String(shard), ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		}
		change(&in)
		return func(ctx context.Context, db *memory.DB) error { _, err := db.GetShardIterator(ctx, &in); return err }
	}
	get := func(limit int32, change func(iterator string) string) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error {
			out, err := db.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
				StreamArn: aws.String(arn), ShardId: aws.String(shard), ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
			})
			if err != nil {
				return err
			}
			in := &dynamodbstreams.GetRecordsInput{ShardIterator: aws.String(change(*out.ShardIterator)), Limit: aws.Int32(limit)}
			_, err = db.GetRecords(ctx, in)
			return err
		}
	}
	same := func(iterator string) string { return iterator }
	filter := func(f streamtypes.ShardFilter) dynamodbstreams.DescribeStreamInput {
		return dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn), ShardFilter: &f}
	}
	const notFound = "ResourceNotFoundException"
	refuse(t, seed, []refusal{
		{"list none", list(dynamodbstreams.ListStreamsInput{Limit: aws.Int32(0)}), "",
			one + "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"list too many", list(dynamodbstreams.ListStreamsInput{Limit: aws.Int32(101)}), "",
			one + "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100"},
		{"list from nonsense", list(dynamodbstreams.ListStreamsInput{ExclusiveStartStreamArn: aws.String(strings.Repeat("x", 40))}), "", "Invalid StreamArn"},
		{"describe nothing", describe(dynamodbstreams.DescribeStreamInput{}), "",
			one + "Value null at 'streamArn' failed to satisfy constraint: Member must not be null"},
		{"describe nonsense", describe(dynamodbstreams.DescribeStreamInput{StreamArn: aws.String("fake-stream")}), "", "Invalid StreamArn"},
		{"describe a table", describe(dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(table)}), "", "Invalid StreamArn"},
		{"describe what is not there", describe(dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(missing)}), notFound,
			"Requested resource not found: Stream: " + missing + " not found"},
		{"describe too many shards", describe(dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn), Limit: aws.Int32(101)}), "",
			one + "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100"},
		{"filter without shard", describe(filter(streamtypes.ShardFilter{Type: streamtypes.ShardFilterTypeChildShards})), "",
			one + "Value at 'ShardFilter.ShardId' failed to satisfy constraint: Member must not be null"},
		{"filter without type", describe(filter(streamtypes.ShardFilter{ShardId: aws.String(shard)})), "",
			one + "Value at 'ShardFilter.Type' failed to satisfy constraint: Member must not be null"},
		{"iterator of nonsense", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.StreamArn = aws.String(strings.Repeat("x", 40)) }), "", "Invalid StreamArn"},
		{"iterator of no stream", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.StreamArn = aws.String(missing) }), notFound,
			"Requested resource not found: Stream: " + missing + " not found"},
		{"iterator of no shard", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardId = aws.String(shard[:len(shard)-1] + "1") }), notFound,
			"Requested resource not found: Shard does not exist"},
		{"short shard", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardId = aws.String("shardId") }), "",
			one + "Value 'shardId' at 'shardId' failed to satisfy constraint: Member must have length greater than or equal to 28"},
		{"unknown type", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardIteratorType = "OLDEST" }), "",
			one + "Value 'OLDEST' at 'shardIteratorType' failed to satisfy constraint: Member must satisfy enum value set: " +
				"[TRIM_HORIZON, LATEST, AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, AT_TIMESTAMP]"},
		{"number missing", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardIteratorType = "AT_SEQUENCE_NUMBER" }), "",
			"SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER"},
		{"number too many", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.SequenceNumber = aws.String(start) }), "",
			"SequenceNumber must not be specified when ShardIteratorType is TRIM_HORIZON"},
		{"timestamp missing", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardIteratorType = "AT_TIMESTAMP" }), "",
			"Timestamp must be specified when ShardIteratorType is AT_TIMESTAMP"},
		{"timestamp too many", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.Timestamp = aws.Time(time.Unix(1, 0)) }), "",
			"Timestamp must not be specified when ShardIteratorType is TRIM_HORIZON"},
		{"timestamp in the future", iterator(func(in *dynamodbstreams.GetShardIteratorInput) {
			in.ShardIteratorType, in.Timestamp = "AT_TIMESTAMP", aws.Time(time.UnixMilli(1_700_000_000_001))
		}), "", "Timestamp must not be in the future"},
		{"short number", iterator(func(in *dynamodbstreams.GetShardIteratorInput) {
			in.ShardIteratorType, in.SequenceNumber = "AT_SEQUENCE_NUMBER", aws.String("1")
		}), "", one + "Value '1' at 'sequenceNumber' failed to satisfy constraint: Member must have length greater than or equal to 21"},
		{"number that is none", iterator(func(in *dynamodbstreams.GetShardIteratorInput) {
			in.ShardIteratorType, in.SequenceNumber = "AT_SEQUENCE_NUMBER", aws.String(strings.Repeat("x", 21))
		}), "", "Invalid SequenceNumber: it is not of the shard " + shard},
		{"number before the shard", iterator(func(in *dynamodbstreams.GetShardIteratorInput) {
			in.ShardIteratorType, in.SequenceNumber = "AT_SEQUENCE_NUMBER", aws.String("100000000000000000001")
		}), "", "Invalid SequenceNumber: it is not of the shard " + shard},
		{"number of the future", iterator(func(in *dynamodbstreams.GetShardIteratorInput) {
			in.ShardIteratorType, in.SequenceNumber = "AFTER_SEQUENCE_NUMBER", aws.String("1"+strings.Repeat("9", 20))
		}), "", "Invalid SequenceNumber: it is not of the shard " + shard},
		{"no iterator", get(1, func(string) string { return "" }), "",
			one + "Value '' at 'shardIterator' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"no records", get(0, same), "", one + "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"fewer records", get(-1, same), "", one + "Value '-1' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"too many records", get(1001, same), "", one + "Value '1001' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 1000"},
		{"garbage", get(1, func(string) string { return strings.Repeat("garbage", 8) }), "", "Invalid ShardIterator"},
		{"changed", get(1, func(iterator string) string { return strings.Replace(iterator, "|1|", "|1|B", 1) }), "", "Invalid ShardIterator"},
		{"iterator of another stream", get(1, func(iterator string) string { return strings.Replace(iterator, "20.000", "20.001", 1) }), "", "Invalid ShardIterator"},
		{"enable twice", alterCall(switchStream("Tab", types.StreamViewTypeKeysOnly)), "", "Table already has an enabled stream: TableName: Tab"},
		{"change the view", alterCall(switchStream("Tab", types.StreamViewTypeNewImage)), "", "Table already has an enabled stream: TableName: Tab"},
		{"disable none", alterCall(switchStream("Bare", "")), "", "Table has no stream to disable: TableName: Bare"},
		{"enable without view", alterCall(dynamodb.UpdateTableInput{TableName: aws.String("Bare"), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true)}}), "",
			were + "If stream is being enabled then UpdateViewType is required"},
		{"disable with view", alterCall(dynamodb.UpdateTableInput{TableName: aws.String("Tab"), StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(false), StreamViewType: types.StreamViewTypeKeysOnly}}), "",
			were + "If stream is being disabled, then UpdateViewType must not be specified"},
		{"with an index", func(ctx context.Context, db *memory.DB) error {
			in := addIndex("Bare", "gsi", []string{"g:S"}, nil)
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly}
			return alterCall(in)(ctx, db)
		}, "", were + "You cannot create or delete index while changing stream status"},
		{"with throughput", alterCall(dynamodb.UpdateTableInput{TableName: aws.String("Bare"), BillingMode: types.BillingModeProvisioned,
			ProvisionedThroughput: throughput(1, 1), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly}}), "",
			were + "You cannot modify stream status while updating table IOPS"},
	})
}

// GetRecords ends at so many records and at 1 MB, but returns one at least.
func TestGetRecordsLimits(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.Partitions(1))
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeNewAndOldImages))
	arn := latestStream(t, db, "Tab")
	horizon := func() *string {
		return iteratorOf(t, db, dynamodbstreams.GetShardIteratorInput{
			StreamArn: aws.String(arn), ShardId: shardsOf(t, db, arn, 1)[0].ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
	}
	page := func(iterator *string, limit *int32) (int, *string) {
		t.Helper()
		out, err := db.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return len(out.Records), out.NextShardIterator
	}
	for i := range 1001 {
		put(t, db, "Tab", item{"pk": str(fmt.Sprint(i))})
	}
	n, next := page(horizon(), nil)
	if n != 1000 {
		t.Errorf("%d records, want 1000", n)
	}
	if n, _ = page(next, aws.Int32(7)); n != 1 {
		t.Errorf("then %d records, want 1", n)
	}
	if n, _ = page(horizon(), aws.Int32(7)); n != 7 {
		t.Errorf("%d records of 7", n)
	}
	_, last := drain(t, db, horizon(), 1000)
	if last {
		t.Error("an open shard has an end")
	}
	for _, c := range []string{"a", "b", "c", "d"} { // images of 400 KB, two in all records but the first
		put(t, db, "Tab", item{"pk": str("big"), "v": str(strings.Repeat(c, 399<<10))})
	}
	iterator := horizon()
	if _, iterator = page(iterator, nil); iterator == nil {
		t.Fatal("no iterator")
	}
	var pages []int
	for {
		var n int
		if n, iterator = page(iterator, nil); n == 0 {
			break
		}
		pages = append(pages, n)
	}
	if d := cmp.Diff(pages, []int{2, 1, 1, 1}); d != "" {
		t.Errorf("records a page (-got +want):\n%s", d)
	}
}

// Records are trimmed after 24 hours, iterators expire after 15 minutes, by the
// clock.
func TestStreamTime(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Partitions(1))
	create(t, db, streamed(define("Tab", "pk:S"), types.StreamViewTypeKeysOnly))
	arn := latestStream(t, db, "Tab")
	put(t, db, "Tab", item{"pk": str("a")})
	c.advance(time.Hour)
	put(t, db, "Tab", item{"pk": str("b")})
	sh := shardsOf(t, db, arn, 1)[0]
	records := recordsOf(t, db, arn)
	in := dynamodbstreams.GetShardIteratorInput{StreamArn: aws.String(arn), ShardId: sh.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon}
	read := func(iterator *string) error {
		_, err := db.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
		return err
	}
	iterator := iteratorOf(t, db, in)
	c.advance(15 * time.Minute)
	if err := read(iterator); err != nil {
		t.Errorf("an iterator of 15 minutes: %v", err)
	}
	c.advance(time.Millisecond)
	if err := read(iterator); !is[*streamtypes.ExpiredIteratorException](err) || messageOf(err) != "The provided iterator exceeds the maximum age allowed." {
		t.Errorf("an iterator of more than 15 minutes: %v", err)
	}
	c.advance(22*time.Hour + 45*time.Minute - time.Millisecond) // 24 hours after the first
	if got := len(recordsOf(t, db, arn)); got != 2 {
		t.Errorf("%d records after 24 hours, want 2", got)
	}
	before := iteratorOf(t, db, in)
	c.advance(time.Millisecond)
	if d := cmp.Diff(briefs(recordsOf(t, db, arn)), []string{"INSERT pk=b: none -> none"}); d != "" {
		t.Errorf("records after more than 24 hours (-got +want):\n%s", d)
	}
	const trimmed = "The data you are trying to access has been trimmed."
	if err := read(before); !is[*streamtypes.TrimmedDataAccessException](err) || messageOf(err) != trimmed {
		t.Errorf("an iterator at what was trimmed: %v", err)
	}
	for _, kind := range []streamtypes.ShardIteratorType{streamtypes.ShardIteratorTypeAtSequenceNumber, streamtypes.ShardIteratorTypeAfterSequenceNumber} {
		in.ShardIteratorType, in.SequenceNumber = kind, records[0].Dynamodb.SequenceNumber
		if _, err := db.GetShardIterator(t.Context(), &in); !is[*streamtypes.TrimmedDataAccessException](err) {
			t.Errorf("%s what was trimmed: %v", kind, err)
		}
		in.SequenceNumber = records[1].Dynamodb.SequenceNumber
		if _, err := db.GetShardIterator(t.Context(), &in); err != nil {
			t.Errorf("%s what was not trimmed: %v", kind, err)
		}
	}
	in.ShardIteratorType, in.SequenceNumber, in.Timestamp = streamtypes.ShardIteratorTypeAtTimestamp, nil, aws.Time(time.Unix(0, 0))
	if found, _ := drain(t, db, iteratorOf(t, db, in), 10); len(found) != 1 {
		t.Errorf("%d records since 1970, want the one that is left", len(found))
	}
}
