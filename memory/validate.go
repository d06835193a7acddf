package memory

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// rules are the constraints of one request or structure, in the order in which
// the service reports violations. They need nothing but the request.
type rules[In any] []rule[In]

// A rule reports every violation by one member of in; path is where in stands
// in the request, "" for the request itself.
type rule[In any] func(in *In, path string, found *violations)

// member declares what a member with a single value has to satisfy.
func member[In any](name string, get func(*In) field, must ...constraint) rule[In] {
	return func(in *In, path string, found *violations) {
		found.check(get(in), path+name, must)
	}
}

// elements declares the rules for each element of a list.
func elements[In, Elem any](name string, get func(*In) []Elem, each rules[Elem]) rule[In] {
	return func(in *In, path string, found *violations) {
		list := get(in)
		for i := range list {
			each.apply(&list[i], path+name+"."+strconv.Itoa(i+1)+".member.", found)
		}
	}
}

// entries declares the rules for each value of a map, in the order of the keys.
func entries[In, Elem any](name string, get func(*In) map[string]Elem, each rules[Elem]) rule[In] {
	return func(in *In, path string, found *violations) {
		m := get(in)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			elem := m[key]
			each.apply(&elem, path+name+"."+key+".member.", found)
		}
	}
}

// lists declares what each value of a map of lists has to satisfy.
func lists[In, Elem any](name string, get func(*In) map[string][]Elem, must ...constraint) rule[In] {
	return func(in *In, path string, found *violations) {
		m := get(in)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			found.check(field{size: int64(len(m[key]))}, path+name+"."+key+".member", must)
		}
	}
}

// inner declares the rules for a structure that may be absent.
func inner[In, Inner any](name string, get func(*In) *Inner, rs rules[Inner]) rule[In] {
	return func(in *In, path string, found *violations) {
		if v := get(in); v != nil {
			rs.apply(v, path+name+".", found)
		}
	}
}

func (rs rules[In]) apply(in *In, path string, found *violations) {
	for _, r := range rs {
		r(in, path, found)
	}
}

// validate returns the ValidationException that lists all violations, or nil.
func validate[In any](in *In, rs rules[In]) error {
	var found violations
	rs.apply(in, "", &found)
	return found.err()
}

// maxViolations is how many the service lists (observed).
const maxViolations = 10

// violations collects the texts of violated constraints.
type violations struct {
	texts []string
	alone string // a text that is reported instead of all others
}

func (vs *violations) check(f field, at string, must []constraint) {
	for _, c := range must {
		if c.met(f) {
			continue
		}
		text := c.report(f, at)
		if c.alone {
			if vs.alone == "" {
				vs.alone = text
			}
			return
		}
		vs.texts = append(vs.texts, text)
	}
}

func (vs *violations) err() error {
	switch n := len(vs.texts); {
	case vs.alone != "":
		return invalid(vs.alone)
	case n == 0:
		return nil
	case n == 1:
		return invalid(oneDetected + vs.texts[0])
	default:
		n = min(n, maxViolations)
		return invalid(fmt.Sprintf("%d validation errors detected: %s", n, strings.Join(vs.texts[:n], "; ")))
	}
}

// field is the value of a member as constraints see it.
type field struct {
	null  bool
	size  int64           // characters of a text, elements of a list, the value of a number
	text  string          // a text itself
	print func() string   // how the service shows what is not a text
	keys  func() []string // of a map, in order
}

// text is the field of a string.
func text(p *string) field {
	if p == nil {
		return field{null: true}
	}
	return field{text: *p, size: int64(len(*p))}
}

// word is the field of an enumeration, which the SDK holds as a string; like the
// SDK it takes "" for absent.
func word[T ~string](v T) field {
	return field{null: v == "", text: string(v), size: int64(len(v))}
}

// number is the field of an integer.
func number[T int32 | int64](p *T) field {
	if p == nil {
		return field{null: true}
	}
	return field{size: int64(*p), text: strconv.FormatInt(int64(*p), 10)}
}

// sequence is the field of a list; show prints an element as the service does.
func sequence[T any](list []T, show func(T) string) field {
	return field{null: list == nil, size: int64(len(list)), print: func() string {
		shown := make([]string, len(list))
		for i, e := range list {
			shown[i] = show(e)
		}
		return "[" + strings.Join(shown, ", ") + "]"
	}}
}

// mapping is the field of a map.
func mapping[T any](m map[string]T) field {
	return field{null: m == nil, size: int64(len(m)), keys: func() []string { return slices.Sorted(maps.Keys(m)) }}
}

func (f field) String() string {
	switch {
	case f.null:
		return "null"
	case f.print != nil:
		return "'" + f.print() + "'"
	case f.keys != nil:
		return "'{" + strings.Join(f.keys(), ", ") + "}'"
	}
	return "'" + f.text + "'"
}

// A constraint is one demand on a member.
type constraint struct {
	text  string // what the service says the member must do
	met   func(field) bool
	form  form
	alone bool // a violation is reported alone, whatever else is wrong
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
	// formOwn is the constraint's text and nothing else, not even a count.
	formOwn
)

func (c constraint) report(f field, at string) string {
	const failed = "ailed to satisfy constraint: "
	var s string
	switch c.form {
	case formPlace:
		s = "Value at '" + capitalized(at) + "' f" + failed + c.text
	case formBare:
		s = "F" + failed + c.text
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
	const within = ".member."
	upper := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	if i := strings.LastIndex(at, within); i >= 0 {
		at = at[:i+len(within)] + upper(at[i+len(within):])
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

// present makes a constraint on values that only binds where there is a value.
func present(text string, met func(field) bool) constraint {
	return constraint{text: text, met: func(f field) bool { return f.null || met(f) }}
}

func notNull() constraint {
	return constraint{text: "Member must not be null", met: func(f field) bool { return !f.null }}
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

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-') {
			return false
		}
	}
	return true
}
