package model

import "slices"

// Failure is why a request is refused: the code and the text of an exception.
type Failure struct {
	Code, Text string
	// Item is the stored item, if a failed condition is to show it.
	Item Item
	// Reasons are those of a cancelled transaction, in the order of the actions.
	Reasons []Failure
	// whole marks what a transaction reports for the request as a whole.
	whole bool
}

// Equal reports whether two failures, nil for none, look the same to a caller.
func (f *Failure) Equal(g *Failure) bool {
	if f == nil || g == nil {
		return f == g
	}
	return f.Code == g.Code && f.Text == g.Text && (f.Item == nil) == (g.Item == nil) && EqualItems(f.Item, g.Item) &&
		slices.EqualFunc(f.Reasons, g.Reasons, func(x, y Failure) bool { return x.Equal(&y) })
}

func (f *Failure) Error() string { return f.Code + ": " + f.Text }

// Codes of exceptions and of reasons.
const (
	CodeValidation = "ValidationException"
	CodeCondition  = "ConditionalCheckFailedException"
	CodeCancelled  = "TransactionCanceledException"
	CodeToken      = "IdempotentParameterMismatchException"

	reasonNone       = "None"
	reasonValidation = "ValidationError"
	reasonCondition  = "ConditionalCheckFailed"
)

// Beginnings of texts.
const (
	wereInvalid = "One or more parameter values were invalid: "
	areNotValid = "One or more parameter values are not valid. "
)

func invalid(text string) *Failure { return &Failure{Code: CodeValidation, Text: text} }

func invalidWhole(text string) *Failure {
	return &Failure{Code: CodeValidation, Text: text, whole: true}
}

var (
	errMissing   = invalid("The provided expression refers to an attribute that does not exist in the item")
	errOperand   = invalid("An operand in the update expression has an incorrect data type")
	errPath      = invalid("The document path provided in the update expression is invalid for update")
	errMismatch  = invalid("Type mismatch for attribute to update")
	errKey       = invalid("The provided key element does not match the schema")
	errDuplicate = invalid("Provided list of item keys contains duplicates")
	errSameItem  = invalid("Transaction request cannot include multiple operations on one item")
	errStart     = invalid("The provided starting key is invalid")
)

// cancelled reports a transaction by its reasons.
func cancelled(reasons []Failure) *Failure {
	codes := ""
	for i, r := range reasons {
		if i > 0 {
			codes += ", "
		}
		codes += r.Code
	}
	return &Failure{
		Code:    CodeCancelled,
		Text:    "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]",
		Reasons: reasons,
	}
}
