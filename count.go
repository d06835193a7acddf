package ddb

import (
	"context"
	"sync/atomic"
)

// count adds up the counts of all pages of all sources, side by side.
func (r *reading) count(ctx context.Context) (int, error) {
	r.limit = 0
	if r.picky {
		n := 0
		for _, err := range r.items(ctx) {
			if err != nil {
				return 0, err
			}
			n++
		}
		return n, r.complete()
	}
	var total atomic.Int64
	err := atOnce(ctx, r.sources, func(ctx context.Context, s *source) error {
		for !s.over() && (r.maxPages == 0 || s.calls < r.maxPages) {
			if err := r.fetch(ctx, s); err != nil {
				return err
			}
			total.Add(int64(s.page.count))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return int(total.Load()), r.complete()
}

// complete is the error of a reading that was to read everything.
func (r *reading) complete() error {
	for _, s := range r.sources {
		if !s.over() {
			return r.site.fail(errCutShort)
		}
	}
	return nil
}
