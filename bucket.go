package ddb

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// A time that the partition key holds by a layout, {At:2006-01-02T15}, names a
// bucket: all items of that hour. A range of times then lies in several buckets,
// which a query visits one after another, as long as the sort key goes on with the
// same time.

// maxBuckets is how many buckets a query visits that does not say how many it may.
const maxBuckets = 1000

// bucketing is how a partition key holds a time.
type bucketing struct {
	field *field
	parts []*keyPart
	unit  unit
}

// unit is the length of a bucket: months, days, or a duration.
type unit struct {
	months, days int
	d            time.Duration
}

// units are the lengths that layouts can tell apart, shortest first.
var units = []unit{
	{d: time.Nanosecond}, {d: 10}, {d: 100}, {d: time.Microsecond}, {d: 10_000}, {d: 100_000},
	{d: time.Millisecond}, {d: 10_000_000}, {d: 100_000_000}, {d: time.Second}, {d: time.Minute}, {d: time.Hour},
	{days: 1}, {months: 1}, {months: 12},
}

// cycles are the times after which a layout that leaves something out comes back
// to the same text: half a day, weeks, a century.
var cycles = []unit{{d: 12 * time.Hour}, {days: 7}, {days: 28}, {days: 364}, {months: 1200}}

// floor returns the beginning of the bucket that t is in.
func (u unit) floor(t time.Time) time.Time {
	t = t.UTC()
	year, month, day := t.Date()
	switch {
	case u.months == 12:
		return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	case u.months > 0:
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	case u.days > 0:
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return t.Truncate(u.d)
}

// after returns the beginning of the n-th bucket behind the one that begins at t.
func (u unit) after(t time.Time, n int) time.Time {
	return t.AddDate(0, n*u.months, n*u.days).Add(time.Duration(n) * u.d)
}

// newBucketing returns how the key holds the time f, or why its texts do not name
// buckets in a row.
func newBucketing(f *field, parts []*keyPart) (bucketing, error) {
	text := func(t time.Time) string {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(t.Format(p.format.(timeFormat).layout))
		}
		return b.String()
	}
	base := time.Date(2009, 3, 14, 9, 26, 35, 0, time.UTC)
	differs := func(u unit) bool { return text(u.after(base, 1)) != text(base) }
	i := slices.IndexFunc(units, differs)
	if i < 0 {
		return bucketing{}, because(ErrRange, "its layout in the partition key names no buckets")
	}
	for _, u := range slices.Concat(units[i:], cycles) {
		if u.longer(units[i]) && !differs(u) {
			return bucketing{}, because(ErrRange, "its layout in the partition key leaves out what tells buckets apart; write the whole date")
		}
	}
	return bucketing{field: f, parts: parts, unit: units[i]}, nil
}

func (u unit) longer(o unit) bool {
	var epoch time.Time
	return u.after(epoch, 1).After(o.after(epoch, 1))
}

// bucketing returns the time that the partition key holds by a layout and the
// query's key does not give, if there is one.
func (s *keySpec) bucketing(key values) (bucketing, bool, error) {
	for _, c := range s.pk {
		if c.plain != nil {
			continue
		}
		for _, p := range c.template.fields {
			f := p.field
			if f.typ != timeType || s.namesPartition(f) || !key(f).IsZero() {
				continue
			}
			parts := slices.DeleteFunc(slices.Clone(c.template.fields), func(o *keyPart) bool { return o.field != f })
			b, err := newBucketing(f, parts)
			if err != nil {
				err = &fieldError{index: s.index, field: f.name, err: err}
			}
			return b, true, err
		}
	}
	return bucketing{}, false, nil
}

// walk is the buckets that a query visits, in its order.
type walk struct {
	bucketing
	first, last time.Time // beginnings of buckets; last is zero if only most ends the walk
	step        int       // 1 or -1
	most        int       // buckets; 0 is no bound
}

// walkOver returns the buckets between the bounds of a query, or false if it reads
// one partition. most is how many it may visit, 0 if it does not say.
func (s *keySpec) walkOver(key values, lo, hi *bound, desc bool, most int) (walk, bool, error) {
	b, is, err := s.bucketing(key)
	if !is || err != nil || lo == nil && hi == nil {
		return walk{}, false, err
	}
	fail := func(format string, args ...any) (walk, bool, error) {
		return walk{}, false, &fieldError{index: s.index, field: b.field.name, err: because(ErrRange, format, args...)}
	}
	part := s.leading(key)
	if part == nil || part.field != b.field {
		return fail("the range runs over several partitions; the sort key must go on with this field, behind what the query's key gives")
	}
	for _, end := range []*bound{lo, hi} {
		if end != nil && b.field.value(end.value).IsZero() {
			return fail("the range runs over several partitions; give the field in both bounds")
		}
	}
	w := walk{bucketing: b, step: 1, most: most}
	begin, end := lo, hi
	if desc != part.format.descending() {
		w.step, begin, end = -1, hi, lo
	}
	if begin == nil {
		return fail("the range runs over several partitions and has no beginning; give the bound that the query begins with")
	}
	w.first = b.bucket(begin, begin == hi)
	switch {
	case end != nil:
		if w.last = b.bucket(end, end == hi); most == 0 && w.count(maxBuckets+1) > maxBuckets {
			return fail("the range runs over more than %d partitions, each of which is a call; narrow it, or say with MaxBuckets how many are allowed", maxBuckets)
		}
	case most == 0:
		return fail("the range runs over several partitions and has no end; give the other bound, or say with MaxBuckets how many to read")
	}
	return w, true, nil
}

// leading returns the first part of the sort key that the query's key does not
// give, or nil.
func (s *keySpec) leading(key values) *keyPart {
	for _, c := range s.sk {
		if c.plain != nil {
			if c.plain.typ == timeType && key(c.plain).IsZero() {
				return &keyPart{field: c.plain, format: timeFormat{layout: timeLayout}}
			} else if key(c.plain).IsZero() {
				return nil
			}
			continue
		}
		for _, p := range c.template.fields {
			if key(p.field).IsZero() {
				return p
			}
		}
	}
	return nil
}

// bucket returns the beginning of the bucket that a bound lies in. An upper bound
// that ends where a bucket begins, without that instant, lies in the one before.
func (b bucketing) bucket(end *bound, upper bool) time.Time {
	t := b.field.value(end.value).Interface().(time.Time)
	at := b.unit.floor(t)
	if upper && !end.inclusive && at.Equal(t) {
		return b.unit.after(at, -1)
	}
	return at
}

// count returns how many buckets there are up to the last, or limit if there are
// more.
func (w walk) count(limit int) int {
	n := 0
	for t, more := w.first, !w.past(w.first); more && n < limit; t, more = w.next(t) {
		n++
	}
	return n
}

// next returns the bucket behind the one that begins at t, and whether it belongs
// to the walk.
func (w walk) next(t time.Time) (time.Time, bool) {
	t = w.unit.after(t, w.step)
	return t, !w.past(t)
}

// past reports whether a bucket lies behind the last, or beyond the years that
// keys can hold.
func (w walk) past(t time.Time) bool {
	switch {
	case t.Year() < 1 || t.Year() > 9999 || t.IsZero():
		return true
	case w.last.IsZero():
		return false
	case w.step > 0:
		return t.After(w.last)
	}
	return t.Before(w.last)
}

// outside reports whether a bucket is none of the walk.
func (w walk) outside(t time.Time) bool {
	if w.step > 0 {
		return t.Before(w.first) || w.past(t)
	}
	return t.After(w.first) || w.past(t)
}

// values gives the fields of the query's key with the time of a bucket.
func (w walk) values(key values, t time.Time) values {
	return func(f *field) reflect.Value {
		if f == w.field {
			return reflect.ValueOf(t)
		}
		return key(f)
	}
}
