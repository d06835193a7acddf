package ddb

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

// Cond is a condition on items of the entity T, for If and Filter. The zero
// Cond is no condition: always true.
type Cond[T any] struct{ c cond }

// cond is a condition, whatever its entity.
type cond struct {
	builder expression.ConditionBuilder
	handles []*handle // attributes it names
	err     error
	set     bool
}

func (c cond) and(o cond) cond { return c.join(o, expression.ConditionBuilder.And) }
func (c cond) or(o cond) cond  { return c.join(o, expression.ConditionBuilder.Or) }

type joiner func(expression.ConditionBuilder, expression.ConditionBuilder, ...expression.ConditionBuilder) expression.ConditionBuilder

func (c cond) join(o cond, by joiner) cond {
	if c.err != nil || !o.set && o.err == nil {
		return c
	}
	if o.err != nil || !c.set {
		return o
	}
	handles := append(append([]*handle{}, c.handles...), o.handles...)
	return cond{builder: by(c.builder, o.builder), handles: handles, set: true}
}

// raw is a condition made with package expression alone.
func raw(b expression.ConditionBuilder) cond { return cond{builder: b, set: true} }

// And is true where both conditions are.
func (c Cond[T]) And(o Cond[T]) Cond[T] { return Cond[T]{c.c.and(o.c)} }

// Or is true where either condition is.
func (c Cond[T]) Or(o Cond[T]) Cond[T] { return Cond[T]{c.c.or(o.c)} }

// Not is true where the condition is not.
func (c Cond[T]) Not() Cond[T] {
	if c.c.set {
		c.c.builder = c.c.builder.Not()
	}
	return c
}

type comparison func(left, right expression.OperandBuilder) expression.ConditionBuilder

func (a Attribute[T, V]) compare(v V, by comparison) Cond[T] {
	av, err := a.handle().encode(v)
	if err != nil {
		return Cond[T]{cond{err: err}}
	}
	return a.cond(by(a.handle().name(), expression.Value(av)))
}

// cond makes a condition of a builder that names the attribute.
func (a Attribute[T, V]) cond(b expression.ConditionBuilder) Cond[T] {
	return Cond[T]{cond{builder: b, handles: []*handle{a.handle()}, set: true}}
}

// Eq is true where the attribute equals v.
func (a Attribute[T, V]) Eq(v V) Cond[T] { return a.compare(v, expression.Equal) }

// Ne is true where the attribute differs from v or is missing.
func (a Attribute[T, V]) Ne(v V) Cond[T] { return a.compare(v, expression.NotEqual) }

// Lt is true where the attribute is less than v. Like Le, Gt, Ge and Between it
// compares numbers, strings and binaries, and is false for a missing attribute.
func (a Attribute[T, V]) Lt(v V) Cond[T] { return a.compare(v, expression.LessThan) }

// Le is true where the attribute is at most v.
func (a Attribute[T, V]) Le(v V) Cond[T] { return a.compare(v, expression.LessThanEqual) }

// Gt is true where the attribute is greater than v.
func (a Attribute[T, V]) Gt(v V) Cond[T] { return a.compare(v, expression.GreaterThan) }

// Ge is true where the attribute is at least v.
func (a Attribute[T, V]) Ge(v V) Cond[T] { return a.compare(v, expression.GreaterThanEqual) }

// Between is true where the attribute is at least lo and at most hi.
func (a Attribute[T, V]) Between(lo, hi V) Cond[T] {
	l, err := a.handle().encode(lo)
	if err != nil {
		return Cond[T]{cond{err: err}}
	}
	h, err := a.handle().encode(hi)
	if err != nil {
		return Cond[T]{cond{err: err}}
	}
	return a.cond(expression.Between(a.handle().name(), expression.Value(l), expression.Value(h)))
}

// In is true where the attribute equals one of the values, of which there may
// be 1 to 100.
func (a Attribute[T, V]) In(values ...V) Cond[T] {
	if len(values) == 0 || len(values) > 100 {
		return Cond[T]{cond{err: because(ErrExpression, "In takes 1 to 100 values, not %d", len(values))}}
	}
	operands := make([]expression.OperandBuilder, len(values))
	for i, v := range values {
		av, err := a.handle().encode(v)
		if err != nil {
			return Cond[T]{cond{err: err}}
		}
		operands[i] = expression.Value(av)
	}
	return a.cond(expression.In(a.handle().name(), operands[0], operands[1:]...))
}

// Exists is true where the item has the attribute.
func (a Attribute[T, V]) Exists() Cond[T] {
	if a.handle().err != nil {
		return Cond[T]{cond{err: a.handle().err}}
	}
	return a.cond(expression.AttributeExists(a.handle().name()))
}

// NotExists is true where the item does not have the attribute.
func (a Attribute[T, V]) NotExists() Cond[T] {
	if a.handle().err != nil {
		return Cond[T]{cond{err: a.handle().err}}
	}
	return a.cond(expression.AttributeNotExists(a.handle().name()))
}

// BeginsWith is true where the attribute is a string that begins with prefix.
func (a Attribute[T, V]) BeginsWith(prefix string) Cond[T] {
	if a.handle().err != nil {
		return Cond[T]{cond{err: a.handle().err}}
	}
	return a.cond(expression.BeginsWith(a.handle().name(), prefix))
}

// Contains is true where the attribute is a string that contains v, or a set or
// list with the member v.
func (a Attribute[T, V]) Contains(v any) Cond[T] {
	if a.handle().err != nil {
		return Cond[T]{cond{err: a.handle().err}}
	}
	av, err := a.handle().encodeMember(v)
	if err != nil {
		return Cond[T]{cond{err: err}}
	}
	return a.cond(expression.Contains(a.handle().name(), av))
}
