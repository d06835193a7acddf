package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/timeseries"
)

const (
	room   = "SENSOR001" // sends every ten minutes
	cellar = "SENSOR002" // has not sent for long
	mains  = "METER001"  // sends every second
)

// show takes the table through its steps.
func (t *telemetry) show(ctx context.Context, w io.Writer) error {
	for _, step := range []struct {
		title string
		do    func(context.Context, meter.Rows) error
	}{
		{"readings of a room and a cellar, each sent twice", t.record},
		{"the latest reading of each", t.latest},
		{"the last hour of the room, over the end of the month", t.lastHour},
		{"the same, newest first, in pages of three", t.pages},
		{"the mean of the last two hours", t.mean},
		{"a meter that sends every second: ten shards", t.hot},
		{"what is older than 90 days is hidden, then removed", t.retention},
	} {
		if err := t.meter.Step(w, step.title, func(r meter.Rows) error { return step.do(ctx, r) }); err != nil {
			return err
		}
	}
	return nil
}

func (c Climate) print(r meter.Rows) {
	r.Print("%s  %s  %.1f °C  %.0f %%", c.Device, c.At.Format(minutes), c.Temperature, c.Humidity)
}

// measured returns n readings of a device, every ten minutes up to last.
func measured(device string, n int, last time.Time) []Climate {
	var out []Climate
	for i := range n {
		out = append(out, Climate{
			Reading:     timeseries.Reading{Device: device, At: last.Add(time.Duration(i-n+1) * 10 * time.Minute)},
			Temperature: 21.5 - float64(i*7%24)/10, Humidity: 60 - float64(i%5),
		})
	}
	return out
}

func (t *telemetry) record(ctx context.Context, r meter.Rows) error {
	readings := slices.Concat(measured(room, 15, start), measured(cellar, 6, start.Add(time.Hour-keep)))
	for range 2 { // a device that has got no answer sends its buffer again
		if err := t.climate.Record(ctx, readings...); err != nil {
			return err
		}
	}
	n, err := t.climate.Range(room, start.Add(-keep), start.Add(1)).Count(ctx)
	if err != nil {
		return err
	}
	m, err := t.climate.Range(cellar, start.Add(-keep), start.Add(1)).Count(ctx)
	r.Print("%d of the room, %d of the cellar", n, m)
	return err
}

func (t *telemetry) latest(ctx context.Context, r meter.Rows) error {
	for _, device := range []string{room, cellar, "SENSOR003"} {
		c, err := t.climate.Latest(ctx, device, start.Add(-keep))
		switch {
		case errors.Is(err, ddb.ErrNotFound):
			r.Print("%s  nothing for 90 days", device)
		case err != nil:
			return err
		default:
			c.print(r)
		}
	}
	return nil
}

// hour returns the query of the room's last hour, up to now and with it.
func (t *telemetry) hour() ddb.QueryOp[Climate] {
	return t.climate.Range(room, start.Add(-time.Hour), start.Add(1))
}

func (t *telemetry) lastHour(ctx context.Context, r meter.Rows) error {
	for c, err := range t.hour().All(ctx) {
		if err != nil {
			return err
		}
		c.print(r)
	}
	return nil
}

func (t *telemetry) pages(ctx context.Context, r meter.Rows) error {
	q := t.hour().Desc().Limit(3).PageSize(3)
	cursor := ""
	for n := 1; n == 1 || cursor != ""; n++ {
		page, err := q.Page(ctx, cursor)
		if err != nil {
			return err
		}
		r.Print("page %d", n)
		for _, c := range page.Items {
			c.print(r)
		}
		cursor = page.Next
	}
	return nil
}

// sums adds up readings.
type sums struct {
	n           int
	temperature float64
}

func (t *telemetry) mean(ctx context.Context, r meter.Rows) error {
	got, err := ddb.Fold(ctx, t.climate.Range(room, start.Add(-2*time.Hour), start), func() sums { return sums{} },
		func(s sums, c Climate) sums { return sums{s.n + 1, s.temperature + c.Temperature} },
		func(a, b sums) sums { return sums{a.n + b.n, a.temperature + b.temperature} })
	if err != nil {
		return err
	}
	r.Print("%.2f °C, of %d readings", got.temperature/float64(max(got.n, 1)), got.n)
	return nil
}

func (t *telemetry) hot(ctx context.Context, r meter.Rows) error {
	const seconds = 600
	begin := start.Add(-25 * time.Minute) // and so over midnight
	var pulses []Pulse
	for n := range seconds {
		pulses = append(pulses, Pulse{Reading: timeseries.Reading{Device: mains, At: begin.Add(time.Duration(n) * time.Second)}, Wattseconds: 400 + n%60})
	}
	if err := t.pulses.Record(ctx, pulses...); err != nil {
		return err
	}
	add := func(a, b int) int { return a + b }
	sum, err := ddb.Fold(ctx, t.pulses.Range(mains, begin, start), func() int { return 0 },
		func(sum int, p Pulse) int { return sum + p.Wattseconds }, add)
	if err != nil {
		return err
	}
	r.Print("%d readings, %d kWs", seconds, sum/1000)
	last, err := t.pulses.Last(ctx, mains, 3, begin)
	for _, p := range last {
		r.Print("%s  %s  %d Ws", p.Device, p.At.Format(time.TimeOnly), p.Wattseconds)
	}
	return err
}

// retention lets an hour pass, in which most readings of the cellar expire.
func (t *telemetry) retention(ctx context.Context, r meter.Rows) error {
	t.clock.set(start.Add(time.Hour - time.Minute))
	visible := t.climate.Range(cellar, start.Add(-keep), start)
	for c, err := range visible.All(ctx) {
		if err != nil {
			return err
		}
		r.Print("still there:")
		c.print(r)
	}
	if t.sweep == nil {
		r.Print("the endpoint removes the others when it gets to them")
		return nil
	}
	n, err := t.sweep(ctx)
	if err != nil {
		return err
	}
	r.Print("%d removed; the stream tells which, for an archive:", n)
	return t.archive(ctx, r)
}

// archive shows the readings that the table's stream says have expired, oldest
// first. A record that comes again, or tells of an earlier run, makes no difference.
func (t *telemetry) archive(ctx context.Context, r meter.Rows) error {
	gone := make(map[time.Time]Climate)
	changes := ddb.NewChanges(t.table)
	ddb.OnRemove(changes, t.climate.Definition(), func(_ context.Context, c ddb.Change[Climate]) error {
		if c.Expired && c.Old.Device == cellar {
			gone[c.Old.At] = *c.Old
		}
		return nil
	})
	if err := changes.Follow(t.streams).CatchUp(ctx); err != nil {
		return err
	}
	all := slices.SortedFunc(maps.Values(gone), func(a, b Climate) int { return a.At.Compare(b.At) })
	for _, c := range all {
		c.print(r)
	}
	return nil
}
