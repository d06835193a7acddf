package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"reflect"
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
	start := len(e.buf)
	e.buf = append(e.buf, s...)
	if !isPlain(e.buf[start:]) {
		e.buf = e.buf[:start]
		e.escaped(s)
	}
	e.buf = append(e.buf, '"')
}

// isPlain reports whether a text can stand in JSON as it is, looking at eight bytes
// at a time. Texts beyond ASCII might, and count as if not.
func isPlain(text []byte) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for ; len(text) >= 8; text = text[8:] {
		w := binary.LittleEndian.Uint64(text)
		quotes, slashes := w^(ones*'"'), w^(ones*'\\')
		// A byte below n borrows from its high bit when n is taken off.
		if (w|(w-ones*' ')|(quotes-ones)|(slashes-ones))&highs != 0 {
			return false
		}
	}
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// escaped writes the characters of s with escapes.
func (e *encoder) escaped(s string) {
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
	e.buf = append(e.buf, s[from:]...)
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
