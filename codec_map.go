package ddb

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// mapping makes the codec of a map: a map, or under an option the set of its
// keys.
func (c *compiler) mapping(t reflect.Type, o options) codec {
	if o.has(anySet) {
		return c.keySet(t, o)
	}
	key := mapKey{typ: t.Key(), text: writesText(t.Key())}
	if basic(key.typ, 0) == nil && !key.text {
		return &refusedCodec{t, fmt.Sprintf("holds %s, whose keys are no strings, numbers, bools or types with MarshalText and UnmarshalText", t)}
	}
	m := remember(c, t, o, &mapCodec{typ: t, key: key})
	m.elem = c.slot(t.Elem(), o.elem(), true)
	return m
}

type mapCodec struct {
	typ  reflect.Type
	key  mapKey
	elem slot
}

func (c *mapCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if err := w.enter(c.typ); err != nil {
		return nil, err
	}
	if c.typ == stringMapType && c.elem.simple == simpleString {
		w.leave()
		return stringMap(w, v.Interface().(map[string]string))
	}
	n, depth := v.Len(), w.depth
	out := make(map[string]types.AttributeValue, n)
	key, elem := c.scratch()
	var failed leastError
	for entries := v.MapRange(); entries.Next(); {
		if !c.copies() {
			_, elem = c.scratch()
		}
		key.SetIterKey(entries)
		elem.SetIterValue(entries)
		name, err := c.key.name(key)
		if err != nil {
			failed.note(name, err)
			continue
		}
		av, err := c.elem.encode(w, elem)
		if _, twice := out[name]; twice {
			err = &EncodeError{Type: c.typ, Problem: "is the text of two keys"}
		}
		if err != nil {
			failed.note(name, within(err, name))
			w.depth = depth
		}
		if av != nil {
			w.most += len(name)
			out[name] = av
		}
	}
	w.leave()
	if failed.err != nil {
		return nil, failed.err
	}
	return w.mapping(out), nil
}

var stringMapType = reflect.TypeFor[map[string]string]()

// stringMap writes the commonest kind of map without detours.
func stringMap(w *writer, v map[string]string) (types.AttributeValue, error) {
	out := make(map[string]types.AttributeValue, len(v))
	var failed leastError
	for name, text := range v {
		switch {
		case !utf8.ValidString(name):
			failed.note(name, notUTF8(stringMapType.Key()))
		case !utf8.ValidString(text):
			failed.note(name, within(notUTF8(stringMapType.Elem()), name))
		}
		w.most += len(name)
		out[name] = w.string(text)
	}
	if failed.err != nil {
		return nil, failed.err
	}
	if _, empty := out[""]; empty {
		return nil, emptyKey(stringMapType.Key())
	}
	return w.mapping(out), nil
}

// readStringMap reads it, if there is nothing but strings.
func readStringMap(from map[string]types.AttributeValue) (map[string]string, bool) {
	out := make(map[string]string, len(from))
	for name, av := range from {
		s, ok := av.(*types.AttributeValueMemberS)
		if !ok || s == nil {
			return nil, false
		}
		out[name] = s.Value
	}
	return out, true
}

// scratch returns a key and an element to work on.
func (c *mapCodec) scratch() (key, elem reflect.Value) {
	return reflect.New(c.typ.Key()).Elem(), reflect.New(c.typ.Elem()).Elem()
}

// copies reports whether what is stored of an element surely shares no memory
// with it, so that the next element may take its place.
func (c *mapCodec) copies() bool {
	switch c.elem.codec.descriptor() {
	case "S", "N", "BOOL", "B":
		return true
	}
	return false
}

func (c *mapCodec) decode(av types.AttributeValue, v reflect.Value) error {
	m, ok := av.(*types.AttributeValueMemberM)
	if !ok || m == nil {
		return wrongKind(av, c.typ)
	}
	if c.typ == stringMapType {
		if texts, ok := readStringMap(m.Value); ok {
			v.Set(reflect.ValueOf(texts))
			return nil
		}
	}
	v.Set(reflect.MakeMapWithSize(c.typ, len(m.Value)))
	key, elem := c.scratch()
	var failed leastError
	for name, av := range m.Value {
		key.SetZero()
		elem.SetZero()
		err := c.key.set(name, key)
		if err == nil {
			err = c.elem.codec.decode(av, elem)
		}
		if err != nil {
			failed.note(name, within(err, name))
			continue
		}
		v.SetMapIndex(key, elem)
	}
	if failed.err == nil && v.Len() < len(m.Value) {
		return &DecodeError{Kind: "M", Type: c.typ, Problem: "has two names that make one key"}
	}
	return failed.err
}

func (c *mapCodec) descriptor() string { return "M" }

// leastError keeps the error of the least name, so that it does not hang on the
// order in which a map is gone through.
type leastError struct {
	name string
	err  error
}

func (l *leastError) note(name string, err error) {
	if l.err == nil || name < l.name {
		l.name, l.err = name, err
	}
}

// mapKey turns the keys of a map into names and back.
type mapKey struct {
	typ  reflect.Type
	text bool // by MarshalText and UnmarshalText
}

func (k mapKey) name(v reflect.Value) (string, error) {
	name := ""
	switch kind := k.typ.Kind(); {
	case k.text:
		text, err := pointerTo(v).(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return "", &EncodeError{Type: k.typ, Problem: "has no text", Err: err}
		}
		name = string(text)
	case kind == reflect.String:
		name = v.String()
	case kind == reflect.Bool:
		name = strconv.FormatBool(v.Bool())
	case v.CanInt():
		name = strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		name = strconv.FormatUint(v.Uint(), 10)
	default:
		name = strconv.FormatFloat(v.Float(), 'g', -1, k.typ.Bits())
	}
	switch {
	case name == "":
		return "", emptyKey(k.typ)
	case !utf8.ValidString(name):
		return "", notUTF8(k.typ)
	}
	return name, nil
}

func emptyKey(t reflect.Type) error {
	return &EncodeError{Type: t, Problem: "is an empty key, which maps cannot have"}
}

// set stores in v, a settable zero value, the key with that name.
func (k mapKey) set(name string, v reflect.Value) error {
	var cause error
	switch kind := k.typ.Kind(); {
	case k.text:
		cause = pointerTo(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
	case kind == reflect.String:
		v.SetString(name)
	case kind == reflect.Bool:
		b, err := strconv.ParseBool(name)
		v.SetBool(b)
		cause = textless(err)
	case v.CanInt():
		i, err := strconv.ParseInt(name, 10, k.typ.Bits())
		v.SetInt(i)
		cause = textless(err)
	case v.CanUint():
		i, err := strconv.ParseUint(name, 10, k.typ.Bits())
		v.SetUint(i)
		cause = textless(err)
	default:
		f, err := strconv.ParseFloat(name, 64)
		if err == nil && v.OverflowFloat(f) {
			err = strconv.ErrRange
		}
		v.SetFloat(f)
		cause = textless(err)
	}
	if cause != nil {
		return &DecodeError{Kind: "M", Type: k.typ, Problem: "has a name that makes no key", Err: cause}
	}
	return nil
}

// makes reports whether some key has that name.
func (k mapKey) makes(name string) bool {
	v := reflect.New(k.typ).Elem()
	if k.set(name, v) != nil {
		return false
	}
	made, err := k.name(v)
	return err == nil && made == name
}

// keySet makes the codec of a map whose keys are a set.
func (c *compiler) keySet(t reflect.Type, o options) codec {
	elem := t.Elem()
	if elem.Kind() != reflect.Bool && (elem.Kind() != reflect.Struct || elem.NumField() > 0) {
		return &refusedCodec{t, fmt.Sprintf("is tagged as a set; a map that is one goes to bool or struct{}, not to %s", elem)}
	}
	s := &keySetCodec{typ: t, member: c.codec(t.Key(), 0), form: setForm(o)}
	if problem := s.form.refuses(s.member); problem != "" {
		return &refusedCodec{t, problem}
	}
	return s
}

// keySetCodec is for maps that stand for sets: the keys, to bool those that are
// true.
type keySetCodec struct {
	typ    reflect.Type
	member codec
	form   setOrList
}

func (c *keySetCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	var all []types.AttributeValue
	for entries := v.MapRange(); entries.Next(); {
		if in := entries.Value(); in.Kind() == reflect.Bool && !in.Bool() {
			continue
		}
		key := reflect.New(c.typ.Key()).Elem()
		key.SetIterKey(entries)
		av, err := c.member.encode(w, key)
		if err != nil {
			return nil, err
		}
		all = append(all, av)
	}
	return c.form.build(w, c.typ, all, true)
}

func (c *keySetCodec) decode(av types.AttributeValue, v reflect.Value) error {
	all, ok := members(av)
	if !ok {
		return wrongKind(av, c.typ)
	}
	in := reflect.New(c.typ.Elem()).Elem()
	if in.Kind() == reflect.Bool {
		in.SetBool(true)
	}
	v.Set(reflect.MakeMapWithSize(c.typ, len(all)))
	for i, m := range all {
		key := reflect.New(c.typ.Key()).Elem()
		if err := c.member.decode(m, key); err != nil {
			return within(err, index(i))
		}
		v.SetMapIndex(key, in)
	}
	return nil
}

func (c *keySetCodec) descriptor() string { return string(c.form) }
