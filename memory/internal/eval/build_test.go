package eval_test

import (
	"testing"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

func number(i int) av.Value { return av.Num(av.Int(i)) }

func list(v ...av.Value) av.Value { return av.List(v) }

func TestConditionsByHand(t *testing.T) {
	t.Parallel()
	item := av.NewMap([]av.Attr{
		{Name: "a.b", Value: number(5)},
		{Name: "s", Value: av.String("text")},
		{Name: "l", Value: list(number(1), number(2))},
	})
	at := func(name string) eval.Operand { return eval.At(eval.Name(name)) }
	n := func(i int) eval.Operand { return eval.Constant(number(i)) }
	s := func(text string) eval.Operand { return eval.Constant(av.String(text)) }
	tests := []struct {
		name string
		p    eval.Predicate
		want bool
	}{
		{"a dot is part of a name", eval.Compare(at("a.b"), expr.OpEq, n(5)), true},
		{"comparison", eval.Compare(at("a.b"), expr.OpGt, n(5)), false},
		{"between", eval.Between(at("a.b"), n(1), n(5)), true},
		{"in", eval.In(at("a.b"), n(1), s("x")), false},
		{"exists", eval.Exists(eval.Name("s")), true},
		{"not exists", eval.NotExists(eval.Name("s")), false},
		{"type", eval.HasType(at("l"), s("L")), true},
		{"begins with", eval.BeginsWith(at("s"), s("te")), true},
		{"contains", eval.Contains(at("l"), n(2)), true},
		{"size", eval.Compare(eval.SizeOf(at("l")), expr.OpEq, n(2)), true},
		{
			"not contains, of an attribute there is",
			eval.All(eval.Exists(eval.Name("s")), eval.Not(eval.Contains(at("s"), s("z")))), true,
		},
		{
			"not contains, of one there is not",
			eval.All(eval.Exists(eval.Name("gone")), eval.Not(eval.Contains(at("gone"), s("x")))), false,
		},
		{"any", eval.Any(eval.Exists(eval.Name("gone")), eval.Exists(eval.Name("s"))), true},
		{"all of nothing", eval.All(), true},
		{"any of nothing", eval.Any(), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := eval.NewCondition(tt.p).Match(item); got != tt.want {
				t.Errorf("Match: got %t, want %t", got, tt.want)
			}
		})
	}
}

// The actions of AttributeUpdates: ADD appends lists, and a type clash has a
// text of its own.
func TestUpdatesByHand(t *testing.T) {
	t.Parallel()
	old := av.NewMap([]av.Attr{
		{Name: "a.b", Value: av.String("x")},
		{Name: "l", Value: list(number(1))},
		{Name: "n", Value: number(7)},
	})
	const clash = "!! Type mismatch for attribute to update"
	tests := []struct {
		name   string
		action eval.Action
		want   string
	}{
		{"put", eval.Set(eval.Name("a.b"), eval.Constant(number(1))), "{a.b={N:1}, l={L:[{N:1}]}, n={N:7}}"},
		{"delete", eval.Remove(eval.Name("a.b")), "{l={L:[{N:1}]}, n={N:7}}"},
		{"add a number", eval.Add(eval.Name("n"), number(1)).Legacy(), "{a.b={S:x}, l={L:[{N:1}]}, n={N:8}}"},
		{"add a list", eval.Add(eval.Name("l"), list(number(2))).Legacy(), "{a.b={S:x}, l={L:[{N:1}, {N:2}]}, n={N:7}}"},
		{"add a list to nothing", eval.Add(eval.Name("m"), list(number(2))).Legacy(), "{a.b={S:x}, l={L:[{N:1}]}, m={L:[{N:2}]}, n={N:7}}"},
		{"add a list to a number", eval.Add(eval.Name("n"), list(number(2))).Legacy(), clash},
		{"add a number to a string", eval.Add(eval.Name("a.b"), number(1)).Legacy(), clash},
		{"delete members of a number", eval.Delete(eval.Name("n"), set(t, "x")).Legacy(), clash},
		{"in an expression", eval.Add(eval.Name("a.b"), number(1)), "!! An operand in the update expression has an incorrect data type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			image, err := eval.NewUpdate(tt.action).Apply(old)
			got := show(image)
			if err != nil {
				got = failure(t, err)
			}
			if got != tt.want {
				t.Errorf("Apply: got %s, want %s", got, tt.want)
			}
		})
	}
}

func set(t *testing.T, members ...string) av.Value {
	t.Helper()
	v, err := av.FromSDK(stringSet(members...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestProjectionByHand(t *testing.T) {
	t.Parallel()
	item := av.NewMap([]av.Attr{{Name: "a.b", Value: number(5)}, {Name: "c", Value: number(6)}})
	got := eval.NewProjection([]eval.Path{eval.Name("gone"), eval.Name("a.b")}).Apply(item)
	if got, want := show(got), "{a.b={N:5}}"; got != want {
		t.Errorf("Apply: got %s, want %s", got, want)
	}
}

func TestKeyConditionByHand(t *testing.T) {
	t.Parallel()
	k := eval.NewKeyCondition(
		eval.KeyTerm{Name: "sk", Op: eval.KeyBeginsWith, Values: []av.Value{av.String("b")}},
		eval.KeyTerm{Name: "pk", Op: expr.OpEq, Values: []av.Value{av.String("a")}},
	)
	got, err := k.Plan([]eval.KeyAttribute{{Name: "pk", Kind: av.S}}, []eval.KeyAttribute{{Name: "sk", Kind: av.S}}, nothingElse)
	if err != nil {
		t.Fatal(err)
	}
	if got.Partition[0].Text() != "a" || got.Low != "b" || got.High != "c" || !got.HasSort {
		t.Errorf("Plan: got %+v", got)
	}
}
