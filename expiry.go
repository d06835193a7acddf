package ddb

import (
	"errors"
	"math/big"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxExpiry is the first of January 3000. A later expiry is nearly always a
// slip of milliseconds for seconds.
var maxExpiry = time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// setExpiry writes the expiry of an item: epoch seconds, or nothing if there is
// none.
func (e *entity) setExpiry(item item, v reflect.Value) error {
	f := e.stamps.ttl
	if f == nil {
		return nil
	}
	av, err := storedExpiry(f.value(v))
	switch {
	case err != nil:
		return &fieldError{field: f.name, err: err}
	case av == nil:
		delete(item, f.attr)
	default:
		item[f.attr] = av
	}
	return nil
}

// storedExpiry returns the stored form of an expiry, nil if the value is none.
func storedExpiry(v reflect.Value) (types.AttributeValue, error) {
	seconds, given := expiry(v)
	switch {
	case !given:
		return nil, nil
	case seconds > maxExpiry:
		return nil, because(ErrExpiry, "it lies after the year 3000; are these milliseconds?")
	}
	return integer(seconds), nil
}

var errNoExpiry = because(ErrExpiry, "the zero value is none; use Remove, or Exists and NotExists in conditions")

// expiry returns epoch seconds, and false for the zero value: never.
func expiry(v reflect.Value) (int64, bool) {
	switch {
	case v.IsZero():
		return 0, false
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(min(v.Uint(), 1<<63-1)), true
	}
	at := v.Interface().(time.Time)
	return at.Unix(), !at.IsZero()
}

// placeholderNow is the moment of a read. It is no part of what a cursor belongs
// to.
const placeholderNow = ":now"

// hideExpired adds to the filter that the item has not expired by now.
func (x *selected) hideExpired(e *entity) {
	f := e.stamps.ttl
	if f == nil {
		return
	}
	if x.names == nil {
		x.names = make(map[string]string)
	}
	if x.values == nil {
		x.values = make(map[string]types.AttributeValue)
	}
	x.names["#ttl"] = f.attr
	x.values[placeholderNow] = integer(e.table.clock().Unix())
	alive := "attribute_not_exists(#ttl) OR #ttl > " + placeholderNow
	if x.filter != "" {
		alive = "(" + x.filter + ") AND (" + alive + ")"
	}
	x.filter = alive
}

// expired reports whether a value has an expiry that is past.
func (e *entity) expired(v reflect.Value) bool {
	if e.stamps.ttl == nil {
		return false
	}
	seconds, given := expiry(e.stamps.ttl.value(v))
	return given && seconds <= e.table.clock().Unix()
}

// UpdateTimeToLiveInput returns the input that switches expiry on for the
// attribute that the entities mark with ddb:"ttl", nil if none does.
func (t *Table) UpdateTimeToLiveInput() (*dynamodb.UpdateTimeToLiveInput, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entities {
		if f := e.stamps.ttl; f != nil {
			return &dynamodb.UpdateTimeToLiveInput{
				TableName: aws.String(t.name),
				TimeToLiveSpecification: &types.TimeToLiveSpecification{
					AttributeName: aws.String(f.attr), Enabled: aws.Bool(true),
				},
			}, nil
		}
	}
	return nil, nil
}

// gone and alive are conditions on the expiry of an item that is there. An entity
// without expiry has no condition gone.
func (e *entity) gone() cond {
	if e.stamps.ttl == nil {
		return cond{}
	}
	return raw(expression.LessThanEqual(nameOf(e.stamps.ttl.attr), expression.Value(integer(e.table.clock().Unix()))))
}

func (e *entity) alive() cond {
	if e.stamps.ttl == nil {
		return cond{}
	}
	name := nameOf(e.stamps.ttl.attr)
	later := expression.GreaterThan(name, expression.Value(integer(e.table.clock().Unix())))
	return raw(expression.AttributeNotExists(name).Or(later))
}

// explainGone turns a failed condition into another error if the stored item has
// expired.
func (e *entity) explainGone(err, is error) error {
	failed, ok := errors.AsType[*ConditionError](err)
	if !ok || e.stamps.ttl == nil || failed.is != ErrConditionFailed {
		return err
	}
	n, ok := failed.Item[e.stamps.ttl.attr].(*types.AttributeValueMemberN)
	if !ok {
		return err
	}
	if at, ok := exactNumber(n.Value); ok && at.Cmp(new(big.Rat).SetInt64(e.table.clock().Unix())) <= 0 {
		failed.is = is
	}
	return err
}
