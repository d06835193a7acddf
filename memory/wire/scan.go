package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON (RFC 8259) from a body that is valid UTF-8. A fault of the
// syntax is kept, and whatever is read after it is as if the body had ended; the
// callers ask once, at the end.
type scanner struct {
	body    []byte
	pos     int
	depth   int
	failed  bool
	scratch []byte // what a key with escapes stands for
}

// maxDepth bounds the nesting of objects and arrays in a body, so that no body
// can exhaust the stack. Values that DynamoDB stores need 66 levels.
const maxDepth = 1000

func (s *scanner) fail() {
	s.failed = true
	s.pos = len(s.body)
}

// peek skips white space and returns the byte that the next token begins with,
// zero at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.body) {
		switch c := s.body[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// enter consumes the bracket that opens an object or array, which the caller
// has seen.
func (s *scanner) enter() {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
}

// more reports whether another of the elements, of which n were read, follows
// before the closing bracket. It consumes what stands between.
func (s *scanner) more(n int, closing byte) bool {
	switch c := s.peek(); {
	case s.failed:
		return false
	case c == closing:
		s.pos++
		s.depth--
		return false
	case n == 0:
		return true
	case c == ',':
		s.pos++
		return true
	}
	s.fail()
	return false
}

// key consumes the name of a member and the colon after it. The bytes are valid
// until the next call.
func (s *scanner) key() []byte {
	if s.peek() != '"' {
		s.fail()
		return nil
	}
	name, ok := s.plain()
	if !ok {
		s.scratch = s.unescape(s.scratch[:0])
		name = s.scratch
	}
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.pos++
	return name
}

// text consumes a string, whose quote the caller has seen.
func (s *scanner) text() string {
	if raw, ok := s.plain(); ok {
		return string(raw)
	}
	return string(s.unescape(nil))
}

// plain consumes a string that holds no escapes. It consumes nothing and
// reports false when there are some, or a fault.
func (s *scanner) plain() ([]byte, bool) {
	start := s.pos + 1
	for i := start; i < len(s.body); i++ {
		switch c := s.body[i]; {
		case c == '"':
			s.pos = i + 1
			return s.body[start:i], true
		case c == '\\' || c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// unescape consumes a string and appends what it stands for.
func (s *scanner) unescape(dst []byte) []byte {
	s.pos++
	for s.pos < len(s.body) {
		c := s.body[s.pos]
		s.pos++
		switch {
		case c == '"':
			return dst
		case c < ' ':
			s.fail()
		case c == '\\':
			dst = s.escape(dst)
		default:
			dst = append(dst, c)
		}
	}
	s.fail()
	return dst
}

// escape consumes what follows a backslash.
func (s *scanner) escape(dst []byte) []byte {
	if s.pos == len(s.body) {
		return dst
	}
	c := s.body[s.pos]
	s.pos++
	switch c {
	case '"', '\\', '/':
		return append(dst, c)
	case 'b':
		return append(dst, '\b')
	case 'f':
		return append(dst, '\f')
	case 'n':
		return append(dst, '\n')
	case 'r':
		return append(dst, '\r')
	case 't':
		return append(dst, '\t')
	case 'u':
		return utf8.AppendRune(dst, s.codePoint())
	}
	s.fail()
	return dst
}

// codePoint consumes the digits of one UTF-16 unit, and a whole second escape
// if both make a pair. A unit left alone becomes U+FFFD.
func (s *scanner) codePoint() rune {
	r := s.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if rest := s.body[s.pos:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		before := s.pos
		s.pos += 2
		if pair := utf16.DecodeRune(r, s.hex()); pair != utf8.RuneError || s.failed {
			return pair
		}
		s.pos = before
	}
	return utf8.RuneError
}

func (s *scanner) hex() rune {
	if len(s.body)-s.pos < 4 {
		s.fail()
		return utf8.RuneError
	}
	var r rune
	for _, c := range s.body[s.pos : s.pos+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			s.fail()
			return utf8.RuneError
		}
	}
	s.pos += 4
	return r
}

// word consumes true, false or null and reports whether the next token is it.
func (s *scanner) word(w string) bool {
	if s.peek() != w[0] {
		return false
	}
	if len(s.body)-s.pos < len(w) || string(s.body[s.pos:s.pos+len(w)]) != w {
		s.fail()
		return false
	}
	s.pos += len(w)
	return true
}

// number consumes a number and returns its text.
func (s *scanner) number() []byte {
	start := s.pos
	s.accept('-')
	if !s.accept('0') {
		s.digits()
	}
	if s.accept('.') {
		s.digits()
	}
	if s.accept('e') || s.accept('E') {
		if !s.accept('+') {
			s.accept('-')
		}
		s.digits()
	}
	if s.failed {
		return nil
	}
	return s.body[start:s.pos]
}

func (s *scanner) accept(c byte) bool {
	if s.pos < len(s.body) && s.body[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// digits consumes at least one digit.
func (s *scanner) digits() {
	start := s.pos
	for s.pos < len(s.body) && '0' <= s.body[s.pos] && s.body[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == start {
		s.fail()
	}
}

// skip consumes any value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.enter()
		for n := 0; s.more(n, '}'); n++ {
			s.key()
			s.skip()
		}
	case c == '[':
		s.enter()
		for n := 0; s.more(n, ']'); n++ {
			s.skip()
		}
	case c == '"':
		if _, ok := s.plain(); !ok {
			s.scratch = s.unescape(s.scratch[:0])
		}
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	case !s.word("true") && !s.word("false") && !s.word("null"):
		s.fail()
	}
}

// end reports whether the body was well formed and nothing is left of it.
func (s *scanner) end() bool {
	return s.peek() == 0 && s.pos == len(s.body) && !s.failed
}
