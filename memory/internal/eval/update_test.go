package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// fixture is an item with every kind of value, and the values that updates of
// it use.
func fixture(t *testing.T) (av.Map, valueM) {
	t.Helper()
	return item(t, `{"pk":{"S":"k"},"s":{"S":"x"},"n":{"N":"7"},"b":{"B":"AA=="},"t":{"BOOL":true},"z":{"NULL":true},
			"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"l":{"L":[{"N":"1"},{"L":[{"S":"in"}]},{"M":{"k":{"N":"2"}}}]},
			"m":{"M":{"k":{"N":"3"},"l":{"L":[{"S":"p"},{"S":"q"}]},"m":{"M":{"k":{"SS":["c"]}}}}}}`),
		values(t, `{":s":{"S":"new"},":n":{"N":"1.5"},":ss":{"SS":["b","c"]},":ns":{"NS":["2"]},":l":{"L":[{"S":"e"}]},":m":{"M":{"k":{"N":"9"}}}}`)
}

// checkApply applies an update to the fixture and requires that the old image
// stays as it is, that the new one is canonical, and that it does not matter
// whether the update is compiled from its text or from the printed tree.
func checkApply(t fataler, old av.Map, values valueM, text string) {
	t.Helper()
	before := show(old)
	image, err := applyText(t, old, values, text)
	if got := show(old); got != before {
		t.Fatalf("%s changed the old image:\n got %s\nwant %s", text, got, before)
	}
	tree, parseErr := expr.Parse(expr.Update, text)
	if parseErr != nil || len(tree.String()) > limits.ExpressionBytes {
		return
	}
	again, againErr := applyText(t, old, values, tree.String())
	if fmt.Sprint(err) != fmt.Sprint(againErr) || show(image) != show(again) {
		t.Fatalf("%s\n got %s, %v\nbut printed as %s\n got %s, %v", text, show(image), err, tree, show(again), againErr)
	}
	if err != nil {
		return
	}
	canonical, convErr := av.MapFromSDK(image.SDK())
	if convErr != nil || show(canonical) != show(image) {
		t.Fatalf("%s: image %s is not canonical: %v", text, show(image), convErr)
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func applyText(t fataler, old av.Map, values valueM, text string) (av.Map, error) {
	t.Helper()
	r := eval.Request{Update: &text}
	for _, key := range placeholder.FindAllString(text, -1) {
		if v, ok := values[key]; ok {
			put(&r.Values, key, v)
		}
	}
	c, err := eval.Compile(r)
	if err == nil {
		var image av.Map
		if image, err = c.Update.Apply(old); err == nil {
			return image, nil
		}
	}
	if _, ok := err.(*eval.Error); !ok {
		t.Fatalf("%s fails with a %T", text, err)
	}
	return nil, err
}

func TestApplyLeavesTheOldImage(t *testing.T) {
	t.Parallel()
	old, values := fixture(t)
	applied := 0
	rapid.Check(t, func(t *rapid.T) {
		text := genUpdate(t)
		checkApply(t, old, values, text)
		if _, err := applyText(t, old, values, text); err == nil {
			applied++
		}
	})
	if applied == 0 {
		t.Error("no drawn update fits the item")
	}
}

// genUpdate draws an update that mostly fits the fixture.
func genUpdate(t *rapid.T) string {
	path := rapid.SampledFrom([]string{
		"s", "n", "ss", "ns", "l", "m", "c", "d", "l[0]", "l[1]", "l[1][0]", "l[2].k", "l[3]", "l[7]", "m.k", "m.c",
		"m.l[0]", "m.l[1]", "m.l[5]", "m.m.k", "m.m", "s.x", "gone.x",
	})
	value := rapid.SampledFrom([]string{
		":s", ":n", ":l", ":m", ":ss", "s", "m.m", "l[1]", "n + :n", "m.k - n", "if_not_exists(c, :s)",
		"if_not_exists(n, :n) + :n", "list_append(l, :l)", "list_append(:l, m.l)", "list_append(if_not_exists(c, :l), l)",
	})
	var sections []string
	section := func(verb string, action func() string) {
		n := rapid.IntRange(0, 3).Draw(t, verb)
		actions := make([]string, n)
		for i := range actions {
			actions[i] = action()
		}
		if n > 0 {
			sections = append(sections, verb+" "+strings.Join(actions, ", "))
		}
	}
	section("SET", func() string { return path.Draw(t, "path") + " = " + value.Draw(t, "value") })
	section("REMOVE", func() string { return path.Draw(t, "path") })
	member := rapid.SampledFrom([]string{"n :n", "c :n", "d :ss", "m.k :n", "ss :ss", "ns :ns", "m.m.k :ss"})
	section("ADD", func() string { return member.Draw(t, "member") })
	members := rapid.SampledFrom([]string{"ss :ss", "ns :ns", "c :ss", "m.m.k :ss"})
	section("DELETE", func() string { return members.Draw(t, "members") })
	if sections == nil {
		return "REMOVE c"
	}
	return strings.Join(sections, " ")
}

// SET and REMOVE on elements of a list do what a slice and loops do: replace at
// old positions, take away, then append in order.
func TestListsAgainstSlices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "length")
		elems := make([]av.Value, n)
		for i := range elems {
			elems[i] = number(i)
		}
		kept := append([]av.Value(nil), elems...)
		var appended []av.Value
		var actions []eval.Action
		for i := range 10 {
			p := eval.Path{{Name: "l", Index: -1}, {Index: i}}
			switch rapid.IntRange(0, 2).Draw(t, "action") {
			case 0:
				actions = append(actions, eval.Set(p, eval.Constant(number(100+i))))
				if i < n {
					kept[i] = number(100 + i)
				} else {
					appended = append(appended, number(100+i))
				}
			case 1:
				actions = append(actions, eval.Remove(p))
				if i < n {
					kept[i] = av.Value{}
				}
			}
		}
		want := []av.Value{}
		for _, v := range append(kept, appended...) {
			if v.Exists() {
				want = append(want, v)
			}
		}
		order := rapid.Permutation(actions).Draw(t, "order")
		image, err := eval.NewUpdate(order...).Apply(av.Map{{Name: "l", Value: av.List(elems)}})
		if err != nil && len(actions) > 0 {
			t.Fatalf("Apply: %v", err)
		}
		if got := image.Get("l"); !av.Equal(got, av.List(want)) {
			t.Fatalf("list: got %s, want %s", got.Print(), av.List(want).Print())
		}
	})
}

// FuzzUpdate: no text makes Compile or Apply panic; an error is *eval.Error; the
// old image stays, the new one is canonical, and the printed form of the update
// does the same.
func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		"SET s = :s, n = n + :n REMOVE l[0], m.l[1] ADD ss :ss DELETE ns :ns",
		"SET l[9] = :s, l[1][0] = m, m.c = list_append(if_not_exists(gone, :l), l)",
		"SET a = ((b.c) - (n))",
		"REMOVE l[2].k, m.m.k, gone.x",
		"ADD m.m.k :ss, l[0] :n",
		"set m.k=if_not_exists(m.x,if_not_exists(m.k,:n))-:n delete ss :ss",
		"SET c = :x REMOVE c.d, c[1]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		old, values := fixture(t)
		checkApply(t, old, values, text)
	})
}
