package av_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

var keyKinds = []av.Kind{av.S, av.N, av.B}

// Encodings compare as the values they stand for, and none begins another.
func TestAppendKeyOrder(t *testing.T) {
	t.Parallel()
	for _, kind := range keyKinds {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				a, b := scalar(kind).Draw(t, "a"), scalar(kind).Draw(t, "b")
				ka, kb := a.AppendKey(nil), b.AppendKey(nil)
				want, ok := av.Compare(a, b)
				if !ok {
					t.Fatalf("%s and %s do not compare", a.Print(), b.Print())
				}
				if got := bytes.Compare(ka, kb); got != want {
					t.Fatalf("%s, %s: values compare %d, keys %x, %x compare %d", a.Print(), b.Print(), want, ka, kb, got)
				}
				if want != 0 && (bytes.HasPrefix(ka, kb) || bytes.HasPrefix(kb, ka)) {
					t.Fatalf("%s, %s: one of the keys %x, %x begins the other", a.Print(), b.Print(), ka, kb)
				}
			})
		})
	}
}

// Joined encodings order like the tuples, whatever the kinds.
func TestAppendKeyOrdersTuples(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom(keyKinds), 1, 4).Draw(t, "kinds")
		var ka, kb []byte
		want := 0
		for _, kind := range kinds {
			a := scalar(kind).Draw(t, "a")
			b := rapid.OneOf(rapid.Just(a), scalar(kind)).Draw(t, "b")
			ka, kb = a.AppendKey(ka), b.AppendKey(kb)
			if c, _ := av.Compare(a, b); want == 0 {
				want = c
			}
		}
		if got := bytes.Compare(ka, kb); got != want {
			t.Fatalf("tuples of %v compare %d, keys %x, %x compare %d", kinds, want, ka, kb, got)
		}
	})
}

// A string begins with a prefix exactly when its encoding begins with the
// prefix's.
func TestAppendKeyPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]av.Kind{av.S, av.B}).Draw(t, "kind")
		prefix := scalar(kind).Draw(t, "prefix")
		v := scalar(kind).Draw(t, "value")
		if rapid.Bool().Draw(t, "joined") {
			joined := prefix.Text() + v.Text()
			v = av.Binary(joined)
			if kind == av.S {
				v = av.String(joined)
			}
		}
		got := bytes.HasPrefix(v.AppendKey(nil), prefix.AppendKeyPrefix(nil))
		if want := strings.HasPrefix(v.Text(), prefix.Text()); got != want {
			t.Fatalf("%q begins with %q: %v, by encodings %v", v.Text(), prefix.Text(), want, got)
		}
	})
}

func TestAppendHashInput(t *testing.T) {
	t.Parallel()
	number := func(text string) av.Value { return av.Num(num(t, text)) }
	tests := []struct {
		name string
		v    av.Value
		want string
	}{
		{"string", av.String("aé"), "61c3a9"},
		{"binary", av.Binary("\x00\xff"), "00ff"},
		{"zero", number("0"), "80"},
		{"one", number("1"), "c102"},
		{"one pair", number("42"), "c12b"},
		{"trailing zeros are exponent", number("100"), "c202"},
		{"odd number of digits", number("123"), "c20218"},
		{"fraction", number("0.5"), "c033"},
		{"small fraction", number("0.05"), "c006"},
		{"smaller fraction", number("0.001"), "bf0b"},
		{"negative", number("-1"), "3e6466"},
		{"negative pair", number("-42"), "3e3b66"},
		{"negative fraction", number("-0.5"), "3f3366"},
		{"negative with 19 pairs", number("-" + strings.Repeat("9", 38)), "2c" + strings.Repeat("02", 19) + "66"},
		{"negative with 20 pairs", number("-" + strings.Repeat("9", 37) + ".9"), "2c" + "5c" + strings.Repeat("02", 18) + "0b"},
		{"largest power of ten", number("1e125"), "ff0b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := hex.EncodeToString(tt.v.AppendHashInput(nil)); got != tt.want {
				t.Errorf("hash input of %s = %s, want %s", tt.v.Print(), got, tt.want)
			}
		})
	}
}

func BenchmarkAppendKey(b *testing.B) {
	for _, v := range []av.Value{av.String("ORDER#2024-05-01#0001"), av.Num(av.Int(20240501)), av.Binary("\x00\x01\x02\x03")} {
		b.Run(v.Kind().String(), func(b *testing.B) {
			dst := make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				dst = v.AppendKey(dst[:0])
			}
		})
	}
}
