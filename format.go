package ddb

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
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
	`times take a Go layout that sorts, desc, or desc: before one; strings take lower or upper`

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
	case writesText(typ):
		if spec != "" {
			return nil, fmt.Errorf("of type %s writes its own text and takes no format", typ)
		}
		return textFormat{marshals: true, sep: sep}, nil
	case kind == reflect.String && typ.Implements(numeral):
		return nil, fmt.Errorf("is a %s, which has several texts for one number; use an integer", typ)
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
		b, err := pointerTo(v).(encoding.TextMarshaler).MarshalText()
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
