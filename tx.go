package ddb

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Write is an operation that can also run in a transaction: what Create, Put,
// Update, Upsert, Delete and Check return.
type Write interface {
	// draft checks the operation and says what it writes.
	draft() (*draft, error)
}

// CheckOp is a condition on an item that a transaction does not write.
type CheckOp[T any] struct{ op *checkOp }

// checkOp is a [CheckOp], whatever its entity.
type checkOp struct {
	e    *entity
	key  reflect.Value
	hide bool // an expired item is as none
	cond cond
}

// Check makes a transaction fail unless the item exists and is of the entity. Add
// conditions with If.
// An item that the transaction also writes cannot be checked; put the condition
// on that operation.
func (d *Definition[T]) Check(key T) CheckOp[T] {
	return CheckOp[T]{&checkOp{e: d.defined(), key: reflect.ValueOf(key)}}
}

// HideExpired treats an item whose expiry is past as if it were gone, which
// DynamoDB sees to only some time later.
func (c CheckOp[T]) HideExpired() CheckOp[T] { return CheckOp[T]{c.op.hiding()} }

// If adds a condition on the stored item.
func (c CheckOp[T]) If(cond Cond[T]) CheckOp[T] {
	return CheckOp[T]{c.op.and(cond.c.value())}
}

// IfExpr adds a condition made with package expression.
func (c CheckOp[T]) IfExpr(b expression.ConditionBuilder) CheckOp[T] {
	return CheckOp[T]{c.op.and(raw(b))}
}

func (c CheckOp[T]) draft() (*draft, error) { return c.op.draft() }

// and returns the operation under a further condition.
func (c *checkOp) and(o cond) *checkOp {
	more := *orZero(c)
	more.cond = more.cond.and(o)
	return &more
}

func (c *checkOp) hiding() *checkOp {
	more := *orZero(c)
	more.hide = true
	return &more
}

func (c *checkOp) draft() (*draft, error) {
	c = orZero(c)
	e := c.e.known()
	s := e.site("ConditionCheck")
	if err := e.accepts(c.cond, s); err != nil {
		return nil, err
	}
	places, err := e.places(c.key)
	if err != nil {
		return nil, s.fail(err)
	}
	d := &draft{site: s, entity: e, key: places[0], places: places}
	here := e.exists()
	d.explain = func(err error) error { return e.conditionFailed(err, ErrNotFound, nil) }
	if c.hide {
		here = here.and(e.alive())
		d.explain = func(err error) error { return e.explainGone(e.conditionFailed(err, ErrNotFound, nil), ErrNotFound) }
	}
	d.compile = func(guard cond) (request, error) {
		r, err := e.check(d.key, here.and(guard).and(c.cond))
		return r, s.fail(err)
	}
	return d, nil
}

// check makes the request that checks an item.
func (e *entity) check(key item, c cond) (checkRequest, error) {
	x, err := c.build()
	if err != nil {
		return checkRequest{}, err
	}
	return checkRequest{&types.ConditionCheck{
		TableName: aws.String(e.table.name), Key: key, ConditionExpression: x.Condition(),
		ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}, nil
}

// TxOp writes several items, of any entities and tables of one backend, all or
// none.
type TxOp struct {
	writes  []Write
	pattern string
	token   *string // nil for a random one
	edits   edits[dynamodb.TransactWriteItemsInput]
}

// Transact makes a transaction of 1 to 100 operations on different items, to
// which the markers of unique fields are added. None of them has run before Run.
func Transact(writes ...Write) TxOp { return TxOp{writes: writes} }

// And adds operations.
func (t TxOp) And(writes ...Write) TxOp {
	t.writes = append(t.writes[:len(t.writes):len(t.writes)], writes...)
	return t
}

// Token sets the idempotency token, 1 to 36 characters, in place of a random
// one. Any other, such as that of a header which is missing, fails with
// [ErrExpression]. For ten minutes the service runs a token's transaction once, however
// often it is sent. It must be the same transaction then: fields that hold the
// time of the write, changes of unique fields, of which the stored values are
// part, and items that have moved to another shard make it another, which the
// service refuses.
func (t TxOp) Token(token string) TxOp {
	t.token = &token
	return t
}

// Named says which access pattern the transaction is, for observers.
func (t TxOp) Named(pattern string) TxOp {
	t.pattern = pattern
	return t
}

// Edit lets f change the SDK input before it is sent.
func (t TxOp) Edit(f func(*dynamodb.TransactWriteItemsInput)) TxOp {
	t.edits = t.edits.with(f)
	return t
}

// Input returns the SDK input that Run sends. If operations change unique fields
// it reads their stored values, and nothing else.
func (t TxOp) Input(ctx context.Context) (*dynamodb.TransactWriteItemsInput, error) {
	x, err := t.transaction()
	if err != nil {
		return nil, err
	}
	return x.compile(ctx)
}

// Run carries out the transaction. It sends it again, under the same token and
// with growing random pauses, as long as nothing but conflicts and throttling
// stood against it, up to 10 times or until ctx ends; and where the stored values
// of unique fields are part of it, reads them anew if another write was faster. It
// fails with a [*TxError] if the service cancels it; what can be told before is
// told before, and nothing is sent then: too many operations, two on one item,
// more than 4 MB ([ErrTransactionTooLarge]).
func (t TxOp) Run(ctx context.Context) error {
	x, err := t.transaction()
	if err != nil {
		return err
	}
	_, err = x.run(ctx)
	return err
}

// transaction checks the operations one by one and beside each other.
func (t TxOp) transaction() (*transaction, error) {
	if n := len(t.writes); n < 1 || n > maxActions {
		return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "a transaction has 1 to %d operations, not %d", maxActions, n))
	}
	x := &transaction{pattern: t.pattern, edits: t.edits}
	if t.token != nil {
		if n := utf8.RuneCountInString(*t.token); n < 1 || n > maxToken {
			return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "an idempotency token has 1 to %d characters, not %d", maxToken, n))
		}
		x.token = *t.token
	}
	var ids []string
	for i, w := range t.writes {
		if isNil(w) {
			return nil, fmt.Errorf("ddb: %w", because(ErrExpression, "operation %d of the transaction is nil", i))
		}
		d, err := w.draft()
		if err != nil {
			return nil, inTransaction(i, err)
		}
		if i > 0 && !sameBackend(d.entity.table, x.drafts[0].entity.table) {
			return nil, d.site.fail(because(ErrExpression, "operation %d goes to another backend than operation 0", i))
		}
		id := d.entity.identity(d.key)
		if j := slices.Index(ids, id); j >= 0 {
			return nil, d.site.fail(because(ErrExpression,
				"operations %d and %d are on one item; make them one, a check becoming a condition of the write", j, i))
		}
		ids = append(ids, id)
		x.drafts = append(x.drafts, d)
	}
	return x, nil
}

func inTransaction(operation int, err error) error {
	return &operationError{"transaction", operation, err}
}

// operationError says which of several operations an error is of.
type operationError struct {
	of        string
	operation int
	err       error
}

func (e *operationError) Error() string {
	return fmt.Sprintf("ddb: %s, operation %d: %s", e.of, e.operation, unprefixed(e.err))
}

func (e *operationError) Unwrap() error { return e.err }

// unprefixed is an error's text as a part of another.
func unprefixed(err error) string { return strings.TrimPrefix(fmt.Sprint(err), "ddb: ") }

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
			fmt.Fprintf(&b, "; operation %d: %s", i, unprefixed(r))
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

// unlucky reports whether nothing but conflicts and throttling stood in the way
// of a transaction, which is then worth sending again.
func unlucky(err error) bool {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return errors.Is(err, ErrThrottled) || errors.Is(err, ErrTransactionConflict)
	}
	found := false
	for _, r := range cancelled.CancellationReasons {
		switch cause := causeOf(r); {
		case cause == nil:
		case errors.Is(cause, ErrTransactionConflict) || errors.Is(cause, ErrThrottled):
			found = true
		default:
			return false
		}
	}
	return found
}

// causeOf returns what a reason says, nil if it was none.
// API_CancellationReason.html, API_TransactWriteItems.html#API_TransactWriteItems_Errors.
func causeOf(r types.CancellationReason) error {
	switch code := aws.ToString(r.Code); code {
	case "None", "":
		return nil
	case "ConditionalCheckFailed":
		return &types.ConditionalCheckFailedException{Message: r.Message, Item: r.Item}
	case "TransactionConflict":
		return ErrTransactionConflict
	case "ThrottlingError", "ProvisionedThroughputExceeded":
		return ErrThrottled
	case "ValidationError":
		return because(refusal(aws.ToString(r.Message)), "%s", aws.ToString(r.Message))
	default:
		return fmt.Errorf("%s: %s", code, aws.ToString(r.Message))
	}
}

// sameBackend reports whether two tables are known to be on one backend.
// Backends of a type that cannot be compared are one only through one table.
func sameBackend(a, b *Table) bool {
	return a == b || reflect.TypeOf(a.backend).Comparable() && a.backend == b.backend
}

// identity tells an item of one backend by table and key.
func (e *entity) identity(item map[string]types.AttributeValue) string {
	id := strconv.Quote(e.table.name)
	for _, c := range e.primary.columns() {
		id += descriptorOf(item[c.attr]) + strconv.Quote(scalarText(item[c.attr]))
	}
	return id
}

// scalarText returns a text for a string, number or binary that differs where the
// values do.
func scalarText(av types.AttributeValue) string {
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return av.Value
	case *types.AttributeValueMemberN:
		if n, ok := exactNumber(av.Value); ok {
			return n.RatString()
		}
		return av.Value
	case *types.AttributeValueMemberB:
		return base64.RawStdEncoding.EncodeToString(av.Value)
	}
	return ""
}

// exactNumber reads a number that DynamoDB stores; others may be of a size that
// takes all memory.
func exactNumber(text string) (*big.Rat, bool) {
	if numberProblem(text) != "" {
		return nil, false
	}
	return new(big.Rat).SetString(strings.TrimPrefix(text, "+"))
}
