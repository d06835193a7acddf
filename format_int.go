package ddb

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// intFormat writes integers: zero-padded to a width, with a sign that keeps
// order, inverted, or plain.
//
// A signed number is written as p and its digits when it is not negative, as n
// and the distance to 10^width when it is: n9995 for -5, p0005 for 5.
type intFormat struct {
	digits int // 0: plain
	signed bool
	desc   bool
}

// maxWidth is the width of the largest 64-bit integer.
const maxWidth = 20

func newIntFormat(spec string, sorted bool) (partFormat, error) {
	switch {
	case spec == "plain":
		return intFormat{}, nil
	case spec == "" && !sorted:
		return intFormat{}, nil
	case spec == "":
		return nil, errors.New("is an unpadded number in a sort key, where 10 comes before 9; give it a width such as {Seq:012}, or plain if order does not matter")
	}
	f := intFormat{}
	spec, f.desc = strings.CutPrefix(spec, "desc:")
	spec, f.signed = strings.CutPrefix(spec, "+")
	width, err := strconv.Atoi(spec)
	if err != nil || !strings.HasPrefix(spec, "0") || width < 1 || width > maxWidth {
		return nil, fmt.Errorf("has a bad number format; %s; the width is 1 to %d", formatHelp, maxWidth)
	}
	f.digits = width
	return f, nil
}

func (f intFormat) encode(v reflect.Value) (string, error) {
	n := new(big.Int)
	if v.CanInt() {
		n.SetInt64(v.Int())
	} else {
		n.SetUint64(v.Uint())
	}
	if f.digits == 0 {
		return n.String(), nil
	}
	if !f.signed && n.Sign() < 0 {
		return "", fmt.Errorf("is negative; the signed format {…:+0%d} keeps order below zero", f.digits)
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.digits)), nil)
	if n.CmpAbs(limit) >= 0 {
		return "", fmt.Errorf("has more than %d digits", f.digits)
	}
	if !f.signed {
		if f.desc {
			n.Sub(limit, n).Sub(n, big.NewInt(1))
		}
		return f.pad(n), nil
	}
	if f.desc {
		n.Neg(n)
	}
	if n.Sign() < 0 {
		return "n" + f.pad(n.Add(n, limit)), nil
	}
	return "p" + f.pad(n), nil
}

func (f intFormat) pad(n *big.Int) string { return fmt.Sprintf("%0*s", f.digits, n.String()) }

func (f intFormat) decode(text string, v reflect.Value) error {
	n := new(big.Int)
	digits := text
	if f.signed && text != "" {
		digits = text[1:]
	}
	if _, ok := n.SetString(digits, 10); !ok {
		return errors.New("is no integer")
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.digits)), nil)
	switch {
	case f.signed:
		if text[0] == 'n' {
			n.Sub(n, limit)
		}
		if f.desc {
			n.Neg(n)
		}
	case f.desc:
		n.Sub(limit, n).Sub(n, big.NewInt(1))
	}
	switch {
	case v.CanInt() && n.IsInt64() && !v.OverflowInt(n.Int64()):
		v.SetInt(n.Int64())
	case v.CanUint() && n.IsUint64() && !v.OverflowUint(n.Uint64()):
		v.SetUint(n.Uint64())
	default:
		return fmt.Errorf("does not fit a %s", v.Type())
	}
	return nil
}

func (f intFormat) width() int {
	if f.signed {
		return f.digits + 1
	}
	return f.digits
}
func (f intFormat) descending() bool   { return f.desc }
func (f intFormat) lossless() bool     { return true }
func (f intFormat) zeroIsAbsent() bool { return false }
func (f intFormat) shape() []charRun {
	if f.digits == 0 {
		return []charRun{{set: oneOf("-0123456789"), many: true}}
	}
	var runs []charRun
	if f.signed {
		runs = append(runs, charRun{set: oneOf("np")})
	}
	for range f.digits {
		runs = append(runs, charRun{set: oneOf("0123456789")})
	}
	return runs
}
