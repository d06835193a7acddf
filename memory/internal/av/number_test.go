package av_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

const (
	tooManyDigits = "Attempting to store more than 38 significant digits in a Number"
	tooLarge      = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	tooSmall      = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	notNumber     = "The parameter cannot be converted to a numeric value"
)

func TestParseNumberCanonicalForm(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"zero", "0", "0"},
		{"negative zero", "-0", "0"},
		{"zero with fraction", "0.000", "0"},
		{"zero at the largest exponent", "0e125", "0"},
		{"zero whose fraction lowers the exponent into range", "0.0e126", "0"},
		{"zero at the smallest exponent", "0e-130", "0"},
		{"integer", "42", "42"},
		{"negative integer", "-42", "-42"},
		{"18 digits", nines(18), nines(18)},
		{"19 digits", nines(19), nines(19)},
		{"plus sign", "+5", "5"},
		{"leading zeros", "00042", "42"},
		{"negative with leading zeros", "-007", "-7"},
		{"trailing fractional zeros", "100.00", "100"},
		{"no whole part", ".5", "0.5"},
		{"no fraction after the point", "5.", "5"},
		{"negative fraction", "-.25", "-0.25"},
		{"exponent", "1e2", "100"},
		{"exponent with plus sign", "1.E+5", "100000"},
		{"capital exponent on a fraction", "1.5E2", "150"},
		{"exponent that only moves the point", "123456e-3", "123.456"},
		{"negative exponent", "12e-4", "0.0012"},
		{"exponent with leading zeros", "1e0002", "100"},
		{"largest", nines(38) + "e88", nines(38) + zeros(88)},
		{"most negative", "-" + nines(38) + "e88", "-" + nines(38) + zeros(88)},
		{"largest power of ten", "1E125", "1" + zeros(125)},
		{"smallest", "1E-130", "0." + zeros(129) + "1"},
		{"38 digits around the point", nines(19) + "." + nines(19), nines(19) + "." + nines(19)},
		{"zeros do not count as digits", zeros(50) + nines(38) + zeros(50), nines(38) + zeros(50)},
		{"beyond float64", "9007199254740993", "9007199254740993"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := num(t, tt.text).String(); got != tt.want {
				t.Errorf("ParseNumber(%q) = %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestParseNumberFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want, older string }{
		{name: "word", text: "abc", want: notNumber + ": abc"},
		{name: "empty", text: "", want: notNumber + ": ", older: notNumber},
		{name: "leading space", text: " 1", want: notNumber + ":  1"},
		{name: "trailing space", text: "1 ", want: notNumber + ": 1 "},
		{name: "hexadecimal", text: "0x10", want: notNumber + ": 0x10"},
		{name: "NaN", text: "NaN", want: notNumber + ": NaN"},
		{name: "infinity", text: "-Infinity", want: notNumber + ": -Infinity"},
		{name: "sign alone", text: "-", want: notNumber + ": -"},
		{name: "two signs", text: "--1", want: notNumber + ": --1"},
		{name: "point alone", text: ".", want: notNumber + ": ."},
		{name: "sign and point", text: "+.", want: notNumber + ": +."},
		{name: "two points", text: "1.2.3", want: notNumber + ": 1.2.3"},
		{name: "exponent without digits", text: "1e", want: notNumber + ": 1e"},
		{name: "exponent with sign only", text: "1e-", want: notNumber + ": 1e-"},
		{name: "exponent with two signs", text: "1e+-5", want: notNumber + ": 1e+-5"},
		{name: "exponent with fraction", text: "1e1.5", want: notNumber + ": 1e1.5"},
		{name: "exponent alone", text: "e5", want: notNumber + ": e5"},
		{name: "underscore", text: "1_000", want: notNumber + ": 1_000"},
		{name: "other digits", text: "\u0661", want: notNumber + ": \u0661"},
		{name: "39 digits", text: nines(39), want: tooManyDigits},
		{name: "39 digits around the point", text: nines(20) + "." + nines(19), want: tooManyDigits},
		{name: "too large", text: "1E126", want: tooLarge},
		{name: "too large by digits", text: "1" + zeros(126), want: tooLarge},
		{name: "too negative", text: "-1E126", want: tooLarge},
		{name: "too small", text: "1E-131", want: tooSmall},
		{name: "too small by digits", text: "0." + zeros(130) + "1", want: tooSmall},
		{name: "zero with too large an exponent", text: "0e126", want: tooLarge},
		{name: "zero with too small an exponent", text: "0e-131", want: tooSmall},
		{name: "largest 32-bit exponent", text: "1e2147483647", want: tooLarge, older: tooSmall},
		{name: "exponent beyond 32 bits", text: "1e2147483648", want: tooLarge},
		{name: "negative exponent beyond 32 bits", text: "1e-2147483649", want: tooSmall},
		{name: "exponent beyond 64 bits", text: "1e9223372036854775808", want: notNumber + ": 1e9223372036854775808"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.older == "" {
				tt.older = tt.want
			}
			got, err := av.ParseNumber(tt.text)
			fault, ok := errors.AsType[*av.Error](err)
			if !ok {
				t.Fatalf("ParseNumber(%q) = %v, %v, want an *av.Error", tt.text, got, err)
			}
			if fault.Text != tt.want || fault.Older != tt.older {
				t.Errorf("ParseNumber(%q):\ngot  %q, older %q\nwant %q, older %q", tt.text, fault.Text, fault.Older, tt.want, tt.older)
			}
			if fault.Shape {
				t.Errorf("ParseNumber(%q) reports a shape fault", tt.text)
			}
		})
	}
}

// The canonical form has the value of the text it came from, and is its own
// canonical form.
func TestParseNumberKeepsValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := numberText().Draw(t, "text")
		n, err := av.ParseNumber(text)
		if err != nil {
			t.Fatalf("ParseNumber(%q) = %v", text, err)
		}
		if got, want := rat(n.String()), rat(text); got.Cmp(want) != 0 {
			t.Fatalf("ParseNumber(%q) = %s", text, n)
		}
		again, err := av.ParseNumber(n.String())
		if err != nil || again != n {
			t.Fatalf("ParseNumber(%s) = %s, %v: not a fixed point", n, again, err)
		}
		if s := n.String(); strings.ContainsAny(s, "eE+") || s == "-0" {
			t.Fatalf("ParseNumber(%q) = %s: not canonical", text, s)
		}
	})
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(text, "."))
	if !ok { // big.Rat wants a digit after the point
		r, ok = new(big.Rat).SetString(strings.NewReplacer(".e", ".0e", ".E", ".0E").Replace(text))
	}
	if !ok {
		panic(fmt.Sprintf("big.Rat does not read %q", text))
	}
	return r
}

func TestNumberArithmetic(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, a, op, b, want string
		fault                string
	}{
		{name: "decimal fractions", a: "0.1", op: "+", b: "0.2", want: "0.3"},
		{name: "beyond float64", a: "9007199254740993", op: "+", b: "1", want: "9007199254740994"},
		{name: "large and one", a: "1e22", op: "+", b: "1", want: "10000000000000000000001"},
		{name: "to zero", a: "1.5", op: "-", b: "1.5", want: "0"},
		{name: "below zero", a: "1", op: "-", b: "2.5", want: "-1.5"},
		{name: "negative zero cannot arise", a: "-1", op: "+", b: "1", want: "0"},
		{name: "largest plain integers", a: nines(18), op: "+", b: nines(18), want: "1" + nines(17) + "8"},
		{name: "carry drops digits", a: nines(38), op: "+", b: "1", want: "1" + zeros(38)},
		{name: "all 38 digits", a: "1e37", op: "+", b: "1", want: "1" + zeros(36) + "1"},
		{name: "39 digits", a: "1e38", op: "+", b: "1", fault: tooLarge},
		{name: "far apart", a: "1e50", op: "+", b: "1", fault: tooLarge},
		{name: "as far apart as can be", a: "1e125", op: "-", b: "1e-130", fault: tooLarge},
		{name: "above the range", a: "9e125", op: "+", b: "1e125", fault: tooLarge},
		{name: "below the range", a: "-9e125", op: "-", b: "1e125", fault: tooLarge},
		{name: "under the smallest magnitude", a: "1.1e-130", op: "-", b: "1e-130", fault: tooSmall},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := combine(num(t, tt.a), tt.op, num(t, tt.b))
			switch {
			case tt.fault == "":
				if err != nil || got.String() != tt.want {
					t.Errorf("%s %s %s = %s, %v, want %s", tt.a, tt.op, tt.b, got, err, tt.want)
				}
			case err == nil || err.Error() != tt.fault:
				t.Errorf("%s %s %s = %s, %v, want %q", tt.a, tt.op, tt.b, got, err, tt.fault)
			}
		})
	}
}

func combine(a av.Number, op string, b av.Number) (av.Number, error) {
	if op == "-" {
		return a.Sub(b)
	}
	return a.Add(b)
}

// Sums and differences are exact, and refused only when they do not fit.
func TestNumberArithmeticIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := number().Draw(t, "a"), number().Draw(t, "b")
		op := rapid.SampledFrom([]string{"+", "-"}).Draw(t, "op")
		want := new(big.Rat)
		if op == "+" {
			want.Add(rat(a.String()), rat(b.String()))
		} else {
			want.Sub(rat(a.String()), rat(b.String()))
		}
		got, err := combine(a, op, b)
		if fits := fits(want); (err == nil) != fits {
			t.Fatalf("%s %s %s = %s, %v; fits: %v", a, op, b, got, err, fits)
		}
		if err == nil && rat(got.String()).Cmp(want) != 0 {
			t.Fatalf("%s %s %s = %s, want %s", a, op, b, got, want.FloatString(140))
		}
	})
}

// fits reports whether r has at most 38 digits and a magnitude in range.
func fits(r *big.Rat) bool {
	text := strings.TrimPrefix(r.FloatString(200), "-")
	whole, frac, _ := strings.Cut(text, ".")
	digits := strings.Trim(whole+frac, "0")
	whole = strings.TrimLeft(whole, "0")
	lead := len(whole) - 1
	if whole == "" {
		lead = -1 - (len(frac) - len(strings.TrimLeft(frac, "0")))
	}
	return digits == "" || len(digits) <= limits.NumberDigits &&
		lead <= limits.NumberMaxExponent && lead >= limits.NumberMinExponent
}

func TestNumberCompare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := number().Draw(t, "a"), number().Draw(t, "b")
		if got, want := a.Cmp(b), rat(a.String()).Cmp(rat(b.String())); got != want {
			t.Fatalf("%s.Cmp(%s) = %d, want %d", a, b, got, want)
		}
	})
}

func TestNumberSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int
	}{
		{"0", 1},
		{"1", 2},
		{"-1", 3},
		{"12", 2},
		{"123", 3},
		{"123456", 4},
		{"1e125", 2},
		{"1200", 2},
		{"0.5", 2},
		{"0.005", 2},
		{"0.0512", 3},
		{"3.14159", 5},
		{"-3.14159", 6},
		{"10.5", 3},
		{"100.25", 4},
		{nines(38), 20},
		{"-" + nines(38), 21},
		{nines(19) + "." + nines(19), 21},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			if got := av.Num(num(t, tt.text)).Size(); got != tt.want {
				t.Errorf("size of %s = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1e5", "1.E+5", ".5", "0e126", "0.0e126", nines(39), "1e2147483647", "1e-2147483649", "+.", "1E-130"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := av.ParseNumber(text)
		if err != nil {
			if _, ok := errors.AsType[*av.Error](err); !ok {
				t.Fatalf("ParseNumber(%q) fails with %T", text, err)
			}
			return
		}
		if again, err := av.ParseNumber(n.String()); err != nil || again != n {
			t.Fatalf("ParseNumber(%q) = %s, whose own form is %s, %v", text, n, again, err)
		}
		if size := av.Num(n).Size(); size < 1 || size > 22 {
			t.Fatalf("size of %s = %d", n, size)
		}
	})
}

func BenchmarkParseNumber(b *testing.B) {
	for _, text := range []string{"42", "0042.50", "1.5E100", nines(38)} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := av.ParseNumber(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNumberAdd(b *testing.B) {
	for _, pair := range [][2]string{{"41", "1"}, {"0.1", "0.2"}, {nines(38), "1"}} {
		b.Run(pair[0]+"+"+pair[1], func(b *testing.B) {
			x, y := num(b, pair[0]), num(b, pair[1])
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Add(y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
