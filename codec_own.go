package ddb

import (
	"encoding"
	"math/big"
	"reflect"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ownCodec is for types with methods of package attributevalue.
type ownCodec struct {
	typ                  reflect.Type
	options              options
	marshals, unmarshals bool
	rest                 codec // for the direction without a method
}

func (c *ownCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	if !c.marshals {
		return c.rest.encode(w, v)
	}
	av, err := pointerTo(v).(attributevalue.Marshaler).MarshalDynamoDBAttributeValue()
	switch kind := descriptorOf(av); {
	case err != nil:
		return nil, &EncodeError{Type: c.typ, Problem: "does not marshal", Err: err}
	case kind == "" || kind == "NULL" && c.options.has(omitEmpty):
		return nil, nil
	}
	return w.foreign(av), checkTexts(av, c.typ)
}

func (c *ownCodec) decode(av types.AttributeValue, v reflect.Value) error {
	kind := descriptorOf(av)
	switch {
	case !c.unmarshals:
		return c.rest.decode(av, v)
	case kind == "":
		return nil
	}
	if err := pointerTo(v).(attributevalue.Unmarshaler).UnmarshalDynamoDBAttributeValue(av); err != nil {
		return &DecodeError{Kind: kind, Type: c.typ, Problem: "does not unmarshal", Err: err}
	}
	return nil
}

func (c *ownCodec) descriptor() string { return "" }

// writesText reports whether values of a type are stored as the text that they
// make of themselves.
func writesText(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && t != timeType && t != bigIntType &&
		hasText(t) && !embeds(t, hasText)
}

func hasText(t reflect.Type) bool { return has(t, textMarshaler) && has(t, textUnmarshaler) }

// embeds reports whether a struct embeds such a type beside other fields. The
// struct then most likely has the methods of the embedded type, which know
// nothing of the other fields.
func embeds(t reflect.Type, such func(reflect.Type) bool) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	found, fields := false, 0
	for sf := range fieldsOf(t) {
		if sf.Anonymous || sf.IsExported() {
			fields++
		}
		found = found || sf.Anonymous && such(indirect(sf.Type))
	}
	return found && fields > 1
}

// textCodec is for types with MarshalText and UnmarshalText.
type textCodec struct {
	typ   reflect.Type
	basic codec // reads what others stored by the kind of the type; nil if there is none
}

func (c textCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	text, err := pointerTo(v).(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return nil, &EncodeError{Type: c.typ, Problem: "has no text", Err: err}
	}
	if !utf8.Valid(text) {
		return nil, notUTF8(c.typ)
	}
	return w.string(string(text)), nil
}

func (c textCodec) decode(av types.AttributeValue, v reflect.Value) error {
	s, ok := av.(*types.AttributeValueMemberS)
	switch {
	case ok && s != nil:
		if err := pointerTo(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(s.Value)); err != nil {
			return &DecodeError{Kind: "S", Type: c.typ, Problem: "is not its text", Err: err}
		}
		return nil
	case c.basic != nil:
		return c.basic.decode(av, v)
	}
	return wrongKind(av, c.typ)
}

func (textCodec) descriptor() string { return "S" }

// bigCodec is for big.Int.
type bigCodec struct{}

func bigIntOf(v reflect.Value) *big.Int { return pointerTo(v).(*big.Int) }

func (bigCodec) encode(w *writer, v reflect.Value) (types.AttributeValue, error) {
	text := bigIntOf(v).String()
	if problem := numberProblem(text); problem != "" {
		return nil, &EncodeError{Type: bigIntType, Problem: problem}
	}
	return w.number(text), nil
}

func (bigCodec) decode(av types.AttributeValue, v reflect.Value) error {
	n, ok := av.(*types.AttributeValueMemberN)
	if !ok || n == nil {
		return wrongKind(av, bigIntType)
	}
	if _, ok := bigIntOf(v).SetString(n.Value, 10); !ok {
		bigIntOf(v).SetInt64(0)
		return &DecodeError{Kind: "N", Type: bigIntType, Problem: "is no whole number"}
	}
	return nil
}

func (bigCodec) descriptor() string { return "N" }
