package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/expr/script"
)

func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, "testdata/*.script", func() script.Runner { return new(runner) })
}

// runner parses each case as the kind of the last directive. @print shows the
// printed form of trees, @group the same with every operator in brackets.
type runner struct {
	kind  expr.Kind
	group bool
}

var kinds = map[string]expr.Kind{
	"update": expr.Update, "condition": expr.Condition, "keycondition": expr.KeyCondition,
	"filter": expr.Filter, "projection": expr.Projection,
}

func (r *runner) Directive(t *testing.T, word, rest string) {
	t.Helper()
	kind, ok := kinds[rest]
	if !ok || word != "print" && word != "group" {
		t.Fatalf("unknown directive @%s %s", word, rest)
	}
	r.kind, r.group = kind, word == "group"
}

func (r *runner) Case(t *testing.T, input string) string {
	t.Helper()
	tree, err := expr.Parse(r.kind, input)
	if err != nil {
		return fault(t, err)
	}
	checkFixpoint(t, tree)
	if r.group {
		return group(tree.Cond)
	}
	return tree.String()
}

// fault shows where an error is, and its text without the constant beginning.
func fault(t *testing.T, err error) string {
	t.Helper()
	e, ok := err.(*expr.SyntaxError)
	if !ok {
		t.Fatalf("Parse failed with %T, want *expr.SyntaxError", err)
	}
	want := "Invalid " + e.Kind.String() + ": " + e.Message
	if e.Error() != want {
		t.Errorf("text of error: got %q, want %q", e.Error(), want)
	}
	return fmt.Sprintf("! %d: %s", e.Offset, e.Message)
}

// ignoreOffsets compares trees by what they mean.
var ignoreOffsets = cmp.FilterPath(func(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Name() == "At"
}, cmp.Ignore())

// checkFixpoint requires that the printed form of a tree parses to an equal tree
// and prints the same again.
func checkFixpoint(t interface {
	Helper()
	Fatalf(string, ...any)
}, tree *expr.Tree) {
	t.Helper()
	text := tree.String()
	again, err := expr.Parse(tree.Kind, text)
	if err != nil {
		t.Fatalf("parse of printed %q: %v", text, err)
	}
	if diff := cmp.Diff(again, tree, ignoreOffsets, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("parse of printed %q differs (-got +want):\n%s", text, diff)
	}
	if got := again.String(); got != text {
		t.Fatalf("second print: got %q, want %q", got, text)
	}
}

// group prints a condition with brackets around every operator's operands.
func group(c expr.Cond) string {
	switch c := c.(type) {
	case *expr.Logical:
		return "[" + group(c.Left) + " " + string(c.Op) + " " + group(c.Right) + "]"
	case *expr.Not:
		return "[NOT " + group(c.Cond) + "]"
	}
	tree := expr.Tree{Cond: c}
	return strings.ReplaceAll(tree.String(), " ", "")
}
