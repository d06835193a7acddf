package ddb

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Types that stand for kinds of types.

type color string // a string kind

type marks struct {
	CreatedBy string
	At        *time.Time `dynamodbav:"at,omitempty"`
}

// celsius has its own stored form, by methods of the value.
type celsius int

func (c celsius) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberS{Value: strconv.Itoa(int(c)) + " °C"}, nil
}

func (c *celsius) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) error {
	s, ok := av.(*types.AttributeValueMemberS)
	if !ok {
		return nil
	}
	_, err := fmt.Sscanf(s.Value, "%d °C", (*int)(c))
	return err
}

// amount has its own stored form, by methods of the pointer.
type amount struct{ cents int }

func (a *amount) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(a.cents)}, nil
}

func (a *amount) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) (err error) {
	if n, ok := av.(*types.AttributeValueMemberN); ok {
		a.cents, err = strconv.Atoi(n.Value)
	}
	return err
}

// drawType draws a type whose values package attributevalue stores as this
// package does, but for what prune knows.
func drawType(t *rapid.T, depth int) reflect.Type {
	scalars := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[color](),
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[time.Duration](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[json.Number](), reflect.TypeFor[attributevalue.Number](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[[3]byte](), reflect.TypeFor[time.Time](), reflect.TypeFor[celsius](), reflect.TypeFor[amount](),
		reflect.TypeFor[attributevalue.UnixTime](), reflect.TypeFor[any](), reflect.TypeFor[[][]byte](), reflect.TypeFor[marks](),
	}
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 9).Draw(t, "kind of type")
	}
	switch kind {
	case 5:
		elem := drawType(t, depth-1)
		if elem.Kind() == reflect.Pointer || elem.Kind() == reflect.Interface {
			// Attributevalue applies the options of a field to what a pointer
			// to a pointer goes to, and drops what one to an interface does.
			return elem
		}
		return reflect.PointerTo(elem)
	case 6:
		return reflect.SliceOf(drawType(t, depth-1))
	case 7:
		return reflect.ArrayOf(rapid.IntRange(0, 3).Draw(t, "length"), drawType(t, depth-1))
	case 8:
		key := rapid.SampledFrom([]reflect.Type{
			reflect.TypeFor[string](), reflect.TypeFor[color](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](),
			reflect.TypeFor[bool](), reflect.TypeFor[float32](), reflect.TypeFor[level](),
		}).Draw(t, "key")
		elem := drawType(t, depth-1)
		if holdsAmount(elem) {
			elem = reflect.TypeFor[*amount]()
		}
		return reflect.MapOf(key, elem)
	case 9:
		return drawStruct(t, depth-1)
	}
	return rapid.SampledFrom(scalars).Draw(t, "scalar")
}

// holdsAmount reports whether an entry of a map, which has no address, would
// hold an amount. Attributevalue then does not see the methods of its pointer.
func holdsAmount(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return holdsAmount(t.Elem())
	case reflect.Struct:
		for sf := range fieldsOf(t) {
			if holdsAmount(sf.Type) {
				return true
			}
		}
	}
	return t == reflect.TypeFor[amount]()
}

// drawStruct draws a struct with fields and tags.
func drawStruct(t *rapid.T, depth int) reflect.Type {
	var fields []reflect.StructField
	for i := range rapid.IntRange(1, 4).Draw(t, "fields") {
		name := "F" + strconv.Itoa(i)
		typ := drawType(t, depth)
		tag := rapid.SampledFrom([]string{"", "a" + strconv.Itoa(i), "名" + strconv.Itoa(i)}).Draw(t, "name")
		for _, o := range drawOptions(t, typ) {
			tag += "," + o
		}
		fields = append(fields, reflect.StructField{Name: name, Type: typ, Tag: reflect.StructTag(fmt.Sprintf("dynamodbav:%q", tag))})
	}
	if rapid.Bool().Draw(t, "embed") {
		typ := rapid.SampledFrom([]reflect.Type{reflect.TypeFor[Traced](), reflect.TypeFor[*Traced]()}).Draw(t, "embedded")
		fields = append(fields, reflect.StructField{Name: "Traced", Type: typ, Anonymous: true})
	}
	return reflect.StructOf(fields)
}

// Traced is embedded in structs made at run time, which takes an exported name.
type Traced struct {
	By   string
	When *time.Time
	Deep struct{ N int }
}

// drawOptions draws options that suit the type.
func drawOptions(t *rapid.T, typ reflect.Type) []string {
	var out []string
	some := func(word string) {
		if rapid.IntRange(0, 2).Draw(t, word) == 0 {
			out = append(out, word)
		}
	}
	elem := indirect(typ)
	zeroable := elem == timeType || elem.Kind() == reflect.Interface || elem == reflect.TypeFor[attributevalue.UnixTime]()
	switch {
	case rapid.Bool().Draw(t, "omit or null"):
		some("omitempty")
	case !zeroable:
		some("nullempty")
	}
	switch kind := elem.Kind(); {
	case elem == timeType:
		some("unixtime")
	case kind >= reflect.Int && kind <= reflect.Float64 && elem != reflect.TypeFor[celsius]():
		some("string")
	case kind == reflect.Slice || kind == reflect.Array:
		if !holdsSets(elem.Elem()) {
			some("omitemptyelem")
		}
		switch member := elem.Elem(); {
		case member.Kind() == reflect.String && member != reflect.TypeFor[json.Number]() && member != reflect.TypeFor[attributevalue.Number]():
			some("stringset")
		case member.Kind() >= reflect.Int && member.Kind() <= reflect.Float64 && member.Kind() != reflect.Uint8 && member != reflect.TypeFor[celsius]():
			some("numberset")
		case member == reflect.TypeFor[[]byte]():
			some("binaryset")
		}
	case kind == reflect.Map && !holdsSets(elem.Elem()):
		some("omitemptyelem")
	}
	return out
}

// holdsSets reports whether an element may be a set, which omitemptyelem leaves
// out here if it has no members and attributevalue makes NULL.
func holdsSets(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return t == bytesListType || holdsSets(t.Elem())
	}
	return false
}

// drawValue fills v, which is settable.
func drawValue(t *rapid.T, v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(drawTime(t)))
		return
	case attributevalue.UnixTime:
		v.Set(reflect.ValueOf(attributevalue.UnixTime(time.Unix(rapid.Int64Range(-5, 5).Draw(t, "unix"), 0))))
		return
	case json.Number, attributevalue.Number:
		v.SetString(rapid.SampledFrom([]string{"0", "-1.50", "12345678901234567890.12345", "1E+5"}).Draw(t, "numeral"))
		return
	case amount:
		v.Set(reflect.ValueOf(amount{rapid.IntRange(-3, 3).Draw(t, "cents")}))
		return
	}
	if nilable(v.Type()) && rapid.IntRange(0, 3).Draw(t, "nil") == 0 {
		return
	}
	switch kind := v.Kind(); kind {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "a", "b", "é", "1"}).Draw(t, "string"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int") >> (64 - v.Type().Bits()) * rapid.Int64Range(0, 1).Draw(t, "not zero"))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint") >> (64 - v.Type().Bits()) * rapid.Uint64Range(0, 1).Draw(t, "not zero"))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(rapid.SampledFrom([]float64{0, 1, -2.5, 1.0 / 3, 1e21, 1e-7, 3e30}).Draw(t, "float"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		drawValue(t, v.Elem())
	case reflect.Slice, reflect.Array:
		if kind == reflect.Slice {
			n := rapid.IntRange(0, 3).Draw(t, "len")
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			drawValue(t, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 2).Draw(t, "len") {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			drawValue(t, key)
			drawValue(t, elem)
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			drawValue(t, v.Field(i))
		}
	case reflect.Interface:
		inner := reflect.New(rapid.SampledFrom([]reflect.Type{
			reflect.TypeFor[string](), reflect.TypeFor[int64](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[[]byte](),
			reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[*marks](), reflect.TypeFor[time.Time](),
			reflect.TypeFor[[][]byte](), reflect.TypeFor[marks](), reflect.TypeFor[*amount](),
		}).Draw(t, "dynamic type")).Elem()
		drawValue(t, inner)
		v.Set(inner)
	}
}

func drawTime(t *rapid.T) time.Time {
	return rapid.SampledFrom([]time.Time{
		{}, time.Unix(0, 0).UTC(), time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.FixedZone("", -5400)), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
	}).Draw(t, "time")
}

// prune removes from what package attributevalue made of v what this package
// leaves out: nil in structs and sets without members.
func prune(av types.AttributeValue, v reflect.Value) {
	for (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	switch av := av.(type) {
	case *types.AttributeValueMemberL:
		if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
			return
		}
		at, shorter := 0, v.Len() > len(av.Value)
		for i := range v.Len() {
			if elem := v.Index(i); !shorter || !leftOut(elem) {
				prune(av.Value[at], elem)
				at++
			}
		}
	case *types.AttributeValueMemberM:
		switch {
		case v.Kind() == reflect.Map:
			for entries := v.MapRange(); entries.Next(); {
				name := fmt.Sprint(entries.Key())
				if text, ok := entries.Key().Interface().(level); ok {
					b, _ := text.MarshalText()
					name = string(b)
				}
				if isEmptySet(av.Value[name], entries.Value(), false) {
					delete(av.Value, name)
					continue
				}
				prune(av.Value[name], entries.Value())
			}
		case storesFields(v.Type()):
			for _, f := range new(codecs).structPlan(v.Type()).fields {
				fv := f.in(v)
				if !fv.IsValid() {
					continue
				}
				_, null := av.Value[f.attr].(*types.AttributeValueMemberNULL)
				isNil := nilable(f.typ) && f.typ.Kind() != reflect.Interface && fv.IsNil()
				if null && !f.slot.options.has(nullEmpty) && (isNil || isEmptySet(av.Value[f.attr], fv, f.slot.options.has(anySet))) {
					delete(av.Value, f.attr)
					continue
				}
				prune(av.Value[f.attr], fv)
			}
		}
	}
}

// leftOut reports whether an element is left out under omitemptyelem.
func leftOut(v reflect.Value) bool {
	if emptiness(v.Type())(v) {
		return true
	}
	t, isTime := reflect.Indirect(v).Interface().(time.Time)
	return isTime && t.IsZero()
}

// withoutEmptySets puts NULL in the place of sets without members, which
// attributevalue makes under omitemptyelem and DynamoDB refuses.
func withoutEmptySets(av types.AttributeValue) types.AttributeValue {
	switch av := av.(type) {
	case *types.AttributeValueMemberM:
		for name := range av.Value {
			av.Value[name] = withoutEmptySets(av.Value[name])
		}
	case *types.AttributeValueMemberL:
		for i := range av.Value {
			av.Value[i] = withoutEmptySets(av.Value[i])
		}
	default:
		if set, is := members(av); is && len(set) == 0 {
			return newNull()
		}
	}
	return av
}

// isEmptySet reports whether NULL was written for a set without members.
func isEmptySet(av types.AttributeValue, v reflect.Value, tagged bool) bool {
	if _, null := av.(*types.AttributeValueMemberNULL); !null {
		return false
	}
	outer := v
	for (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice && v.IsNil() && outer == v {
		return false
	}
	return tagged || v.Type() == bytesListType
}

// theirs are the options of package attributevalue that come nearest to what
// this package does.
func theirs(o *attributevalue.EncoderOptions) {
	o.OmitEmptyTime = true
	o.OmitNullAttributeValues = true
	o.EncodeTime = func(t time.Time) (types.AttributeValue, error) {
		return &types.AttributeValueMemberS{Value: t.UTC().Format(timeLayout)}, nil
	}
}

func theirDecoding(o *attributevalue.DecoderOptions) {
	o.UseNumber = true
	o.FixUnmarshalIndividualSetValues = true
}

// TestEncodesLikeAttributevalue asserts that values of any type are stored as
// package attributevalue stores them, but for the choices in codec.go.
func TestEncodesLikeAttributevalue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ := drawStruct(t, 3)
		v := reflect.New(typ)
		drawValue(t, v.Elem())
		want, wantErr := attributevalue.MarshalMapWithOptions(v.Interface(), theirs)
		got, most, err := newStructPlan(typ, func(tag, problem string) { t.Fatalf("%s: %s: %s", typ, tag, problem) }).encodeSized(v.Elem())
		if e := (*EncodeError)(nil); wantErr == nil && errors.As(err, &e) && repeats(&types.AttributeValueMemberM{Value: want}) {
			return // DynamoDB refuses it too
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: got error %v, want %v", typ, err, wantErr)
		}
		if err != nil {
			return
		}
		prune(withoutEmptySets(&types.AttributeValueMemberM{Value: want}), v.Elem())
		if diff := cmp.Diff(want, got, cmpItems); diff != "" {
			t.Fatalf("%s\n%#v\n(-want +got)\n%s", typ, v.Elem(), diff)
		}
		if size := itemSize(got); size > most {
			t.Fatalf("%s\n%#v\nis said to have at most %d bytes and has %d", typ, v.Elem(), most, size)
		}
	})
}

// TestDecodesLikeAttributevalue asserts that what package attributevalue stores
// is read as it reads it.
func TestDecodesLikeAttributevalue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ := drawStruct(t, 3)
		v := reflect.New(typ)
		drawValue(t, v.Elem())
		item, err := attributevalue.MarshalMap(v.Interface())
		if err != nil {
			return
		}
		sameDecoding(t, typ, item)
	})
}

// TestDecodesAnythingLikeAttributevalue asserts the same of items that do not
// fit: what one package refuses the other refuses.
func TestDecodesAnythingLikeAttributevalue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ := drawStruct(t, 2)
		item := make(map[string]types.AttributeValue)
		for _, f := range new(codecs).structPlan(typ).fields {
			if rapid.IntRange(0, 4).Draw(t, "present") > 0 {
				item[f.attr] = drawAV(t, 3)
			}
		}
		sameDecoding(t, typ, item)
	})
}

func sameDecoding(t *rapid.T, typ reflect.Type, item map[string]types.AttributeValue) {
	want, wantErr := theirValue(typ, item)
	got := reflect.New(typ)
	err := newStructPlan(typ, func(tag, problem string) { t.Fatalf("%s: %s: %s", typ, tag, problem) }).decodeItem(item, got.Elem())
	if errors.Is(wantErr, errPanicked) {
		return
	}
	if d := (*DecodeError)(nil); wantErr == nil && errors.As(err, &d) && (d.Kind == "M" && d.Type == timeType ||
		slices.Contains([]string{"has more elements than fit", "has two names that make one key"}, d.Problem)) {
		return // attributevalue drops what does not fit
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s from %s: got error %v, want %v", typ, show(item), err, wantErr)
	}
	if err != nil {
		if !errors.Is(err, ErrDecode) {
			t.Fatalf("got %v, want ErrDecode", err)
		}
		return
	}
	inUTC(want.Elem())
	if !reflect.DeepEqual(want.Interface(), got.Interface()) {
		t.Fatalf("%s from %s\ngot  %#v\nwant %#v", typ, show(item), got.Elem(), want.Elem())
	}
}

var errPanicked = errors.New("panicked")

func theirValue(typ reflect.Type, item map[string]types.AttributeValue) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errPanicked
		}
	}()
	v = reflect.New(typ)
	return v, attributevalue.UnmarshalMapWithOptions(item, v.Interface(), theirDecoding)
}

// inUTC makes the times in v as this package reads them.
func inUTC(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok {
			v.Set(reflect.ValueOf(t.UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				inUTC(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			inUTC(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			inUTC(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(key))
			inUTC(elem)
			v.SetMapIndex(key, elem)
		}
	}
}

// drawAV draws an attribute value of any kind.
func drawAV(t *rapid.T, depth int) types.AttributeValue {
	texts := rapid.SampledFrom([]string{"", "a", "1", "-1", "300", "1.5", "true", "low", "2024-02-29T23:59:59.12Z", "2024-02-30T00:00:00Z", "99999999999999999999"})
	numbers := rapid.SampledFrom([]string{"0", "1", "-1", "300", "70000", "1.5", "18446744073709551615", "99999999999999999999", "1E40"})
	blobs := rapid.SampledFrom([][]byte{{}, {1}, {1, 2, 3}, {1, 2, 3, 4}})
	kinds := 7
	if depth > 0 {
		kinds = 10
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind of value") {
	case 0:
		return &types.AttributeValueMemberS{Value: texts.Draw(t, "S")}
	case 1, 2:
		return &types.AttributeValueMemberN{Value: numbers.Draw(t, "N")}
	case 3:
		return &types.AttributeValueMemberB{Value: blobs.Draw(t, "B")}
	case 4:
		return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "BOOL")}
	case 5:
		return &types.AttributeValueMemberNULL{Value: true}
	case 6:
		return &types.AttributeValueMemberSS{Value: rapid.SliceOfN(texts, 0, 3).Draw(t, "SS")}
	case 7:
		if rapid.Bool().Draw(t, "binary") {
			return &types.AttributeValueMemberBS{Value: rapid.SliceOfN(blobs, 0, 3).Draw(t, "BS")}
		}
		return &types.AttributeValueMemberNS{Value: rapid.SliceOfN(numbers, 0, 3).Draw(t, "NS")}
	case 8, 9:
		l := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		for range rapid.IntRange(0, 4).Draw(t, "L") {
			l.Value = append(l.Value, drawAV(t, depth-1))
		}
		return l
	}
	m := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}
	for range rapid.IntRange(0, 4).Draw(t, "M") {
		name := rapid.SampledFrom([]string{"F0", "a1", "F1", "名2", "By", "1", "true", "low", "0.5"}).Draw(t, "attribute")
		m.Value[name] = drawAV(t, depth-1)
	}
	return m
}

// repeats reports whether a value holds a set with a member twice.
func repeats(av types.AttributeValue) bool {
	twice := func(members []string) bool {
		return len(slices.Compact(slices.Sorted(slices.Values(members)))) < len(members)
	}
	switch av := av.(type) {
	case *types.AttributeValueMemberSS:
		return twice(av.Value)
	case *types.AttributeValueMemberNS:
		return twice(av.Value)
	case *types.AttributeValueMemberBS:
		var texts []string
		for _, b := range av.Value {
			texts = append(texts, string(b))
		}
		return twice(texts)
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(av.Value, repeats)
	case *types.AttributeValueMemberM:
		return slices.ContainsFunc(slices.Collect(maps.Values(av.Value)), repeats)
	}
	return false
}
