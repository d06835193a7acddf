package leaderboard_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/leaderboard"
)

// kinds are both kinds of boards.
var kinds = map[string]func(*ddb.Table) *leaderboard.Boards{"one partition": leaderboard.New, "hot": leaderboard.NewHot}

// both runs a test on either kind.
func both(t *testing.T, test func(*testing.T, func(*ddb.Table) *leaderboard.Boards)) {
	t.Helper()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, kind)
		})
	}
}

const game = "GAME001"

func ranked(rank int, player string, score int64) leaderboard.Ranked {
	return leaderboard.Ranked{Entry: leaderboard.Entry{Board: game, Player: player, Score: score}, Rank: rank}
}

func set(t ddbtest.TB, b *leaderboard.Boards, player string, score int64) {
	t.Helper()
	if _, err := b.Set(t.Context(), game, player, score); err != nil {
		t.Fatalf("set: %v", err)
	}
}

// wants demands ranked entries.
func wants(t ddbtest.TB, want ...leaderboard.Ranked) func([]leaderboard.Ranked, error) {
	return func(got []leaderboard.Ranked, err error) {
		t.Helper()
		if diff := gocmp.Diff(got, want); err != nil || diff != "" {
			t.Errorf("error %v, the entries (-got +want)\n%s", err, diff)
		}
	}
}

// TestOrder asserts that scores of any size and sign are in the order of numbers,
// and that ties keep all their players and share a rank.
func TestOrder(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, kind func(*ddb.Table) *leaderboard.Boards) {
		b := ddbtest.Open(t, ddbtest.New(t), kind)
		for player, score := range map[string]int64{
			"a": 99999, "b": 100000, "c": 0, "d": -1, "e": -100000, "f": 99999, "max": math.MaxInt64, "min": math.MinInt64, "g": 0, "h": 9,
		} {
			set(t, b, player, score)
		}
		want := []leaderboard.Ranked{
			ranked(1, "max", math.MaxInt64), ranked(2, "b", 100000), ranked(3, "f", 99999), ranked(3, "a", 99999), ranked(5, "h", 9),
			ranked(6, "g", 0), ranked(6, "c", 0), ranked(8, "d", -1), ranked(9, "e", -100000), ranked(10, "min", math.MinInt64),
		}
		ctx := t.Context()
		wants(t, want...)(b.Top(ctx, game, 20))
		wants(t, want[:3]...)(b.Top(ctx, game, 3))
		wants(t)(b.Top(ctx, game, 0))
		wants(t)(b.Top(ctx, "GAME002", 3))
		wants(t, want[2:7]...)(b.Around(ctx, game, "h", 2))
		wants(t, want[:4]...)(b.Around(ctx, game, "b", 2)) // nobody else is above
		wants(t, want[8:]...)(b.Around(ctx, game, "min", 1))
		wants(t, want[3])(b.Around(ctx, game, "a", 0))
		for _, w := range want {
			if got, err := b.Rank(ctx, game, w.Player); err != nil || got != w {
				t.Errorf("got %v and %v, want %v", got, err, w)
			}
		}
	})
}

// TestChanges asserts what each change makes of a score, and that a player has
// one entry after any of them.
func TestChanges(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, kind func(*ddb.Table) *leaderboard.Boards) {
		b := ddbtest.Open(t, ddbtest.New(t), kind)
		ctx := t.Context()
		for i, step := range []struct {
			change func(context.Context, string, string, int64) (leaderboard.Entry, error)
			by     int64
			want   int64
		}{
			{b.Raise, -5, -5}, {b.Raise, -7, -5}, {b.Raise, 3, 3}, {b.Set, 1, 1}, {b.Set, 1, 1},
			{b.Add, 10, 11}, {b.Add, -20, -9}, {b.Add, 0, -9}, {b.Set, 0, 0}, {b.Add, 7, 7},
		} {
			e, err := step.change(ctx, game, "1", step.by)
			if err != nil || e.Score != step.want {
				t.Errorf("step %d: got %v and %v, want %d", i, e, err, step.want)
			}
			if score, err := b.Score(ctx, game, "1"); err != nil || score != step.want {
				t.Errorf("step %d: got a score of %d and %v, want %d", i, score, err, step.want)
			}
			wants(t, ranked(1, "1", step.want))(b.Top(ctx, game, 10))
		}
		if err := b.Remove(ctx, game, "1"); err != nil {
			t.Fatal(err)
		}
		wants(t)(b.Top(ctx, game, 10))
		if e, err := b.Add(ctx, game, "1", 4); err != nil || e.Score != 4 {
			t.Errorf("after a return: got %v and %v, want 4", e, err)
		}
	})
}

// TestRefusals asserts what cannot be, and that it leaves nothing behind.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b := ddbtest.Open(t, db, leaderboard.New)
	set(t, b, "rich", math.MaxInt64)
	set(t, b, "poor", math.MinInt64)
	set(t, b, "other", 1)
	_, cursor, err := b.Page(t.Context(), game, 1, "")
	if err != nil || cursor == "" {
		t.Fatalf("got the cursor %q and %v", cursor, err)
	}
	for _, test := range []struct {
		name string
		call func(context.Context) error
		want error
	}{
		{"too much", func(ctx context.Context) error { _, err := b.Add(ctx, game, "rich", 1); return err }, leaderboard.ErrScore},
		{"too little", func(ctx context.Context) error { _, err := b.Add(ctx, game, "poor", -1); return err }, leaderboard.ErrScore},
		{"much too little", func(ctx context.Context) error { _, err := b.Add(ctx, game, "poor", math.MinInt64); return err }, leaderboard.ErrScore},
		{"no player", func(ctx context.Context) error { _, err := b.Set(ctx, game, "", 1); return err }, ddb.ErrKey},
		{"player with a separator", func(ctx context.Context) error { _, err := b.Set(ctx, game, "a#b", 1); return err }, ddb.ErrKey},
		{"no board", func(ctx context.Context) error { _, err := b.Top(ctx, "", 1); return err }, ddb.ErrKey},
		{"score of nobody", func(ctx context.Context) error { _, err := b.Score(ctx, game, "nobody"); return err }, leaderboard.ErrNoPlayer},
		{"rank of nobody", func(ctx context.Context) error { _, err := b.Rank(ctx, game, "nobody"); return err }, leaderboard.ErrNoPlayer},
		{"around nobody", func(ctx context.Context) error { _, err := b.Around(ctx, game, "nobody", 1); return err }, leaderboard.ErrNoPlayer},
		{"removal of nobody", func(ctx context.Context) error { return b.Remove(ctx, game, "nobody") }, leaderboard.ErrNoPlayer},
		{"cursor of another board", func(ctx context.Context) error { _, _, err := b.Page(ctx, "GAME002", 1, cursor); return err }, ddb.ErrCursor},
	} {
		t.Run(test.name, func(t *testing.T) {
			ddbtest.Unchanged(t, db, func() {
				if err := test.call(t.Context()); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
}

// TestAnyHistory compares a board after any history with a sorted list.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, kind func(*ddb.Table) *leaderboard.Boards) {
		rapid.Check(t, func(t *rapid.T) {
			b := ddbtest.Open(t, ddbtest.New(t), kind)
			ctx := t.Context()
			model := make(map[string]int64)
			players := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c]{1,3}`), 1, 12, rapid.ID).Draw(t, "players")
			for range rapid.IntRange(1, 30).Draw(t, "changes") {
				who := rapid.SampledFrom(players).Draw(t, "player")
				if rapid.IntRange(0, 5).Draw(t, "leaves") == 0 {
					if _, there := model[who]; there != (b.Remove(ctx, game, who) == nil) {
						t.Fatalf("%s is on the board: %t", who, there)
					}
					delete(model, who)
					continue
				}
				model[who] = rapid.Int64Range(-3, 3).Draw(t, "score")
				set(t, b, who, model[who])
			}
			want := rankedOf(model)
			wants(t, want...)(b.Top(ctx, game, 100))

			size := rapid.IntRange(1, 4).Draw(t, "page size")
			var got []leaderboard.Ranked
			for cursor := ""; ; {
				page, next, err := b.Page(ctx, game, size, cursor)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, page...)
				if cursor = next; cursor == "" {
					break
				}
			}
			wants(t, want...)(got, nil)

			for i, w := range want {
				if got, err := b.Rank(ctx, game, w.Player); err != nil || got != w {
					t.Fatalf("got %v and %v, want %v", got, err, w)
				}
				n := rapid.IntRange(0, 3).Draw(t, "neighbours")
				wants(t, want[max(0, i-n):min(len(want), i+n+1)]...)(b.Around(ctx, game, w.Player, n))
			}
		})
	})
}

// rankedOf is the whole board of a model.
func rankedOf(model map[string]int64) (out []leaderboard.Ranked) {
	for player, score := range model {
		rank := 1
		for _, other := range model {
			if other > score {
				rank++
			}
		}
		out = append(out, ranked(rank, player, score))
	}
	slices.SortFunc(out, func(a, b leaderboard.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Player, a.Player))
	})
	return out
}

// TestNothingIsLost asserts that 50 changes at once of few players all count, and
// that each has one entry in the end, also where replies are lost, requests
// throttled and transactions in conflict.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, kind func(*ddb.Table) *leaderboard.Boards) {
		for name, open := range map[string]func(*testing.T) ddbtest.Backend{
			"in process": func(t *testing.T) ddbtest.Backend { return ddbtest.New(t) },
			"in a storm": func(t *testing.T) ddbtest.Backend {
				srv := ddbtest.NewServer(t)
				t.Cleanup(srv.Storm(1))
				return srv
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := ddbtest.Open(t, open(t), kind)
				var wg sync.WaitGroup
				for n := range 50 {
					wg.Go(func() {
						if _, err := b.Add(t.Context(), game, fmt.Sprint(n%5), 1); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				wants(t, ranked(1, "4", 10), ranked(1, "3", 10), ranked(1, "2", 10), ranked(1, "1", 10), ranked(1, "0", 10))(b.Top(t.Context(), game, 10))
			})
		}
	})
}

// TestComeAndGo asserts that a player who is removed and set at once by many has
// one entry in the end, or none.
func TestComeAndGo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, kind func(*ddb.Table) *leaderboard.Boards) {
		b := ddbtest.Open(t, ddbtest.New(t), kind)
		var wg sync.WaitGroup
		for n := range 50 {
			wg.Go(func() {
				if n%2 == 0 {
					set(t, b, "1", int64(n%3))
				} else if err := b.Remove(t.Context(), game, "1"); err != nil && !errors.Is(err, leaderboard.ErrNoPlayer) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		score, err := b.Score(t.Context(), game, "1")
		switch {
		case errors.Is(err, leaderboard.ErrNoPlayer):
			wants(t)(b.Top(t.Context(), game, 10))
		case err != nil:
			t.Error(err)
		default:
			wants(t, ranked(1, "1", score))(b.Top(t.Context(), game, 10))
		}
	})
}

// TestOvertaken asserts that a change which was overtaken between its reading and
// its writing starts anew, even if the version tells nothing: a player who left
// and came back has the same one.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, kind func(*ddb.Table) *leaderboard.Boards) {
		for _, test := range []struct {
			name string
			back int64 // the score with which the player comes back
			do   func(*leaderboard.Boards) error
			want []leaderboard.Ranked
		}{
			{"addition", 20, func(b *leaderboard.Boards) error { _, err := b.Add(t.Context(), game, "1", 5); return err },
				[]leaderboard.Ranked{ranked(1, "1", 25)}},
			{"to the score that is there", 20, func(b *leaderboard.Boards) error { _, err := b.Set(t.Context(), game, "1", 20); return err },
				[]leaderboard.Ranked{ranked(1, "1", 20)}},
			{"with the score there was", 10, func(b *leaderboard.Boards) error { _, err := b.Add(t.Context(), game, "1", 5); return err },
				[]leaderboard.Ranked{ranked(1, "1", 15)}},
			{"removal", 20, func(b *leaderboard.Boards) error { return b.Remove(t.Context(), game, "1") }, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				db := ddbtest.New(t)
				b := ddbtest.Open(t, db, kind)
				set(t, b, "1", 10)
				db.Meanwhile(func() {
					if err := b.Remove(t.Context(), game, "1"); err != nil {
						t.Error(err)
					}
					set(t, b, "1", test.back)
				}, "TransactWriteItems")
				if err := test.do(b); err != nil {
					t.Error(err)
				}
				wants(t, test.want...)(b.Top(t.Context(), game, 10))
			})
		}
	})
}
