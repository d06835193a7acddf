package memory

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// The constraints of the operations that read streams.

type (
	listStreamsIn    = dynamodbstreams.ListStreamsInput
	describeStreamIn = dynamodbstreams.DescribeStreamInput
	shardIteratorIn  = dynamodbstreams.GetShardIteratorInput
	getRecordsIn     = dynamodbstreams.GetRecordsInput
)

var listStreamsRules = rules[listStreamsIn]{
	member("tableName", func(in *listStreamsIn) field { return tableName(in.TableName) }, indexName()...),
	member("limit", func(in *listStreamsIn) field { return number(in.Limit) }, atLeast(1), atMost(limits.ListStreams)),
}

var describeStreamRules = rules[describeStreamIn]{
	member("streamArn", func(in *describeStreamIn) field { return text(in.StreamArn) }, notNull()),
	member("limit", func(in *describeStreamIn) field { return number(in.Limit) }, atLeast(1), atMost(limits.DescribeStreamShards)),
	member("exclusiveStartShardId", func(in *describeStreamIn) field { return text(in.ExclusiveStartShardId) }, shardName()...),
	inner("shardFilter", func(in *describeStreamIn) *streamtypes.ShardFilter { return in.ShardFilter }, rules[streamtypes.ShardFilter]{
		member("type", func(f *streamtypes.ShardFilter) field { return word(f.Type) },
			notNull().as(formPlace), oneOf("CHILD_SHARDS").as(formPlace)),
		member("shardId", func(f *streamtypes.ShardFilter) field { return text(f.ShardId) },
			notNull().as(formPlace), minLength(limits.ShardNameMin).as(formPlace), maxLength(limits.ShardNameMax).as(formPlace)),
	}),
}

var shardIteratorRules = rules[shardIteratorIn]{
	member("streamArn", func(in *shardIteratorIn) field { return text(in.StreamArn) }, notNull()),
	member("shardId", func(in *shardIteratorIn) field { return text(in.ShardId) }, append([]constraint{notNull()}, shardName()...)...),
	member("shardIteratorType", func(in *shardIteratorIn) field { return word(in.ShardIteratorType) }, notNull(),
		oneOf("TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP")),
	member("sequenceNumber", func(in *shardIteratorIn) field { return text(in.SequenceNumber) },
		minLength(limits.SequenceNumberMin), maxLength(limits.SequenceNumberMax)),
}

var getRecordsRules = rules[getRecordsIn]{
	member("shardIterator", func(in *getRecordsIn) field { return text(in.ShardIterator) },
		notNull(), minLength(1), maxLength(limits.ShardIteratorBytes)),
	member("limit", func(in *getRecordsIn) field { return number(in.Limit) }, atLeast(1), atMost(limits.GetRecords)),
}

func shardName() []constraint {
	return []constraint{minLength(limits.ShardNameMin), maxLength(limits.ShardNameMax)}
}
