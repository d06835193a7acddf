package ddb

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What went wrong, for errors.Is. Every error of this package wraps one of
// these or an error of the backend; both can be tested on one value.
var (
	// ErrDefinition: the definitions of a table are faulty; see [DefinitionError].
	ErrDefinition = errors.New("faulty definition")
	// ErrNotFound: there is no such item.
	ErrNotFound = errors.New("item not found")
	// ErrMultiple: there are several items where One wants a single one.
	ErrMultiple = errors.New("more than one item")
	// ErrIncomplete: MaxPages ended a read before its result was known.
	ErrIncomplete = errors.New("read ended early")
	// ErrExists: Create found an item with that key.
	ErrExists = errors.New("item exists already")
	// ErrConditionFailed: a condition was not met; see [ConditionError].
	ErrConditionFailed = errors.New("condition failed")
	// ErrUnique: another item has the value of a unique field; see [UniqueError].
	ErrUnique = errors.New("value is taken")
	// ErrVersion: the stored item has another version than the one written.
	ErrVersion = errors.New("version conflict")
	// ErrInDoubt stands beside ErrVersion, ErrConditionFailed or ErrTransactionConflict:
	// an answer was lost before, so that the write may have been done, and changed by
	// others since. A transaction is never in doubt.
	ErrInDoubt = errors.New("a reply was lost before, and the write may have been done")
	// ErrExpiry: the expiry of an item makes no sense.
	ErrExpiry = errors.New("bad expiry")
	// ErrKey: a field's value cannot be part of a key, or a part is not given, or
	// is to be removed.
	ErrKey = errors.New("bad key value")
	// ErrIndexPartMissing: an update changes part of an index key, or may make an
	// item that has one, and the rest is not known.
	ErrIndexPartMissing = errors.New("index key part missing")
	// ErrKeyChange: an update names an attribute that makes up the primary key,
	// or does arithmetic on one that makes up an index key or is unique.
	ErrKeyChange = errors.New("attribute is part of a key")
	// ErrRange: the bounds of a range are reversed or do not fit the key.
	ErrRange = errors.New("bad range")
	// ErrIndex: the entity is not in the index that was named, or the index
	// does not offer what was asked of it.
	ErrIndex = errors.New("bad index")
	// ErrExpression: a condition, filter or assignment cannot be sent.
	ErrExpression = errors.New("bad expression")
	// ErrEncode: a value has no form that DynamoDB stores; see [EncodeError].
	ErrEncode = errors.New("value cannot be stored")
	// ErrDecode: an attribute does not fit the field it belongs to; see
	// [DecodeError].
	ErrDecode = errors.New("attribute cannot be read")
	// ErrOverflow: a sum, of a read or of an Add, does not fit its type.
	ErrOverflow = errors.New("sum out of range")
	// ErrCursor: a cursor is damaged or belongs to another query.
	ErrCursor = errors.New("cursor does not belong to this query")
	// ErrEntityType: an item is of another entity than the one asked for, or of
	// one that the table does not define.
	ErrEntityType = errors.New("unexpected entity type")
	// ErrItemTooLarge: the item is larger than DynamoDB's 400 KB.
	ErrItemTooLarge = errors.New("item larger than 400 KB")
	// ErrTransactionTooLarge: the items and values of a transaction are more than
	// DynamoDB's 4 MB.
	ErrTransactionTooLarge = errors.New("transaction larger than 4 MB")
	// ErrTableNotFound: the backend has no such table.
	ErrTableNotFound = errors.New("table not found")
	// ErrThrottled: the backend refused the call for want of capacity.
	ErrThrottled = errors.New("throttled")
	// ErrValidation: the backend refused the request as invalid, for instance a
	// change inside an attribute that the stored item does not have.
	ErrValidation = errors.New("request refused as invalid")
	// ErrTrimmed: records of a stream may have been deleted before they were read.
	ErrTrimmed = errors.New("records trimmed")
	// ErrTransactionConflict: another transaction held the item.
	ErrTransactionConflict = errors.New("transaction conflict")
)

// OpError says which operation on which table, index, entity and field failed.
// It never shows key values or contents of items. Err is one of the sentinels
// of this package, an error that wraps one, or the backend's error.
type OpError struct {
	Op     string // GetItem, Query, …
	Table  string
	Index  string // "" for the table itself
	Entity string
	Field  string // Go name of the field at fault, if one is
	Err    error
}

func (e *OpError) Error() string {
	var b strings.Builder
	b.WriteString("ddb: " + e.Op + " " + e.Table)
	if e.Index != "" {
		b.WriteString("." + e.Index)
	}
	if e.Entity != "" {
		b.WriteString(": " + e.Entity)
		if e.Field != "" {
			b.WriteString("." + e.Field)
		}
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *OpError) Unwrap() error { return e.Err }

// reason is a sentinel with the particulars.
type reason struct {
	is   error
	text string
}

func (r *reason) Error() string { return r.is.Error() + ": " + r.text }
func (r *reason) Unwrap() error { return r.is }

func because(is error, format string, args ...any) error {
	return &reason{is, fmt.Sprintf(format, args...)}
}

// ConditionError is a failed condition together with the item that failed it.
// errors.Is finds [ErrConditionFailed] and what explains the failure, such as
// [ErrExists], [ErrNotFound] or [ErrEntityType], and errors.As the backend's own
// exception.
type ConditionError struct {
	// Item is the stored item at that moment, nil if there was none. The
	// caller owns it.
	Item map[string]types.AttributeValue

	is    error
	cause error
}

func (e *ConditionError) Error() string { return e.explanation().Error() }

// explanation is what the failure means; of the zero ConditionError, nothing more.
func (e *ConditionError) explanation() error {
	if e.is == nil {
		return ErrConditionFailed
	}
	return e.is
}

// Unwrap returns what explains the failure and the backend's exception.
func (e *ConditionError) Unwrap() []error {
	is := e.explanation()
	if is == ErrConditionFailed {
		return []error{is, e.cause}
	}
	return []error{is, ErrConditionFailed, e.cause}
}

// DefinitionError lists every fault in the definitions of a table.
type DefinitionError struct {
	Table  string
	Faults []Fault
}

// Fault is one mistake in a definition.
type Fault struct {
	Type    string // the Go struct
	Tag     string // where in its tags: GSI1 sk:"{PlacedAt}"
	Column  string // the key attribute concerned, if one is
	Problem string // what is wrong and how to mend it
}

// String says where the fault is and what it is, on one line.
func (f Fault) String() string {
	s := f.Type
	if f.Tag != "" {
		s += ", " + f.Tag
	}
	if f.Column != "" {
		s += " (attribute " + f.Column + ")"
	}
	if s == "" {
		return f.Problem
	}
	return s + ": " + f.Problem
}

func (e *DefinitionError) Error() string {
	var b strings.Builder
	b.WriteString("ddb: table " + cmp.Or(e.Table, "without a name") + " has faulty definitions:")
	for _, f := range e.Faults {
		b.WriteString("\n\t" + f.String())
	}
	return b.String()
}

// Is reports whether target is [ErrDefinition].
func (e *DefinitionError) Is(target error) bool { return target == ErrDefinition }

// EncodeError says why a value has no form that DynamoDB stores. It wraps
// [ErrEncode] and what the value's own method said.
type EncodeError struct {
	Path    string       // where: Lines[2].Price, by Go names and keys of maps
	Type    reflect.Type // of what is there
	Problem string       // what is wrong with it, without the value
	Err     error        // what a method of the type said; may show the value
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("%s: the %s %s", ErrEncode, e.Type, e.Problem)
}

// Unwrap returns [ErrEncode] and Err.
func (e *EncodeError) Unwrap() []error { return present(ErrEncode, e.Err) }

// DecodeError says which attribute of an item does not fit the Go type that it
// is to be read into. It wraps [ErrDecode] and what the type's own method or
// package strconv said.
type DecodeError struct {
	Path    string       // where: Lines[2].Price, by names of attributes
	Kind    string       // what is stored there: S, N, …
	Type    reflect.Type // that it does not fit
	Problem string       // why, without the value
	Err     error        // what a method of the type or strconv said; may show the value
}

func (e *DecodeError) Error() string {
	where := ""
	if e.Path != "" {
		where = e.Path + ": "
	}
	return fmt.Sprintf("%s: %sthe %s %s (%s)", ErrDecode, where, e.Kind, e.Problem, e.Type)
}

// Unwrap returns [ErrDecode] and Err.
func (e *DecodeError) Unwrap() []error { return present(ErrDecode, e.Err) }

func present(is, cause error) []error {
	if cause == nil {
		return []error{is}
	}
	return []error{is, cause}
}
