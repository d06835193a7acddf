package leaderboard

import (
	"context"
	"slices"
)

// Top returns the n entries with the greatest scores, greatest first.
func (b *Boards) Top(ctx context.Context, board string, n int) ([]Ranked, error) {
	top, _, err := b.Page(ctx, board, n, "")
	return top, err
}

// Page returns up to limit entries, greatest first, and a cursor for those that
// follow, "" when there are no more. cursor is "" for the first page. One from
// another board fails with ddb.ErrCursor.
func (b *Boards) Page(ctx context.Context, board string, limit int, cursor string) (page []Ranked, next string, err error) {
	if limit < 1 {
		return nil, "", nil
	}
	entries, next, err := b.entries.page(ctx, board, limit, cursor)
	if err != nil || len(entries) == 0 {
		return nil, next, err
	}
	if cursor == "" {
		return rank(entries, 0, 0), next, nil
	}
	page, err = b.rank(ctx, entries)
	return page, next, err
}

// Rank returns a player's entry with its rank. It fails with [ErrNoPlayer].
func (b *Boards) Rank(ctx context.Context, board, playerID string) (Ranked, error) {
	p, err := b.load(ctx, board, playerID)
	if err != nil {
		return Ranked{}, err
	}
	greater, err := b.entries.greater(ctx, p.Entry)
	return Ranked{p.Entry, greater + 1}, err
}

// Around returns a player's entry with up to n entries above and n below it,
// greatest first. It fails with [ErrNoPlayer].
func (b *Boards) Around(ctx context.Context, board, playerID string, n int) ([]Ranked, error) {
	p, err := b.load(ctx, board, playerID)
	if err != nil {
		return nil, err
	}
	entries := []Entry{p.Entry}
	if n > 0 {
		above, err := b.entries.above(ctx, p.Entry, n)
		if err != nil {
			return nil, err
		}
		below, err := b.entries.below(ctx, p.Entry, n)
		if err != nil {
			return nil, err
		}
		slices.Reverse(above)
		entries = slices.Concat(above, entries, below)
	}
	return b.rank(ctx, entries)
}

// rank gives ranks to entries that follow each other on a board, by counting what
// is above the first.
func (b *Boards) rank(ctx context.Context, entries []Entry) ([]Ranked, error) {
	greater, err := b.entries.greater(ctx, entries[0])
	if err != nil {
		return nil, err
	}
	tied, err := b.entries.tied(ctx, entries[0])
	if err != nil {
		return nil, err
	}
	return rank(entries, greater, tied), nil
}

// rank gives ranks to entries that follow each other, given how many with a
// greater score and with the same one stand above the first.
func rank(entries []Entry, greater, tied int) []Ranked {
	out := make([]Ranked, len(entries))
	for i, e := range entries {
		out[i] = Ranked{e, greater + 1}
		switch {
		case i > 0 && e.Score == entries[i-1].Score:
			out[i].Rank = out[i-1].Rank
		case i > 0:
			out[i].Rank = greater + tied + i + 1
		}
	}
	return out
}
