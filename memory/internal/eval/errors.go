package eval

import "fmt"

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
	// Unused tells that the request has values and no expression to use them, which
	// some regions say in more words.
	Unused bool
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
