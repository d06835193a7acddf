package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestCreateSurvivesItsOwnRetry asserts that a Create whose reply is lost, and
// which the SDK's client sends again, succeeds, while one that meets another's
// item does not.
func TestCreateSurvivesItsOwnRetry(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s := newShop(client(t, db))
	create(t, db, s.table)
	ctx := t.Context()
	mine := Note{UserID: "u", NoteID: "n", Text: "mine"}
	stop := db.Inject(memory.LoseReply(), memory.OnOperation("PutItem"), memory.FirstCalls(1))
	if err := s.notes.Create(&mine).Run(ctx); err != nil {
		t.Errorf("own retry: got %v, want success", err)
	}
	stop()
	if err := s.notes.Create(&mine).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("created before, no retry: got %v, want ErrExists", err)
	}
	defer db.Inject(memory.FailBefore(&types.InternalServerError{}), memory.OnOperation("PutItem"), memory.FirstCalls(1))()
	other := Note{UserID: "u", NoteID: "n", Text: "other"}
	if err := s.notes.Create(&other).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("another's item: got %v, want ErrExists", err)
	}
}

// TestConflictsStayInside asserts that transactions which meet others are sent
// again, so that all count and nobody sees a conflict.
func TestConflictsStayInside(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	o.Total = 0
	put(t, s.orders, o)
	defer db.Inject(memory.Conflict(), memory.OnOperation("TransactWriteItems"), memory.EveryCall(3))()
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			err := ddb.Transact(
				s.orders.Update(o).Set(s.total.Add(1)),
				s.notes.Create(&Note{UserID: "u", NoteID: fmt.Sprint(i)}),
			).Run(context.Background())
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 30 {
		t.Errorf("got %d and %v, want 30", got.Total, err)
	}
}

// TestLostReplyOfATransaction asserts that a transaction whose reply is lost is
// carried out once when it is sent again with its token.
func TestLostReplyOfATransaction(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s := newShop(client(t, db))
	create(t, db, s.table)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	put(t, s.orders, o)
	defer db.Inject(memory.LoseReply(), memory.OnOperation("TransactWriteItems"), memory.FirstCalls(1))()
	if err := ddb.Transact(s.orders.Update(o).Set(s.total.Add(1))).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 100 {
		t.Errorf("got %d and %v, want one addition", got.Total, err)
	}
}

// TestThrottledAndConflictingWrites asserts that what single writes meet time and
// again has a sentinel of its own and leaves nothing.
func TestThrottledAndConflictingWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := memory.New()
		s := newShop(db)
		create(t, db, s.table)
		n := Note{UserID: "u", NoteID: "n"}
		for is, fault := range map[error]memory.Fault{ddb.ErrThrottled: memory.Throttle(), ddb.ErrTransactionConflict: memory.Conflict()} {
			stop := db.Inject(fault, memory.OnOperation("PutItem"))
			if err := s.notes.Put(&n).Run(t.Context()); !errors.Is(err, is) {
				t.Errorf("got %v, want %v", err, is)
			}
			stop()
		}
		wantEmpty(t, db)
		stop := db.Inject(memory.Throttle(), memory.OnOperation("BatchWriteItem"), memory.FirstCalls(2))
		defer stop()
		if err := ddb.Batch(s.notes.Put(&n)).Run(t.Context()); err != nil {
			t.Errorf("throttled batch: got %v, want success at last", err)
		}
	})
}
