package timeseries_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/timeseries"
)

// The last hour of a sensor, while the month ends.
func Example() {
	ctx := context.Background()
	now := time.Date(2024, 2, 1, 0, 20, 0, 0, time.UTC)
	db := memory.New()
	table := ddb.NewTable("AppTable", db, ddb.Clock(func() time.Time { return now }))
	climate := timeseries.New(table, func(c *Climate) *timeseries.Reading { return &c.Reading }, 90*24*time.Hour)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	for n := range 6 {
		check(climate.Record(ctx, Climate{
			Reading:     timeseries.Reading{Device: "SENSOR001", At: now.Add(time.Duration(-15*n) * time.Minute)},
			Temperature: 25.5 - float64(n), Humidity: 60,
		}))
	}
	for c, err := range climate.Range("SENSOR001", now.Add(-time.Hour), now).All(ctx) {
		check(err)
		fmt.Println(c.At.Format(time.DateTime), c.Temperature)
	}
	latest, err := climate.Latest(ctx, "SENSOR001", now.Add(-24*time.Hour))
	check(err)
	fmt.Println("now:", latest.Temperature)
	// Output:
	// 2024-01-31 23:20:00 21.5
	// 2024-01-31 23:35:00 22.5
	// 2024-01-31 23:50:00 23.5
	// 2024-02-01 00:05:00 24.5
	// now: 25.5
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
