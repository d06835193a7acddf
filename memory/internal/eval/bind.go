package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// class is a kind of fault in an expression of sound syntax. In an update or
// projection the service looks for one class after the other. In a condition it
// finishes with one comparison or function before it turns to the next, so that
// there all faults are of one class, and the order within a comparison is that
// of the checks made on it (both observed).
type class uint8

const (
	undefinedName class = iota
	undefinedValue
	pathOverlap
	pathConflict
	memberType // operands of ADD and DELETE
	operandUse // number, kinds and values of operands
	classes
)

// binder binds the expressions of one request, one after the other.
type binder struct {
	names  placeholders[string]
	values placeholders[av.Value]

	kind   expr.Kind       // of the expression at hand
	faults [classes]*Error // found in it, the first of each class

	key Predicate // the bound key condition, if there is one

	steps []Step // room for those of paths to come
}

// note records a fault unless one of its class was met before.
func (b *binder) note(c class, format string, args ...any) {
	if b.kind != expr.Update && b.kind != expr.Projection {
		c = operandUse
	}
	if b.faults[c] == nil {
		b.faults[c] = refused("Invalid "+b.kind.String()+": "+format, args...)
	}
}

// fault returns the fault of the expression at hand that the service reports.
func (b *binder) fault() error {
	for _, f := range b.faults {
		if f != nil {
			return f
		}
	}
	return nil
}

// path resolves the names of a path. An undefined one is left as it is written.
func (b *binder) path(p *expr.Path) Path {
	out := b.newPath(len(p.Elements))
	for i, e := range p.Elements {
		out[i] = Step{Name: e.Name, Index: e.Index}
		if !e.Placeholder() {
			continue
		}
		name, ok := b.names.resolve(e.Name)
		if !ok {
			b.note(undefinedName, "An expression attribute name used in the document path is not defined; attribute name: %s", e.Name)
			continue
		}
		out[i].Name = name
	}
	return out
}

// newPath returns a path of n steps. Those of a request share their memory, which
// has room for a step to each placeholder, since most are of one sort or go with
// the other.
func (b *binder) newPath(n int) Path {
	if len(b.steps) < n {
		b.steps = make([]Step, max(n, len(b.names), len(b.values)))
	}
	p := Path(b.steps[:n:n])
	b.steps = b.steps[n:]
	return p
}

// value resolves a value.
func (b *binder) value(v *expr.Value) av.Value {
	value, ok := b.values.resolve(v.Name)
	if !ok {
		b.note(undefinedValue, "An expression attribute value used in expression is not defined; attribute value: %s", v.Name)
	}
	return value
}

// Checks on operands, shared by conditions and updates.

// count notes a function or operator with the wrong number of operands, and
// reports whether it has the right one.
func (b *binder) count(op string, got, want int) bool {
	if got != want {
		b.note(operandUse, "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", op, got)
	}
	return got == want
}

func (b *binder) wrongType(op, kind string) {
	b.note(operandUse, "Incorrect operand type for operator or function; operator or function: %s, operand type: %s", op, kind)
}

func (b *binder) needsPath(op string) {
	b.note(operandUse, "Operator or function requires a document path; operator or function: %s", op)
}

// distinct notes a first operand that is repeated among the others.
func (b *binder) distinct(op string, first Path, rest ...Path) {
	for _, p := range rest {
		if first != nil && first.equal(p) {
			b.note(operandUse, "The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", op, first)
		}
	}
}
