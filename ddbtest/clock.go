package ddbtest

import (
	"context"
	"sync"
	"time"
)

// Clock is a clock that moves only when it is told to. It is safe for concurrent
// use. Give it to the engine and to the table:
//
//	clock := ddbtest.NewClock(time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC))
//	db := ddbtest.New(t, memory.Clock(clock.Now), memory.Sleeper(clock.Sleep))
//	users := ddbtest.Open(t, db, ddb.Define[User], ddb.Clock(clock.Now))
type Clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// NewClock returns a clock that shows the time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set makes the clock show the time, be it earlier.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Sleep moves the clock by d in place of waiting, for memory.Sleeper.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.Advance(d)
	return ctx.Err()
}
