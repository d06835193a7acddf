package memory_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/model"
)

// A maker makes what one random operation consists of. There are few values, so
// that keys meet, and some are wrong where the table has a say.
type maker struct {
	*rand.Rand
	table *model.Table
}

func choose[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

// once reports true once in n times.
func (m *maker) once(n int) bool { return m.IntN(n) == 0 }

func (m *maker) text() types.AttributeValue {
	return str(choose(m, "x", "xy", "xyz", "y", "\x00", "é", "\U0001F600"))
}

func (m *maker) number() types.AttributeValue {
	return num(choose(m, "-10", "-1", "0", "1", "1.0", "2.5", "9", "10", "1E2"))
}

func (m *maker) binary() types.AttributeValue { return bin(choose(m, "\x00", "\x00\xff", "a", "\xff")) }

func (m *maker) flag() types.AttributeValue { return boolean(m.once(2)) }

func (m *maker) set() types.AttributeValue {
	switch m.IntN(3) {
	case 0:
		return strs(some(m, "a", "b", "", "é")...)
	case 1:
		return &types.AttributeValueMemberNS{Value: some(m, "1", "2.5", "-3")}
	}
	return &types.AttributeValueMemberBS{Value: some(m, []byte("a"), []byte{}, []byte{255})}
}

// some returns at least one of the given, in their order.
func some[T any](m *maker, from ...T) []T {
	var out []T
	for _, v := range from {
		if m.once(2) {
			out = append(out, v)
		}
	}
	if out == nil {
		out = append(out, choose(m, from...))
	}
	return out
}

// value makes a value of any kind; depth bounds nesting.
func (m *maker) value(depth int) types.AttributeValue {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch m.IntN(kinds) {
	case 0, 1:
		return m.text()
	case 2:
		return m.number()
	case 3:
		return m.set()
	case 4:
		return choose(m, m.binary(), m.flag())
	case 5:
		return choose[types.AttributeValue](m, &types.AttributeValueMemberNULL{Value: true}, str(""), m.number())
	case 6:
		return m.list(depth)
	}
	return m.mapping(depth)
}

func (m *maker) list(depth int) types.AttributeValue {
	elements := make([]types.AttributeValue, m.IntN(4))
	for i := range elements {
		elements[i] = m.value(depth - 1)
	}
	return seq(elements...)
}

func (m *maker) mapping(depth int) types.AttributeValue {
	entries := item{}
	for _, name := range []string{"x", "y", "l"} {
		if m.once(2) {
			entries[name] = m.value(depth - 1)
		}
	}
	return obj(entries)
}

// ofKind makes a scalar.
func (m *maker) ofKind(kind string) types.AttributeValue {
	switch kind {
	case "S":
		return m.text()
	case "N":
		return m.number()
	}
	return m.binary()
}

// keyValue makes a value for a key attribute, seldom one that is wrong.
func (m *maker) keyValue(a model.Attribute) types.AttributeValue {
	switch {
	case m.once(150):
		return m.value(1)
	case m.once(150) && a.Kind == "S":
		return str("")
	case m.once(150) && a.Kind == "B":
		return bin("")
	}
	return m.ofKind(a.Kind)
}

// key makes a primary key, seldom with too little or too much.
func (m *maker) key() item {
	key := item{}
	for _, a := range slices.Concat(m.table.Hash, m.table.Sort) {
		key[a.Name] = m.keyValue(a)
		if m.once(200) {
			delete(key, a.Name)
		}
	}
	if m.once(200) {
		key["c"] = m.text()
	}
	return key
}

// attributes are what items have besides their primary key.
var attributes = []string{"a", "b", "c", "d", "m", "l"}

// indexed returns the key attribute of an index with that name.
func (m *maker) indexed(name string) (model.Attribute, bool) {
	for _, ix := range m.table.Indexes {
		for _, a := range slices.Concat(ix.Hash, ix.Sort) {
			if a.Name == name && !m.table.Has(name) {
				return a, true
			}
		}
	}
	return model.Attribute{}, false
}

// attribute makes a value that suits the attribute.
func (m *maker) attribute(name string) types.AttributeValue {
	if a, ok := m.indexed(name); ok {
		return m.keyValue(a)
	}
	switch {
	case name == "m" && !m.once(5):
		return m.mapping(2)
	case name == "l" && !m.once(5):
		return m.list(2)
	}
	return m.value(2)
}

func (m *maker) item() item {
	it := m.key()
	delete(it, "c")
	for _, name := range attributes {
		if m.IntN(3) > 0 {
			it[name] = m.attribute(name)
		}
	}
	if m.once(10) { // more than a unit
		it["pad"] = str(strings.Repeat("p", choose(m, 500, 1100, 5000)))
	}
	return it
}

// path makes a path to something that items may have. A key of the table or of
// an index is a scalar.
func (m *maker) path() model.Path {
	name := choose(m, attributes...)
	p := model.Name(name)
	if _, ok := m.indexed(name); ok || m.once(2) {
		return p
	}
	return m.below(p)
}

// below makes a path into a value.
func (m *maker) below(p model.Path) model.Path {
	switch p[0] {
	case "m":
		p = append(p, choose[any](m, "x", "y", "l"))
	case "l":
		p = append(p, choose[any](m, 0, 1, 3))
	}
	if len(p) > 1 && m.once(4) {
		p = append(p, choose[any](m, "x", 0))
	}
	return p
}

// paths makes paths of which no two overlap, nil for none.
func (m *maker) paths() []model.Path {
	if m.once(2) {
		return nil
	}
	var out []model.Path
	for _, name := range some(m, slices.Concat(attributes, []string{"pk"})...) {
		p := model.Name(name)
		_, indexed := m.indexed(name)
		switch {
		case indexed || m.once(2):
		case name == "m":
			out = append(out, model.Path{"m", "x"})
			p = model.Path{"m", choose(m, "y", "l")}
		case name == "l":
			out = append(out, model.Path{"l", 2})
			p = model.Path{"l", choose(m, 0, 1)}
		}
		out = append(out, p)
	}
	m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// constant and at make operands.
func constant(v types.AttributeValue) model.Operand { return model.Operand{Value: v} }

func at(p model.Path) model.Operand { return model.Operand{Path: p} }

// condition makes a condition, often nil.
func (m *maker) condition() *model.Cond {
	if m.once(2) {
		return nil
	}
	return m.cond(2)
}

func (m *maker) cond(depth int) *model.Cond {
	if depth > 0 && m.once(3) {
		switch m.IntN(3) {
		case 0:
			return &model.Cond{Op: "not", Subs: []*model.Cond{m.cond(depth - 1)}}
		case 1:
			return &model.Cond{Op: "and", Subs: []*model.Cond{m.cond(depth - 1), m.cond(depth - 1)}}
		}
		return &model.Cond{Op: "or", Subs: []*model.Cond{m.cond(depth - 1), m.cond(depth - 1), m.cond(depth - 1)}}
	}
	of := at(m.path())
	op := choose(m, "=", "<>", "<", "<=", ">", ">=", "between", "in", "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains")
	args := []model.Operand{of}
	kind := choose(m, "S", "N", "B")
	switch op {
	case "=", "<>":
		args = append(args, choose(m, constant(m.value(1)), constant(m.text()), m.otherPath(of.Path)))
	case "<", "<=", ">", ">=":
		args = append(args, constant(m.ofKind(kind)))
		switch m.IntN(4) {
		case 0:
			args[1] = m.otherPath(of.Path)
		case 1:
			args = []model.Operand{{Path: of.Path, Size: true}, constant(num(m.IntN(4)))}
		case 2:
			slices.Reverse(args)
		}
	case "between":
		low, high := m.bounds(kind)
		args = append(args, constant(low), constant(high))
		if m.once(4) {
			args[2] = m.otherPath(of.Path)
		}
	case "in":
		for range 1 + m.IntN(3) {
			args = append(args, constant(m.value(1)))
		}
	case "attribute_type":
		args = append(args, constant(str(choose(m, "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"))))
	case "begins_with":
		args = append(args, constant(choose(m, m.text(), m.binary())))
	case "contains":
		args = append(args, constant(m.value(1)))
	}
	return &model.Cond{Op: op, Args: args}
}

// otherPath makes an operand with another path.
func (m *maker) otherPath(than model.Path) model.Operand {
	for {
		if p := m.path(); !slices.Equal(p, than) {
			return at(p)
		}
	}
}

// bounds makes two scalars in order.
func (m *maker) bounds(kind string) (low, high types.AttributeValue) {
	low, high = m.ofKind(kind), m.ofKind(kind)
	if (&model.Cond{Op: ">", Args: []model.Operand{constant(low), constant(high)}}).Holds(nil) {
		low, high = high, low
	}
	return low, high
}

// update makes an update of targets of which no two overlap.
func (m *maker) update() model.Update {
	var u model.Update
	for _, name := range some(m, attributes...) {
		if m.once(3) {
			continue
		}
		a := m.action(name)
		u = append(u, a)
		if len(a.Target) == 2 && m.once(3) { // a neighbour
			b := m.action(name)
			b.Target = model.Path{name, choose[any](m, "z", "zz")}
			if name == "l" {
				b.Target = model.Path{name, choose[any](m, 7, 8)}
			}
			u = append(u, b)
		}
	}
	if m.once(60) {
		a := m.action("c")
		a.Target = model.Name(choose(m, "pk", "sk"))
		u = append(u, a)
	}
	// The order of an expression's actions is that of its sections.
	order := func(a model.Action) int { return slices.Index([]string{"REMOVE", "SET", "DELETE", "ADD"}, a.Verb) }
	slices.SortStableFunc(u, func(a, b model.Action) int { return order(a) - order(b) })
	return u
}

func (m *maker) action(name string) model.Action {
	a := model.Action{Verb: choose(m, "SET", "SET", "SET", "REMOVE", "ADD", "DELETE"), Target: model.Name(name)}
	_, indexed := m.indexed(name)
	if !indexed && m.once(2) {
		a.Target = m.below(a.Target)
	}
	switch a.Verb {
	case "SET":
		a.Source = m.source(name)
	case "ADD":
		a.Source.Operand = constant(choose(m, m.number(), m.set()))
	case "DELETE":
		a.Source.Operand = constant(m.set())
	}
	return a
}

func (m *maker) source(name string) model.Source {
	leaf := func(o model.Operand) model.Source { return model.Source{Operand: o} }
	of := func(op string, l, r model.Source) model.Source {
		return model.Source{Op: op, Args: []model.Source{l, r}}
	}
	p := m.path()
	switch m.IntN(8) {
	case 0:
		return leaf(at(p))
	case 1:
		return of(choose(m, "+", "-"), leaf(at(p)), leaf(constant(m.number())))
	case 2:
		return of("+", of("if_not_exists", leaf(at(p)), leaf(constant(num(0)))), leaf(constant(m.number())))
	case 3:
		return of("if_not_exists", leaf(at(p)), leaf(constant(m.attribute(name))))
	case 4:
		return of("list_append", of("if_not_exists", leaf(at(p)), leaf(constant(seq()))), leaf(constant(m.list(1))))
	case 5:
		return of("list_append", leaf(constant(m.list(1))), leaf(at(p)))
	}
	return leaf(constant(m.attribute(name)))
}

// legacyUpdate makes AttributeUpdates, in the order in which the engine takes
// them: by name.
func (m *maker) legacyUpdate() (model.Update, map[string]types.AttributeValueUpdate) {
	var u model.Update
	updates := map[string]types.AttributeValueUpdate{}
	for _, name := range some(m, attributes...) {
		a := model.Action{Target: model.Name(name), Legacy: true}
		var v types.AttributeValue
		action := types.AttributeActionPut
		switch m.IntN(5) {
		case 0:
			a.Verb, action = "REMOVE", types.AttributeActionDelete
		case 1:
			a.Verb, action, v = "DELETE", types.AttributeActionDelete, m.set()
		case 2:
			a.Verb, action, v = "ADD", types.AttributeActionAdd, choose(m, m.number(), m.set(), m.list(1))
		default:
			a.Verb, v = "SET", m.attribute(name)
			if m.once(2) {
				action = ""
			}
		}
		a.Source.Operand = constant(v)
		u = append(u, a)
		updates[name] = types.AttributeValueUpdate{Action: action, Value: v}
	}
	slices.SortFunc(u, func(a, b model.Action) int { return strings.Compare(a.Target.Root(), b.Target.Root()) })
	return u, updates
}

// comparison makes a condition in the legacy form, with what it means.
func (m *maker) comparison(name string) (*model.Cond, types.Condition) {
	of := at(model.Name(name))
	kind := choose(m, "S", "N", "B")
	is := func(op string, values ...types.AttributeValue) *model.Cond {
		args := []model.Operand{of}
		for _, v := range values {
			args = append(args, constant(v))
		}
		return &model.Cond{Op: op, Args: args}
	}
	switch v := m.ofKind(kind); m.IntN(9) {
	case 0:
		return is("attribute_exists"), types.Condition{ComparisonOperator: "NOT_NULL"}
	case 1:
		return is("attribute_not_exists"), types.Condition{ComparisonOperator: "NULL"}
	case 2:
		v = m.value(1)
		return is("=", v), types.Condition{ComparisonOperator: "EQ", AttributeValueList: []types.AttributeValue{v}}
	case 3:
		v = m.value(1)
		return is("<>", v), types.Condition{ComparisonOperator: "NE", AttributeValueList: []types.AttributeValue{v}}
	case 4:
		op := m.IntN(4)
		return is([]string{"<", "<=", ">", ">="}[op], v), types.Condition{
			ComparisonOperator: []types.ComparisonOperator{"LT", "LE", "GT", "GE"}[op], AttributeValueList: []types.AttributeValue{v},
		}
	case 5:
		low, high := m.bounds(kind)
		return is("between", low, high), types.Condition{ComparisonOperator: "BETWEEN", AttributeValueList: []types.AttributeValue{low, high}}
	case 6:
		w := m.ofKind(kind)
		return is("in", v, w), types.Condition{ComparisonOperator: "IN", AttributeValueList: []types.AttributeValue{v, w}}
	case 7:
		v = choose(m, m.text(), m.binary())
		return is("begins_with", v), types.Condition{ComparisonOperator: "BEGINS_WITH", AttributeValueList: []types.AttributeValue{v}}
	}
	if m.once(2) {
		v := m.text()
		return is("contains", v), types.Condition{ComparisonOperator: "CONTAINS", AttributeValueList: []types.AttributeValue{v}}
	}
	v := m.number()
	not := &model.Cond{Op: "not", Subs: []*model.Cond{is("contains", v)}}
	return &model.Cond{Op: "and", Subs: []*model.Cond{is("attribute_exists"), not}},
		types.Condition{ComparisonOperator: "NOT_CONTAINS", AttributeValueList: []types.AttributeValue{v}}
}

// comparisons makes legacy conditions on some of the attributes that may have one,
// and how they are joined.
func (m *maker) comparisons(on func(name string) bool) (*model.Cond, map[string]types.Condition, types.ConditionalOperator) {
	all := &model.Cond{Op: "and"}
	given := map[string]types.Condition{}
	for _, name := range some(m, attributes...) {
		if !on(name) {
			continue
		}
		var c *model.Cond
		c, given[name] = m.comparison(name)
		all.Subs = append(all.Subs, c)
	}
	if len(given) > 1 && m.once(2) {
		all.Op = "or"
		return all, given, types.ConditionalOperatorOr
	}
	return all, given, ""
}

// expected makes Expected.
func (m *maker) expected() (*model.Cond, map[string]types.ExpectedAttributeValue, types.ConditionalOperator) {
	all, comparisons, op := m.comparisons(func(string) bool { return true })
	given := map[string]types.ExpectedAttributeValue{}
	for _, name := range attributes {
		c, ok := comparisons[name]
		if !ok {
			continue
		}
		e := types.ExpectedAttributeValue{ComparisonOperator: c.ComparisonOperator, AttributeValueList: c.AttributeValueList}
		switch {
		case c.ComparisonOperator == "EQ" && m.once(2):
			e = types.ExpectedAttributeValue{Value: c.AttributeValueList[0], Exists: choose(m, nil, aws.Bool(true))}
		case c.ComparisonOperator == "NULL" && m.once(2):
			e = types.ExpectedAttributeValue{Exists: aws.Bool(false)}
		}
		given[name] = e
	}
	return all, given, op
}
