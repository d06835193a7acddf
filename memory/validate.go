package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// rules are the constraints of one request or structure, in the order in which
// the service reports violations. They need nothing but the request.
type rules[In any] []rule[In]

// A rule reports every violation by one member of in; path is where in stands
// in the request, "" for the request itself.
type rule[In any] func(in *In, path string, found *violations)

// within returns the place of a member of what stands at path; the whole of that if
// the member has no name.
func within(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// member declares what a member with a single value has to satisfy.
func member[In any](name string, get func(*In) field, must ...constraint) rule[In] {
	return func(in *In, path string, found *violations) {
		found.check(get(in), path, name, must)
	}
}

// elements declares the rules for each element of a list.
func elements[In, Elem any](name string, get func(*In) []Elem, each rules[Elem]) rule[In] {
	return func(in *In, path string, found *violations) {
		list := get(in)
		for i := range list {
			each.apply(&list[i], found.at(path, name+"."+strconv.Itoa(i+1)+".member"), found)
		}
	}
}

// entries declares the rules for each value of a map, in the order of the keys.
func entries[In, Elem any](name string, get func(*In) map[string]Elem, each rules[Elem]) rule[In] {
	return func(in *In, path string, found *violations) {
		m := get(in)
		if found.report == nil {
			for _, elem := range m {
				each.apply(&elem, "", found)
			}
			return
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			elem := m[key]
			each.apply(&elem, within(path, name)+"."+key+".member", found)
		}
	}
}

// lists declares what each value of a map of lists has to satisfy.
func lists[In, Elem any](name string, get func(*In) map[string][]Elem, must ...constraint) rule[In] {
	return func(in *In, path string, found *violations) {
		m := get(in)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			found.check(field{size: int64(len(m[key]))}, path, name+"."+key+".member", must)
		}
	}
}

// inner declares the rules for a structure that may be absent.
func inner[In, Inner any](name string, get func(*In) *Inner, rs rules[Inner]) rule[In] {
	return func(in *In, path string, found *violations) {
		if v := get(in); v != nil {
			rs.apply(v, found.at(path, name), found)
		}
	}
}

// check returns the ValidationException that lists all violations, or nil. Nearly
// always there are none, so that it first finds out whether there are any.
func (rs rules[In]) check(in *In, found *violations) error {
	rs.apply(in, "", found)
	if !found.any {
		return nil
	}
	found.report = new(report)
	rs.apply(in, "", found)
	return found.report.err()
}

func (rs rules[In]) apply(in *In, path string, found *violations) {
	for _, r := range rs {
		r(in, path, found)
	}
}

// leftToOlder has a request worded the older way in all regions where the newer
// validation leaves it to the older one.
func leftToOlder[In any](when func(*In) bool) rule[In] {
	return func(in *In, _ string, found *violations) { found.older = found.older || when(in) }
}

// maxViolations is how many the service lists (observed).
const maxViolations = 10

// violations is what is known of violated constraints.
type violations struct {
	any   bool
	older bool // constraints are worded the older way
	// report collects the texts; while it is nil nothing but any is asked for, and
	// nobody needs to know where members stand.
	report *report
}

// report holds the texts of violated constraints.
type report struct {
	texts []string
	alone string // a text that is reported instead of all others
}

// check notes what is wrong with a member of the structure at path.
func (vs *violations) check(f field, path, member string, must []constraint) {
	for i := range must {
		c := &must[i]
		if vs.older && c.older != nil {
			c = c.older
		}
		if f.null && c.optional || c.met(f) {
			continue
		}
		if vs.any = true; vs.report == nil {
			return
		}
		text := c.report(f, within(path, member))
		if c.alone {
			vs.report.alone = cmp.Or(vs.report.alone, text)
			return
		}
		vs.report.texts = append(vs.report.texts, text)
	}
}

// at is where a member of what stands at path stands.
func (vs *violations) at(path, member string) string {
	if vs.report == nil {
		return ""
	}
	return within(path, member)
}

func (r *report) err() error {
	switch n := len(r.texts); {
	case r.alone != "":
		return invalid(r.alone)
	case n == 0:
		return nil
	case n == 1:
		return invalid(oneDetected + r.texts[0])
	default:
		n = min(n, maxViolations)
		return invalid(fmt.Sprintf("%d validation errors detected: %s", n, strings.Join(r.texts[:n], "; ")))
	}
}

// field is the value of a member as constraints see it.
type field struct {
	null  bool
	size  int64           // characters of a text, elements of a list, the value of a number
	text  string          // a text itself
	print func() string   // how the service shows what is not a text
	keys  func() []string // of a map, in order
	sizes func() []int    // of the values of a map, in order of the keys
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

// presence is the field of a map or structure that constraints only ask for.
func presence(given bool) field { return field{null: !given} }

// sequence is the field of a list; show prints an element as the service does.
func sequence[T any](list []T, show func(T) string) field {
	if list == nil {
		return field{null: true}
	}
	return field{size: int64(len(list)), print: func() string {
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

// mappingOfLists is the field of a map of lists, whose elements messages show by
// the name of their type.
func mappingOfLists[T any](m map[string][]T, element string) field {
	f := mapping(m)
	f.sizes = func() []int {
		sizes := make([]int, 0, len(m))
		for _, key := range f.keys() {
			sizes = append(sizes, len(m[key]))
		}
		return sizes
	}
	f.print = func() string {
		var shown []string
		for _, key := range f.keys() {
			shown = append(shown, key+"="+list(slices.Repeat([]string{element}, len(m[key]))))
		}
		return "{" + strings.Join(shown, ", ") + "}"
	}
	return f
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
