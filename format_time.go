package ddb

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// timeFormat writes instants in UTC in a layout of fixed width that sorts, or
// with each digit taken from 9, which sorts the other way round.
type timeFormat struct {
	layout string
	desc   bool
}

// timeLayout is the layout of times in keys and attributes: UTC with all nine
// digits of the fraction. The usual RFC 3339 form drops trailing zeros, and
// "…05Z" sorts after "…05.1Z".
const timeLayout = "2006-01-02T15:04:05.000000000Z"

func newTimeFormat(spec string, sorted bool) (partFormat, error) {
	f := timeFormat{layout: spec}
	if spec == "desc" {
		f = timeFormat{timeLayout, true}
	} else if layout, desc := strings.CutPrefix(spec, "desc:"); desc {
		f = timeFormat{layout, true}
	}
	if f.layout == "" {
		f.layout = timeLayout
	}
	if err := checkLayout(f.layout, sorted || f.desc); err != nil {
		return nil, err
	}
	if f.desc && f.names() {
		return nil, fmt.Errorf("has the layout %q, which only digits can turn around", f.layout)
	}
	return f, nil
}

// names reports whether texts differ in anything but digits: names of months,
// padding with blanks.
func (f timeFormat) names() bool {
	for _, t := range layoutSamples {
		for i, c := range []byte(t.Format(f.layout)) {
			first := layoutSamples[0].Format(f.layout)[i]
			if c != first && !(digit(c) && digit(first)) {
				return true
			}
		}
	}
	return false
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
	time.Date(2009, 9, 30, 0, 30, 0, 0, time.UTC),
	time.Date(2009, 9, 30, 9, 9, 9, 0, time.UTC),
	time.Date(2009, 9, 30, 9, 9, 9, 120_000_000, time.UTC),
	time.Date(2009, 9, 30, 9, 9, 10, 0, time.UTC),
	time.Date(2009, 9, 30, 9, 10, 8, 0, time.UTC),
	time.Date(2009, 9, 30, 12, 30, 0, 0, time.UTC),
	time.Date(2009, 9, 30, 13, 5, 0, 0, time.UTC),
	time.Date(2009, 10, 1, 1, 0, 0, 0, time.UTC),
	time.Date(2009, 12, 10, 23, 59, 59, 0, time.UTC),
	time.Date(2010, 1, 2, 3, 4, 5, 6, time.UTC),
	time.Date(2010, 2, 15, 0, 0, 0, 0, time.UTC),
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
	return f.invert(t.Format(f.layout)), nil
}

func (f timeFormat) decode(text string, v reflect.Value) error {
	return decodeTime(f.layout, f.invert(text), v)
}

func decodeTime(layout, text string, v reflect.Value) error {
	t, err := time.Parse(layout, text)
	if err == nil {
		v.Set(reflect.ValueOf(t.UTC()))
	}
	return err
}

// invert takes each digit from 9 if the format is descending. Doing it twice
// changes nothing.
func (f timeFormat) invert(text string) string {
	if !f.desc {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if digit(c) {
			b[i] = '0' + '9' - c
		}
	}
	return string(b)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (f timeFormat) width() int         { return len(layoutSamples[0].Format(f.layout)) }
func (f timeFormat) descending() bool   { return f.desc }
func (f timeFormat) lossless() bool     { return f.layout == timeLayout }
func (f timeFormat) zeroIsAbsent() bool { return true }

// shape takes the samples' texts: where they differ, or have a digit, anything of
// that kind can stand.
func (f timeFormat) shape() []charRun {
	runs := make([]charRun, f.width())
	for _, t := range layoutSamples {
		text := t.Format(f.layout)
		for i := range runs {
			switch c := text[i]; {
			case digit(c):
				runs[i].set = runs[i].set.with(oneOf("0123456789"))
			case layoutSamples[0].Format(f.layout)[i] != c:
				runs[i].set = anyByte
			default:
				runs[i].set = runs[i].set.with(oneOf(string(c)))
			}
		}
	}
	return runs
}
