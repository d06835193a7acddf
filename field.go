package ddb

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Attribute is a typed handle on an attribute of the entity T whose Go type is V,
// or on something inside one: an element of a list, an entry of a map, a field of
// a struct. It makes conditions and assignments that other entities' operations
// do not accept. Handles are values, made once and shared. [Field], [Element],
// [Entry] and [FieldOf] make them, and [Definition.Path] from text.
type Attribute[T, V any] struct {
	h *handle
}

// handle returns what the attribute knows.
func (a Attribute[T, V]) handle() *handle { return a.h.made() }

// handle is what an [Attribute] knows, whatever its types.
type handle struct {
	entity   *entity
	top      *field // the entity's field that the path starts from
	path     documentPath
	goPath   string // for messages: Address.City
	codec    valueCodec
	nullable bool  // a NULL may be stored
	loose    bool  // takes values of any type that fit, see [Definition.Path]
	err      error // why the handle does not work
	// difference means that values are what is added to the attribute's.
	difference bool
}

// made returns the handle; of the zero Attribute, one that does not work.
func (h *handle) made() *handle {
	if h == nil {
		return &handle{err: because(ErrDefinition, "an attribute handle was used that ddb.Field did not make")}
	}
	return h
}

// Field makes the handle of the field that at points to:
//
//	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
//
// The field may lie in nested structs. at is called once, with a value of T
// whose pointers to structs are set; it must do no more than take an address.
// An address that is not a field's is a fault in [Table.Err], and the handle fails
// with [ErrDefinition] where it is used.
func Field[T, V any](d *Definition[T], at func(*T) *V) Attribute[T, V] {
	return Attribute[T, V]{d.defined().handleOn(addressIn(at))}
}

// handleOn makes the handle of the field that at takes the address of.
func (e *entity) handleOn(at func(reflect.Value) (reflect.Value, error)) *handle {
	h := &handle{entity: e}
	if e.plan == nil {
		h.err = because(ErrDefinition, "the handle is of a definition with faults")
		return h
	}
	if problem := h.settle("ddb.Field", e.plan, e.plan.typ, at); problem != "" {
		e.table.aside(Fault{Type: e.plan.typ.String(), Problem: problem})
	}
	return h
}

// FieldOf makes the handle of a field in the struct that another handle leads to,
// such as an element of a list or an entry of a map:
//
//	quantity := ddb.FieldOf(ddb.Element(lines, 2), func(l *Line) *int { return &l.Quantity })
//
// at is held to what [Field] says. A handle that cannot be made fails with
// [ErrDefinition] where it is used, and nowhere else; so do those that [Element] and
// [Entry] make.
func FieldOf[T, E, V any](of Attribute[T, E], at func(*E) *V) Attribute[T, V] {
	h := of.handle().clone()
	if h.err == nil {
		plan, _ := h.codec.target().(*structPlan)
		h.settle("ddb.FieldOf", plan, reflect.TypeFor[E](), addressIn(at))
	}
	return Attribute[T, V]{h}
}

// addressIn makes a function of a caller's that takes addresses one that does so
// in the probe that a value points to.
func addressIn[E, V any](at func(*E) *V) func(probe reflect.Value) (reflect.Value, error) {
	return func(probe reflect.Value) (reflect.Value, error) {
		v, err := address(at, probe.Interface().(*E))
		return reflect.ValueOf(v), err
	}
}

// address calls a caller's function, which may stumble over what the probe
// leaves nil.
func address[T, V any](at func(*T) *V, probe *T) (v *V, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the function panicked (%v); it may only take the address of a field", r)
		}
	}()
	return at(probe), nil
}

// settle finds the field of typ, whose plan is given, that at takes the address
// of, and goes there. It returns what is wrong with that, "" for nothing.
func (h *handle) settle(fn string, plan *structPlan, typ reflect.Type, at func(reflect.Value) (reflect.Value, error)) string {
	if plan == nil {
		return h.fault(fmt.Sprintf("%s: %s is not stored as a map of its fields", fn, typ))
	}
	probe := reflect.New(typ)
	grow(probe.Elem(), 0)
	v, err := at(probe)
	if err == nil && (v.IsNil() || !h.locate(plan, probe.Elem(), v)) {
		err = fmt.Errorf("the function must return the address of a field that has an attribute")
	}
	if err != nil {
		return h.fault(fmt.Sprintf("%s: %s", fn, err))
	}
	return ""
}

// fault notes in the handle that it can never work, and returns the problem.
func (h *handle) fault(problem string) string {
	h.err = h.refuse(because(ErrDefinition, "%s", problem))
	return problem
}

// growDepth is how deep pointers to structs are followed; a type may hold
// itself.
const growDepth = 4

// grow sets the pointers to structs in v, itself included.
func grow(v reflect.Value, depth int) {
	if v.CanSet() && v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if depth > growDepth || v.Kind() != reflect.Struct || v.Type() == timeType {
		return
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.CanSet() {
			grow(f, depth+1)
		}
	}
}

// locate finds the field of the probe, a struct or pointer to one, at whose
// address p points.
func (h *handle) locate(plan *structPlan, probe, p reflect.Value) bool {
	if probe.Kind() == reflect.Pointer {
		probe = probe.Elem()
	}
	return slices.ContainsFunc(plan.fields, func(f *field) bool {
		in := h.into(f)
		return in.descend(f, f.value(probe), p) && h.become(in)
	})
}

// into returns a handle on a field inside h.
func (h *handle) into(f *field) *handle {
	in := h.within(step{name: f.attr}, f.name)
	if in.top == nil {
		in.top = f
	}
	in.codec, in.nullable = f.codec(), f.nullable
	return in
}

// become makes h what in is.
func (h *handle) become(in *handle) bool {
	*h = *in
	return true
}

// descend goes from a field, of which v is the value, to what p points to.
func (h *handle) descend(f *field, v, p reflect.Value) bool {
	if !v.CanAddr() {
		return false
	}
	if v.Addr().Pointer() == p.Pointer() && v.Type() == p.Type().Elem() {
		return true
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.Kind() == reflect.Struct && slices.ContainsFunc(f.attributes(), func(inner *field) bool {
		in := h.into(inner)
		return in.descend(inner, inner.value(v), p) && h.become(in)
	})
}

// within returns a handle that goes one step further. The step's codec is left to
// the caller.
func (h *handle) within(s step, called string) *handle {
	in := h.clone()
	in.path = append(h.path[:len(h.path):len(h.path)], s)
	if h.goPath != "" && !s.element() {
		in.goPath += "."
	}
	in.goPath += called
	return in
}

func (h *handle) clone() *handle {
	c := *h
	return &c
}

// encode returns the stored form of a value of the attribute.
func (h *handle) encode(v any) (types.AttributeValue, error) {
	switch {
	case h.err != nil:
		return nil, h.err
	case h.loose:
		return h.encodeLoose(v)
	}
	return h.encodeOwn(v)
}

// encodeOwn returns the stored form of a value of the attribute's own type.
func (h *handle) encodeOwn(v any) (types.AttributeValue, error) {
	if h.top != h.entity.stamps.ttl || h.difference || v == nil {
		return h.encodeAs(h.codec, v)
	}
	av, err := storedExpiry(reflect.ValueOf(v))
	if av == nil && err == nil {
		err = errNoExpiry
	}
	if err != nil {
		return nil, h.refuse(err)
	}
	return av, nil
}

// encodeMember returns the stored form of a value in the attribute, a set or
// list.
func (h *handle) encodeMember(v any) (types.AttributeValue, error) {
	if h.err != nil {
		return nil, h.err
	}
	return h.encodeAs(h.entity.plan.anyValue(), v)
}

func (h *handle) encodeAs(c valueCodec, v any) (types.AttributeValue, error) {
	av, err := c.encode(reflect.ValueOf(v))
	if err != nil {
		return nil, h.refuse(&typedError{ErrExpression, err})
	}
	return av, nil
}

// belongs refuses a handle that does not work, or that is another definition's.
func (h *handle) belongs(e *entity) error {
	switch {
	case h.err != nil:
		return h.err
	case h.entity != e:
		return h.refuse(because(ErrExpression, "the handle belongs to another definition, in table %s; make one of this", h.entity.table.name))
	}
	return nil
}

// refuse makes the error of a value or use that the attribute does not allow.
func (h *handle) refuse(err error) error { return &fieldError{field: h.goPath, err: err} }

// Name returns the attribute's path for use with package expression, in what is
// handed to IfExpr, FilterExpr, [Definition.Cond] or [Attribute.ToExpr].
func (a Attribute[T, V]) Name() expression.NameBuilder { return a.handle().path.name() }
