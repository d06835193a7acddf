package expr

import (
	"strconv"
	"strings"
)

// String returns the expression in one spelling of its own: keywords in upper
// case, one space around operators, no parentheses that the grammar does not
// need. Parsing it as the same kind yields an equal tree but for offsets.
func (t *Tree) String() string {
	var b printer
	switch {
	case t.Cond != nil:
		b.cond(t.Cond)
	case t.Sections != nil:
		for i, s := range t.Sections {
			b.separate(i, " ")
			b.section(s)
		}
	default:
		for i, p := range t.Paths {
			b.separate(i, ", ")
			b.operand(p)
		}
	}
	return b.String()
}

// String returns the path as written, with its placeholders.
func (p *Path) String() string {
	var b printer
	b.operand(p)
	return b.String()
}

type printer struct{ strings.Builder }

func (b *printer) separate(i int, sep string) {
	if i > 0 {
		b.WriteString(sep)
	}
}

// binding is how tightly a condition holds together.
type binding uint8

const (
	loose binding = iota // OR
	middle
	tight
	closed // everything but OR, AND and NOT
)

func bindingOf(c Cond) binding {
	switch c := c.(type) {
	case *Logical:
		if c.Op == OpOr {
			return loose
		}
		return middle
	case *Not:
		return tight
	}
	return closed
}

// inner prints a condition inside another, in parentheses if it holds together
// less than least.
func (b *printer) inner(c Cond, least binding) {
	if bindingOf(c) >= least {
		b.cond(c)
		return
	}
	b.WriteByte('(')
	b.cond(c)
	b.WriteByte(')')
}

func (b *printer) cond(c Cond) {
	switch c := c.(type) {
	case *Logical:
		own := bindingOf(c)
		b.inner(c.Left, own)
		b.op(c.Op)
		b.inner(c.Right, own+1) // the operators group to the left
	case *Not:
		b.WriteString(string(OpNot) + " ")
		b.inner(c.Cond, tight)
	case *Compare:
		b.operand(c.Left)
		b.op(c.Op)
		b.operand(c.Right)
	case *Between:
		b.operand(c.Operand)
		b.op(OpBetween)
		b.operand(c.Low)
		b.op(OpAnd)
		b.operand(c.High)
	case *In:
		b.operand(c.Operand)
		b.op(OpIn)
		b.list(c.List)
	case *Call:
		b.operand(c)
	}
}

func (b *printer) op(op Op) { b.WriteString(" " + string(op) + " ") }

func (b *printer) list(operands []Operand) {
	b.WriteByte('(')
	for i, o := range operands {
		b.separate(i, ", ")
		b.operand(o)
	}
	b.WriteByte(')')
}

func (b *printer) operand(o Operand) {
	switch o := o.(type) {
	case *Path:
		for i, e := range o.Elements {
			b.element(i, e)
		}
	case *Value:
		b.WriteString(o.Name)
	case *Call:
		b.WriteString(o.Function)
		b.list(o.Args)
	case *Arithmetic:
		b.operand(o.Left)
		b.op(o.Op)
		b.operand(o.Right)
	}
}

func (b *printer) element(i int, e Element) {
	if e.Name == "" {
		b.WriteString("[" + strconv.Itoa(e.Index) + "]")
		return
	}
	b.separate(i, ".")
	b.WriteString(e.Name)
}

func (b *printer) section(s Section) {
	b.WriteString(string(s.Verb) + " ")
	for i, a := range s.Actions {
		b.separate(i, ", ")
		b.operand(a.Target)
		if s.Verb == Set {
			b.op(OpEq)
		} else if a.Value != nil {
			b.WriteByte(' ')
		}
		b.operand(a.Value)
	}
}
