package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// documentPath leads from an item to an attribute, or to something inside one.
// Expressions.Attributes.html#Expressions.Attributes.NestedAttributes.
type documentPath []step

// step goes into a map, or with an empty name into a list.
type step struct {
	name  string
	index int
}

func (s step) element() bool { return s.name == "" }

// overlap reports whether a change at one path gets in the way of one at the
// other: they are one place, one lies inside the other, or they disagree on
// whether something is a list or a map.
func overlap(a, b documentPath) bool {
	for i := range min(len(a), len(b)) {
		if a[i].element() != b[i].element() {
			return true
		}
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// attributePath is the path of an attribute of an item.
func attributePath(attr string) documentPath { return documentPath{{name: attr}} }

// name is the path for expressions, not set if there is none.
func (p documentPath) name() expression.NameBuilder {
	if len(p) == 0 {
		return expression.NameBuilder{}
	}
	n := nameOf(p[0].name)
	for _, s := range p[1:] {
		if s.element() {
			n = n.AppendName(expression.NameNoDotSplit(index(s.index)))
		} else {
			n = n.AppendName(nameOf(s.name))
		}
	}
	return n
}

// in returns what an item has at the path, nil if there is nothing.
func (p documentPath) in(stored item) types.AttributeValue {
	var at types.AttributeValue = &types.AttributeValueMemberM{Value: stored}
	for _, s := range p {
		switch in := at.(type) {
		case *types.AttributeValueMemberM:
			at = in.Value[s.name]
		case *types.AttributeValueMemberL:
			if !s.element() || s.index >= len(in.Value) {
				return nil
			}
			at = in.Value[s.index]
		default:
			return nil
		}
	}
	return at
}

// brackets hides square brackets in the names of attributes from package
// expression, which takes what stands in them for the index of a list. What
// stands in for them begins with a code point that is no character.
var (
	brackets   = strings.NewReplacer("[", "\uFDD0(", "]", "\uFDD0)")
	unbrackets = strings.NewReplacer("\uFDD0(", "[", "\uFDD0)", "]")
)

// nameOf names an attribute of an item or map. Dots and brackets are part of the
// name.
func nameOf(attr string) expression.NameBuilder {
	return expression.NameNoDotSplit(brackets.Replace(attr))
}

// compiled is an expression as package expression writes it, with the names of
// attributes as they are.
type compiled struct{ expression.Expression }

// Names returns what the placeholders of names stand for.
func (c compiled) Names() map[string]string {
	names := c.Expression.Names()
	for placeholder, name := range names {
		names[placeholder] = unbrackets.Replace(name)
	}
	return names
}

// Element makes the handle of an element of a list, counted from 0. In conditions
// an element behind the end counts as missing; set, it is appended.
func Element[T any, S ~[]E, E any](list Attribute[T, S], i int) Attribute[T, E] {
	return Attribute[T, E]{list.handle().elementAt(i)}
}

// Entry makes the handle of an entry of a map. A change can add the entry, but
// not the map: set that first, empty if need be.
func Entry[T any, M ~map[K]E, K comparable, E any](m Attribute[T, M], key K) Attribute[T, E] {
	return Attribute[T, E]{m.handle().entryOf(reflect.ValueOf(&key).Elem())}
}

func (h *handle) elementAt(i int) *handle {
	if h.err != nil {
		return h
	}
	c, ok := h.codec.target().(*listCodec)
	switch {
	case !ok || c.form != "L":
		in := h.clone()
		in.fault(fmt.Sprintf("ddb.Element: %s is not stored as a list", h.codec.typ))
		return in
	case i < 0:
		return &handle{err: h.refuse(because(ErrExpression, "a list has no element %d", i))}
	}
	return h.inside(step{index: i}, index(i), c.elem.valueCodec(c.typ.Elem()))
}

func (h *handle) entryOf(key reflect.Value) *handle {
	if h.err != nil {
		return h
	}
	c, ok := h.codec.target().(*mapCodec)
	if !ok {
		in := h.clone()
		in.fault(fmt.Sprintf("ddb.Entry: %s is not stored as a map of its entries", h.codec.typ))
		return in
	}
	name, err := c.key.name(key)
	if err != nil {
		return &handle{err: h.refuse(&typedError{ErrExpression, err})}
	}
	return h.inside(step{name: name}, name, c.elem.valueCodec(c.typ.Elem()))
}

// inside returns the handle of an element or entry.
func (h *handle) inside(s step, called string, c valueCodec) *handle {
	in := h.within(s, called)
	in.codec, in.nullable = c, true
	return in
}

// Path makes the handle of an attribute from its document path, for names that
// only the running program knows: names of attributes as they are stored, joined
// by dots, and indexes of lists in brackets. Names that hold dots, brackets or
// quotes are quoted as in Go:
//
//	orders.Path("Address.City")
//	orders.Path(`Lines[0]."unit.price"`)
//
// A path that the definition of T does not know fails with [ErrExpression]; below
// a field of type any every path is known. Conditions and assignments take a value
// of the attribute's own type or one that is stored alike, such as the numbers and
// texts of JSON, and write it as the attribute's type is written.
func (d *Definition[T]) Path(path string) (Attribute[T, any], error) {
	if err := d.defined().table.ready(); err != nil {
		return Attribute[T, any]{}, err
	}
	h, err := d.defined().path(path)
	if err != nil {
		return Attribute[T, any]{}, d.site("Path", "").fail(err)
	}
	return Attribute[T, any]{h}, nil
}

// path makes the handle of a document path.
func (e *entity) path(text string) (*handle, error) {
	steps, err := parsePath(text)
	if err != nil {
		return nil, err
	}
	top := e.plan.byAttr(steps[0].name)
	if top == nil {
		return nil, because(ErrExpression, "%s has no attribute %q", e.name, steps[0].name)
	}
	h := (&handle{entity: e, loose: true}).into(top)
	for _, s := range steps[1:] {
		if h, err = h.follow(s); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// follow goes a step further, if there is such a thing.
func (h *handle) follow(s step) (*handle, error) {
	called := s.name
	if s.element() {
		called = index(s.index)
	}
	switch c := h.codec.target().(type) {
	case *structPlan:
		if f := c.byAttr(s.name); f != nil {
			return h.into(f), nil
		}
	case *mapCodec:
		if !s.element() && c.key.makes(s.name) {
			return h.inside(s, called, c.elem.valueCodec(c.typ.Elem())), nil
		}
	case *listCodec:
		if s.element() && c.form == "L" {
			return h.inside(s, called, c.elem.valueCodec(c.typ.Elem())), nil
		}
	case anyCodec, rawCodec, *ownCodec:
		return h.inside(s, called, h.entity.plan.anyValue()), nil
	}
	return nil, h.refuse(because(ErrExpression, "the %s has no %s", h.codec.typ, strings.Trim(called, ".")))
}

// parsePath reads a document path, which begins with a name.
func parsePath(text string) (documentPath, error) {
	bad := func(at string) error {
		return because(ErrExpression, "the document path is broken at %q; it is names joined by dots, and indexes in brackets", at)
	}
	var path documentPath
	for rest := text; rest != "" || len(path) == 0; {
		if rest != "" && rest[0] == '[' && len(path) > 0 {
			digits, tail, closed := strings.Cut(rest[1:], "]")
			i, err := strconv.ParseUint(digits, 10, 31)
			if !closed || err != nil {
				return nil, bad(rest)
			}
			path, rest = append(path, step{index: int(i)}), tail
			continue
		}
		if len(path) > 0 {
			tail, dot := strings.CutPrefix(rest, ".")
			if !dot {
				return nil, bad(rest)
			}
			rest = tail
		}
		name, tail := pathName(rest)
		if name == "" || !utf8.ValidString(name) {
			return nil, bad(rest)
		}
		path, rest = append(path, step{name: name}), tail
	}
	if len(path) > maxNesting+1 {
		return nil, because(ErrExpression, "the document path has %d steps; items are nested %d levels deep", len(path), maxNesting)
	}
	return path, nil
}

// pathName returns the name with which a path goes on, "" if there is none.
func pathName(text string) (name, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && quoted[0] != '\'' {
		name, err = strconv.Unquote(quoted)
		if err != nil {
			return "", text
		}
		return name, text[len(quoted):]
	}
	end := strings.IndexAny(text, ".[]\"`")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// encodeLoose returns the stored form of a value of any type that the attribute's
// type reads: the value goes through that type, so that it is written as all
// others are.
func (h *handle) encodeLoose(v any) (types.AttributeValue, error) {
	typ := h.codec.typ
	given := reflect.TypeOf(v)
	if given == nil || given == typ || typ.Kind() == reflect.Interface {
		return h.encodeOwn(v)
	}
	av, err := h.encodeMember(v)
	if err != nil {
		return nil, err
	}
	kind := descriptorOf(av)
	if kind == "NULL" {
		return av, nil
	}
	want := h.codec.codec.descriptor()
	fits := want == "" || want == kind || kind == "L" && slices.Contains([]string{"SS", "NS", "BS"}, want)
	fits = fits && !loses(h.codec.codec, av)
	through, err := h.codec.read(av)
	if !fits || err != nil {
		return nil, h.refuse(because(ErrExpression, "a value of type %s does not fit %s", given, typ))
	}
	return h.encodeOwn(through.Interface())
}

// loses reports whether a value has attributes that values of a codec do not.
func loses(c codec, av types.AttributeValue) bool {
	switch av := av.(type) {
	case *types.AttributeValueMemberM:
		for name, v := range av.Value {
			switch c := (valueCodec{codec: c}).target().(type) {
			case *structPlan:
				if f := c.byAttr(name); f == nil || loses(f.slot.codec, v) {
					return true
				}
			case *mapCodec:
				if loses(c.elem.codec, v) {
					return true
				}
			}
		}
	case *types.AttributeValueMemberL:
		if c, ok := (valueCodec{codec: c}).target().(*listCodec); ok {
			return slices.ContainsFunc(av.Value, func(v types.AttributeValue) bool { return loses(c.elem.codec, v) })
		}
	}
	return false
}
