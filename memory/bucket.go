package memory

import "time"

// A bucket holds the capacity that is left of a rate. It fills with time, up to
// what the rate yields in its burst, and a request may take more out than there
// is, which later time makes up for. The zero bucket has no limit.
type bucket struct {
	rate  int64 // in halves of a unit a second; 0 for no limit
	burst int64 // in seconds
	level int64 // in billionths of half a unit; below zero when overdrawn
	at    time.Time
}

// billion is how many parts of a half unit a bucket counts: as many as a second
// has nanoseconds, so that a rate is also what comes in with every nanosecond.
const billion = int64(time.Second)

// mostRate bounds the units a second that a bucket reckons with, so that its
// level cannot overflow with the longest burst. No quota of the service is as
// large.
const mostRate = 10_000_000

// newBucket returns a bucket with one second's worth in it; no rate, no limit.
func newBucket(unitsPerSecond, burst int64, now time.Time) bucket {
	rate := min(unitsPerSecond, mostRate) * int64(oneUnit)
	return bucket{rate: rate, burst: burst, level: rate * billion, at: now}
}

// retune changes the rate and keeps what is left, as far as the new rate would
// have kept it.
func (b *bucket) retune(unitsPerSecond int64, now time.Time) {
	b.fill(now)
	b.rate = min(unitsPerSecond, mostRate) * int64(oneUnit)
	b.level = min(b.level, b.full())
}

func (b *bucket) full() int64 { return b.rate * b.burst * billion }

// fill adds what came in since the bucket was last looked at. A clock that went
// back adds nothing.
func (b *bucket) fill(now time.Time) {
	passed := now.Sub(b.at)
	if b.rate == 0 || passed <= 0 {
		return
	}
	b.at = now
	if missing := b.full() - b.level; int64(passed) > missing/b.rate {
		b.level = b.full()
	} else {
		b.level += int64(passed) * b.rate
	}
}

// isEmpty reports that nothing can be taken.
func (b *bucket) isEmpty(now time.Time) bool {
	b.fill(now)
	return b.rate != 0 && b.level <= 0
}

// take takes units out.
func (b *bucket) take(n units) {
	if b.rate != 0 {
		b.level -= int64(n) * billion
	}
}
