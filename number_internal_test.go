package ddb

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"
)

// TestSizes asserts sizes as DynamoDB counts them.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number string
		want   int
	}{
		{"0", 1}, {"-0", 1}, {"0.00", 1}, {"1", 2}, {"123456", 4}, {"3.14159", 5}, {"-1", 3}, {"1E125", 2}, {"1e-130", 2},
		{"100.001", 5}, {"1200", 2}, {"0.00123", 3}, {"+00120.50", 4}, {".5", 2}, {"5.", 2}, {"12e-1", 3}, {"0.012e3", 2},
		{strings.Repeat("9", 38), 20}, {"-" + strings.Repeat("9", 19) + "." + strings.Repeat("9", 19), 22},
		{"secret", 6}, {"", 0}, {"1e", 2}, {".", 1},
	} {
		if got := numberSize(c.number); got != c.want {
			t.Errorf("%s: got %d bytes, want %d", c.number, got, c.want)
		}
	}
	m := func(v map[string]types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: v}
	}
	for _, c := range []struct {
		item map[string]types.AttributeValue
		want int
	}{
		{nil, 0},
		{map[string]types.AttributeValue{"né": str("日")}, 3 + 3},
		{map[string]types.AttributeValue{"a": newNull(), "b": &types.AttributeValueMemberBOOL{}}, 4},
		{map[string]types.AttributeValue{"a": &types.AttributeValueMemberB{Value: []byte("xyz")}}, 4},
		{map[string]types.AttributeValue{"a": list()}, 1 + 3},
		{map[string]types.AttributeValue{"a": list(num("1"), list())}, 1 + 3 + (1 + 2) + (1 + 3)},
		{map[string]types.AttributeValue{"a": m(map[string]types.AttributeValue{"bc": str("d")})}, 1 + 3 + 1 + 2 + 1},
		{map[string]types.AttributeValue{"a": &types.AttributeValueMemberSS{Value: []string{"b", "cd"}}}, 4},
		{map[string]types.AttributeValue{"a": &types.AttributeValueMemberNS{Value: []string{"1", "-22"}}}, 1 + 2 + 3},
		{map[string]types.AttributeValue{"a": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2, 3}}}}, 4},
	} {
		if got := itemSize(c.item); got != c.want {
			t.Errorf("%s: got %d bytes, want %d", show(c.item), got, c.want)
		}
	}
}

// TestDecimals asserts that the places of a number's digits are those of its
// value, however it is written.
func TestDecimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]?(0{0,2}[1-9][0-9]{0,6}\.?|[0-9]{0,4}\.[0-9]{0,5}[1-9])0{0,3}([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		d, ok := scanDecimal(text)
		value, isNumber := new(big.Rat).SetString(text)
		if !ok || !isNumber || d.zero {
			t.Fatalf("%s: got %+v and %t, want a number", text, d, ok)
		}
		if d.negative != (value.Sign() < 0) {
			t.Fatalf("%s: got negative %t", text, d.negative)
		}
		value.Abs(value)
		if value.Cmp(power(d.first)) < 0 || value.Cmp(power(d.first+1)) >= 0 {
			t.Fatalf("%s: the first digit is not at 10^%d", text, d.first)
		}
		if !new(big.Rat).Quo(value, power(d.last)).IsInt() || new(big.Rat).Quo(value, power(d.last+1)).IsInt() {
			t.Fatalf("%s: the last digit is not at 10^%d", text, d.last)
		}
	})
}

func power(n int) *big.Rat {
	p, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", n))
	return p
}

// TestNumberProblems asserts which texts are no numbers that DynamoDB stores.
func TestNumberProblems(t *testing.T) {
	t.Parallel()
	nines := strings.Repeat("9", 38)
	for text, want := range map[string]string{
		"0": "", "-1.5": "", "+.5e3": "", nines: "", nines + "000": "", "0." + nines: "", "1e125": "", "9.99e125": "", "1E-130": "",
		"": "is no number", "x": "is no number", "1 ": "is no number", "0x1": "is no number", "NaN": "is no number", "1e": "is no number",
		"1e99999999999": "is no number", "--1": "is no number", "1.2.3": "is no number", "1_0": "is no number",
		nines + "1": "has more than 38 significant digits", "1" + nines + "e-50": "has more than 38 significant digits",
		"1e126": outOfRange, "10e125": outOfRange, "9.9e-131": outOfRange,
	} {
		if got := numberProblem(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
