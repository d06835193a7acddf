package av

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Whoever only writes the items of a response down somewhere does not need them in
// the SDK's types, which cost more than all else that a read does. Such a caller,
// within this module, asks for stored items as they are.

type keepStored struct{}

// KeepStored makes reads with the context return items in the form of [Map.Stored].
func KeepStored(ctx context.Context) context.Context {
	return context.WithValue(ctx, keepStored{}, true)
}

// KeepsStored reports whether the context is made by [KeepStored].
func KeepsStored(ctx context.Context) bool { return ctx.Value(keepStored{}) != nil }

// stored is an item in the place of a value. Embedding the interface makes it one;
// nothing ever calls it.
type stored struct {
	types.AttributeValue
	item Map
}

// Stored returns a map of the SDK's type that stands for m as it is and is of use
// for nothing but [FromStored].
func (m Map) Stored() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"": stored{item: m}}
}

// FromStored returns what [Map.Stored] made the map of. It reports false for any
// other map.
func FromStored(m map[string]types.AttributeValue) (Map, bool) {
	if len(m) != 1 {
		return nil, false
	}
	s, ok := m[""].(stored)
	return s.item, ok
}
