package ddb

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// draft is the write of one item, whatever its verb and entity: all that is known
// of it before it is known how it is sent. It is sent as a call of its own, or as
// one action of a transaction; see [transaction].
type draft struct {
	site   site
	entity *entity
	key    item
	// places are where the item may lie, key first; nil if that is key alone. Where
	// there are several, key and lies say in which it was found, if in any.
	places places
	lies   bool
	makes  making
	// compile makes the request under a further condition. It may be called
	// several times.
	compile func(guard cond) (request, error)
	explain func(error) error // gives a failed condition its meaning; never nil
	done    func()            // after success; may be nil
	// wrote reports whether a stored item is the one that a request makes. It is
	// nil if that cannot be told.
	wrote  func(stored item, r request) bool
	unique uniqueUse
}

// orZero returns an operation; of a zero one such as PutOp[Order]{}, which nobody made,
// one that lacks its entity.
func orZero[O any](op *O) *O {
	if op == nil {
		return new(O)
	}
	return op
}

// accepts reports why no operation on the entity works, or none under a condition.
func (e *entity) accepts(c cond, s site) error {
	if err := e.table.ready(); err != nil {
		return err
	}
	for _, h := range c.handles {
		if err := h.belongs(e); err != nil {
			return s.fail(err)
		}
	}
	return nil
}

// outcome is what a write that is a call of its own brings back.
type outcome struct {
	attributes item
	resent     bool // it failed, and the client had sent the request more than once
	lost       bool // one of the answers before left open whether it had been carried out
}

// request is a compiled write.
type request interface {
	// action returns the request as part of a transaction.
	action() types.TransactWriteItem
	// wantStored makes the stored item come back when a condition fails.
	wantStored()
}

// sender is a request that can also be a call of its own: all but a check.
type sender interface {
	request
	send(ctx context.Context, s site) (outcome, error)
}

// run carries out a write by itself and returns what came back.
func (d *draft) run(ctx context.Context) (item, error) {
	if d.unique.after != nil || d.scattered() {
		return d.readFirst(ctx)
	}
	r, err := d.compile(cond{})
	if err != nil {
		return nil, err
	}
	return d.send(ctx, r)
}

// send makes a write's own call.
func (d *draft) send(ctx context.Context, r request) (item, error) {
	s, ok := r.(sender)
	if !ok {
		return nil, d.site.fail(because(ErrExpression, "it has no call of its own; make it part of a transaction"))
	}
	var back outcome
	var before outcome // of all attempts: one that met a conflict may have been done before
	err := persist(ctx, attempts, conflicting, func() (err error) {
		back, err = s.send(ctx, d.site)
		before.resent, before.lost = before.resent || back.resent, before.lost || back.lost
		return err
	})
	if err = d.explain(err); err != nil && !d.ownWork(err, r, before) {
		return nil, before.doubt(err)
	}
	if d.done != nil {
		d.done()
	}
	return back.attributes, nil
}

// doubt says of a write that failed because the stored item was another, or in use, that
// it may have been done all the same, if an answer was lost before that: the item can be
// what others have made of it since.
func (o outcome) doubt(err error) error {
	failed, ok := errors.AsType[*ConditionError](err)
	if !o.lost || !conflicting(err) && !(ok && slices.Contains([]error{ErrConditionFailed, ErrVersion}, failed.is)) {
		return err
	}
	return &doubtError{err}
}

// doubtError is an error beside which a write may have been done.
type doubtError struct{ err error }

func (e *doubtError) Error() string   { return e.err.Error() + "; " + ErrInDoubt.Error() }
func (e *doubtError) Unwrap() []error { return []error{ErrInDoubt, e.err} }

// ownWork reports whether a write failed only because the client sent it again
// after a reply was lost: the item that is there is the very one it wrote.
func (d *draft) ownWork(err error, r request, back outcome) bool {
	failed, ok := errors.AsType[*ConditionError](err)
	return ok && back.resent && d.wrote != nil && failed.Item != nil && d.wrote(failed.Item, r)
}

// attempts is how often a request that meets others is sent.
const attempts = 10

// conflicting reports whether a transaction held the item of a single write, which
// has then not been done. The SDK's client does not try again by itself.
func conflicting(err error) bool { return errors.Is(err, ErrTransactionConflict) }

// putRequest, updateRequest, deleteRequest and checkRequest are the requests.
type (
	putRequest    struct{ *dynamodb.PutItemInput }
	updateRequest struct{ *dynamodb.UpdateItemInput }
	deleteRequest struct{ *dynamodb.DeleteItemInput }
	checkRequest  struct{ *types.ConditionCheck }
)

func (r putRequest) action() types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: r.TableName, Item: r.Item, ConditionExpression: r.ConditionExpression,
		ExpressionAttributeNames: r.ExpressionAttributeNames, ExpressionAttributeValues: r.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: r.ReturnValuesOnConditionCheckFailure,
	}}
}

func (r putRequest) send(ctx context.Context, s site) (outcome, error) {
	var sent retries
	out, err := callAgain(ctx, s, r.PutItemInput, s.table.backend.PutItem, &sent)
	if err != nil {
		return outcome{resent: sent.count() > 0, lost: sent.lost.Load()}, err
	}
	return outcome{attributes: out.Attributes}, nil
}

func (r putRequest) wantStored() {
	r.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
}

func (r updateRequest) action() types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: r.TableName, Key: r.Key, UpdateExpression: r.UpdateExpression, ConditionExpression: r.ConditionExpression,
		ExpressionAttributeNames: r.ExpressionAttributeNames, ExpressionAttributeValues: r.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: r.ReturnValuesOnConditionCheckFailure,
	}}
}

func (r updateRequest) send(ctx context.Context, s site) (outcome, error) {
	var sent retries
	out, err := callAgain(ctx, s, r.UpdateItemInput, s.table.backend.UpdateItem, &sent)
	if err != nil {
		return outcome{resent: sent.count() > 0, lost: sent.lost.Load()}, err
	}
	if whole := []types.ReturnValue{types.ReturnValueAllNew, types.ReturnValueAllOld}; !slices.Contains(whole, r.ReturnValues) {
		return outcome{}, nil // an Edit may ask for less than an item
	}
	if r.ReturnValues == types.ReturnValueAllNew && len(out.Attributes) == 0 {
		return outcome{}, s.fail(because(ErrDecode, "the change is made, but the backend did not return the item"))
	}
	return outcome{attributes: out.Attributes}, nil
}

func (r updateRequest) wantStored() {
	r.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
}

func (r deleteRequest) action() types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: r.TableName, Key: r.Key, ConditionExpression: r.ConditionExpression,
		ExpressionAttributeNames: r.ExpressionAttributeNames, ExpressionAttributeValues: r.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: r.ReturnValuesOnConditionCheckFailure,
	}}
}

func (r deleteRequest) send(ctx context.Context, s site) (outcome, error) {
	out, err := call(ctx, s, r.DeleteItemInput, s.table.backend.DeleteItem)
	if err != nil {
		return outcome{}, err
	}
	return outcome{attributes: out.Attributes}, nil
}

func (r deleteRequest) wantStored() {
	r.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
}

func (r checkRequest) action() types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: r.ConditionCheck}
}

func (r checkRequest) wantStored() {
	r.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
}
