package ddb

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What one transaction may hold. ServiceQuotas.html#limits-api,
// Constraints.html#limits-expression-parameters.
const (
	maxActions = 100
	maxTxBytes = 4 << 20
	maxToken   = 36 // characters, API_TransactWriteItems.html
)

// transaction is writes on their way: those of a [TxOp], or the one write of a verb
// that changes unique fields, or whose item may lie in several places. Each attempt
// reads what is stored in the unique fields, if that decides about their markers,
// and where the items lie, makes that a condition of the writes, and adds the
// markers and the checks of further places.
type transaction struct {
	drafts  []*draft
	alone   bool // a verb's one write, which needs no transaction if nothing is added
	pattern string
	token   string // "" for a random one
	edits   edits[dynamodb.TransactWriteItemsInput]

	learnt lessons // from former attempts

	// The attempt.
	stored   []item // of each draft that watches unique fields
	requests []request
	purposes []purpose // what the actions of the transaction are
}

// purpose is what one action of a transaction is for.
type purpose struct {
	draft  int
	marker *uniqueMarker // nil for the draft's own write
	holder *holder       // the action checks this item
	place  bool          // the action checks that a place of the draft's item is empty
}

// readFirst carries out a verb that must know what is stored before it writes.
func (d *draft) readFirst(ctx context.Context) (item, error) {
	x := &transaction{drafts: []*draft{d}, alone: true, pattern: d.site.pattern}
	return x.run(ctx)
}

// run makes attempts until one succeeds or fails for good.
func (x *transaction) run(ctx context.Context) (back item, err error) {
	again := false
	err = persist(ctx, anewAttempts, func(error) bool { return again }, func() (err error) {
		back, again, err = x.attempt(ctx)
		return err
	})
	return back, err
}

// attempt reports whether it failed because others were faster, so that another
// can succeed.
func (x *transaction) attempt(ctx context.Context) (back item, again bool, err error) {
	in, err := x.compile(ctx)
	if err != nil {
		return nil, false, err
	}
	d := x.drafts[0]
	if x.alone && len(x.purposes) == 1 {
		back, err = d.send(ctx, x.requests[0])
		if d.overtaken(err, x.stored[0]) {
			return nil, true, d.beaten()
		}
		return back, false, err
	}
	s := x.site()
	err = persist(ctx, attempts, unlucky, func() error {
		_, err := call(ctx, s, in, d.entity.table.backend.TransactWriteItems)
		return err
	})
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		again, err = x.explain(ctx, cancelled)
		return nil, again, ended(ctx, err)
	}
	if err != nil {
		return nil, false, err
	}
	for _, d := range x.drafts {
		if d.done != nil {
			d.done()
		}
	}
	back, err = x.result(ctx)
	return back, false, err
}

// result returns what the one write of a verb brings back, which a transaction
// does not.
func (x *transaction) result(ctx context.Context) (item, error) {
	d := x.drafts[0]
	switch {
	case !x.alone:
		return nil, nil
	case d.unique.whole:
		return x.stored[0], nil
	case d.unique.fresh:
		now, err := d.entity.read(ctx, d.key)
		if now == nil && err == nil {
			err = d.entity.site("GetItem").fail(ErrNotFound)
		}
		return now, err
	}
	return nil, nil
}

// compile reads what must be known and makes the request.
func (x *transaction) compile(ctx context.Context) (*dynamodb.TransactWriteItemsInput, error) {
	if err := x.read(ctx); err != nil {
		return nil, err
	}
	x.requests, x.purposes = nil, nil
	var actions []types.TransactWriteItem
	for i, d := range x.drafts {
		guard, err := d.guard(x.stored[i])
		if err != nil {
			return nil, x.fault(i, d.site.fail(err))
		}
		guard = guard.and(d.placed())
		r, err := d.compile(guard)
		if err != nil {
			return nil, x.fault(i, err)
		}
		if guard.set {
			r.wantStored()
		}
		x.requests = append(x.requests, r)
		x.purposes = append(x.purposes, purpose{draft: i})
		actions = append(actions, r.action())
	}
	more, err := x.addMarkers()
	if err != nil {
		return nil, err
	}
	empty, err := x.addPlaces()
	if err != nil {
		return nil, err
	}
	actions = slices.Concat(actions, more, empty)
	s := x.site()
	if n := len(actions); n > maxActions {
		return nil, s.fail(because(ErrExpression,
			"a transaction has 1 to %d operations; with the markers of unique fields and the further places of sharded items these are %d", maxActions, n))
	}
	if n := payload(actions); n > maxTxBytes {
		return nil, s.fail(because(ErrTransactionTooLarge, "%d bytes of items and values; DynamoDB allows %d", n, maxTxBytes))
	}
	token := x.token
	if token == "" {
		token = rand.Text()
	}
	return x.edits.apply(&dynamodb.TransactWriteItemsInput{TransactItems: actions, ClientRequestToken: aws.String(token)}), nil
}

func (x *transaction) site() site {
	name := entityOf(x.drafts, func(d *draft) *entity { return d.entity })
	return site{op: "TransactWriteItems", table: x.drafts[0].entity.table, entity: name}.named(x.pattern)
}

// fault says which operation an error is of, where there can be several.
func (x *transaction) fault(draft int, err error) error {
	if x.alone {
		return err
	}
	return inTransaction(draft, err)
}

// payload is the size of what a transaction carries: items, keys, and the values
// of expressions.
func payload(actions []types.TransactWriteItem) int {
	n := 0
	count := func(key, values item) {
		n += itemSize(key)
		for _, v := range values {
			n += valueSize(v)
		}
	}
	for _, a := range actions {
		switch {
		case a.Put != nil:
			count(a.Put.Item, a.Put.ExpressionAttributeValues)
		case a.Update != nil:
			count(a.Update.Key, a.Update.ExpressionAttributeValues)
		case a.Delete != nil:
			count(a.Delete.Key, a.Delete.ExpressionAttributeValues)
		case a.ConditionCheck != nil:
			count(a.ConditionCheck.Key, a.ConditionCheck.ExpressionAttributeValues)
		}
	}
	return n
}

// explain maps each reason to the operation it belongs to. Where other writes were
// faster, or a marker is not what it seemed, it notes what the next attempt must
// know and reports that there should be one.
func (x *transaction) explain(ctx context.Context, cancelled *types.TransactionCanceledException) (again bool, err error) {
	out := &TxError{Reasons: make([]error, len(x.drafts)), cause: cancelled}
	final := false
	for i, r := range cancelled.CancellationReasons {
		cause := causeOf(r)
		if cause == nil || i >= len(x.purposes) {
			continue
		}
		p := x.purposes[i]
		d := x.drafts[p.draft]
		reason, retry := d.site.fail(cause), false
		if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](cause); ok {
			switch {
			case p.holder != nil:
				retry = true
				x.learnt.forget(p.holder)
			case p.place:
				reason = d.explain(reason)
				retry = d.makes == makesAbsent
			case p.marker != nil:
				reason, retry = x.markerFailed(ctx, p.marker, failed)
			default:
				reason = d.explain(reason)
				retry = d.overtaken(reason, x.stored[p.draft])
			}
		}
		switch passes := errors.Is(cause, ErrTransactionConflict) || errors.Is(cause, ErrThrottled); {
		case retry:
			again, reason = true, d.beaten()
		case !passes:
			final = true
		}
		if out.Reasons[p.draft] == nil || errors.Is(out.Reasons[p.draft], ErrTransactionConflict) {
			out.Reasons[p.draft] = reason
		}
	}
	if x.alone {
		return again && !final, out.alone()
	}
	return again && !final, out
}

// alone returns the error of the one operation there is.
func (e *TxError) alone() error {
	if e.Reasons[0] == nil {
		return e
	}
	return &aloneError{e.Reasons[0], e.cause}
}

// aloneError is what stood against the one operation, with the SDK's exception.
type aloneError struct{ reason, cause error }

func (e *aloneError) Error() string   { return e.reason.Error() }
func (e *aloneError) Unwrap() []error { return []error{e.reason, e.cause} }

// read fetches what is stored of the items whose unique fields are watched, and
// finds out where items lie.
func (x *transaction) read(ctx context.Context) error {
	x.stored = make([]item, len(x.drafts))
	var reads []Read
	for i, d := range x.drafts {
		switch {
		case !d.sought() && (d.unique.known || len(d.unique.watch) == 0):
		case x.alone:
			found, err := d.entity.read(ctx, d.places...)
			if err != nil {
				return err
			}
			x.stored[i] = found
		default:
			reads = append(reads, d.entity.readRaw(d.places, &x.stored[i]))
		}
	}
	if err := BatchGet(reads...).Run(ctx); err != nil {
		return err
	}
	for i, d := range x.drafts {
		if d.sought() {
			d.settle(x.stored[i])
		}
		if d.unique.known {
			x.stored[i] = d.unique.stored
		}
	}
	return nil
}
