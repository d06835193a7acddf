package eval

import (
	"fmt"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Error is a ValidationException that an expression causes, with the service's
// text.
type Error struct {
	// Text is the message without any envelope, as GetItem, Query and the
	// operations that write one item word it.
	Text string
	// Older is the wording of Scan and transactions. It differs from Text only
	// for some faulty values.
	Older string
	// Counted tells that PutItem, UpdateItem and DeleteItem put a count of
	// validation errors in front of the text. Faults found while an update is
	// computed are not counted, nor are values of no or several types.
	Counted bool
}

func (e *Error) Error() string { return e.Text }

// refused is a fault that is known from the request alone.
func refused(format string, args ...any) *Error {
	text := fmt.Sprintf(format, args...)
	return &Error{Text: text, Older: text, Counted: true}
}

// failed is a fault that the item or the schema brings about.
func failed(format string, args ...any) *Error {
	e := refused(format, args...)
	e.Counted = false
	return e
}

// Faults of an update that meet an item it does not fit.
var (
	errMissing     = failed("The provided expression refers to an attribute that does not exist in the item")
	errOperand     = failed("An operand in the update expression has an incorrect data type")
	errInvalidPath = failed("The document path provided in the update expression is invalid for update")
	// errMismatch is errOperand for the parameters that predate expressions.
	errMismatch = failed("Type mismatch for attribute to update")
)

// Prefixes of messages about the values of parameters.
const (
	parametersInvalid  = "One or more parameter values were invalid: "
	parametersNotValid = "One or more parameter values are not valid. "
)

// class is a kind of fault in an expression of sound syntax. In an update or
// projection the service looks for one class after the other. In a condition it
// finishes with one comparison or function before it turns to the next, so that
// there all faults are of one class, and the order within a comparison is that
// of the checks made on it (both observed).
type class uint8

const (
	undefinedName class = iota
	undefinedValue
	pathOverlap
	pathConflict
	memberType // operands of ADD and DELETE
	operandUse // number, kinds and values of operands
	classes
)

// binder binds the expressions of one request, one after the other.
type binder struct {
	names  holders[string]
	values holders[av.Value]

	kind   expr.Kind // of the expression at hand
	faults [classes]*Error
}

// note records a fault unless one of its class was met before.
func (b *binder) note(c class, format string, args ...any) {
	if b.kind != expr.Update && b.kind != expr.Projection {
		c = operandUse
	}
	if b.faults[c] == nil {
		b.faults[c] = refused("Invalid "+b.kind.String()+": "+format, args...)
	}
}

// fault returns the fault of the expression at hand that the service reports.
func (b *binder) fault() error {
	for _, f := range b.faults {
		if f != nil {
			return f
		}
	}
	return nil
}

// Checks on operands, shared by conditions and updates.

// count notes a function or operator with the wrong number of operands, and
// reports whether it has the right one.
func (b *binder) count(op string, got, want int) bool {
	if got != want {
		b.note(operandUse, "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", op, got)
	}
	return got == want
}

func (b *binder) wrongType(op string, k av.Kind) {
	b.note(operandUse, "Incorrect operand type for operator or function; operator or function: %s, operand type: %s", op, k)
}

func (b *binder) needsPath(op string) {
	b.note(operandUse, "Operator or function requires a document path; operator or function: %s", op)
}

// distinct notes a first operand that is repeated among the others.
func (b *binder) distinct(op string, first Path, rest ...Path) {
	for _, p := range rest {
		if first != nil && first.equal(p) {
			b.note(operandUse, "The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", op, first)
		}
	}
}
