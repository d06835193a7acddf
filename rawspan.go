package ddb

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// rawWindow is a range over the sort key as it is stored. "" is no bound.
type rawWindow struct {
	lo, hi, prefix string
	anywhere       bool // not only among the entity's own keys
}

// copy returns a copy of the window, which may be nil.
func (w *rawWindow) copy() *rawWindow {
	out := rawWindow{}
	if w != nil {
		out = *w
	}
	return &out
}

func (w *rawWindow) withLo(lo string) *rawWindow {
	w = w.copy()
	w.lo = lo
	return w
}

func (w *rawWindow) withHi(hi string) *rawWindow {
	w = w.copy()
	w.hi = hi
	return w
}

func (w *rawWindow) withPrefix(prefix string) *rawWindow {
	w = w.copy()
	w.prefix = prefix
	return w
}

func (w *rawWindow) withAny() *rawWindow {
	w = w.copy()
	w.anywhere = true
	return w
}

// check refuses windows that mean nothing.
func (w *rawWindow) check() error {
	if w.prefix != "" && (w.lo != "" || w.hi != "") {
		return because(ErrRange, "a raw prefix and raw bounds exclude each other")
	}
	return nil
}

// rawRange is the condition of a window, among the keys under the fields given
// in key.
func (s *keySpec) rawRange(key reflect.Value, w *rawWindow) (sortCondition, error) {
	if err := w.check(); err != nil {
		return sortCondition{}, err
	}
	if s.sk.plain != nil {
		if !s.sk.plain.value(key).IsZero() {
			return sortCondition{}, because(ErrRange, "the query's key fixes the sort key, so that nothing is left for a range")
		}
		return s.sk.rawCondition(w)
	}
	t := s.sk.template
	base, err := t.leading(s.sortParts(key), 0, false)
	switch {
	case err != nil:
		return sortCondition{}, err
	case len(base) > 0 && len(base) == len(t.fields):
		return sortCondition{}, because(ErrRange, "the query's key fixes every part of %q, so that nothing is left for a range", t.source)
	case w.anywhere && len(base) > 0:
		return sortCondition{}, because(ErrRange, "AnySortKey takes the whole partition, but the query's key gives parts of %q", t.source)
	case w.anywhere:
		return s.sk.rawCondition(w)
	}
	return t.clamp(base, w)
}

// clamp is the condition of a window, kept to the keys under the given parts.
func (t *keyTemplate) clamp(base []string, w *rawWindow) (sortCondition, error) {
	from, to := t.start(base), t.stop(base)
	switch {
	case strings.HasPrefix(from, w.prefix): // which holds for no prefix too
	case strings.HasPrefix(w.prefix, from):
		return sortCondition{op: "begins_with", lo: text(w.prefix)}, validText(w.prefix)
	default:
		return sortCondition{}, t.outside(from)
	}
	switch {
	case w.lo == "" && w.hi == "":
		return t.whole(base), nil
	case w.hi != "" && w.lo > w.hi:
		return sortCondition{}, errReversed
	}
	from = max(from, w.lo)
	if w.hi != "" && (to == "" || w.hi < to) {
		to = w.hi
	}
	if to != "" && from > to {
		return sortCondition{}, t.outside(t.start(base))
	}
	out, err := between(from, to)
	if err == nil {
		err = validText(from + to)
	}
	return out, err
}

func (t *keyTemplate) outside(prefix string) error {
	return because(ErrRange, "it lies outside the keys asked for, all of which begin with %q; AnySortKey lifts that", prefix)
}

// rawCondition is the condition of a window on a column of any kind.
func (c *keyColumn) rawCondition(w *rawWindow) (sortCondition, error) {
	if w.prefix != "" {
		if c.kind == types.ScalarAttributeTypeN {
			return sortCondition{}, because(ErrRange, "the sort key is a number, which has no prefix")
		}
		av, err := c.rawValue(w.prefix)
		return sortCondition{op: "begins_with", lo: av}, err
	}
	lo, err := c.rawValue(w.lo)
	if err != nil {
		return sortCondition{}, err
	}
	hi, err := c.rawValue(w.hi)
	if err != nil {
		return sortCondition{}, err
	}
	switch {
	case lo == nil && hi == nil:
		return sortCondition{}, nil
	case hi == nil:
		return sortCondition{op: ">=", lo: lo}, nil
	case lo == nil:
		return sortCondition{op: "<=", hi: hi}, nil
	case compareKeys(lo, hi) > 0:
		return sortCondition{}, errReversed
	}
	return sortCondition{op: "BETWEEN", lo: lo, hi: hi}, nil
}

// rawValue turns the text of a raw bound into a value of the column's kind, nil
// if there is none.
func (c *keyColumn) rawValue(bound string) (types.AttributeValue, error) {
	switch {
	case bound == "":
		return nil, nil
	case c.kind == types.ScalarAttributeTypeB:
		return &types.AttributeValueMemberB{Value: []byte(bound)}, nil
	case c.kind == types.ScalarAttributeTypeN:
		if problem := numberProblem(bound); problem != "" {
			return nil, because(ErrRange, "the sort key is a number, and a raw bound %s", problem)
		}
		return &types.AttributeValueMemberN{Value: bound}, nil
	}
	return text(bound), validText(bound)
}

func validText(s string) error {
	if utf8.ValidString(s) {
		return nil
	}
	return because(ErrRange, "a raw bound is not valid UTF-8")
}
