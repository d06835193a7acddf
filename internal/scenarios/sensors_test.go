package scenarios_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

func measured(r Reading) string { return r.At.Format(time.TimeOnly) }

// reading is one of SENSOR001 that stays for a year.
func reading(when string) Reading {
	return Reading{Device: "SENSOR001", At: at(when), Temperature: 25.5, Humidity: 60, Expires: at(when).AddDate(1, 0, 0)}
}

// withStream switches the stream of a table on.
func (w world) withStream(t *testing.T, table *ddb.Table) {
	t.Helper()
	_, err := w.engine.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String(table.Name()),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	must(t, err)
}

// TestS13SensorReadings: the last hour is one query, also across the end of a
// month, where the buckets change.
func TestS13SensorReadings(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		readings := ddbtest.Open(t, w, ddb.Define[Reading])
		ddbtest.Seed(t, readings, reading("2024-01-31T23:29:59Z"), reading("2024-01-31T23:30:00Z"), reading("2024-01-31T23:59:59Z"),
			reading("2024-02-01T00:00:00Z"), reading("2024-02-01T00:30:00Z"), reading("2024-02-01T00:30:01Z"))
		item := w.stored(t, "AppTable", "DEVICE#SENSOR001", "2024-01#2024-01-31T23:30:00")
		equal(t, "as stored", []any{item["Temperature"], item["Humidity"]}, []any{ddbtest.N("25.5"), ddbtest.N("60")})

		mine := readings.Query(Reading{Device: "SENSOR001"})
		now := at("2024-02-01T00:30:00Z")
		ddbtest.Cost(t, w, func() {
			hour := mine.Between(Reading{At: now.Add(-time.Hour)}, Reading{At: now})
			equal(t, "the last hour", all(t, hour, measured), []string{"23:30:00", "23:59:59", "00:00:00", "00:30:00"})
		}).Exactly(1, 0.5, 4)
		equal(t, "the bucket of the month alone", all(t, mine.RawPrefix("2024-02#"), measured), []string{"00:00:00", "00:30:00", "00:30:01"})
		equal(t, "the last three", all(t, mine.Desc().Limit(3), measured), []string{"00:30:01", "00:30:00", "00:00:00"})
		ddbtest.Cost(t, w, func() {
			if _, err := mine.Between(Reading{At: now}, Reading{At: now.Add(-time.Hour)}).First(t.Context()); !errors.Is(err, ddb.ErrRange) {
				t.Errorf("a range that ends before it begins: got %v, want ErrRange", err)
			}
		}).Exactly(0, 0, 0)
	})
}

// TestS21Expiry: what has expired is read until the sweep, unless hidden, and
// leaves the table with a record that says why.
func TestS21Expiry(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		clock := ddbtest.NewClock(at("2024-01-31T12:00:00Z"))
		w := open(t, memory.Clock(clock.Now))
		table := ddb.NewTable("Sensors", w, ddb.Clock(clock.Now))
		readings := ddb.Define[Reading](table)
		ddbtest.Create(t, w, table)
		w.withStream(t, table)
		short, long := reading("2024-01-31T11:00:00Z"), reading("2024-01-31T11:30:00Z")
		short.Expires = clock.Now().Add(time.Hour)
		ddbtest.Seed(t, readings, short, long)
		equal(t, "in epoch seconds", w.stored(t, "Sensors", "DEVICE#SENSOR001", "2024-01#2024-01-31T11:00:00")["Expires"], any(ddbtest.N("1706706000")))

		clock.Advance(time.Hour)
		mine := readings.Query(Reading{Device: "SENSOR001"})
		equal(t, "before the sweep", all(t, mine, measured), []string{"11:00:00", "11:30:00"})
		equal(t, "hidden before the sweep", all(t, mine.HideExpired(), measured), []string{"11:30:00"})
		if _, err := readings.Get(short).HideExpired().Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("get hides it: got %v, want ErrNotFound", err)
		}

		equal(t, "swept", value[int](t)(w.engine.Expire(t.Context())), 1)
		equal(t, "after the sweep", all(t, mine, measured), []string{"11:30:00"})
		var removed []string
		changes := ddb.NewChanges(table)
		ddb.OnRemove(changes, readings, func(_ context.Context, c ddb.Change[Reading]) error {
			if c.Expired && c.New == nil {
				removed = append(removed, measured(*c.Old))
			}
			return nil
		})
		must(t, changes.Follow(w.streams).CatchUp(t.Context()))
		equal(t, "records of expiry", removed, []string{"11:00:00"})

		// Milliseconds are a time thousands of years away: such an item would
		// never go.
		late := reading("2024-01-31T11:45:00Z")
		late.Expires = time.Unix(clock.Now().UnixMilli(), 0)
		if err := readings.Create(&late).Run(t.Context()); !errors.Is(err, ddb.ErrExpiry) {
			t.Errorf("milliseconds taken for seconds: got %v, want ErrExpiry", err)
		}
	})
}
