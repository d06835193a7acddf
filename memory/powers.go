package memory

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// powerSettings are the settings of the test powers; the zero value has none on.
type powerSettings struct {
	throttling bool
	heatKeys   int
	lag        time.Duration
	stale      time.Duration
	sleep      func(context.Context, time.Duration) error
}

// Throttling makes the engine refuse what exceeds the capacity of a table or
// global secondary index, by the [Clock], with the service's exceptions. Three
// limits hold, each for reads and writes apart:
//
//   - A partition serves 3,000 read units and 1,000 write units a second; see
//     [Partitions]. Entries of local secondary indexes count for the partition of
//     their item.
//   - A provisioned table or index serves what it is provisioned with. Of what it
//     does not use it keeps the last 300 seconds' worth; a new one begins with one
//     second's worth.
//   - An on-demand table or index with a maximum throughput serves that.
//
// A request is served as long as anything is left, and what it costs is taken
// off, be it more than what was left. A write is refused as well when an index
// that it changes has nothing left. In a batch, what is refused comes back
// unprocessed, and the call fails only if all was refused; a transaction is
// cancelled.
func Throttling() Option {
	return func(s *settings) { s.power.throttling = true }
}

// TrackHeat counts what partitions and partition keys serve; [DB.Heat] reports
// it. Up to so many keys are counted of each table and each global secondary
// index, one at least, which bounds the memory: about 300 bytes and the key twice
// for each. As long as no more keys than that were used, counts are exact. With
// more, the key with the least gives way to the newcomer, which inherits its
// counts, so that hot keys are found all the same; see [KeyHeat].
func TrackHeat(keys int) Option {
	return func(s *settings) { s.power.heatKeys = max(1, keys) }
}

// IndexLag makes entries of global secondary indexes follow the writes of their
// items so much later, by the [Clock]. [DB.Settle] brings all indexes up to date
// at once. Zero, the default, makes them follow before the write returns.
func IndexLag(d time.Duration) Option {
	return func(s *settings) { s.power.lag = d }
}

// StaleReads lets reads that are not consistent see their table or index as it
// was up to so long ago, by the [Clock]. Half of them do; which, and how long ago,
// is drawn from [Seed] for each call, and for each item of a BatchGetItem. What a
// Query or Scan sees is the state of one moment in each partition. [DB.Settle] makes all writes before it
// visible to every read after it.
func StaleReads(d time.Duration) Option {
	return func(s *settings) { s.power.stale = d }
}

// Sleeper sets how the engine waits where a [Delay] is injected. By default it
// really waits. A test moves its clock instead:
//
//	memory.Sleeper(func(ctx context.Context, d time.Duration) error {
//		clock.Advance(d)
//		return ctx.Err()
//	})
//
// An error ends the call, which returns it and does nothing.
func Sleeper(sleep func(ctx context.Context, d time.Duration) error) Option {
	return func(s *settings) {
		if sleep != nil {
			s.power.sleep = sleep
		}
	}
}

// sleep waits for the time to pass or the context to end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// powers are the test powers that change tables, nil for none. Injected faults
// are not among them, since they change calls.
type powers struct {
	clock      func() time.Time
	lag, stale time.Duration
	books      *books // nil when nothing is throttled or counted

	chance struct {
		sync.Mutex // guards the source
		*rand.Rand
	}
}

func newPowers(s *settings) *powers {
	on := s.power
	if !on.throttling && on.heatKeys == 0 && on.lag <= 0 && on.stale <= 0 {
		return nil
	}
	p := &powers{clock: s.clock, lag: on.lag, stale: on.stale}
	p.chance.Rand = rand.New(rand.NewPCG(s.seed, 1)) // apart from identifiers, which stay the same
	if on.throttling || on.heatKeys > 0 {
		p.books = &books{clock: s.clock, throttles: on.throttling, keys: on.heatKeys}
	}
	return p
}

// now is the time at which a commit counts for powers that remember it.
func (p *powers) now() time.Time {
	if p == nil {
		return time.Time{}
	}
	return p.clock()
}

// equip gives a new table and its indexes the powers of the DB, before anybody
// else knows it.
func (db *DB) equip(t *table) {
	if db.powers == nil {
		return
	}
	t.powers = db.powers
	l := t.layout.Load()
	t.powers.equip(t.base, trafficOf{arn: t.arn, name: t.name, hash: l.key.hash})
	for _, ix := range l.indexes {
		t.equipIndex(ix)
	}
	t.setQuotas(l.indexes)
}

// equipIndex gives a new index the powers of its table. The traffic of a local
// one is that of its table.
func (t *table) equipIndex(ix *index) {
	p := t.powers
	switch {
	case p == nil:
	case ix.local:
		p.remember(ix.space)
	default:
		p.equip(ix.space, ix.trafficOf(t))
		if p.lag > 0 {
			ix.lag = &lag{by: p.lag}
		}
	}
}

// trafficOf names the traffic of a global secondary index.
func (ix *index) trafficOf(t *table) trafficOf {
	return trafficOf{arn: t.arn + "/index/" + ix.name, name: ix.name, index: true, hash: ix.schema.hash}
}

func (p *powers) equip(ks *keyspace, of trafficOf) {
	p.remember(ks)
	if p.books != nil {
		ks.traffic = newTraffic(p.books, of, len(ks.partitions))
	}
}

// remember makes partitions keep what stale reads need.
func (p *powers) remember(ks *keyspace) {
	if p.stale <= 0 {
		return
	}
	for _, part := range ks.partitions {
		part.past = &past{keep: p.stale}
	}
}

// Settle makes every write that has returned visible to every read from now on:
// index entries that [IndexLag] holds back appear, and [StaleReads] see nothing
// older. What is written later lags again.
func (db *DB) Settle() {
	for _, name := range db.tableNames() {
		if t := db.table(name); t != nil {
			t.settle()
		}
	}
}

func (t *table) settle() {
	t.base.forget()
	for _, ix := range t.layout.Load().indexes {
		ix.lag.settle()
		ix.space.forget()
	}
}
