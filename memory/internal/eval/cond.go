package eval

import (
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Condition decides on an item.
// Expressions.OperatorsAndFunctions.html#Expressions.OperatorsAndFunctions.Syntax.
type Condition struct {
	root  Predicate
	paths []Path
}

// NewCondition returns the condition that a predicate states.
func NewCondition(p Predicate) *Condition {
	c := &Condition{root: p}
	p.operands(func(o *Operand) {
		if o.path != nil {
			c.paths = append(c.paths, o.path)
		}
	})
	return c
}

// Match reports whether the item meets the condition. A condition on a missing
// item is one on an item without attributes. No item makes a condition fail: a
// path that leads nowhere, or a value of another type, only makes comparisons
// and functions false, except that it makes <> true.
func (c *Condition) Match(item av.Map) bool { return c.root.match(item) }

// Paths returns every document path of the condition from left to right. The
// caller must not change them.
func (c *Condition) Paths() []Path { return c.paths }

// Predicate is a part of a condition. The functions that return one do not
// check operands; that is up to who takes them from a request.
type Predicate interface {
	match(item av.Map) bool
	operands(visit func(*Operand))
}

type (
	all     []Predicate
	some    []Predicate
	inverse struct{ of Predicate }
	compare struct {
		op          expr.Op
		left, right Operand
	}
	interval   struct{ of, low, high Operand }
	membership struct {
		of   Operand
		list []Operand
	}
	existence struct {
		of   Operand
		want bool
	}
	typeTest    struct{ of, name Operand }
	prefix      struct{ of, with Operand }
	containment struct{ of, with Operand }
)

// All is true if every p is.
func All(p ...Predicate) Predicate { return all(p) }

// Any is true if some p is.
func Any(p ...Predicate) Predicate { return some(p) }

// Not is true if p is false.
func Not(p Predicate) Predicate { return &inverse{p} }

// Compare is a comparison with one of the six comparators. Equality is that of
// [av.Equal]; only values of one kind, S, N or B, are in order. A missing
// operand makes <> true and all others false (observed).
func Compare(left Operand, op expr.Op, right Operand) Predicate { return &compare{op, left, right} }

// Between is low <= o and o <= high.
func Between(o, low, high Operand) Predicate { return &interval{o, low, high} }

// In is true if o equals a member of the list.
func In(o Operand, list ...Operand) Predicate { return &membership{o, list} }

// Exists is true if there is something at p.
func Exists(p Path) Predicate { return &existence{At(p), true} }

// NotExists is true if there is nothing at p.
func NotExists(p Path) Predicate { return &existence{At(p), false} }

// HasType is true if o exists and has the type that name, an S, names.
func HasType(o, name Operand) Predicate { return &typeTest{o, name} }

// BeginsWith is true if o and with are of one kind, S or B, and the former
// begins with the latter.
func BeginsWith(o, with Operand) Predicate { return &prefix{o, with} }

// Contains is true if o contains with as [av.Value.Contains] defines it.
func Contains(o, with Operand) Predicate { return &containment{o, with} }

func (p all) match(item av.Map) bool {
	for _, q := range p {
		if !q.match(item) {
			return false
		}
	}
	return true
}

func (p some) match(item av.Map) bool {
	for _, q := range p {
		if q.match(item) {
			return true
		}
	}
	return false
}

func (p *inverse) match(item av.Map) bool { return !p.of.match(item) }

func (p *compare) match(item av.Map) bool {
	l, r := p.left.in(item), p.right.in(item)
	switch p.op {
	case expr.OpEq:
		return l.Exists() && av.Equal(l, r)
	case expr.OpNe:
		return !l.Exists() || !av.Equal(l, r)
	}
	c, ok := av.Compare(l, r)
	return ok && holds(c, p.op)
}

// holds tells whether an order, as of [av.Compare], fulfils a comparator.
func holds(order int, op expr.Op) bool {
	switch op {
	case expr.OpLt:
		return order < 0
	case expr.OpLe:
		return order <= 0
	case expr.OpGt:
		return order > 0
	default:
		return order >= 0
	}
}

func (p *interval) match(item av.Map) bool {
	v := p.of.in(item)
	low, ok := av.Compare(p.low.in(item), v)
	if !ok || low > 0 {
		return false
	}
	high, ok := av.Compare(v, p.high.in(item))
	return ok && high <= 0
}

func (p *membership) match(item av.Map) bool {
	v := p.of.in(item)
	if !v.Exists() {
		return false
	}
	for i := range p.list {
		if av.Equal(v, p.list[i].in(item)) {
			return true
		}
	}
	return false
}

func (p *existence) match(item av.Map) bool { return p.of.in(item).Exists() == p.want }

func (p *typeTest) match(item av.Map) bool {
	name := p.name.in(item)
	return name.Kind() == av.S && p.of.in(item).Kind().String() == name.Text() && name.Text() != ""
}

func (p *prefix) match(item av.Map) bool {
	v, w := p.of.in(item), p.with.in(item)
	return v.Kind() == w.Kind() && orderedText(v.Kind()) && strings.HasPrefix(v.Text(), w.Text())
}

// orderedText reports whether values of the kind have beginnings.
func orderedText(k av.Kind) bool { return k == av.S || k == av.B }

func (p *containment) match(item av.Map) bool { return p.of.in(item).Contains(p.with.in(item)) }

func (p all) operands(visit func(*Operand)) {
	for _, q := range p {
		q.operands(visit)
	}
}

func (p some) operands(visit func(*Operand)) { all(p).operands(visit) }

func (p *inverse) operands(visit func(*Operand)) { p.of.operands(visit) }

func (p *compare) operands(visit func(*Operand)) { visitEach(visit, &p.left, &p.right) }

func (p *interval) operands(visit func(*Operand)) { visitEach(visit, &p.of, &p.low, &p.high) }

func (p *membership) operands(visit func(*Operand)) {
	visit(&p.of)
	for i := range p.list {
		visit(&p.list[i])
	}
}

func (p *existence) operands(visit func(*Operand)) { visit(&p.of) }

func (p *typeTest) operands(visit func(*Operand)) { visitEach(visit, &p.of, &p.name) }

func (p *prefix) operands(visit func(*Operand)) { visitEach(visit, &p.of, &p.with) }

func (p *containment) operands(visit func(*Operand)) { visitEach(visit, &p.of, &p.with) }

func visitEach(visit func(*Operand), operands ...*Operand) {
	for _, o := range operands {
		visit(o)
	}
}
