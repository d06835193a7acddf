package ddb

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// partFormat writes one field's value into a key and reads it back.
//
// Formats of fixed width keep order: their texts compare by bytes as the values
// do (or the other way round when descending). Texts of variable width hold no
// separator, so that a part ends where the next literal begins.
type partFormat interface {
	// encode returns the text of a value, or why there is none. An absent
	// value, an empty string or zero time, is errEmpty.
	encode(v reflect.Value) (string, error)
	// decode stores into v, which is settable, what encode wrote.
	decode(text string, v reflect.Value) error
	// width returns the one length of all texts, 0 if they differ.
	width() int
	// descending reports whether greater values have smaller texts.
	descending() bool
	// lossless reports whether decode gives the very value back.
	lossless() bool
	// shape describes all texts, to find out whether two keys can meet.
	shape() []charRun
	// zeroIsAbsent reports whether the zero value always stands for "not
	// given". The zero of a number or bool is a value like any other.
	zeroIsAbsent() bool
}

var (
	errEmpty = errors.New("is empty")

	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// formatHelp is the end of every complaint about a format.
const formatHelp = `integers take a width such as {Seq:012}, {Delta:+012} (signed), {Score:desc:012} (inverted) or plain; ` +
	`times take a Go layout that sorts; strings take lower or upper`

// newFormat chooses the format of a placeholder by the field's type and the
// text behind the colon.
func newFormat(typ reflect.Type, spec string, sep byte, sorted bool) (partFormat, error) {
	switch kind := typ.Kind(); {
	case typ == timeType:
		return newTimeFormat(spec, sorted)
	case kind == reflect.Pointer:
		return nil, fmt.Errorf("is a pointer (%s): keys need a value; use a plain field, and the option omitempty where it may be absent", typ)
	case kind == reflect.Float32 || kind == reflect.Float64:
		return nil, fmt.Errorf("is a %s: floats have no exact text; store an integer such as cents", typ)
	case typ.Implements(textMarshaler) && reflect.PointerTo(typ).Implements(textUnmarshaler):
		if spec != "" {
			return nil, fmt.Errorf("of type %s writes its own text and takes no format", typ)
		}
		return textFormat{marshals: true, sep: sep}, nil
	case kind == reflect.String:
		return newTextFormat(spec, sep)
	case kind == reflect.Bool:
		if spec != "" {
			return nil, fmt.Errorf("of type %s takes no format", typ)
		}
		return boolFormat{}, nil
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return newIntFormat(spec, sorted)
	}
	return nil, fmt.Errorf("of type %s cannot be part of a key: use a string, integer, bool, time.Time or a type with MarshalText and UnmarshalText", typ)
}

// textFormat writes strings and values that marshal themselves to text.
type textFormat struct {
	marshals     bool
	lower, upper bool
	sep          byte
}

func newTextFormat(spec string, sep byte) (partFormat, error) {
	switch spec {
	case "":
		return textFormat{sep: sep}, nil
	case "lower":
		return textFormat{lower: true, sep: sep}, nil
	case "upper":
		return textFormat{upper: true, sep: sep}, nil
	}
	return nil, fmt.Errorf("has an unknown format %q; %s", spec, formatHelp)
}

func (f textFormat) encode(v reflect.Value) (string, error) {
	text := ""
	if f.marshals {
		b, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return "", fmt.Errorf("has no text: %w", err)
		}
		text = string(b)
	} else {
		text = v.String()
	}
	switch {
	case f.lower:
		text = strings.ToLower(text)
	case f.upper:
		text = strings.ToUpper(text)
	}
	switch {
	case text == "":
		return "", errEmpty
	case !utf8.ValidString(text):
		return "", errors.New("is not valid UTF-8")
	case strings.IndexByte(text, f.sep) >= 0:
		return "", fmt.Errorf("holds the separator %q, which would make two keys look the same", f.sep)
	case strings.Contains(text, maxRune):
		return "", errors.New("holds the character U+10FFFF, which ends key ranges")
	}
	return text, nil
}

func (f textFormat) decode(text string, v reflect.Value) error {
	if f.marshals {
		return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	}
	v.SetString(text)
	return nil
}

func (f textFormat) width() int         { return 0 }
func (f textFormat) descending() bool   { return false }
func (f textFormat) lossless() bool     { return !f.lower && !f.upper }
func (f textFormat) zeroIsAbsent() bool { return true }
func (f textFormat) shape() []charRun {
	return []charRun{{set: allBut(f.sep), many: true}}
}

// boolFormat writes false and true, which sort so.
type boolFormat struct{}

func (boolFormat) encode(v reflect.Value) (string, error) { return strconv.FormatBool(v.Bool()), nil }
func (boolFormat) decode(text string, v reflect.Value) error {
	b, err := strconv.ParseBool(text)
	v.SetBool(b)
	return err
}
func (boolFormat) width() int         { return 0 }
func (boolFormat) descending() bool   { return false }
func (boolFormat) lossless() bool     { return true }
func (boolFormat) zeroIsAbsent() bool { return false }
func (boolFormat) shape() []charRun {
	return []charRun{{set: oneOf("falsetrue"), many: true}}
}

// intFormat writes integers: zero-padded to a width, with a sign that keeps
// order, inverted, or plain.
//
// A signed number is written as p and its digits when it is not negative, as n
// and the distance to 10^width when it is: n9995 for -5, p0005 for 5.
type intFormat struct {
	digits int // 0: plain
	signed bool
	desc   bool
}

// maxWidth is the width of the largest 64-bit integer.
const maxWidth = 20

func newIntFormat(spec string, sorted bool) (partFormat, error) {
	switch {
	case spec == "plain":
		return intFormat{}, nil
	case spec == "" && !sorted:
		return intFormat{}, nil
	case spec == "":
		return nil, errors.New("is an unpadded number in a sort key, where 10 comes before 9; give it a width such as {Seq:012}, or plain if order does not matter")
	}
	f := intFormat{}
	spec, f.desc = strings.CutPrefix(spec, "desc:")
	spec, f.signed = strings.CutPrefix(spec, "+")
	width, err := strconv.Atoi(spec)
	if err != nil || !strings.HasPrefix(spec, "0") || width < 1 || width > maxWidth {
		return nil, fmt.Errorf("has a bad number format; %s; the width is 1 to %d", formatHelp, maxWidth)
	}
	f.digits = width
	return f, nil
}

func (f intFormat) encode(v reflect.Value) (string, error) {
	n := new(big.Int)
	if v.CanInt() {
		n.SetInt64(v.Int())
	} else {
		n.SetUint64(v.Uint())
	}
	if f.digits == 0 {
		return n.String(), nil
	}
	if !f.signed && n.Sign() < 0 {
		return "", fmt.Errorf("is negative; the signed format {…:+0%d} keeps order below zero", f.digits)
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.digits)), nil)
	if n.CmpAbs(limit) >= 0 {
		return "", fmt.Errorf("has more than %d digits", f.digits)
	}
	if !f.signed {
		if f.desc {
			n.Sub(limit, n).Sub(n, big.NewInt(1))
		}
		return f.pad(n), nil
	}
	if f.desc {
		n.Neg(n)
	}
	if n.Sign() < 0 {
		return "n" + f.pad(n.Add(n, limit)), nil
	}
	return "p" + f.pad(n), nil
}

func (f intFormat) pad(n *big.Int) string { return fmt.Sprintf("%0*s", f.digits, n.String()) }

func (f intFormat) decode(text string, v reflect.Value) error {
	n := new(big.Int)
	digits := text
	if f.signed && text != "" {
		digits = text[1:]
	}
	if _, ok := n.SetString(digits, 10); !ok {
		return errors.New("is no integer")
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.digits)), nil)
	switch {
	case f.signed:
		if text[0] == 'n' {
			n.Sub(n, limit)
		}
		if f.desc {
			n.Neg(n)
		}
	case f.desc:
		n.Sub(limit, n).Sub(n, big.NewInt(1))
	}
	switch {
	case v.CanInt() && n.IsInt64() && !v.OverflowInt(n.Int64()):
		v.SetInt(n.Int64())
	case v.CanUint() && n.IsUint64() && !v.OverflowUint(n.Uint64()):
		v.SetUint(n.Uint64())
	default:
		return fmt.Errorf("does not fit a %s", v.Type())
	}
	return nil
}

func (f intFormat) width() int {
	if f.signed {
		return f.digits + 1
	}
	return f.digits
}
func (f intFormat) descending() bool   { return f.desc }
func (f intFormat) lossless() bool     { return true }
func (f intFormat) zeroIsAbsent() bool { return false }
func (f intFormat) shape() []charRun {
	if f.digits == 0 {
		return []charRun{{set: oneOf("-0123456789"), many: true}}
	}
	var runs []charRun
	if f.signed {
		runs = append(runs, charRun{set: oneOf("np")})
	}
	for range f.digits {
		runs = append(runs, charRun{set: oneOf("0123456789")})
	}
	return runs
}

// timeFormat writes instants in UTC in a layout of fixed width that sorts.
type timeFormat struct{ layout string }

// timeLayout is the layout of times in keys and attributes: UTC with all nine
// digits of the fraction. The usual RFC 3339 form drops trailing zeros, and
// "…05Z" sorts after "…05.1Z".
const timeLayout = "2006-01-02T15:04:05.000000000Z"

func newTimeFormat(spec string, sorted bool) (partFormat, error) {
	if spec == "" {
		return timeFormat{timeLayout}, nil
	}
	if err := checkLayout(spec, sorted); err != nil {
		return nil, err
	}
	return timeFormat{spec}, nil
}

// checkLayout tries a layout on instants that differ in one place each: all
// texts must have one length and, in a sort key, sort as the instants do.
func checkLayout(layout string, sorted bool) error {
	first := layoutSamples[0].Format(layout)
	last, varies := first, false
	for _, t := range layoutSamples[1:] {
		text := t.Format(layout)
		switch {
		case len(text) != len(last):
			return fmt.Errorf("has the layout %q, whose texts differ in length", layout)
		case sorted && text < last:
			return fmt.Errorf("has the layout %q, whose texts do not sort as the times do", layout)
		}
		varies = varies || text != first
		last = text
	}
	if !varies {
		return fmt.Errorf("has an unknown format %q; %s", layout, formatHelp)
	}
	return nil
}

var layoutSamples = []time.Time{
	time.Date(999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	time.Date(2009, 9, 30, 9, 9, 9, 0, time.UTC),
	time.Date(2009, 9, 30, 9, 9, 9, 120_000_000, time.UTC),
	time.Date(2009, 9, 30, 9, 9, 10, 0, time.UTC),
	time.Date(2009, 9, 30, 9, 10, 8, 0, time.UTC),
	time.Date(2009, 9, 30, 13, 5, 0, 0, time.UTC),
	time.Date(2009, 10, 1, 1, 0, 0, 0, time.UTC),
	time.Date(2009, 12, 10, 23, 59, 59, 0, time.UTC),
	time.Date(2010, 1, 2, 3, 4, 5, 6, time.UTC),
	time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
}

func (f timeFormat) encode(v reflect.Value) (string, error) {
	t := v.Interface().(time.Time)
	if t.IsZero() {
		return "", errEmpty
	}
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return "", errors.New("has a year outside 1 to 9999")
	}
	return t.Format(f.layout), nil
}

func (f timeFormat) decode(text string, v reflect.Value) error {
	t, err := time.Parse(f.layout, text)
	if err == nil {
		v.Set(reflect.ValueOf(t.UTC()))
	}
	return err
}

func (f timeFormat) width() int         { return len(layoutSamples[0].Format(f.layout)) }
func (f timeFormat) descending() bool   { return false }
func (f timeFormat) lossless() bool     { return f.layout == timeLayout }
func (f timeFormat) zeroIsAbsent() bool { return true }

// shape takes the layout's own text as a sample: where two far instants have a
// digit, any digit can stand.
func (f timeFormat) shape() []charRun {
	sample := layoutSamples[1].Format(f.layout)
	runs := make([]charRun, len(sample))
	for i := range len(sample) {
		c := sample[i]
		if c >= '0' && c <= '9' {
			runs[i] = charRun{set: oneOf("0123456789")}
		} else {
			runs[i] = charRun{set: oneOf(string(c))}
		}
	}
	return runs
}
