package ddb

import (
	"cmp"
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
)

// inParallel is how many partitions are read at once if nothing is said.
const inParallel = 32

// atOnce does something with each source, or what reads it, so many at once. The
// first error cancels the rest.
func atOnce[S any](ctx context.Context, most int, sources []S, do func(context.Context, S) error) error {
	if len(sources) == 1 {
		return do(ctx, sources[0])
	}
	return together(ctx, most, sources, do)
}

func together[S any](ctx context.Context, most int, sources []S, do func(context.Context, S) error) error {
	c, ctx := newCrew(ctx, cmp.Or(most, inParallel))
	for _, s := range sources {
		c.run(func() error { return do(ctx, s) })
	}
	return c.wait()
}

// crew are goroutines that work for the one which waits for them. A panic in one of
// them, which can only be that of a caller's function or backend, comes out of wait
// as it was: in a goroutine of the library it would end the program, past all that
// the caller does to recover.
type crew struct {
	group *errgroup.Group
	fell  chan any // the first panic
}

// newCrew makes a crew of at most so many goroutines, with a context that ends once
// one of them fails.
func newCrew(ctx context.Context, most int) (*crew, context.Context) {
	group := new(errgroup.Group)
	if ctx != nil { // which each call refuses
		group, ctx = errgroup.WithContext(ctx)
	}
	group.SetLimit(most)
	return &crew{group, make(chan any, 1)}, ctx
}

// run does something in a goroutine, once one is free.
func (c *crew) run(do func() error) {
	c.group.Go(func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = errFell
				select {
				case c.fell <- p:
				default:
				}
			}
		}()
		return do()
	})
}

// errFell ends what others of a crew are at when one has fallen.
var errFell = errors.New("a panic came up")

// wait returns the first error once all is done.
func (c *crew) wait() error {
	err := c.group.Wait()
	select {
	case p := <-c.fell:
		panic(p)
	default:
		return err
	}
}
