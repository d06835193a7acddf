package ddb

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// bucketed is read by spans of At.
type bucketed struct {
	Device string
	At     time.Time
	Seq    int
}

// specOf compiles a key for tests of what is made of it.
func specOf[T any](t testing.TB, pk, sk string) *keySpec {
	t.Helper()
	plan := newStructPlan(reflect.TypeFor[T](), func(tag, problem string) { t.Errorf("%s: %s", tag, problem) })
	column := func(source string, sorted bool) *keyColumn {
		return &keyColumn{template: compileTemplate(source, plan, '#', sorted, func(problem string) { t.Errorf("%s: %s", source, problem) })}
	}
	s := &keySpec{pk: []*keyColumn{column(pk, false)}}
	s.pk[0].attr, s.pk[0].most = "PK", maxPartitionKey
	if sk != "" {
		s.sk = []*keyColumn{column(sk, true)}
		s.sk[0].attr, s.sk[0].most = "SK", maxSortKey
	}
	return s
}

func boundAt(t time.Time, inclusive bool) *bound {
	return &bound{reflect.ValueOf(bucketed{At: t}), inclusive}
}

// partitionsOf renders the partition keys that a walk visits.
func partitionsOf(t rapidOrTesting, s *keySpec, w walk, key bucketed) []string {
	var out []string
	for at, more := w.first, !w.past(w.first); more; at, more = w.next(at) {
		pk, err := s.pk[0].template.render(w.values(valuesOf(reflect.ValueOf(key)), at), 0)
		if err != nil {
			t.Fatalf("%v: %v", at, err)
		}
		out = append(out, pk)
	}
	return out
}

type rapidOrTesting interface {
	Helper()
	Fatalf(string, ...any)
}

// TestWalksVisitEveryBucket asserts that a span of times visits the partition of
// every time in it, each once, in order, and none beyond its ends.
func TestWalksVisitEveryBucket(t *testing.T) {
	t.Parallel()
	sources := []string{
		"D#{Device}#{At:2006}", "D#{Device}#{At:2006-01}", "D#{Device}#{At:2006-01-02}", "{At:20060102}", "{At:2006-002}",
		"DATE#{At:2006-01-02}#HOUR#{At:15}", "D#{At:Jan 2006}#{shard:10}", "D#{At:2006-01-02T15:04}", "D#{At:2006-01-02T15:04:05.000}", "{At:desc:2006-01-02}",
	}
	spans := []time.Duration{0, time.Millisecond, time.Minute, time.Hour, 26 * time.Hour, 40 * 24 * time.Hour, 800 * 24 * time.Hour}
	var specs []*keySpec
	for _, source := range sources {
		specs = append(specs, specOf[bucketed](t, source, "{At}#{Device}"))
	}
	zone := time.FixedZone("east", 9*60*60)
	rapid.Check(t, func(t *rapid.T) {
		s := specs[rapid.IntRange(0, len(specs)-1).Draw(t, "template")]
		lo := time.Unix(rapid.Int64Range(1_700_000_000, 1_720_000_000).Draw(t, "lo"), rapid.SampledFrom([]int64{0, 0, 1, 999_999_999}).Draw(t, "ns"))
		if rapid.Bool().Draw(t, "at midnight") {
			lo = lo.UTC().Truncate(24 * time.Hour)
		}
		hi := lo.Add(rapid.SampledFrom(spans).Draw(t, "span")).In(zone)
		desc, hiIn := rapid.Bool().Draw(t, "desc"), rapid.Bool().Draw(t, "until") || hi.Equal(lo)
		key := bucketed{Device: "d"}
		w, is, err := s.walkOver(valuesOf(reflect.ValueOf(key)), boundAt(lo, true), boundAt(hi, hiIn), desc, 0)
		if errors.Is(err, ErrRange) {
			if w.count(maxBuckets+1) > 0 || hi.Sub(lo) < maxBuckets*time.Millisecond {
				t.Fatal(err)
			}
			return
		}
		if !is || err != nil {
			t.Fatal(is, err)
		}
		got := partitionsOf(t, s, w, key)
		partition := func(at time.Time) string {
			key.At = at
			pk, err := s.pk[0].template.render(valuesOf(reflect.ValueOf(key)), 0)
			if err != nil {
				t.Fatalf("%v: %v", at, err)
			}
			return pk
		}
		var want []string
		visit := func(at time.Time) {
			if pk := partition(at); len(want) == 0 || want[len(want)-1] != pk {
				want = append(want, pk)
			}
		}
		last := hi // instant of the span
		if !hiIn {
			last = hi.Add(-1)
		}
		step := max(hi.Sub(lo)/2000, 1) // so small that no bucket between the ends is jumped over
		for at := lo; at.Before(last); at = at.Add(step) {
			visit(at)
		}
		visit(last)
		if desc {
			slices.Reverse(want)
		}
		if !slices.Equal(got, want) && hi.Sub(lo) < 26*time.Hour*30 {
			t.Fatalf("%s from %v to %v (in %t): got %v, want %v", s.sources(), lo, hi, hiIn, got, want)
		}
		if !isSubset(want, got) {
			t.Fatalf("%s from %v to %v (in %t): got %v, which lacks some of %v", s.sources(), lo, hi, hiIn, got, want)
		}
	})
}

// isSubset reports whether all texts are among others, of which none is twice.
func isSubset(some, all []string) bool {
	seen := make(map[string]bool)
	for _, s := range all {
		if seen[s] {
			return false
		}
		seen[s] = true
	}
	return !slices.ContainsFunc(some, func(s string) bool { return !seen[s] })
}

// TestWalksRefused asserts which ranges are no walk over buckets, and why.
func TestWalksRefused(t *testing.T) {
	t.Parallel()
	lo, hi := time.Date(2024, 1, 31, 23, 0, 0, 0, time.UTC), time.Date(2024, 2, 1, 1, 0, 0, 0, time.UTC)
	none := &bound{reflect.ValueOf(bucketed{Device: "d"}), true}
	for _, c := range []struct {
		name, pk, sk string
		key          bucketed
		lo, hi       *bound
		desc         bool
		most         int
		want         string // "" for a walk, "one" for one partition
	}{
		{name: "a walk", pk: "{Device}#{At:2006-01}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true)},
		{name: "a walk behind what the key gives", pk: "{At:2006-01}", sk: "{Device}#{At}", key: bucketed{Device: "d"}, lo: boundAt(lo, true), hi: boundAt(hi, true)},
		{name: "back without end", pk: "{At:2006-01}", sk: "{At}", hi: boundAt(hi, true), desc: true, most: 3},
		{name: "a descending key without end", pk: "{At:2006-01}", sk: "{At:desc}", hi: boundAt(hi, true), most: 3},
		{name: "many, but few enough", pk: "{At:2006-01-02T15:04:05}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), most: 10},
		{name: "the partition given", pk: "{At:2006-01}", sk: "{At}", key: bucketed{At: lo}, lo: boundAt(lo, true), hi: boundAt(hi, true), want: "one"},
		{name: "no range", pk: "{At:2006-01}", sk: "{At}", want: "one"},
		{name: "no layout", pk: "{Device}#{At}", sk: "{Seq:03}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "one"},
		{name: "another field first", pk: "{At:2006-01}", sk: "{Device}#{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "must go on with this field"},
		{name: "no time in the sort key", pk: "{At:2006-01}", sk: "{Seq:03}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "must go on with this field"},
		{name: "no sort key", pk: "{At:2006-01}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "must go on with this field"},
		{name: "a bound without it", pk: "{At:2006-01}", sk: "{At}", lo: boundAt(lo, true), hi: none, want: "in both bounds"},
		{name: "no beginning", pk: "{At:2006-01}", sk: "{At}", hi: boundAt(hi, true), most: 3, want: "no beginning"},
		{name: "no beginning, back", pk: "{At:2006-01}", sk: "{At}", lo: boundAt(lo, true), desc: true, most: 3, want: "no beginning"},
		{name: "no end", pk: "{At:2006-01}", sk: "{At}", lo: boundAt(lo, true), want: "no end"},
		{name: "too many", pk: "{At:2006-01-02T15:04:05}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "more than 1000 partitions"},
		{name: "hours without the day", pk: "{At:15}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "leaves out"},
		{name: "weekdays", pk: "{At:2006 Mon}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "leaves out"},
		{name: "half days", pk: "{At:2006-01-02 03}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "leaves out"},
		{name: "years of a century", pk: "{At:06-01-02}", sk: "{At}", lo: boundAt(lo, true), hi: boundAt(hi, true), want: "leaves out"},
	} {
		s := specOf[bucketed](t, c.pk, c.sk)
		_, is, err := s.walkOver(valuesOf(reflect.ValueOf(c.key)), c.lo, c.hi, c.desc, c.most)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case !is:
			got = "one"
		}
		if (c.want == "" || c.want == "one") && got != c.want || !strings.Contains(got, c.want) || err != nil && !errors.Is(err, ErrRange) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// probe lies in buckets of an hour, each in two shards.
type probe struct {
	_ Entity `pk:"PROBE#{Device}#{At:2006-01-02T15}#{shard:2,by=Seq}" sk:"{At}#{Seq:04}"`

	Device string
	At     time.Time
	Seq    int
}

// TestForgedBuckets asserts that a position which no cursor of a range over buckets
// has, as anybody can write one where no key signs them, is refused.
func TestForgedBuckets(t *testing.T) {
	t.Parallel()
	table := NewTable("Probes", struct{ Backend }{}) // which is not called
	table.define(reflect.TypeFor[probe]())
	e := table.entityNamed("probe")
	lo := time.Date(2024, 1, 31, 22, 10, 0, 0, time.UTC)
	q := query{entity: e, key: reflect.ValueOf(probe{Device: "d"})}
	q.window.from(probe{At: lo}, true)
	q.window.until(probe{At: lo.Add(5 * time.Hour)}, true)
	_, parts, err := q.plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, pk, sk string
		begun, bad   bool
	}{
		{name: "inside a bucket", pk: "PROBE#d#2024-01-31T23#1", sk: "2024-01-31T23:00:00.000000000Z#0001", begun: true},
		{name: "between buckets", pk: "PROBE#d#2024-02-01T00#1"},
		{name: "the last bucket", pk: "PROBE#d#2024-02-01T03#1"},
		{name: "before the first", pk: "PROBE#d#2024-01-31T21#1", bad: true},
		{name: "behind the last", pk: "PROBE#d#2024-02-01T04#1", bad: true},
		{name: "another device", pk: "PROBE#e#2024-01-31T23#1", bad: true},
		{name: "another shard", pk: "PROBE#d#2024-01-31T23#0", bad: true},
		{name: "no number of a shard", pk: "PROBE#d#2024-01-31T23#x", bad: true},
		{name: "no time", pk: "PROBE#d#2024-01-31T25#1", bad: true},
		{name: "another entity", pk: "USER#d", bad: true},
		{name: "nothing", bad: true},
	} {
		_, begun, err := parts[1].bucket(item{"PK": text(c.pk), "SK": text(c.sk)})
		if errors.Is(err, ErrCursor) != c.bad || begun != c.begun {
			t.Errorf("%s: got begun %t and %v", c.name, begun, err)
		}
	}
}
