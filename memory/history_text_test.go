package memory_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/seed530093c6/ddb/memory/internal/model"
)

// expression writes the model's trees as expressions and collects placeholders.
type expression struct {
	names  map[string]string
	values item
}

func (e *expression) name(n string) string {
	for ref, name := range e.names {
		if name == n {
			return ref
		}
	}
	if e.names == nil {
		e.names = map[string]string{}
	}
	ref := fmt.Sprintf("#n%d", len(e.names))
	e.names[ref] = n
	return ref
}

func (e *expression) value(v model.Value) string {
	if e.values == nil {
		e.values = item{}
	}
	ref := fmt.Sprintf(":v%d", len(e.values))
	e.values[ref] = v
	return ref
}

func (e *expression) path(p model.Path) string {
	var b strings.Builder
	for i, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(e.name(step))
		}
	}
	return b.String()
}

func (e *expression) operand(o model.Operand) string {
	switch {
	case o.Path == nil:
		return e.value(o.Value)
	case o.Size:
		return "size(" + e.path(o.Path) + ")"
	}
	return e.path(o.Path)
}

// condition returns nil for no condition.
func (e *expression) condition(c *model.Cond) *string {
	if c == nil {
		return nil
	}
	return aws.String(e.cond(c))
}

func (e *expression) cond(c *model.Cond) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = e.operand(a)
	}
	switch c.Op {
	case "and", "or":
		subs := make([]string, len(c.Subs))
		for i, s := range c.Subs {
			if subs[i] = e.cond(s); s.Subs != nil {
				subs[i] = "(" + subs[i] + ")"
			}
		}
		return strings.Join(subs, " "+strings.ToUpper(c.Op)+" ")
	case "not":
		sub := e.cond(c.Subs[0])
		if c.Subs[0].Subs != nil {
			sub = "(" + sub + ")"
		}
		return "NOT " + sub
	case "between":
		return args[0] + " BETWEEN " + args[1] + " AND " + args[2]
	case "in":
		return args[0] + " IN (" + strings.Join(args[1:], ", ") + ")"
	case "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains":
		return c.Op + "(" + strings.Join(args, ", ") + ")"
	}
	return args[0] + " " + c.Op + " " + args[1]
}

func (e *expression) source(s model.Source) string {
	if s.Op == "" {
		return e.operand(s.Operand)
	}
	l, r := e.source(s.Args[0]), e.source(s.Args[1])
	if s.Op == "+" || s.Op == "-" {
		return l + " " + s.Op + " " + r
	}
	return s.Op + "(" + l + ", " + r + ")"
}

// update returns nil for an update without actions.
func (e *expression) update(u model.Update) *string {
	var sections []string
	for _, verb := range []string{"REMOVE", "SET", "DELETE", "ADD"} {
		var actions []string
		for _, a := range u {
			if a.Verb != verb {
				continue
			}
			text := e.path(a.Target)
			switch verb {
			case "SET":
				text += " = " + e.source(a.Source)
			case "ADD", "DELETE":
				text += " " + e.source(a.Source)
			}
			actions = append(actions, text)
		}
		if actions != nil {
			sections = append(sections, verb+" "+strings.Join(actions, ", "))
		}
	}
	if sections == nil {
		return nil
	}
	return aws.String(strings.Join(sections, " "))
}

// projection returns nil for everything.
func (e *expression) projection(paths []model.Path) *string {
	if paths == nil {
		return nil
	}
	var texts []string
	for _, p := range paths {
		texts = append(texts, e.path(p))
	}
	return aws.String(strings.Join(texts, ", "))
}

// keyCondition writes the condition of a query by a key.
func (e *expression) keyCondition(key model.Key, r model.Read) *string {
	var terms []string
	term := func(a model.Attribute, op string, values ...model.Value) {
		refs := make([]string, len(values))
		for i, v := range values {
			refs[i] = e.value(v)
		}
		name := e.name(a.Name)
		switch op {
		case "between":
			terms = append(terms, name+" BETWEEN "+refs[0]+" AND "+refs[1])
		case "begins_with":
			terms = append(terms, "begins_with("+name+", "+refs[0]+")")
		default:
			terms = append(terms, name+" "+op+" "+refs[0])
		}
	}
	for i, a := range key.Hash {
		term(a, "=", r.Hash[i])
	}
	for i, v := range r.Equal {
		term(key.Sort[i], "=", v)
	}
	if r.Op != "" {
		term(key.Sort[len(r.Equal)], r.Op, r.Bounds...)
	}
	slices.Reverse(terms) // the order of the terms does not matter
	return aws.String(strings.Join(terms, " AND "))
}
