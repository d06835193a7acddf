package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// update binds an update.
func (b *binder) update(sections []expr.Section) *Update {
	n := 0
	for _, s := range sections {
		n += len(s.Actions)
	}
	actions := make([]Action, 0, n)
	for _, s := range sections {
		for _, a := range s.Actions {
			actions = append(actions, b.action(s.Verb, a))
		}
	}
	u := newUpdate(actions)
	u.root = b.separate(u.paths)
	return u
}

func (b *binder) action(v expr.Verb, a expr.Action) Action {
	action := Action{verb: v, target: b.path(a.Target)}
	switch v {
	case expr.Set:
		action.source = b.source(a.Value)
	case expr.Add, expr.Delete:
		o := b.operand(a.Value)
		b.member(v, o.value.Kind())
		action.source = o
	}
	return action
}

// longNames are the names of types in messages about ADD and DELETE. Those of
// sets do not occur.
var longNames = map[av.Kind]string{
	av.S: "STRING", av.N: "NUMBER", av.B: "BINARY", av.NULL: "NULL", av.BOOL: "BOOLEAN", av.L: "LIST", av.M: "MAP",
}

// member notes what cannot be added or deleted: ADD takes a number or a set,
// DELETE a set.
func (b *binder) member(v expr.Verb, k av.Kind) {
	if k.Set() || k == av.N && v == expr.Add || k == av.None {
		return
	}
	b.note(memberType, "Incorrect operand type for operator or function; operator: %s, operand type: %s", v, longNames[k])
}

// source binds what SET assigns, or a part of it.
func (b *binder) source(o expr.Operand) Source {
	switch o := o.(type) {
	case *expr.Arithmetic:
		l, r := b.source(o.Left), b.source(o.Right)
		b.both(string(o.Op), l, r, av.N)
		return calculated{o.Op, l, r}
	case *expr.Call:
		return b.function(o)
	}
	return b.operand(o)
}

func (b *binder) function(c *expr.Call) Source {
	args := make([]Source, len(c.Args))
	for i, a := range c.Args {
		args[i] = b.source(a)
	}
	if !b.count(c.Function, len(args), 2) {
		return args[0]
	}
	if c.Function == expr.FuncListAppend {
		b.both(c.Function, args[0], args[1], av.L)
		return appended{args[0], args[1]}
	}
	path := pathOf(args[0])
	if path == nil {
		b.needsPath(c.Function)
	}
	b.distinct(c.Function, path, pathOf(args[1]))
	return defaulted{path, args[1]}
}

// pathOf returns the path of a source that is nothing but a path.
func pathOf(s Source) Path {
	if o, ok := s.(Operand); ok {
		return o.plainPath()
	}
	return nil
}

// both notes operands that never are of the kind that op takes.
func (b *binder) both(op string, left, right Source, want av.Kind) {
	for _, s := range [...]Source{left, right} {
		if k := s.kind(); k != av.None && k != want {
			b.wrongType(op, k.String())
		}
	}
}
