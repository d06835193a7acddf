package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func mapToJSON(item map[string]types.AttributeValue) (map[string]any, error) {
	out := make(map[string]any, len(item))
	for name, v := range item {
		j, err := toJSON(v)
		if err == nil {
			err = checkText(name)
		}
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = j
	}
	return out, nil
}

func toJSON(v types.AttributeValue) (any, error) {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
		return nil, fmt.Errorf("a nil %T is no attribute value", v)
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}, checkText(v.Value)
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}, checkNumber(v.Value)
	case *types.AttributeValueMemberB:
		return map[string]any{"B": append([]byte{}, v.Value...)}, nil
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}, nil
	case *types.AttributeValueMemberNULL:
		return map[string]any{"NULL": v.Value}, nil
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": append([]string{}, v.Value...)}, checkEach(v.Value, checkText)
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": append([]string{}, v.Value...)}, checkEach(v.Value, checkNumber)
	case *types.AttributeValueMemberBS:
		set := make([][]byte, len(v.Value))
		for i, e := range v.Value {
			set[i] = append([]byte{}, e...)
		}
		return map[string]any{"BS": set}, nil
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			j, err := toJSON(e)
			if err != nil {
				return nil, err
			}
			list[i] = j
		}
		return map[string]any{"L": list}, nil
	case *types.AttributeValueMemberM:
		m, err := mapToJSON(v.Value)
		return map[string]any{"M": m}, err
	}
	return nil, fmt.Errorf("%T is no attribute value", v)
}

func mapFromJSON(body []byte) (map[string]types.AttributeValue, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	out := make(map[string]types.AttributeValue, len(raw))
	for name, v := range raw {
		av, err := fromJSON(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = av
	}
	return out, nil
}

func fromJSON(body []byte) (types.AttributeValue, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, fmt.Errorf(`a value is an object such as {"S":"text"}: %w`, err)
	}
	if len(raw) != 1 {
		return nil, fmt.Errorf(`a value has one type, as in {"S":"text"}; this has %d`, len(raw))
	}
	for kind, v := range raw {
		av, err := ofKind(kind, v)
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", kind, err)
		}
		return av, nil
	}
	return nil, nil // not reached: raw has one member
}

func ofKind(kind string, body []byte) (types.AttributeValue, error) {
	switch kind {
	case "S":
		s, err := as[string](body)
		return &types.AttributeValueMemberS{Value: s}, err
	case "N":
		n, err := as[string](body)
		if err == nil {
			err = checkNumber(n)
		}
		return &types.AttributeValueMemberN{Value: n}, err
	case "B":
		b, err := as[[]byte](body)
		return &types.AttributeValueMemberB{Value: b}, err
	case "BOOL":
		b, err := as[bool](body)
		return &types.AttributeValueMemberBOOL{Value: b}, err
	case "NULL":
		b, err := as[bool](body)
		return &types.AttributeValueMemberNULL{Value: b}, err
	case "SS":
		ss, err := elements[string](body)
		return &types.AttributeValueMemberSS{Value: ss}, err
	case "NS":
		ns, err := elements[string](body)
		if err == nil {
			err = checkEach(ns, checkNumber)
		}
		return &types.AttributeValueMemberNS{Value: ns}, err
	case "BS":
		bs, err := elements[[]byte](body)
		return &types.AttributeValueMemberBS{Value: bs}, err
	case "L":
		raw, err := as[[]json.RawMessage](body)
		if err != nil {
			return nil, err
		}
		list := make([]types.AttributeValue, len(raw))
		for i, e := range raw {
			if list[i], err = fromJSON(e); err != nil {
				return nil, err
			}
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case "M":
		m, err := mapFromJSON(body)
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, fmt.Errorf("unknown; the types are S, N, B, BOOL, NULL, SS, NS, BS, L and M")
}

func as[T any](body []byte) (T, error) {
	var v *T
	if err := json.Unmarshal(body, &v); err != nil {
		return *new(T), err
	}
	if v == nil {
		return *new(T), fmt.Errorf("null is no value of a %T", *new(T))
	}
	return *v, nil
}

// elements reads an array, no element of which may be null.
func elements[T any](body []byte) ([]T, error) {
	raw, err := as[[]json.RawMessage](body)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(raw))
	for i, e := range raw {
		if out[i], err = as[T](e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkText refuses what package json would alter without a word.
func checkText(text string) error {
	if !utf8.ValidString(text) {
		return errText
	}
	return nil
}

var errText = errors.New("text that is not valid UTF-8")

// number is the form of a decimal; digits and range are the service's to check.
var number = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func checkNumber(text string) error {
	if !number.MatchString(text) {
		return fmt.Errorf("%q is no number", text)
	}
	return nil
}

func checkEach(values []string, check func(string) error) error {
	for _, v := range values {
		if err := check(v); err != nil {
			return err
		}
	}
	return nil
}
