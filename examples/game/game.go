package main

import (
	"context"
	"errors"
	"io"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/leaderboard"
)

// The boards: one of a few players, and one of so many that it is spread.
const (
	league = "LEAGUE"
	world  = "WORLD"
)

// game is a table with both kinds of boards.
type game struct {
	table  *ddb.Table
	boards *leaderboard.Boards
	hot    *leaderboard.Boards
	meter  *meter.Meter
	writes *writes
}

func newGame(db ddb.Backend) *game {
	m, w := new(meter.Meter), &writes{by: make(map[string]int)}
	table := ddb.NewTable("Game", db, ddb.Observe(m.Observe), ddb.Observe(w.observe))
	return &game{table: table, boards: leaderboard.New(table), hot: leaderboard.NewHot(table), meter: m, writes: w}
}

// show takes the boards through their steps.
func (g *game) show(ctx context.Context, w io.Writer) error {
	if err := g.clear(ctx); err != nil {
		return err
	}
	for _, step := range []struct {
		title string
		do    func(context.Context, meter.Rows) error
	}{
		{"a league of eight", g.fill},
		{"the top five: who ties shares a rank", g.top},
		{"all of them in pages of three", g.pages},
		{"a player's rank and neighbours", g.around},
		{"points won and lost, a record that is none", g.change},
		{"a player leaves", g.leave},
		{"the world: 200 players over ten partition keys", g.fillWorld},
		{"its top three, merged from all ten", g.topWorld},
		{"a rank in the world", g.rankWorld},
	} {
		if err := g.meter.Step(w, step.title, func(r meter.Rows) error { return step.do(ctx, r) }); err != nil {
			return err
		}
	}
	return nil
}

// clear takes the players of an earlier run off the boards.
func (g *game) clear(ctx context.Context) error {
	remove := func(b *leaderboard.Boards, board, player string) error {
		if err := b.Remove(ctx, board, player); !errors.Is(err, leaderboard.ErrNoPlayer) {
			return err
		}
		return nil
	}
	for _, s := range scores {
		if err := remove(g.boards, league, s.player); err != nil {
			return err
		}
	}
	for n := range crowd {
		if err := remove(g.hot, world, citizen(n)); err != nil {
			return err
		}
	}
	return nil
}
