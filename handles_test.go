package ddb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// Cart has every kind of attribute that a handle can lead into.
type Cart struct {
	_ ddb.Entity `name:"Cart" pk:"CART#{ID}" sk:"CART"`
	_ ddb.Index  `name:"GSI1" pk:"SHOP#{Shop}" sk:"{Rank:03}"`

	ID      string
	Shop    string `dynamodbav:",omitempty"`
	Rank    int
	Lines   []CartLine
	Prices  map[string]int
	Days    map[int]*CartLine
	Labels  []string            `dynamodbav:",stringset"`
	Codes   map[int]struct{}    `dynamodbav:",numberset"`
	Blobs   [][]byte            `dynamodbav:",binaryset"`
	Groups  map[string][]string `dynamodbav:",omitempty"`
	Total   int
	Limit   int
	Blob    []byte
	At      time.Time `dynamodbav:",omitempty"`
	Extra   any       `dynamodbav:",omitempty"`
	Odd     int       `dynamodbav:"odd.name[0]"`
	Home    Address   `dynamodbav:"home"`
	Partner *Cart     `dynamodbav:",omitempty"`
}

type CartLine struct {
	SKU string
	Qty int
	Tag []string `dynamodbav:",stringset,omitempty"`
}

type carts struct {
	def    *ddb.Definition[Cart]
	lines  ddb.Attribute[Cart, []CartLine]
	prices ddb.Attribute[Cart, map[string]int]
	days   ddb.Attribute[Cart, map[int]*CartLine]
	labels ddb.Attribute[Cart, []string]
	codes  ddb.Attribute[Cart, map[int]struct{}]
	blobs  ddb.Attribute[Cart, [][]byte]
	groups ddb.Attribute[Cart, map[string][]string]
	total  ddb.Attribute[Cart, int]
	limit  ddb.Attribute[Cart, int]
	odd    ddb.Attribute[Cart, int]
	home   ddb.Attribute[Cart, Address]
	city   ddb.Attribute[Cart, string]
	shop   ddb.Attribute[Cart, string]
	rank   ddb.Attribute[Cart, int]
	key    Cart
}

func cartsIn(table *ddb.Table) carts {
	d := ddb.Define[Cart](table)
	return carts{
		def:    d,
		lines:  ddb.Field(d, func(c *Cart) *[]CartLine { return &c.Lines }),
		prices: ddb.Field(d, func(c *Cart) *map[string]int { return &c.Prices }),
		days:   ddb.Field(d, func(c *Cart) *map[int]*CartLine { return &c.Days }),
		labels: ddb.Field(d, func(c *Cart) *[]string { return &c.Labels }),
		codes:  ddb.Field(d, func(c *Cart) *map[int]struct{} { return &c.Codes }),
		blobs:  ddb.Field(d, func(c *Cart) *[][]byte { return &c.Blobs }),
		groups: ddb.Field(d, func(c *Cart) *map[string][]string { return &c.Groups }),
		total:  ddb.Field(d, func(c *Cart) *int { return &c.Total }),
		limit:  ddb.Field(d, func(c *Cart) *int { return &c.Limit }),
		odd:    ddb.Field(d, func(c *Cart) *int { return &c.Odd }),
		home:   ddb.Field(d, func(c *Cart) *Address { return &c.Home }),
		city:   ddb.Field(d, func(c *Cart) *string { return &c.Home.City }),
		shop:   ddb.Field(d, func(c *Cart) *string { return &c.Shop }),
		rank:   ddb.Field(d, func(c *Cart) *int { return &c.Rank }),
		key:    Cart{ID: "c"},
	}
}

func qty(l *CartLine) *int { return &l.Qty }

// openCarts stores one cart.
func openCarts(t *testing.T) carts {
	t.Helper()
	s, _ := open(t)
	c := cartsIn(s.table)
	if err := s.table.Err(); err != nil {
		t.Fatal(err)
	}
	put(t, c.def, Cart{
		ID: "c", Shop: "s", Rank: 1, Total: 5, Limit: 7, Odd: 1, Blob: []byte("abc"), Home: Address{City: "Köln"},
		Lines:  []CartLine{{SKU: "a", Qty: 1}, {SKU: "b", Qty: 2, Tag: []string{"new"}}, {SKU: "c", Qty: 3}},
		Prices: map[string]int{"gold": 10, "a.b": 20, "a b": 30, "[1]": 40},
		Days:   map[int]*CartLine{-1: {SKU: "d", Qty: 4}},
		Labels: []string{"x", "y"}, Codes: map[int]struct{}{1: {}, 2: {}}, Blobs: [][]byte{{1}, {2}},
		Groups: map[string][]string{"g": {"m"}},
		Extra:  map[string]any{"deep": []any{"e"}},
	})
	return c
}

// TestHandlesLeadInside asserts that handles of elements, entries and what is in
// them read and change that place and no other.
func TestHandlesLeadInside(t *testing.T) {
	t.Parallel()
	c := openCarts(t)
	want, err := c.def.Get(c.key).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	day := ddb.FieldOf(ddb.Entry(c.days, -1), func(l **CartLine) *int { return &(*l).Qty })
	tag := ddb.FieldOf(ddb.Element(c.lines, 1), func(l *CartLine) *[]string { return &l.Tag })
	for _, step := range []struct {
		name   string
		set    []ddb.Assign[Cart]
		cond   ddb.Cond[Cart]
		effect func(*Cart)
	}{
		{"field of an element", set(ddb.FieldOf(ddb.Element(c.lines, 1), qty).To(20)), ddb.FieldOf(ddb.Element(c.lines, 1), qty).Eq(2),
			func(w *Cart) { w.Lines[1].Qty = 20 }},
		{"addition to a field of an element", set(ddb.FieldOf(ddb.Element(c.lines, 2), qty).Add(-1)), ddb.FieldOf(ddb.Element(c.lines, 2), qty).Gt(2),
			func(w *Cart) { w.Lines[2].Qty = 2 }},
		{"element", set(ddb.Element(c.lines, 0).To(CartLine{SKU: "z"})), ddb.Element(c.lines, 0).Eq(CartLine{SKU: "a", Qty: 1}),
			func(w *Cart) { w.Lines[0] = CartLine{SKU: "z"} }},
		{"element behind the end", set(ddb.Element(c.lines, 9).To(CartLine{SKU: "last"})), ddb.Element(c.lines, 3).NotExists(),
			func(w *Cart) { w.Lines = append(w.Lines, CartLine{SKU: "last"}) }},
		{"set in an element", set(tag.Add([]string{"hot"})), tag.Contains("new"), func(w *Cart) { w.Lines[1].Tag = []string{"hot", "new"} }},
		{"element removed", set(ddb.Element(c.lines, 0).Remove()), c.lines.Size().Eq(4), func(w *Cart) { w.Lines = w.Lines[1:] }},
		{"entry", set(ddb.Entry(c.prices, "gold").Add(1), ddb.Entry(c.prices, "tin").To(3)), ddb.Entry(c.prices, "gold").Eq(10),
			func(w *Cart) { w.Prices["gold"], w.Prices["tin"] = 11, 3 }},
		{"entry with a dot", set(ddb.Entry(c.prices, "a.b").To(21), ddb.Entry(c.prices, "a b").Remove()), ddb.Entry(c.prices, "a.b").Eq(20),
			func(w *Cart) { w.Prices["a.b"] = 21; delete(w.Prices, "a b") }},
		{"entry with brackets", set(ddb.Entry(c.prices, "[1]").To(41), ddb.Entry(c.prices, "x]").To(5)), ddb.Entry(c.prices, "[1]").Eq(40),
			func(w *Cart) { w.Prices["[1]"], w.Prices["x]"] = 41, 5 }},
		{"attribute with a dot and brackets", set(c.odd.Add(2)), c.odd.Eq(1), func(w *Cart) { w.Odd = 3 }},
		{"entry by a number, behind a pointer", set(day.To(9)), day.Eq(4), func(w *Cart) { w.Days[-1].Qty = 9 }},
		{"new entry behind a pointer", set(ddb.Entry(c.days, 3).To(&CartLine{SKU: "n"})), ddb.Entry(c.days, 3).NotExists(),
			func(w *Cart) { w.Days[3] = &CartLine{SKU: "n"} }},
		{"nil entry", set(ddb.Entry(c.days, 3).To(nil)), ddb.Entry(c.days, 3).Exists(), func(w *Cart) { w.Days[3] = nil }},
		{"list in a map", set(ddb.Entry(c.groups, "g").Append([]string{"n"}), ddb.Entry(c.groups, "h").Prepend([]string{"o"})),
			ddb.Element(ddb.Entry(c.groups, "g"), 0).Eq("m"), func(w *Cart) { w.Groups["g"], w.Groups["h"] = []string{"m", "n"}, []string{"o"} }},
		{"front of a list", set(c.lines.Prepend([]CartLine{{SKU: "first"}})), c.lines.HasType(expression.List),
			func(w *Cart) { w.Lines = append([]CartLine{{SKU: "first"}}, w.Lines...) }},
	} {
		got, err := c.def.Update(c.key).Set(step.set...).If(step.cond).Run(t.Context())
		if err != nil {
			t.Errorf("%s: %v", step.name, err)
			continue
		}
		step.effect(&want)
		if diff := cmp.Diff(want, got, ignoreMarkers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		want = got
	}
}

func set[T any](changes ...ddb.Assign[T]) []ddb.Assign[T] { return changes }

// TestSets asserts how members join and leave sets of all kinds, and that a set
// whose last member leaves goes and can be made anew.
func TestSets(t *testing.T) {
	t.Parallel()
	c := openCarts(t)
	update := func(changes ...ddb.Assign[Cart]) Cart {
		t.Helper()
		got, err := c.def.Update(c.key).Set(changes...).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := update(c.labels.Add([]string{"z", "x", ""}), c.codes.Add(map[int]struct{}{3: {}}), c.blobs.Add([][]byte{{3}}))
	if len(got.Labels) != 4 || len(got.Codes) != 3 || len(got.Blobs) != 3 {
		t.Errorf("after Add: got %v, %v and %v", got.Labels, got.Codes, got.Blobs)
	}
	got = update(c.labels.Delete([]string{"x", "y", "none", ""}), c.codes.Delete(map[int]struct{}{1: {}, 9: {}}), c.blobs.Delete([][]byte{{1}, {2}}))
	if diff := cmp.Diff([]any{[]string{"z"}, map[int]struct{}{2: {}, 3: {}}, [][]byte{{3}}}, []any{got.Labels, got.Codes, got.Blobs}); diff != "" {
		t.Errorf("after Delete (-want +got):\n%s", diff)
	}
	got = update(c.labels.Delete([]string{"z"}))
	if got.Labels != nil {
		t.Errorf("after the last member: got %v, want no attribute", got.Labels)
	}
	if got = update(c.labels.Add([]string{"again"})); len(got.Labels) != 1 {
		t.Errorf("made anew: got %v", got.Labels)
	}
	for name, a := range map[string]ddb.Assign[Cart]{
		"add nil": c.labels.Add(nil), "add nothing": c.labels.Add([]string{}), "add no numbers": c.codes.Add(map[int]struct{}{}),
		"delete nil": c.labels.Delete(nil), "delete nothing": c.blobs.Delete([][]byte{}), "set to nothing": c.labels.To([]string{}),
		"delete from a list": c.lines.Delete([]CartLine{{}}), "add to a list": c.lines.Add([]CartLine{{}}), "delete a number": c.total.Delete(1),
		"append to a set": c.labels.Append([]string{"x"}),
	} {
		_, err := c.def.Update(c.key).Set(a).Run(t.Context())
		if op := (*ddb.OpError)(nil); !errors.Is(err, ddb.ErrExpression) || !errors.As(err, &op) || op.Field == "" {
			t.Errorf("%s: got %v, want ErrExpression that names the field", name, err)
		}
	}
}

// TestNothingIsComparedWith asserts that a comparison with what is never stored, which
// would be false for every item, is refused.
func TestNothingIsComparedWith(t *testing.T) {
	t.Parallel()
	c := openCarts(t)
	for name, cond := range map[string]ddb.Cond[Cart]{
		"nil": c.labels.Eq(nil), "no members": c.labels.Ne([]string{}), "one of several": c.labels.In([]string{"x"}, nil),
	} {
		_, err := c.def.Query(c.key).Filter(cond).Count(t.Context())
		if op := (*ddb.OpError)(nil); !errors.Is(err, ddb.ErrExpression) || !errors.As(err, &op) || op.Field != "Labels" {
			t.Errorf("%s: got %v, want ErrExpression that names the field", name, err)
		}
	}
}

// TestConditions asserts what conditions on sizes, types and two attributes say of
// a stored cart, and that conditions made elsewhere join them.
func TestConditionsOfHandles(t *testing.T) {
	t.Parallel()
	c := openCarts(t)
	qty1 := ddb.FieldOf(ddb.Element(c.lines, 1), qty)
	for _, test := range []struct {
		name string
		cond ddb.Cond[Cart]
		want bool
	}{
		{"size of a list", c.lines.Size().Eq(3), true},
		{"size of a map", c.prices.Size().Ge(5), false},
		{"size of a set", c.labels.Size().Between(1, 2), true},
		{"size of a string in UTF-16", c.city.Size().Lt(5), true},
		{"size of an entry", ddb.Entry(c.groups, "g").Size().Ne(1), false},
		{"size of a number", c.total.Size().Gt(0), false},
		{"size at most", c.lines.Size().Le(3), true},
		{"type", c.total.HasType(expression.Number), true},
		{"type of a set", c.labels.HasType(expression.StringSet), true},
		{"other type", c.total.HasType(expression.Null), false},
		{"less than another", c.total.LtAttr(c.limit), true},
		{"at most another", c.limit.LeAttr(c.total), false},
		{"greater than an element's", c.total.GtAttr(qty1), true},
		{"at least", qty1.GeAttr(c.total), false},
		{"equal to another", c.total.EqAttr(c.limit), false},
		{"unequal to another", c.total.NeAttr(c.limit), true},
		{"another that is missing", c.total.EqAttr(ddb.Entry(c.prices, "none")), false},
		{"unequal to what is missing", c.total.NeAttr(ddb.Entry(c.prices, "none")), true},
		{"made elsewhere", c.def.Cond(expression.Name("Total").Equal(expression.Value(5))), true},
		{"made elsewhere, or", c.total.Eq(0).Or(c.def.Cond(c.limit.Name().GreaterThan(c.total.Name()))), true},
		{"used elsewhere", c.def.Cond(expression.Not(c.total.Eq(5).Builder())), false},
		{"brackets used elsewhere", c.def.Cond(c.odd.Name().Equal(expression.Value(1)).And(c.odd.Eq(1).Builder())), true},
	} {
		_, err := c.def.Update(c.key).Set(c.limit.Add(0)).If(test.cond).Run(t.Context())
		if got := err == nil; got != test.want || err != nil && !errors.Is(err, ddb.ErrConditionFailed) {
			t.Errorf("%s: got %v, want %t", test.name, err, test.want)
		}
	}
	for name, cond := range map[string]ddb.Cond[Cart]{
		"with itself": c.total.EqAttr(c.total), "no type": c.total.HasType("DOG"), "not made": c.def.Cond(expression.ConditionBuilder{}),
		"zero handle": c.total.LtAttr(ddb.Attribute[Cart, int]{}), "size of the zero handle": ddb.Size[Cart]{}.Eq(1),
		"zero handle's size": ddb.Attribute[Cart, string]{}.Size().Between(1, 2),
	} {
		_, err := c.def.Update(c.key).Set(c.limit.Add(0)).If(cond).Run(t.Context())
		if !errors.Is(err, ddb.ErrExpression) && !errors.Is(err, ddb.ErrDefinition) {
			t.Errorf("%s: got %v, want an error before any call", name, err)
		}
	}
	for name, cond := range map[string]ddb.Cond[Cart]{"numbers": c.total.Between(5, 4), "texts": c.city.Between("b", "a"), "sizes": c.lines.Size().Between(2, 1)} {
		if _, err := c.def.Update(c.key).Set(c.limit.Add(0)).If(cond).Run(t.Context()); !errors.Is(err, ddb.ErrRange) {
			t.Errorf("reversed %s: got %v, want ErrRange", name, err)
		}
	}
}

// TestChangesThatMeet asserts that two changes of one place, of a place and what
// is in it, and of a key are refused by name before any call.
func TestChangesThatMeet(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("Shop", unreachable{})
	c := cartsIn(table)
	other := cartsIn(ddb.NewTable("Other", unreachable{}))
	element, entry := ddb.Element(c.lines, 1), ddb.Entry(c.prices, "gold")
	for _, test := range []struct {
		name string
		set  []ddb.Assign[Cart]
		is   error
		says string
	}{
		{"twice", set(c.total.To(1), c.total.Add(1)), ddb.ErrExpression, "Total and Total"},
		{"struct and its field", set(c.home.To(Address{}), c.city.To("x")), ddb.ErrExpression, "Home and Home.City"},
		{"field and its struct", set(c.city.To("x"), c.home.Remove()), ddb.ErrExpression, "Home.City and Home"},
		{"list and element", set(c.lines.Append([]CartLine{{}}), element.Remove()), ddb.ErrExpression, "Lines and Lines[1]"},
		{"element and its field", set(element.Remove(), ddb.FieldOf(element, qty).Add(1)), ddb.ErrExpression, "Lines[1] and Lines[1].Qty"},
		{"map and entry", set(c.prices.To(nil), entry.To(1)), ddb.ErrExpression, "Prices"},
		{"entry twice", set(entry.To(2), entry.Remove()), ddb.ErrExpression, "Prices.gold and Prices.gold"},
		{"sum in an index key", set(c.shop.To("x"), c.rank.Add(1)), ddb.ErrKeyChange, "Rank"},
		{"expression in an index key", set(c.rank.To(1), c.shop.ToExpr(expression.Name("ID"))), ddb.ErrKeyChange, "Shop"},
		{"another table's handle", set(other.shop.To("x")), ddb.ErrExpression, "table Other"},
		{"zero Assign", set(ddb.Assign[Cart]{}), ddb.ErrExpression, "zero Assign"},
		{"zero handle", set(ddb.Attribute[Cart, int]{}.To(1)), ddb.ErrDefinition, "ddb.Field did not make"},
		{"no expression", set(c.total.ToExpr(nil)), ddb.ErrExpression, "Total"},
	} {
		_, err := c.def.Update(c.key).Set(test.set...).Run(t.Context())
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %v that says %q", test.name, err, test.is, test.says)
		}
	}
	if _, err := c.def.Update(c.key).Set(ddb.Element(c.lines, 1).Remove(), ddb.Element(c.lines, 2).Remove(), c.city.To("x")).Input(); err != nil {
		t.Errorf("neighbours: %v", err)
	}
}

// TestExpressionsAsValues asserts that what package expression makes can be
// assigned through a typed handle, beside typed changes.
func TestExpressionsAsValues(t *testing.T) {
	t.Parallel()
	c := openCarts(t)
	got, err := c.def.Update(c.key).Set(
		c.total.ToExpr(expression.Plus(c.limit.Name(), expression.Value(1))),
		c.limit.ToExpr(c.total.Name()),
		c.city.To("Bonn"),
	).Run(t.Context())
	if err != nil || got.Total != 8 || got.Limit != 5 || got.Home.City != "Bonn" {
		t.Errorf("got %+v and %v, want values of before the update", got, err)
	}
}

// TestHandleFaults asserts that handles which can never work fail where they are
// used, by their paths, and are no fault of the table: a running program makes them.
func TestHandleFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(carts) ddb.Cond[Cart]
		want string
	}{
		{"element of a set", func(c carts) ddb.Cond[Cart] { return ddb.Element(c.labels, 0).Exists() }, "Cart.Labels: faulty definition: ddb.Element: []string is not stored as a list"},
		{"element of bytes", func(c carts) ddb.Cond[Cart] {
			return ddb.Element(ddb.Field(c.def, func(c *Cart) *[]byte { return &c.Blob }), 0).Exists()
		}, "[]uint8 is not stored as a list"},
		{"entry of a set", func(c carts) ddb.Cond[Cart] { return ddb.Entry(c.codes, 1).Exists() }, "Cart.Codes: faulty definition: ddb.Entry: map[int]struct {} is not stored as a map"},
		{"field of a string", func(c carts) ddb.Cond[Cart] {
			return ddb.FieldOf(c.city, func(s *string) *string { return s }).Exists()
		}, "Cart.Home.City: faulty definition: ddb.FieldOf: string is not stored as a map of its fields"},
		{"address of elsewhere", func(c carts) ddb.Cond[Cart] {
			return ddb.FieldOf(ddb.Element(c.lines, 0), func(*CartLine) *int { return new(int) }).Exists()
		}, "Cart.Lines[0]: faulty definition: ddb.FieldOf: the function must return the address"},
		{"nil", func(c carts) ddb.Cond[Cart] {
			return ddb.FieldOf(ddb.Element(c.lines, 0), func(*CartLine) *int { return nil }).Exists()
		}, "must return the address"},
		{"panic", func(c carts) ddb.Cond[Cart] {
			return ddb.FieldOf(ddb.Element(c.lines, 0), func(l *CartLine) *string { return &l.Tag[0] }).Exists()
		}, "the function panicked"},
	} {
		table := ddb.NewTable("Shop", unreachable{})
		c := cartsIn(table)
		_, err := c.def.Update(c.key).Set(c.total.Add(1)).If(test.make(c)).Run(t.Context())
		if !errors.Is(err, ddb.ErrDefinition) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error that says %q", test.name, err, test.want)
		}
		if err := table.Err(); err != nil {
			t.Errorf("%s: got %v, want no fault of the table", test.name, err)
		}
	}
	c := cartsIn(ddb.NewTable("Shop", unreachable{}))
	for name, a := range map[string]ddb.Assign[Cart]{
		"negative index": ddb.FieldOf(ddb.Element(c.lines, -1), qty).To(1), "empty key": ddb.Entry(c.prices, "").To(1),
	} {
		if _, err := c.def.Update(c.key).Set(a).Run(t.Context()); !errors.Is(err, ddb.ErrExpression) {
			t.Errorf("%s: got %v, want ErrExpression", name, err)
		}
	}
}

// TestPaths asserts that handles made of text lead where typed ones do, take
// values as JSON brings them, and write them as the attribute's type is written.
func TestPaths(t *testing.T) {
	t.Parallel()
	c := openCarts(t)
	path := func(text string) ddb.Attribute[Cart, any] {
		t.Helper()
		a, err := c.def.Path(text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	if _, err := c.def.Update(c.key).Set(path("Rank").To("2"), path("Shop").To("t")).Run(t.Context()); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "Cart.Rank") {
		t.Errorf("a string for a number: got %v, want ErrExpression that names it", err)
	}
	got, err := c.def.Update(c.key).Set(
		path("home.City").To("Bonn"), path("Lines[0].Qty").To(float64(7)), path("Lines[1].Tag").To([]any{"t"}),
		path("Prices.gold").Add(2), path("Prices.\"a.b\"").To(int8(1)), path("Prices.`[1]`").Remove(),
		path("Days.-1").To(map[string]any{"SKU": "d2", "Qty": 8.0}), path(`"odd.name[0]"`).To(5),
		path("Labels").Add([]string{"p"}), path("Groups").To(map[string]any{"g": []string{}}),
		path("At").To(now.Format(time.RFC3339)), path("Extra.deep[0]").To(true), path("Shop").To("t"), path("Rank").To(2.0),
	).If(path("home.City").BeginsWith("K").And(path("At").NotExists()).And(path("Lines[2].Qty").In(1, 3.0))).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := Cart{
		ID: "c", Shop: "t", Rank: 2, Total: 5, Limit: 7, Odd: 5, Blob: []byte("abc"), Home: Address{City: "Bonn"}, At: now.UTC(),
		Lines:  []CartLine{{SKU: "a", Qty: 7}, {SKU: "b", Qty: 2, Tag: []string{"t"}}, {SKU: "c", Qty: 3}},
		Prices: map[string]int{"gold": 12, "a.b": 1, "a b": 30},
		Days:   map[int]*CartLine{-1: {SKU: "d2", Qty: 8}},
		Labels: []string{"p", "x", "y"}, Codes: map[int]struct{}{1: {}, 2: {}}, Blobs: [][]byte{{1}, {2}},
		Groups: map[string][]string{"g": {}},
		Extra:  map[string]any{"deep": []any{true}},
	}
	if diff := cmp.Diff(want, got, ignoreMarkers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	found, err := c.def.Query(Cart{Shop: "t", Rank: 2}).Index("GSI1").Filter(path("home.City").Eq("Bonn")).Count(t.Context())
	if err != nil || found != 1 {
		t.Errorf("index: got %d and %v, want it to follow", found, err)
	}
}

// TestPathsAreChecked asserts which paths a definition knows, and what values an
// attribute takes.
func TestPathsAreChecked(t *testing.T) {
	t.Parallel()
	c := cartsIn(ddb.NewTable("Shop", unreachable{}))
	for _, text := range []string{
		"", ".", "Nope", "home.Nope", "home.", ".home", "home..City", "Home.City", "Total.x", "Total[0]", "Lines.0", "Lines[x]", "Lines[-1]", "Lines[0",
		"Lines[0]Qty", "Lines[0].Nope", "Labels[0]", "Codes.1", "Days.x", "Days.01", "Days[0]", "Prices", "[0]", `"Total`, `'T'`, "PK", "EntityType",
		"Blob[0]", "At.x", strings.Repeat("Partner.", 40) + "Total", "Lines[99999999999]", "Lines]0",
	} {
		a, err := c.def.Path(text)
		if text == "Prices" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		op := (*ddb.OpError)(nil)
		if !errors.Is(err, ddb.ErrExpression) || !errors.As(err, &op) || op.Entity != "Cart" {
			t.Errorf("%q: got %v and %v, want ErrExpression", text, a, err)
		}
	}
	total, err := c.def.Path("Total")
	if err != nil {
		t.Fatal(err)
	}
	home, _ := c.def.Path("home")
	for _, v := range []any{"5", 5.5, true, []int{1}, map[string]any{}, func() {}, nil, 1e30, struct{ A int }{1}, types.AttributeValueMemberS{Value: "5"}} {
		if _, err := c.def.Update(c.key).Set(total.To(v)).Input(); !errors.Is(err, ddb.ErrExpression) {
			t.Errorf("%T: got %v, want ErrExpression", v, err)
		}
	}
	if _, err := c.def.Update(c.key).Set(home.To(map[string]any{"City": "x", "Zip": 1})).Input(); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("unknown attribute in a value: got %v, want ErrExpression", err)
	}
	if _, err := c.def.Update(c.key).Set(home.To(Address{City: "x"})).Input(); err != nil {
		t.Errorf("own type: %v", err)
	}
	bad := ddb.NewTable("Shop", nil)
	if _, err := ddb.Define[Cart](bad).Path("Total"); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("faulty table: got %v, want ErrDefinition", err)
	}
}
