package memory

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestBucketServesItsRate: however requests are spread, a bucket never serves
// more than its rate and what it kept, overdrawn by one request at most, and as
// much as that if there is always somebody waiting.
func TestBucketServesItsRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 5000).Draw(t, "rate")
		burst := rapid.SampledFrom([]int64{1, 2, 300}).Draw(t, "burst")
		size := rapid.IntRange(1, 900).Draw(t, "half units of a request")
		start := time.Unix(1_700_000_000, 0)
		now := start
		b := newBucket(rate, burst, now)
		served := int64(0)
		for range rapid.IntRange(1, 50).Draw(t, "pauses") {
			for !b.isEmpty(now) {
				b.take(units(size))
				served += int64(size)
			}
			// No pause is long enough for the bucket to run over.
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(time.Second)-1).Draw(t, "pause")))
		}
		for !b.isEmpty(now) {
			b.take(units(size))
			served += int64(size)
		}
		// One second's worth from the beginning, then the rate; in billionths.
		most := rate * 2 * (billion + int64(now.Sub(start)))
		switch got := served * billion; {
		case got < most:
			t.Fatalf("served %d half units, %d billionths too few", served, most-got)
		case got >= most+int64(size)*billion:
			t.Fatalf("served %d half units, %d billionths too many", served, got-most)
		}
	})
}

func TestBucket(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	drain := func(b *bucket, now time.Time) (n int) {
		for !b.isEmpty(now) {
			b.take(oneUnit)
			n++
		}
		return n
	}
	t.Run("no rate is no limit", func(t *testing.T) {
		t.Parallel()
		var b bucket
		b.take(1 << 40)
		if b.isEmpty(start) {
			t.Error("it is empty")
		}
	})
	t.Run("keeps no more than its burst", func(t *testing.T) {
		t.Parallel()
		b := newBucket(7, 300, start)
		if got := drain(&b, start.AddDate(100, 0, 0)); got != 2100 {
			t.Errorf("%d units after a century, want 2100", got)
		}
	})
	t.Run("pays a debt larger than its burst", func(t *testing.T) {
		t.Parallel()
		b := newBucket(1, 1, start)
		b.take(10 * oneUnit)
		if !b.isEmpty(start.Add(9 * time.Second)) {
			t.Error("it serves before the debt is paid")
		}
		if b.isEmpty(start.Add(9*time.Second + 1)) {
			t.Error("it does not serve when the debt is paid")
		}
	})
	t.Run("bears the largest rate", func(t *testing.T) {
		t.Parallel()
		b := newBucket(1<<62, 300, start)
		b.take(1000 * oneUnit)
		if b.isEmpty(start.AddDate(1, 0, 0)) || b.level != b.full() || b.level < 0 {
			t.Errorf("its level is %d of %d", b.level, b.full())
		}
	})
	t.Run("keeps what it has when the rate changes", func(t *testing.T) {
		t.Parallel()
		b := newBucket(10, 300, start)
		b.retune(100, start.Add(time.Second))
		if got := drain(&b, start.Add(time.Second)); got != 20 {
			t.Errorf("%d units, want 20", got)
		}
		b.retune(1, start.Add(5*time.Second))
		if got := drain(&b, start.Add(5*time.Second)); got != 300 {
			t.Errorf("%d units, want 300, all that the lower rate keeps", got)
		}
	})
	t.Run("a clock that goes back gives nothing", func(t *testing.T) {
		t.Parallel()
		b := newBucket(10, 1, start)
		drain(&b, start)
		if !b.isEmpty(start.Add(-time.Hour)) || !b.isEmpty(start) {
			t.Error("it has filled")
		}
	})
}
