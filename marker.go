package ddb

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A marker is an item that stands for a unique value in use. Its keys are made of
// scope and value, UNIQUE#User.Email#a@example.com, and it knows its owner, the item
// that has the value. Every write of a marker has the condition that there is none
// or that it is its owner's, so that
//
//   - a marker left behind, by an expired item or another program, is in nobody's
//     way: whoever claims the value asks for the owner, and takes the marker over
//     under the condition that the owner still does not have the value;
//   - nobody loses a marker to an item that has the value, but never claimed it.
const (
	markerName  = "UNIQUE"      // in the discriminator, and what keys begin with
	markerOwner = "UniqueOwner" // the attribute that holds the owner
)

// markerPrefix is what the keys of all markers begin with.
func (t *Table) markerPrefix() string { return markerName + string(t.separator) }

// markerKey is both the partition key and the sort key of a marker, so that an
// index with the two exchanged has no partition for all of them. A scope holds no
// separator; what follows it is the value.
func (t *Table) markerKey(scope, value string) string {
	return t.markerPrefix() + scope + string(t.separator) + value
}

// uniqueMarker is what becomes of one marker in a transaction: it is claimed, by one
// operation at most, or released, or passed from one item to another.
type uniqueMarker struct {
	table    *Table
	key      string
	claimed  *uniqueField // nil if it is only released
	draft    int          // that claims it, or else the first that releases it
	released []int        // drafts
}

// id tells markers of several tables apart.
func (m *uniqueMarker) id() string { return m.table.name + " " + m.key }

// lessons are what failed attempts of a transaction have taught.
type lessons struct {
	idle    map[string]*holder // by marker: the owner, which does not have the value
	foreign map[string]bool    // markers to be released that others own
}

// holder is the owner of a marker, as it was when it did not have the value.
type holder struct {
	entity *entity
	key    item
	owner  types.AttributeValue
	stored item
	fields []*uniqueField
	draft  int // that claims the value
}

func (h *holder) identity() string { return h.entity.identity(h.key) }

// forget drops what was learnt of an owner.
func (l *lessons) forget(h *holder) {
	for id, o := range l.idle {
		if o.identity() == h.identity() {
			delete(l.idle, id)
		}
	}
}

// addMarkers returns the actions that keep the markers in step, and notes what they
// are for.
func (x *transaction) addMarkers() ([]types.TransactWriteItem, error) {
	markers, err := x.markers()
	if err != nil {
		return nil, err
	}
	var actions []types.TransactWriteItem
	var holders []*holder
	for _, m := range markers {
		if m.claimed == nil && x.learnt.foreign[m.id()] {
			continue
		}
		r, err := x.write(m)
		if err != nil {
			return nil, x.fault(m.draft, x.drafts[m.draft].site.fail(err))
		}
		actions = append(actions, r.action())
		x.purposes = append(x.purposes, purpose{draft: m.draft, marker: m})
		if h := x.learnt.idle[m.id()]; h != nil && m.claimed != nil {
			h.draft = m.draft
			holders = append(holders, h)
		}
	}
	for len(holders) > 0 {
		h := holders[0]
		var c cond
		holders = slices.DeleteFunc(holders, func(o *holder) bool {
			same := o.identity() == h.identity()
			if same {
				c = c.and(asStored(o.stored, o.fields))
			}
			return same
		})
		r, err := h.entity.check(h.key, c)
		if err != nil {
			return nil, x.drafts[0].site.fail(err)
		}
		actions = append(actions, r.action())
		x.purposes = append(x.purposes, purpose{draft: h.draft, holder: h})
	}
	return actions, nil
}

// markers compares what unique fields hold before and after.
func (x *transaction) markers() ([]*uniqueMarker, error) {
	var all []*uniqueMarker
	find := func(d int, key string) *uniqueMarker {
		t := x.drafts[d].entity.table
		for _, m := range all {
			if m.table.name == t.name && m.key == key {
				return m
			}
		}
		m := &uniqueMarker{table: t, key: key, draft: d}
		all = append(all, m)
		return m
	}
	for i, d := range x.drafts {
		if d.unique.after == nil {
			continue
		}
		fields := d.unique.watch
		if fields == nil {
			fields = d.entity.unique
		}
		before := d.entity.held(x.stored[i], d.unique.watch)
		after, err := d.entity.claims(d.unique.after(x.stored[i], x.requests[i]), fields, x.stored[i])
		if err != nil {
			return nil, x.fault(i, d.site.fail(err))
		}
		for _, c := range before {
			if !uses(after, c.marker) {
				m := find(i, c.marker)
				m.released = append(m.released, i)
			}
		}
		for _, c := range after {
			if uses(before, c.marker) {
				continue
			}
			m := find(i, c.marker)
			if m.claimed != nil {
				return nil, x.fault(i, d.taken(c.field, &UniqueError{by: "another operation of the transaction"}))
			}
			m.claimed, m.draft = c.field, i
		}
	}
	return all, nil
}

// write makes the request that claims or releases a marker.
func (x *transaction) write(m *uniqueMarker) (request, error) {
	e := x.drafts[m.draft].entity
	owners := make([]types.AttributeValue, 0, 2)
	for _, i := range m.released {
		owners = append(owners, x.drafts[i].owner())
	}
	if m.claimed != nil {
		owners = append(owners, x.drafts[m.draft].owner())
		if h := x.learnt.idle[m.id()]; h != nil {
			owners = append(owners, h.owner)
		}
	}
	c := e.absent()
	for _, o := range owners {
		c = c.or(raw(expression.Equal(nameOf(markerOwner), expression.Value(o))))
	}
	compiled, err := c.build()
	if err != nil {
		return nil, err
	}
	key := make(item)
	for _, column := range e.primary.columns() {
		key[column.attr] = text(m.key)
	}
	if m.claimed == nil {
		return deleteRequest{&dynamodb.DeleteItemInput{
			TableName: aws.String(m.table.name), Key: key, ConditionExpression: compiled.Condition(),
			ExpressionAttributeNames: compiled.Names(), ExpressionAttributeValues: compiled.Values(),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}, nil
	}
	key[m.table.discriminator] = text(markerName)
	key[markerOwner] = x.drafts[m.draft].owner()
	return putRequest{&dynamodb.PutItemInput{
		TableName: aws.String(m.table.name), Item: key, ConditionExpression: compiled.Condition(),
		ExpressionAttributeNames: compiled.Names(), ExpressionAttributeValues: compiled.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}, nil
}

// owner is how markers name the item that a draft writes.
func (d *draft) owner() types.AttributeValue {
	return &types.AttributeValueMemberM{Value: item{"Entity": text(d.entity.name), "Key": &types.AttributeValueMemberM{Value: d.key}}}
}

// ownerIn reads the owner of a marker.
func ownerIn(marker item) (entity string, key item) {
	owner, _ := marker[markerOwner].(*types.AttributeValueMemberM)
	if owner == nil {
		return "", nil
	}
	name, _ := owner.Value["Entity"].(*types.AttributeValueMemberS)
	of, _ := owner.Value["Key"].(*types.AttributeValueMemberM)
	if name == nil || of == nil {
		return "", nil
	}
	return name.Value, of.Value
}

// markerFailed says why a marker could not be written, and whether that is a lesson
// for another attempt.
func (x *transaction) markerFailed(ctx context.Context, m *uniqueMarker, failed *types.ConditionalCheckFailedException) (reason error, again bool) {
	d := x.drafts[m.draft]
	if m.claimed == nil {
		if x.learnt.foreign == nil {
			x.learnt.foreign = make(map[string]bool)
		}
		x.learnt.foreign[m.id()] = true
		return nil, true
	}
	name, key := ownerIn(failed.Item)
	h, err := x.idle(ctx, m, name, key)
	switch {
	case err != nil:
		return err, false
	case h != nil:
		h.owner = failed.Item[markerOwner]
		if x.learnt.idle == nil {
			x.learnt.idle = make(map[string]*holder)
		}
		x.learnt.idle[m.id()] = h
		return nil, true
	}
	by := "another item"
	if name != "" {
		by = "an item of " + name
	}
	return d.taken(m.claimed, &UniqueError{Owner: key, OwnerEntity: name, by: by, cause: failed}), false
}

// taken makes the error of a value that is taken.
func (d *draft) taken(f *uniqueField, e *UniqueError) error {
	e.Entity, e.Field = d.entity.name, f.name
	return d.site.fail(&fieldError{field: f.name, err: e})
}

// idle returns the owner of a marker if it does not have the value. An owner of
// which nothing is known is taken to have it, and so is one that the transaction
// writes as well.
func (x *transaction) idle(ctx context.Context, m *uniqueMarker, name string, key item) (*holder, error) {
	e := m.table.entityNamed(name)
	if e == nil || slices.ContainsFunc(e.primary.columns(), func(c *keyColumn) bool { return key[c.attr] == nil }) {
		return nil, nil
	}
	h := &holder{entity: e, key: key}
	for _, f := range e.unique {
		if f.scope == m.claimed.scope {
			h.fields = append(h.fields, f)
		}
	}
	written := slices.ContainsFunc(x.drafts, func(d *draft) bool { return d.entity.identity(d.key) == h.identity() })
	if len(h.fields) == 0 || written {
		return nil, nil
	}
	var err error
	h.stored, err = e.read(ctx, key)
	if err != nil || uses(e.held(h.stored, h.fields), m.key) {
		return nil, err
	}
	return h, nil
}

// marks reports whether a primary key is that of a marker. Keys of entities never
// are where there are unique fields.
func (t *Table) marks(key item) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := slices.IndexFunc(t.entities, func(e *entity) bool { return len(e.unique) > 0 })
	return i >= 0 && !slices.ContainsFunc(t.entities[i].primary.columns(), func(c *keyColumn) bool {
		s, ok := key[c.attr].(*types.AttributeValueMemberS)
		return !ok || !strings.HasPrefix(s.Value, t.markerPrefix())
	})
}

// verifyMarker checks that a marker is one that this package makes.
func (t *Table) verifyMarker(stored item) error {
	name, key := ownerIn(stored)
	e := t.entityNamed(name)
	if e == nil {
		return because(ErrEntityType, "the marker of a unique value belongs to no entity of the table")
	}
	for _, c := range e.primary.columns() {
		at, _ := stored[c.attr].(*types.AttributeValueMemberS)
		known := at != nil && key[c.attr] != nil && slices.ContainsFunc(e.unique, func(f *uniqueField) bool {
			return strings.HasPrefix(at.Value, t.markerKey(f.scope, ""))
		})
		if !known {
			return because(ErrKey, "attribute %s of the marker of a unique value is not what %s makes", c.attr, e.name)
		}
	}
	return nil
}
