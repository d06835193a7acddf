package ddb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Call is what an observer learns of one call to the backend.
type Call struct {
	Op     string // GetItem, Query, …
	Table  string
	Index  string // "" for the table itself
	Entity string // "" for operations on several
	Input  any    // the SDK's input, for instance *dynamodb.QueryInput; not to be changed

	Items    int     // items returned
	Examined int     // items evaluated: ScannedCount for Query and Scan
	Capacity float64 // capacity units consumed, reads and writes alike

	Duration time.Duration
	Err      error // as the backend returned it
}

// site says where in the table an operation works; errors and calls carry it.
type site struct {
	op     string
	table  *Table
	index  string
	entity string
}

func (e *entity) site(op string) site { return site{op: op, table: e.table, entity: e.name} }

// fail makes the error of an operation.
func (s site) fail(err error) error {
	if err == nil {
		return nil
	}
	if done := (*OpError)(nil); errors.As(err, &done) || errors.Is(err, ErrDefinition) {
		return err
	}
	out := &OpError{Op: s.op, Table: s.table.name, Index: s.index, Entity: s.entity, Err: err}
	if f := (*fieldError)(nil); errors.As(err, &f) {
		out.Index, out.Field, out.Err = f.index, f.field, f.err
	}
	return out
}

// method is one operation of a [Backend].
type method[In, Out any] func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error)

// call is the one way to the backend: it checks the definitions, tells the
// observer, and gives errors their type.
func call[In, Out any](ctx context.Context, s site, in *In, do method[In, Out]) (*Out, error) {
	if err := s.table.Err(); err != nil {
		return nil, err
	}
	observe := s.table.observer
	if observe == nil {
		out, err := do(ctx, in)
		return out, s.fail(typed(err))
	}
	askCapacity(in)
	begin := time.Now()
	out, err := do(ctx, in)
	c := Call{
		Op: s.op, Table: s.table.name, Index: s.index, Entity: s.entity,
		Input: in, Duration: time.Since(begin), Err: err,
	}
	if err == nil {
		c.measure(out)
	}
	observe(ctx, c)
	return out, s.fail(typed(err))
}

// askCapacity makes the reply say what it cost, unless the caller chose.
func askCapacity(in any) {
	ask := func(r *types.ReturnConsumedCapacity) {
		if *r == "" {
			*r = types.ReturnConsumedCapacityTotal
		}
	}
	switch in := in.(type) {
	case *dynamodb.GetItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.PutItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.UpdateItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.DeleteItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.QueryInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.ScanInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.BatchGetItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.BatchWriteItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.TransactGetItemsInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.TransactWriteItemsInput:
		ask(&in.ReturnConsumedCapacity)
	}
}

// measure reads counts and capacity off a reply.
func (c *Call) measure(out any) {
	units := func(all ...types.ConsumedCapacity) {
		for _, one := range all {
			if one.CapacityUnits != nil {
				c.Capacity += *one.CapacityUnits
			}
		}
	}
	one := func(cc *types.ConsumedCapacity) {
		if cc != nil {
			units(*cc)
		}
	}
	switch out := out.(type) {
	case *dynamodb.GetItemOutput:
		one(out.ConsumedCapacity)
		c.Examined = 1
		c.Items = min(len(out.Item), 1)
	case *dynamodb.PutItemOutput:
		one(out.ConsumedCapacity)
	case *dynamodb.UpdateItemOutput:
		one(out.ConsumedCapacity)
	case *dynamodb.DeleteItemOutput:
		one(out.ConsumedCapacity)
	case *dynamodb.QueryOutput:
		one(out.ConsumedCapacity)
		c.Items, c.Examined = int(out.Count), int(out.ScannedCount)
	case *dynamodb.ScanOutput:
		one(out.ConsumedCapacity)
		c.Items, c.Examined = int(out.Count), int(out.ScannedCount)
	case *dynamodb.BatchGetItemOutput:
		units(out.ConsumedCapacity...)
		for _, items := range out.Responses {
			c.Items += len(items)
		}
		c.Examined = c.Items
	case *dynamodb.BatchWriteItemOutput:
		units(out.ConsumedCapacity...)
	case *dynamodb.TransactGetItemsOutput:
		units(out.ConsumedCapacity...)
		c.Items, c.Examined = len(out.Responses), len(out.Responses)
	case *dynamodb.TransactWriteItemsOutput:
		units(out.ConsumedCapacity...)
	}
}

// typedError joins a sentinel of this package to the backend's error.
type typedError struct{ is, cause error }

func (e *typedError) Error() string   { return e.is.Error() + ": " + e.cause.Error() }
func (e *typedError) Unwrap() []error { return []error{e.is, e.cause} }

// typed gives the backend's exceptions the sentinels that callers test for.
func typed(err error) error {
	if err == nil {
		return nil
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		return err
	}
	switch api.ErrorCode() {
	case "ResourceNotFoundException":
		return &typedError{ErrTableNotFound, err}
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded":
		return &typedError{ErrThrottled, err}
	case "TransactionConflictException", "TransactionInProgressException":
		return &typedError{ErrTransactionConflict, err}
	}
	return err
}

// conditionFailed turns a failed condition into a [*ConditionError]. missing
// and present say what it means that the item was absent or there; nil stands
// for [ErrConditionFailed].
func conditionFailed(err error, missing, present error) error {
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return err
	}
	is := missing
	if len(failed.Item) > 0 {
		is = present
	}
	if is == nil {
		is = ErrConditionFailed
	}
	out := &ConditionError{is: is, cause: failed}
	if len(failed.Item) > 0 {
		out.Item = failed.Item
	}
	if op := (*OpError)(nil); errors.As(err, &op) {
		located := *op
		located.Err = out
		return &located
	}
	return out
}
