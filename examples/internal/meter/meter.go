package meter

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// Meter gathers the calls of one step of a program. It is safe for concurrent use.
type Meter struct {
	mu    sync.Mutex // guards calls
	calls []ddb.Call
}

// Observe notes a call, for ddb.Observe.
func (m *Meter) Observe(_ context.Context, c ddb.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, c)
}

// Reset forgets the calls so far.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = nil
}

// Step shows a title, what f writes beneath it, and what the calls of f cost
// together.
func (m *Meter) Step(w io.Writer, title string, f func(Rows) error) error {
	m.Reset()
	fmt.Fprintf(w, "\n%s\n", title)
	if err := f(Rows{w}); err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.printTotal(w)
	return nil
}

// Print shows the requests that differ, in the order of the first of each, and what
// all of them cost together.
func (m *Meter) Print(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	shown := make(map[string]bool)
	for _, c := range m.calls {
		if line := describe(c); !shown[line] {
			shown[line] = true
			fmt.Fprintln(w, "   "+line)
		}
	}
	m.printTotal(w)
}

func (m *Meter) printTotal(w io.Writer) {
	examined, units := 0, 0.0
	for _, c := range m.calls {
		examined += c.Examined
		units += c.Capacity
	}
	fmt.Fprintf(w, "   = %s, %s examined, %.1f units\n", plural(len(m.calls), "request"), plural(examined, "item"), units)
}

// Rows shows the rows of an answer.
type Rows struct{ w io.Writer }

// To returns what shows rows on w.
func To(w io.Writer) Rows { return Rows{w} }

// Print shows a row.
func (r Rows) Print(format string, args ...any) { fmt.Fprintf(r.w, "   | "+format+"\n", args...) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// describe says which operation went where, with the key or key condition.
func describe(c ddb.Call) string {
	where := c.Table
	if c.Index != "" {
		where += "." + c.Index
	}
	return c.Op + " " + where + ": " + target(c.Input)
}

func target(input any) string {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return key(in.Key)
	case *dynamodb.UpdateItemInput:
		return key(in.Key)
	case *dynamodb.DeleteItemInput:
		return key(in.Key)
	case *dynamodb.PutItemInput:
		return key(in.Item)
	case *dynamodb.QueryInput:
		return condition(in)
	case *dynamodb.TransactWriteItemsInput:
		parts := make([]string, len(in.TransactItems))
		for i, t := range in.TransactItems {
			parts[i] = action(t)
		}
		return strings.Join(parts, "; ")
	}
	return ""
}

func action(t types.TransactWriteItem) string {
	switch {
	case t.Put != nil:
		return "Put " + key(t.Put.Item)
	case t.Update != nil:
		return "Update " + key(t.Update.Key)
	case t.Delete != nil:
		return "Delete " + key(t.Delete.Key)
	}
	return "Check " + key(t.ConditionCheck.Key)
}

func key(k map[string]types.AttributeValue) string {
	return "PK = " + plain(k["PK"]) + ", SK = " + plain(k["SK"])
}

// condition writes the key condition with its placeholders filled in.
func condition(in *dynamodb.QueryInput) string {
	var pairs []string
	for name, attr := range in.ExpressionAttributeNames {
		pairs = append(pairs, name, attr)
	}
	for name, v := range in.ExpressionAttributeValues {
		pairs = append(pairs, name, plain(v))
	}
	text := strings.NewReplacer(longestFirst(pairs)...)
	out := text.Replace(aws.ToString(in.KeyConditionExpression))
	if in.FilterExpression != nil {
		out += ", filter " + text.Replace(*in.FilterExpression)
	}
	if in.ScanIndexForward != nil && !*in.ScanIndexForward {
		out += ", descending"
	}
	if in.Limit != nil {
		out += fmt.Sprintf(", limit %d", *in.Limit)
	}
	if in.Select == types.SelectCount {
		out += ", count only"
	}
	return out
}

// longestFirst sorts placeholder pairs so that #1 is not found inside #10.
func longestFirst(pairs []string) []string {
	order := make([]int, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		order = append(order, i)
	}
	sort.Slice(order, func(a, b int) bool {
		x, y := pairs[order[a]], pairs[order[b]]
		return len(x) > len(y) || len(x) == len(y) && x < y
	})
	out := make([]string, 0, len(pairs))
	for _, i := range order {
		out = append(out, pairs[i], pairs[i+1])
	}
	return out
}

func plain(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return strings.ReplaceAll(v.Value, "\U0010FFFF", "\\U0010FFFF")
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return "?"
}
