package expr_test

import (
	"testing"

	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// FuzzParse: no text makes Parse panic, errors are *expr.SyntaxError with an
// offset inside the text, and what parses prints as a text that parses to an
// equal tree and prints the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []struct {
		kind expr.Kind
		text string
	}{
		{expr.Condition, "NOT (a.b[0] = :v OR size(#c) > :n) AND d IN (:x, :y)"},
		{expr.Condition, "((a)) BETWEEN (b).c AND :z"},
		{expr.Filter, "attribute_type(a, :t) and not contains(b, :c)"},
		{expr.KeyCondition, "pk = :pk AND begins_with(sk, :p)"},
		{expr.Projection, "a, b.c[12], #d.#e"},
		{expr.Update, "SET a = (if_not_exists(a, :z) - b), c = list_append(:l, d) REMOVE e[1] ADD f :n DELETE g :s"},
		{expr.Update, "remove a set é = \"x\""},
		{expr.Condition, "a = \xff"},
	} {
		f.Add(uint8(seed.kind), seed.text)
	}
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		k := expr.Kind(kind % 5)
		tree, err := expr.Parse(k, text)
		if err != nil {
			e, ok := err.(*expr.SyntaxError)
			if !ok || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("Parse(%s, %q): %#v", k, text, err)
			}
			return
		}
		if len(tree.String()) > limits.ExpressionBytes {
			return // more space between tokens than in the text
		}
		checkFixpoint(t, tree)
	})
}
