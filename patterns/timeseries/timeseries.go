package timeseries

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
)

// ErrExpired says that a reading is older than what is kept, so that it would be
// gone as soon as it is stored.
var ErrExpired = errors.New("reading has expired")

// Reading is what all readings have. Embed it in a type with what is measured.
type Reading struct {
	Device  string
	At      time.Time // when it was taken, not when it arrived
	Expires time.Time `ddb:"ttl"` // set by Record; zero for never
}

// Series are the readings of one type in a table. It is safe for concurrent use.
type Series[T any] struct {
	table    *ddb.Table
	readings *ddb.Definition[T]
	reading  func(*T) *Reading
	keep     time.Duration
}

// New defines readings of type T in a table, beside its other entities. reading
// returns the [Reading] that is embedded in a T. Readings are kept for the given
// time after they were taken, or for good if it is not positive. Faults are
// reported by the table's Err.
func New[T any](table *ddb.Table, reading func(*T) *Reading, keep time.Duration) *Series[T] {
	return &Series[T]{table: table, readings: ddb.Define[T](table), reading: reading, keep: keep}
}

// Definition returns the entity of the readings, for handles, handlers of changes
// and what else package ddb offers.
func (s *Series[T]) Definition() *ddb.Definition[T] { return s.readings }

// Record stores readings of any devices, in any order. Each is stored for itself:
// if the service does not take some, Record fails with a *ddb.BatchError that lists
// their positions, and may be called again with all of them or with those.
//
// It stores nothing and fails with [ErrExpired] if one is older than what is kept,
// and with ddb.ErrKey if one has no device or no time.
func (s *Series[T]) Record(ctx context.Context, readings ...T) error {
	now := s.table.Now()
	writes := make([]ddb.BatchWrite, len(readings))
	for i, v := range readings {
		r := s.reading(&v)
		if r.Expires = s.expiry(r.At); !r.At.IsZero() && s.keep > 0 && !r.Expires.After(now) {
			return fmt.Errorf("record: reading %d of %d: %w", i, len(readings), ErrExpired)
		}
		writes[i] = s.readings.Put(&v)
	}
	return ddb.Batch(writes...).Run(ctx)
}

// expiry returns when a reading expires, rounded up to the second that DynamoDB
// knows, so that none goes early.
func (s *Series[T]) expiry(at time.Time) time.Time {
	if s.keep <= 0 {
		return time.Time{}
	}
	return at.Add(s.keep + time.Second - 1).Truncate(time.Second)
}

// Range returns the query of a device's readings from one instant up to another,
// which is not included, oldest first; so ranges that follow each other share no
// reading. Desc turns it round. What has expired is left out. The query fails with
// ddb.ErrRange if from is not before until. A cursor belongs to its range: who reads
// the last hour page by page keeps the two instants.
func (s *Series[T]) Range(device string, from, until time.Time) ddb.QueryOp[T] {
	return s.of(device).From(s.key("", from)).Before(s.key("", until))
}

// Latest returns the latest reading of a device, or fails with ddb.ErrNotFound if
// there is none since an instant. The longer a device has been silent the more
// buckets are looked into; since says where that ends. What a device whose clock
// is fast has dated later than now is found when its time has come.
func (s *Series[T]) Latest(ctx context.Context, device string, since time.Time) (T, error) {
	return s.recent(device, since).PageSize(1).First(ctx)
}

// Last returns up to n latest readings of a device, newest first, that are not from
// before an instant.
func (s *Series[T]) Last(ctx context.Context, device string, n int, since time.Time) ([]T, error) {
	if n < 1 {
		return nil, nil
	}
	var out []T
	for v, err := range s.recent(device, since).Limit(n).PageSize(n).All(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// recent returns the query of a device's readings from now back to an instant, or
// to where all have expired.
func (s *Series[T]) recent(device string, since time.Time) ddb.QueryOp[T] {
	now := s.table.Now()
	if s.keep > 0 {
		if oldest := now.Add(-s.keep - time.Second); since.Before(oldest) {
			since = oldest
		}
	}
	return s.of(device).From(s.key("", since)).Until(s.key("", now)).Desc()
}

// of returns the query of all that is kept of a device.
func (s *Series[T]) of(device string) ddb.QueryOp[T] {
	q := s.readings.Query(s.key(device, time.Time{}))
	if s.keep > 0 {
		q = q.HideExpired()
	}
	return q
}

// key returns a value with what keys and bounds are made of.
func (s *Series[T]) key(device string, at time.Time) T {
	var v T
	r := s.reading(&v)
	r.Device, r.At = device, at
	return v
}
