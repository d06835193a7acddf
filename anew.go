package ddb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"
)

// anewAttempts is how often a read-change-write starts anew when others change
// what it has read.
const anewAttempts = 20

// Retry runs f, and runs it anew, with growing random pauses, as long as it fails
// only because others were faster: with [ErrVersion] or [ErrTransactionConflict], and
// not beside another error of [errors.Join] or [ErrInDoubt], 20 times at most and until
// ctx ends. It returns what f returned last.
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
	if f == nil {
		return fmt.Errorf("ddb: %w", because(ErrExpression, "Retry was given no function"))
	}
	return persist(ctx, anewAttempts, overtaken, func() error { return f(ctx) })
}

// overtaken reports whether an error says that others were faster, and that
// nothing was written. One that is joined of several must say so with each.
func overtaken(err error) bool {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if reflect.TypeOf(e) == joined {
			return !slices.ContainsFunc(e.(interface{ Unwrap() []error }).Unwrap(), func(one error) bool { return !overtaken(one) })
		}
	}
	return (errors.Is(err, ErrVersion) || errors.Is(err, ErrTransactionConflict)) && !errors.Is(err, ErrInDoubt)
}

// joined is what [errors.Join] returns: errors beside each other, while other errors
// that wrap several are one, with its particulars.
var joined = reflect.TypeOf(errors.Join(ErrVersion))

// persist does something up to so many times, with growing random pauses, as long
// as it fails with an error that is worth it and ctx lives.
func persist(ctx context.Context, most int, worth func(error) bool, do func() error) error {
	for attempt := 1; ; attempt++ {
		err := do()
		switch {
		case err == nil || !worth(err) || attempt == most:
			return err
		case !pause(ctx, attempt):
			return ended(ctx, err)
		}
	}
}

// ended makes an error say that the context has ended, if it has.
func ended(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		return &typedError{cause, err}
	}
	return err
}

// pause waits before the next attempt: a random time of up to 10 ms that
// doubles with each, 1 s at most. It reports whether ctx is still alive.
func pause(ctx context.Context, attempt int) bool {
	most := min(10*time.Millisecond<<(attempt-1), time.Second)
	timer := time.NewTimer(rand.N(most))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
