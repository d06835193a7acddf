package ddb

import (
	"reflect"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// timeCodec is for time.Time and types made of it. It writes timeLayout, or
// under unixtime whole epoch seconds, and reads both everywhere.
type timeCodec struct {
	typ     reflect.Type
	options options
}

func (c timeCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	t := c.time(v)
	switch {
	case c.options.has(omitEmpty) && t.IsZero():
		return nil, nil
	case c.options.has(unixTime):
		return w.number(w.int(t.Unix())), nil
	}
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return nil, &EncodeError{Type: c.typ, Problem: "has a year outside 0 to 9999"}
	}
	var scratch [len(timeLayout)]byte
	return w.string(w.text(appendTime(scratch[:0], t))), nil
}

func (c timeCodec) time(v reflect.Value) time.Time {
	switch {
	case c.typ != timeType:
		return v.Convert(timeType).Interface().(time.Time)
	case v.CanAddr():
		return *v.Addr().Interface().(*time.Time)
	}
	return v.Interface().(time.Time)
}

func (c timeCodec) decode(av types.AttributeValue, v reflect.Value) error {
	var t time.Time
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		if av == nil {
			return nil
		}
		parsed, ok := parseTime(av.Value)
		if !ok {
			return &DecodeError{Kind: "S", Type: c.typ, Problem: "is no RFC 3339 time"}
		}
		t = parsed
	case *types.AttributeValueMemberN:
		if av == nil {
			return nil
		}
		seconds, err := strconv.ParseInt(av.Value, 10, 64)
		if err != nil {
			return &DecodeError{Kind: "N", Type: c.typ, Problem: "is no whole number of seconds"}
		}
		t = time.Unix(seconds, 0).UTC()
	default:
		return wrongKind(av, c.typ)
	}
	if c.typ == timeType {
		*v.Addr().Interface().(*time.Time) = t
	} else {
		v.Set(reflect.ValueOf(t).Convert(c.typ))
	}
	return nil
}

func (c timeCodec) descriptor() string {
	if c.options.has(unixTime) {
		return "N"
	}
	return "S"
}

// appendTime formats a time in UTC as timeLayout says, without reading the
// layout each time.
func appendTime(b []byte, t time.Time) []byte {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	b = appendPadded(b, year, 4)
	b = appendPadded(append(b, '-'), int(month), 2)
	b = appendPadded(append(b, '-'), day, 2)
	b = appendPadded(append(b, 'T'), hour, 2)
	b = appendPadded(append(b, ':'), minute, 2)
	b = appendPadded(append(b, ':'), second, 2)
	b = appendPadded(append(b, '.'), t.Nanosecond(), 9)
	return append(b, 'Z')
}

func appendPadded(b []byte, n, width int) []byte {
	at := len(b) + width
	for range width {
		b = append(b, '0')
	}
	for i := at - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

// parseTime reads the one form that is written here; others are left to package
// time, which also lets letters be small and a space stand for the T.
func parseTime(text string) (time.Time, bool) {
	if t, ok := parseWritten(text); ok {
		return t, true
	}
	if len(text) > len("2006-01-02") {
		b := []byte(text)
		if b[10] == 't' || b[10] == ' ' {
			b[10] = 'T'
		}
		if last := len(b) - 1; b[last] == 'z' {
			b[last] = 'Z'
		}
		text = string(b)
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.UTC(), err == nil
}

func parseWritten(text string) (t time.Time, ok bool) {
	if len(text) != len(timeLayout) || text[10] != 'T' || text[len(text)-1] != 'Z' {
		return t, false
	}
	valid := text[4] == '-' && text[7] == '-' && text[13] == ':' && text[16] == ':' && text[19] == '.'
	number := func(from, to int) (n int) {
		for i := from; i < to; i++ {
			valid = valid && text[i]-'0' <= 9
			n = 10*n + int(text[i]-'0')
		}
		return n
	}
	year, month, day := number(0, 4), time.Month(number(5, 7)), number(8, 10)
	hour, minute, second, nanosecond := number(11, 13), number(14, 16), number(17, 19), number(20, 29)
	if !valid || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(year, month, day, hour, minute, second, nanosecond, time.UTC)
	// Package time makes the first of May of the 31st of April.
	return t, t.Month() == month && t.Day() == day
}
