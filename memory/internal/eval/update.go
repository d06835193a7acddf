package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Update makes a new image of an item. Expressions.UpdateExpressions.html.
type Update struct {
	actions []Action
	paths   []Path // by number of the action
	root    branch
}

// NewUpdate returns the update that takes all actions at once. No target may be
// the beginning of another.
func NewUpdate(actions ...Action) *Update {
	u := newUpdate(actions)
	u.root = grow(u.paths)
	return u
}

func newUpdate(actions []Action) *Update {
	u := &Update{actions: actions, paths: make([]Path, len(actions))}
	for i, a := range actions {
		u.paths[i] = a.target
	}
	return u
}

// Paths returns what the update writes to, in the order of the actions. The
// caller must not change them.
func (u *Update) Paths() []Path { return u.paths }

// Reads returns every path that the update reads, in the order of the actions. An
// ADD or DELETE reads what it writes, which is among [Update.Paths] alone.
func (u *Update) Reads() []Path {
	var read []Path
	for _, a := range u.actions {
		if a.source != nil {
			read = a.source.appendPaths(read)
		}
	}
	return read
}

// Outcome is what an attribute will be after an update whatever the item holds.
type Outcome struct {
	Name string
	Kind av.Kind
	// Value is the value if it is one of the request; of a computed one only the
	// kind is known.
	Value av.Value
}

// Outcomes returns what is known of the attributes that the update writes, as far
// as they do not take their kind from the item. Attributes of which only a part is
// written are not among them. What ADD and DELETE leave is of the operand's kind.
func (u *Update) Outcomes() []Outcome {
	var known []Outcome
	for _, a := range u.actions {
		if a.source == nil || len(a.target) > 1 || a.source.kind() == av.None {
			continue
		}
		o := Outcome{Name: a.target.Root(), Kind: a.source.kind()}
		if constant, ok := a.source.(Operand); ok && a.verb == expr.Set && constant.isConstant() {
			o.Value = constant.value
		}
		known = append(known, o)
	}
	return known
}

// Creates reports whether the update makes an item where there is none: not if
// it only removes and deletes. Such an update leaves a missing item alone
// whatever its paths, and is not to be applied to one (observed).
func (u *Update) Creates() bool {
	for _, a := range u.actions {
		if a.verb == expr.Set || a.verb == expr.Add {
			return true
		}
	}
	return len(u.actions) == 0
}

// Touched returns what UPDATED_OLD and UPDATED_NEW show of an image: what is at
// the written paths in that image, within the maps and lists that hold it. What
// was appended past the end of a list is therefore not shown, and where an
// element was removed the one that took its place is (observed).
func (u *Update) Touched(image av.Map) av.Map { return u.root.pickMap(image) }

// Apply returns the new image of an item, of which old is the image before the
// update or, if there is no item, the key. Everything is read from old. The
// new image shares with old what is not written; old is unchanged. It fails
// with an [*Error] if the item does not fit the update. Neither the size nor
// the nesting of the new image is checked, nor that keys stay as they are.
func (u *Update) Apply(old av.Map) (av.Map, error) {
	written := make([]av.Value, len(u.actions))
	for i := range u.actions {
		v, err := u.actions[i].result(old)
		if err != nil {
			return nil, err
		}
		written[i] = v
	}
	return u.root.writeMap(old, written)
}

// write returns the new image of the value at a branch. written holds what
// comes to stand at each path, the zero Value for nothing.
func (b *branch) write(old av.Value, written []av.Value) (av.Value, error) {
	switch {
	case b.leaf != notLeaf:
		return written[b.leaf], nil
	case b.names != nil && old.Kind() == av.M:
		m, err := b.writeMap(old.Map(), written)
		return av.MapOf(m), err
	case b.indexes != nil && old.Kind() == av.L:
		list, err := b.writeList(old.List(), written)
		return av.List(list), err
	}
	return av.Value{}, errInvalidPath
}

// writeMap merges the branches, which are in order of names, into a map.
func (b *branch) writeMap(old av.Map, written []av.Value) (av.Map, error) {
	out := make(av.Map, 0, len(old)+b.newNames(old))
	for i := range b.names {
		c := &b.names[i]
		name := c.step.Name
		n := 0
		for n < len(old) && old[n].Name < name {
			n++
		}
		out, old = append(out, old[:n]...), old[n:]
		var before av.Value
		if len(old) > 0 && old[0].Name == name {
			before, old = old[0].Value, old[1:]
		}
		after, err := c.write(before, written)
		if err != nil {
			return nil, err
		}
		if after.Exists() {
			out = append(out, av.Attr{Name: name, Value: after})
		}
	}
	return append(out, old...), nil
}

// newNames returns how many branches lead to names that a map does not have.
func (b *branch) newNames(m av.Map) int {
	n := 0
	for i := range b.names {
		if !m.Has(b.names[i].step.Name) {
			n++
		}
	}
	return n
}

// writeList does the same by position. Positions are those in the old list;
// past its end values are appended in order of their positions, without gaps.
func (b *branch) writeList(old []av.Value, written []av.Value) ([]av.Value, error) {
	out := make([]av.Value, 0, len(old)+len(b.indexes))
	next := 0 // element of old that is not yet in out
	for i := range b.indexes {
		c := &b.indexes[i]
		at := min(c.step.Index, len(old))
		out = append(out, old[next:at]...)
		var before av.Value
		if next = at; at < len(old) {
			before, next = old[at], at+1
		}
		after, err := c.write(before, written)
		if err != nil {
			return nil, err
		}
		if after.Exists() {
			out = append(out, after)
		}
	}
	return append(out, old[next:]...), nil
}

// Action is one thing that an update does. The functions that return one do not
// check operands; that is up to who takes them from a request.
type Action struct {
	verb   expr.Verb
	target Path
	source Source // nil for REMOVE
	legacy bool
}

// Set puts a value at p. What holds p must exist. A position past the end of
// a list appends.
func Set(p Path, from Source) Action { return Action{verb: expr.Set, target: p, source: from} }

// Remove takes away what is at p. What holds p must exist.
func Remove(p Path) Action { return Action{verb: expr.Remove, target: p} }

// Add adds a number to the one at p, or the members of a set to those of the
// one at p; where there is none v comes to stand.
func Add(p Path, v av.Value) Action { return Action{verb: expr.Add, target: p, source: Constant(v)} }

// Delete takes the members of a set away from the set at p, and the attribute
// with the last of them.
func Delete(p Path, v av.Value) Action {
	return Action{verb: expr.Delete, target: p, source: Constant(v)}
}

// Legacy returns the action as AttributeUpdates takes it: ADD appends a list to
// a list, and an attribute of another type is reported in other words.
// LegacyConditionalParameters.AttributeUpdates.html.
func (a Action) Legacy() Action {
	a.legacy = true
	return a
}

// result returns what comes to stand at the target, the zero Value for nothing.
func (a *Action) result(old av.Map) (av.Value, error) {
	if a.verb == expr.Remove {
		return av.Value{}, nil
	}
	v, err := a.source.from(old)
	if err != nil || a.verb == expr.Set {
		return v, err
	}
	before := a.target.In(old)
	switch k := v.Kind(); {
	case !before.Exists() && a.verb == expr.Add:
		return v, nil
	case !before.Exists():
		return av.Value{}, nil
	case before.Kind() != k:
		return av.Value{}, a.clash()
	case a.verb == expr.Delete:
		return av.Difference(before, v), nil
	case k == av.N:
		return sum(expr.OpPlus, before, v)
	case k == av.L && a.legacy:
		return joined(before, v), nil
	default:
		return av.Union(before, v), nil
	}
}

// clash reports an attribute of another type than the operand.
func (a *Action) clash() error {
	if a.legacy {
		return errMismatch
	}
	return errOperand
}
