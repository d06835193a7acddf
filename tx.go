package ddb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxActions is how many operations a transaction may hold.
// ServiceQuotas.html#limits-api.
const maxActions = 100

// Write is an operation that can also run in a transaction: what Create, Put,
// Update, Delete and Check return.
type Write interface {
	// action returns the operation's part of a transaction.
	action() (action, error)
}

// action is one operation of a transaction.
type action struct {
	site    site
	item    types.TransactWriteItem
	key     string            // tells the item among all tables
	explain func(error) error // gives a failed condition its meaning
	done    func()            // after success; may be nil
}

func newAction(s site, e *entity, key map[string]types.AttributeValue, item types.TransactWriteItem, explain func(error) error) action {
	return action{site: s, item: item, key: e.identity(key), explain: explain}
}

// identity tells an item of one backend by table and key.
func (e *entity) identity(item map[string]types.AttributeValue) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q", e.table.name)
	for _, c := range e.primary.columns() {
		fmt.Fprintf(&b, " %v", plainValue(item[c.attr]))
	}
	return b.String()
}

func (p PutOp[T]) action() (action, error) {
	in, written, err := p.prepare()
	if err != nil {
		return action{}, err
	}
	a := newAction(p.site(), p.d.entity, in.Item, types.TransactWriteItem{Put: &types.Put{
		TableName: in.TableName, Item: in.Item, ConditionExpression: in.ConditionExpression,
		ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
	}}, p.explain)
	a.done = func() { p.keep(written) }
	return a, nil
}

func (u UpdateOp[T]) action() (action, error) {
	in, err := u.Input()
	if err != nil {
		return action{}, err
	}
	return newAction(u.site(), u.d.entity, in.Key, types.TransactWriteItem{Update: &types.Update{
		TableName: in.TableName, Key: in.Key, UpdateExpression: in.UpdateExpression, ConditionExpression: in.ConditionExpression,
		ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
	}}, u.explain), nil
}

func (o DeleteOp[T]) action() (action, error) {
	in, err := o.Input()
	if err != nil {
		return action{}, err
	}
	return newAction(o.site(), o.d.entity, in.Key, types.TransactWriteItem{Delete: &types.Delete{
		TableName: in.TableName, Key: in.Key, ConditionExpression: in.ConditionExpression,
		ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
	}}, o.explain), nil
}

// CheckOp is a condition on an item that a transaction does not write.
type CheckOp[T any] struct {
	d    *Definition[T]
	key  T
	cond cond
}

// Check makes a transaction fail unless the item exists. Add conditions with If.
// An item that the transaction also writes cannot be checked; put the condition
// on that operation.
func (d *Definition[T]) Check(key T) CheckOp[T] { return CheckOp[T]{d: d, key: key} }

// If adds a condition on the stored item.
func (c CheckOp[T]) If(cond Cond[T]) CheckOp[T] {
	c.cond = c.cond.and(cond.c)
	return c
}

// IfExpr adds a condition made with package expression.
func (c CheckOp[T]) IfExpr(b expression.ConditionBuilder) CheckOp[T] {
	c.cond = c.cond.and(raw(b))
	return c
}

func (c CheckOp[T]) action() (action, error) {
	e, s := c.d.entity, c.d.site("ConditionCheck", "")
	if err := e.table.Err(); err != nil {
		return action{}, err
	}
	key, err := e.key(reflect.ValueOf(c.key))
	if err != nil {
		return action{}, s.fail(err)
	}
	x, err := e.exists().and(c.cond).build()
	if err != nil {
		return action{}, s.fail(err)
	}
	explain := func(err error) error { return conditionFailed(err, ErrNotFound, nil) }
	return newAction(s, e, key, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String(e.table.name), Key: key, ConditionExpression: x.Condition(),
		ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}, explain), nil
}

// TxOp writes several items, of any entities and tables of one backend, all or
// none.
type TxOp struct {
	writes  []Write
	token   string
	pattern string
}

// Transact makes a transaction of 1 to 100 operations on different items. None
// of them has run before Run.
func Transact(writes ...Write) TxOp { return TxOp{writes: writes} }

// And adds operations.
func (t TxOp) And(writes ...Write) TxOp {
	t.writes = append(t.writes[:len(t.writes):len(t.writes)], writes...)
	return t
}

// Token sets the idempotency token, 1 to 36 characters, in place of a random
// one. For ten minutes the service runs a token's transaction once, however
// often it is sent.
func (t TxOp) Token(token string) TxOp {
	t.token = token
	return t
}

// TxError says why a transaction was cancelled. errors.Is finds the sentinels of
// all its reasons, and errors.As the SDK's TransactionCanceledException.
type TxError struct {
	// Reasons has one entry for each operation, in order; nil for an operation
	// that was not the reason. Each is an [*OpError].
	Reasons []error
	cause   error
}

func (e *TxError) Error() string {
	var b strings.Builder
	b.WriteString("ddb: transaction cancelled")
	for i, r := range e.Reasons {
		if r != nil {
			fmt.Fprintf(&b, "; operation %d: %s", i, strings.TrimPrefix(r.Error(), "ddb: "))
		}
	}
	return b.String()
}

// Unwrap returns the reasons and the SDK's exception.
func (e *TxError) Unwrap() []error {
	out := []error{e.cause}
	for _, r := range e.Reasons {
		if r != nil {
			out = append(out, r)
		}
	}
	return out
}

// Run carries out the transaction. It sends it again, under the same token and
// with growing random pauses, as long as nothing but conflicts and throttling
// stood against it, up to [txAttempts] times or until ctx ends. It fails with a
// [*TxError] if the service cancels it; what can be told before is told before,
// and nothing is sent then.
func (t TxOp) Run(ctx context.Context) error {
	table, in, actions, err := t.compile()
	if err != nil {
		return err
	}
	s := site{op: "TransactWriteItems", table: table}.named(t.pattern)
	_, err = retryTx(ctx, func() (*dynamodb.TransactWriteItemsOutput, error) {
		return call(ctx, s, in, table.backend.TransactWriteItems)
	})
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return explainTx(actions, cancelled)
	}
	if err != nil {
		return err
	}
	for _, a := range actions {
		if a.done != nil {
			a.done()
		}
	}
	return nil
}

// retryTx sends a transaction again as long as only conflicts and throttling
// stood in its way.
func retryTx[Out any](ctx context.Context, send func() (*Out, error)) (*Out, error) {
	for attempt := 1; ; attempt++ {
		out, err := send()
		cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
		again := ok && transient(cancelled.CancellationReasons) || errors.Is(err, ErrThrottled)
		if !again || attempt == txAttempts || !pause(ctx, attempt) {
			return out, err
		}
	}
}

// txAttempts is how often a transaction that meets others is sent.
const txAttempts = 10

// pause waits before the next attempt: a random time of up to 10 ms that
// doubles with each, 1 s at most. It reports whether ctx is still alive.
func pause(ctx context.Context, attempt int) bool {
	most := min(10*time.Millisecond<<(attempt-1), time.Second)
	timer := time.NewTimer(mathrand.N(most))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// transient reports whether only conflicts and throttling stood in the way.
func transient(reasons []types.CancellationReason) bool {
	found := false
	for _, r := range reasons {
		switch aws.ToString(r.Code) {
		case "None", "":
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			found = true
		default:
			return false
		}
	}
	return found
}

func (t TxOp) compile() (*Table, *dynamodb.TransactWriteItemsInput, []action, error) {
	if n := len(t.writes); n < 1 || n > maxActions {
		return nil, nil, nil, fmt.Errorf("ddb: %w", because(ErrExpression, "a transaction has 1 to %d operations, not %d", maxActions, n))
	}
	actions := make([]action, len(t.writes))
	items := make([]types.TransactWriteItem, len(t.writes))
	var keys []string
	for i, w := range t.writes {
		a, err := w.action()
		if err != nil {
			return nil, nil, nil, fmt.Errorf("transaction, operation %d: %w", i, err)
		}
		if i > 0 && !sameBackend(a.site.table, actions[0].site.table) {
			return nil, nil, nil, a.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		if j := slices.Index(keys, a.key); j >= 0 {
			return nil, nil, nil, a.site.fail(because(ErrExpression,
				"operations %d and %d are on one item; make them one, a check becoming a condition of the write", j, i))
		}
		keys = append(keys, a.key)
		actions[i], items[i] = a, a.item
	}
	token := t.token
	if token == "" {
		token = rand.Text()
	}
	return actions[0].site.table, &dynamodb.TransactWriteItemsInput{
		TransactItems: items, ClientRequestToken: aws.String(token),
	}, actions, nil
}

// sameBackend reports whether two tables are known to be on one backend.
// Backends of a type that cannot be compared are one only through one table.
func sameBackend(a, b *Table) bool {
	return a == b || reflect.TypeOf(a.backend).Comparable() && a.backend == b.backend
}

// explainTx maps each reason to the operation it belongs to.
func explainTx(actions []action, cancelled *types.TransactionCanceledException) error {
	out := &TxError{Reasons: make([]error, len(actions)), cause: cancelled}
	for i, r := range cancelled.CancellationReasons {
		if i >= len(actions) {
			break
		}
		a := actions[i]
		switch code := aws.ToString(r.Code); code {
		case "None", "":
		case "ConditionalCheckFailed":
			out.Reasons[i] = a.explain(a.site.fail(&types.ConditionalCheckFailedException{Message: r.Message, Item: r.Item}))
		case "TransactionConflict":
			out.Reasons[i] = a.site.fail(ErrTransactionConflict)
		case "ThrottlingError", "ProvisionedThroughputExceeded":
			out.Reasons[i] = a.site.fail(ErrThrottled)
		default:
			out.Reasons[i] = a.site.fail(fmt.Errorf("%s: %s", code, aws.ToString(r.Message)))
		}
	}
	return out
}
