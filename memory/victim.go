package memory

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// victim is a call that faults may strike, with what their errors need.
type victim struct {
	call   Call
	tables []*table // by target, where there are targets
	index  *string  // that a page is read of
	way    way
	shape  shape
}

// shape is how an operation reports what strikes it.
type shape uint8

const (
	shapeOther shape = iota // no operation on items
	shapeRead
	shapeWrite
	shapePage
	shapeBatch
	shapeTransaction
)

func newVictim(in any, tables []*table) *victim {
	v := &victim{tables: tables, call: Call{
		Operation: strings.TrimSuffix(reflect.TypeOf(in).Elem().Name(), "Input"),
		Input:     in,
	}}
	for _, t := range tables {
		if !slices.Contains(v.call.Tables, t.name) {
			v.call.Tables = append(v.call.Tables, t.name)
		}
	}
	v.describe(in)
	return v
}

// describe finds out what shape the request has and which items it names.
func (v *victim) describe(in any) {
	switch in := in.(type) {
	case *createIn:
		v.call.Tables = []string{nameInARN(*in.TableName)}
	case *describeStreamIn:
		v.call.Tables = []string{nameInARN(*in.StreamArn)}
	case *shardIteratorIn:
		v.call.Tables = []string{nameInARN(*in.StreamArn)}
	case *getRecordsIn:
		v.call.Tables = []string{nameInARN(*in.ShardIterator)} // which begins with an ARN
	case *getIn:
		v.names(shapeRead, reads, in.Key)
	case *putIn:
		v.names(shapeWrite, writes, in.Item)
	case *updateIn:
		v.names(shapeWrite, writes, in.Key)
	case *deleteIn:
		v.names(shapeWrite, writes, in.Key)
	case *queryIn:
		v.names(shapePage, reads)
		v.index = in.IndexName
	case *scanIn:
		v.names(shapePage, reads)
		v.index = in.IndexName
	case *batchGetIn:
		v.nameBatch(reads, slices.Sorted(maps.Keys(in.RequestItems)), func(ref string) (keys []item) {
			return in.RequestItems[ref].Keys
		})
	case *batchWriteIn:
		v.nameBatch(writes, slices.Sorted(maps.Keys(in.RequestItems)), func(ref string) (keys []item) {
			for _, w := range in.RequestItems[ref] {
				if w.PutRequest != nil {
					keys = append(keys, w.PutRequest.Item)
				} else {
					keys = append(keys, w.DeleteRequest.Key)
				}
			}
			return keys
		})
	case *transactGetIn:
		var keys []item
		for _, t := range in.TransactItems {
			keys = append(keys, t.Get.Key)
		}
		v.names(shapeTransaction, reads, keys...)
	case *transactWriteIn:
		var keys []item
		for i := range in.TransactItems {
			keys = append(keys, appendRequests(nil, &in.TransactItems[i])[0].given)
		}
		v.names(shapeTransaction, writes, keys...)
	}
}

// names settles the shape of a request and its targets, one for each table that
// is bound to it.
func (v *victim) names(f shape, w way, items ...item) {
	v.shape, v.way = f, w
	for i, it := range items {
		v.target(v.tables[i], it)
	}
}

// nameBatch does the same for several items of each table.
func (v *victim) nameBatch(w way, refs []string, keys func(ref string) []item) {
	v.shape, v.way = shapeBatch, w
	bound := v.tables
	v.tables = nil
	for i, ref := range refs {
		for _, key := range keys(ref) {
			v.tables = append(v.tables, bound[i])
			v.target(bound[i], key)
		}
	}
}

// target adds a target, given its Key or the whole item.
func (v *victim) target(t *table, it item) {
	key := make(item)
	for _, a := range t.layout.Load().key.all {
		if value, given := it[a.Name]; given {
			key[a.Name] = value
		}
	}
	v.call.Targets = append(v.call.Targets, Target{Table: t.name, Key: key})
}

// refused reports target i, or the page, as throttled.
func (v *victim) refused(i int) *throttled {
	t := v.tables[i]
	of := trafficOf{arn: t.arn}
	if v.index != nil {
		if ix := t.layout.Load().index(*v.index); ix != nil && !ix.local {
			of = ix.trafficOf(t)
		}
	}
	r := refusal{&load{on: &traffic{trafficOf: of}, way: v.way, owner: i}, t.isOnDemand(), limitProvisioned}
	if r.onDemand {
		r.limit = limitKeyRange
	}
	return &throttled{[]refusal{r}}
}

func (t *table) isOnDemand() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.billing == types.BillingModePayPerRequest
}

// throttled returns the error of a call that is throttled as a whole, nil for
// an operation that never is.
func (v *victim) throttled() error {
	switch v.shape {
	case shapeOther:
		return nil
	case shapeTransaction:
		return v.refused(0).cancellation(len(v.call.Targets))
	}
	return v.refused(0).exception()
}

// conflict returns the error of a call of which the chosen targets meet a
// transaction, nil if that cannot be or there are none.
func (v *victim) conflict(choose chooser) error {
	if v.shape != shapeWrite && v.shape != shapeTransaction {
		return nil
	}
	reasons := make([]*types.CancellationReason, len(v.call.Targets))
	met := false
	for i, t := range v.call.Targets {
		if choose(t, i, len(v.call.Targets)) {
			reasons[i], met = conflictReason(), true
		}
	}
	switch {
	case !met:
		return nil
	case v.shape == shapeWrite:
		return errConflict()
	}
	return errCancelled(reasons)
}
