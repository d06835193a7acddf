package eval_test

import (
	"testing"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// order is an item of ordinary size.
func order() av.Map {
	return av.NewMap([]av.Attr{
		{Name: "pk", Value: av.String("USER#12345")}, {Name: "sk", Value: av.String("ORDER#2024-05-01")},
		{Name: "state1", Value: av.String("PENDING")}, {Name: "amount", Value: number(125)},
		{Name: "visits", Value: number(7)}, {Name: "note", Value: av.String("leave at the door")},
		{Name: "goods", Value: list(number(1), number(2), number(3))},
		{Name: "address", Value: av.MapOf(av.NewMap([]av.Attr{
			{Name: "city", Value: av.String("Bern")}, {Name: "street", Value: av.String("Marktgasse")},
		}))},
		{Name: "version", Value: number(3)}, {Name: "createdAt", Value: av.String("2024-05-01T00:00:00Z")},
	})
}

var requests = []struct {
	name string
	r    eval.Request
}{
	{"equality", eval.Request{
		Condition: ptr("#s = :s"), Names: names{"#s": "state1"}, Values: valueM{":s": str("PENDING")},
	}},
	{"existence", eval.Request{Condition: ptr("attribute_exists(pk) AND attribute_not_exists(gone)")}},
	{"several", eval.Request{
		Condition: ptr("attribute_exists(pk) AND #v = :v AND (amount BETWEEN :low AND :high OR NOT address.city IN (:a, :b))"),
		Names:     names{"#v": "version"},
		Values:    valueM{":v": num("3"), ":low": num("100"), ":high": num("1000"), ":a": str("Basel"), ":b": str("Chur")},
	}},
	{"functions", eval.Request{
		Condition: ptr("begins_with(sk, :p) AND contains(note, :w) AND size(goods) < :n AND attribute_type(goods, :t)"),
		Values:    valueM{":p": str("ORDER#"), ":w": str("door"), ":n": num("10"), ":t": str("L")},
	}},
}

func TestMatchDoesNotAllocate(t *testing.T) {
	o := order()
	for _, tt := range requests {
		c, err := eval.Compile(tt.r)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Condition.Match(o) {
			t.Errorf("%s: Match = false", tt.name)
		}
		if got := testing.AllocsPerRun(100, func() { c.Condition.Match(o) }); got != 0 {
			t.Errorf("%s: got %v allocations, want none", tt.name, got)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, bb := range requests {
		b.Run(bb.name, func(b *testing.B) {
			var compiler eval.Compiler
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compiler.Compile(bb.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	o := order()
	for _, bb := range requests {
		b.Run(bb.name, func(b *testing.B) {
			c, err := eval.Compile(bb.r)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				c.Condition.Match(o)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	o := order()
	values := valueM{":s": str("SHIPPED"), ":one": num("1"), ":zero": num("0")}
	for _, bb := range []struct{ name, text string }{
		{"set", "SET state1 = :s"},
		{"counter", "SET visits = if_not_exists(visits, :zero) + :one"},
		{"nested", "SET address.city = :s, goods[1] = :one REMOVE note"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := eval.Request{Update: &bb.text}
			for _, key := range placeholder.FindAllString(bb.text, -1) {
				put(&r.Values, key, values[key])
			}
			c, err := eval.Compile(r)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Update.Apply(o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
