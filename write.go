package ddb

import (
	"context"
	"errors"

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
	// compile makes the request under a further condition. It may be called
	// several times.
	compile func(guard cond) (request, error)
	explain func(error) error // gives a failed condition its meaning; never nil
	done    func()            // after success; may be nil
	unique  uniqueUse
}

// outcome is what a write that is a call of its own brings back.
type outcome struct {
	attributes item
	resent     bool // the client sent the request more than once
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
	if d.unique.after != nil {
		return d.runUnique(ctx)
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
	err := persist(ctx, conflicting, func() (err error) {
		back, err = s.send(ctx, d.site)
		return err
	})
	if err = d.explain(err); err != nil && !ownWork(err, r, back) {
		return nil, err
	}
	if d.done != nil {
		d.done()
	}
	return back.attributes, nil
}

// ownWork reports whether a put failed only because the client sent it again after
// a reply was lost: the item that is there is the very one it wrote.
func ownWork(err error, r request, back outcome) bool {
	put, ok := r.(putRequest)
	if !ok || !back.resent {
		return false
	}
	failed, ok := errors.AsType[*ConditionError](err)
	return ok && equalValues(&types.AttributeValueMemberM{Value: failed.Item}, &types.AttributeValueMemberM{Value: put.Item})
}

// attempts is how often a write that meets others is sent.
const attempts = 10

// persist sends a write again, with growing random pauses, as long as it fails
// with an error that is worth it.
func persist(ctx context.Context, worth func(error) bool, send func() error) error {
	for attempt := 1; ; attempt++ {
		err := send()
		switch {
		case err == nil || !worth(err) || attempt == attempts:
			return err
		case !pause(ctx, attempt):
			return &typedError{ctx.Err(), err}
		}
	}
}

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
	back := outcome{resent: sent.count() > 0}
	if err == nil {
		back.attributes = out.Attributes
	}
	return back, err
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
	out, err := call(ctx, s, r.UpdateItemInput, s.table.backend.UpdateItem)
	whole := r.ReturnValues == types.ReturnValueAllNew || r.ReturnValues == types.ReturnValueAllOld
	if err != nil || !whole { // an Edit may ask for less than an item
		return outcome{}, err
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
