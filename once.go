package ddb

import (
	"context"
	"errors"
	"slices"
)

// Once runs writes unless the claim exists, and creates the claim with them, all in
// one transaction. It reports whether it ran them; false without an error means
// that the claim was there before. So an effect that is made of writes happens once
// however often its cause comes:
//
//	type Counted struct {
//		_ ddb.Entity `name:"Counted" pk:"EVENT#{EventID}" sk:"COUNTED"`
//
//		EventID string
//		Expires time.Time `ddb:"ttl"`
//	}
//
//	ddb.OnInsert(changes, orders, func(ctx context.Context, c ddb.Change[Order]) error {
//		claim := Counted{EventID: c.EventID, Expires: c.Time.Add(48 * time.Hour)}
//		_, err := ddb.Once(ctx, counted, &claim, totals.Update(Total{UserID: c.New.UserID}).Set(sum.Add(c.New.Total)))
//		return err
//	})
//
// A claim is an item of the caller's own design: its key says what happens once,
// and by an expiry it goes when the cause cannot come again, which for the records
// of a stream is after 24 hours. What is not in the transaction, such as a call of
// another system, may still happen twice; write down that it is due, as one of the
// writes, and do it from there.
//
// Once takes up to 99 writes and fails as [TxOp.Run] does. All must be on the
// backend of the claim's table.
func Once[C any](ctx context.Context, claims *Definition[C], claim *C, writes ...Write) (bool, error) {
	err := Transact(slices.Concat([]Write{claims.Create(claim)}, writes)...).Run(ctx)
	if cancelled, ok := errors.AsType[*TxError](err); ok && errors.Is(cancelled.Reasons[0], ErrExists) {
		return false, nil
	}
	return err == nil, err
}
