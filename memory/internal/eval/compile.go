package eval

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// Request holds the expressions of one request as sent; nil means absent.
type Request struct {
	Update, Condition, KeyCondition, Filter, Projection *string

	// Names and Values are ExpressionAttributeNames and
	// ExpressionAttributeValues; an empty map is not an absent one.
	Names  map[string]string
	Values map[string]types.AttributeValue

	// Before is what the operation checks between the maps of placeholders and the
	// expressions, After what it checks between the expressions and placeholders that
	// none of them used; nil for nothing.
	Before, After func() error
}

// Compiled holds the same, checked and ready to run; a nil member means absent.
type Compiled struct {
	Update       *Update
	Condition    *Condition
	KeyCondition *KeyCondition
	Filter       *Condition
	Projection   *Projection
}

// Compiler compiles requests and remembers the trees of their texts, within the
// bound of [expr.Cache]. The zero Compiler is ready; it is safe for concurrent
// use.
type Compiler struct{ trees expr.Cache }

// Compile checks and binds the expressions of a request. It fails with an
// [*Error] for everything that is known to be wrong without the table and the
// item, and of several faults reports the one the service reports: the maps of
// placeholders first, then one expression after the other, then unused
// placeholders, then the form of the key condition. An error of Before or After is
// returned as it is.
//
// The result shares no mutable memory with the request.
func (c *Compiler) Compile(r Request) (Compiled, error) { return compile(r, &c.trees) }

// Compile does what [Compiler.Compile] does, and remembers nothing.
func Compile(r Request) (Compiled, error) { return compile(r, nil) }

func compile(r Request, trees *expr.Cache) (Compiled, error) {
	texts := [...]*string{
		expr.Update: r.Update, expr.Condition: r.Condition, expr.KeyCondition: r.KeyCondition,
		expr.Filter: r.Filter, expr.Projection: r.Projection,
	}
	present := false
	for _, text := range texts {
		present = present || text != nil
	}
	if !present && r.Names == nil && r.Values == nil && r.Before == nil && r.After == nil {
		return Compiled{}, nil
	}
	names, err := openNames(r.Names, present)
	if err != nil {
		return Compiled{}, err
	}
	values, err := openValues(r.Values, present)
	if err != nil {
		return Compiled{}, err
	}
	b := binder{names: names, values: values}
	if err := b.checkSubstitutions(); err != nil {
		return Compiled{}, err
	}
	if err := ask(r.Before); err != nil {
		return Compiled{}, err
	}
	var c Compiled
	for k, text := range texts {
		if text == nil {
			continue
		}
		if err := b.bind(&c, expr.Kind(k), *text, trees); err != nil {
			return Compiled{}, err
		}
	}
	if err := ask(r.After); err != nil {
		return Compiled{}, err
	}
	if err := b.checkUnused(); err != nil {
		return Compiled{}, err
	}
	if b.key != nil {
		if c.KeyCondition, err = splitKeyCondition(b.key); err != nil {
			return Compiled{}, err
		}
	}
	return c, nil
}

// ask makes a check, nil for none.
func ask(check func() error) error {
	if check == nil {
		return nil
	}
	return check()
}

// bind parses one expression and puts its bound form into c; the form of a key
// condition is for later.
func (b *binder) bind(c *Compiled, k expr.Kind, text string, trees *expr.Cache) error {
	t, err := trees.Parse(k, text)
	if err != nil {
		return refused("%s", err)
	}
	b.kind = k
	b.faults = [classes]*Error{}
	switch k {
	case expr.Update:
		c.Update = b.update(t.Sections)
	case expr.Condition:
		c.Condition = NewCondition(b.cond(t.Cond))
	case expr.KeyCondition:
		b.key = b.cond(t.Cond)
	case expr.Filter:
		c.Filter = NewCondition(b.cond(t.Cond))
	case expr.Projection:
		c.Projection = b.projection(t.Paths)
	}
	return b.fault()
}
