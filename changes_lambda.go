package ddb

import (
	"context"
	"encoding/json"
	"errors"
)

// BatchFailures is the answer of a Lambda function to a batch of records of a
// stream whose event source mapping reports batch item failures. An empty list
// means that all were handled.
type BatchFailures struct {
	// ItemFailures has the sequence number of the first record that failed, at
	// most. Lambda sends that one again, with all that follow it in its shard.
	ItemFailures []ItemFailure `json:"batchItemFailures"`
}

// ItemFailure names a record.
type ItemFailure struct {
	// SequenceNumber is the record's.
	SequenceNumber string `json:"itemIdentifier"`
}

// HandleBatch hands the records of one shard to the handlers and answers as Lambda
// expects. It stops at the first record that fails, which is to come again with
// those behind it; see [OnChangeError] for why it failed. An error means that the
// whole batch is to come again.
func (c *Changes) HandleBatch(ctx context.Context, records []Record) (BatchFailures, error) {
	return failuresOf(c.Handle(ctx, records...))
}

// failuresOf turns the error of a record into an answer.
func failuresOf(err error) (BatchFailures, error) {
	out := BatchFailures{ItemFailures: []ItemFailure{}}
	failed, ok := errors.AsType[*ChangeError](err)
	if !ok || failed.SequenceNumber == "" {
		return out, err
	}
	out.ItemFailures = append(out.ItemFailures, ItemFailure{failed.SequenceNumber})
	return out, nil
}

// Invoke is a Lambda function: it takes the event as Lambda sends it, and returns
// the answer of [Changes.HandleBatch] as JSON. A Changes thus is a Handler of
// package github.com/aws/aws-lambda-go/lambda:
//
//	lambda.StartHandler(changes)
//
// The event source mapping must report batch item failures. Without that, Lambda
// takes an answer that names a failure for success.
func (c *Changes) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	records, unread, err := c.decodeEvent(event)
	if err != nil {
		return nil, err
	}
	err = c.Handle(ctx, records...)
	if err == nil && unread != nil {
		c.report(ctx, unread)
		err = unread
	}
	answer, err := failuresOf(err)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// decodeEvent returns the records of an event up to the first that cannot be read,
// and what is wrong with that, nil for nothing.
func (c *Changes) decodeEvent(event []byte) ([]Record, *ChangeError, error) {
	raw, err := splitEvent(event)
	if err != nil {
		return nil, nil, err
	}
	records := make([]Record, 0, len(raw))
	for i := range raw {
		r, err := raw[i].record()
		if err != nil {
			r.SequenceNumber = raw[i].sequenceNumber()
			return records, c.failed(&r, because(ErrDecode, "record %d of the event: %s", i, err)), nil
		}
		records = append(records, r)
	}
	return records, nil, nil
}
