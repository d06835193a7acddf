package eval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// placeholder is a placeholder with what it stands for.
type placeholder[T any] struct {
	key   string
	value T
	used  bool
}

// placeholders are the placeholders of a request in the order of their keys.
type placeholders[T any] []placeholder[T]

// resolve returns what a placeholder stands for and marks it as used.
func (h placeholders[T]) resolve(key string) (v T, ok bool) {
	i, ok := slices.BinarySearchFunc(h, key, func(e placeholder[T], key string) int { return cmp.Compare(e.key, key) })
	if !ok {
		return v, false
	}
	h[i].used = true
	return h[i].value, true
}

// unused lists the placeholders that no expression used.
func (h placeholders[T]) unused() string {
	var keys []string
	for _, e := range h {
		if !e.used {
			keys = append(keys, e.key)
		}
	}
	return strings.Join(keys, ", ")
}

const (
	namesMap  = "ExpressionAttributeNames"
	valuesMap = "ExpressionAttributeValues"
)

// open sorts the placeholders of a map and checks everything but their values.
// Of several faulty keys it reports the first in byte order.
func open[V, T any](m map[string]V, parameter string, marker byte, expressions bool) (placeholders[T], error) {
	switch {
	case m == nil:
		return nil, nil
	case !expressions:
		e := refused("%s can only be specified when using expressions", parameter)
		e.Unused = parameter == valuesMap
		return nil, e
	case len(m) == 0:
		return nil, refused("%s must not be empty", parameter)
	}
	h := make(placeholders[T], 0, len(m))
	for key := range m {
		h = append(h, placeholder[T]{key: key})
	}
	slices.SortFunc(h, func(a, b placeholder[T]) int { return cmp.Compare(a.key, b.key) })
	for _, e := range h {
		if !expr.IsPlaceholder(e.key, marker) {
			return nil, refused(`%s contains invalid key: Syntax error; key: "%s"`, parameter, e.key)
		}
		if len(e.key) > limits.PlaceholderBytes {
			return nil, refused("%s contains invalid key: The expression attribute map contains a key that is too long; key size: %d", parameter, len(e.key))
		}
	}
	return h, nil
}

// openNames checks ExpressionAttributeNames.
func openNames(m map[string]string, expressions bool) (placeholders[string], error) {
	h, err := open[string, string](m, namesMap, '#', expressions)
	for i, e := range h {
		h[i].value = m[e.key]
		switch n := len(h[i].value); {
		case n == 0:
			return nil, refused("%s contains invalid value: Empty attribute name for key %s", namesMap, e.key)
		case n > limits.AttributeNameBytes:
			return nil, refused("%s contains invalid value: Attribute name is too large, must be less than %d bytes for key %s",
				namesMap, limits.AttributeNameBytes+1, e.key)
		}
	}
	return h, err
}

// openValues checks ExpressionAttributeValues: all keys, then all values.
func openValues(m map[string]types.AttributeValue, expressions bool) (placeholders[av.Value], error) {
	h, err := open[types.AttributeValue, av.Value](m, valuesMap, ':', expressions)
	for i, e := range h {
		v, err := av.FromSDK(m[e.key])
		if err != nil {
			return nil, faultyValue(err, e.key)
		}
		h[i].value = v
	}
	return h, err
}

// faultyValue reports a faulty value. Only the older wording says where it stands,
// unless it is no value at all (observed).
func faultyValue(err error, key string) error {
	fault, ok := err.(*av.Error)
	if !ok || fault.Shape {
		e := refused("%s contains invalid value: %s for key %s", valuesMap, err, key)
		e.Counted = !ok
		return e
	}
	return &Error{
		Text:    fault.Text,
		Older:   refused("%s contains invalid value: %s for key %s", valuesMap, fault.Older, key).Text,
		Counted: true,
	}
}

// checkSubstitutions applies the limit on all that placeholders stand for together.
// Constraints.html#limits-expression-parameters
func (b *binder) checkSubstitutions() error {
	bytes := 0
	for _, e := range b.names {
		bytes += len(e.value)
	}
	for _, e := range b.values {
		bytes += e.value.Size()
	}
	if bytes > limits.SubstitutionBytes {
		return refused("The names and values that placeholders stand for exceed the limit of %d bytes", limits.SubstitutionBytes)
	}
	return nil
}

// checkUnused reports placeholders that no expression of the request used.
func (b *binder) checkUnused() error {
	const text = "Value provided in %s unused in expressions: keys: {%s}"
	if keys := b.names.unused(); keys != "" {
		return refused(text, namesMap, keys)
	}
	if keys := b.values.unused(); keys != "" {
		return refused(text, valuesMap, keys)
	}
	return nil
}
