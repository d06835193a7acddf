package ddb

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// list makes the codec of a slice or array: of bytes, a set or a list.
func (c *compiler) list(t reflect.Type, o options) codec {
	elem := t.Elem()
	if elem.Kind() == reflect.Uint8 && !storesItself(elem) && !writesText(elem) {
		return &bytesCodec{typ: t, list: listCodec{typ: t, elem: slot{codec: basic(elem, 0)}}}
	}
	l := remember(c, t, o, &listCodec{typ: t, form: setForm(o)})
	if t == bytesListType {
		l.form = "BS"
	}
	l.elem = c.slot(elem, o.elem(), true)
	if problem := l.form.refuses(l.elem.codec); problem != "" {
		return remember(c, t, o, &refusedCodec{t, problem})
	}
	return l
}

// setOrList is the descriptor of a list or set.
type setOrList string

// setForm returns what the options make of a slice, array or map: a set, or "L".
func setForm(o options) setOrList {
	switch {
	case o.has(binarySet):
		return "BS"
	case o.has(numberSet):
		return "NS"
	case o.has(stringSet):
		return "SS"
	}
	return "L"
}

// refuses says why the collection cannot have members of a codec, or "".
func (f setOrList) refuses(member codec) string {
	kind := member.descriptor()
	if f == "L" || kind == "" || kind == string(f[:1]) {
		return ""
	}
	return fmt.Sprintf("is tagged as the set %s, but its members are stored as %s", f, kind)
}

// build makes a collection of its members, which it may reorder if asked to.
// The members of a set must be of its kind.
func (f setOrList) build(w *writer, t reflect.Type, members []types.AttributeValue, sorted bool) (types.AttributeValue, error) {
	if f == "L" {
		return w.list(members), nil
	}
	if len(members) == 0 {
		return nil, nil
	}
	texts, blobs := make([]string, 0, len(members)), [][]byte(nil)
	for _, m := range members {
		switch m := m.(type) {
		case *types.AttributeValueMemberS:
			texts = append(texts, m.Value)
		case *types.AttributeValueMemberN:
			texts = append(texts, m.Value)
		case *types.AttributeValueMemberB:
			blobs = append(blobs, m.Value)
		}
		if kind := descriptorOf(m); kind != string(f[:1]) {
			return nil, &EncodeError{Type: t, Problem: fmt.Sprintf("is tagged as the set %s, but has a member that is stored as %s", f, kind)}
		}
	}
	all := texts
	for _, b := range blobs {
		all = append(all, string(b))
	}
	if err := f.distinct(t, all); err != nil {
		return nil, err
	}
	if sorted {
		slices.Sort(texts)
		slices.SortFunc(blobs, bytes.Compare)
	}
	switch f {
	case "SS":
		return &types.AttributeValueMemberSS{Value: texts}, nil
	case "NS":
		return &types.AttributeValueMemberNS{Value: texts}, nil
	}
	return &types.AttributeValueMemberBS{Value: blobs}, nil
}

// stringsOf makes a set of plain strings without detours.
func stringsOf(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if v.Len() == 0 {
		return nil, nil
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = v.Index(i).String()
		if !utf8.ValidString(texts[i]) {
			return nil, within(notUTF8(v.Type().Elem()), index(i))
		}
		w.most += len(texts[i])
	}
	return &types.AttributeValueMemberSS{Value: texts}, setOrList("SS").distinct(v.Type(), texts)
}

// fewMembers is how many members are compared with each other rather than looked up.
const fewMembers = 16

// distinct refuses a member that has been before: DynamoDB takes no such set.
func (f setOrList) distinct(t reflect.Type, members []string) error {
	var seen map[string]struct{}
	if len(members) > fewMembers {
		seen = make(map[string]struct{}, len(members))
	}
	if f == "NS" {
		members = numberKeys(members)
	}
	for i, m := range members {
		_, again := seen[m]
		if seen == nil {
			again = slices.Contains(members[:i], m)
		} else {
			seen[m] = struct{}{}
		}
		if again {
			return within(&EncodeError{Type: t, Problem: fmt.Sprintf("is tagged as the set %s, but has a member twice", f)}, index(i))
		}
	}
	return nil
}

var stringListType = reflect.TypeFor[[]string]()

// readStrings reads the commonest kind of list or set without detours, if there
// is nothing but strings.
func readStrings(av types.AttributeValue) (texts []string, ok bool) {
	switch av := av.(type) {
	case *types.AttributeValueMemberSS:
		if av == nil {
			return nil, false
		}
		return append(make([]string, 0, len(av.Value)), av.Value...), true
	case *types.AttributeValueMemberL:
		if av == nil {
			return nil, false
		}
		texts = make([]string, len(av.Value))
		for i, m := range av.Value {
			s, ok := m.(*types.AttributeValueMemberS)
			if !ok || s == nil {
				return nil, false
			}
			texts[i] = s.Value
		}
		return texts, true
	}
	return nil, false
}

// members returns the elements of a list or set.
func members(av types.AttributeValue) (all []types.AttributeValue, ok bool) {
	switch av := av.(type) {
	case *types.AttributeValueMemberL:
		if av != nil {
			return av.Value, true
		}
	case *types.AttributeValueMemberSS:
		if av != nil {
			for _, s := range av.Value {
				all = append(all, &types.AttributeValueMemberS{Value: s})
			}
			return all, true
		}
	case *types.AttributeValueMemberNS:
		if av != nil {
			for _, n := range av.Value {
				all = append(all, &types.AttributeValueMemberN{Value: n})
			}
			return all, true
		}
	case *types.AttributeValueMemberBS:
		if av != nil {
			for _, b := range av.Value {
				all = append(all, &types.AttributeValueMemberB{Value: b})
			}
			return all, true
		}
	}
	return nil, false
}

// listCodec is for slices and arrays: lists, and under an option sets.
type listCodec struct {
	typ  reflect.Type
	elem slot
	form setOrList
}

func (c *listCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if err := w.enter(c.typ); err != nil {
		return nil, err
	}
	if c.form == "SS" && c.elem.simple == simpleString {
		w.leave()
		return stringsOf(w, v)
	}
	all := make([]types.AttributeValue, 0, v.Len())
	for i := range v.Len() {
		av, err := c.elem.encode(w, v.Index(i))
		switch {
		case err != nil:
			return nil, within(err, index(i))
		case av != nil:
			all = append(all, av)
		case !c.elem.options.has(omitEmpty):
			all = append(all, newNull())
		}
	}
	w.leave()
	return c.form.build(w, c.typ, all, false)
}

func (c *listCodec) decode(av types.AttributeValue, v reflect.Value) error {
	if c.typ == stringListType {
		if texts, ok := readStrings(av); ok {
			*v.Addr().Interface().(*[]string) = texts
			return nil
		}
	}
	all, ok := members(av)
	if !ok {
		return wrongKind(av, c.typ)
	}
	if err := size(v, len(all)); err != nil {
		return err
	}
	for i, m := range all {
		if err := c.elem.codec.decode(m, v.Index(i)); err != nil {
			return within(err, index(i))
		}
	}
	return nil
}

// size gives a slice its length, never nil. An array has its length.
func size(v reflect.Value, n int) error {
	switch {
	case v.Kind() == reflect.Array:
		if n > v.Len() {
			return &DecodeError{Kind: "L", Type: v.Type(), Problem: "has more elements than fit"}
		}
	case n == 0:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	default:
		v.Grow(n)
		v.SetLen(n)
	}
	return nil
}

func (c *listCodec) descriptor() string { return string(c.form) }

// bytesCodec is for slices and arrays of bytes.
type bytesCodec struct {
	typ  reflect.Type
	list listCodec // reads what others stored as a list of numbers
}

func (c *bytesCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if v.Kind() == reflect.Array {
		v = addressable(v)
	}
	return w.bytes(append([]byte{}, v.Bytes()...)), nil
}

func (c *bytesCodec) decode(av types.AttributeValue, v reflect.Value) error {
	b, ok := av.(*types.AttributeValueMemberB)
	switch {
	case !ok:
		return c.list.decode(av, v)
	case b == nil:
		return nil
	case v.Kind() == reflect.Slice:
		v.SetBytes(append([]byte{}, b.Value...))
	case v.Len() != len(b.Value):
		return &DecodeError{Kind: "B", Type: c.typ, Problem: fmt.Sprintf("is not %d bytes long", v.Len())}
	default:
		copy(v.Bytes(), b.Value)
	}
	return nil
}

func (c *bytesCodec) descriptor() string { return "B" }
