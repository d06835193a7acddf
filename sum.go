package ddb

import (
	"errors"
	"math/big"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// room is what a stored number must be for a sum with it to fit the integer type that
// the attribute is read into: at most a bound if something is added, at least one if
// something is taken away. DynamoDB's own numbers have 38 digits, and an item with
// one that does not fit cannot be read any more, nor can a page that it is on.
type room struct {
	bound *big.Int
	above bool // bound is the least that fits
}

// roomFor returns what adding a number asks of the stored one, nil if that is nothing.
func (h *handle) roomFor(difference string) *room {
	d, ok := new(big.Int).SetString(difference, 10)
	least, most := h.integers()
	if !ok || most == nil {
		return nil
	}
	switch d.Sign() {
	case 1:
		return &room{bound: most.Sub(most, d)}
	case -1:
		return &room{bound: least.Sub(least, d), above: true}
	}
	return nil
}

// integers returns the range of the attribute's type, nil if that is no integer.
func (h *handle) integers() (least, most *big.Int) {
	one := big.NewInt(1)
	switch c := h.codec.target().(type) {
	case intCodec:
		half := new(big.Int).Lsh(one, uint(c.typ.Bits()-1))
		return new(big.Int).Neg(half), half.Sub(half, one)
	case uintCodec:
		whole := new(big.Int).Lsh(one, uint(c.typ.Bits()))
		return new(big.Int), whole.Sub(whole, one)
	}
	return nil, nil
}

// cond is the condition that there is room. A missing number counts as 0, to which a
// value of the type itself can be added.
func (r *room) cond(h *handle) cond {
	bound := expression.Value(&types.AttributeValueMemberN{Value: r.bound.String()})
	if r.above {
		return raw(h.path.name().LessThan(bound).Not())
	}
	return raw(h.path.name().GreaterThan(bound).Not())
}

// lacking reports whether a stored number leaves no room.
func (r *room) lacking(stored types.AttributeValue) bool {
	n, ok := stored.(*types.AttributeValueMemberN)
	if !ok {
		return false
	}
	have, ok := exactNumber(n.Value)
	if !ok {
		return false
	}
	than := have.Cmp(new(big.Rat).SetInt(r.bound))
	return r.above && than < 0 || !r.above && than > 0
}

// explainSums turns a failed condition into [ErrOverflow] if a sum would not fit the
// type of its attribute.
func (u *updateOp) explainSums(err error) error {
	failed, ok := errors.AsType[*ConditionError](err)
	if !ok || failed.is != ErrConditionFailed {
		return err
	}
	for _, a := range u.assigns {
		if a.room != nil && a.room.lacking(a.h.path.in(failed.Item)) {
			failed.is = because(ErrOverflow, "what is stored and what is added do not fit %s together", a.h.codec.typ)
			if op, located := errors.AsType[*OpError](err); located {
				op.Field = a.h.goPath
			}
			return err
		}
	}
	return err
}
