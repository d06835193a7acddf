package memory

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// An action is a write to one item, a request by itself or an element of a
// transaction, with all that can be known of it without its table.
type action struct {
	verb      verb
	ref       string // the table as the request names it
	onFailure types.ReturnValuesOnConditionCheckFailure

	item av.Map // what to put, or the Key
	eval.Compiled
	computed *wording // of what an update computes
}

// actionRequest is an action with what it is made of.
type actionRequest struct {
	action
	given  map[string]types.AttributeValue // the item or Key
	asked  eval.Request
	values av.Map // those asked with; in a transaction only
	legacy legacyRequest
}

type verb uint8

const (
	verbPut verb = iota
	verbUpdate
	verbDelete
	verbCheck
)

// takeItem takes the item or key over from the request.
func (r *actionRequest) takeItem(w wording) (err error) {
	r.item, err = itemFrom(r.given, w)
	return err
}

// compile checks the expressions, or what stands in their place.
func (r *actionRequest) compile(db *DB, w wording) (err error) {
	r.Compiled, err = db.compile(w, r.asked, r.legacy)
	return err
}

// checkSize applies the limit on what is put.
func (a *action) checkSize() error {
	if a.verb == verbPut && a.item.Size() > limits.ItemBytes {
		return invalid(textItemSize)
	}
	return nil
}

// bind makes the action a mutation of its table.
func (a *action) bind(t *table) (mutation, error) {
	switch a.verb {
	case verbPut:
		return t.put(a.item, a.Condition)
	case verbUpdate:
		return t.update(a.item, a.Condition, a.Update, *a.computed)
	case verbDelete:
		return t.delete(a.item, a.Condition)
	default:
		return t.require(a.item, a.Condition)
	}
}

// planWrite checks an action that is a request by itself.
func planWrite(db *DB, w wording, r actionRequest, rv types.ReturnValue) (action, error) {
	r.computed = &db.words.update
	if err := r.takeItem(w); err != nil {
		return action{}, err
	}
	if err := r.checkReturnValues(w, rv); err != nil {
		return action{}, err
	}
	if err := r.checkSize(); err != nil {
		return action{}, err
	}
	err := r.compile(db, w)
	return r.action, err
}

// checkReturnValues refuses what puts and deletes cannot return.
func (a *action) checkReturnValues(w wording, rv types.ReturnValue) error {
	switch {
	case a.verb == verbUpdate, rv == "", rv == types.ReturnValueNone, rv == types.ReturnValueAllOld:
		return nil
	}
	return w.text(textReturnValues, true)
}

// reply tells what the response to a write shows.
type reply struct {
	values   types.ReturnValue
	capacity types.ReturnConsumedCapacity
	metrics  types.ReturnItemCollectionMetrics
}

// written is what a write has to show.
type written struct {
	attributes map[string]types.AttributeValue
	capacity   *types.ConsumedCapacity
	metrics    *types.ItemCollectionMetrics
}

// write carries out an action that is a request by itself.
func (a *action) write(t *table, show reply) (written, error) {
	m, err := a.bind(t)
	if err != nil {
		return written{}, err
	}
	e, err := m.write()
	if failed, ok := errors.AsType[*conditionFailed](err); ok {
		return written{}, errConditionFailed(failed.shown(a.onFailure))
	}
	if err != nil {
		return written{}, err
	}
	use := usage{table: a.ref}
	use.addWrite(e, 1)
	return written{
		attributes: e.attributes(show.values, a.Update),
		capacity:   use.report(show.capacity),
		metrics:    t.metricsOf(a.item, show.metrics),
	}, nil
}

// shown returns the stored item if the request wants to see it.
func (f *conditionFailed) shown(onFailure types.ReturnValuesOnConditionCheckFailure) map[string]types.AttributeValue {
	if onFailure != types.ReturnValuesOnConditionCheckFailureAllOld || f.old == nil {
		return nil
	}
	return f.old.item.SDK()
}

// attributes returns what ReturnValues asks for; u is the update, if it was one.
func (e *effect) attributes(rv types.ReturnValue, u *eval.Update) map[string]types.AttributeValue {
	var r *record
	switch rv {
	case types.ReturnValueAllOld, types.ReturnValueUpdatedOld:
		r = e.old
	case types.ReturnValueAllNew, types.ReturnValueUpdatedNew:
		r = e.new
	}
	if r == nil {
		return nil
	}
	image := r.item
	if rv == types.ReturnValueUpdatedOld || rv == types.ReturnValueUpdatedNew {
		if u == nil {
			return nil
		}
		if image = u.Touched(image); len(image) == 0 {
			return nil
		}
	}
	return image.SDK()
}
