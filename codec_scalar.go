package ddb

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// basic returns the codec of a bool, string or number type, or nil.
func basic(t reflect.Type, o options) codec {
	quoted := o.has(asString)
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return boolCodec{t}
	case kind == reflect.String && t.Implements(numeral):
		return numeralCodec{t, quoted}
	case kind == reflect.String:
		return stringCodec{t}
	case kind >= reflect.Int && kind <= reflect.Int64:
		return intCodec{t, quoted}
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		return uintCodec{t, quoted}
	case kind == reflect.Float32 || kind == reflect.Float64:
		return floatCodec{t, quoted}
	}
	return nil
}

type boolCodec struct{ typ reflect.Type }

func (boolCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	return w.bool(v.Bool()), nil
}

func (c boolCodec) decode(av types.AttributeValue, v reflect.Value) error {
	b, ok := av.(*types.AttributeValueMemberBOOL)
	if !ok || b == nil {
		return wrongKind(av, c.typ)
	}
	v.SetBool(b.Value)
	return nil
}

func (boolCodec) descriptor() string { return "BOOL" }

type stringCodec struct{ typ reflect.Type }

func (c stringCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	text := v.String()
	if !utf8.ValidString(text) {
		return nil, notUTF8(c.typ)
	}
	return w.string(text), nil
}

func (c stringCodec) decode(av types.AttributeValue, v reflect.Value) error {
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		if av != nil {
			v.SetString(av.Value)
		}
	case *types.AttributeValueMemberN:
		if av != nil {
			v.SetString(av.Value)
		}
	default:
		return wrongKind(av, c.typ)
	}
	return nil
}

func (stringCodec) descriptor() string { return "S" }

// numeral is what makes a string type a number, such as json.Number and
// attributevalue.Number.
var numeral = reflect.TypeFor[interface {
	Float64() (float64, error)
	Int64() (int64, error)
	String() string
}]()

// numeralCodec is for string types that hold the text of a number.
type numeralCodec struct {
	typ    reflect.Type
	quoted bool
}

func (c numeralCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	text := v.String()
	switch problem := numberProblem(text); {
	case problem != "" && !c.quoted:
		return nil, &EncodeError{Type: c.typ, Problem: problem}
	case !utf8.ValidString(text):
		return nil, notUTF8(c.typ)
	}
	return w.numeral(text, c.quoted), nil
}

func (c numeralCodec) decode(av types.AttributeValue, v reflect.Value) error {
	return stringCodec{c.typ}.decode(av, v)
}

func (c numeralCodec) descriptor() string { return numberDescriptor(c.quoted) }

// numeral writes the text of a number, as a string under the option string.
func (w *writer) numeral(text string, quoted bool) types.AttributeValue {
	if quoted {
		return w.string(text)
	}
	return w.number(text)
}

func numberDescriptor(quoted bool) string {
	if quoted {
		return "S"
	}
	return "N"
}

// numberIn returns the text of a number.
func numberIn(av types.AttributeValue, quoted bool) (string, bool) {
	switch av := av.(type) {
	case *types.AttributeValueMemberN:
		if av != nil {
			return av.Value, true
		}
	case *types.AttributeValueMemberS:
		if av != nil && quoted {
			return av.Value, true
		}
	}
	return "", false
}

type intCodec struct {
	typ    reflect.Type
	quoted bool
}

func (c intCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	return w.numeral(w.int(v.Int()), c.quoted), nil
}

func (c intCodec) decode(av types.AttributeValue, v reflect.Value) error {
	text, ok := numberIn(av, c.quoted)
	if !ok {
		return wrongKind(av, c.typ)
	}
	i, err := strconv.ParseInt(text, 10, c.typ.Bits())
	if err != nil {
		return notANumber(av, c.typ, err)
	}
	v.SetInt(i)
	return nil
}

func (c intCodec) descriptor() string { return numberDescriptor(c.quoted) }

type uintCodec struct {
	typ    reflect.Type
	quoted bool
}

func (c uintCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	return w.numeral(w.uint(v.Uint()), c.quoted), nil
}

func (c uintCodec) decode(av types.AttributeValue, v reflect.Value) error {
	text, ok := numberIn(av, c.quoted)
	if !ok {
		return wrongKind(av, c.typ)
	}
	i, err := strconv.ParseUint(text, 10, c.typ.Bits())
	if err != nil {
		return notANumber(av, c.typ, err)
	}
	v.SetUint(i)
	return nil
}

func (c uintCodec) descriptor() string { return numberDescriptor(c.quoted) }

// floatCodec writes the shortest text that reads back as the same number.
type floatCodec struct {
	typ    reflect.Type
	quoted bool
}

func (c floatCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	f := v.Float()
	if problem := floatProblem(f); problem != "" && !c.quoted {
		return nil, &EncodeError{Type: c.typ, Problem: problem}
	}
	var scratch [24]byte
	return w.numeral(w.text(strconv.AppendFloat(scratch[:0], f, 'f', -1, c.typ.Bits())), c.quoted), nil
}

func floatProblem(f float64) string {
	switch magnitude := math.Abs(f); {
	case f == 0:
		return ""
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "is not a finite number"
	case magnitude < 1e-130 || magnitude >= 1e126:
		return outOfRange
	}
	return ""
}

func (c floatCodec) decode(av types.AttributeValue, v reflect.Value) error {
	text, ok := numberIn(av, c.quoted)
	if !ok {
		return wrongKind(av, c.typ)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && v.OverflowFloat(f) {
		err = strconv.ErrRange
	}
	if err != nil {
		return notANumber(av, c.typ, err)
	}
	v.SetFloat(f)
	return nil
}

func (c floatCodec) descriptor() string { return numberDescriptor(c.quoted) }

// textless returns the error of package strconv without the text at fault, which
// stays out of errors.
func textless(err error) error {
	if n := (*strconv.NumError)(nil); errors.As(err, &n) {
		return n.Err
	}
	return err
}

// notANumber says why the text of a number does not fit a type.
func notANumber(av types.AttributeValue, t reflect.Type, err error) error {
	problem := "is not such a number"
	if errors.Is(err, strconv.ErrRange) {
		problem = "is out of range"
	}
	return &DecodeError{Kind: descriptorOf(av), Type: t, Problem: problem, Err: textless(err)}
}
