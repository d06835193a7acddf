package ddb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Readable is a read of items of the entity T: a [QueryOp] or a [ScanOp].
type Readable[T any] interface {
	readable(*T) (*reading, error)
}

func (q QueryOp[T]) readable(*T) (*reading, error) { return q.read.compile() }
func (s ScanOp[T]) readable(*T) (*reading, error)  { return s.read.compile() }

// Each calls f with every item of a read. The shards of a sharded key and the
// segments of a scan are read side by side, up to 32 at once, and f is called
// from as many goroutines: for each shard or segment in its order, between them
// in none. The first error, of f or of a call, cancels the rest and is returned.
// If MaxPages ended the read before its end, that is [ErrIncomplete]. A read with
// Limit is one in its own order, by one goroutine.
func Each[T any](ctx context.Context, r Readable[T], f func(context.Context, T) error) error {
	if f == nil {
		return errNoFunction
	}
	_, err := each(ctx, r, func(int) {}, func(ctx context.Context, _ int, v T) error { return f(ctx, v) })
	return err
}

// Fold reduces the items of a read to one value, without holding them. Each shard
// or segment is folded by itself, as [Each] reads them: add is called with what
// start returned and each item in turn, by one goroutine, and the results are
// joined by merge in the order of the shards. Which items share a shard is not
// the caller's choice, so that merge must join two results as add would have made
// one of all their items, and leave a result as it is beside that of start. Fold
// fails as Each does; beside [ErrIncomplete] it returns the result of the items
// read.
func Fold[T, A any](ctx context.Context, r Readable[T], start func() A, add func(A, T) A, merge func(A, A) A) (A, error) {
	if start == nil || add == nil || merge == nil {
		return *new(A), errNoFunction
	}
	out, _, err := fold(ctx, r, start, add, merge)
	return out, err
}

var (
	errNoFunction = fmt.Errorf("ddb: %w", because(ErrExpression, "a function that is to be called with items is nil"))
	errNoRead     = fmt.Errorf("ddb: %w", because(ErrExpression, "what is to be read is nil; pass a QueryOp or a ScanOp"))
)

func fold[T, A any](ctx context.Context, r Readable[T], start func() A, add func(A, T) A, merge func(A, A) A) (A, site, error) {
	var parts []A
	at, err := each(ctx, r, func(n int) {
		for range n {
			parts = append(parts, start())
		}
	}, func(_ context.Context, part int, v T) error {
		parts[part] = add(parts[part], v)
		return nil
	})
	out := start()
	if err == nil || errors.Is(err, ErrIncomplete) {
		for _, p := range parts {
			out = merge(out, p)
		}
	}
	return out, at, err
}

// each visits the items of a read. Before, begin learns of how many parts, each
// of which one goroutine visits.
func each[T any](ctx context.Context, from Readable[T], begin func(parts int), visit func(ctx context.Context, part int, v T) error) (site, error) {
	if isNil(from) {
		return site{}, errNoRead
	}
	r, err := from.readable(nil)
	if err != nil {
		return site{}, err
	}
	parts := r.split()
	begin(len(parts))
	err = atOnce(ctx, r.parallel, parts, func(ctx context.Context, p portion) error {
		for v, err := range p.items(ctx) {
			if err == nil {
				err = visit(ctx, p.at, valueOf[T](v))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && r.limit == 0 {
		err = r.complete()
	}
	return r.site, err
}

// portion is a reading of some sources of another.
type portion struct {
	*reading
	at int
}

// split divides a reading into those of each source. With a limit it is one
// whole: only together do they know which items are the first.
func (r *reading) split() []portion {
	if r.limit > 0 {
		return []portion{{r, 0}}
	}
	out := make([]portion, len(r.sources))
	for i, s := range r.sources {
		alone := *r
		alone.sources = []*source{s}
		out[i] = portion{&alone, i}
	}
	return out
}

// Number is a type that [Sum] adds up.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Sum adds up what of says of the items of a read, as [Fold] does. It fails with
// [ErrOverflow] rather than wrap around.
func Sum[T any, N Number](ctx context.Context, r Readable[T], of func(T) N) (N, error) {
	if of == nil {
		return 0, errNoFunction
	}
	type sum struct {
		n    N
		over bool
	}
	plus := func(s sum, n N) sum {
		total := s.n + n
		return sum{total, s.over || (n > 0 && total < s.n) || (n < 0 && total > s.n)}
	}
	out, at, err := fold(ctx, r, func() sum { return sum{} },
		func(s sum, v T) sum { return plus(s, of(v)) },
		func(a, b sum) sum { return sum{plus(a, b.n).n, plus(a, b.n).over || b.over} })
	if err == nil && out.over {
		err = at.fail(because(ErrOverflow, "it needs a wider type than %T", out.n))
	}
	return out.n, err
}

// Min returns the item of a read with the least by, any of equals, or
// [ErrNotFound] if there is no item. It reads as [Fold] does.
func Min[T any, V cmp.Ordered](ctx context.Context, r Readable[T], by func(T) V) (T, error) {
	if by == nil {
		return *new(T), errNoFunction
	}
	return extreme(ctx, r, func(a, b T) bool { return cmp.Less(by(b), by(a)) })
}

// Max returns the item of a read with the greatest by, any of equals, or
// [ErrNotFound] if there is no item. It reads as [Fold] does.
func Max[T any, V cmp.Ordered](ctx context.Context, r Readable[T], by func(T) V) (T, error) {
	if by == nil {
		return *new(T), errNoFunction
	}
	return extreme(ctx, r, func(a, b T) bool { return cmp.Less(by(a), by(b)) })
}

// extreme returns the item that none betters.
func extreme[T any](ctx context.Context, r Readable[T], better func(than, v T) bool) (T, error) {
	var none T
	best, at, err := fold(ctx, r, func() *T { return nil },
		func(a *T, v T) *T {
			if a == nil || better(*a, v) {
				return &v
			}
			return a
		},
		func(a, b *T) *T {
			if a == nil || b != nil && better(*a, *b) {
				return b
			}
			return a
		})
	switch {
	case err != nil:
		return none, err
	case best == nil:
		return none, at.fail(ErrNotFound)
	}
	return *best, nil
}
