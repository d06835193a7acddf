package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Probe lies in buckets of an hour, and in indexes by others, with and without
// shards, one of them backwards and of keys alone.
type Probe struct {
	_ ddb.Entity `name:"Probe" pk:"PROBE#{Device}#{At:2006-01-02T15}" sk:"{At}#{Seq:04}"`
	_ ddb.Index  `name:"ByDay" pk:"DAY#{Device}#{At:2006-01-02}#{shard:3}" sk:"{At}#{Seq:04}"`
	_ ddb.Index  `name:"ByMonth" pk:"MONTH#{At:2006-01}" sk:"{At:desc}#{Seq:04}"`
	_ ddb.Index  `name:"ByHour" pk:"HOUR#{Device}#{At:2006-01-02T15}#{shard:2,by=Seq}" sk:"{At}#{Seq:04}"`

	Device string
	At     time.Time
	Seq    int
	Level  int
}

type probes struct {
	db    *memory.DB
	def   *ddb.Definition[Probe]
	level ddb.Attribute[Probe, int]
}

func newProbes(t rapidOrTest, b func(*memory.DB) ddb.Backend, opts ...ddb.TableOption) probes {
	t.Helper()
	db := memory.New()
	opts = append(opts, ddb.GSI("ByDay", "DayPK", "DaySK"), ddb.GSI("ByMonth", "MonthPK", "MonthSK", ddb.KeysOnly()), ddb.GSI("ByHour", "HourPK", "HourSK"))
	table := ddb.NewTable("Probes", b(db), opts...)
	p := probes{db: db, def: ddb.Define[Probe](table)}
	p.level = ddb.Field(p.def, func(p *Probe) *int { return &p.Level })
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p probes) store(t rapidOrTest, all ...Probe) {
	t.Helper()
	for _, v := range all {
		if err := p.def.Create(&v).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// monthsEnd is two hours before the end of a month.
var monthsEnd = time.Date(2024, 1, 31, 22, 0, 0, 0, time.UTC)

// TestBucketsReadAsOne asserts that a range over buckets is, for any bounds, layout,
// direction, limit, page size and filter, what a sorted list would give, read at
// once, in pages of one query and by cursors.
func TestBucketsReadAsOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var opts []ddb.TableOption
		if rapid.Bool().Draw(t, "signed") {
			opts = append(opts, ddb.CursorKeys([]byte("0123456789abcdef0123456789abcdef")))
		}
		p := newProbes(t, direct, opts...)
		instant := rapid.Custom(func(t *rapid.T) time.Time {
			minutes := rapid.SampledFrom([]int{0, 0, 1, 59, 60, 61, 119, 120, 121, 180, 300, 26 * 60}).Draw(t, "minutes")
			return monthsEnd.Add(time.Duration(minutes) * time.Minute)
		})
		var want []Probe
		for i := range rapid.IntRange(0, 20).Draw(t, "items") {
			want = append(want, Probe{Device: "d", At: instant.Draw(t, "at"), Seq: i, Level: rapid.IntRange(0, 2).Draw(t, "level")})
		}
		p.store(t, want...)
		index := rapid.SampledFrom([]string{"", "ByDay", "ByMonth", "ByHour"}).Draw(t, "index")
		q := p.def.Query(Probe{Device: "d"}).Index(index)
		desc := rapid.Bool().Draw(t, "descending")
		if desc {
			q = q.Desc()
		}
		lo, hi := instant.Draw(t, "lo"), instant.Draw(t, "hi")
		if hi.Before(lo) {
			lo, hi = hi, lo
		}
		whole := rapid.Bool().Draw(t, "inclusive") || lo.Equal(hi)
		if whole {
			q = q.Between(Probe{At: lo}, Probe{At: hi})
		} else {
			q = q.After(Probe{At: lo}).Before(Probe{At: hi})
		}
		filtered := index != "ByMonth" && rapid.Bool().Draw(t, "filter")
		if filtered {
			q = q.Filter(p.level.Ge(1))
		}
		if index == "ByMonth" {
			q = q.Hydrate()
		}
		want = slices.DeleteFunc(want, func(v Probe) bool {
			edge := v.At.Equal(lo) || v.At.Equal(hi)
			return v.At.Before(lo) || v.At.After(hi) || edge && !whole || filtered && v.Level < 1
		})
		slices.SortFunc(want, func(a, b Probe) int {
			back := map[bool]int{true: -1, false: 1}
			return firstNonZero(a.At.Compare(b.At)*back[index == "ByMonth"], a.Seq-b.Seq) * back[desc]
		})
		sameProbes(t, "all", everyProbe(t, q), want)
		if n, err := q.Count(context.Background()); err != nil || n != len(want) {
			t.Fatalf("count: got %d and %v, want %d", n, err, len(want))
		}
		first, err := q.First(context.Background())
		if len(want) == 0 && !errors.Is(err, ddb.ErrNotFound) || len(want) > 0 && (err != nil || first.Seq != want[0].Seq) {
			t.Fatalf("first: got %+v and %v, want %v", first, err, want)
		}
		q = q.PageSize(rapid.IntRange(0, 3).Draw(t, "page size")).MaxBuckets(rapid.IntRange(0, 2).Draw(t, "buckets"))
		if n := rapid.IntRange(0, 5).Draw(t, "limit"); n > 0 {
			q = q.Limit(n)
		}
		sameProbes(t, "by cursors", byCursors(t, q), want)
		var paged []Probe
		for page, err := range q.Pages(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, page.Items...)
		}
		sameProbes(t, "pages", paged, want)
	})
}

func everyProbe(t rapidOrTest, q ddb.QueryOp[Probe]) []Probe {
	t.Helper()
	var got []Probe
	for v, err := range q.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	return got
}

// byCursors reads a query page after page, each by a query of its own.
func byCursors(t rapidOrTest, q ddb.QueryOp[Probe]) []Probe {
	t.Helper()
	var got []Probe
	for cursor, n := "", 0; ; n++ {
		page, err := q.Page(context.Background(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.Items...)
		if cursor = page.Next; cursor == "" {
			return got
		}
		if n > 200 {
			t.Fatal("pages never end")
		}
	}
}

func sameProbes(t rapidOrTest, how string, got, want []Probe) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b Probe) bool { return a.Seq == b.Seq && a.At.Equal(b.At) && a.Level == b.Level }) {
		t.Fatalf("%s: got %v, want %v", how, got, want)
	}
}

// TestTheLastHour asserts that the last hour of a device is read across the end of a
// month, which a prefix of the month would cut off.
func TestTheLastHour(t *testing.T) {
	t.Parallel()
	p := newProbes(t, func(db *memory.DB) ddb.Backend { return backend(t, db) })
	for i := range 12 {
		p.store(t, Probe{Device: "SENSOR001", At: monthsEnd.Add(time.Duration(i) * 15 * time.Minute), Seq: i})
	}
	now := time.Date(2024, 2, 1, 0, 30, 0, 0, time.UTC)
	for _, index := range []string{"", "ByDay", "ByHour"} {
		q := p.def.Query(Probe{Device: "SENSOR001"}).Index(index).Between(Probe{At: now.Add(-time.Hour)}, Probe{At: now})
		got := collect(t, q, func(p Probe) string { return fmt.Sprint(p.Seq) })
		if want := []string{"6", "7", "8", "9", "10"}; !slices.Equal(got, want) {
			t.Errorf("index %q: got %v, want %v", index, got, want)
		}
	}
}

// TestBucketsAreCalls asserts that a range costs a call for each bucket and shard, an
// empty one as well, that nothing is read ahead of need, and that costs, observers
// and inputs say so.
func TestBucketsAreCalls(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	p := newProbes(t, direct, ddb.Observe(func(_ context.Context, c ddb.Call) {
		if c.Op == "Query" {
			calls.Add(1)
		}
	}))
	ctx := t.Context()
	p.store(t, Probe{Device: "d", At: monthsEnd, Seq: 1}, Probe{Device: "d", At: monthsEnd.Add(time.Minute), Seq: 2}, Probe{Device: "d", At: monthsEnd.Add(9 * time.Hour), Seq: 3})
	lo, hi := Probe{At: monthsEnd}, Probe{At: monthsEnd.Add(9 * time.Hour)}
	hours := p.def.Query(Probe{Device: "d"}).Between(lo, hi)
	days := p.def.Query(Probe{Device: "d"}).Index("ByDay").Between(lo, hi)
	firstOf := func(q ddb.QueryOp[Probe]) func() error {
		return func() error { return second(q.First(ctx)) }
	}
	for _, c := range []struct {
		name string
		run  func() error
		want int32
	}{
		{"ten hours", func() error { return second(hours.Count(ctx)) }, 10},
		{"ten hours read", func() error { everyProbe(t, hours); return nil }, 10},
		{"two days in three shards", func() error { return second(days.Count(ctx)) }, 6},
		{"the first of ten hours", firstOf(hours), 1},
		{"the first, backwards", firstOf(hours.Desc()), 1},
		{"the first behind seven empty hours", firstOf(hours.After(Probe{At: monthsEnd.Add(time.Hour)}).Until(hi)), 0},
		{"two items, left", func() error {
			for v := range hours.All(ctx) {
				if v.Seq == 2 {
					break
				}
			}
			return nil
		}, 1},
		{"to the end of a page of two", func() error { return second(hours.Limit(2).Page(ctx, "")) }, 1},
		{"before midnight alone", func() error {
			return second(p.def.Query(Probe{Device: "d"}).From(lo).Before(Probe{At: monthsEnd.Add(2 * time.Hour)}).Count(ctx))
		}, 2},
	} {
		calls.Store(0)
		if err := c.run(); err != nil && c.want > 0 || calls.Load() != c.want {
			t.Errorf("%s: got %d calls and %v, want %d", c.name, calls.Load(), err, c.want)
		}
	}
	page, err := hours.MaxPages(4).ReturnConsumedCapacity(types.ReturnConsumedCapacityTotal).Page(ctx, "")
	if err != nil || page.Requests != 4 || page.ScannedCount != 2 || page.Count != 2 || *page.ConsumedCapacity.CapacityUnits != 2 || page.Next == "" {
		t.Errorf("cost of four buckets: got %+v and %v, want 4 requests of half a unit each", page, err)
	}
	in, err := hours.Desc().Input()
	if err != nil || in.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS).Value != "PROBE#d#2024-02-01T07" {
		t.Errorf("input: got %v and %v, want the bucket that is read first", in, err)
	}
}

// TestMaxBuckets asserts that a bound on buckets ends a query that has no other end,
// with a cursor to go on, and that what then is not known is said.
func TestMaxBuckets(t *testing.T) {
	t.Parallel()
	p := newProbes(t, direct)
	ctx := t.Context()
	p.store(t, Probe{Device: "d", At: monthsEnd, Seq: 1}, Probe{Device: "d", At: monthsEnd.Add(5 * time.Hour), Seq: 2})
	from := p.def.Query(Probe{Device: "d"}).From(Probe{At: monthsEnd})
	if got := everyProbe(t, from.MaxBuckets(6)); len(got) != 2 {
		t.Errorf("six buckets: got %v, want both", got)
	}
	latest := p.def.Query(Probe{Device: "d"}).Until(Probe{At: monthsEnd.Add(6 * time.Hour)}).Desc()
	if got, err := latest.MaxBuckets(24).First(ctx); err != nil || got.Seq != 2 {
		t.Errorf("the latest of a day: got %+v and %v", got, err)
	}
	if n, err := from.MaxBuckets(5).Count(ctx); n != 1 || !errors.Is(err, ddb.ErrIncomplete) {
		t.Errorf("count of five: got %d and %v, want 1 and ErrIncomplete", n, err)
	}
	empty := p.def.Query(Probe{Device: "none"}).From(Probe{At: monthsEnd}).MaxBuckets(3)
	if _, err := empty.First(ctx); !errors.Is(err, ddb.ErrIncomplete) {
		t.Errorf("none in three: got %v, want ErrIncomplete", err)
	}
	some := from.MaxBuckets(3).Limit(5)
	page, err := some.Page(ctx, "")
	if err != nil || len(page.Items) != 1 || page.Next == "" {
		t.Fatalf("first page: got %+v and %v", page, err)
	}
	page, err = some.Page(ctx, page.Next)
	if err != nil || len(page.Items) != 1 || page.Items[0].Seq != 2 || page.Requests != 3 {
		t.Errorf("second page: got %+v and %v, want the later one", page, err)
	}
}

// TestBucketRangesRefused asserts that a range which cannot be read bucket by bucket
// is refused before any call, and says which field it is about.
func TestBucketRangesRefused(t *testing.T) {
	t.Parallel()
	p := newProbes(t, func(*memory.DB) ddb.Backend { return unreachable{} })
	at := func(d time.Duration) Probe { return Probe{At: monthsEnd.Add(d)} }
	q := p.def.Query(Probe{Device: "d"})
	hour := p.def.Query(Probe{Device: "d", At: monthsEnd.Add(time.Minute)})
	const elsewhere = "names another partition"
	for _, c := range []struct {
		name, want string
		q          ddb.QueryOp[Probe]
		field      bool
	}{
		{"no end", "no end", q.From(at(0)), true},
		{"no beginning", "no beginning", q.Until(at(0)).MaxBuckets(3), true},
		{"no beginning, backwards", "no beginning", q.From(at(0)).Desc().MaxBuckets(3), true},
		{"too many", "more than 1000", q.Between(at(0), at(1001*time.Hour)), true},
		{"bound without the time", "not given", q.Between(at(0), Probe{Seq: 3}), true},
		{"reversed", "above the upper", q.Between(at(time.Hour), at(0)), true},
		{"negative", "negative", q.Between(at(0), at(1)).MaxBuckets(-1), false},
		{"no time at all", "", q, true},
		{"up to another bucket", elsewhere, hour.Until(at(time.Hour)), true},
		{"from another bucket", elsewhere, hour.From(at(-time.Minute)), true},
		{"between others", elsewhere, hour.Between(at(time.Hour), at(2*time.Hour)), true},
		{"under another bucket", elsewhere, hour.Prefix(at(time.Hour)), true},
		{"before what lies in another", elsewhere, hour.Before(at(time.Hour + 1)), true},
		{"another month", elsewhere, p.def.Query(at(0)).Index("ByMonth").Until(at(3 * time.Hour)), true},
	} {
		_, err := c.q.Input()
		var op *ddb.OpError
		if !errors.As(err, &op) || !strings.Contains(err.Error(), c.want) || c.field != (op.Field == "At") {
			t.Errorf("%s: got %v, want an error that says %q", c.name, err, c.want)
		}
	}
}

// TestRangesWithinABucket asserts that a query of one bucket takes bounds that lie in it,
// the moment at which it ends among them if that is left out.
func TestRangesWithinABucket(t *testing.T) {
	t.Parallel()
	p := newProbes(t, func(*memory.DB) ddb.Backend { return unreachable{} })
	at := func(d time.Duration) Probe { return Probe{At: monthsEnd.Add(d).In(time.FixedZone("", 3600))} }
	hour := p.def.Query(Probe{Device: "d", At: monthsEnd.Add(time.Minute)})
	for name, q := range map[string]ddb.QueryOp[Probe]{
		"whole":     hour.From(at(0)).Before(at(time.Hour)),
		"inclusive": hour.Between(at(0), at(time.Hour-1)),
		"part":      hour.After(at(time.Minute)).Until(at(2 * time.Minute)),
		"prefix":    hour.Prefix(at(30 * time.Minute)),
		"backwards": p.def.Query(at(0)).Index("ByMonth").Before(at(2 * time.Hour)).Desc(),
	} {
		if _, err := q.Input(); err != nil {
			t.Errorf("%s: got %v, want a query", name, err)
		}
	}
}

// TestBucketCursorsStayWithTheirQuery asserts that a cursor of one range, direction
// or index opens no other.
func TestBucketCursorsStayWithTheirQuery(t *testing.T) {
	t.Parallel()
	p := newProbes(t, direct)
	for i := range 6 {
		p.store(t, Probe{Device: "d", At: monthsEnd.Add(time.Duration(i) * 20 * time.Minute), Seq: i})
	}
	lo, hi := Probe{At: monthsEnd}, Probe{At: monthsEnd.Add(3 * time.Hour)}
	q := p.def.Query(Probe{Device: "d"}).Between(lo, hi)
	page, err := q.Limit(2).Page(t.Context(), "")
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	for name, other := range map[string]ddb.QueryOp[Probe]{
		"device":    p.def.Query(Probe{Device: "e"}).Between(lo, hi),
		"range":     p.def.Query(Probe{Device: "d"}).Between(lo, Probe{At: monthsEnd.Add(time.Hour)}),
		"direction": q.Desc(),
		"index":     q.Index("ByHour"),
		"filter":    q.Filter(p.level.Ge(1)),
	} {
		if _, err := other.Page(t.Context(), page.Next); !errors.Is(err, ddb.ErrCursor) {
			t.Errorf("other %s: got %v, want ErrCursor", name, err)
		}
	}
}
