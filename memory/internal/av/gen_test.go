package av_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Generators of texts and values that DynamoDB accepts.

// numberText draws a decimal in any accepted notation, with at most 20 digits
// and a magnitude well inside the range.
func numberText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		sign := rapid.SampledFrom([]string{"", "", "+", "-"}).Draw(t, "sign")
		whole := rapid.StringMatching(`[0-9]{0,10}`).Draw(t, "whole")
		frac := rapid.StringMatching(`[0-9]{0,10}`).Draw(t, "fraction")
		if whole == "" && frac == "" {
			whole = "0"
		}
		text := sign + whole
		if frac != "" || rapid.Bool().Draw(t, "point") {
			text += "." + frac
		}
		if rapid.Bool().Draw(t, "exponent") {
			text += rapid.StringMatching(`[eE][+-]?[0-9]{1,2}`).Draw(t, "exp")
		}
		return text
	})
}

// number draws a number that has neighbours close by: few digits, few exponents.
func number() *rapid.Generator[av.Number] {
	return rapid.Custom(func(t *rapid.T) av.Number {
		text := rapid.OneOf(
			numberText(),
			rapid.StringMatching(`-?[0-9]{1,3}`),
			rapid.StringMatching(`-?0\.0{0,2}[0-9]{1,3}`),
			rapid.StringMatching(`-?[1-9]{37}[0-9]`),
			rapid.StringMatching(`-?[1-9]e(125|124|-130|-129)`),
		).Draw(t, "number")
		n, err := av.ParseNumber(text)
		if err != nil {
			t.Fatalf("ParseNumber(%q) = %v", text, err)
		}
		return n
	})
}

// text draws a string rich in the bytes that encodings treat specially.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringOfN(rapid.SampledFrom([]rune{0, 1, 'a', 'b', 0x7F, 0x80, 0xFF, 0xFFFF, 0x10FFFF}), 0, 4, -1),
	)
}

func raw() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF}), 0, 4).Draw(t, "bytes")
		return string(b)
	})
}

// scalar draws a value of one kind that can be a key.
func scalar(k av.Kind) *rapid.Generator[av.Value] {
	switch k {
	case av.N:
		return rapid.Map(number(), av.Num)
	case av.B:
		return rapid.Map(raw(), av.Binary)
	}
	return rapid.Map(text(), av.String)
}

// sdkValue draws any value of at most the given nesting, in canonical form.
func sdkValue(depth int) *rapid.Generator[types.AttributeValue] {
	kinds := []string{"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}
	if depth == 0 {
		kinds = kinds[:8]
	}
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "S":
			return &types.AttributeValueMemberS{Value: text().Draw(t, "S")}
		case "N":
			return &types.AttributeValueMemberN{Value: number().Draw(t, "N").String()}
		case "B":
			return &types.AttributeValueMemberB{Value: []byte(raw().Draw(t, "B"))}
		case "BOOL":
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "BOOL")}
		case "NULL":
			return &types.AttributeValueMemberNULL{Value: true}
		case "SS":
			return &types.AttributeValueMemberSS{Value: set(t, av.SS, scalar(av.S))}
		case "NS":
			return &types.AttributeValueMemberNS{Value: set(t, av.NS, scalar(av.N))}
		case "BS":
			texts := set(t, av.BS, scalar(av.B))
			blobs := make([][]byte, len(texts))
			for i, s := range texts {
				blobs[i] = []byte(s)
			}
			return &types.AttributeValueMemberBS{Value: blobs}
		case "L":
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(sdkValue(depth-1), 0, 4).Draw(t, "L")}
		default:
			return &types.AttributeValueMemberM{Value: rapid.MapOfN(text(), sdkValue(depth-1), 0, 4).Draw(t, "M")}
		}
	})
}

// set draws the texts of one to four members, sorted as values and distinct.
func set(t *rapid.T, kind av.Kind, members *rapid.Generator[av.Value]) []string {
	values := rapid.SliceOfNDistinct(members, 1, 4, av.Value.Text).Draw(t, kind.String())
	texts := make([]string, 0, len(values))
	for _, v := range values {
		at := 0
		for at < len(texts) {
			w, err := av.FromSDK(member(kind, texts[at]))
			if err != nil {
				t.Fatalf("FromSDK: %v", err)
			}
			if c, _ := av.Compare(v, w); c < 0 {
				break
			}
			at++
		}
		texts = append(texts[:at], append([]string{v.Text()}, texts[at:]...)...)
	}
	return texts
}

func member(set av.Kind, text string) types.AttributeValue {
	switch set {
	case av.NS:
		return &types.AttributeValueMemberN{Value: text}
	case av.BS:
		return &types.AttributeValueMemberB{Value: []byte(text)}
	}
	return &types.AttributeValueMemberS{Value: text}
}

// Short forms for tables.

func num(t testing.TB, text string) av.Number {
	t.Helper()
	n, err := av.ParseNumber(text)
	if err != nil {
		t.Fatalf("ParseNumber(%q) = %v", text, err)
	}
	return n
}

func value(t testing.TB, v types.AttributeValue) av.Value {
	t.Helper()
	out, err := av.FromSDK(v)
	if err != nil {
		t.Fatalf("FromSDK(%v) = %v", v, err)
	}
	return out
}

func sdkS(s string) types.AttributeValue     { return &types.AttributeValueMemberS{Value: s} }
func sdkN(s string) types.AttributeValue     { return &types.AttributeValueMemberN{Value: s} }
func sdkB(s string) types.AttributeValue     { return &types.AttributeValueMemberB{Value: []byte(s)} }
func sdkSS(s ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: s} }
func sdkNS(s ...string) types.AttributeValue { return &types.AttributeValueMemberNS{Value: s} }
func sdkBOOL(b bool) types.AttributeValue    { return &types.AttributeValueMemberBOOL{Value: b} }
func sdkNULL() types.AttributeValue          { return &types.AttributeValueMemberNULL{Value: true} }
func sdkM(m sdkMap) types.AttributeValue     { return &types.AttributeValueMemberM{Value: m} }
func zeros(n int) string                     { return strings.Repeat("0", n) }
func nines(n int) string                     { return strings.Repeat("9", n) }
func sdkL(v ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: v}
}

func sdkBS(s ...string) types.AttributeValue {
	blobs := make([][]byte, len(s))
	for i := range s {
		blobs[i] = []byte(s[i])
	}
	return &types.AttributeValueMemberBS{Value: blobs}
}

type sdkMap = map[string]types.AttributeValue
