package ddb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// follower is a stream that is being read.
type follower struct {
	FollowOp
	shards map[string]*followed // by name
	closed bool                 // the stream gets no more records
}

// followed is a shard of a stream that is being read.
type followed struct {
	Checkpoint
	parent   string
	iterator *string // nil if there has to be another
	kept     Checkpoint
	handled  bool // something since kept
}

// begin finds the stream, its shards, and how far they have been handled.
func (f FollowOp) begin(ctx context.Context) (*follower, error) {
	if err := f.changes.ready(); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, f.fail("Follow", unfit(ctx))
	}
	if isNil(f.from) {
		return nil, f.fail("Follow", because(ErrDefinition, "the backend of the stream is nil; pass a *dynamodbstreams.Client or memory.New()"))
	}
	if f.stream == "" {
		arn, err := f.latestStream(ctx)
		if err != nil {
			return nil, err
		}
		f.stream = arn
	}
	r := &follower{FollowOp: f, shards: make(map[string]*followed)}
	if f.checkpoints != nil {
		known, err := f.checkpoints.Load(ctx, f.stream)
		if err != nil {
			return nil, f.fail("Load", fmt.Errorf("checkpoints: %w", err))
		}
		for _, c := range known {
			r.shards[c.Shard] = &followed{Checkpoint: c, kept: c}
		}
	}
	_, err := r.describe(ctx)
	return r, err
}

func (f FollowOp) fail(op string, err error) error {
	return site{op: op, table: f.changes.table}.fail(typed(err))
}

// latestStream returns the stream of the table that was enabled last: labels are
// times.
func (f FollowOp) latestStream(ctx context.Context) (string, error) {
	in := &dynamodbstreams.ListStreamsInput{TableName: aws.String(f.changes.table.name)}
	var latest streamtypes.Stream
	for {
		out, err := f.from.ListStreams(ctx, in)
		out = replied(out, err)
		if err != nil {
			return "", f.fail("ListStreams", err)
		}
		for _, s := range out.Streams {
			if latest.StreamArn == nil || aws.ToString(s.StreamLabel) > aws.ToString(latest.StreamLabel) {
				latest = s
			}
		}
		if in.ExclusiveStartStreamArn = out.LastEvaluatedStreamArn; in.ExclusiveStartStreamArn == nil {
			break
		}
	}
	if latest.StreamArn == nil {
		return "", f.fail("ListStreams", because(ErrTableNotFound, "the table has no stream; enable one with StreamSpecification"))
	}
	return *latest.StreamArn, nil
}

// describe finds out which shards there are, and reports whether any is new.
func (r *follower) describe(ctx context.Context) (found bool, err error) {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(r.stream)}
	seen := make(map[string]bool)
	for {
		out, err := r.from.DescribeStream(ctx, in)
		out = replied(out, err)
		if err != nil {
			return found, r.fail("DescribeStream", err)
		}
		stream := out.StreamDescription
		if stream == nil {
			stream = new(streamtypes.StreamDescription)
		}
		r.closed = stream.StreamStatus == streamtypes.StreamStatusDisabled
		for _, sh := range stream.Shards {
			id := aws.ToString(sh.ShardId)
			seen[id] = true
			if r.shards[id] == nil {
				r.shards[id] = &followed{Checkpoint: Checkpoint{Shard: id}}
				found = true
			}
			r.shards[id].parent = aws.ToString(sh.ParentShardId)
		}
		if in.ExclusiveStartShardId = stream.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			break
		}
	}
	for id, sh := range r.shards {
		if seen[id] {
			continue
		}
		if !sh.Done && !r.skipTrimmed {
			return found, r.trimmed(id)
		}
		delete(r.shards, id)
	}
	return found, nil
}

func (r *follower) trimmed(shard string) error {
	return r.fail("GetRecords", because(ErrTrimmed, "the shard %s; begin anew, or use SkipTrimmed", shard))
}

// over reports whether there can be no more records.
func (r *follower) over() bool {
	if !r.closed {
		return false
	}
	for _, sh := range r.shards {
		if !sh.Done {
			return false
		}
	}
	return true
}

// round reads each shard once whose parent is done, and reports whether there was
// anything.
func (r *follower) round(ctx context.Context) (moved bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	open, ended := 0, false
	for _, id := range slices.Sorted(maps.Keys(r.shards)) {
		sh := r.shards[id]
		if parent := r.shards[sh.parent]; sh.Done || parent != nil && !parent.Done {
			continue
		}
		n, err := r.read(ctx, sh)
		if kept := r.keep(ctx, sh); err == nil {
			err = kept
		}
		if err != nil {
			return moved, err
		}
		moved = moved || n > 0 || sh.Done
		ended = ended || sh.Done
		if !sh.Done {
			open++
		}
	}
	if open > 0 && !ended {
		return moved, nil
	}
	found, err := r.describe(ctx) // a shard that has ended has children
	return moved || found, err
}

// keep saves the checkpoint of a shard, also if ctx has ended meanwhile, unless
// nothing but records without handlers would come again without it. So checkpoints
// can be kept in the table itself, whose stream tells of them.
func (r *follower) keep(ctx context.Context, sh *followed) error {
	if r.checkpoints == nil || sh.Checkpoint == sh.kept || !sh.handled && !sh.Done {
		return nil
	}
	if err := r.checkpoints.Save(context.WithoutCancel(ctx), r.stream, sh.Checkpoint); err != nil {
		return r.fail("Save", fmt.Errorf("checkpoints: %w", err))
	}
	sh.kept, sh.handled = sh.Checkpoint, false
	return nil
}

// read reads a shard once, handles the records, and returns how many there were.
func (r *follower) read(ctx context.Context, sh *followed) (int, error) {
	out, err := r.records(ctx, sh)
	if err != nil {
		return 0, err
	}
	for i := range out.Records {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		handled, err := r.handle(ctx, out.Records[i])
		if err != nil {
			return i, err
		}
		sh.handled = sh.handled || handled
		sh.SequenceNumber = aws.ToString(out.Records[i].Dynamodb.SequenceNumber)
	}
	sh.iterator = out.NextShardIterator
	sh.Done = out.NextShardIterator == nil
	return len(out.Records), nil
}

// handle hands over one record and reports whether there was a handler for it.
func (r *follower) handle(ctx context.Context, raw streamtypes.Record) (handled bool, err error) {
	record, err := RecordOf(raw)
	if err == nil {
		handled, err = r.changes.handle(ctx, &record)
	} else {
		unread := r.changes.failed(&record, err)
		r.changes.report(ctx, unread)
		err = unread
	}
	failed, ok := errors.AsType[*ChangeError](err)
	switch {
	case err == nil:
		return handled, nil
	case ctx.Err() != nil:
		return handled, ctx.Err()
	case ok && r.onError != nil:
		return true, r.onError(ctx, failed)
	}
	return handled, err
}

// records reads on where the shard's iterator is, or if that is too old, behind
// the last record that was handled.
func (r *follower) records(ctx context.Context, sh *followed) (*dynamodbstreams.GetRecordsOutput, error) {
	for fresh := false; ; fresh = true {
		if sh.iterator == nil {
			if err := r.position(ctx, sh); err != nil {
				return nil, err
			}
			fresh = true
		}
		out, err := r.from.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: sh.iterator})
		out = replied(out, err)
		switch {
		case err == nil:
			return out, nil
		case is[*streamtypes.ExpiredIteratorException](err) && !fresh:
			sh.iterator = nil
		case is[*streamtypes.TrimmedDataAccessException](err):
			if err := r.skip(ctx, sh); err != nil {
				return nil, err
			}
		default:
			return nil, r.fail("GetRecords", err)
		}
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// position gets an iterator for what is to be read next.
func (r *follower) position(ctx context.Context, sh *followed) error {
	in := &dynamodbstreams.GetShardIteratorInput{ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon}
	switch {
	case sh.SequenceNumber != "":
		in.ShardIteratorType, in.SequenceNumber = streamtypes.ShardIteratorTypeAfterSequenceNumber, aws.String(sh.SequenceNumber)
	case !r.since.IsZero():
		in.ShardIteratorType, in.Timestamp = streamtypes.ShardIteratorTypeAtTimestamp, aws.Time(r.since)
	}
	err := r.iterator(ctx, sh, in)
	if is[*streamtypes.TrimmedDataAccessException](err) {
		return r.skip(ctx, sh)
	}
	return err
}

// skip goes on with the oldest record there is, if that is wanted.
func (r *follower) skip(ctx context.Context, sh *followed) error {
	if !r.skipTrimmed {
		return r.trimmed(sh.Shard)
	}
	return r.iterator(ctx, sh, &dynamodbstreams.GetShardIteratorInput{ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon})
}

func (r *follower) iterator(ctx context.Context, sh *followed, in *dynamodbstreams.GetShardIteratorInput) error {
	in.StreamArn, in.ShardId = aws.String(r.stream), aws.String(sh.Shard)
	out, err := r.from.GetShardIterator(ctx, in)
	out = replied(out, err)
	if err != nil {
		return r.fail("GetShardIterator", err)
	}
	sh.iterator = out.ShardIterator
	return nil
}
