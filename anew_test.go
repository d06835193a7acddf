package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestRetry asserts which errors are excused, how often, and until when.
func TestRetry(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	conflict := fmt.Errorf("wrapped: %w", ddb.ErrTransactionConflict)
	for _, test := range []struct {
		name     string
		results  []error // of the runs, the last over and over
		want     error
		attempts int
	}{
		{"done at once", []error{nil}, nil, 1},
		{"version, then done", []error{ddb.ErrVersion, nil}, nil, 2},
		{"conflict, then done", []error{conflict, conflict, nil}, nil, 3},
		{"another error", []error{other}, other, 1},
		{"a condition of the caller's own", []error{ddb.ErrVersion, ddb.ErrConditionFailed}, ddb.ErrConditionFailed, 2},
		{"throttled", []error{ddb.ErrThrottled}, ddb.ErrThrottled, 1},
		{"joined with another", []error{fmt.Errorf("wrapped: %w", errors.Join(other, ddb.ErrVersion))}, other, 1},
		{"joined with its like", []error{errors.Join(conflict, ddb.ErrVersion), nil}, nil, 2},
		{"under a name of the caller's", []error{fmt.Errorf("%w: %w", other, ddb.ErrVersion), nil}, nil, 2},
		{"never done", []error{ddb.ErrVersion}, ddb.ErrVersion, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := 0
				err := ddb.Retry(t.Context(), func(context.Context) error {
					n++
					return test.results[min(n, len(test.results))-1]
				})
				if !errors.Is(err, test.want) || n != test.attempts {
					t.Errorf("got %v after %d runs, want %v after %d", err, n, test.want, test.attempts)
				}
			})
		})
	}
}

// TestRetryEndsWithItsContext asserts that no run begins once the context has
// ended.
func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := ddb.Retry(ctx, func(context.Context) error {
		n++
		cancel()
		return ddb.ErrVersion
	})
	if !errors.Is(err, ddb.ErrVersion) || n != 1 {
		t.Errorf("got %v after %d runs, want ErrVersion after one", err, n)
	}
}

// TestModifyMeetsTransactions asserts that an item which a transaction holds is
// read and changed anew.
func TestModifyMeetsTransactions(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	o := order("u1", "o1", "2024-05-20T12:00:00Z", "PENDING")
	if err := s.orders.Create(&o).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer db.Inject(memory.Conflict(), memory.OnOperation("UpdateItem"), memory.FirstCalls(3))()
	got, err := s.orders.Modify(t.Context(), o, func(o *Order) error {
		o.Total++
		return nil
	})
	if err != nil || got.Total != o.Total+1 {
		t.Errorf("got a total of %v and %v, want %v", got.Total, err, o.Total+1)
	}
}
