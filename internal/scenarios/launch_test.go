package scenarios_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

// fill writes n readings of a sensor, one a second from a moment on, each a bit
// under 1 KB.
func fill(t *testing.T, readings *ddb.Definition[Reading], device string, from time.Time, n int) {
	t.Helper()
	for batch := range slices.Chunk(make([]ddb.BatchWrite, n), 500) {
		for i := range batch {
			batch[i] = readings.Put(&Reading{
				Device: device, At: from, Temperature: 25.5, Humidity: 60, Raw: bytes.Repeat([]byte{7}, 800), Expires: from.AddDate(1, 0, 0),
			})
			from = from.Add(time.Second)
		}
		must(t, ddb.Batch(batch...).Run(t.Context()))
	}
}

// TestS23BeforeLaunch: what each pattern costs on a large partition is asserted,
// heat shows where the load is, and throttling what happens when it is too much.
func TestS23BeforeLaunch(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		t.Run("costs", func(t *testing.T) {
			w := open(t)
			readings, ctx := ddbtest.Open(t, w, ddb.Define[Reading]), t.Context()
			start := at("2024-01-31T23:30:00Z")
			fill(t, readings, "SENSOR001", start, 3000) // 2.7 MB, to 00:20 of the next month
			fill(t, readings, "SENSOR002", start, 10)
			mine := readings.Query(Reading{Device: "SENSOR001"})

			ddbtest.Cost(t, w, func() {
				value[Reading](t)(mine.Desc().First(ctx))
			}).NoScan().Exactly(1, 0.5, 1)
			b := ddbtest.Cost(t, w, func() {
				last := at("2024-02-01T00:00:29Z")
				minute := mine.Between(Reading{At: last.Add(-59 * time.Second)}, Reading{At: last})
				equal(t, "a minute across the month's end", value[int](t)(minute.Count(ctx)), 60)
			})
			b.NoScan().AtMost(1, 7, 60)
			equal(t, "the hottest key", b.Keys, []ddbtest.KeyCost{{Where: "AppTable", Key: "DEVICE#SENSOR001", ReadUnits: b.ReadUnits}})
			ddbtest.Cost(t, w, func() {
				page := value[ddb.Page[Reading]](t)(mine.Limit(100).Page(ctx, ""))
				equal(t, "a page", len(page.Items), 100)
			}).AtMost(1, 12, 100)
			ddbtest.Cost(t, w, func() {
				equal(t, "all of 2.7 MB", value[int](t)(mine.Count(ctx)), 3000)
			}).AtMost(3, 350, 3000)
			equal(t, "pages of 700", len(pages(t, mine.Limit(700), measured)), 5)

			// A filter saves nothing: it costs what it reads.
			humidity := ddb.Field(readings, func(r *Reading) *int { return &r.Humidity })
			b = ddbtest.Cost(t, w, func() { equal(t, "filtered", all(t, mine.Filter(humidity.Gt(90)), measured), []string{}) })
			equal(t, "examined by a filter that keeps nothing", b.Examined, 3000)

			heat := w.engine.Heat("AppTable")
			equal(t, "the hottest key of all", heat.Top(1)[0].Key, map[string]types.AttributeValue{"PK": text("DEVICE#SENSOR001")}, ddbtest.Values())
			var served float64
			for _, p := range heat.Partitions {
				served = max(served, p.ReadUnits)
			}
			if share := served / heat.Total.ReadUnits; share < 0.9 {
				t.Errorf("the hottest partition served %.0f %% of the reads, want nearly all", 100*share)
			}
		})
		t.Run("throttling", func(t *testing.T) {
			clock := ddbtest.NewClock(at("2024-02-01T00:00:00Z"))
			w := open(t, memory.Clock(clock.Now), memory.Throttling())
			readings, ctx := ddbtest.Open(t, w, ddb.Define[Reading], ddb.Clock(clock.Now)), t.Context()
			write := func(device string, n int) error {
				r := Reading{Device: device, At: clock.Now().Add(time.Duration(n) * time.Second), Raw: make([]byte, 100<<10), Expires: clock.Now().AddDate(1, 0, 0)}
				return readings.Create(&r).Run(ctx)
			}
			// 101 units each, and a partition has 1,000 a second: the tenth is
			// served, since something was left.
			for n := range 10 {
				must(t, write("SENSOR001", n))
			}
			b := ddbtest.Cost(t, w, func() {
				if err := write("SENSOR001", 10); !errors.Is(err, ddb.ErrThrottled) {
					t.Errorf("the eleventh in a second: got %v, want ErrThrottled", err)
				}
			})
			if b.Throttled == 0 || b.WriteUnits != 0 {
				t.Errorf("got %d throttled calls and %v write units, want some and none", b.Throttled, b.WriteUnits)
			}
			served := 0
			for n := range 8 {
				if write(fmt.Sprint("OTHER", n), 0) == nil {
					served++
				}
			}
			if served < 4 {
				t.Errorf("%d of 8 other sensors were served, want most: they are in other partitions", served)
			}
			clock.Advance(time.Second)
			must(t, write("SENSOR001", 10))
		})
	})
}
