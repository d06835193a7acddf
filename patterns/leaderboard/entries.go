package leaderboard

import (
	"context"

	"github.com/seed530093c6/ddb"
)

// entry is an [Entry] as a board of one partition has it.
type entry struct {
	_ ddb.Entity `name:"Entry" pk:"LEADERBOARD#{Board}" sk:"SCORE#{Score:+019}#USER#{Player}"`

	Entry
}

// hotEntry is an [Entry] as a board of ten partitions has it.
type hotEntry struct {
	_ ddb.Entity `name:"HotEntry" pk:"LEADERBOARD#{Board}#{shard:10}" sk:"SCORE#{Score:+019}#USER#{Player}"`

	Entry
}

// wrap and unwrap lead from an Entry to what is stored and back. The kinds differ
// in nothing but their tags.
func wrap[E entry | hotEntry](e Entry) E   { return E(entry{Entry: e}) }
func unwrap[E entry | hotEntry](v E) Entry { return entry(v).Entry }

// entries are the entries of either kind.
type entries interface {
	create(Entry) ddb.Write
	delete(Entry) ddb.Write
	// page reads entries from the top.
	page(ctx context.Context, board string, limit int, cursor string) ([]Entry, string, error)
	// above reads the entries next above one, the nearest first; below those next
	// below it.
	above(ctx context.Context, e Entry, limit int) ([]Entry, error)
	below(ctx context.Context, e Entry, limit int) ([]Entry, error)
	// greater counts the entries with a greater score, tied those with the same
	// score that stand above.
	greater(ctx context.Context, e Entry) (int, error)
	tied(ctx context.Context, e Entry) (int, error)
}

// stored are the entries that are stored as an E.
type stored[E entry | hotEntry] struct{ d *ddb.Definition[E] }

func newStored[E entry | hotEntry](table *ddb.Table) entries {
	return stored[E]{ddb.Define[E](table)}
}

func (s stored[E]) create(e Entry) ddb.Write {
	v := wrap[E](e)
	return s.d.Create(&v)
}

func (s stored[E]) delete(e Entry) ddb.Write { return s.d.Delete(wrap[E](e)).MustExist() }

// board is the query of a whole board, the least score first.
func (s stored[E]) board(board string) ddb.QueryOp[E] {
	return s.d.Query(wrap[E](Entry{Board: board}))
}

// sameScore is the bound that stands for all entries with the score of e.
func sameScore[E entry | hotEntry](e Entry) E { return wrap[E](Entry{Score: e.Score}) }

func (s stored[E]) page(ctx context.Context, board string, limit int, cursor string) ([]Entry, string, error) {
	p, err := s.board(board).Desc().Limit(limit).Page(ctx, cursor)
	if err != nil {
		return nil, "", err
	}
	out := make([]Entry, len(p.Items))
	for i, v := range p.Items {
		out[i] = unwrap(v)
	}
	return out, p.Next, nil
}

func (s stored[E]) above(ctx context.Context, e Entry, limit int) ([]Entry, error) {
	return collect(ctx, s.board(e.Board).After(wrap[E](e)).Limit(limit))
}

func (s stored[E]) below(ctx context.Context, e Entry, limit int) ([]Entry, error) {
	return collect(ctx, s.board(e.Board).Before(wrap[E](e)).Desc().Limit(limit))
}

func collect[E entry | hotEntry](ctx context.Context, q ddb.QueryOp[E]) (out []Entry, err error) {
	for v, err := range q.All(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, unwrap(v))
	}
	return out, nil
}

func (s stored[E]) greater(ctx context.Context, e Entry) (int, error) {
	return s.board(e.Board).After(sameScore[E](e)).Count(ctx)
}

func (s stored[E]) tied(ctx context.Context, e Entry) (int, error) {
	return s.board(e.Board).After(wrap[E](e)).Until(sameScore[E](e)).Count(ctx)
}
