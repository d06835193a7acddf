package expr

import (
	"fmt"
	"unicode/utf8"
)

// SyntaxError says why a text is not an expression.
type SyntaxError struct {
	// Kind and Expression are what Parse was given.
	Kind       Kind
	Expression string
	// Offset is the byte in Expression at which the fault begins.
	Offset int
	// Message is the service's text for the fault, without the prefix that
	// names the parameter.
	Message string
}

// Error returns the service's whole text:
//
//	Invalid UpdateExpression: Syntax error; token: "_", near: "SET _123"
func (e *SyntaxError) Error() string { return "Invalid " + e.Kind.String() + ": " + e.Message }

// class is a kind of fault that the service looks for in a text of sound
// syntax. It looks for one class after the other, each from left to right.
type class uint8

const (
	redundantParentheses class = iota
	unknownFunction
	misusedFunction
	reservedName
	repeatedSection
	pathDepth
	listIndex
	operatorCount
	classes
)

// The orders were observed; where the last three classes stand is not known.
var (
	conditionOrder = [...]class{
		redundantParentheses, unknownFunction, misusedFunction, reservedName, pathDepth, listIndex, operatorCount,
	}
	updateOrder = [...]class{
		redundantParentheses, reservedName, unknownFunction, misusedFunction, repeatedSection, pathDepth, listIndex, operatorCount,
	}
)

// faults collects the first fault of each class.
type faults [classes]*SyntaxError

func (f *faults) first(k Kind) *SyntaxError {
	order := conditionOrder[:]
	if k == Update {
		order = updateOrder[:]
	}
	for _, c := range order {
		if f[c] != nil {
			return f[c]
		}
	}
	return nil
}

func (p *parser) fault(at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Kind: p.kind, Expression: p.text, Offset: at, Message: fmt.Sprintf(format, args...)}
}

// note records a fault unless one of its class was met before.
func (p *parser) note(c class, at int, format string, args ...any) {
	if p.faults[c] == nil {
		p.faults[c] = p.fault(at, format, args...)
	}
}

// unexpected reports the current token as an error of syntax, together with its
// neighbourhood: the text from the token before it to the token after it. At
// the end of the text that is the last token alone (observed).
func (p *parser) unexpected() error {
	t := p.tok()
	if t.kind == endOfText {
		near := ""
		if p.next > 0 {
			near = p.tokens[p.next-1].text
		}
		return p.fault(t.at, `Syntax error; token: "<EOF>", near: "%s"`, near)
	}
	from, to := t.at, t.end()
	if p.next > 0 {
		from = p.tokens[p.next-1].at
	}
	if after := p.tokens[p.next+1]; after.kind != endOfText {
		to = after.end()
	}
	return p.fault(t.at, `Syntax error; token: "%s", near: "%s"`, t.text, p.text[from:to])
}

// sizeFault reports a text beyond the limit. The form for updates lacks the
// figure (observed).
func (p *parser) sizeFault() error {
	if p.kind == Update {
		return p.fault(0, "Expression size has exceeded the maximum allowed size;")
	}
	return p.fault(0, "Expression size has exceeded the maximum allowed size; expression size: %d", len(p.text))
}

// runeLen is the length of the character at the start of s, at least one byte.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
