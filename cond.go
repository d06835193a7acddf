package ddb

import (
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Cond is a condition on items of the entity T, for If and Filter. The zero
// Cond is no condition: always true.
type Cond[T any] struct{ c *cond }

// cond is a condition, whatever its entity.
type cond struct {
	builder expression.ConditionBuilder
	handles []*handle // attributes it names
	err     error
	set     bool
}

// value returns the condition that a [Cond] holds.
func (c *cond) value() cond {
	if c == nil {
		return cond{}
	}
	return *c
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

func (c *cond) both(o *cond) *cond {
	joined := c.value().and(o.value())
	return &joined
}

// either is true where no condition is, since none is always true.
func (c *cond) either(o *cond) *cond {
	joined := c.value().or(o.value())
	if joined.err == nil && !(c.value().set && o.value().set) {
		return nil
	}
	return &joined
}

func (c *cond) not() *cond {
	not := c.value()
	switch {
	case not.set:
		not.builder = not.builder.Not()
	case not.err == nil:
		not.err = because(ErrExpression, "Not was called on no condition, of which nothing can be the opposite")
	}
	return &not
}

// raw is a condition made with package expression alone.
func raw(b expression.ConditionBuilder) cond { return cond{builder: b, set: true} }

// And is true where both conditions are.
func (c Cond[T]) And(o Cond[T]) Cond[T] { return Cond[T]{c.c.both(o.c)} }

// Or is true where either condition is. If one of them is no condition, neither is
// the result: to join conditions in a loop, begin with the first and not with the
// zero Cond.
func (c Cond[T]) Or(o Cond[T]) Cond[T] { return Cond[T]{c.c.either(o.c)} }

// Not is true where the condition is not. That of no condition cannot be sent: it
// fails with [ErrExpression] where it is used.
func (c Cond[T]) Not() Cond[T] { return Cond[T]{c.c.not()} }

// Builder returns the condition for use with package expression, beside others
// made there. It is not set if the condition is none or cannot be sent.
func (c Cond[T]) Builder() expression.ConditionBuilder { return c.c.value().builder }

// Cond makes a condition of one made with package expression, to be joined with
// others. It is sent as it is: names and values are not checked.
func (d *Definition[T]) Cond(b expression.ConditionBuilder) Cond[T] {
	return Cond[T]{&cond{builder: b, set: true}}
}

type comparison func(left, right expression.OperandBuilder) expression.ConditionBuilder

// comparand returns the stored form of a value to compare the attribute with. One that
// is never stored equals nothing, not even an attribute that is missing.
func (h *handle) comparand(v any) (types.AttributeValue, error) {
	return h.valued(v, "Exists, NotExists or HasType")
}

// compare makes the condition that compares the attribute with a value.
func (h *handle) compare(v any, by comparison) *cond {
	av, err := h.comparand(v)
	if err != nil {
		return &cond{err: err}
	}
	return h.cond(by(h.path.name(), expression.Value(av)))
}

// compareWith makes the condition that compares the attribute with another.
func (h *handle) compareWith(o *handle, by comparison) *cond {
	switch {
	case h.err != nil:
		return &cond{err: h.err}
	case o.err != nil:
		return &cond{err: o.err}
	case slices.Equal(h.path, o.path):
		return &cond{err: h.refuse(because(ErrExpression, "an attribute is not compared with itself"))}
	}
	return h.cond(by(h.path.name(), o.path.name())).noting(o)
}

func (c *cond) noting(h *handle) *cond {
	c.handles = append(c.handles, h)
	return c
}

// cond makes a condition of a builder that names the attribute.
func (h *handle) cond(b expression.ConditionBuilder) *cond {
	return &cond{builder: b, handles: []*handle{h}, set: true}
}

// test makes a condition of the attribute alone.
func (h *handle) test(with func(expression.NameBuilder) expression.ConditionBuilder) *cond {
	if h.err != nil {
		return &cond{err: h.err}
	}
	return h.cond(with(h.path.name()))
}

func (h *handle) between(lo, hi any) *cond {
	l, err := h.comparand(lo)
	if err != nil {
		return &cond{err: err}
	}
	u, err := h.comparand(hi)
	if err != nil {
		return &cond{err: err}
	}
	if compareKeys(l, u) > 0 {
		return &cond{err: h.refuse(errReversed)}
	}
	return h.cond(expression.Between(h.path.name(), expression.Value(l), expression.Value(u)))
}

// maxOperands is how many values IN compares with.
// Expressions.OperatorsAndFunctions.html#Expressions.OperatorsAndFunctions.Syntax.
const maxOperands = 100

func (h *handle) in(n int, value func(i int) any) *cond {
	if n == 0 || n > maxOperands {
		return &cond{err: h.refuse(because(ErrExpression, "In takes 1 to %d values, not %d", maxOperands, n))}
	}
	operands := make([]expression.OperandBuilder, n)
	for i := range operands {
		av, err := h.comparand(value(i))
		if err != nil {
			return &cond{err: err}
		}
		operands[i] = expression.Value(av)
	}
	return h.cond(expression.In(h.path.name(), operands[0], operands[1:]...))
}

func (h *handle) contains(v any) *cond {
	av, err := h.encodeMember(v)
	if err != nil {
		return &cond{err: err}
	}
	return h.cond(expression.Contains(h.path.name(), av))
}

func (h *handle) beginsWith(prefix string) *cond {
	if h.err == nil && !utf8.ValidString(prefix) {
		return &cond{err: h.refuse(&typedError{ErrExpression, notUTF8(reflect.TypeFor[string]())})}
	}
	return h.test(func(n expression.NameBuilder) expression.ConditionBuilder { return n.BeginsWith(prefix) })
}

// attributeTypes are those that attribute_type knows.
var attributeTypes = []expression.DynamoDBAttributeType{
	expression.String, expression.StringSet, expression.Number, expression.NumberSet, expression.Binary, expression.BinarySet,
	expression.Boolean, expression.Null, expression.List, expression.Map,
}

func (h *handle) hasType(t expression.DynamoDBAttributeType) *cond {
	if h.err == nil && !slices.Contains(attributeTypes, t) {
		return &cond{err: h.refuse(because(ErrExpression, "HasType takes a type of DynamoDB, such as expression.String"))}
	}
	return h.test(func(n expression.NameBuilder) expression.ConditionBuilder { return n.AttributeType(t) })
}

// Eq is true where the attribute equals v. A value that is never stored, such as nil,
// is refused by each comparison with [ErrExpression]: for a missing attribute ask
// NotExists, for a NULL HasType.
func (a Attribute[T, V]) Eq(v V) Cond[T] { return Cond[T]{a.h.made().compare(v, expression.Equal)} }

// Ne is true where the attribute differs from v or is missing.
func (a Attribute[T, V]) Ne(v V) Cond[T] { return Cond[T]{a.h.made().compare(v, expression.NotEqual)} }

// Lt is true where the attribute is less than v. Like Le, Gt, Ge and Between it
// compares numbers, strings and binaries, and is false for a missing attribute.
func (a Attribute[T, V]) Lt(v V) Cond[T] { return Cond[T]{a.h.made().compare(v, expression.LessThan)} }

// Le is true where the attribute is at most v.
func (a Attribute[T, V]) Le(v V) Cond[T] {
	return Cond[T]{a.h.made().compare(v, expression.LessThanEqual)}
}

// Gt is true where the attribute is greater than v.
func (a Attribute[T, V]) Gt(v V) Cond[T] {
	return Cond[T]{a.h.made().compare(v, expression.GreaterThan)}
}

// Ge is true where the attribute is at least v.
func (a Attribute[T, V]) Ge(v V) Cond[T] {
	return Cond[T]{a.h.made().compare(v, expression.GreaterThanEqual)}
}

// Between is true where the attribute is at least lo and at most hi.
func (a Attribute[T, V]) Between(lo, hi V) Cond[T] { return Cond[T]{a.h.made().between(lo, hi)} }

// In is true where the attribute equals one of the values, of which there may
// be 1 to 100.
func (a Attribute[T, V]) In(values ...V) Cond[T] {
	return Cond[T]{a.h.made().in(len(values), func(i int) any { return values[i] })}
}

// EqAttr is true where the attribute equals another. Like the other comparisons
// of two attributes it is false where either is missing.
func (a Attribute[T, V]) EqAttr(o Attribute[T, V]) Cond[T] {
	return Cond[T]{a.h.made().compareWith(o.h.made(), expression.Equal)}
}

// NeAttr is true where the attribute differs from another, and where either is
// missing.
func (a Attribute[T, V]) NeAttr(o Attribute[T, V]) Cond[T] {
	return Cond[T]{a.h.made().compareWith(o.h.made(), expression.NotEqual)}
}

// LtAttr is true where the attribute is less than another.
func (a Attribute[T, V]) LtAttr(o Attribute[T, V]) Cond[T] {
	return Cond[T]{a.h.made().compareWith(o.h.made(), expression.LessThan)}
}

// LeAttr is true where the attribute is at most another.
func (a Attribute[T, V]) LeAttr(o Attribute[T, V]) Cond[T] {
	return Cond[T]{a.h.made().compareWith(o.h.made(), expression.LessThanEqual)}
}

// GtAttr is true where the attribute is greater than another.
func (a Attribute[T, V]) GtAttr(o Attribute[T, V]) Cond[T] {
	return Cond[T]{a.h.made().compareWith(o.h.made(), expression.GreaterThan)}
}

// GeAttr is true where the attribute is at least another.
func (a Attribute[T, V]) GeAttr(o Attribute[T, V]) Cond[T] {
	return Cond[T]{a.h.made().compareWith(o.h.made(), expression.GreaterThanEqual)}
}

// Exists is true where the item has the attribute.
func (a Attribute[T, V]) Exists() Cond[T] {
	return Cond[T]{a.h.made().test(expression.NameBuilder.AttributeExists)}
}

// NotExists is true where the item does not have the attribute.
func (a Attribute[T, V]) NotExists() Cond[T] {
	return Cond[T]{a.h.made().test(expression.NameBuilder.AttributeNotExists)}
}

// HasType is true where the attribute is stored as the given type, such as
// expression.Null.
func (a Attribute[T, V]) HasType(t expression.DynamoDBAttributeType) Cond[T] {
	return Cond[T]{a.h.made().hasType(t)}
}

// BeginsWith is true where the attribute is a string that begins with prefix.
func (a Attribute[T, V]) BeginsWith(prefix string) Cond[T] {
	return Cond[T]{a.h.made().beginsWith(prefix)}
}

// Contains is true where the attribute is a string that contains v, or a set or
// list with the member v.
func (a Attribute[T, V]) Contains(v any) Cond[T] { return Cond[T]{a.h.made().contains(v)} }

// Size is the size of an attribute, for conditions: the length of a string in
// UTF-16 code units, of a binary in bytes, the number of members of a set, list or
// map. Where the attribute is missing, or is a number, bool or NULL, no comparison
// but Ne is true.
type Size[T any] struct{ h *handle }

// Size returns the attribute's size, for conditions.
func (a Attribute[T, V]) Size() Size[T] { return Size[T]{a.h.made()} }

func (h *handle) compareSize(n int, by comparison) *cond {
	return h.test(func(name expression.NameBuilder) expression.ConditionBuilder { return by(name.Size(), count(n)) })
}

func (h *handle) sizeBetween(lo, hi int) *cond {
	if h.err == nil && lo > hi {
		return &cond{err: h.refuse(errReversed)}
	}
	return h.test(func(name expression.NameBuilder) expression.ConditionBuilder {
		return name.Size().Between(count(lo), count(hi))
	})
}

func count(n int) expression.ValueBuilder { return expression.Value(integer(int64(n))) }

// Eq is true where the size is n.
func (s Size[T]) Eq(n int) Cond[T] { return Cond[T]{s.h.made().compareSize(n, expression.Equal)} }

// Ne is true where the size is not n.
func (s Size[T]) Ne(n int) Cond[T] { return Cond[T]{s.h.made().compareSize(n, expression.NotEqual)} }

// Lt is true where the size is less than n.
func (s Size[T]) Lt(n int) Cond[T] { return Cond[T]{s.h.made().compareSize(n, expression.LessThan)} }

// Le is true where the size is at most n.
func (s Size[T]) Le(n int) Cond[T] {
	return Cond[T]{s.h.made().compareSize(n, expression.LessThanEqual)}
}

// Gt is true where the size is greater than n.
func (s Size[T]) Gt(n int) Cond[T] { return Cond[T]{s.h.made().compareSize(n, expression.GreaterThan)} }

// Ge is true where the size is at least n.
func (s Size[T]) Ge(n int) Cond[T] {
	return Cond[T]{s.h.made().compareSize(n, expression.GreaterThanEqual)}
}

// Between is true where the size is at least lo and at most hi.
func (s Size[T]) Between(lo, hi int) Cond[T] { return Cond[T]{s.h.made().sizeBetween(lo, hi)} }

// integer is a whole number as it is stored.
func integer(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
