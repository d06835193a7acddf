package eval

import (
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// KeyAttribute is one attribute of the key of a table or index.
type KeyAttribute struct {
	Name string
	// Kind is S, N or B.
	Kind av.Kind
}

// Range is what a key condition selects: one partition, and of that an interval
// of sort keys.
type Range struct {
	// Partition holds the values of the partition key's attributes, in the
	// order of the schema.
	Partition []av.Value
	// Low and High bound the half-open interval [Low, High) of byte strings, each
	// the encodings of the sort key's attributes one after the other, as
	// [av.Value.AppendKey] makes them; a stored key may have more bytes behind.
	// If High is "", there is no upper bound.
	Low, High string
	// HasSort tells that the condition names an attribute of the sort key.
	HasSort bool
}

// errKeyCondition is what the service says of much that it cannot plan.
var errKeyCondition = failed("Query key condition not supported")

// errNotIndexable is the fault of operators that select no range of keys.
var errNotIndexable = failed("Attempted conditional constraint is not an indexable operation")

// ErrNoKeyCondition is the fault of a Query without any condition on the key.
var ErrNoKeyCondition = failed("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")

// Plan binds the condition to a key of 1 to [limits.IndexKeyAttributes]
// partition key attributes and none or as many sort key attributes. It fails
// with an [*Error] if the condition does not fit: each partition key attribute
// needs equality, sort key attributes can be named from the first on without
// gaps, and only the last one named can have another operator.
//
// The checks are made on the partition key first, then on the sort key (observed).
// Before those on either, Plan calls other with each of its attributes, for what
// else of the request is to be checked of them; an error of that ends it.
func (k *KeyCondition) Plan(hash, sort []KeyAttribute, other func(KeyAttribute) error) (Range, error) {
	p := planner{k, hash, sort, other}
	if err := p.check(); err != nil {
		return Range{}, err
	}
	var r Range
	for _, a := range hash {
		r.Partition = append(r.Partition, k.term(a.Name).Values[0])
	}
	r.HasSort = len(k.terms) > len(hash)
	r.Low, r.High = p.interval()
	return r, nil
}

// planner fits a key condition to a schema.
type planner struct {
	*KeyCondition
	hash, sort []KeyAttribute
	other      func(KeyAttribute) error
}

func (p *planner) check() error {
	for _, step := range [...]func() error{
		p.checkCount,
		func() error { return p.each(p.hash, p.other) }, p.checkHash, func() error { return p.each(p.hash, p.checkValues) }, p.checkEquality,
		func() error { return p.each(p.sort, p.other) }, p.checkNames, p.checkSort, func() error { return p.each(p.sort, p.checkValues) },
		p.checkSizes,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// each makes a check on attributes one after the other.
func (p *planner) each(attributes []KeyAttribute, check func(KeyAttribute) error) error {
	for _, a := range attributes {
		if err := check(a); err != nil {
			return err
		}
	}
	return nil
}

// checkCount refuses more conditions than the key can take. A table with a
// partition key alone still takes two and finds fault with the second one
// (observed).
func (p *planner) checkCount() error {
	attributes := len(p.hash) + len(p.sort)
	if n := len(p.terms); n > max(attributes, 2) {
		return failed("The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)", n, attributes)
	}
	return nil
}

// checkHash demands a condition on each partition key attribute, and of several
// attributes that it is equality.
func (p *planner) checkHash() error {
	if len(p.hash) == 1 {
		switch {
		case len(p.sort) == 0 && len(p.terms) > 1:
			return errKeyCondition
		case p.term(p.hash[0].Name) == nil:
			return missedElement(p.hash[0])
		}
		return nil
	}
	var without []string
	for _, a := range p.hash {
		if t := p.term(a.Name); t == nil || t.Op != expr.OpEq {
			without = append(without, a.Name)
		}
	}
	if without != nil {
		return failed("HASH key attributes %s must have equality conditions specified in the query", strings.Join(without, ", "))
	}
	return nil
}

// checkEquality demands equality of a partition key of one attribute.
func (p *planner) checkEquality() error {
	if p.term(p.hash[0].Name).Op != expr.OpEq {
		return errKeyCondition
	}
	return nil
}

func missedElement(a KeyAttribute) error {
	return failed("Query condition missed key schema element: %s", a.Name)
}

// checkNames refuses conditions on attributes outside the key. It names the sort
// key attribute that should have been there instead.
func (p *planner) checkNames() error {
	known := len(p.hash)
	var missing *KeyAttribute
	for i, a := range p.sort {
		if p.term(a.Name) != nil {
			known++
		} else if missing == nil {
			missing = &p.sort[i]
		}
	}
	switch {
	case known == len(p.terms):
		return nil
	case missing == nil:
		return errKeyCondition
	}
	return missedElement(*missing)
}

// checkSort refuses gaps in the sort key attributes and operators other than
// equality before the last one named.
func (p *planner) checkSort() error {
	var open []string
	for _, a := range p.sort {
		t := p.term(a.Name)
		if t != nil && open != nil {
			return failed("RANGE key attributes %s must have equality conditions specified in the query because a condition is present on key attribute %s",
				strings.Join(open, ", "), p.lastNamed())
		}
		if t == nil || t.Op != expr.OpEq {
			open = append(open, a.Name)
		}
	}
	return nil
}

// lastNamed returns the last sort key attribute with a condition.
func (p *planner) lastNamed() string {
	name := ""
	for _, a := range p.sort {
		if p.term(a.Name) != nil {
			name = a.Name
		}
	}
	return name
}

// checkValues refuses operators that no key is selected by, and values that no key
// can have.
func (p *planner) checkValues(a KeyAttribute) error {
	t := p.term(a.Name)
	switch {
	case t == nil:
		return nil
	case t.Op == KeyUnfit:
		return errNotIndexable
	}
	return t.fits(a)
}

// checkSizes refuses values that are too long for a key.
func (p *planner) checkSizes() error {
	if p.size(p.hash) > limits.PartitionKeyBytes {
		return failed(parametersInvalid+"Size of hashkey has exceeded the maximum size limit of%d bytes", limits.PartitionKeyBytes)
	}
	if p.size(p.sort) > limits.SortKeyBytes {
		return failed(parametersInvalid+"Aggregated size of all range keys has exceeded the size limit of %d bytes", limits.SortKeyBytes)
	}
	return nil
}

// fits checks the values of a term against the declared type. An empty value
// has no use even as a bound or beginning.
func (t *KeyTerm) fits(a KeyAttribute) error {
	for _, v := range t.Values {
		if v.Kind() != a.Kind {
			return failed(parametersInvalid + "Condition parameter type does not match schema type")
		}
		if v.Text() == "" {
			return failed(parametersNotValid+"The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", emptyWord(a.Kind), a.Name)
		}
	}
	return nil
}

// emptyWord is how messages name a kind that can be empty.
func emptyWord(k av.Kind) string {
	if k == av.B {
		return "binary"
	}
	return "string"
}

// size returns how large the attributes can be together within the condition.
func (p *planner) size(attributes []KeyAttribute) int {
	total := 0
	for _, a := range attributes {
		largest := 0
		if t := p.term(a.Name); t != nil {
			for _, v := range t.Values {
				largest = max(largest, v.Size())
			}
		}
		total += largest
	}
	return total
}

// interval returns the bounds of the sort keys. The encodings that begin with
// one beginning are an interval, from itself to what follows all of them.
func (p *planner) interval() (low, high string) {
	var start []byte
	for _, a := range p.sort {
		t := p.term(a.Name)
		if t == nil {
			break
		}
		if t.Op != expr.OpEq {
			return t.interval(start)
		}
		start = t.Values[0].AppendKey(start)
	}
	return string(start), after(start)
}

// interval returns the bounds of the keys that begin with start and go on with
// a value that the term allows.
func (t *KeyTerm) interval(start []byte) (low, high string) {
	v := t.Values[0]
	join := func(v av.Value) []byte { return v.AppendKey(start[:len(start):len(start)]) }
	switch t.Op {
	case expr.OpLt:
		return string(start), string(join(v))
	case expr.OpLe:
		return string(start), after(join(v))
	case expr.OpGt:
		return after(join(v)), after(start)
	case expr.OpGe:
		return string(join(v)), after(start)
	case expr.OpBetween:
		return string(join(v)), after(join(t.Values[1]))
	default: // begins_with
		prefix := v.AppendKeyPrefix(start[:len(start):len(start)])
		return string(prefix), after(prefix)
	}
}

// after returns the least string above all strings that begin with p, or "" if
// nothing is above them.
func after(p []byte) string {
	n := len(p)
	for n > 0 && p[n-1] == 0xFF {
		n--
	}
	if n == 0 {
		return ""
	}
	return string(p[:n-1]) + string([]byte{p[n-1] + 1})
}
