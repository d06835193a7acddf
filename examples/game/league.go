package main

import (
	"context"
	"errors"

	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/leaderboard"
)

// scores are those of the league when it begins.
var scores = []struct {
	player string
	score  int64
}{
	{"Ann", 99999}, {"Bob", 100000}, {"Cid", 99999}, {"Dan", 0}, {"Eva", 40}, {"Fay", -5}, {"Guy", 40}, {"张三", 7000},
}

func (g *game) fill(ctx context.Context, r meter.Rows) error {
	for _, s := range scores {
		if _, err := g.boards.Set(ctx, league, s.player, s.score); err != nil {
			return err
		}
	}
	r.Print("%d players", len(scores))
	return nil
}

func printRanked(r meter.Rows, all []leaderboard.Ranked) {
	for _, e := range all {
		r.Print("%3d. %6d %s", e.Rank, e.Score, e.Player)
	}
}

func (g *game) top(ctx context.Context, r meter.Rows) error {
	top, err := g.boards.Top(ctx, league, 5)
	printRanked(r, top)
	return err
}

func (g *game) pages(ctx context.Context, r meter.Rows) error {
	for cursor, n := "", 1; n == 1 || cursor != ""; n++ {
		page, next, err := g.boards.Page(ctx, league, 3, cursor)
		if err != nil {
			return err
		}
		r.Print("page %d", n)
		printRanked(r, page)
		cursor = next
	}
	return nil
}

func (g *game) around(ctx context.Context, r meter.Rows) error {
	e, err := g.boards.Rank(ctx, league, "Eva")
	if err != nil {
		return err
	}
	r.Print("Eva is at rank %d with %d points", e.Rank, e.Score)
	around, err := g.boards.Around(ctx, league, "Eva", 1)
	printRanked(r, around)
	return err
}

func (g *game) change(ctx context.Context, r meter.Rows) error {
	for _, c := range []struct {
		how    string
		change func(ctx context.Context, board, player string, score int64) (leaderboard.Entry, error)
		player string
		by     int64
	}{
		{"wins", g.boards.Add, "Ann", 2}, {"loses", g.boards.Add, "Bob", -60000}, {"gets", g.boards.Raise, "Cid", 500}, {"gets", g.boards.Raise, "Eva", 500},
	} {
		e, err := c.change(ctx, league, c.player, c.by)
		if err != nil {
			return err
		}
		r.Print("%s %s %d: %d", c.player, c.how, max(c.by, -c.by), e.Score)
	}
	top, err := g.boards.Top(ctx, league, 5)
	printRanked(r, top)
	return err
}

func (g *game) leave(ctx context.Context, r meter.Rows) error {
	if err := g.boards.Remove(ctx, league, "Ann"); err != nil {
		return err
	}
	if _, err := g.boards.Rank(ctx, league, "Ann"); !errors.Is(err, leaderboard.ErrNoPlayer) {
		return err
	}
	r.Print("Ann: %v", leaderboard.ErrNoPlayer)
	top, err := g.boards.Top(ctx, league, 1)
	printRanked(r, top)
	return err
}
