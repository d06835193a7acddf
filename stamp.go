package ddb

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// stamps are the fields of an entity that the layer keeps by itself, marked by
// the words of a ddb tag. Those that it keeps unique are in unique.go.
type stamps struct {
	version *field   // counts writes
	ttl     *field   // when the item expires
	created *field   // when it was first written
	updated *field   // when it was last written
	written []*field // those of them that writes set; an expiry is the caller's own
}

// stampWords are what a ddb tag can say of a field.
var stampWords = []string{"version", "ttl", "created", "updated", "unique"}

// readStamps finds the marked fields.
func (e *entity) readStamps(fault func(tag, problem string)) {
	for _, f := range e.plan.fields {
		word, marked := f.tag.Lookup("ddb")
		if !marked {
			continue
		}
		if first, _, _ := strings.Cut(word, ","); first == "unique" || strings.HasPrefix(first, "unique=") {
			e.readUnique(f, word, fault)
			continue
		}
		tag := fmt.Sprintf("%s ddb:%q", f.name, word)
		slot := map[string]**field{
			"version": &e.stamps.version, "ttl": &e.stamps.ttl,
			"created": &e.stamps.created, "updated": &e.stamps.updated,
		}[word]
		switch {
		case slot == nil:
			fault(tag, fmt.Sprintf("unknown word %q; the words are %s", word, strings.Join(stampWords, ", ")))
		case *slot != nil:
			fault(tag, fmt.Sprintf("is a second %s beside field %s", word, (*slot).name))
		case !stampFits(word, f.typ):
			fault(tag, fmt.Sprintf("is a %s; %s", f.typ, stampTypes[word]))
		case slices.ContainsFunc(e.specs, func(s *keySpec) bool { return s.uses(f) }) && word != "created":
			fault(tag, "is part of a key; only a created time can be")
		default:
			*slot = f
			if word != "ttl" {
				e.stamps.written = append(e.stamps.written, f)
			}
		}
	}
}

var stampTypes = map[string]string{
	"version": "a version is an integer of 32 bits or more, which no number of writes exceeds",
	"ttl":     "an expiry is a time.Time, or epoch seconds in an integer of 32 bits or more",
	"created": "a created time is a time.Time",
	"updated": "an updated time is a time.Time",
}

func stampFits(word string, t reflect.Type) bool {
	number := t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 && t.Bits() >= 32
	switch word {
	case "version":
		return number
	case "ttl":
		return number || t == timeType
	}
	return t == timeType
}

// stamp fills the marked fields of v, a settable copy of a value about to be
// written as a whole. Pointers on the way to them are copied too, so that the
// caller's value stays as it is until the write has succeeded.
func (e *entity) stamp(v reflect.Value) {
	now := reflect.ValueOf(e.table.Now())
	if f := e.stamps.created; f != nil && f.value(v).IsZero() {
		owned(v, f).Set(now)
	}
	if f := e.stamps.updated; f != nil {
		owned(v, f).Set(now)
	}
	if f := e.stamps.version; f != nil {
		setInt(owned(v, f), versionOf(f.value(v))+1)
	}
}

// restore puts the stamps of the item that was read back into what a caller's function
// has made of it. A version that went back would let stale writes through; only another
// created time can be meant.
func (e *entity) restore(after, before reflect.Value) {
	for _, f := range e.stamps.written {
		if f == e.stamps.created && !f.value(after).IsZero() {
			continue
		}
		if was := f.value(before); !f.value(after).Equal(was) {
			owned(after, f).Set(was)
		}
	}
}

// keep carries the stamps of a written value over to the caller's.
func (e *entity) keep(written, caller reflect.Value) {
	for _, f := range e.stamps.written {
		settable(caller, f).Set(f.value(written))
	}
}

// owned returns the field in the struct v, with copies of the embedded structs
// that pointers on the way lead to.
func owned(v reflect.Value, f *field) reflect.Value {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			fresh := reflect.New(v.Type().Elem())
			if !v.IsNil() {
				fresh.Elem().Set(v.Elem())
			}
			v.Set(fresh)
			v = fresh.Elem()
		}
		v = v.Field(x)
	}
	return v
}

func versionOf(v reflect.Value) int64 {
	if v.CanInt() {
		return v.Int()
	}
	return int64(v.Uint())
}

func setInt(v reflect.Value, n int64) {
	if v.CanInt() {
		v.SetInt(n)
	} else {
		v.SetUint(uint64(n))
	}
}

// unchanged is the condition that the stored item still has the version of v. An
// item that was stored without a version counts as version 0, and so does none.
func (e *entity) unchanged(v reflect.Value) cond {
	f := e.stamps.version
	if f == nil {
		return cond{}
	}
	name := nameOf(f.attr)
	n := versionOf(f.value(v))
	is := expression.Equal(name, expression.Value(integer(n)))
	if n == 0 {
		is = expression.AttributeNotExists(name).Or(is)
	}
	return raw(is)
}

// explainVersion turns a failed condition into [ErrVersion] if the stored item
// has another version than v.
func (e *entity) explainVersion(err error, v reflect.Value) error {
	failed, ok := errors.AsType[*ConditionError](err)
	if !ok || e.stamps.version == nil || failed.is != ErrConditionFailed {
		return err
	}
	stored := "0"
	if n, ok := failed.Item[e.stamps.version.attr].(*types.AttributeValueMemberN); ok {
		stored = n.Value
	}
	if stored != strconv.FormatInt(versionOf(e.stamps.version.value(v)), 10) {
		failed.is = ErrVersion
	}
	return err
}
