package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// BatchGetItem returns items by their primary keys, up to 100 of any tables.
// Each is read by itself, in the order of the keys; missing ones are left out.
// When the items together would exceed 16 MB, the keys of the rest come back in
// UnprocessedKeys, as do those that [Throttling] refuses.
func (db *DB) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return run(ctx, db, &batchGetItem, in)
}

// batchGetPlan is what to read of one table.
type batchGetPlan struct {
	ref        string // the table as the request names it
	keys       []av.Map
	projection *eval.Projection
}

var batchGetItem = operation[batchGetIn, []batchGetPlan, dynamodb.BatchGetItemOutput]{
	rules:  batchGetRules,
	tables: func(in *batchGetIn, _ []batchGetPlan) []string { return slices.Sorted(maps.Keys(in.RequestItems)) },
	find:   findServing,
	plan:   (*DB).planBatchGets,
	act: func(c *call[batchGetIn, []batchGetPlan]) (*dynamodb.BatchGetItemOutput, error) {
		getters := make([][]getter, len(c.plan))
		for i, p := range c.plan {
			for _, key := range p.keys {
				g, err := c.tables[i].getter(key, p.projection)
				if err != nil {
					return nil, err
				}
				getters[i] = append(getters[i], g)
			}
		}
		out := &dynamodb.BatchGetItemOutput{
			Responses:       make(map[string][]item),
			UnprocessedKeys: make(map[string]types.KeysAndAttributes),
		}
		room := limits.BatchGetBytes
		turns := turns{strike: c.strike, as: c.as}
		for i, p := range c.plan {
			request := c.in.RequestItems[p.ref]
			got, err := turns.read(getters[i], isTrue(request.ConsistentRead), &room)
			if err != nil {
				return nil, err
			}
			out.Responses[p.ref] = got.items
			if len(got.left) > 0 {
				out.UnprocessedKeys[p.ref] = unprocessed(request, got.left)
			}
			use := usage{table: p.ref, base: got.used}
			out.ConsumedCapacity = use.appendTo(out.ConsumedCapacity, c.in.ReturnConsumedCapacity)
		}
		return done(&turns, out)
	},
}

func (db *DB) planBatchGets(in *batchGetIn) ([]batchGetPlan, error) {
	var plans []batchGetPlan
	n := 0
	var all legacyRequest
	var expressions eval.Request
	for _, ref := range slices.Sorted(maps.Keys(in.RequestItems)) {
		request := in.RequestItems[ref]
		p, err := db.planBatchGet(ref, request)
		if err != nil {
			return nil, err
		}
		n += len(p.keys)
		plans = append(plans, p)
		all.attributesToGet = append(all.attributesToGet, request.AttributesToGet...)
		expressions.Projection = cmp.Or(expressions.Projection, request.ProjectionExpression)
	}
	// Not even different tables may be asked for with both sorts of parameters (observed).
	if err := all.checkMixing(db.words.get, &expressions); err != nil {
		return nil, err
	}
	if n > limits.BatchGetKeys {
		return nil, invalid(textTooManyGets)
	}
	return plans, nil
}

func (db *DB) planBatchGet(ref string, in types.KeysAndAttributes) (batchGetPlan, error) {
	p := batchGetPlan{ref: ref}
	for _, raw := range in.Keys {
		key, err := itemFrom(raw, db.words.get)
		if err != nil {
			return p, err
		}
		p.keys = append(p.keys, key)
	}
	compiled, err := db.compile(db.words.get, eval.Request{
		Projection: in.ProjectionExpression,
		Names:      in.ExpressionAttributeNames,
	}, legacyRequest{attributesToGet: in.AttributesToGet})
	if err != nil {
		return p, err
	}
	p.projection = compiled.Projection
	for i := range p.keys {
		for j := range i {
			if av.EqualMaps(p.keys[i], p.keys[j]) && writtenAlike(in.Keys[i], in.Keys[j]) {
				return p, invalid(textDuplicateKeys)
			}
		}
	}
	return p, nil
}

// writtenAlike tells keys of equal value apart if they write a number in two
// ways, such as 1 and 1.0; this operation takes those for two keys (observed).
func writtenAlike(a, b item) bool {
	for name, v := range a {
		n, ok := v.(*types.AttributeValueMemberN)
		if !ok {
			continue
		}
		if m, ok := b[name].(*types.AttributeValueMemberN); !ok || n.Value != m.Value {
			return false
		}
	}
	return true
}

// item is an item in the SDK's types.
type item = map[string]types.AttributeValue

// unprocessed repeats a request for the keys that were not read.
func unprocessed(in types.KeysAndAttributes, keys []av.Map) types.KeysAndAttributes {
	again := types.KeysAndAttributes{
		AttributesToGet:          slices.Clone(in.AttributesToGet),
		ConsistentRead:           copied(in.ConsistentRead),
		ExpressionAttributeNames: maps.Clone(in.ExpressionAttributeNames),
		ProjectionExpression:     copied(in.ProjectionExpression),
	}
	for _, key := range keys {
		again.Keys = append(again.Keys, key.SDK())
	}
	return again
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// BatchWriteItem puts and deletes items, up to 25 of any tables. The whole
// request is checked first; then each element is a write by itself. What
// [Throttling] refuses comes back in UnprocessedItems.
func (db *DB) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return run(ctx, db, &batchWriteItem, in)
}

// batchWritePlan is what to write to one table.
type batchWritePlan struct {
	ref    string // the table as the request names it
	writes []batchWrite
}

// batchWrite is one element of a batch.
type batchWrite struct {
	item av.Map // what to put, or the Key of what to delete
	put  bool
}

var batchWriteItem = operation[batchWriteIn, []batchWritePlan, dynamodb.BatchWriteItemOutput]{
	rules:  batchWriteRules,
	writes: true,
	tables: func(in *batchWriteIn, _ []batchWritePlan) []string { return slices.Sorted(maps.Keys(in.RequestItems)) },
	find:   findServing,
	plan: func(db *DB, in *batchWriteIn) ([]batchWritePlan, error) {
		var plans []batchWritePlan
		n := 0
		for _, ref := range slices.Sorted(maps.Keys(in.RequestItems)) {
			requests := in.RequestItems[ref]
			p := batchWritePlan{ref, make([]batchWrite, len(requests))}
			for i, request := range requests {
				var err error
				if p.writes[i], err = planBatchWrite(db.words.batchWrite, request); err != nil {
					return nil, err
				}
			}
			n += len(p.writes)
			plans = append(plans, p)
		}
		if n > limits.BatchWriteItems {
			return nil, invalid(textTooManyWrites)
		}
		return plans, nil
	},
	act: func(c *call[batchWriteIn, []batchWritePlan]) (*dynamodb.BatchWriteItemOutput, error) {
		mutations := make([][]mutation, len(c.plan))
		for i, p := range c.plan {
			var err error
			if mutations[i], err = c.tables[i].batch(p.writes); err != nil {
				return nil, err
			}
		}
		m := metrics{mode: c.in.ReturnItemCollectionMetrics}
		turns := turns{strike: c.strike}
		out := &dynamodb.BatchWriteItemOutput{UnprocessedItems: make(map[string][]types.WriteRequest)}
		for i, p := range c.plan {
			use := usage{table: p.ref}
			for j := range mutations[i] {
				e, err := turns.write(&mutations[i][j])
				if err != nil {
					return nil, err
				}
				if e == nil {
					out.UnprocessedItems[p.ref] = append(out.UnprocessedItems[p.ref], p.writes[j].request())
					continue
				}
				use.addWrite(e, 1)
				m.add(c.tables[i], p.ref, p.writes[j].item)
			}
			out.ConsumedCapacity = use.appendTo(out.ConsumedCapacity, c.in.ReturnConsumedCapacity)
		}
		out.ItemCollectionMetrics = m.found
		return done(&turns, out)
	},
}

func planBatchWrite(words wording, in types.WriteRequest) (w batchWrite, err error) {
	if (in.PutRequest == nil) == (in.DeleteRequest == nil) {
		return w, invalid(textOneRequest)
	}
	if in.DeleteRequest != nil {
		w.item, err = itemFrom(in.DeleteRequest.Key, words)
		return w, err
	}
	w.put = true
	if w.item, err = itemFrom(in.PutRequest.Item, words); err != nil {
		return w, err
	}
	if w.item.Size() > limits.ItemBytes {
		return w, invalid(textItemSize)
	}
	return w, nil
}

// request repeats the element.
func (w *batchWrite) request() types.WriteRequest {
	if w.put {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: w.item.SDK()}}
	}
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: w.item.SDK()}}
}

// batch checks writes against the table and makes them mutations. Puts with a
// wrong key are reported as deletes are (observed).
func (t *table) batch(writes []batchWrite) ([]mutation, error) {
	l := t.layout.Load()
	out := make([]mutation, 0, len(writes))
	for _, w := range writes {
		m := mutation{table: t, named: w.item, image: deleteImage}
		check := l.key.checkKey
		if w.put {
			m.image, check = putImage, l.key.checkValues
		}
		if err := check(w.item); err != nil {
			return nil, err
		}
		if w.put {
			if err := l.checkIndexKeys(w.item); err != nil {
				return nil, err
			}
		}
		m.key = l.key.storeKey(w.item)
		for i := range out {
			if out[i].key == m.key {
				return nil, invalid(textDuplicateKeys)
			}
		}
		out = append(out, m)
	}
	return out, nil
}
