package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// A constraint is one demand on a member.
type constraint struct {
	text string // what the service says the member must do
	met  func(field) bool
	form form
	// optional tells that a member that is absent meets the constraint.
	optional bool
	// alone tells that a violation is reported alone, whatever else is wrong.
	alone bool
	// older stands in its place in regions with the older wording; nil for itself.
	older *constraint
}

// A form is the way in which a violated constraint is worded.
type form uint8

const (
	// The zero form shows the value: Value 'x' at 'member' failed to …
	_ form = iota
	// formPlace shows only the place, with a capital: Value at 'Member' failed to …
	formPlace
	// formBare shows neither: Failed to …
	formBare
	// formUncounted is formBare without a count in front.
	formUncounted
	// formOwn is the constraint's text and nothing else, not even a count.
	formOwn
)

func (c *constraint) report(f field, at string) string {
	const failed = "ailed to satisfy constraint: "
	var s string
	switch c.form {
	case formPlace:
		s = "Value at '" + capitalized(at) + "' f" + failed + c.text
	case formBare:
		s = "F" + failed + c.text
	case formUncounted:
		return "F" + failed + c.text
	case formOwn:
		return c.text
	default:
		s = "Value " + f.String() + " at '" + at + "' f" + failed + c.text
	}
	if c.alone {
		s = oneDetected + s
	}
	return s
}

// capitalized returns a place with the capitals that formPlace shows: those of
// the outermost and of the innermost member, as in RequestItems.t.member.Keys.
func capitalized(at string) string {
	upper := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	if i := strings.LastIndexByte(at, '.') + 1; i > 0 && at[i:] != "member" {
		at = at[:i] + upper(at[i:])
	}
	return upper(at)
}

// as returns the constraint with another form.
func (c constraint) as(f form) constraint {
	c.form = f
	return c
}

// decisive returns the constraint made to be reported alone.
func (c constraint) decisive() constraint {
	c.alone = true
	return c
}

// formerly returns the constraint with another one in its place in regions with
// the older wording.
func (c constraint) formerly(older constraint) constraint {
	c.older = &older
	return c
}

// nothing is the constraint that demands nothing.
func nothing() constraint { return constraint{met: func(field) bool { return true }} }

// present makes a constraint on values that only binds where there is a value.
func present(text string, met func(field) bool) constraint {
	return constraint{text: text, met: met, optional: true}
}

func notNull() constraint {
	return constraint{text: "Member must not be null", met: func(f field) bool { return !f.null }}
}

// notEmpty is minLength(1) in the wording that batches had.
func notEmpty(parameter, operation string) constraint {
	return constraint{
		text: "The " + parameter + " parameter is required for " + operation,
		met:  func(f field) bool { return f.null || f.size > 0 }, form: formOwn, alone: true,
	}
}

// required is notNull in the wording of operations on tables.
func required(parameter string) constraint {
	return constraint{
		text: "The parameter '" + parameter + "' is required but was not present in the request",
		met:  func(f field) bool { return !f.null }, form: formOwn, alone: true,
	}
}

func minLength(n int64) constraint {
	return present(fmt.Sprintf("Member must have length greater than or equal to %d", n), func(f field) bool { return f.size >= n })
}

func maxLength(n int64) constraint {
	return present(fmt.Sprintf("Member must have length less than or equal to %d", n), func(f field) bool { return f.size <= n })
}

func atLeast(n int64) constraint {
	return present(fmt.Sprintf("Member must have value greater than or equal to %d", n), func(f field) bool { return f.size >= n })
}

func atMost(n int64) constraint {
	return present(fmt.Sprintf("Member must have value less than or equal to %d", n), func(f field) bool { return f.size <= n })
}

// oneOf demands one of the given words; the message lists them in this order.
func oneOf(words ...string) constraint {
	return oneOfAs(words, words)
}

// oneOfAs is oneOf for a message that lists other words than are accepted.
func oneOfAs(words, listed []string) constraint {
	return present("Member must satisfy enum value set: "+list(listed), func(f field) bool { return slices.Contains(words, f.text) })
}

// nameAlphabet demands the characters that names of tables and indexes may have.
// An empty name is left to the constraints on length.
func nameAlphabet() constraint {
	return present("Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+", func(f field) bool { return isName(f.text) })
}

// keysNameTables demands names of tables, or their ARNs, as the keys of a map.
func keysNameTables() constraint {
	return present("Map keys must satisfy constraint: [Member must have length less than or equal to 255, "+
		"Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]",
		func(f field) bool {
			return !slices.ContainsFunc(f.keys(), func(ref string) bool {
				name := nameInARN(ref)
				return len(name) < limits.TableNameMin || len(name) > limits.TableNameMax || !isName(name)
			})
		})
}

// valueLengths bounds the lengths of the lists in a map.
func valueLengths(least, most int) constraint {
	return present(fmt.Sprintf("Map value must satisfy constraint: [Member must have length less than or equal to %d, "+
		"Member must have length greater than or equal to %d]", most, least), func(f field) bool {
		return !slices.ContainsFunc(f.sizes(), func(n int) bool { return n < least || n > most })
	})
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-') {
			return false
		}
	}
	return true
}
