package ddb

import (
	"context"
	"errors"
)

// anewAttempts is how often a read-change-write starts anew when others change
// what it has read.
const anewAttempts = 20

// Retry runs f, and runs it anew, with growing random pauses, as long as it fails
// only because others were faster: with [ErrVersion] or [ErrTransactionConflict],
// 20 times at most and until ctx ends. It returns what f returned last.
//
// It is the loop around a decision that takes more than one item, where [Definition.Modify]
// does not reach: f reads, consistently, what it decides by, and writes
// the outcome in a transaction whose versions or conditions hold it to what it
// has read. Nothing may outlive a run that failed but what f sets in each.
//
//	err := ddb.Retry(ctx, func(ctx context.Context) error {
//		a, err := accounts.Get(Account{ID: from}).Consistent().Run(ctx)
//		if err != nil {
//			return err
//		}
//		a.Balance -= amount
//		return ddb.Transact(accounts.Put(&a), transfers.Create(&t)).Run(ctx)
//	})
func Retry(ctx context.Context, f func(context.Context) error) error {
	return anew(ctx, overtaken, func() error { return f(ctx) })
}

// overtaken reports whether an error says that others were faster, and that
// nothing was written.
func overtaken(err error) bool {
	return errors.Is(err, ErrVersion) || errors.Is(err, ErrTransactionConflict)
}

// anew runs f until it is done or fails in a way that again does not excuse.
func anew(ctx context.Context, again func(error) bool, f func() error) error {
	for attempt := 1; ; attempt++ {
		err := f()
		if err == nil || !again(err) || attempt == anewAttempts || !pause(ctx, attempt) {
			return err
		}
	}
}
