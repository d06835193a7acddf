package ddb

import (
	"encoding/base64"
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestForgedPositions asserts that positions which are no keys of the read are
// refused, though without a secret anybody can seal them.
func TestForgedPositions(t *testing.T) {
	t.Parallel()
	table := NewTable("Test", nil)
	column := func(attr string, kind types.ScalarAttributeType) []*keyColumn {
		return []*keyColumn{{attr: attr, kind: kind}}
	}
	spec := &keySpec{pk: column("PK", types.ScalarAttributeTypeS), sk: column("SK", types.ScalarAttributeTypeN)}
	made := shapeOf(queryInput(table, spec, []types.AttributeValue{text("A")}, sortCondition{}))
	r := &reading{shape: func() shape { return made }, keys: []*keySpec{spec}}
	r.over(nil)
	seal := table.sealer(r)
	for name, c := range map[string]struct {
		body string
		fits bool
	}{
		"good":          {`[{"PK":{"S":"A"},"SK":{"N":"1"}}]`, true},
		"beginning":     {`[null]`, true},
		"end":           {`[{}]`, true},
		"missing key":   {`[{"PK":{"S":"A"}}]`, false},
		"further key":   {`[{"PK":{"S":"A"},"SK":{"N":"1"},"X":{"S":"x"}}]`, false},
		"other name":    {`[{"PK":{"S":"A"},"XK":{"N":"1"}}]`, false},
		"other type":    {`[{"PK":{"S":"A"},"SK":{"S":"1"}}]`, false},
		"two types":     {`[{"PK":{"S":"A","N":"1"},"SK":{"N":"1"}}]`, false},
		"no key type":   {`[{"PK":{"BOOL":"true"},"SK":{"N":"1"}}]`, false},
		"two positions": {`[null,null]`, false},
		"none":          {`[]`, false},
		"no list":       {`{}`, false},
		"no JSON":       {`[`, false},
	} {
		body := []byte(c.body)
		cursor := base64.RawURLEncoding.EncodeToString(slices.Concat([]byte{cursorVersion}, seal.mac(nil, body), body))
		r.sources[0].from, r.sources[0].ended = nil, false
		if err := seal.open(cursor, r); c.fits != (err == nil) || err != nil && !errors.Is(err, ErrCursor) {
			t.Errorf("%s: got %v, want that it fits: %t", name, err, c.fits)
		}
	}
}
