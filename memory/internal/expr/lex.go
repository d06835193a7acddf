package expr

import "strings"

// tokenKind classifies tokens as the grammar needs it.
type tokenKind uint8

const (
	endOfText        tokenKind = iota
	word                       // bare name, function or keyword
	number                     // decimal digits
	namePlaceholder            // #name
	valuePlaceholder           // :value
	symbol                     // operator or punctuation
	stray                      // a character that begins no token
)

// token is a piece of the text.
type token struct {
	kind tokenKind
	at   int
	text string
}

func (t token) end() int { return t.at + len(t.text) }

// is reports whether t is the symbol s.
func (t token) is(s string) bool { return t.kind == symbol && t.text == s }

// keyword reports whether t is the word w, in any letter case.
func (t token) keyword(w string) bool { return t.kind == word && strings.EqualFold(t.text, w) }

// lex splits a text into tokens, the last of which is the end. What is no token
// becomes strays, one character each, since the parser words the error.
func lex(text string) []token {
	tokens := make([]token, 0, len(text)/3+1)
	for at := 0; ; {
		for at < len(text) && isSpace(text[at]) {
			at++
		}
		if at == len(text) {
			return append(tokens, token{endOfText, at, ""})
		}
		kind, n := scan(text[at:])
		tokens = append(tokens, token{kind, at, text[at : at+n]})
		at += n
	}
}

// scan finds the token at the start of s.
func scan(s string) (tokenKind, int) {
	switch c := s[0]; {
	case isLetter(c):
		return word, span(s, isNamePart)
	case isDigit(c):
		return number, span(s, isDigit)
	case c == '#' || c == ':':
		if n := span(s[1:], isNamePart); n > 0 {
			return valueOrName(c), n + 1
		}
		return stray, 1
	case strings.HasPrefix(s, "<>") || strings.HasPrefix(s, "<=") || strings.HasPrefix(s, ">="):
		return symbol, 2
	case strings.IndexByte("=<>()[],.+-", c) >= 0:
		return symbol, 1
	}
	return stray, runeLen(s)
}

func valueOrName(marker byte) tokenKind {
	if marker == '#' {
		return namePlaceholder
	}
	return valuePlaceholder
}

// span returns how many bytes of s, from the start, are all of a class.
func span(s string, class func(byte) bool) int {
	n := 0
	for n < len(s) && class(s[n]) {
		n++
	}
	return n
}

func isSpace(c byte) bool    { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isLetter(c byte) bool   { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isNamePart(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// IsPlaceholder reports whether key can be used in an expression as a name,
// with marker '#', or as a value, with marker ':'.
func IsPlaceholder(key string, marker byte) bool {
	return len(key) > 1 && key[0] == marker && span(key[1:], isNamePart) == len(key)-1
}
