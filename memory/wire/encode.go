package wire

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// encoder writes the SDK's response types and exceptions as JSON, members of
// maps in the order of their names.
type encoder struct{ buf []byte }

// encode appends a response, given as a pointer to its struct. A response
// without members is no body at all, as in the service (observed).
func (c *codec) encode(dst []byte, out any) []byte {
	v := reflect.ValueOf(out).Elem()
	p := c.plan(v.Type())
	if len(p.members) == 0 {
		return dst
	}
	e := encoder{dst}
	p.encode(&e, v)
	return e.buf
}

func (e *encoder) open(bracket byte)  { e.buf = append(e.buf, bracket) }
func (e *encoder) close(bracket byte) { e.buf = append(e.buf, bracket) }

// element goes before the i-th element of a list.
func (e *encoder) element(i int) {
	if i > 0 {
		e.buf = append(e.buf, ',')
	}
}

// name goes before the value of the i-th member of an object.
func (e *encoder) name(i int, name string) {
	e.element(i)
	e.string(name)
	e.buf = append(e.buf, ':')
}

// inOrder writes an object with the given names, sorted, whose values write
// adds.
func (e *encoder) inOrder(names []string, write func(name string)) {
	slices.Sort(names)
	e.open('{')
	for i, name := range names {
		e.name(i, name)
		write(name)
	}
	e.close('}')
}

func (e *encoder) bool(b bool)     { e.buf = strconv.AppendBool(e.buf, b) }
func (e *encoder) integer(n int64) { e.buf = strconv.AppendInt(e.buf, n, 10) }

// float writes at least one decimal: 1.0, 0.5.
func (e *encoder) float(f float64) {
	start := len(e.buf)
	e.buf = strconv.AppendFloat(e.buf, f, 'f', -1, 64)
	if !bytes.ContainsRune(e.buf[start:], '.') {
		e.buf = append(e.buf, ".0"...)
	}
}

// time writes seconds since the epoch, to the millisecond.
func (e *encoder) time(t time.Time) { e.float(float64(t.UnixMilli()) / 1e3) }

func (e *encoder) blob(b []byte) {
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, b)
	e.buf = append(e.buf, '"')
}

// string writes s with the escapes that JSON demands, and no others.
func (e *encoder) string(s string) {
	e.buf = append(e.buf, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				e.buf = append(append(e.buf, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			e.buf = append(e.buf, s[from:i]...)
			e.escape(c)
			from = i + 1
		}
		i++
	}
	e.buf = append(append(e.buf, s[from:]...), '"')
}

func (e *encoder) escape(c byte) {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		e.buf = append(e.buf, '\\', c)
	case '\n':
		e.buf = append(e.buf, `\n`...)
	case '\r':
		e.buf = append(e.buf, `\r`...)
	case '\t':
		e.buf = append(e.buf, `\t`...)
	default:
		e.buf = append(e.buf, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
	}
}
