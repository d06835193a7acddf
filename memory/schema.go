package memory

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

type keyAttribute = eval.KeyAttribute

// keySchema lists the attributes of the primary key of a table or of the key of
// an index. Only global secondary indexes have more than one of either role.
type keySchema struct {
	hash []keyAttribute // one to four
	sort []keyAttribute // none to four
	all  []keyAttribute // hash, then sort
}

// newKeySchema makes the schema of a request's elements, given all attributes
// that the table defines.
func newKeySchema(elements []types.KeySchemaElement, defined []keyAttribute) keySchema {
	var s keySchema
	for _, e := range elements {
		a := defined[slices.IndexFunc(defined, func(a keyAttribute) bool { return a.Name == *e.AttributeName })]
		if e.KeyType == types.KeyTypeHash {
			s.hash = append(s.hash, a)
		} else {
			s.sort = append(s.sort, a)
		}
	}
	s.all = slices.Concat(s.hash, s.sort)
	return s
}

// elements returns the schema in the SDK's form.
func (s *keySchema) elements() []types.KeySchemaElement {
	out := make([]types.KeySchemaElement, 0, len(s.all))
	for _, a := range s.hash {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(a.Name), KeyType: types.KeyTypeHash})
	}
	for _, a := range s.sort {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(a.Name), KeyType: types.KeyTypeRange})
	}
	return out
}

// has reports whether the attribute is part of the key.
func (s *keySchema) has(name string) bool {
	return slices.ContainsFunc(s.all, func(a keyAttribute) bool { return a.Name == name })
}

// within reports whether the item has a usable value for every attribute of the
// key. Items of a table always have; an index holds only those that have.
func (s *keySchema) within(item av.Map) bool {
	for _, a := range s.all {
		v := item.Get(a.Name)
		if v.Kind() != a.Kind || isEmpty(v) {
			return false
		}
	}
	return s.checkSizes(item) == nil
}

// only returns the key attributes of an item.
func (s *keySchema) only(item av.Map) av.Map {
	key := make([]av.Attr, 0, len(s.all))
	for _, a := range s.all {
		key = append(key, av.Attr{Name: a.Name, Value: item.Get(a.Name)})
	}
	return av.NewMap(key)
}

// appendTo appends the ordered form of an item's key.
func (s *keySchema) appendTo(dst []byte, item av.Map) []byte {
	for _, a := range s.all {
		dst = item.Get(a.Name).AppendKey(dst)
	}
	return dst
}

// storeKey returns the key under which an item of the table is stored: its
// place in hash space, then the primary key in ordered form.
func (s *keySchema) storeKey(item av.Map) string {
	dst := make([]byte, 0, 64)
	return string(s.appendTo(s.appendPartition(dst, item), item))
}

// appendPartition appends the place in hash space of an item's partition key.
func (s *keySchema) appendPartition(dst []byte, item av.Map) []byte {
	if len(s.hash) == 1 {
		return appendHash(dst, item.Get(s.hash[0].Name))
	}
	values := make([]av.Value, len(s.hash))
	for i, a := range s.hash {
		values[i] = item.Get(a.Name)
	}
	return appendHash(dst, values...)
}

// checkKey applies the rules for the Key of a request: exactly the attributes of
// the primary key, of the right kind, not empty, not too long.
func (s *keySchema) checkKey(key av.Map) error {
	if len(key) != len(s.all) {
		return invalid(textKeySchema)
	}
	return s.checkValues(key)
}

// checkValues applies the same rules to the key within an item, as puts of a
// batch do.
func (s *keySchema) checkValues(item av.Map) error {
	for _, a := range s.all {
		v := item.Get(a.Name)
		if v.Kind() != a.Kind {
			return invalid(textKeySchema)
		}
		if isEmpty(v) {
			return errEmptyKey(a.Name, a.Kind)
		}
	}
	return s.checkSizes(item)
}

// checkItem applies the rules for the primary key within a whole item.
func (s *keySchema) checkItem(item av.Map) error {
	for _, a := range s.all {
		v := item.Get(a.Name)
		switch {
		case !v.Exists():
			return errMissingKey(a.Name)
		case v.Kind() != a.Kind:
			return errKeyKind(a.Name, a.Kind, v.Kind())
		case isEmpty(v):
			return errEmptyKey(a.Name, a.Kind)
		}
	}
	return s.checkSizes(item)
}

// checkSizes applies the limits on key values; those of several attributes in
// one role count together. Attributes that the item lacks count nothing.
func (s *keySchema) checkSizes(item av.Map) error {
	if keyBytes(s.hash, item) > limits.PartitionKeyBytes {
		return invalid(textHashKeySize)
	}
	if keyBytes(s.sort, item) > limits.SortKeyBytes {
		return invalid(textRangeKeySize)
	}
	return nil
}

// touches reports whether any of the paths leads to a key attribute or into it.
func touches(written []eval.Path, a keyAttribute) bool {
	return slices.ContainsFunc(written, func(p eval.Path) bool { return p.Root() == a.Name })
}

// keyBytes adds up strings and binaries; numbers are always short enough.
func keyBytes(attributes []keyAttribute, item av.Map) int {
	n := 0
	for _, a := range attributes {
		if a.Kind != av.N {
			n += len(item.Get(a.Name).Text())
		}
	}
	return n
}

// isEmpty reports an empty string or binary, which no key may hold.
func isEmpty(v av.Value) bool {
	return (v.Kind() == av.S || v.Kind() == av.B) && v.Text() == ""
}
