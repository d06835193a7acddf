package memory

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// What is taken over from requests: items, keys and expressions.

// itemFrom takes an item or key over from a request.
func itemFrom(m map[string]types.AttributeValue, w wording) (av.Map, error) {
	item, err := av.MapFromSDK(m)
	if err != nil {
		if nestsDeeper(m, newerLevels) {
			w = wording{older: true}
		}
		return nil, w.fault(err)
	}
	return item, checkNames(item)
}

// newerLevels is about how deep an item may nest before the newer layer of
// validation leaves it to the older one (observed).
const newerLevels = 62

// nestsDeeper reports whether lists and maps nest deeper than so many levels, of
// which the attributes are the first.
func nestsDeeper(m item, levels int) bool {
	level := map[types.AttributeValue]bool{&types.AttributeValueMemberM{Value: m}: true}
	for range levels {
		below := make(map[types.AttributeValue]bool) // what several hold is looked at once
		for v := range level {
			switch v := v.(type) {
			case *types.AttributeValueMemberM:
				addHolders(below, maps.Values(v.Value))
			case *types.AttributeValueMemberL:
				addHolders(below, slices.Values(v.Value))
			}
		}
		level = below
	}
	return len(level) > 0
}

// addHolders adds the values that hold others.
func addHolders(to map[types.AttributeValue]bool, values iter.Seq[types.AttributeValue]) {
	for v := range values {
		switch m := v.(type) {
		case *types.AttributeValueMemberM:
			if m != nil {
				to[v] = true
			}
		case *types.AttributeValueMemberL:
			if m != nil {
				to[v] = true
			}
		}
	}
}

// checkNames applies the limits on attribute names, nested ones included.
func checkNames(m av.Map) error {
	for i := range m {
		if err := checkName(m[i].Name); err != nil {
			return err
		}
		if err := checkNamesWithin(m[i].Value); err != nil {
			return err
		}
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return invalid(textEmptyName)
	case len(name) > limits.AttributeNameBytes:
		return invalid(textNameSize)
	}
	return nil
}

func checkNamesWithin(v av.Value) error {
	switch v.Kind() {
	case av.L:
		for _, e := range v.List() {
			if err := checkNamesWithin(e); err != nil {
				return err
			}
		}
	case av.M:
		return checkNames(v.Map())
	}
	return nil
}

// compile checks the expressions of a request, or what stands in their place.
func (db *DB) compile(w wording, r eval.Request, l legacyRequest) (eval.Compiled, error) {
	if !l.isEmpty() {
		return db.compileLegacy(w, r, l)
	}
	c, err := db.compiler.Compile(r)
	if err != nil {
		return eval.Compiled{}, w.fault(err)
	}
	return c, nil
}

func (db *DB) compileLegacy(w wording, r eval.Request, l legacyRequest) (eval.Compiled, error) {
	var legacy eval.Compiled
	r.Before = func() (err error) {
		legacy, err = l.take(w, &r)
		return err
	}
	c, err := db.compiler.Compile(r)
	if err != nil {
		return eval.Compiled{}, w.fault(err)
	}
	c.Update = cmp.Or(c.Update, legacy.Update)
	c.Condition = cmp.Or(c.Condition, legacy.Condition)
	c.KeyCondition = cmp.Or(c.KeyCondition, legacy.KeyCondition)
	c.Filter = cmp.Or(c.Filter, legacy.Filter)
	c.Projection = cmp.Or(c.Projection, legacy.Projection)
	return c, nil
}

// paths returns the paths of an expression, none of one that is absent.
func paths[E interface {
	comparable
	Paths() []eval.Path
}](expression E) []eval.Path {
	var absent E
	if expression == absent {
		return nil
	}
	return expression.Paths()
}
