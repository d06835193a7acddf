package ddb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
)

// StreamBackend is what reading a stream needs: the four operations of the SDK's
// streams client with its own signatures. *dynamodbstreams.Client and the
// in-memory engine of package memory satisfy it as they are.
type StreamBackend interface {
	ListStreams(context.Context, *dynamodbstreams.ListStreamsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error)
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// Checkpoint is how far a shard of a stream has been handled.
type Checkpoint struct {
	Shard string
	// SequenceNumber is that of the last record that was handled, "" if there was
	// none.
	SequenceNumber string
	// Done says that the shard is closed and all of it has been handled.
	Done bool
}

// Checkpoints keeps how far the shards of streams have been handled, so that a
// program goes on where it was when it ended. Save is called after records have
// been handled: those that were handled since come again after a crash. It is not
// called for records without handlers alone, so that checkpoints can be items of
// the table that is followed. Shards that are done may be forgotten after a day,
// when DynamoDB does so too.
type Checkpoints interface {
	// Load returns what Save was last given for each shard of a stream, in any
	// order.
	Load(ctx context.Context, stream string) ([]Checkpoint, error)
	// Save replaces the checkpoint of a shard. It must not return before that is
	// kept.
	Save(ctx context.Context, stream string, c Checkpoint) error
}

// FollowOp reads the stream of a table and hands its records to the handlers. It
// reads one shard after the other, a parent to its end before its children, so
// that the changes of an item come in their order. It is meant for programs and
// tests that run alone; where several processes share the work, use Lambda or the
// Kinesis adapter.
type FollowOp struct {
	changes     *Changes
	from        StreamBackend
	stream      string
	checkpoints Checkpoints
	since       time.Time // zero for the oldest there is
	skipTrimmed bool
	every       time.Duration
	onError     func(context.Context, *ChangeError) error
}

// Follow reads the latest stream of the table.
func (c *Changes) Follow(from StreamBackend) FollowOp {
	return FollowOp{changes: c, from: from, every: time.Second}
}

// Stream reads the stream with an ARN instead.
func (f FollowOp) Stream(arn string) FollowOp {
	f.stream = arn
	return f
}

// Checkpoints goes on where the checkpoints say, and keeps them. Without it all
// that the stream still has is read each time.
func (f FollowOp) Checkpoints(c Checkpoints) FollowOp {
	f.checkpoints = c
	return f
}

// Since begins with the first change that was made at t or later, in shards of
// which there is no checkpoint. t must not be in the future. A program that is
// started again should give the same t, since a shard without changes has no
// checkpoint. Without Since all that the stream still has is read.
func (f FollowOp) Since(t time.Time) FollowOp {
	f.since = t
	return f
}

// SkipTrimmed goes on with the oldest records there are where those that should
// come next may have been deleted, since they were older than 24 hours. Without it
// that fails with [ErrTrimmed].
func (f FollowOp) SkipTrimmed() FollowOp {
	f.skipTrimmed = true
	return f
}

// Every sets how long Run waits before it looks for records again where there were
// none, a second without it.
func (f FollowOp) Every(d time.Duration) FollowOp {
	f.every = d
	return f
}

// OnError lets g decide about a record that fails: it is passed over if g returns
// nil, and otherwise the error ends the read. Without it every failure does.
func (f FollowOp) OnError(g func(context.Context, *ChangeError) error) FollowOp {
	f.onError = g
	return f
}

// Run follows the stream until ctx ends, whose error it returns, or until the
// stream was disabled and all of it is handled, when it returns nil. It fails with
// a [*ChangeError] at a record that fails, which comes again with the next Run,
// with [ErrTrimmed], with [ErrTableNotFound] if the table has no stream, and with
// errors of the backend and of the checkpoints.
func (f FollowOp) Run(ctx context.Context) error {
	r, err := f.begin(ctx)
	if err != nil {
		return err
	}
	for {
		moved, err := r.round(ctx)
		switch {
		case err != nil:
			return err
		case r.over():
			return nil
		case moved:
			continue
		}
		if err := wait(ctx, f.every); err != nil {
			return err
		}
	}
}

// CatchUp handles what the stream has, and returns when there is nothing more for
// the moment. It fails as Run does. DynamoDB may answer a read of a shard with
// nothing though there is more, and shows a change only some time after it was
// made; the in-memory engine does neither, so that a test that has called CatchUp
// has seen all.
func (f FollowOp) CatchUp(ctx context.Context) error {
	r, err := f.begin(ctx)
	if err != nil {
		return err
	}
	for {
		moved, err := r.round(ctx)
		if err != nil || !moved {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
