package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Operand is a value in a condition: a constant, what a path leads to, or the
// size of either. Make one with [Constant], [At] or [SizeOf].
type Operand struct {
	path  Path     // nil for a constant
	value av.Value // of a constant
	size  bool
}

// Constant returns the operand that always has the value v.
func Constant(v av.Value) Operand { return Operand{value: v} }

// At returns the operand that has the value at p, or none if p leads nowhere.
func At(p Path) Operand { return Operand{path: p} }

// SizeOf returns the operand that has the size of o, or none if o has no size.
// Expressions.OperatorsAndFunctions.html#Expressions.OperatorsAndFunctions.Functions;
// for the unit see [av.Value.Len].
func SizeOf(o Operand) Operand {
	o.size = true
	return o
}

// in returns the value of the operand for an item, the zero Value for none.
func (o *Operand) in(item av.Map) av.Value {
	v := o.value
	if o.path != nil {
		v = o.path.In(item)
	}
	if !o.size {
		return v
	}
	n, ok := v.Len()
	if !ok {
		return av.Value{}
	}
	return av.Num(av.Int(n))
}

// kind returns the kind that every value of the operand has, None if that
// depends on the item.
func (o Operand) kind() av.Kind {
	if o.size {
		return av.N
	}
	return o.value.Kind()
}

// plainPath returns the path of an operand that is nothing but a path.
func (o *Operand) plainPath() Path {
	if o.size {
		return nil
	}
	return o.path
}

// isConstant reports whether the operand is a value of the request as such.
func (o *Operand) isConstant() bool { return o.path == nil && !o.size }

// operand binds an operand of a condition. The only function there is size.
func (b *binder) operand(o expr.Operand) Operand {
	switch o := o.(type) {
	case *expr.Path:
		return At(b.path(o))
	case *expr.Value:
		return Constant(b.value(o))
	case *expr.Call:
		args := b.operands(o.Args)
		if b.count(o.Function, len(args), 1) {
			b.sized(o.Function, &args[0])
		}
		return SizeOf(args[0])
	}
	return Operand{} // the parser lets nothing else through
}

func (b *binder) operands(list []expr.Operand) []Operand {
	out := make([]Operand, len(list))
	for i, o := range list {
		out[i] = b.operand(o)
	}
	return out
}

// sized notes an operand that never has a size.
func (b *binder) sized(function string, o *Operand) {
	switch k := o.kind(); k {
	case av.N, av.BOOL, av.NULL:
		b.wrongType(function, k.String())
	}
}
