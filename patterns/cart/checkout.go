package cart

import (
	"context"
	"errors"
	"time"

	"github.com/seed530093c6/ddb"
)

// Receipt is what a cart held when it was checked out.
type Receipt struct {
	_ ddb.Entity `name:"Receipt" pk:"USER#{UserID}" sk:"RECEIPT#{ID}"`

	UserID string
	ID     string
	Lines  []Line
	Total  int64
	At     time.Time `ddb:"created"`
}

// Receipt returns the receipt of a check-out, or fails with ddb.ErrNotFound.
func (c *Carts) Receipt(ctx context.Context, user, id string) (Receipt, error) {
	return c.receipts.Get(Receipt{UserID: user, ID: id}).Consistent().Run(ctx)
}

// CheckOut empties a user's cart and returns what was in it as a receipt with that
// ID. with returns what is to be written in the same transaction, up to 98
// operations; it may be nil, and can run several times. If one of them fails, so
// does CheckOut, with the *ddb.TxError, and the cart stays as it is.
//
// If there is a receipt with the ID already, it is returned and nothing is
// written, whatever the cart holds by now. An empty cart fails with [ErrEmpty].
func (c *Carts) CheckOut(ctx context.Context, user, id string, with func(Receipt) []ddb.Write) (Receipt, error) {
	var receipt Receipt
	err := ddb.Retry(ctx, func(ctx context.Context) (err error) {
		receipt, err = c.checkOut(ctx, user, id, with)
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return receipt, nil
}

// checkOut tries a check-out once.
func (c *Carts) checkOut(ctx context.Context, user, id string, with func(Receipt) []ddb.Write) (Receipt, error) {
	cart, err := c.Get(ctx, user)
	if err != nil {
		return Receipt{}, err
	}
	receipt := Receipt{UserID: user, ID: id, Lines: cart.Lines, Total: cart.Total}
	if len(cart.Lines) == 0 {
		done, err := c.Receipt(ctx, user, id)
		if errors.Is(err, ddb.ErrNotFound) {
			err = ErrEmpty
		}
		return done, err
	}
	cart.Lines = nil
	cart.sum()
	tx := ddb.Transact(c.receipts.Create(&receipt), c.carts.Put(&cart))
	if with != nil {
		tx = tx.And(with(receipt)...)
	}
	err = tx.Run(ctx)
	if failed, ok := errors.AsType[*ddb.TxError](err); ok && errors.Is(failed.Reasons[0], ddb.ErrExists) {
		return c.Receipt(ctx, user, id)
	}
	return receipt, err
}
