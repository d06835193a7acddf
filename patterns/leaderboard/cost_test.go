package leaderboard_test

import (
	"fmt"
	"testing"

	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/leaderboard"
)

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b := ddbtest.Open(t, db, leaderboard.New)
	ctx := t.Context()
	cost := func(call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	cost(func() error { _, err := b.Set(ctx, game, "1", 5); return err }).Exactly(2, 5, 0)
	cost(func() error { _, err := b.Add(ctx, game, "1", 5); return err }).Exactly(2, 7, 1)
	cost(func() error { _, err := b.Raise(ctx, game, "1", 9); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := b.Score(ctx, game, "1"); return err }).Exactly(1, 1, 1)
	cost(func() error { return b.Remove(ctx, game, "1") }).Exactly(2, 5, 1)
	for n := range 100 {
		set(t, b, fmt.Sprint(n), int64(n))
	}
	cost(func() error { _, err := b.Top(ctx, game, 10); return err }).Exactly(1, 0.5, 10)
	_, second, err := b.Page(ctx, game, 10, "")
	if err != nil {
		t.Fatal(err)
	}
	cost(func() error { _, _, err := b.Page(ctx, game, 10, second); return err }).Exactly(3, 1.5, 20)
	cost(func() error { _, err := b.Rank(ctx, game, "90"); return err }).Exactly(2, 1.5, 10)
	cost(func() error { _, err := b.Rank(ctx, game, "0"); return err }).Exactly(2, 2.5, 100)
	cost(func() error { _, err := b.Around(ctx, game, "90", 3); return err }).Exactly(5, 3, 13)
}

// TestHotCosts pins the costs of a hot board, and that its writes are spread: no
// partition key takes a quarter of them.
func TestHotCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b := ddbtest.Open(t, db, leaderboard.NewHot)
	const players = 500
	ddbtest.Cost(t, db, func() {
		for n := range players {
			set(t, b, fmt.Sprint(n), 5)
		}
	}).Exactly(2*players, 5*players, 0).NoScan().KeyAtMost(players * 2 / 4)
	ddbtest.Cost(t, db, func() {
		if _, err := b.Top(t.Context(), game, 10); err != nil {
			t.Error(err)
		}
	}).AtMost(10, 10, 100).NoScan()
}
