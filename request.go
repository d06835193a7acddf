package ddb

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// site says where in the table an operation works; errors and calls carry it.
type site struct {
	op      string
	table   *Table
	index   string
	entity  string
	pattern string
}

// named returns the site with the name of the access pattern.
func (s site) named(pattern string) site {
	s.pattern = pattern
	return s
}

// at returns the site in an index.
func (s site) at(index string) site {
	s.index = index
	return s
}

// as returns the site of another operation on the same entity.
func (s site) as(op, index string) site {
	s.op, s.index = op, index
	return s
}

func (e *entity) site(op string) site { return site{op: op, table: e.table, entity: e.name} }

// fail makes the error of an operation.
func (s site) fail(err error) error {
	if err == nil {
		return nil
	}
	if done := (*OpError)(nil); errors.As(err, &done) {
		return err
	}
	if faulty := (*DefinitionError)(nil); errors.As(err, &faulty) {
		return err
	}
	out := &OpError{Op: s.op, Table: s.table.name, Index: s.index, Entity: s.entity, Err: err}
	if f := (*fieldError)(nil); errors.As(err, &f) {
		out.Field, out.Err = f.field, f.err
		if f.index != "" {
			out.Index = f.index
		}
	}
	return out
}

// method is one operation of a [Backend].
type method[In, Out any] func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error)

// call is the one way to the backend: it checks the definitions, tells the
// observers, and gives errors their type.
func call[In, Out any](ctx context.Context, s site, in *In, do method[In, Out]) (*Out, error) {
	return callAgain(ctx, s, in, do, nil)
}

// callAgain is call for operations to which it matters how often the client sent
// the request, which sent then says.
func callAgain[In, Out any](ctx context.Context, s site, in *In, do method[In, Out], sent *retries) (*Out, error) {
	if err := s.table.ready(); err != nil {
		return nil, err
	}
	// Not every backend looks at the context, and loops over pages must end.
	if err := unfit(ctx); err != nil {
		return nil, s.fail(err)
	}
	observed := len(s.table.observers) > 0
	if sent == nil && observed {
		sent = new(retries)
	}
	var watch []func(*dynamodb.Options)
	if sent != nil {
		watch = append(watch, sent.watch)
	}
	if !observed {
		out, err := do(ctx, in, watch...)
		return replied(out, err), s.fail(typed(err))
	}
	askCapacity(in)
	c := Call{Op: s.op, Table: s.table.name, Index: s.index, Entity: s.entity, Pattern: s.pattern, Input: in}
	ctx, done := s.table.begin(ctx, c)
	begin := time.Now()
	out, err := do(ctx, in, watch...)
	out = replied(out, err)
	c.Duration, c.Retries, c.Err = time.Since(begin), sent.count(), err
	if err == nil {
		c.measure(out)
	}
	done(c)
	return out, s.fail(typed(err))
}

// replied returns a reply, an empty one where a backend has none, as stand-ins of
// tests often do.
func replied[Out any](out *Out, err error) *Out {
	if out == nil && err == nil {
		return new(Out)
	}
	return out
}

// unfit returns why a context is of no use for a call, nil if it is.
func unfit(ctx context.Context) error {
	if ctx == nil {
		return because(ErrExpression, "the context is nil; pass one, such as context.Background()")
	}
	return ctx.Err()
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
	case "ValidationException":
		return &typedError{refusal(api.ErrorMessage()), err}
	case "TransactionConflictException", "TransactionInProgressException":
		return &typedError{ErrTransactionConflict, err}
	}
	return err
}

// refusal returns the sentinel for what the service says of a request that it calls
// invalid. An item that an update makes too large is known to nobody else.
func refusal(message string) error {
	if strings.HasPrefix(message, "Item size ") && strings.HasSuffix(message, "exceeded the maximum allowed size") {
		return ErrItemTooLarge
	}
	return ErrValidation
}

// conditionFailed turns a failed condition into a [*ConditionError]. missing
// and present say what it means that the item was absent or there; nil stands
// for [ErrConditionFailed], or [ErrEntityType] if the item is not the entity's.
func (e *entity) conditionFailed(err error, missing, present error) error {
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return err
	}
	is := missing
	if len(failed.Item) > 0 {
		if is = present; is == nil {
			is = e.checkType(failed.Item)
		}
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
