package ddb

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// While the number of shards of a primary key changes, {shard:20,also=10}, an item
// can lie in one of several places: where it belongs by the number that holds, its
// own place, or where another number has put it. What keeps two copies apart is
// that
//
//   - an item is looked for in all places before it is written, and written where
//     it lies, under the condition that it still lies there;
//   - one that lies nowhere is made in its own place, in a transaction which checks
//     that all others are empty;
//   - only [Definition.Reshard] moves items, in one transaction each, and only to
//     their own place.

// places are the primary keys under which an item may be stored, its own first.
type places []item

// places returns where the item of a value may lie. The parts of the key must be
// given, nothing else.
func (e *entity) places(v reflect.Value) (places, error) {
	own, err := e.key(v)
	if err != nil {
		return nil, err
	}
	return e.placesBeside(own, v)
}

// placesBeside returns where the item of a value may lie whose own place is known.
func (e *entity) placesBeside(own item, v reflect.Value) (places, error) {
	out := places{own}
	spec := e.primary.shards()
	if spec == nil {
		return out, nil
	}
	for _, shard := range spec.candidates(valuesOf(v))[1:] {
		pk, err := e.primary.partition(valuesOf(v), shard)
		if err != nil {
			return nil, err
		}
		key := maps.Clone(own)
		for i, av := range pk {
			key[e.primary.pk[i].attr] = av
		}
		out = append(out, key)
	}
	return out, nil
}

// candidates returns the shards in which the item with these fields may be, each
// once: its own first, which is negative, then those by other numbers of shards. A
// shard that was drawn is where the item is.
func (s *shardSpec) candidates(value values) []int {
	out := []int{-1}
	if s.chosen != nil {
		return out
	}
	seen := []int{s.hashed(value, s.n)}
	for _, n := range s.also {
		if shard := s.hashed(value, n); !slices.Contains(seen, shard) {
			seen, out = append(seen, shard), append(out, shard)
		}
	}
	return out
}

// elsewhereOf reports whether a key attribute is that of an item by another number of
// shards.
func (c *keyColumn) elsewhereOf(v reflect.Value, stored types.AttributeValue) bool {
	spec := c.shards()
	if spec == nil {
		return false
	}
	return slices.ContainsFunc(spec.candidates(valuesOf(v))[1:], func(shard int) bool {
		made, err := c.render(valuesOf(v), shard)
		return err == nil && equalValues(made, stored)
	})
}

// counts is the numbers of shards as a fault says them.
func (s *shardSpec) counts() string {
	out := strconv.Itoa(s.n)
	for i, n := range s.also {
		out += map[bool]string{true: " (also ", false: "+"}[i == 0] + strconv.Itoa(n)
	}
	return out + strings.Repeat(")", min(1, len(s.also)))
}

// rounds are the reads that find an item wherever it lies, one after another. An
// item only ever moves to its own place, so that one which lies in none when each
// is read in turn may have moved there meanwhile: that place is read once more,
// consistently, and then there is none.
func (p places) rounds() places {
	if len(p) > 1 {
		return append(p[:len(p):len(p)], p[0])
	}
	return p
}

// find reads the item that lies in one of several places. in is the request for the
// first. It returns the last reply if there is no item.
func (p places) find(ctx context.Context, s site, in *dynamodb.GetItemInput) (item, error) {
	for i, key := range p.rounds() {
		next := in
		if i > 0 {
			again := *in
			next, again.Key = &again, key
		}
		if i == len(p) {
			next.ConsistentRead = aws.Bool(true)
		}
		out, err := call(ctx, s, next, s.table.backend.GetItem)
		if err != nil || len(out.Item) > 0 {
			return itemOf(out), err
		}
	}
	return nil, nil
}

func itemOf(out *dynamodb.GetItemOutput) item {
	if out == nil {
		return nil
	}
	return out.Item
}

// read returns the item with a key as it is now, nil if there is none.
func (e *entity) read(ctx context.Context, keys ...item) (item, error) {
	return places(keys).find(ctx, e.site("GetItem"), &dynamodb.GetItemInput{
		TableName: aws.String(e.table.name), Key: keys[0], ConsistentRead: aws.Bool(true),
	})
}

// at returns an item under another primary key.
func at(it, key item) item {
	out := maps.Clone(it)
	maps.Copy(out, key)
	return out
}

// under returns an item as it is stored where the draft's item lies.
func (d *draft) under(it item) item {
	if d.scattered() {
		return at(it, d.key)
	}
	return it
}

// settle takes down where the draft's item lies, which is nil if it is nowhere.
func (d *draft) settle(stored item) {
	d.key, d.lies = d.places[0], len(stored) > 0
	if d.lies {
		d.key = d.entity.keyIn(stored)
	}
}

// scattered reports whether the draft's item may lie in several places.
func (d *draft) scattered() bool { return len(d.places) > 1 }

// sought reports whether it must be known where the item lies. A create has all it
// needs in the conditions of its transaction.
func (d *draft) sought() bool { return d.scattered() && d.makes != alwaysMakes }

// making says whether a write makes an item where there is none.
type making uint8

const (
	neverMakes  making = iota
	makesAbsent        // if there is none: put, upsert
	alwaysMakes        // or else fails: create
)

// placed is the condition that the item still lies where it was found, or in its own
// place if it lay nowhere.
func (d *draft) placed() cond {
	switch {
	case !d.scattered():
		return cond{}
	case d.lies:
		return d.entity.present()
	case d.makes != neverMakes:
		return d.entity.absent()
	}
	return cond{}
}

// displaced reports whether a write failed because the item has come, gone or
// moved since it was looked for. stored is what was found instead.
func (d *draft) displaced(stored item) bool {
	switch {
	case !d.sought():
		return false
	case d.lies:
		return len(stored) == 0
	}
	return d.makes == makesAbsent && len(stored) > 0
}

// addPlaces returns checks that the other places of items about to be made are
// empty.
func (x *transaction) addPlaces() ([]types.TransactWriteItem, error) {
	var actions []types.TransactWriteItem
	for i, d := range x.drafts {
		if !d.scattered() || d.lies || d.makes == neverMakes {
			continue
		}
		for _, key := range d.places[1:] {
			r, err := d.entity.check(key, d.entity.absent())
			if err != nil {
				return nil, x.fault(i, d.site.fail(err))
			}
			actions = append(actions, r.action())
			x.purposes = append(x.purposes, purpose{draft: i, place: true})
		}
	}
	return actions, nil
}
