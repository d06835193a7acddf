package av

import "strings"

// Ordered forms of key values. The bytes of two encodings of one kind compare
// as the values do, and no encoding is the beginning of another, so encodings
// can be joined into one string that orders like the tuple and stands for no
// other tuple.

// Marks inside encodings of strings and binaries: a NUL is written as nul esc,
// the end as nul end, and end sorts before esc.
const (
	nul = 0x00
	end = 0x01
	esc = 0xFF
)

// AppendKey appends the ordered form of a scalar value.
func (v Value) AppendKey(dst []byte) []byte {
	if v.kind == N {
		return appendNumberKey(dst, v.text)
	}
	return append(v.AppendKeyPrefix(dst), nul, end)
}

// AppendKeyPrefix appends what the ordered forms of all strings, or binaries,
// that begin with v have in common.
func (v Value) AppendKeyPrefix(dst []byte) []byte {
	s := v.text
	for {
		i := strings.IndexByte(s, nul)
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, nul, esc)
		s = s[i+1:]
	}
}

// Signs of encoded numbers.
const (
	signNegative = 0x01
	signZero     = 0x02
	signPositive = 0x03
)

// appendNumberKey writes sign, biased decimal exponent, then the digits two to
// a byte, ended by a byte below all of them. For a negative number all but the
// sign is complemented, which turns the order around.
func appendNumberKey(dst []byte, text string) []byte {
	if text == "0" {
		return append(dst, signZero)
	}
	neg := text[0] == '-'
	sign := byte(signPositive)
	if neg {
		sign = signNegative
		text = text[1:]
	}
	dst = append(dst, sign)
	digits, exp := significand(text)
	start := len(dst)
	dst = append(dst, byte(exp+129)) // exponents run from -129 to 126
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i] - '0') * 10
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		dst = append(dst, pair+1)
	}
	dst = append(dst, 0)
	if neg {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// significand splits an unsigned canonical decimal other than zero into its
// significant digits d and the exponent e for which it equals 0.d × 10^e.
func significand(text string) (digits string, exp int) {
	whole, frac, _ := strings.Cut(text, ".")
	if whole != "0" {
		return strings.TrimRight(whole+frac, "0"), len(whole)
	}
	digits = strings.TrimLeft(frac, "0")
	return digits, len(digits) - len(frac)
}

// AppendHashInput appends the bytes over which DynamoDB's partition hash runs:
// UTF-8 of an S, the raw bytes of a B, and for an N the store's own encoding in
// base 100 (observed in the order of Scan results).
func (v Value) AppendHashInput(dst []byte) []byte {
	if v.kind == N {
		return appendNumberHash(dst, v.text)
	}
	return append(dst, v.text...)
}

// appendNumberHash writes the exponent in base 100 biased by 0xC1 and each pair
// of digits plus one. For a negative number the exponent byte is inverted, each
// pair is 101 minus it, and a 102 ends those with fewer than 20 pairs.
func appendNumberHash(dst []byte, text string) []byte {
	if text == "0" {
		return append(dst, 0x80)
	}
	neg := text[0] == '-'
	if neg {
		text = text[1:]
	}
	digits, exp := significand(text)
	if exp%2 != 0 { // pairs are aligned to the decimal point
		digits, exp = "0"+digits, exp+1
	}
	start := len(dst)
	lead := byte(0xC0 + exp/2)
	if neg {
		lead = ^lead
	}
	dst = append(dst, lead)
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i] - '0') * 10
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		if neg {
			dst = append(dst, 101-pair)
		} else {
			dst = append(dst, pair+1)
		}
	}
	if pairs := len(dst) - start - 1; neg && pairs < 20 {
		dst = append(dst, 102)
	}
	return dst
}
