package ddb

import (
	"reflect"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// bound is one end of a range: the struct that gives the value, and whether
// keys under that value are in.
type bound struct {
	value     reflect.Value
	inclusive bool
}

// sortCondition is the condition of a query on the sort key; the zero one is
// none.
type sortCondition struct {
	equal  []types.AttributeValue // the leading attributes of a key of several
	op     string                 // "=", "begins_with", "BETWEEN", ">=", "<=", ">", "<" on the next one
	lo, hi types.AttributeValue
}

// sortRange turns the fields given in key, and the bounds, into the one
// condition that DynamoDB allows on a sort key.
func (s *keySpec) sortRange(key reflect.Value, lo, hi *bound) (sortCondition, error) {
	switch {
	case len(s.sk) == 0 && (lo != nil || hi != nil):
		return sortCondition{}, because(ErrRange, "the key has no sort part")
	case len(s.sk) == 0:
		return sortCondition{}, nil
	}
	given := s.sortParts(key)
	equal, err := s.fixed(given, lo, hi)
	if err != nil {
		return sortCondition{}, err
	}
	c := s.sk[len(equal)]
	out, err := sortCondition{}, error(nil)
	if c.plain != nil {
		out, err = c.plainRange(given, lo, hi)
	} else {
		out, err = c.template.span(given, lo, hi)
	}
	out.equal = equal
	return out, err
}

// values gives the value of each field.
type values func(*field) reflect.Value

func valuesOf(v reflect.Value) values { return func(f *field) reflect.Value { return f.value(v) } }

// sortParts are a query's values as far as they are meant for the sort key. A
// field that the partition key holds in a coarser form, such as a time by its
// day, is there to name the partition and says nothing of the sort key.
func (s *keySpec) sortParts(key reflect.Value) values {
	return func(f *field) reflect.Value {
		for _, c := range s.pk {
			if c.plain == nil && c.template.part(f) != nil && !c.tells(f) {
				return reflect.Zero(f.typ)
			}
		}
		return f.value(key)
	}
}

// plainRange is the condition on a sort key that is an attribute of the entity.
func (c *keyColumn) plainRange(key values, lo, hi *bound) (sortCondition, error) {
	encode := func(v values) (types.AttributeValue, error) {
		av, err := c.plain.codec().encode(v(c.plain))
		if err != nil {
			return nil, (&partError{c.plain, err}).in(&keySpec{})
		}
		return av, nil
	}
	if lo == nil && hi == nil {
		if key(c.plain).IsZero() {
			return sortCondition{}, nil
		}
		av, err := encode(key)
		return sortCondition{op: "=", lo: av}, err
	}
	out := sortCondition{}
	if lo != nil {
		av, err := encode(valuesOf(lo.value))
		if err != nil {
			return out, err
		}
		out.op, out.lo = map[bool]string{true: ">=", false: ">"}[lo.inclusive], av
	}
	if hi != nil {
		av, err := encode(valuesOf(hi.value))
		if err != nil {
			return out, err
		}
		out.op, out.hi = map[bool]string{true: "<=", false: "<"}[hi.inclusive], av
	}
	if lo != nil && hi != nil {
		if !lo.inclusive || !hi.inclusive {
			return out, because(ErrRange, "a sort key that is an attribute takes both bounds with Between, or one bound")
		}
		if compareKeys(out.lo, out.hi) > 0 {
			return out, errReversed
		}
		out.op = "BETWEEN"
	}
	return out, nil
}

// span is the condition on a templated sort key. All bounds are inclusive, and
// exact: no key can equal a bound that ends in the greatest character, since no
// part may hold that.
func (t *keyTemplate) span(key values, lo, hi *bound) (sortCondition, error) {
	base, err := t.leading(key, 0, false)
	if err != nil {
		return sortCondition{}, err
	}
	if lo == nil && hi == nil {
		return t.whole(base), nil
	}
	lows, err := t.boundTexts(base, lo)
	if err != nil {
		return sortCondition{}, err
	}
	highs, err := t.boundTexts(base, hi)
	if err != nil {
		return sortCondition{}, err
	}
	if down, err := t.descends(len(base), lows, highs); err != nil {
		return sortCondition{}, err
	} else if down {
		lo, hi, lows, highs = hi, lo, highs, lows
	}
	from, to := t.start(base), t.stop(base)
	if lo != nil {
		from = t.lower(lows, lo.inclusive)
	}
	if hi != nil {
		to = t.upper(highs, hi.inclusive)
	}
	return between(from, to)
}

// leading returns the texts of the parts that are given behind the first skip,
// from left to right. A number that is zero is given if a later part is, or if
// it is the first of a bound (first is true).
func (t *keyTemplate) leading(value values, skip int, first bool) ([]string, error) {
	fields := t.fields[skip:]
	n := 0
	for i, p := range fields {
		if !value(p.field).IsZero() || i == 0 && first {
			n = i + 1
		}
	}
	texts := make([]string, n)
	for i, p := range fields[:n] {
		if p.format.zeroIsAbsent() && value(p.field).IsZero() {
			return nil, &fieldError{field: p.field.name, err: because(ErrRange,
				"it is not given; give the parts of the sort key %q from left to right", t.source)}
		}
		text, err := t.text(p, value(p.field))
		if err != nil {
			return nil, err.in(&keySpec{})
		}
		texts[i] = text
	}
	return texts, nil
}

// boundTexts returns the texts of a bound's parts, beginning with those that
// the query's key fixes.
func (t *keyTemplate) boundTexts(base []string, b *bound) ([]string, error) {
	if b == nil {
		return nil, nil
	}
	if len(base) == len(t.fields) {
		return nil, because(ErrRange, "the query's key fixes every part of %q, so that nothing is left for a range", t.source)
	}
	value := valuesOf(b.value)
	texts := make([]string, 0, len(t.fields))
	for i := range base {
		f := t.fields[i].field
		if value(f).IsZero() { // given by the query's key
			texts = append(texts, base[i])
			continue
		}
		text, err := t.fields[i].format.encode(value(f))
		if err != nil {
			return nil, (&partError{f, err}).in(&keySpec{})
		}
		if text != base[i] {
			return nil, &fieldError{field: f.name, err: because(ErrRange, "the bound and the query's key differ in it")}
		}
		texts = append(texts, text)
	}
	more, err := t.leading(value, len(base), true)
	return append(texts, more...), err
}

// descends reports whether the range runs over an inverted part, so that its
// ends change places. That is clear only if the part is the only one not fixed.
func (t *keyTemplate) descends(fixed int, lows, highs []string) (bool, error) {
	inverted := func(texts []string) bool {
		for _, p := range t.fields[min(fixed, len(texts)):len(texts)] {
			if p.format.descending() {
				return true
			}
		}
		return false
	}
	if !inverted(lows) && !inverted(highs) {
		return false, nil
	}
	if len(lows) > fixed+1 || len(highs) > fixed+1 {
		return false, because(ErrRange, "%q has an inverted part; fix the parts before it in the query's key and give the bounds in that part alone", t.source)
	}
	return true, nil
}

// whole is the condition on all keys under the given parts.
func (t *keyTemplate) whole(texts []string) sortCondition {
	if len(texts) == len(t.fields) {
		return sortCondition{op: "=", lo: text(t.join(texts) + t.literalAfter(len(texts)))}
	}
	if prefix := t.start(texts); prefix != "" {
		return sortCondition{op: "begins_with", lo: text(prefix)}
	}
	return sortCondition{}
}

// start is what all keys under the given parts begin with.
func (t *keyTemplate) start(texts []string) string { return t.join(texts) + t.literalAfter(len(texts)) }

// stop is above all keys under the given parts; "" stands for no bound.
func (t *keyTemplate) stop(texts []string) string {
	if prefix := t.start(texts); prefix != "" {
		return prefix + maxRune
	}
	return ""
}

// lower is the lower end of a range that begins with, or behind, the keys under
// the given parts.
func (t *keyTemplate) lower(texts []string, inclusive bool) string {
	switch last := len(texts) == len(t.fields); {
	case last && inclusive:
		return t.start(texts)
	case last:
		return t.start(texts) + "\x00"
	case inclusive:
		return t.join(texts)
	}
	return t.stop(texts)
}

// upper is the upper end of a range that ends with, or before, the keys under
// the given parts.
func (t *keyTemplate) upper(texts []string, inclusive bool) string {
	switch last := len(texts) == len(t.fields); {
	case last && inclusive:
		return t.start(texts)
	case last:
		return before(t.start(texts))
	case inclusive:
		return t.stop(texts)
	}
	return t.join(texts) // no key ends there: more parts follow
}

// before returns a text below s with no key between the two.
func before(s string) string {
	r, n := utf8.DecodeLastRuneInString(s)
	head := s[:len(s)-n]
	switch {
	case r == 0:
		return head
	case r == 0xE000: // the characters below are surrogates, which text cannot hold
		r = 0xD7FF
	default:
		r--
	}
	return head + string(r) + maxRune
}

var errReversed = because(ErrRange, "the lower bound is above the upper one")

// between is the condition on an interval whose ends are inclusive; "" stands
// for no bound.
func between(from, to string) (sortCondition, error) {
	switch {
	case from == "" && to == "":
		return sortCondition{}, nil
	case to == "":
		return sortCondition{op: ">=", lo: text(from)}, nil
	case from == "":
		return sortCondition{op: "<=", hi: text(to)}, nil
	case from > to:
		return sortCondition{}, errReversed
	}
	return sortCondition{op: "BETWEEN", lo: text(from), hi: text(to)}, nil
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
