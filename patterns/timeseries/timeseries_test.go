package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/timeseries"
)

// Climate is kept in buckets of a month.
type Climate struct {
	_ ddb.Entity `name:"Climate" pk:"DEVICE#{Device}#{At:2006-01}" sk:"{At}"`

	timeseries.Reading
	Temperature float64
	Humidity    float64
}

// Power is kept in buckets of a day, two channels beside each other.
type Power struct {
	_ ddb.Entity `name:"Power" pk:"DEVICE#{Device}#{At:2006-01-02}" sk:"{At}#{Channel}"`

	timeseries.Reading
	Channel string
	Watts   int
}

// Tick is kept in buckets of an hour, each spread over ten keys.
type Tick struct {
	_ ddb.Entity `name:"Tick" pk:"DEVICE#{Device}#{At:2006-01-02T15}#{shard:10}" sk:"{At}"`

	timeseries.Reading
	Value int
}

const (
	sensor = "SENSOR001"
	keep   = 90 * 24 * time.Hour
)

var now = at("2024-02-01T00:20:00Z")

func at(text string) time.Time {
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return moment
}

func climate(device, taken string, temperature float64) Climate {
	return Climate{Reading: timeseries.Reading{Device: device, At: at(taken)}, Temperature: temperature, Humidity: 60}
}

func tick(taken time.Time, value int) Tick {
	return Tick{Reading: timeseries.Reading{Device: sensor, At: taken}, Value: value}
}

// opener returns what opens series of a type in a table whose time is that of now.
func opener[T any](reading func(*T) *timeseries.Reading, keep time.Duration) func(ddbtest.TB, ddbtest.Backend, ...ddb.TableOption) *timeseries.Series[T] {
	return func(t ddbtest.TB, db ddbtest.Backend, opts ...ddb.TableOption) *timeseries.Series[T] {
		t.Helper()
		opts = append([]ddb.TableOption{ddb.Clock(func() time.Time { return now })}, opts...)
		return ddbtest.Open(t, db, func(table *ddb.Table) *timeseries.Series[T] { return timeseries.New(table, reading, keep) }, opts...)
	}
}

var (
	openClimate = opener(func(c *Climate) *timeseries.Reading { return &c.Reading }, keep)
	openPower   = opener(func(p *Power) *timeseries.Reading { return &p.Reading }, 0)
	openTicks   = opener(func(v *Tick) *timeseries.Reading { return &v.Reading }, 0)
)

func record[T any](t ddbtest.TB, s *timeseries.Series[T], readings ...T) {
	t.Helper()
	if err := s.Record(t.Context(), readings...); err != nil {
		t.Fatalf("record: %v", err)
	}
}

// all returns what a query finds.
func all[T any](t ddbtest.TB, q ddb.QueryOp[T]) (out []T) {
	t.Helper()
	for v, err := range q.All(t.Context()) {
		if err != nil {
			t.Fatalf("query: %v", err)
		}
		out = append(out, v)
	}
	return out
}

// wantTemperatures demands which readings a query finds, in which order.
func wantTemperatures(t ddbtest.TB, what string, got []Climate, want ...float64) {
	t.Helper()
	var temperatures []float64
	for _, c := range got {
		temperatures = append(temperatures, c.Temperature)
	}
	if diff := cmp.Diff(temperatures, want); diff != "" {
		t.Errorf("%s (-got +want)\n%s", what, diff)
	}
}

// TestRanges asserts that ranges run over the ends of months, either way, begin
// with their first instant and stop short of their last, and stay with the device.
func TestRanges(t *testing.T) {
	t.Parallel()
	s := openClimate(t, ddbtest.New(t))
	record(t, s,
		climate(sensor, "2024-02-01T00:10:00Z", 4), climate(sensor, "2023-12-31T23:59:59.999999999Z", 0), climate(sensor, "2024-01-31T23:59:59.999999999Z", 2),
		climate(sensor, "2024-02-01T00:00:00Z", 3), climate(sensor, "2024-01-31T23:20:00Z", 1), climate(sensor+"0", "2024-01-31T23:30:00Z", 99))
	first, last := at("2024-01-31T23:20:00Z"), at("2024-02-01T00:10:00Z")
	wantTemperatures(t, "the last hour", all(t, s.Range(sensor, now.Add(-time.Hour), now)), 1, 2, 3, 4)
	wantTemperatures(t, "newest first", all(t, s.Range(sensor, now.Add(-time.Hour), now).Desc()), 4, 3, 2, 1)
	wantTemperatures(t, "up to the last", all(t, s.Range(sensor, first, last)), 1, 2, 3)
	wantTemperatures(t, "up to the month's end", all(t, s.Range(sensor, first, at("2024-02-01T00:00:00Z"))), 1, 2)
	wantTemperatures(t, "in another zone", all(t, s.Range(sensor, first.In(time.FixedZone("", 8*3600)), last)), 1, 2, 3)
	wantTemperatures(t, "over three months", all(t, s.Range(sensor, at("2023-12-01T00:00:00Z"), now)), 0, 1, 2, 3, 4)
	wantTemperatures(t, "an instant", all(t, s.Range(sensor, first, first.Add(1))), 1)
	wantTemperatures(t, "between readings", all(t, s.Range(sensor, first.Add(1), first.Add(2))))
	wantTemperatures(t, "another device", all(t, s.Range("SENSOR00", first, last)))
	for name, from := range map[string]time.Time{"backwards": last, "no time at all": first} {
		if _, err := s.Range(sensor, from, first).First(t.Context()); !errors.Is(err, ddb.ErrRange) {
			t.Errorf("%s: got %v, want ErrRange", name, err)
		}
	}
}

// TestLatest asserts what is the latest and what are the last few, also of a device
// that was silent over the month's end or whose clock is fast.
func TestLatest(t *testing.T) {
	t.Parallel()
	s := openClimate(t, ddbtest.New(t))
	ctx := t.Context()
	record(t, s, climate(sensor, "2023-12-05T00:00:00Z", 1), climate(sensor, "2023-12-06T00:00:00Z", 2), climate(sensor, "2023-11-30T00:00:00Z", 0),
		climate("LIVE", "2024-02-01T00:20:00Z", 7), climate("LIVE", "2024-02-01T00:20:00.000000001Z", 8))
	last := func(device string, n int, since time.Time) []Climate {
		t.Helper()
		got, err := s.Last(ctx, device, n, since)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	wantTemperatures(t, "the last two", last(sensor, 2, time.Time{}.Add(1)), 2, 1)
	wantTemperatures(t, "the last ten", last(sensor, 10, now.Add(-keep)), 2, 1, 0)
	wantTemperatures(t, "of December", last(sensor, 10, at("2023-12-01T00:00:00Z")), 2, 1)
	wantTemperatures(t, "of this year", last(sensor, 10, at("2024-01-01T00:00:00Z")))
	wantTemperatures(t, "none", last(sensor, 0, now.Add(-keep)))
	wantTemperatures(t, "by a fast clock", last("LIVE", 10, now.Add(-time.Hour)), 7)
	if got, err := s.Latest(ctx, sensor, now.Add(-keep)); err != nil || got.Temperature != 2 || got.Humidity != 60 || got.Device != sensor {
		t.Errorf("got %+v and %v, want the reading of December 6", got, err)
	}
	if _, err := s.Latest(ctx, sensor, at("2024-01-01T00:00:00Z")); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("silent: got %v, want ErrNotFound", err)
	}
}

// TestRetention asserts that readings expire a while after they were taken, are
// hidden from then on and gone with the sweep.
func TestRetention(t *testing.T) {
	t.Parallel()
	clock := ddbtest.NewClock(now)
	db := ddbtest.New(t, memory.Clock(clock.Now))
	s := openClimate(t, db, ddb.Clock(clock.Now))
	ctx := t.Context()
	record(t, s, climate(sensor, "2024-01-31T00:00:00.5Z", 1), climate(sensor, "2024-02-01T00:00:00Z", 2))
	stored := all(t, s.Range(sensor, now.Add(-keep), now))
	if want := at("2024-04-30T00:00:01Z"); len(stored) != 2 || !stored[0].Expires.Equal(want) {
		t.Errorf("got %+v, want two, the first to expire at %s", stored, want)
	}
	clock.Set(at("2024-04-30T00:00:00.999Z"))
	wantTemperatures(t, "before", all(t, s.Range(sensor, now.Add(-keep), now)), 1, 2)
	clock.Set(at("2024-04-30T00:00:01Z"))
	wantTemperatures(t, "hidden", all(t, s.Range(sensor, now.Add(-keep), now)), 2)
	if n := len(ddbtest.ItemsOf(t, db, "AppTable")); n != 2 {
		t.Errorf("got %d items before the sweep, want 2", n)
	}
	if n, err := db.Expire(ctx); n != 1 || err != nil {
		t.Errorf("swept %d and %v, want 1", n, err)
	}
	clock.Set(at("2024-05-02T00:00:00Z"))
	if got, err := s.Latest(ctx, sensor, time.Time{}.Add(1)); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("got %+v and %v, want ErrNotFound", got, err)
	}
	ddbtest.Unchanged(t, db, func() {
		err := s.Record(ctx, climate(sensor, "2024-05-01T00:00:00Z", 3), climate(sensor, "2024-02-01T00:00:00Z", 2))
		if !errors.Is(err, timeseries.ErrExpired) {
			t.Errorf("late: got %v, want ErrExpired", err)
		}
	})
}

// TestRefusals asserts what cannot be, and that nothing of a batch with it is kept.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := openClimate(t, db)
	ticks := openTicks(t, ddbtest.New(t))
	good := climate(sensor, "2024-02-01T00:00:00Z", 1)
	record(t, s, climate(sensor, "2024-02-01T00:00:00Z", 1), climate(sensor, "2024-01-01T00:00:00Z", 1))
	half, err := s.Range(sensor, now.Add(-keep), now).Limit(1).Page(t.Context(), "")
	if err != nil || half.Next == "" {
		t.Fatalf("got the cursor %q and %v", half.Next, err)
	}
	for _, test := range []struct {
		name string
		call func(context.Context) error
		want error
	}{
		{"no device", func(ctx context.Context) error { return s.Record(ctx, good, climate("", "2024-02-01T00:00:00Z", 1)) }, ddb.ErrKey},
		{"device with a separator", func(ctx context.Context) error { return s.Record(ctx, good, climate("a#b", "2024-02-01T00:00:00Z", 1)) }, ddb.ErrKey},
		{"no time", func(ctx context.Context) error {
			return s.Record(ctx, good, Climate{Reading: timeseries.Reading{Device: sensor}})
		}, ddb.ErrKey},
		{"expired", func(ctx context.Context) error {
			return s.Record(ctx, good, climate(sensor, "2023-10-01T00:00:00Z", 1))
		}, timeseries.ErrExpired},
		{"latest of no device", func(ctx context.Context) error { _, err := s.Latest(ctx, "", now); return err }, ddb.ErrKey},
		{"cursor of another range", func(ctx context.Context) error {
			_, err := s.Range(sensor, now.Add(-keep+1), now).Limit(1).Page(ctx, half.Next)
			return err
		}, ddb.ErrCursor},
		{"too many buckets", func(ctx context.Context) error { _, err := ticks.Latest(ctx, sensor, now.Add(-keep)); return err }, ddb.ErrRange},
	} {
		t.Run(test.name, func(t *testing.T) {
			ddbtest.Unchanged(t, db, func() {
				if err := test.call(t.Context()); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
}

// TestChannels asserts that readings of one instant that the sort key tells apart
// lie beside each other, and that one recorded again replaces itself.
func TestChannels(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := openPower(t, db)
	midnight := at("2024-02-01T00:00:00Z")
	var readings []Power
	for n, channel := range []string{"A", "B"} {
		for day := range 3 {
			readings = append(readings, Power{Reading: timeseries.Reading{Device: sensor, At: midnight.AddDate(0, 0, -day)}, Channel: channel, Watts: n})
		}
	}
	record(t, s, readings...)
	ddbtest.Unchanged(t, db, func() { record(t, s, readings...) })
	var got []string
	for _, p := range all(t, s.Range(sensor, midnight.AddDate(0, 0, -1), now)) {
		got = append(got, fmt.Sprintf("%d %s %t", p.At.Day(), p.Channel, p.Expires.IsZero()))
	}
	if diff := cmp.Diff(got, []string{"31 A true", "31 B true", "1 A true", "1 B true"}); diff != "" {
		t.Errorf("the channels (-got +want)\n%s", diff)
	}
}

// TestManyAtOnce asserts that what 50 devices and their retries record at once is
// all there, once, also where replies are lost, requests throttled and batches
// left undone.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	for name, storm := range map[string]func(ddbtest.Faults, uint64) (stop func()){
		"in calm": func(ddbtest.Faults, uint64) func() { return func() {} }, "in a storm": ddbtest.Faults.Storm,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := ddbtest.NewServer(t)
			s := openTicks(t, srv)
			stop := storm(srv.Faults, 1)
			begin := now.Add(-50 * 4 * time.Minute)
			var wg sync.WaitGroup
			for n := range 50 {
				wg.Go(func() {
					var buffer []Tick
					for i := range 4 {
						buffer = append(buffer, tick(begin.Add(time.Duration(4*n+i)*time.Minute), n))
					}
					for range 2 {
						if err := s.Record(t.Context(), buffer...); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			stop()
			var got, want []int
			for _, v := range all(t, s.Range(sensor, begin, now)) {
				got = append(got, v.Value)
			}
			for n := range 50 {
				want = append(want, n, n, n, n)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("the readings (-got +want)\n%s", diff)
			}
		})
	}
}

// TestLeftOver asserts that what the service does not take is named, and can be
// recorded again.
func TestLeftOver(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := openClimate(t, db)
	readings := []Climate{climate(sensor, "2024-01-01T00:00:00Z", 1), climate(sensor, "2024-01-02T00:00:00Z", 2)}
	defer db.LoseReply(1)()
	err := s.Record(t.Context(), readings...)
	failed, ok := errors.AsType[*ddb.BatchError](err)
	if !ok || !slices.Equal(failed.Left, []int{0, 1}) {
		t.Fatalf("got %v, want a BatchError for both", err)
	}
	record(t, s, readings...)
	wantTemperatures(t, "recorded again", all(t, s.Range(sensor, now.Add(-keep), now)), 1, 2)
}

// TestAnyHistory compares ranges, pages and the last few with a sorted list, over
// buckets and shards.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := openTicks(t, ddbtest.New(t))
		ctx := t.Context()
		minutes := rapid.SliceOfDistinct(rapid.IntRange(1, 600), rapid.ID[int]).Draw(t, "minutes ago")
		var readings []Tick
		for _, m := range minutes {
			readings = append(readings, tick(now.Add(-time.Duration(m)*time.Minute), m))
		}
		record(t, s, readings...)
		slices.Sort(minutes) // newest first

		until := rapid.IntRange(0, 600).Draw(t, "until")
		from := rapid.IntRange(until+1, 601).Draw(t, "from")
		ago := func(m int) time.Time { return now.Add(-time.Duration(m) * time.Minute) }
		within := slices.DeleteFunc(slices.Clone(minutes), func(m int) bool { return m > from || m <= until })
		q := s.Range(sensor, ago(from), ago(until)).Limit(rapid.IntRange(1, 5).Draw(t, "page size")).Desc()
		var got []int
		for cursor, more := "", true; more; more = cursor != "" {
			p, err := q.Page(ctx, cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range p.Items {
				got = append(got, v.Value)
			}
			cursor = p.Next
		}
		wantMinutes(t, "pages", got, within)

		got = nil
		for _, v := range all(t, s.Range(sensor, ago(from), ago(until))) {
			got = append(got, v.Value)
		}
		slices.Reverse(got)
		wantMinutes(t, "the range", got, within)

		n := rapid.IntRange(1, 5).Draw(t, "last")
		last, err := s.Last(ctx, sensor, n, ago(600))
		if err != nil {
			t.Fatal(err)
		}
		got = nil
		for _, v := range last {
			got = append(got, v.Value)
		}
		wantMinutes(t, "the last", got, minutes[:min(n, len(minutes))])
	})
}

func wantMinutes(t ddbtest.TB, what string, got, want []int) {
	t.Helper()
	if len(got)+len(want) == 0 {
		return
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Fatalf("%s (-got +want)\n%s", what, diff)
	}
}

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := openClimate(t, db)
	ctx := t.Context()
	cost := func(db ddbtest.Backend, call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	var readings []Climate
	for n := range 30 {
		readings = append(readings, climate(sensor, "2024-01-31T23:00:00Z", float64(n)))
		readings[n].At = readings[n].At.Add(time.Duration(n) * time.Minute)
	}
	cost(db, func() error { return s.Record(ctx, readings[0]) }).Exactly(1, 1, 0)
	cost(db, func() error { return s.Record(ctx, readings...) }).Exactly(2, 30, 0)
	cost(db, func() error { _, err := s.Latest(ctx, sensor, now.Add(-keep)); return err }).Exactly(2, 1, 1)
	cost(db, func() error { _, err := s.Last(ctx, sensor, 10, now.Add(-keep)); return err }).Exactly(2, 1, 10)
	cost(db, func() error {
		_, err := s.Range(sensor, now.Add(-2*time.Hour), now).Limit(5).PageSize(5).Page(ctx, "")
		return err
	}).Exactly(1, 0.5, 5)
	cost(db, func() error { _, err := s.Range(sensor, now.Add(-2*time.Hour), now).Count(ctx); return err }).Exactly(2, 1.5, 30)

	// A hot device's bucket is spread: no key takes a quarter of its readings.
	hot := ddbtest.New(t)
	ticks := openTicks(t, hot)
	const many = 200
	var buffer []Tick
	for n := range many {
		buffer = append(buffer, tick(now.Add(-time.Duration(n)*time.Second), n))
	}
	cost(hot, func() error { return ticks.Record(ctx, buffer...) }).Exactly(many/25, many, 0).KeyAtMost(many / 4)
	cost(hot, func() error { _, err := ticks.Latest(ctx, sensor, now.Add(-time.Hour)); return err }).AtMost(10, 5, 10)
}
