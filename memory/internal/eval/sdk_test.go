package eval_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// What the SDK's own builder writes compiles and means what it says.
func TestSDKBuilder(t *testing.T) {
	t.Parallel()
	item := av.NewMap([]av.Attr{
		{Name: "pk", Value: av.String("p")}, {Name: "status", Value: av.String("OPEN")}, {Name: "n", Value: number(5)},
		{Name: "a.b", Value: number(1)}, {Name: "l", Value: list(number(1), number(2), number(3))},
		{Name: "m", Value: av.MapOf(av.NewMap([]av.Attr{{Name: "k", Value: number(2)}}))},
	})
	name, value := expression.Name, expression.Value
	conditions := []struct {
		name string
		c    expression.ConditionBuilder
		want bool
	}{
		{"and, or, not", name("status").Equal(value("OPEN")).And(name("n").LessThan(value(9)), expression.Not(name("n").Equal(value(1)))), true},
		{"nested or", name("n").Equal(value(1)).Or(name("n").Equal(value(5)).And(name("pk").NotEqual(value("q")))), true},
		{"between", name("n").Between(value(1), value(5)), true},
		{"in", name("n").In(value(1), value(2), value(6)), false},
		{"size", name("l").Size().Equal(value(3)), true},
		{"functions", name("pk").AttributeExists().And(name("gone").AttributeNotExists(), name("n").AttributeType(expression.Number)), true},
		{"begins with", name("status").BeginsWith("OP"), true},
		{"contains", name("status").Contains("PE"), true},
		{"nested path", name("m.k").Equal(value(2)).And(name("l[1]").Equal(value(2))), true},
		{"dot in a name", expression.NameNoDotSplit("a.b").Equal(value(1)), true},
	}
	for _, tt := range conditions {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			built, err := expression.NewBuilder().WithCondition(tt.c).Build()
			if err != nil {
				t.Fatal(err)
			}
			c := compile(t, eval.Request{Condition: built.Condition(), Names: built.Names(), Values: built.Values()})
			if got := c.Condition.Match(item); got != tt.want {
				t.Errorf("%s: got %t, want %t", *built.Condition(), got, tt.want)
			}
		})
	}
	t.Run("all at once", func(t *testing.T) {
		t.Parallel()
		built, err := expression.NewBuilder().
			WithUpdate(expression.Set(name("status"), value("DONE")).
				Set(name("n"), name("n").Plus(value(1))).
				Set(name("c"), expression.IfNotExists(name("c"), value(7))).
				Set(name("l"), expression.ListAppend(name("l"), value([]int{4}))).
				Remove(name("m.k")).
				Add(name("hits"), value(1))).
			WithFilter(name("n").GreaterThanEqual(value(5))).
			WithProjection(expression.NamesList(name("l[0]"), name("m.k"))).
			WithKeyCondition(expression.Key("pk").Equal(value("p")).And(expression.Key("sk").BeginsWith("x"))).
			Build()
		if err != nil {
			t.Fatal(err)
		}
		c := compile(t, eval.Request{
			Update: built.Update(), Filter: built.Filter(), Projection: built.Projection(), KeyCondition: built.KeyCondition(),
			Names: built.Names(), Values: built.Values(),
		})
		image, err := c.Update.Apply(item)
		if err != nil {
			t.Fatal(err)
		}
		want := "{a.b={N:1}, c={N:7}, hits={N:1}, l={L:[{N:1}, {N:2}, {N:3}, {N:4}]}, m={M:{}}, n={N:6}, pk={S:p}, status={S:DONE}}"
		if got := show(image); got != want {
			t.Errorf("Apply: got %s, want %s", got, want)
		}
		if !c.Filter.Match(item) {
			t.Error("Match = false")
		}
		if got, want := show(c.Projection.Apply(item)), "{l={L:[{N:1}]}, m={M:{k={N:2}}}}"; got != want {
			t.Errorf("projection: got %s, want %s", got, want)
		}
		r, err := c.KeyCondition.Plan([]eval.KeyAttribute{{Name: "pk", Kind: av.S}}, []eval.KeyAttribute{{Name: "sk", Kind: av.S}}, nothingElse)
		if err != nil || r.Low != "x" || r.High != "y" {
			t.Errorf("Plan: got %+v, %v", r, err)
		}
	})
}

func compile(t *testing.T, r eval.Request) eval.Compiled {
	t.Helper()
	c, err := eval.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
