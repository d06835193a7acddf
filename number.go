package ddb

import (
	"slices"
	"strconv"
	"strings"
)

// The numbers that DynamoDB stores. HowItWorks.NamingRulesDataTypes.html
// #HowItWorks.DataTypes.Number: at most 38 significant digits, magnitudes from
// 1E-130 to 9.9999999999999999999999999999999999999E+125.
const (
	maxDigits   = 38
	minExponent = -130
	maxExponent = 125
)

const outOfRange = "is outside the range of DynamoDB's numbers"

// decimal says where the significant digits of a number lie: from the power of
// ten of the first to that of the last, zeros at either end left out.
type decimal struct {
	negative    bool
	zero        bool
	first, last int
}

// scanDecimal reads the text of a number: a sign, digits with or without a
// point, an exponent.
func scanDecimal(text string) (d decimal, ok bool) {
	rest := text
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	exponent := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		e, err := strconv.ParseInt(rest[i+1:], 10, 32)
		if err != nil {
			return d, false
		}
		rest, exponent = rest[:i], int(e)
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if whole == "" && fraction == "" {
		return d, false
	}
	d.zero = true
	power := len(whole) - 1 + exponent
	for _, digits := range []string{whole, fraction} {
		for i := range len(digits) {
			switch c := digits[i]; {
			case c < '0' || c > '9':
				return d, false
			case c != '0':
				if d.zero {
					d.zero, d.first = false, power
				}
				d.last = power
			}
			power--
		}
	}
	return d, true
}

// size is the number's size as DynamoDB counts it (observed): 1 byte, one more
// for every two significant digits on either side of the point, and one for a
// minus sign. Zero takes 1.
func (d decimal) size() int {
	if d.zero {
		return 1
	}
	left := max(0, d.first-max(d.last, 0)+1)
	right := max(0, min(d.first, -1)-d.last+1)
	n := 1 + (left+1)/2 + (right+1)/2
	if d.negative {
		n++
	}
	return n
}

// numberKeys returns texts of numbers in which equal numbers have equal texts.
func numberKeys(texts []string) []string {
	out := slices.Clone(texts)
	for i, text := range out {
		digits := strings.TrimPrefix(text, "-")
		if digits != "" && digits[0] != '0' && strings.Trim(digits, "0123456789") == "" {
			continue // as integers are written
		}
		if n, ok := exactNumber(text); ok {
			out[i] = n.RatString()
		}
	}
	return out
}

// numberProblem returns why a text is no number that DynamoDB stores, or "".
func numberProblem(text string) string {
	d, ok := scanDecimal(text)
	switch {
	case !ok:
		return "is no number"
	case d.zero:
		return ""
	case d.first-d.last >= maxDigits:
		return "has more than 38 significant digits"
	case d.first > maxExponent || d.first < minExponent:
		return outOfRange
	}
	return ""
}
