package av

import (
	"slices"
	"strconv"
	"strings"
)

// Error is a fault of a single value, with the text the service gives it.
type Error struct {
	// Text is the wording of the operations on single items and of Query.
	Text string
	// Older is the wording of BatchWriteItem, Scan and transactions.
	Older string
	// Shape marks a value that is none or several of the kinds at once. The
	// service reports those without a count of validation errors in front.
	Shape bool
	// Content marks what is wrong with a number, or with the members of a set,
	// which the service reports without saying that it stands in a starting key.
	Content bool
}

func (e *Error) Error() string { return e.Text }

func fault(text string) *Error { return &Error{Text: text, Older: text} }

func contentFault(text string) *Error { return &Error{Text: text, Older: text, Content: true} }

const invalid = "One or more parameter values were invalid: "

var (
	errNumberDigits    = contentFault("Attempting to store more than 38 significant digits in a Number")
	errNumberOverflow  = contentFault("Number overflow. Attempting to store a number with magnitude larger than supported range")
	errNumberUnderflow = contentFault("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	errNumberWrapped   = &Error{Text: errNumberOverflow.Text, Older: errNumberUnderflow.Text, Content: true}
	errEmptySS         = fault(invalid + "An string set  may not be empty")
	errEmptyNS         = contentFault(invalid + "An number set  may not be empty")
	errEmptyBS         = fault(invalid + "Binary sets should not be empty")
	errNullFalse       = fault(invalid + "Null attribute value types must have the value of true")
	errNesting         = fault("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
	errNoKind          = &Error{Text: noKind, Older: noKind, Shape: true}
	errManyKinds       = &Error{Text: manyKinds, Older: manyKinds, Shape: true}
)

const (
	noKind    = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	manyKinds = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
)

func notNumeric(text string) *Error {
	e := contentFault("The parameter cannot be converted to a numeric value: " + text)
	if text == "" {
		e.Older = "The parameter cannot be converted to a numeric value"
	}
	return e
}

// duplicates reports a set with equal members, given in the order they were
// written; the two wordings print them differently.
func duplicates(k Kind, members []string) *Error {
	switch k {
	case NS:
		return &Error{
			Text:    invalid + "Input collection contains duplicates.",
			Older:   "Input collection contains duplicates",
			Content: true,
		}
	case BS:
		members = allInBase64(members)
		return &Error{
			Text:    invalid + "Input collection " + quoted(members, ",") + "of type BS contains duplicates.",
			Older:   invalid + "Input collection " + bare(members) + "of type BS contains duplicates.",
			Content: true,
		}
	}
	// The one recorded case has the current wording list ["a", "b", "b"] where
	// the older one has [b, a, b]: the newer sorts strings, and only strings.
	return &Error{
		Text:    invalid + "Input collection " + quoted(slices.Sorted(slices.Values(members)), ", ") + " contains duplicates.",
		Older:   invalid + "Input collection " + bare(members) + " contains duplicates.",
		Content: true,
	}
}

func quoted(members []string, sep string) string {
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = strconv.Quote(m)
	}
	return "[" + strings.Join(texts, sep) + "]"
}

func bare(members []string) string { return "[" + strings.Join(members, ", ") + "]" }
