package memory

import (
	"cmp"

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
		return nil, w.fault(err)
	}
	return item, checkNames(item)
}

// checkNames applies the limits on attribute names, nested ones included.
func checkNames(m av.Map) error {
	for _, a := range m {
		if err := checkName(a.Name); err != nil {
			return err
		}
		if err := checkNamesWithin(a.Value); err != nil {
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
	for _, e := range v.List() {
		if err := checkNamesWithin(e); err != nil {
			return err
		}
	}
	return checkNames(v.Map())
}

// compile checks the expressions of a request, or what stands in their place.
func (db *DB) compile(w wording, r eval.Request, l legacyRequest) (eval.Compiled, error) {
	var legacy eval.Compiled
	if !l.isEmpty() {
		if err := l.checkMixing(w, &r); err != nil {
			return eval.Compiled{}, err
		}
		if err := l.compile(w, &legacy); err != nil {
			return eval.Compiled{}, err
		}
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
