package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestFoldsOfShards asserts sums and extremes over the shards of a key, the
// segments of a scan, parts of either, and nothing.
func TestFoldsOfShards(t *testing.T) {
	t.Parallel()
	e := newEvents(t, direct)
	ctx := t.Context()
	for i := range 60 {
		put(t, e.def, Event{At: day.Add(time.Duration(i) * time.Minute), Device: fmt.Sprint("d", i), Level: "info", Count: (i*7 + 3) % 60})
	}
	count := func(e Event) int { return e.Count }
	q := e.def.Query(Event{At: day})
	for name, r := range map[string]ddb.Readable[Event]{"shards": q, "paged": q.PageSize(2), "segments": e.def.ParallelScan(5), "scan": e.def.Scan()} {
		sum, err := ddb.Sum(ctx, r, count)
		if err != nil || sum != 60*59/2 {
			t.Errorf("%s: sum: got %d and %v, want %d", name, sum, err, 60*59/2)
		}
		least, err := ddb.Min(ctx, r, count)
		if err != nil || least.Count != 0 {
			t.Errorf("%s: least: got %+v and %v, want a count of 0", name, least, err)
		}
		most, err := ddb.Max(ctx, r, count)
		if err != nil || most.Count != 59 {
			t.Errorf("%s: greatest: got %+v and %v, want a count of 59", name, most, err)
		}
	}
	if sum, err := ddb.Sum(ctx, q.Limit(3), func(Event) int { return 1 }); err != nil || sum != 3 {
		t.Errorf("limited: got %d and %v, want 3", sum, err)
	}
	last, err := ddb.Fold(ctx, q.Desc().Limit(2), func() string { return "" }, func(a string, e Event) string { return a + e.Device }, func(a, b string) string { return a + b })
	if err != nil || last != "d59d58" {
		t.Errorf("the last two: got %q and %v, want d59d58", last, err)
	}
	none := e.def.Query(Event{At: day.AddDate(1, 0, 0)})
	if sum, err := ddb.Sum(ctx, none, count); err != nil || sum != 0 {
		t.Errorf("sum of nothing: got %d and %v, want 0", sum, err)
	}
	_, err = ddb.Max(ctx, none, count)
	if op, ok := errors.AsType[*ddb.OpError](err); !errors.Is(err, ddb.ErrNotFound) || !ok || op.Entity != "Event" {
		t.Errorf("greatest of nothing: got %v, want ErrNotFound of the entity", err)
	}
	if _, err := ddb.Sum(ctx, q, func(Event) int8 { return math.MaxInt8 }); !errors.Is(err, ddb.ErrOverflow) {
		t.Errorf("sum too wide: got %v, want ErrOverflow", err)
	}
	part, err := ddb.Sum(ctx, q.PageSize(1).MaxPages(2), func(Event) int { return 1 })
	if part != 20 || !errors.Is(err, ddb.ErrIncomplete) {
		t.Errorf("two calls a shard: got %d and %v, want 20 and ErrIncomplete", part, err)
	}
	if _, err := ddb.Sum(ctx, e.def.Query(Event{}), count); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("no key: got %v, want ErrKey", err)
	}
}

// TestEach asserts that every item is visited once, and that the first error ends
// the visit.
func TestEach(t *testing.T) {
	t.Parallel()
	e := newEvents(t, direct)
	for i := range 50 {
		put(t, e.def, Event{At: day.Add(time.Duration(i) * time.Minute), Device: "d", Level: "info"})
	}
	var mu sync.Mutex
	seen := make(map[string]int)
	if err := ddb.Each(t.Context(), e.def.ParallelScan(8).PageSize(3), func(_ context.Context, v Event) error {
		mu.Lock()
		defer mu.Unlock()
		seen[eventName(v)]++
		return nil
	}); err != nil || len(seen) != 50 {
		t.Errorf("got %d items and %v, want 50", len(seen), err)
	}
	stop := errors.New("stop")
	if err := ddb.Each(t.Context(), e.def.Query(Event{At: day}), func(context.Context, Event) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want the visitor's own error", err)
	}
	cancelled := make(chan struct{}, 20)
	failing := newEvents(t, func(db *memory.DB) ddb.Backend { return newBroken(db, "#3", cancelled) })
	if _, err := ddb.Sum(t.Context(), failing.def.Query(Event{At: day}), func(e Event) int { return e.Count }); !errors.Is(err, errBroken) || len(cancelled) != 9 {
		t.Errorf("got %v and %d cancelled calls, want the broken shard's error and 9", err, len(cancelled))
	}
}
