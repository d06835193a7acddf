package expr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

func TestSyntaxErrorTellsWhere(t *testing.T) {
	t.Parallel()
	_, got := expr.Parse(expr.Update, "SET _123 = :v")
	want := &expr.SyntaxError{
		Kind: expr.Update, Expression: "SET _123 = :v", Offset: 4,
		Message: `Syntax error; token: "_", near: "SET _123"`,
	}
	if diff := cmp.Diff(got, error(want)); diff != "" {
		t.Errorf("Parse error (-got +want):\n%s", diff)
	}
	if got, want := got.Error(), `Invalid UpdateExpression: Syntax error; token: "_", near: "SET _123"`; got != want {
		t.Errorf("Error: got %q, want %q", got, want)
	}
}

func TestKindIsNamedInErrors(t *testing.T) {
	t.Parallel()
	for kind, want := range map[expr.Kind]string{
		expr.Update:       "Invalid UpdateExpression: The expression can not be empty;",
		expr.Condition:    "Invalid ConditionExpression: The expression can not be empty;",
		expr.KeyCondition: "Invalid KeyConditionExpression: The expression can not be empty;",
		expr.Filter:       "Invalid FilterExpression: The expression can not be empty;",
		expr.Projection:   "Invalid ProjectionExpression: The expression can not be empty;",
	} {
		if _, err := expr.Parse(kind, ""); err == nil || err.Error() != want {
			t.Errorf("Parse of an empty %s: got %v, want %s", kind, err, want)
		}
	}
}

// The size is that of the text as sent, and it is checked before the syntax.
func TestSizeLimit(t *testing.T) {
	t.Parallel()
	const limit = limits.ExpressionBytes
	pad := func(text string, size int) string { return text + strings.Repeat(" ", size-len(text)) }
	tests := []struct {
		name, text string
		kind       expr.Kind
		want       string
	}{
		{"condition at the limit", pad("a = :v", limit), expr.Condition, ""},
		{
			"condition above", pad("a = :v", limit+1), expr.Condition,
			"Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097",
		},
		{
			"size before syntax", pad("a =", limit+1), expr.Filter,
			"Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 4097",
		},
		{
			"bytes, not characters", strings.Repeat("é", limit/2+1), expr.Projection,
			"Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size; expression size: 4098",
		},
		{"update at the limit", pad("REMOVE a", limit), expr.Update, ""},
		{
			"update above", pad("REMOVE a", limit+1), expr.Update,
			"Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := expr.Parse(tt.kind, tt.text)
			if got := text(err); got != tt.want {
				t.Errorf("Parse: got %q, want %q", got, tt.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Comparators, BETWEEN, IN, AND, OR and NOT count; functions, parentheses and
// the AND inside BETWEEN do not.
func TestOperatorLimit(t *testing.T) {
	t.Parallel()
	repeat := func(first, rest string, n int) string { return first + strings.Repeat(rest, n) }
	tests := []struct {
		name, text string
		want       string
	}{
		{"300 of NOT and one comparison", repeat("", "NOT ", 299) + "a=:v", ""},
		{"301 of NOT and one comparison", repeat("", "NOT ", 300) + "a=:v", "operator count: 301"},
		{"comparisons joined by AND", repeat("a=:v", " AND a<:v", 149), ""},
		{"comparisons joined by AND, too many", repeat("a=:v", " AND a<:v", 150), "operator count: 301"},
		{"BETWEEN and OR", repeat("a BETWEEN b AND c", " OR a BETWEEN b AND c", 149), ""},
		{"BETWEEN and OR, too many", repeat("a BETWEEN b AND c", " OR a BETWEEN b AND c", 150), "operator count: 301"},
		{"IN and AND, too many", repeat("a IN (b)", " AND a IN (b)", 200), "operator count: 401"},
		{"functions are free", repeat("(contains(a,b))", " AND contains(a,b)", 200), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := tt.want
			if want != "" {
				want = "Invalid ConditionExpression: The expression contains too many operators; " + want
			}
			_, err := expr.Parse(expr.Condition, tt.text)
			if got := text(err); got != want {
				t.Errorf("Parse: got %q, want %q", got, want)
			}
		})
	}
}

// The deepest texts that the size limit allows neither exhaust the stack nor
// take long.
func TestHostileNesting(t *testing.T) {
	t.Parallel()
	const limit = limits.ExpressionBytes
	fill := func(open, middle, end string) string {
		n := (limit - len(middle)) / (len(open) + len(end))
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	tests := []struct {
		name, text string
		kind       expr.Kind
	}{
		{"parentheses around a condition", fill("(", "a=:v", ")"), expr.Condition},
		{"parentheses that stay open", strings.Repeat("(", limit), expr.Condition},
		{"parentheses around an operand", "a = " + strings.Repeat("(", limit-4), expr.Filter},
		{"negations", fill("NOT ", "a=:v", ""), expr.Condition},
		{"negations and parentheses", fill("NOT(", "a=:v", ")"), expr.Condition},
		{"sizes", fill("size(", "a", ")"), expr.Condition},
		{"defaults", "SET a=" + strings.Repeat("if_not_exists(a,", 250), expr.Update},
		{"sums", "SET a=" + strings.Repeat("(", limit-6), expr.Update},
		{"path", fill("a.", "a", ""), expr.Projection},
		{"indexes", "a" + strings.Repeat("[0]", limit/3-1), expr.Projection},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := expr.Parse(tt.kind, tt.text); err == nil {
				t.Error("Parse accepts it")
			}
		})
	}
}

func TestReserved(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"ABORT", "zone", "Name", "status", "ttl", "identity", "localtimestamp", "sqlwarning"} {
		if !expr.Reserved(w) {
			t.Errorf("Reserved(%q) = false", w)
		}
	}
	for _, w := range []string{"", "id", "pk", "sk", "email", "price", "metadata", "names1", "localtimestamps", "zon"} {
		if expr.Reserved(w) {
			t.Errorf("Reserved(%q) = true", w)
		}
	}
}

func TestIsPlaceholder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key    string
		marker byte
		want   bool
	}{
		{"#a", '#', true}, {":a", ':', true}, {"#1", '#', true}, {"#_", '#', true}, {"#aZ09_", '#', true},
		{"a", '#', false}, {"#", '#', false}, {"", '#', false}, {":a", '#', false}, {"#a.b", '#', false},
		{"#a-b", '#', false}, {"#é", '#', false}, {"##a", '#', false}, {"#a ", '#', false},
	}
	for _, tt := range tests {
		if got := expr.IsPlaceholder(tt.key, tt.marker); got != tt.want {
			t.Errorf("IsPlaceholder(%q, %q): got %t, want %t", tt.key, tt.marker, got, tt.want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	texts := []struct {
		name string
		kind expr.Kind
		text string
	}{
		{"condition", expr.Condition, "attribute_exists(pk) AND #s = :open AND amount BETWEEN :low AND :high"},
		{"update", expr.Update, "SET #s = :s, visits = if_not_exists(visits, :zero) + :one REMOVE draft ADD tags :t"},
		{"key", expr.KeyCondition, "#pk = :pk AND begins_with(#sk, :sk)"},
	}
	for _, e := range texts {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expr.Parse(e.kind, e.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(e.name+"/cached", func(b *testing.B) {
			var c expr.Cache
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Parse(e.kind, e.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
