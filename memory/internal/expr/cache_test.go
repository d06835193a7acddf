package expr_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed530093c6/ddb/memory/internal/expr"
)

func parse(t *testing.T, c *expr.Cache, k expr.Kind, text string) *expr.Tree {
	t.Helper()
	tree, err := c.Parse(k, text)
	if err != nil {
		t.Fatalf("Parse(%s, %q): %v", k, text, err)
	}
	return tree
}

func TestCacheSharesTrees(t *testing.T) {
	t.Parallel()
	var c expr.Cache
	first := parse(t, &c, expr.Condition, "a = :v")
	if got := parse(t, &c, expr.Condition, "a = :v"); got != first {
		t.Error("the same text was parsed twice")
	}
	filter := parse(t, &c, expr.Filter, "a = :v")
	if filter == first || filter.Kind != expr.Filter {
		t.Error("a filter got the tree of a condition")
	}
	if _, err := c.Parse(expr.Condition, "a ="); err == nil {
		t.Error("Parse accepts a fault")
	}
}

func TestNilCacheParses(t *testing.T) {
	t.Parallel()
	var c *expr.Cache
	if a, b := parse(t, c, expr.Projection, "a"), parse(t, c, expr.Projection, "a"); a == b {
		t.Error("a nil cache remembers")
	}
}

// A tree in use outlives any number of others; one that is not is forgotten.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	var c expr.Cache
	used := parse(t, &c, expr.Projection, "used")
	idle := parse(t, &c, expr.Projection, "idle")
	for i := range 2 * expr.CacheGeneration {
		parse(t, &c, expr.Projection, fmt.Sprintf("a%d", i))
		if got := parse(t, &c, expr.Projection, "used"); got != used {
			t.Fatalf("a tree in use was forgotten after %d others", i+1)
		}
	}
	if got := parse(t, &c, expr.Projection, "idle"); got == idle {
		t.Errorf("an idle tree was kept beyond %d others", 2*expr.CacheGeneration)
	}
}

func TestCacheKeepsNoLongTexts(t *testing.T) {
	t.Parallel()
	var c expr.Cache
	for _, tt := range []struct {
		size int
		kept bool
	}{{expr.CacheTextBytes, true}, {expr.CacheTextBytes + 1, false}} {
		text := strings.Repeat("x", tt.size)
		first := parse(t, &c, expr.Projection, text)
		if got := parse(t, &c, expr.Projection, text) == first; got != tt.kept {
			t.Errorf("a text of %d bytes is kept: got %t, want %t", tt.size, got, tt.kept)
		}
	}
}

func TestCacheIsConcurrent(t *testing.T) {
	t.Parallel()
	var c expr.Cache
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 1000 {
				text := fmt.Sprintf("a%d", (i*(g+1))%700)
				tree, err := c.Parse(expr.Projection, text)
				if err != nil || tree.String() != text {
					t.Errorf("Parse(%q): got %v, %v", text, tree, err)
				}
			}
		})
	}
	wg.Wait()
}
