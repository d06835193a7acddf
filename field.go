package ddb

import (
	"fmt"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Attribute is a typed handle on an attribute of the entity T whose Go field
// has the type V. It makes conditions and assignments that other entities'
// operations do not accept. Handles are values, made once and shared.
type Attribute[T, V any] struct {
	h *handle
}

// handle returns what the attribute knows; of the zero Attribute, that it does
// not work.
func (a Attribute[T, V]) handle() *handle {
	if a.h == nil {
		return &handle{err: because(ErrDefinition, "an attribute handle was used that ddb.Field did not make")}
	}
	return a.h
}

// handle is what an [Attribute] knows, whatever its types.
type handle struct {
	entity *entity
	top    *field   // the entity's field, or the one that the path starts from
	path   []string // attribute names from the item down
	goPath string   // for messages: Address.City
	codec  valueCodec
	err    error // why the handle does not work
}

// Field makes the handle of the field that at points to:
//
//	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
//
// The field may lie in nested structs. at is called once, with a value of T
// whose pointers to structs are set; it must do no more than take an address.
// An address that is not a field's is a fault in [Table.Err].
func Field[T, V any](d *Definition[T], at func(*T) *V) Attribute[T, V] {
	e := d.entity
	h := &handle{entity: e}
	if e.plan == nil {
		h.err = ErrDefinition
		return Attribute[T, V]{h}
	}
	probe := reflect.New(e.plan.typ)
	grow(probe.Elem(), 0)
	v, err := address(at, probe.Interface().(*T))
	if err == nil && !h.locate(probe.Elem(), reflect.ValueOf(v)) {
		err = fmt.Errorf("ddb.Field: the function must return the address of a field that has an attribute")
	}
	if err != nil {
		h.err = err
		e.table.mu.Lock()
		defer e.table.mu.Unlock()
		e.table.fault(Fault{Type: e.plan.typ.String(), Problem: err.Error()})
	}
	return Attribute[T, V]{h}
}

// address calls a caller's function, which may stumble over what the probe
// leaves nil.
func address[T, V any](at func(*T) *V, probe *T) (v *V, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("ddb.Field: the function panicked (%v); it may only take the address of a field", r)
		}
	}()
	return at(probe), nil
}

// growDepth is how deep pointers to structs are followed; a type may hold
// itself.
const growDepth = 4

// grow sets the pointers to structs in v.
func grow(v reflect.Value, depth int) {
	if depth == growDepth || v.Kind() != reflect.Struct || v.Type() == timeType {
		return
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.CanSet() {
			continue
		}
		if f.Kind() == reflect.Pointer && f.Type().Elem().Kind() == reflect.Struct {
			f.Set(reflect.New(f.Type().Elem()))
			f = f.Elem()
		}
		grow(f, depth+1)
	}
}

// locate finds the field of the probe at whose address p points.
func (h *handle) locate(probe, p reflect.Value) bool {
	if p.IsNil() {
		return false
	}
	for _, f := range h.entity.plan.fields {
		if h.descend(f, f.value(probe), p, []string{f.attr}, f.name) {
			h.top = f
			return true
		}
	}
	return false
}

func (h *handle) descend(f *field, v, p reflect.Value, path []string, goPath string) bool {
	if !v.CanAddr() {
		return false
	}
	if v.Addr().Pointer() == p.Pointer() && v.Type() == p.Type().Elem() {
		h.path, h.goPath = path, goPath
		h.codec = f.codec()
		return true
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	for _, inner := range f.attributes() {
		next := append(append([]string{}, path...), inner.attr)
		if v.Kind() == reflect.Struct && h.descend(inner, inner.value(v), p, next, goPath+"."+inner.name) {
			return true
		}
	}
	return false
}

// name is the attribute's document path for expressions. Dots and brackets in
// attribute names are part of the name.
func (h *handle) name() expression.NameBuilder {
	n := expression.NameNoDotSplit(h.path[0])
	for _, p := range h.path[1:] {
		n = n.AppendName(expression.NameNoDotSplit(p))
	}
	return n
}

func (h *handle) encode(v any) (types.AttributeValue, error) {
	if h.err != nil {
		return nil, h.err
	}
	av, err := h.codec.encode(reflect.ValueOf(v))
	if err != nil {
		return nil, &fieldError{field: h.goPath, err: &typedError{ErrExpression, err}}
	}
	return av, nil
}

// Name returns the attribute's path for use with package expression, beside
// typed handles.
func (a Attribute[T, V]) Name() expression.NameBuilder {
	if a.handle().err != nil {
		return expression.NameBuilder{}
	}
	return a.handle().name()
}
