package memory

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// bindActions makes actions mutations of their tables.
func bindActions(actions []actionRequest, tables []*table) ([]mutation, error) {
	mutations := make([]mutation, len(actions))
	var f schemaFaults
	for i := range actions {
		var err error
		mutations[i], err = actions[i].bind(tables[i])
		f.add(i, place{tables[i], mutations[i].key}, err)
	}
	return mutations, f.err(len(actions))
}

// place is where an item is.
type place struct {
	table *table
	key   string
}

// schemaFaults gathers what is wrong with the actions of a transaction once
// their tables are known. Of faults that cancel only the first counts.
type schemaFaults struct {
	whole  error // reported for the request as a whole
	twice  bool  // an item is named twice
	cancel error
	at     int // the action that cancels
	seen   map[place]bool
}

// add counts action i at a place, unless err says that it has none.
func (f *schemaFaults) add(i int, p place, err error) {
	_, whole := errors.AsType[*requestFault](err)
	switch {
	case whole:
		if f.whole == nil {
			f.whole = err
		}
	case err != nil:
		if f.cancel == nil {
			f.cancel, f.at = err, i
		}
	case f.seen[p]:
		f.twice = true
	default:
		if f.seen == nil {
			f.seen = make(map[place]bool)
		}
		f.seen[p] = true
	}
}

// err returns the fault to report of a transaction of n actions, if any.
func (f *schemaFaults) err(n int) error {
	switch {
	case f.whole != nil:
		return f.whole
	case f.twice:
		return invalid(textSameItem)
	case f.cancel != nil:
		return cancelledBy(f.at, n, f.cancel)
	}
	return nil
}

// transact carries out mutations of different items, all or none, as one step
// that nothing comes between. The actions are those that the mutations were made
// of. When nothing else can fail, and all locks are held, settle is called; its
// error keeps the transaction from being done.
func transact(mutations []mutation, actions []actionRequest, settle func([]*effect) error) ([]*effect, error) {
	base := make([]*partition, len(mutations))
	for i, m := range mutations {
		base[i] = m.table.base.partition(m.key)
	}
	defer lockAll(base)()
	effects, err := evaluateAllLocked(mutations, actions)
	if refused := admitAllLocked(mutations, effects); refused != nil {
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	var indexes []*partition
	for _, e := range effects {
		indexes = touched(indexes, e)
	}
	defer lockAll(indexes)()
	defer draftAll(mutations, effects)()
	if err := settle(effects); err != nil {
		return nil, err
	}
	at := mutations[0].table.powers.now()
	for i := range mutations {
		mutations[i].commitLocked(effects[i], at)
	}
	return effects, nil
}

// evaluateAllLocked works all mutations out. All false conditions are reported
// together, but an update that cannot be done is reported alone (observed).
func evaluateAllLocked(mutations []mutation, actions []actionRequest) ([]*effect, error) {
	effects := make([]*effect, len(mutations))
	reasons := make([]*types.CancellationReason, len(mutations))
	var faults schemaFaults
	unmet := false
	for i := range mutations {
		var err error
		if effects[i], err = mutations[i].evaluateLocked(); err == nil {
			continue
		}
		failed, ok := errors.AsType[*conditionFailed](err)
		if !ok {
			faults.add(i, place{}, err)
			continue
		}
		unmet = true
		reasons[i] = &types.CancellationReason{
			Code:    aws.String(codeConditionFailed),
			Message: aws.String(conditionText),
			Item:    failed.shown(actions[i].onFailure),
		}
	}
	if err := faults.err(len(mutations)); err != nil {
		return nil, err
	}
	if unmet {
		return nil, errCancelled(reasons)
	}
	return effects, nil
}
