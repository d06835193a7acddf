package model

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Path is a document path: strings and ints, the first a string.
type Path []any

// Name returns the path of a top-level attribute.
func Name(name string) Path { return Path{name} }

// Root returns the name of the top-level attribute.
func (p Path) Root() string { return p[0].(string) }

// in returns what is at the path, nil for nothing.
func (p Path) in(item Item) Value {
	v := item[p.Root()]
	for _, step := range p[1:] {
		switch step := step.(type) {
		case string:
			v = mapping(v)[step]
		case int:
			elements := list(v)
			if step >= len(elements) {
				return nil
			}
			v = elements[step]
		}
	}
	return v
}

// Operand is a value of the request, or what a path leads to, or the size of
// what it leads to.
type Operand struct {
	Path  Path // nil for a value
	Value Value
	Size  bool
}

func (o Operand) in(item Item) Value {
	if o.Path == nil {
		return o.Value
	}
	v := o.Path.in(item)
	if o.Size {
		v = sizeOf(v)
	}
	return v
}

// Cond is a condition. Op is and, or, not with Subs, or one of the operators and
// functions of expressions with Args.
type Cond struct {
	Op   string
	Args []Operand
	Subs []*Cond
}

// Roots appends the top-level attributes that a condition looks at; of nil there
// are none.
func (c *Cond) Roots(to []string) []string {
	if c == nil {
		return to
	}
	for _, s := range c.Subs {
		to = s.Roots(to)
	}
	for _, a := range c.Args {
		if a.Path != nil {
			to = append(to, a.Path.Root())
		}
	}
	return to
}

// Holds reports whether an item, nil for none, meets the condition; nil demands
// nothing.
func (c *Cond) Holds(item Item) bool {
	if c == nil {
		return true
	}
	holds := func(s *Cond) bool { return s.Holds(item) }
	args := make([]Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.in(item)
	}
	switch c.Op {
	case "and":
		return !slices.ContainsFunc(c.Subs, func(s *Cond) bool { return !holds(s) })
	case "or":
		return slices.ContainsFunc(c.Subs, holds)
	case "not":
		return !holds(c.Subs[0])
	case "=":
		return args[0] != nil && Equal(args[0], args[1])
	case "<>":
		return args[0] == nil || !Equal(args[0], args[1])
	case "between":
		return ordered(args[1], "<=", args[0]) && ordered(args[0], "<=", args[2])
	case "in":
		return args[0] != nil && slices.ContainsFunc(args[1:], func(v Value) bool { return Equal(args[0], v) })
	case "attribute_exists":
		return args[0] != nil
	case "attribute_not_exists":
		return args[0] == nil
	case "attribute_type":
		return args[0] != nil && Equal(args[1], text(Kind(args[0])))
	case "begins_with":
		return beginsWith(args[0], args[1])
	case "contains":
		return args[1] != nil && contains(args[0], args[1])
	}
	return ordered(args[0], c.Op, args[1])
}

// ordered is a comparison that needs an order.
func ordered(a Value, op string, b Value) bool {
	order, ok := compare(a, b)
	switch op {
	case "<":
		return ok && order < 0
	case "<=":
		return ok && order <= 0
	case ">":
		return ok && order > 0
	default:
		return ok && order >= 0
	}
}

func text(s string) Value { return &types.AttributeValueMemberS{Value: s} }
