package leaderboard

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed530093c6/ddb"
)

var (
	// ErrNoPlayer: the player has no score on the board.
	ErrNoPlayer = errors.New("player has no score")
	// ErrScore: a score would be beyond the range of int64.
	ErrScore = errors.New("score out of range")
)

// Entry is a player's place on a board.
type Entry struct {
	Board  string
	Player string
	Score  int64
}

// Ranked is an entry with its rank: one more than there are greater scores.
type Ranked struct {
	Entry
	Rank int
}

// player says which entry a player has.
type player struct {
	_ ddb.Entity `name:"Player" pk:"LEADERBOARD#{Board}#USER#{Player}" sk:"SCORE"`

	Entry
	Version int `ddb:"version"`
}

// Boards are the leaderboards of a table. It is safe for concurrent use.
type Boards struct {
	players *ddb.Definition[player]
	entries entries
}

// New defines players and entries in a table, beside its other entities. Faults
// are reported by the table's Err.
func New(table *ddb.Table) *Boards {
	return &Boards{players: ddb.Define[player](table), entries: newStored[entry](table)}
}

// NewHot is New for boards that are spread over ten partitions. A table can have
// both; a board is one or the other for good.
func NewHot(table *ddb.Table) *Boards {
	return &Boards{players: ddb.Define[player](table), entries: newStored[hotEntry](table)}
}

// Set sets the score of a player, who enters the board if need be.
func (b *Boards) Set(ctx context.Context, board, playerID string, score int64) (Entry, error) {
	return b.change(ctx, board, playerID, func(int64, bool) (int64, error) { return score, nil })
}

// Raise sets the score of a player unless the player has a greater one, and
// returns the greater.
func (b *Boards) Raise(ctx context.Context, board, playerID string, score int64) (Entry, error) {
	return b.change(ctx, board, playerID, func(old int64, has bool) (int64, error) {
		if has && old > score {
			return old, nil
		}
		return score, nil
	})
}

// Add adds points, which may be negative, to the score of a player, 0 for a new
// one, and returns the sum. It fails with [ErrScore] if that is beyond an int64.
func (b *Boards) Add(ctx context.Context, board, playerID string, points int64) (Entry, error) {
	return b.change(ctx, board, playerID, func(old int64, _ bool) (int64, error) {
		sum := old + points
		if (sum > old) != (points > 0) && points != 0 {
			return 0, fmt.Errorf("%w: the sum is beyond an int64", ErrScore)
		}
		return sum, nil
	})
}

// change moves a player's entry to the score that f makes of the old one, 0 for a
// new player. f can run several times.
func (b *Boards) change(ctx context.Context, board, playerID string, f func(old int64, has bool) (int64, error)) (Entry, error) {
	var p player
	err := ddb.Retry(ctx, func(ctx context.Context) (err error) {
		p, err = b.load(ctx, board, playerID)
		isNew := errors.Is(err, ErrNoPlayer)
		if err != nil && !isNew {
			return err
		}
		old := p.Entry
		if p.Score, err = f(old.Score, !isNew); err != nil || p.Entry == old && !isNew {
			return err
		}
		tx := ddb.Transact(b.players.Put(&p), b.entries.create(p.Entry))
		if !isNew {
			tx = tx.And(b.entries.delete(old))
		}
		return overtaken(tx.Run(ctx))
	})
	if err != nil {
		return Entry{}, err
	}
	return p.Entry, nil
}

// overtaken makes of an entry that is not where the player had it, or is already
// where the player is to have it, what it means: another was faster. Versions alone
// do not tell, since a player who left and came back begins anew with them.
func overtaken(err error) error {
	if errors.Is(err, ddb.ErrNotFound) || errors.Is(err, ddb.ErrExists) {
		return fmt.Errorf("%w: %w", ddb.ErrVersion, err)
	}
	return err
}

// load reads a player. One without a score has the rest all the same.
func (b *Boards) load(ctx context.Context, board, playerID string) (player, error) {
	who := player{Entry: Entry{Board: board, Player: playerID}}
	p, err := b.players.Get(who).Consistent().Run(ctx)
	if errors.Is(err, ddb.ErrNotFound) {
		return who, ErrNoPlayer
	}
	return p, err
}

// Remove takes a player off a board. It fails with [ErrNoPlayer].
func (b *Boards) Remove(ctx context.Context, board, playerID string) error {
	return ddb.Retry(ctx, func(ctx context.Context) error {
		p, err := b.load(ctx, board, playerID)
		if err != nil {
			return err
		}
		return overtaken(ddb.Transact(b.players.Delete(p), b.entries.delete(p.Entry)).Run(ctx))
	})
}

// Score returns the score of a player as it is now, or fails with [ErrNoPlayer].
func (b *Boards) Score(ctx context.Context, board, playerID string) (int64, error) {
	p, err := b.load(ctx, board, playerID)
	return p.Score, err
}
