package eval

import (
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Source is what SET assigns. An [Operand] is one; its path must lead somewhere.
type Source interface {
	// from returns the value, computed from the old image.
	from(old av.Map) (av.Value, error)
	// kind returns the kind that every such value has, None if that depends on
	// the item.
	kind() av.Kind
	// appendPaths appends the paths that the value is computed from.
	appendPaths(to []Path) []Path
}

type (
	defaulted struct {
		path     Path
		fallback Source
	}
	appended   struct{ left, right Source }
	calculated struct {
		op          expr.Op
		left, right Source
	}
)

func (o Operand) from(old av.Map) (av.Value, error) {
	v := o.in(old)
	if !v.Exists() {
		return v, errMissing
	}
	return v, nil
}

func (d defaulted) from(old av.Map) (av.Value, error) {
	if v := d.path.In(old); v.Exists() {
		return v, nil
	}
	return d.fallback.from(old)
}

func (a appended) from(old av.Map) (av.Value, error) {
	l, r, err := both(a.left, a.right, av.L, old)
	if err != nil {
		return av.Value{}, err
	}
	return joined(l, r), nil
}

// joined returns the elements of l, then those of r.
func joined(l, r av.Value) av.Value { return av.List(slices.Concat(l.List(), r.List())) }

func (c calculated) from(old av.Map) (av.Value, error) {
	l, r, err := both(c.left, c.right, av.N, old)
	if err != nil {
		return av.Value{}, err
	}
	return sum(c.op, l, r)
}

// both returns two values that must be of one kind.
func both(left, right Source, k av.Kind, old av.Map) (l, r av.Value, err error) {
	if l, err = left.from(old); err != nil {
		return l, r, err
	}
	if r, err = right.from(old); err != nil {
		return l, r, err
	}
	if l.Kind() != k || r.Kind() != k {
		return l, r, errOperand
	}
	return l, r, nil
}

// sum returns l + r or l - r, both numbers.
func sum(op expr.Op, l, r av.Value) (av.Value, error) {
	apply := av.Number.Add
	if op == expr.OpMinus {
		apply = av.Number.Sub
	}
	n, err := apply(l.Number(), r.Number())
	if err != nil {
		return av.Value{}, failed("%s", err)
	}
	return av.Num(n), nil
}

func (d defaulted) kind() av.Kind  { return av.None }
func (a appended) kind() av.Kind   { return av.L }
func (c calculated) kind() av.Kind { return av.N }

func (o Operand) appendPaths(to []Path) []Path {
	if o.path == nil {
		return to
	}
	return append(to, o.path)
}

func (d defaulted) appendPaths(to []Path) []Path {
	return d.fallback.appendPaths(append(to, d.path))
}

func (a appended) appendPaths(to []Path) []Path { return a.right.appendPaths(a.left.appendPaths(to)) }

func (c calculated) appendPaths(to []Path) []Path { return c.right.appendPaths(c.left.appendPaths(to)) }
