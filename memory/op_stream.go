package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// ListStreams returns the streams of the account or of one table in the order of
// their ARNs, up to 100 a call. A stream that was disabled, or whose table is
// gone, is among them for 24 hours.
func (db *DB) ListStreams(ctx context.Context, in *dynamodbstreams.ListStreamsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error) {
	return run(ctx, db, &listStreams, in)
}

var listStreams = operation[listStreamsIn, noPlan, dynamodbstreams.ListStreamsOutput]{
	rules: listStreamsRules,
	plan: func(_ *DB, in *listStreamsIn) (noPlan, error) {
		if in.ExclusiveStartStreamArn == nil {
			return noPlan{}, nil
		}
		return noPlan{}, checkStreamARN(*in.ExclusiveStartStreamArn)
	},
	act: func(c *call[listStreamsIn, noPlan]) (*dynamodbstreams.ListStreamsOutput, error) {
		out := &dynamodbstreams.ListStreamsOutput{Streams: []streamtypes.Stream{}}
		limit := pageOf(c.in.Limit, limits.ListStreams)
		for _, s := range c.db.streams.all(c.db.now()) {
			switch {
			case c.in.TableName != nil && s.table != nameInARN(*c.in.TableName):
			case c.in.ExclusiveStartStreamArn != nil && s.arn <= *c.in.ExclusiveStartStreamArn:
			case len(out.Streams) == limit:
				out.LastEvaluatedStreamArn = out.Streams[limit-1].StreamArn
				return out, nil
			default:
				out.Streams = append(out.Streams, streamtypes.Stream{
					StreamArn: aws.String(s.arn), StreamLabel: aws.String(s.label()), TableName: aws.String(s.table),
				})
			}
		}
		return out, nil
	},
}

// pageOf returns a limit, or the most there can be.
func pageOf(asked *int32, most int) int {
	if asked == nil {
		return most
	}
	return int(*asked)
}

// DescribeStream returns the settings of a stream and its shards, up to 100 a
// call. Each part of hash space, of which there are as many as the table had
// [Partitions], has one shard after the other: each is closed after four hours by
// the [Clock] and then has one child, which has it as its parent. A shard is
// forgotten when its records are, 24 hours after it was closed.
func (db *DB) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	return run(ctx, db, &describeStream, in)
}

var describeStream = operation[describeStreamIn, noPlan, dynamodbstreams.DescribeStreamOutput]{
	rules: describeStreamRules,
	plan:  func(_ *DB, in *describeStreamIn) (noPlan, error) { return noPlan{}, checkStreamARN(*in.StreamArn) },
	act: func(c *call[describeStreamIn, noPlan]) (*dynamodbstreams.DescribeStreamOutput, error) {
		s, err := c.db.stream(*c.in.StreamArn)
		if err != nil {
			return nil, err
		}
		now := s.observe()
		s.trim(now)
		d := s.describe(c.db.settings.transition)
		shards, err := s.describeShards(c.in.ShardFilter, now)
		if err != nil {
			return nil, err
		}
		if start := c.in.ExclusiveStartShardId; start != nil {
			shards = slices.DeleteFunc(shards, func(sh streamtypes.Shard) bool { return *sh.ShardId <= *start })
		}
		if limit := pageOf(c.in.Limit, limits.DescribeStreamShards); len(shards) > limit {
			shards = shards[:limit]
			d.LastEvaluatedShardId = shards[limit-1].ShardId
		}
		d.Shards = shards
		return &dynamodbstreams.DescribeStreamOutput{StreamDescription: d}, nil
	},
}

// GetShardIterator returns an iterator, which is valid for 15 minutes of the
// [Clock]: a position in a shard from which GetRecords reads.
func (db *DB) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	return run(ctx, db, &getShardIterator, in)
}

var getShardIterator = operation[shardIteratorIn, noPlan, dynamodbstreams.GetShardIteratorOutput]{
	rules: shardIteratorRules,
	plan: func(_ *DB, in *shardIteratorIn) (noPlan, error) {
		if err := checkPosition(in); err != nil {
			return noPlan{}, err
		}
		return noPlan{}, checkStreamARN(*in.StreamArn)
	},
	act: func(c *call[shardIteratorIn, noPlan]) (*dynamodbstreams.GetShardIteratorOutput, error) {
		s, err := c.db.stream(*c.in.StreamArn)
		if err != nil {
			return nil, err
		}
		now := s.observe()
		sh, found := s.shardNamed(*c.in.ShardId, now)
		if !found {
			return nil, errShardNotFound()
		}
		position, err := sh.position(c.in, now)
		if err != nil {
			return nil, err
		}
		it := iterator{shard: sh, position: position, issued: c.db.now()}
		return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: aws.String(it.String())}, nil
	},
}

// GetRecords returns the records of a shard from an iterator's position on, up to
// 1000 and 1 MB a call, and an iterator for what follows. Without the latter the
// shard is closed and all of it has been read. A record can be read as soon as
// the write has returned.
//
// Differs from DynamoDB: a shard has any number of readers.
func (db *DB) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	return run(ctx, db, &getRecords, in)
}

var getRecords = operation[getRecordsIn, noPlan, dynamodbstreams.GetRecordsOutput]{
	rules: getRecordsRules,
	act: func(c *call[getRecordsIn, noPlan]) (*dynamodbstreams.GetRecordsOutput, error) {
		it, err := c.db.parseIterator(*c.in.ShardIterator)
		if err != nil {
			return nil, err
		}
		if c.db.now().Sub(it.issued) > limits.ShardIteratorLife {
			return nil, errIteratorExpired()
		}
		records, closed, err := it.advance(pageOf(c.in.Limit, limits.GetRecords))
		if err != nil {
			return nil, err
		}
		out := &dynamodbstreams.GetRecordsOutput{Records: make([]streamtypes.Record, len(records))}
		for i := range records {
			out.Records[i] = it.shard.stream.record(&records[i], c.db.settings.region)
		}
		if !closed {
			it.issued = c.db.now()
			out.NextShardIterator = aws.String(it.String())
		}
		return out, nil
	},
}

// stream returns the stream with an ARN.
func (db *DB) stream(arn string) (*stream, error) {
	if s := db.streams.find(arn, db.now()); s != nil {
		return s, nil
	}
	return nil, errStreamNotFound(arn)
}

// checkStreamARN refuses what cannot be the name of a stream.
func checkStreamARN(arn string) error {
	_, table, _ := strings.Cut(arn, ":table/")
	name, label, ok := strings.Cut(table, "/stream/")
	if !strings.HasPrefix(arn, "arn:") || !ok || !isName(name) || name == "" || label == "" {
		return invalid(textStreamARN)
	}
	return nil
}

// checkPosition demands what a type of iterator needs, and nothing else.
func checkPosition(in *shardIteratorIn) error {
	t := in.ShardIteratorType
	numbered := t == streamtypes.ShardIteratorTypeAtSequenceNumber || t == streamtypes.ShardIteratorTypeAfterSequenceNumber
	timed := t == streamtypes.ShardIteratorTypeAtTimestamp
	switch {
	case numbered && in.SequenceNumber == nil:
		return errIteratorNeeds("SequenceNumber", t)
	case !numbered && in.SequenceNumber != nil:
		return errIteratorForbids("SequenceNumber", t)
	case timed && in.Timestamp == nil:
		return errIteratorNeeds("Timestamp", t)
	case !timed && in.Timestamp != nil:
		return errIteratorForbids("Timestamp", t)
	}
	return nil
}
