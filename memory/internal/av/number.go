package av

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// Number is an exact decimal of up to 38 significant digits, in canonical
// form: plain decimal, no exponent, no needless zeros, no plus sign, never -0.
// The zero Number is not a number; make one with [ParseNumber] or [Int].
type Number struct{ text string }

// String returns the canonical form.
func (n Number) String() string { return n.text }

// Int returns the number i.
func Int(i int) Number { return Number{strconv.Itoa(i)} }

// ParseNumber reads a number as the service accepts it: optional sign, digits
// with optional fraction, optional exponent. It fails with an [*Error] that
// has the service's text.
func ParseNumber(text string) (Number, error) {
	if isCanonical(text) {
		return Number{text}, nil
	}
	d, err := scanDecimal(text)
	if err != nil {
		return Number{}, err
	}
	if err := d.check(); err != nil {
		return Number{}, err
	}
	return Number{d.canonical()}, nil
}

// isCanonical reports whether text is a number of at most 38 digits, leading zeros
// included, that is in canonical form already, as nearly all are.
func isCanonical(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > limits.NumberDigits {
		return false
	}
	whole := takeDigits(digits)
	if whole == "" || whole[0] == '0' && len(whole) > 1 {
		return false
	}
	rest := digits[len(whole):]
	if rest == "" {
		return text != "-0"
	}
	frac := takeDigits(rest[1:])
	return rest[0] == '.' && frac != "" && len(frac) == len(rest)-1 && frac[len(frac)-1] != '0'
}

// canonicalInt reports whether text is an integer of at most 18 digits in canonical
// form, with which an int64 can calculate.
func canonicalInt(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) == 0 || len(digits) > 18 {
		return false
	}
	if digits[0] == '0' {
		return text == "0"
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// decimal is a number as scanned: ±digits × 10^exp, where digits holds no
// leading zeros unless the number is zero.
type decimal struct {
	neg    bool
	digits string
	exp    int64 // of the last digit
}

func scanDecimal(text string) (decimal, error) {
	var d decimal
	rest := text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		d.neg = rest[0] == '-'
		rest = rest[1:]
	}
	whole := takeDigits(rest)
	rest = rest[len(whole):]
	frac := ""
	if strings.HasPrefix(rest, ".") {
		frac = takeDigits(rest[1:])
		rest = rest[1+len(frac):]
	}
	if whole == "" && frac == "" {
		return d, notNumeric(text)
	}
	if rest != "" {
		e, err := scanExponent(text, rest)
		if err != nil {
			return d, err
		}
		d.exp = e
	}
	d.exp -= int64(len(frac))
	d.digits = strings.TrimLeft(whole+frac, "0")
	return d, nil
}

func takeDigits(s string) string {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i]
}

// scanExponent reads "e±digits". The service holds the exponent in 32 bits:
// beyond them it reports a magnitude out of range, beyond 64 bits no number at
// all, and in the older wording the largest 32-bit exponent wraps into an
// underflow (all observed).
func scanExponent(text, rest string) (int64, error) {
	if rest[0] != 'e' && rest[0] != 'E' {
		return 0, notNumeric(text)
	}
	rest = rest[1:]
	digits := strings.TrimLeft(rest, "+-")
	if len(rest)-len(digits) > 1 || digits == "" || takeDigits(digits) != digits {
		return 0, notNumeric(text)
	}
	e, err := strconv.ParseInt(rest, 10, 64)
	switch {
	case err != nil:
		return 0, notNumeric(text)
	case e == 1<<31-1:
		return 0, errNumberWrapped
	case e > 1<<31-1:
		return 0, errNumberOverflow
	case e < -1<<31:
		return 0, errNumberUnderflow
	}
	return e, nil
}

// check applies the limits on digits and magnitude.
func (d decimal) check() error {
	lead := d.exp + int64(len(d.digits)) - 1
	if d.digits == "" {
		lead = d.exp
	}
	switch {
	case len(strings.TrimRight(d.digits, "0")) > limits.NumberDigits:
		return errNumberDigits
	case lead > limits.NumberMaxExponent:
		return errNumberOverflow
	case lead < limits.NumberMinExponent:
		return errNumberUnderflow
	}
	return nil
}

// canonical prints a decimal that passed check.
func (d decimal) canonical() string {
	sig := strings.TrimRight(d.digits, "0")
	if sig == "" {
		return "0"
	}
	exp := int(d.exp) + len(d.digits) - len(sig)
	var b strings.Builder
	if d.neg {
		b.WriteByte('-')
	}
	switch point := len(sig) + exp; {
	case exp >= 0:
		b.WriteString(sig)
		b.WriteString(zeros(exp))
	case point > 0:
		b.WriteString(sig[:point])
		b.WriteByte('.')
		b.WriteString(sig[point:])
	default:
		b.WriteString("0.")
		b.WriteString(zeros(-point))
		b.WriteString(sig)
	}
	return b.String()
}

func zeros(n int) string { return strings.Repeat("0", n) }

// Add returns n + m exactly, or an [*Error] when the sum needs more digits or
// a larger magnitude than a number has.
func (n Number) Add(m Number) (Number, error) { return n.combine(m, false) }

// Sub returns n - m exactly, or an [*Error] as [Number.Add] does.
func (n Number) Sub(m Number) (Number, error) { return n.combine(m, true) }

func (n Number) combine(m Number, negate bool) (Number, error) {
	if canonicalInt(n.text) && canonicalInt(m.text) {
		a, _ := strconv.ParseInt(n.text, 10, 64)
		b, _ := strconv.ParseInt(m.text, 10, 64)
		if negate {
			b = -b
		}
		return Number{strconv.FormatInt(a+b, 10)}, nil // 18 digits each: no overflow
	}
	a, b := n.scaled(), m.scaled()
	if negate {
		b.coef.Neg(b.coef)
	}
	exp := min(a.exp, b.exp)
	sum := new(big.Int).Add(a.at(exp), b.at(exp))
	d := decimal{neg: sum.Sign() < 0, digits: new(big.Int).Abs(sum).String(), exp: int64(exp)}
	if sum.Sign() == 0 {
		return Number{"0"}, nil
	}
	switch err := d.check(); err {
	case nil:
		return Number{d.canonical()}, nil
	case errNumberDigits: // arithmetic reports lost digits as an overflow (observed)
		return Number{}, errNumberOverflow
	default:
		return Number{}, err
	}
}

// scaledInt is coef × 10^exp.
type scaledInt struct {
	coef *big.Int
	exp  int
}

func (n Number) scaled() scaledInt {
	whole, frac, _ := strings.Cut(n.text, ".")
	coef, _ := new(big.Int).SetString(whole+frac, 10)
	return scaledInt{coef, -len(frac)}
}

// at returns the coefficient for the smaller exponent exp.
func (s scaledInt) at(exp int) *big.Int {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s.exp-exp)), nil)
	return scale.Mul(scale, s.coef)
}

// Cmp compares two numbers by value.
func (n Number) Cmp(m Number) int { return compareNumbers(n.text, m.text) }

// compareNumbers compares canonical decimals without decoding them: by sign,
// then length of the whole part, then digits.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	negA, negB := a[0] == '-', b[0] == '-'
	switch {
	case negA && negB:
		return compareMagnitudes(b[1:], a[1:])
	case negA:
		return -1
	case negB:
		return 1
	}
	return compareMagnitudes(a, b)
}

func compareMagnitudes(a, b string) int {
	wholeA, fracA, _ := strings.Cut(a, ".")
	wholeB, fracB, _ := strings.Cut(b, ".")
	if len(wholeA) != len(wholeB) {
		if len(wholeA) < len(wholeB) {
			return -1
		}
		return 1
	}
	if c := strings.Compare(wholeA, wholeB); c != 0 {
		return c
	}
	return strings.Compare(fracA, fracB)
}

// numberSize is 1 byte, plus 1 for every two significant digits left and right
// of the decimal point, plus 1 for a minus sign; zero takes 1 (observed).
func numberSize(text string) int {
	if text == "0" {
		return 1
	}
	size := 1
	if text[0] == '-' {
		size++
		text = text[1:]
	}
	whole, frac, _ := strings.Cut(text, ".")
	if whole == "0" {
		whole = ""
		frac = strings.TrimLeft(frac, "0")
	}
	if frac == "" {
		whole = strings.TrimRight(whole, "0")
	}
	return size + (len(whole)+1)/2 + (len(frac)+1)/2
}
