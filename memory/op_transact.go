package memory

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// transactFactor is how much more a transaction pays for each item.
// transaction-apis.html#transaction-capacity-handling
const transactFactor = 2

// TransactGetItems returns up to 100 items of any tables, up to 4 MB together, as
// they are at one moment: it sees all of a transaction or nothing of it.
func (db *DB) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return run(ctx, db, &transactGetItems, in)
}

var transactGetItems = operation[transactGetIn, []itemPlan, dynamodb.TransactGetItemsOutput]{
	rules: transactGetRules,
	tables: func(in *transactGetIn, _ []itemPlan) []string {
		refs := make([]string, len(in.TransactItems))
		for i, t := range in.TransactItems {
			refs[i] = *t.Get.TableName
		}
		return refs
	},
	find: findServing,
	plan: func(db *DB, in *transactGetIn) ([]itemPlan, error) {
		plans := make([]itemPlan, len(in.TransactItems))
		for i, t := range in.TransactItems {
			var err error
			if plans[i].item, err = itemFrom(t.Get.Key, db.words.transact); err != nil {
				return nil, err
			}
			plans[i].Compiled, err = db.compile(db.words.transact, eval.Request{
				Projection: t.Get.ProjectionExpression,
				Names:      t.Get.ExpressionAttributeNames,
			}, legacyRequest{})
			if err != nil {
				return nil, err
			}
		}
		return plans, nil
	},
	act: func(c *call[transactGetIn, []itemPlan]) (*dynamodb.TransactGetItemsOutput, error) {
		getters := make([]getter, len(c.plan))
		var f schemaFaults
		for i, p := range c.plan {
			var err error
			getters[i], err = c.tables[i].getter(p.item, p.Projection)
			f.add(i, place{c.tables[i], getters[i].key}, err)
		}
		if err := f.err(len(c.plan)); err != nil {
			return nil, err
		}
		records := readAll(getters)
		if bytesOf(records) > limits.TransactBytes {
			return nil, errPayload()
		}
		if err := admitReads(getters, records); err != nil {
			return nil, err
		}
		out := &dynamodb.TransactGetItemsOutput{}
		var bill bill
		for i, r := range records {
			shown := getters[i].show(r, c.as)
			if len(shown) == 0 { // nothing selected looks like no item (observed)
				shown = nil
			}
			out.Responses = append(out.Responses, types.ItemResponse{Item: shown})
			use := bill.of(*c.in.TransactItems[i].Get.TableName, accessTransactRead)
			use.base += transactFactor * readUnits(r.bytes(), true)
		}
		out.ConsumedCapacity = bill.report(c.in.ReturnConsumedCapacity)
		return out, nil
	},
}

// readAll reads items at one moment.
func readAll(getters []getter) []*record {
	partitions := make([]*partition, len(getters))
	for i, g := range getters {
		partitions[i] = g.table.base.partition(g.key)
	}
	defer rlockAll(slices.Clone(partitions))()
	records := make([]*record, len(getters))
	for i, g := range getters {
		records[i] = partitions[i].store.get(g.key)
	}
	return records
}

func bytesOf(records []*record) int {
	n := 0
	for _, r := range records {
		n += r.bytes()
	}
	return n
}

// TransactWriteItems does up to 100 actions on items of any tables, all or
// none. Every condition and every update sees the items as they were before. A
// ClientRequestToken makes the call idempotent for ten minutes of the [Clock].
//
// Differs from DynamoDB: transactions and other writes wait for each other, so
// nothing fails with TransactionConflict unless that is injected; see [Conflict].
func (db *DB) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return run(ctx, db, &transactWriteItems, in)
}

var transactWriteItems = operation[transactWriteIn, []actionRequest, dynamodb.TransactWriteItemsOutput]{
	rules:  transactWriteRules,
	writes: true,
	tables: func(_ *transactWriteIn, actions []actionRequest) []string {
		refs := make([]string, len(actions))
		for i := range actions {
			refs[i] = actions[i].ref
		}
		return refs
	},
	find: findServing,
	plan: planActions,
	act: func(c *call[transactWriteIn, []actionRequest]) (*dynamodb.TransactWriteItemsOutput, error) {
		mutations, err := bindActions(c.plan, c.tables)
		if err != nil {
			return nil, err
		}
		var use *tokenUse
		if token := c.in.ClientRequestToken; token != nil {
			use = &tokenUse{token: *token, print: fingerprintOf(c.plan)}
			before, err := c.db.tokens.begin(use.token, use.print, c.db.now())
			if err != nil {
				return nil, err
			}
			if before != nil {
				return &dynamodb.TransactWriteItemsOutput{ConsumedCapacity: before.report(c.in.ReturnConsumedCapacity)}, nil
			}
		}
		effects, err := transact(mutations, c.plan, func(effects []*effect) error {
			if use != nil {
				use.again, use.at = repetition(c.plan, effects), c.db.now()
			}
			return c.db.settleLocked(mutations, effects, use)
		})
		if err != nil {
			if use != nil {
				c.db.tokens.end(use.token, nil, c.db.now())
			}
			return nil, err
		}
		var b bill
		m := metrics{mode: c.in.ReturnItemCollectionMetrics}
		for i, e := range effects {
			a := &c.plan[i]
			b.of(a.ref, accessTransactWrite).addWrite(e, transactFactor)
			if a.verb != verbCheck {
				m.add(c.tables[i], a.ref, a.item)
			}
		}
		return &dynamodb.TransactWriteItemsOutput{
			ConsumedCapacity:      b.report(c.in.ReturnConsumedCapacity),
			ItemCollectionMetrics: m.found,
		}, nil
	},
}

// settleLocked keeps a transaction that is about to be done, and its token, nil
// for none, from which moment a repeated call is answered.
func (db *DB) settleLocked(mutations []mutation, effects []*effect, use *tokenUse) error {
	if err := db.ledger.transactLocked(mutations, effects, use); err != nil {
		return err
	}
	if use != nil {
		db.tokens.end(use.token, use.again, use.at)
	}
	return nil
}

// repetition returns what a repeated call reports: it reads the items instead of
// writing them.
func repetition(actions []actionRequest, effects []*effect) *bill {
	b := new(bill)
	for i, e := range effects {
		b.of(actions[i].ref, accessTransactRead).base += transactFactor * readUnits(max(e.old.bytes(), e.new.bytes()), true)
	}
	return b
}

// planActions checks actions one after the other, each in full.
func planActions(db *DB, in *transactWriteIn) ([]actionRequest, error) {
	actions := make([]actionRequest, len(in.TransactItems))
	requests := make([]actionRequest, 0, 1)
	payload := 0
	for i := range in.TransactItems {
		requests = appendRequests(requests[:0], &in.TransactItems[i])
		switch {
		case len(requests) == 0:
			return nil, invalid(textNoAction)
		case len(requests) > 1:
			return nil, invalid(textOneAction)
		}
		a := &actions[i]
		*a, a.computed = requests[0], &db.words.update
		if err := a.takeItem(db.words.transact); err != nil {
			return nil, err
		}
		a.asked.After = a.checkSize // observed
		if err := a.compile(db, db.words.transact); err != nil {
			return nil, err
		}
		a.values, _ = av.MapFromSDK(a.asked.Values) // checked just now
		payload += a.item.Size() + a.values.Size()
	}
	if payload > limits.TransactBytes {
		return nil, errPayload()
	}
	return actions, nil
}

// appendRequests appends the actions that an element of a transaction asks for;
// there should be one.
func appendRequests(to []actionRequest, t *types.TransactWriteItem) []actionRequest {
	add := func(v verb, ref *string, given map[string]types.AttributeValue, asked eval.Request,
		onFailure types.ReturnValuesOnConditionCheckFailure) {
		to = append(to, actionRequest{action: action{verb: v, ref: *ref, onFailure: onFailure}, given: given, asked: asked})
	}
	if c := t.ConditionCheck; c != nil {
		add(verbCheck, c.TableName, c.Key, eval.Request{
			Condition: c.ConditionExpression, Names: c.ExpressionAttributeNames, Values: c.ExpressionAttributeValues,
		}, c.ReturnValuesOnConditionCheckFailure)
	}
	if p := t.Put; p != nil {
		add(verbPut, p.TableName, p.Item, eval.Request{
			Condition: p.ConditionExpression, Names: p.ExpressionAttributeNames, Values: p.ExpressionAttributeValues,
		}, p.ReturnValuesOnConditionCheckFailure)
	}
	if d := t.Delete; d != nil {
		add(verbDelete, d.TableName, d.Key, eval.Request{
			Condition: d.ConditionExpression, Names: d.ExpressionAttributeNames, Values: d.ExpressionAttributeValues,
		}, d.ReturnValuesOnConditionCheckFailure)
	}
	if u := t.Update; u != nil {
		add(verbUpdate, u.TableName, u.Key, eval.Request{
			Update: u.UpdateExpression, Condition: u.ConditionExpression,
			Names: u.ExpressionAttributeNames, Values: u.ExpressionAttributeValues,
		}, u.ReturnValuesOnConditionCheckFailure)
	}
	return to
}

// fingerprintOf tells transactions apart by what they do.
func fingerprintOf(actions []actionRequest) fingerprint {
	p := printer{make([]byte, 0, 384*len(actions))}
	for i := range actions {
		a := &actions[i]
		p.count(int(a.verb))
		p.text(nameInARN(a.ref))
		p.text(string(a.onFailure))
		p.attributes(a.item)
		p.optional(a.asked.Update)
		p.optional(a.asked.Condition)
		p.names(a.asked.Names)
		p.attributes(a.values)
	}
	return p.sum()
}
