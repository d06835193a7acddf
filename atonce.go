package ddb

import (
	"cmp"
	"context"
	"errors"
	"runtime"

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

// together is apart from atOnce so that a single source costs no memory for what the
// goroutines of several share.
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
// the caller does to recover. So does the end of the goroutine, by [runtime.Goexit],
// as a test's FailNow brings it about: what was left undone must not pass for done.
type crew struct {
	group  *errgroup.Group
	cancel context.CancelFunc
	fell   chan any // the first panic, nil for the end of a goroutine
}

// newCrew makes a crew of at most so many goroutines, with a context that ends once
// one of them fails.
func newCrew(ctx context.Context, most int) (*crew, context.Context) {
	group, cancel := new(errgroup.Group), func() {}
	if ctx != nil { // which each call refuses
		ctx, cancel = context.WithCancel(ctx)
		group, ctx = errgroup.WithContext(ctx)
	}
	group.SetLimit(most)
	return &crew{group, cancel, make(chan any, 1)}, ctx
}

// run does something in a goroutine, once one is free.
func (c *crew) run(do func() error) {
	c.group.Go(func() (err error) {
		returned := false
		defer func() {
			if returned {
				return
			}
			err = errFell
			select {
			case c.fell <- recover():
			default:
			}
			c.cancel()
		}()
		err = do()
		returned = true
		return err
	})
}

// errFell ends what others of a crew are at when one has fallen.
var errFell = errors.New("a panic came up")

// wait returns the first error once all is done.
func (c *crew) wait() error {
	err := c.group.Wait()
	c.cancel()
	select {
	case p := <-c.fell:
		if p == nil {
			runtime.Goexit()
		}
		panic(p)
	default:
		return err
	}
}
