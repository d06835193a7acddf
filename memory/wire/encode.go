package wire

import (
	"bytes"
	"encoding/base64"
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

func (e *encoder) blob(b []byte) { e.buf = appendBlob(e.buf, b) }

func appendBlob(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

// string writes s with the escapes that JSON demands, and no others.
func (e *encoder) string(s string) { e.buf = appendString(e.buf, s) }

func appendString(dst []byte, s string) []byte {
	if !isPlain(s) {
		return appendEscaped(dst, s)
	}
	return append(append(append(dst, '"'), s...), '"')
}

// isPlain reports whether a text can stand in JSON as it is, looking at eight bytes
// at a time. Texts beyond ASCII might, and count as if not.
func isPlain(s string) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quotes, slashes := w^(ones*'"'), w^(ones*'\\')
		// A byte below n borrows from its high bit when n is taken off.
		if (w|(w-ones*' ')|(quotes-ones)|(slashes-ones))&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendEscaped appends a text that may need escapes.
func appendEscaped(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = append(dst, s[from:i]...)
			dst = appendEscape(dst, c)
			from = i + 1
		}
		i++
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	default:
		return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
	}
}
