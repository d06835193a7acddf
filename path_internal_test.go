package ddb

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPathsReadBack asserts that a path of any names and indexes, written down, is
// read as it was.
func TestPathsReadBack(t *testing.T) {
	t.Parallel()
	names := rapid.OneOf(rapid.StringN(1, 6, -1), rapid.SampledFrom([]string{"a", "a.b", "[0]", "x]", `"`, "`", "'", "", "-1", "名前", "a b"}))
	rapid.Check(t, func(t *rapid.T) {
		var want documentPath
		var text strings.Builder
		for i := range rapid.IntRange(1, maxNesting+1).Draw(t, "steps") {
			name := names.Draw(t, "name")
			if name == "" && i > 0 {
				n := rapid.IntRange(0, 1<<31-1).Draw(t, "index")
				text.WriteString("[" + strconv.Itoa(n) + "]")
				want = append(want, step{index: n})
				continue
			}
			if name == "" {
				name = "first"
			}
			if i > 0 {
				text.WriteString(".")
			}
			if plain := !strings.ContainsAny(name, ".[]\"`"); plain && rapid.Bool().Draw(t, "bare") {
				text.WriteString(name)
			} else {
				text.WriteString(strconv.Quote(name))
			}
			want = append(want, step{name: strings.ToValidUTF8(name, "\uFFFD")})
		}
		got, err := parsePath(text.String())
		if err != nil {
			t.Fatalf("%s: %v", text.String(), err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(step{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text.String(), diff)
		}
	})
}

// TestNamesKeepTheirBrackets asserts that what stands in for brackets on the way
// through package expression goes again, and that it can be told from all names
// with brackets.
func TestNamesKeepTheirBrackets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		attr := rapid.StringOfN(rapid.RuneFrom([]rune("[]a0.$#:名")), 1, 8, -1).Draw(t, "attribute")
		x, err := raw(nameOf(attr).AttributeExists()).build()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"#0": attr}, x.Names()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got, want := *x.Condition(), "attribute_exists (#0)"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
