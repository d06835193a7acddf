package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// cond binds a condition.
func (b *binder) cond(c expr.Cond) Predicate {
	switch c := c.(type) {
	case *expr.Logical:
		members := b.members(nil, c, c.Op)
		if c.Op == expr.OpOr {
			return Any(members...)
		}
		return All(members...)
	case *expr.Not:
		return Not(b.cond(c.Cond))
	case *expr.Compare:
		return b.compare(c)
	case *expr.Between:
		return b.between(c)
	case *expr.In:
		return b.in(c)
	case *expr.Call:
		return b.call(c)
	}
	return nil // the parser lets nothing else through
}

// members binds what is joined by one operator, from left to right.
func (b *binder) members(to []Predicate, c expr.Cond, op expr.Op) []Predicate {
	l, ok := c.(*expr.Logical)
	if !ok || l.Op != op {
		return append(to, b.cond(c))
	}
	return b.members(b.members(to, l.Left, op), l.Right, op)
}

func (b *binder) compare(c *expr.Compare) Predicate {
	left, right := b.operand(c.Left), b.operand(c.Right)
	b.distinct(string(c.Op), left.plainPath(), right.plainPath())
	if c.Op != expr.OpEq && c.Op != expr.OpNe {
		b.ordered(string(c.Op), &left, &right)
	}
	return Compare(left, c.Op, right)
}

// ordered notes the operands that can have no place in an order.
func (b *binder) ordered(op string, operands ...*Operand) {
	for _, o := range operands {
		if k := o.kind(); k != av.None && !k.Scalar() {
			b.wrongType(op, k.String())
		}
	}
}

func (b *binder) between(c *expr.Between) Predicate {
	o, low, high := b.operand(c.Operand), b.operand(c.Low), b.operand(c.High)
	b.distinct(string(expr.OpBetween), o.plainPath(), low.plainPath(), high.plainPath())
	b.ordered(string(expr.OpBetween), &o, &low, &high)
	if low.isConstant() && high.isConstant() {
		b.bounds(low.value, high.value)
	}
	return Between(o, low, high)
}

// bounds notes constant bounds that enclose nothing whatever the item.
func (b *binder) bounds(low, high av.Value) {
	const operands = "lower bound operand: AttributeValue: %s, upper bound operand: AttributeValue: %s"
	order, ok := av.Compare(low, high)
	switch {
	case !ok:
		b.note(operandUse, "The BETWEEN operator requires same data type for lower and upper bounds; "+operands, low.Print(), high.Print())
	case order > 0:
		b.note(operandUse, "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "+operands, low.Print(), high.Print())
	}
}

func (b *binder) in(c *expr.In) Predicate {
	o, list := b.operand(c.Operand), b.operands(c.List)
	if len(list) > limits.InOperands {
		b.note(operandUse, "The IN operator is provided with too many operands; number of operands: %d", len(list))
	}
	paths := make([]Path, len(list))
	for i := range list {
		paths[i] = list[i].plainPath()
	}
	b.distinct(string(expr.OpIn), o.plainPath(), paths...)
	return In(o, list...)
}

func (b *binder) call(c *expr.Call) Predicate {
	args := b.operands(c.Args)
	arity := 2
	if c.Function == expr.FuncAttributeExists || c.Function == expr.FuncAttributeNotExists {
		arity = 1
	}
	if !b.count(c.Function, len(args), arity) {
		return All()
	}
	if arity == 1 {
		return b.existence(c.Function, &args[0])
	}
	b.distinct(c.Function, args[0].plainPath(), args[1].plainPath())
	switch c.Function {
	case expr.FuncAttributeType:
		b.typeName(c.Function, &args[0], &args[1])
		return HasType(args[0], args[1])
	case expr.FuncBeginsWith:
		b.text(c.Function, &args[0], &args[1])
		return BeginsWith(args[0], args[1])
	default:
		return Contains(args[0], args[1])
	}
}

func (b *binder) existence(function string, o *Operand) Predicate {
	if o.plainPath() == nil {
		b.needsPath(function)
	}
	return &existence{*o, function == expr.FuncAttributeExists}
}

// text notes operands that can never have a beginning.
func (b *binder) text(function string, operands ...*Operand) {
	for _, o := range operands {
		if k := o.kind(); k != av.None && !orderedText(k) {
			b.wrongType(function, k.String())
		}
	}
}

// typeNames lists the kinds as messages on attribute_type do.
const typeNames = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"

// typeName notes what cannot be the operands of attribute_type. Unlike the
// functions on existence it takes a value in the place of a path, and only a value
// names the kind (observed).
func (b *binder) typeName(function string, o, name *Operand) {
	if o.size {
		b.needsPath(function)
	}
	if name.plainPath() != nil {
		b.wrongType(function, typeNames)
	}
	switch k := name.kind(); k {
	case av.None:
	case av.S:
		text := name.value.Text()
		if _, ok := av.KindOf(text); !ok {
			b.note(operandUse, "Invalid attribute type name found; type: %s, valid types: %s", text, typeNames)
		}
	default:
		b.wrongType(function, k.String())
	}
}
