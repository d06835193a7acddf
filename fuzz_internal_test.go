package ddb

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// FuzzKeyTemplate compiles any template. What compiles without a fault makes
// keys of values that fit, and reads them back.
func FuzzKeyTemplate(f *testing.F) {
	for _, source := range []string{everyFormat, "USER#{A}", "{A}{B}", "{", "}", "{A:lower}", "{N:desc:0}", "X#{shard:10}#{A}", "{shard:3,by=A+N}", "{shard:20,also=10}#{A}", "{shard:3,also=8+5,by=N}#{B}", "{At:2006}#", "{N:099999}", "{At:desc}", "{At:desc:2006-01-02}#{At}", "{At:Jan _2}"} {
		f.Add(source, "a", 7)
	}
	f.Fuzz(func(t *testing.T, source, text string, n int) {
		plan := newStructPlan(reflect.TypeFor[keyed](), func(tag, problem string) { t.Fatal(tag, problem) })
		for _, sorted := range []bool{false, true} {
			faults := 0
			tmpl := compileTemplate(source, plan, '#', sorted, func(string) { faults++ })
			tmpl.shape()
			tmpl.literalPrefix()
			if faults > 0 {
				continue
			}
			in := keyed{A: text, B: text, N: n, Neg: n, Down: n, At: time.Unix(int64(n%1_000_000), 5).UTC(), Late: time.Unix(5, 0)}
			key, partErr := tmpl.render(valuesOf(reflect.ValueOf(in)), -1)
			if partErr != nil {
				continue
			}
			if strings.Contains(source, "{At:") || strings.Contains(source, "{Late:") || strings.Contains(source, ":lower}") || strings.Contains(source, ":upper}") {
				continue // such formats keep part of the value, and nothing else in the key may tell the rest
			}
			var out keyed
			if err := tmpl.parse(key, reflect.ValueOf(&out).Elem()); err != nil {
				t.Fatalf("%q: %q does not read back: %v", source, key, err)
			}
			again, partErr := tmpl.render(valuesOf(reflect.ValueOf(out)), 0)
			if first, err := tmpl.render(valuesOf(reflect.ValueOf(in)), 0); partErr != nil || err != nil || again != first {
				t.Fatalf("%q: %q read back makes %q and %v", source, first, again, partErr)
			}
		}
	})
}

// FuzzShardSpec reads any text as what {shard:…} says. What is accepted names
// numbers of shards that differ and are in bounds, and finds each item where any of
// them puts it, in keys that differ.
func FuzzShardSpec(f *testing.F) {
	for _, spec := range []string{"10", "20,also=10", "10,also=20", "20,also=10+5", "3,by=A+N,also=7", "7,also=3,by=B", "5,random=B,also=3+8", "1000,also=999",
		"2,also=", "2,also=2", "4,also=3+3", "4,also=03", "5,by=A,random=B", "5,also=3,also=6", "5,,also=3", "1"} {
		f.Add(spec, "a", 7)
	}
	f.Fuzz(func(t *testing.T, text, a string, n int) {
		plan := newStructPlan(reflect.TypeFor[keyed](), func(tag, problem string) { t.Fatal(tag, problem) })
		spec, err := newShardSpec(text, plan)
		if err != nil {
			return
		}
		counts := append([]int{spec.n}, spec.also...)
		for i, count := range counts {
			if count < 2 || count > maxShards || count > spec.most() || slices.Contains(counts[:i], count) {
				t.Fatalf("%q: counts of shards %v, at most %d", text, counts, spec.most())
			}
		}
		if spec.chosen != nil {
			last := strconv.Itoa(spec.most() - 1)
			if got, err := spec.drawn(last); err != nil || strconv.Itoa(got) != last {
				t.Fatalf("%q: shard %s drawn is %d, %v", text, last, got, err)
			}
			return
		}
		values := valuesOf(reflect.ValueOf(keyed{A: a, B: a, N: n}))
		own, partErr := spec.pick(values)
		if partErr != nil || own < 0 || own >= spec.n {
			t.Fatalf("%q: item in shard %d of %d, %v", text, own, spec.n, partErr)
		}
		found := spec.candidates(values)
		found[0] = own
		for _, count := range spec.also {
			if shard := spec.hashed(values, count); !slices.Contains(found, shard) {
				t.Fatalf("%q: looks in shards %v, not in %d of %d", text, found, shard, count)
			}
		}
		tmpl := compileTemplate("X#{shard:"+text+"}", plan, '#', false, func(problem string) { t.Fatalf("%q: %s", text, problem) })
		var keys []string
		for _, shard := range found {
			key, partErr := tmpl.render(values, shard)
			if partErr != nil || slices.Contains(keys, key) {
				t.Fatalf("%q: key %q of shard %d, beside %q, %v", text, key, shard, keys, partErr)
			}
			keys = append(keys, key)
		}
		if key, partErr := tmpl.render(values, -1); partErr != nil || key != keys[0] {
			t.Fatalf("%q: own key %q, want %q, %v", text, key, keys[0], partErr)
		}
	})
}

// FuzzCursor opens any text as a cursor: it is refused, or it is one that the
// query made.
func FuzzCursor(f *testing.F) {
	table := NewTable("Test", nil)
	spec := &keySpec{pk: []*keyColumn{{attr: "PK", kind: types.ScalarAttributeTypeS}}, sk: []*keyColumn{{attr: "SK", kind: types.ScalarAttributeTypeS}}}
	in := queryInput(table, spec, []types.AttributeValue{text("A")}, sortCondition{})
	run := func() *reading {
		r := &reading{shape: func() shape { return shapeOf(in) }, keys: []*keySpec{spec}}
		r.over(nil, nil)
		r.sources[1].from = item{"PK": text("A"), "SK": text("B")}
		return r
	}
	seal := table.sealer(run())
	good, err := seal.close(run())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good + "\n")
	f.Add("")
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, cursor string) {
		r := run()
		err := seal.open(cursor, r)
		switch {
		case err == nil && cursor != "":
			if again, err := seal.close(r); err != nil || again != cursor {
				t.Fatalf("%q opened, but is not what the query makes: %q, %v", cursor, again, err)
			}
		case err != nil && !errors.Is(err, ErrCursor):
			t.Fatalf("got %v, want ErrCursor", err)
		}
	})
}
