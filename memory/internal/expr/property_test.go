package expr_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Any tree that the grammar can yield prints as a text that parses to it.
func TestParseInvertsPrint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkFixpoint(t, genTree(t))
	})
}

func genTree(t *rapid.T) *expr.Tree {
	kind := rapid.SampledFrom([]expr.Kind{
		expr.Update, expr.Condition, expr.KeyCondition, expr.Filter, expr.Projection,
	}).Draw(t, "kind")
	tree := &expr.Tree{Kind: kind}
	switch kind {
	case expr.Update:
		tree.Sections = genSections(t)
	case expr.Projection:
		tree.Paths = rapid.SliceOfN(rapid.Custom(genPath), 1, 5).Draw(t, "paths")
	default:
		tree.Cond = genCond(t, 4)
	}
	return tree
}

func genPath(t *rapid.T) *expr.Path {
	name := rapid.StringMatching(`#[0-9A-Za-z_]{1,3}|x[0-9A-Z_a-z]{0,3}`)
	path := &expr.Path{Elements: []expr.Element{{Name: name.Draw(t, "name"), Index: -1}}}
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		e := expr.Element{Index: rapid.IntRange(0, 1<<31-1).Draw(t, "index")}
		if rapid.Bool().Draw(t, "by name") {
			e = expr.Element{Name: name.Draw(t, "name"), Index: -1}
		}
		path.Elements = append(path.Elements, e)
	}
	return path
}

func genValue(t *rapid.T) *expr.Value {
	return &expr.Value{Name: rapid.StringMatching(`:[0-9A-Za-z_]{1,3}`).Draw(t, "value")}
}

// genOperand draws a path, a value or one of the functions.
func genOperand(t *rapid.T, depth int, functions ...string) expr.Operand {
	choice := rapid.IntRange(0, 2).Draw(t, "operand")
	switch {
	case choice == 0:
		return genPath(t)
	case choice == 1 || depth == 0 || len(functions) == 0:
		return genValue(t)
	}
	f := rapid.SampledFrom(functions).Draw(t, "function")
	inner := []string{expr.FuncSize}
	if f != expr.FuncSize {
		inner = []string{expr.FuncIfNotExists}
	}
	return genCall(t, depth-1, f, inner...)
}

func genCall(t *rapid.T, depth int, f string, inner ...string) *expr.Call {
	call := &expr.Call{Function: f}
	for range rapid.IntRange(1, 3).Draw(t, "arguments") {
		call.Args = append(call.Args, genOperand(t, depth, inner...))
	}
	return call
}

func genCond(t *rapid.T, depth int) expr.Cond {
	operand := func() expr.Operand { return genOperand(t, 2, expr.FuncSize) }
	most := 6
	if depth == 0 {
		most = 3
	}
	switch rapid.IntRange(0, most).Draw(t, "condition") {
	case 0:
		op := rapid.SampledFrom([]expr.Op{expr.OpEq, expr.OpNe, expr.OpLt, expr.OpLe, expr.OpGt, expr.OpGe}).Draw(t, "op")
		return &expr.Compare{Op: op, Left: operand(), Right: operand()}
	case 1:
		return &expr.Between{Operand: operand(), Low: operand(), High: operand()}
	case 2:
		in := &expr.In{Operand: operand()}
		for range rapid.IntRange(1, 3).Draw(t, "members") {
			in.List = append(in.List, operand())
		}
		return in
	case 3:
		f := rapid.SampledFrom([]string{
			expr.FuncAttributeExists, expr.FuncAttributeNotExists, expr.FuncAttributeType, expr.FuncBeginsWith, expr.FuncContains,
		}).Draw(t, "function")
		return genCall(t, 1, f, expr.FuncSize)
	case 4:
		return &expr.Not{Cond: genCond(t, depth-1)}
	case 5:
		return &expr.Logical{Op: expr.OpAnd, Left: genCond(t, depth-1), Right: genCond(t, depth-1)}
	default:
		return &expr.Logical{Op: expr.OpOr, Left: genCond(t, depth-1), Right: genCond(t, depth-1)}
	}
}

func genSections(t *rapid.T) []expr.Section {
	verbs := rapid.Permutation([]expr.Verb{expr.Set, expr.Remove, expr.Add, expr.Delete}).Draw(t, "verbs")
	var sections []expr.Section
	for _, v := range verbs[:rapid.IntRange(1, 4).Draw(t, "sections")] {
		s := expr.Section{Verb: v}
		for range rapid.IntRange(1, 3).Draw(t, "actions") {
			s.Actions = append(s.Actions, genAction(t, v))
		}
		sections = append(sections, s)
	}
	return sections
}

func genAction(t *rapid.T, v expr.Verb) expr.Action {
	a := expr.Action{Target: genPath(t)}
	switch v {
	case expr.Set:
		a.Value = genAssigned(t)
	case expr.Add, expr.Delete:
		a.Value = genValue(t)
	}
	return a
}

func genAssigned(t *rapid.T) expr.Operand {
	left := genOperand(t, 2, expr.FuncIfNotExists, expr.FuncListAppend)
	switch rapid.IntRange(0, 2).Draw(t, "sum") {
	case 0:
		return &expr.Arithmetic{Op: expr.OpPlus, Left: left, Right: genOperand(t, 2, expr.FuncIfNotExists, expr.FuncListAppend)}
	case 1:
		return &expr.Arithmetic{Op: expr.OpMinus, Left: left, Right: genOperand(t, 2, expr.FuncIfNotExists, expr.FuncListAppend)}
	}
	return left
}
