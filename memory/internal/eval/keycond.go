package eval

import (
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// KeyCondition is the condition of a Query on the key of a table or index.
// Query.KeyConditionExpressions.html.
type KeyCondition struct{ terms []KeyTerm }

// KeyTerm is a condition on one key attribute.
type KeyTerm struct {
	Name string
	// Op is a comparator other than <>, [expr.OpBetween], [KeyBeginsWith] or
	// [KeyUnfit].
	Op expr.Op
	// Values are the lower and the upper bound of BETWEEN, in order and of one
	// kind; those of KeyUnfit do not matter; all others have one value.
	Values []av.Value
}

const (
	// KeyBeginsWith is the operator of begins_with.
	KeyBeginsWith expr.Op = expr.FuncBeginsWith
	// KeyUnfit stands for the operators of legacy conditions that select no range
	// of keys, such as NE; only [KeyCondition.Plan] refuses them (observed).
	KeyUnfit expr.Op = "unfit"
)

// NewKeyCondition returns the condition that all terms state. No two may be on
// one attribute.
func NewKeyCondition(terms ...KeyTerm) *KeyCondition { return &KeyCondition{terms: terms} }

// splitKeyCondition takes a bound condition apart into terms. It fails if there
// is more in it than conditions on attributes joined by AND.
func splitKeyCondition(p Predicate) (*KeyCondition, error) {
	k := new(KeyCondition)
	return k, k.add(p)
}

// add adds the terms of a predicate from left to right.
func (k *KeyCondition) add(p Predicate) error {
	switch p := p.(type) {
	case all:
		for _, q := range p {
			if err := k.add(q); err != nil {
				return err
			}
		}
		return nil
	case *compare:
		if p.op == expr.OpNe {
			return badOperator(p.op)
		}
		return k.addComparison(p)
	case *interval:
		return k.addTerm(expr.OpBetween, &p.of, &p.low, &p.high)
	case *prefix:
		return k.addTerm(KeyBeginsWith, &p.of, &p.with)
	}
	return badOperator(operatorOf(p))
}

// operatorOf names what cannot be part of a key condition.
func operatorOf(p Predicate) expr.Op {
	switch p := p.(type) {
	case some:
		return expr.OpOr
	case *inverse:
		return expr.OpNot
	case *membership:
		return expr.OpIn
	case *existence:
		if !p.want {
			return expr.FuncAttributeNotExists
		}
		return expr.FuncAttributeExists
	case *typeTest:
		return expr.FuncAttributeType
	}
	return expr.FuncContains
}

func badOperator(op expr.Op) error {
	return invalidKey("Invalid operator used in KeyConditionExpression: %s", op)
}

func invalidKey(format string, args ...any) error {
	return refused("Invalid KeyConditionExpression: "+format, args...)
}

// addComparison turns a comparison with the value first around.
func (k *KeyCondition) addComparison(c *compare) error {
	op := c.op
	if c.left.isConstant() {
		op = mirrored(op)
	}
	return k.addTerm(op, &c.left, &c.right)
}

// mirrored returns the comparator for exchanged operands.
func mirrored(op expr.Op) expr.Op {
	switch op {
	case expr.OpLt:
		return expr.OpGt
	case expr.OpLe:
		return expr.OpGe
	case expr.OpGt:
		return expr.OpLt
	case expr.OpGe:
		return expr.OpLe
	}
	return op
}

// addTerm adds a term of one attribute and constants. The operands are looked
// at from left to right (observed in which of several faults is reported).
func (k *KeyCondition) addTerm(op expr.Op, operands ...*Operand) error {
	var key Path
	var values []av.Value
	for i, o := range operands {
		switch {
		case o.size:
			return invalidKey("KeyConditionExpressions cannot contain nested operations")
		case o.isConstant():
			if i == 0 && (op == expr.OpBetween || op == KeyBeginsWith) {
				return invalidKey("Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand", op)
			}
			values = append(values, o.value)
		case key != nil:
			return invalidKey("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
		case len(o.path) > 1:
			return invalidKey("KeyConditionExpressions cannot have conditions on nested attributes")
		default:
			key = o.path
		}
	}
	if key == nil {
		return invalidKey("Invalid condition in KeyConditionExpression: No key attribute specified")
	}
	if k.term(key.Root()) != nil {
		return invalidKey("KeyConditionExpressions must only contain one condition per key")
	}
	k.terms = append(k.terms, KeyTerm{Name: key.Root(), Op: op, Values: values})
	return nil
}

// term returns the term on an attribute, nil for none.
func (k *KeyCondition) term(name string) *KeyTerm {
	for i := range k.terms {
		if k.terms[i].Name == name {
			return &k.terms[i]
		}
	}
	return nil
}
