package ddb

import (
	"reflect"
	"slices"
	"time"
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

// window is what a query asks of the sort key beside the fields of its key.
type window struct {
	lo, hi *bound
	stem   *stem
	raw    *rawWindow
	err    error // of a bound that was given twice
}

// once keeps the error of a bound that is given again.
func (w *window) once(given bool) {
	if given && w.err == nil {
		w.err = because(ErrRange, "one end of the range, or its prefix, is given twice")
	}
}

// from, until and under set bounds given as values of the entity's type.
func (w *window) from(v any, inclusive bool) {
	w.once(w.lo != nil)
	w.lo = &bound{reflect.ValueOf(v), inclusive}
}

func (w *window) until(v any, inclusive bool) {
	w.once(w.hi != nil)
	w.hi = &bound{reflect.ValueOf(v), inclusive}
}

func (w *window) under(v any, begun bool) {
	w.once(w.stem != nil)
	w.stem = &stem{reflect.ValueOf(v), begun}
}

// samePartition refuses bounds that give a field of the partition key another value
// than the query's key does, such as a time of another day: nothing of what they mean
// would be read.
func (s *keySpec) samePartition(key reflect.Value, w window) error {
	for _, b := range w.given() {
		for _, c := range s.pk {
			for _, f := range c.fields() {
				if !f.value(b.value).IsZero() && c.differ(f, b.last(f), f.value(key)) {
					return &fieldError{field: f.name, err: because(ErrRange, "the bound names another partition than the query's key")}
				}
			}
		}
	}
	return nil
}

// last returns a field's value in a bound or, where the bound ends a range of times
// without that moment, the one before: the end of a bucket is the beginning of the next.
func (b bound) last(f *field) reflect.Value {
	v := f.value(b.value)
	if b.inclusive || f.typ != timeType {
		return v
	}
	return reflect.ValueOf(v.Interface().(time.Time).Add(-1))
}

// given returns the bounds as they were given. Of those that leave their value out only
// an upper one says so.
func (w window) given() []bound {
	var out []bound
	if w.lo != nil {
		out = append(out, bound{w.lo.value, true})
	}
	if w.hi != nil {
		out = append(out, *w.hi)
	}
	if w.stem != nil {
		out = append(out, bound{w.stem.value, true})
	}
	return out
}

// differ reports whether two values of a field are two to the key, which may hold it in
// several parts, or in none if it is that of a shard. A value that the key cannot hold
// is refused elsewhere.
func (c *keyColumn) differ(f *field, a, b reflect.Value) bool {
	if c.plain != nil {
		x, errX := f.codec().encode(a)
		y, errY := f.codec().encode(b)
		return errX == nil && errY == nil && !equalValues(x, y)
	}
	return slices.ContainsFunc(c.template.fields, func(p *keyPart) bool {
		if p.field != f {
			return false
		}
		x, errX := p.format.encode(a)
		y, errY := p.format.encode(b)
		return errX == nil && errY == nil && x != y
	})
}

// stem narrows a window to the keys under the parts that a value gives. With
// begun, the last of them is only the beginning of its part.
type stem struct {
	value reflect.Value
	begun bool
}

// sortRange turns the fields given in key, and the window, into the one
// condition that DynamoDB allows on a sort key.
func (s *keySpec) sortRange(key reflect.Value, w window) (sortCondition, error) {
	switch {
	case w.err != nil:
		return sortCondition{}, w.err
	case len(s.sk) == 0 && (w.lo != nil || w.hi != nil || w.stem != nil || w.raw != nil):
		return sortCondition{}, because(ErrRange, "the key has no sort part")
	case len(s.sk) == 0:
		return sortCondition{}, nil
	case w.raw != nil && (w.lo != nil || w.hi != nil || w.stem != nil):
		return sortCondition{}, because(ErrRange, "bounds by fields and raw bounds exclude each other")
	}
	given := s.sortParts(key)
	equal, rest, err := s.fixed(given, w)
	if err != nil {
		return sortCondition{}, err
	}
	out, err := s.sk[len(equal)].condition(given, rest)
	out.equal = equal
	return out, err
}

// condition is the condition of a window on one column, among the keys under the
// fields given in key.
func (c *keyColumn) condition(key values, w window) (sortCondition, error) {
	switch {
	case w.raw != nil:
		return c.rawRange(key, w.raw)
	case c.plain != nil:
		return c.plainRange(key, w)
	}
	return c.template.span(key, w)
}

// values gives the value of each field.
type values func(*field) reflect.Value

func valuesOf(v reflect.Value) values { return func(f *field) reflect.Value { return f.value(v) } }

// sortParts are a query's values as far as they are meant for the sort key. A
// field that the partition key holds in a coarser form, such as a time by its
// day, is there to name the partition and says nothing of the sort key, unless a part
// behind it is given too.
func (s *keySpec) sortParts(key reflect.Value) values {
	return func(f *field) reflect.Value {
		if s.coarse(f) && !s.givenBehind(f, key) {
			return reflect.Zero(f.typ)
		}
		return f.value(key)
	}
}

// coarse reports whether the partition key holds less of a field than its value.
func (s *keySpec) coarse(f *field) bool {
	return slices.ContainsFunc(s.pk, func(c *keyColumn) bool {
		return c.plain == nil && c.template.part(f) != nil && !c.tells(f)
	})
}

// givenBehind reports whether key gives a part of the sort key behind that of a field.
func (s *keySpec) givenBehind(f *field, key reflect.Value) bool {
	behind := false
	for _, c := range s.sk {
		for _, g := range c.fields() {
			if behind && !s.coarse(g) && !g.value(key).IsZero() {
				return true
			}
			behind = behind || g == f
		}
	}
	return false
}

// plainRange is the condition on a sort key that is an attribute of the entity.
func (c *keyColumn) plainRange(key values, w window) (sortCondition, error) {
	lo, hi := w.lo, w.hi
	encode := func(v values) (types.AttributeValue, error) {
		av, err := c.plain.codec().encode(v(c.plain))
		if err != nil {
			return nil, (&partError{c.plain, err}).in(&keySpec{})
		}
		return av, nil
	}
	if w.stem != nil {
		return c.plainUnder(w, encode)
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
			return out, &fieldError{field: c.plain.name, err: errReversed}
		}
		out.op = "BETWEEN"
	}
	return out, nil
}

// plainUnder is the condition that a plain sort key equals a value, or begins
// with it.
func (c *keyColumn) plainUnder(w window, encode func(values) (types.AttributeValue, error)) (sortCondition, error) {
	switch {
	case w.lo != nil || w.hi != nil:
		return sortCondition{}, because(ErrRange, "the value fixes the whole sort key, so that nothing is left for a range")
	case w.stem.begun && c.kind == types.ScalarAttributeTypeN:
		return sortCondition{}, &fieldError{field: c.plain.name, err: because(ErrRange, "a number does not begin with another; use From and Until")}
	case c.empty(c.plain, c.plain.value(w.stem.value)):
		return sortCondition{}, &fieldError{field: c.plain.name, err: because(ErrRange, "it is not given")}
	}
	av, err := encode(valuesOf(w.stem.value))
	if w.stem.begun {
		return sortCondition{op: "begins_with", lo: av}, err
	}
	return sortCondition{op: "=", lo: av}, err
}

// span is the condition on a templated sort key. All bounds are inclusive, and
// exact: no key can equal a bound that ends in the greatest character, since no
// part may hold that.
func (t *keyTemplate) span(key values, w window) (sortCondition, error) {
	base, err := t.leading(key, 0, false)
	if err != nil {
		return sortCondition{}, err
	}
	lo, hi := w.lo, w.hi
	if w.stem != nil {
		if base, err = t.boundTexts(base, &bound{value: w.stem.value}); err != nil {
			return sortCondition{}, err
		}
		if w.stem.begun {
			return t.beginning(base, w)
		}
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
	out, err := between(from, to)
	if err != nil {
		err = &fieldError{field: t.parting(lows, highs), err: err}
	}
	return out, err
}

// parting names the field in which two bounds differ first.
func (t *keyTemplate) parting(lows, highs []string) string {
	i, most := 0, min(len(lows), len(highs))-1
	for i < most && lows[i] == highs[i] {
		i++
	}
	return t.fields[i].field.name
}

// beginning is the condition on all keys whose parts are texts, the last of
// which may go on.
func (t *keyTemplate) beginning(texts []string, w window) (sortCondition, error) {
	last := t.fields[len(texts)-1]
	switch {
	case w.lo != nil || w.hi != nil:
		return sortCondition{}, because(ErrRange, "StartsWith and bounds exclude each other")
	case last.format.width() > 0:
		return sortCondition{}, &fieldError{field: last.field.name, err: because(ErrRange,
			"all its texts have one length, so that none begins with another; use Prefix, or From and Until")}
	}
	return sortCondition{op: "begins_with", lo: text(t.join(texts))}, nil
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
