package model

import (
	"maps"
	"math/big"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Action is one thing that an update does. Verb is SET, REMOVE, ADD or DELETE;
// Legacy marks an element of AttributeUpdates.
type Action struct {
	Verb   string
	Target Path
	Source Source
	Legacy bool
}

// Source is what is assigned: an operand, or + - if_not_exists list_append of
// two Args.
type Source struct {
	Op      string
	Operand Operand
	Args    []Source
}

// Update is a list of actions of which no two overlap. Without any it makes the
// item and changes nothing.
type Update []Action

func (u Update) creates() bool {
	return len(u) == 0 || slices.ContainsFunc(u, func(a Action) bool { return a.Verb == "SET" || a.Verb == "ADD" })
}

func (u Update) targets(name string) bool {
	return slices.ContainsFunc(u, func(a Action) bool { return a.Target.Root() == name })
}

// kind returns the kind that every value of a source has, "" if the item decides.
func (s Source) kind() string {
	switch s.Op {
	case "+", "-":
		return "N"
	case "list_append":
		return "L"
	case "":
		return Kind(s.Operand.Value)
	}
	return ""
}

// from returns the value of a source for the item as it was before.
func (s Source) from(old Item) (Value, error) {
	if s.Op == "" {
		v := s.Operand.in(old)
		if v == nil {
			return nil, errMissing
		}
		return v, nil
	}
	if s.Op == "if_not_exists" {
		if v := s.Args[0].Operand.in(old); v != nil {
			return v, nil
		}
		return s.Args[1].from(old)
	}
	l, err := s.Args[0].from(old)
	if err != nil {
		return nil, err
	}
	r, err := s.Args[1].from(old)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Op == "list_append" && Kind(l) == "L" && Kind(r) == "L":
		return &types.AttributeValueMemberL{Value: slices.Concat(list(l), list(r))}, nil
	case s.Op == "+" && Kind(l) == "N" && Kind(r) == "N":
		return newNumber(new(big.Rat).Add(number(l), number(r))), nil
	case s.Op == "-" && Kind(l) == "N" && Kind(r) == "N":
		return newNumber(new(big.Rat).Sub(number(l), number(r))), nil
	}
	return nil, errOperand
}

// result returns what an action leaves at its target, nil for nothing.
func (a Action) result(old Item) (Value, error) {
	if a.Verb == "REMOVE" {
		return nil, nil
	}
	v, err := a.Source.from(old)
	if err != nil || a.Verb == "SET" {
		return v, err
	}
	before := a.Target.in(old)
	switch {
	case before == nil && a.Verb == "ADD":
		return v, nil
	case before == nil:
		return nil, nil
	case Kind(before) != Kind(v) && a.Legacy:
		return nil, errMismatch
	case Kind(before) != Kind(v):
		return nil, errOperand
	case a.Verb == "DELETE":
		left := slices.DeleteFunc(members(before), func(m Value) bool { return has(v, m) })
		return newSet(Kind(v), left), nil
	case Kind(v) == "N":
		return newNumber(new(big.Rat).Add(number(before), number(v))), nil
	case Kind(v) == "L":
		return &types.AttributeValueMemberL{Value: slices.Concat(list(before), list(v))}, nil
	}
	more := slices.DeleteFunc(members(v), func(m Value) bool { return has(before, m) })
	return newSet(Kind(v), append(members(before), more...)), nil
}

// apply returns the new image of an item.
func (u Update) apply(old Item) (Item, error) {
	results := make([]Value, len(u))
	for i, a := range u {
		var err error
		if results[i], err = a.result(old); err != nil {
			return nil, err
		}
	}
	root := thaw(&types.AttributeValueMemberM{Value: old})
	for i, a := range u {
		if !root.put(a.Target, results[i]) {
			return nil, errPath
		}
	}
	return mapping(root.freeze()), nil
}

// node is a value that is being changed. What was at a position of a list stays
// there until the end.
type node struct {
	value    Value
	entries  map[string]*node
	elements []*node
	after    map[int]*node // what is put past the end of a list
}

func thaw(v Value) *node {
	n := &node{value: v}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		n.entries = make(map[string]*node)
		for name, e := range v.Value {
			n.entries[name] = thaw(e)
		}
	case *types.AttributeValueMemberL:
		n.after = make(map[int]*node)
		for _, e := range v.Value {
			n.elements = append(n.elements, thaw(e))
		}
	}
	return n
}

// put puts a value, nil to remove, at a path below the node and reports whether
// there is such a place.
func (n *node) put(p Path, v Value) bool {
	var at **node
	switch step := p[0].(type) {
	case string:
		if n == nil || n.entries == nil {
			return false
		}
		child := n.entries[step]
		at = &child
		defer func() { n.entries[step] = child }()
	case int:
		if n == nil || n.after == nil {
			return false
		}
		if step < len(n.elements) {
			at = &n.elements[step]
			break
		}
		child := n.after[step]
		at = &child
		defer func() { n.after[step] = child }()
	}
	if len(p) > 1 {
		return (*at).put(p[1:], v)
	}
	*at = nil
	if v != nil {
		*at = &node{value: v}
	}
	return true
}

// freeze returns the value of a node, nil for nothing.
func (n *node) freeze() Value {
	switch {
	case n == nil:
		return nil
	case n.entries != nil:
		m := make(Item)
		for name, e := range n.entries {
			if v := e.freeze(); v != nil {
				m[name] = v
			}
		}
		return &types.AttributeValueMemberM{Value: m}
	case n.after != nil:
		l := &types.AttributeValueMemberL{Value: []Value{}}
		elements := n.elements
		for _, i := range slices.Sorted(maps.Keys(n.after)) {
			elements = append(elements, n.after[i])
		}
		for _, e := range elements {
			if v := e.freeze(); v != nil {
				l.Value = append(l.Value, v)
			}
		}
		return l
	}
	return n.value
}

// Select returns the parts of an item at the given paths, of which no two
// overlap, within the maps and lists that hold them.
func Select(item Item, paths []Path) Item {
	root := &node{entries: make(map[string]*node)}
	for _, p := range paths {
		v := p.in(item)
		if v == nil {
			continue
		}
		at := root
		for i, step := range p {
			last := i == len(p)-1
			at = at.child(step, last, v)
		}
	}
	return mapping(root.freeze())
}

// child returns the node below n for a step, made if need be: for the value at
// the end of a path, or for what holds it.
func (n *node) child(step any, last bool, v Value) *node {
	made := &node{}
	if last {
		made.value = v
	}
	switch step := step.(type) {
	case string:
		if n.entries == nil {
			n.entries = make(map[string]*node)
		}
		if n.entries[step] == nil {
			n.entries[step] = made
		}
		return n.entries[step]
	default:
		if n.after == nil {
			n.after = make(map[int]*node)
		}
		if n.after[step.(int)] == nil {
			n.after[step.(int)] = made
		}
		return n.after[step.(int)]
	}
}
