package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/seed530093c6/ddb/memory"
)

// expire removes items whose time to live is over, at the interval of the flag,
// until stop is called, which waits for a sweep that is under way.
func (e *engine) expire(ctx context.Context, db *memory.DB, logger *slog.Logger) (stop func()) {
	if e.Expire == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var sweeper sync.WaitGroup
	sweeper.Go(func() {
		ticker := time.NewTicker(e.Expire)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				sweep(ctx, db, logger)
			}
		}
	})
	return func() {
		cancel()
		sweeper.Wait()
	}
}

func sweep(ctx context.Context, db *memory.DB, logger *slog.Logger) {
	n, err := db.Expire(ctx)
	if n > 0 {
		logger.Debug("items expired", "count", n)
	}
	if err != nil && ctx.Err() == nil {
		logger.Error("expired items cannot be removed", "error", err)
	}
}
