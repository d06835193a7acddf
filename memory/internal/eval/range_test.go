package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// An interval holds exactly the keys whose values meet the conditions, for
// every kind, operator and number of attributes, whatever follows in the key.
func TestIntervalsSelectWhatConditionsSelect(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sort := rapid.SliceOfN(rapid.Custom(genKeyAttribute), 1, 4).Draw(t, "schema")
		for i := range sort {
			sort[i].Name = fmt.Sprintf("s%d", i)
		}
		pk := av.String("p")
		terms := []eval.KeyTerm{{Name: "pk", Op: expr.OpEq, Values: []av.Value{pk}}}
		named := rapid.IntRange(1, len(sort)).Draw(t, "named")
		for i, a := range sort[:named] {
			terms = append(terms, genTerm(t, a, i == named-1))
		}
		r, err := eval.NewKeyCondition(terms...).Plan([]eval.KeyAttribute{{Name: "pk", Kind: av.S}}, sort, nothingElse)
		if err != nil {
			t.Fatalf("Plan: %v", err)
		}
		for range 10 {
			stored := genStored(t, sort, terms[1:])
			if got, want := within(r, stored), meets(stored, terms[1:]); got != want {
				t.Fatalf("%v for %v: in [%x, %x) is %t, want %t", terms[1:], stored, r.Low, r.High, got, want)
			}
		}
	})
}

func genKeyAttribute(t *rapid.T) eval.KeyAttribute {
	return eval.KeyAttribute{Kind: rapid.SampledFrom([]av.Kind{av.S, av.N, av.B}).Draw(t, "kind")}
}

// genScalar draws from few values that are close to each other, so that equal
// ones and common beginnings are frequent.
func genScalar(t *rapid.T, k av.Kind) av.Value {
	switch k {
	case av.N:
		text := rapid.SampledFrom([]string{
			"0", "1", "-1", "10", "-10", "9", "0.1", "-0.1", "1.01", "99999999999999999999999999999999999999",
			"-99999999999999999999999999999999999999", "1E-130", "-1E-130", "1E125", "-1E125", "100",
		}).Draw(t, "number")
		n, err := av.ParseNumber(text)
		if err != nil {
			t.Fatal(err)
		}
		return av.Num(n)
	case av.B:
		return av.Binary(string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7F, 0xFE, 0xFF}), 1, 4).Draw(t, "bytes")))
	}
	return av.String(string(rapid.SliceOfN(rapid.SampledFrom([]rune{0, 1, 'a', 'b', 0x10FFFF}), 1, 4).Draw(t, "text")))
}

func genTerm(t *rapid.T, a eval.KeyAttribute, last bool) eval.KeyTerm {
	term := eval.KeyTerm{Name: a.Name, Op: expr.OpEq, Values: []av.Value{genScalar(t, a.Kind)}}
	if !last {
		return term
	}
	ops := []expr.Op{expr.OpEq, expr.OpLt, expr.OpLe, expr.OpGt, expr.OpGe, expr.OpBetween}
	if a.Kind != av.N {
		ops = append(ops, eval.KeyBeginsWith)
	}
	if term.Op = rapid.SampledFrom(ops).Draw(t, "op"); term.Op == expr.OpBetween {
		low, high := term.Values[0], genScalar(t, a.Kind)
		if c, _ := av.Compare(low, high); c > 0 {
			low, high = high, low
		}
		term.Values = []av.Value{low, high}
	}
	return term
}

// genStored draws the sort key of an item, often with values of the condition.
func genStored(t *rapid.T, sort []eval.KeyAttribute, terms []eval.KeyTerm) []av.Value {
	stored := make([]av.Value, len(sort))
	for i, a := range sort {
		if i < len(terms) && rapid.Bool().Draw(t, "as named") {
			stored[i] = rapid.SampledFrom(terms[i].Values).Draw(t, "value")
			continue
		}
		stored[i] = genScalar(t, a.Kind)
	}
	return stored
}

func within(r eval.Range, stored []av.Value) bool {
	var key []byte
	for _, v := range stored {
		key = v.AppendKey(key)
	}
	return r.Low <= string(key) && (r.High == "" || string(key) < r.High)
}

// meets evaluates the conditions value by value.
func meets(stored []av.Value, terms []eval.KeyTerm) bool {
	for i, term := range terms {
		v, w := stored[i], term.Values[0]
		order, _ := av.Compare(v, w)
		ok := false
		switch term.Op {
		case expr.OpEq:
			ok = order == 0
		case expr.OpLt:
			ok = order < 0
		case expr.OpLe:
			ok = order <= 0
		case expr.OpGt:
			ok = order > 0
		case expr.OpGe:
			ok = order >= 0
		case expr.OpBetween:
			upper, _ := av.Compare(v, term.Values[1])
			ok = order >= 0 && upper <= 0
		case eval.KeyBeginsWith:
			ok = strings.HasPrefix(v.Text(), w.Text())
		}
		if !ok {
			return false
		}
	}
	return true
}

func TestKeySizes(t *testing.T) {
	t.Parallel()
	text := func(n int) av.Value { return av.String(strings.Repeat("x", n)) }
	hash := []eval.KeyAttribute{{Name: "pk", Kind: av.S}}
	sort := []eval.KeyAttribute{{Name: "a", Kind: av.S}, {Name: "b", Kind: av.S}}
	tests := []struct {
		name     string
		pk, a, b int
		want     string
	}{
		{"at the limits", 2048, 512, 512, ""},
		{
			"partition key", 2049, 1, 1,
			"One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
		},
		{
			"sort key", 2048, 512, 513,
			"One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := eval.NewKeyCondition(
				eval.KeyTerm{Name: "pk", Op: expr.OpEq, Values: []av.Value{text(tt.pk)}},
				eval.KeyTerm{Name: "a", Op: expr.OpEq, Values: []av.Value{text(tt.a)}},
				eval.KeyTerm{Name: "b", Op: expr.OpBetween, Values: []av.Value{text(1), text(tt.b)}},
			)
			got := ""
			if _, err := k.Plan(hash, sort, nothingElse); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Plan: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNoKeyCondition(t *testing.T) {
	t.Parallel()
	want := "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
	if got := eval.ErrNoKeyCondition; got.Text != want || got.Counted {
		t.Errorf("ErrNoKeyCondition: got %+v, want %s", got, want)
	}
}
