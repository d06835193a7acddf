package main

import (
	"context"
	"sync"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/timeseries"
)

const (
	tableName = "Telemetry"
	keep      = 90 * 24 * time.Hour
	minutes   = "2006-01-02 15:04"
)

// start is when the story begins: shortly after the end of a month.
var start = time.Date(2024, 2, 1, 0, 20, 0, 0, time.UTC)

// Climate is what a sensor in a room measures now and then: its readings of a month
// share a partition key.
type Climate struct {
	_ ddb.Entity `name:"Climate" pk:"DEVICE#{Device}#{At:2006-01}" sk:"{At}"`

	timeseries.Reading
	Temperature float64 // degrees Celsius
	Humidity    float64 // per cent
}

// Pulse is what a meter counts all the time: its readings of an hour are spread
// over ten partition keys.
type Pulse struct {
	_ ddb.Entity `name:"Pulse" pk:"DEVICE#{Device}#{At:2006-01-02T15}#{shard:10}" sk:"{At}"`

	timeseries.Reading
	Wattseconds int
}

// telemetry is the table with its readings.
type telemetry struct {
	table   *ddb.Table
	climate *timeseries.Series[Climate]
	pulses  *timeseries.Series[Pulse]
	streams ddb.StreamBackend
	// sweep removes what has expired; nil if the endpoint does so by itself.
	sweep func(context.Context) (int, error)
	clock *clock
	meter *meter.Meter
}

func newTelemetry(db backend.DB, c *clock) *telemetry {
	m := new(meter.Meter)
	table := ddb.NewTable(tableName, db, ddb.Clock(c.Now), ddb.Observe(m.Observe))
	return &telemetry{
		table:   table,
		climate: timeseries.New(table, func(c *Climate) *timeseries.Reading { return &c.Reading }, keep),
		pulses:  timeseries.New(table, func(p *Pulse) *timeseries.Reading { return &p.Reading }, keep),
		streams: backend.Streams(db), clock: c, meter: m,
	}
}

// clock shows the time of the story.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// Now returns the time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
