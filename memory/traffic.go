package memory

import (
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// burstSeconds is how long unused provisioned capacity is kept.
// burst-adaptive-capacity.html#burst-capacity
const burstSeconds = 300

// books keeps account of the traffic of a whole DB: it admits requests and
// counts what they ask of partitions and keys. One lock for all makes it simple
// to admit a request on several tables as a whole.
type books struct {
	clock     func() time.Time
	throttles bool
	keys      int // counted of each table or index; 0 when nothing is counted

	mu sync.Mutex // guards all traffic of the DB
}

// way is whether a request reads or writes.
type way uint8

const (
	reads way = iota
	writes
	ways // how many there are
)

// trafficOf names the table or index that traffic belongs to.
type trafficOf struct {
	arn, name string
	index     bool
	hash      []keyAttribute // its partition key
}

// traffic is what requests have asked of a table or a global secondary index. A
// keyspace that nobody watches has none. The lock of its books guards it.
type traffic struct {
	trafficOf
	books *books
	quota
	whole [ways]bucket
	parts []partTraffic // as the partitions are
	keys  hotKeys
}

// quota is the capacity that a table or index is set to serve.
type quota struct {
	onDemand bool
	most     throughput // provisioned or, on demand, its ceiling; 0 for none
}

func (q *quota) of(w way) int64 {
	if w == reads {
		return q.most.read
	}
	return q.most.write
}

// burst is for how many seconds unused capacity of the quota is kept.
func (q *quota) burst() int64 {
	if q.onDemand {
		return 1
	}
	return burstSeconds
}

// partTraffic is the traffic of one partition.
type partTraffic struct {
	left   [ways]bucket
	served served
}

func newTraffic(b *books, of trafficOf, partitions int) *traffic {
	t := &traffic{trafficOf: of, books: b, parts: make([]partTraffic, partitions), keys: hotKeys{most: b.keys}}
	now := b.clock()
	for i := range t.parts {
		t.parts[i].left[reads] = newBucket(limits.PartitionReadUnits, 1, now)
		t.parts[i].left[writes] = newBucket(limits.PartitionWriteUnits, 1, now)
	}
	return t
}

// set changes the quota. What is left of the old one stays left, unless the
// billing mode changes.
func (t *traffic) set(q quota) {
	t.books.mu.Lock()
	defer t.books.mu.Unlock()
	now := t.books.clock()
	for w := range ways {
		if b := &t.whole[w]; b.rate != 0 && q.of(w) != 0 && q.onDemand == t.onDemand {
			b.retune(q.of(w), now)
		} else {
			*b = newBucket(q.of(w), q.burst(), now)
		}
	}
	t.quota = q
}

// setQuotas tells the traffic of the table and of its indexes the throughput in
// the table's settings, whose lock the caller holds if others know the table.
func (t *table) setQuotas(indexes []*index) {
	if t.powers == nil || t.powers.books == nil {
		return
	}
	onDemand := t.state.billing == types.BillingModePayPerRequest
	choose := func(provisioned, ceiling throughput) quota {
		if onDemand {
			return quota{onDemand, ceiling}
		}
		return quota{onDemand, provisioned}
	}
	t.base.traffic.set(choose(t.state.throughput, t.state.ceiling))
	for _, ix := range indexes {
		if s, ok := t.state.global[ix.name]; ok && !ix.local {
			ix.space.traffic.set(choose(s.throughput, s.ceiling))
		}
	}
}

// A load is what a request asks of one partition.
type load struct {
	on    *traffic
	part  int
	key   []av.Value // the partition key; nil where it is about several
	way   way
	units units
	bytes int
	items int // evaluated, if it is a read
	owner int // the action of a transaction that it belongs to
	// further marks more of a page that has begun in another partition; only this
	// partition can stop it.
	further bool
}

// admit lets a request pass with all its loads, or refuses it and takes
// nothing; nil means that it passed.
func (b *books) admit(loads []load) *throttled {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock()
	var refused []refusal
	if b.throttles {
		for i := range loads {
			refused = loads[i].refuse(refused, now)
		}
	}
	if refused != nil {
		b.countRefused(refused)
		return &throttled{refused}
	}
	for i := range loads {
		l := &loads[i]
		l.on.whole[l.way].take(l.units)
		l.on.parts[l.part].left[l.way].take(l.units)
		b.count(l, l.served())
	}
	return nil
}

// refuse appends the limits that stand against a load.
func (l *load) refuse(refused []refusal, now time.Time) []refusal {
	if !l.further && l.on.whole[l.way].isEmpty(now) {
		limit := limitProvisioned
		if l.on.onDemand {
			limit = limitMaxOnDemand
		}
		refused = append(refused, refusal{l, l.on.onDemand, limit})
	}
	if l.on.parts[l.part].left[l.way].isEmpty(now) {
		refused = append(refused, refusal{l, l.on.onDemand, limitKeyRange})
	}
	return refused
}

// count adds to the counts of a load's partition and key.
func (b *books) count(l *load, n served) {
	if b.keys == 0 {
		return
	}
	l.on.parts[l.part].served.add(n)
	if l.key != nil {
		l.on.keys.count(l.key, n)
	}
}

// countRefused counts each refused load once, however many limits stood
// against it.
func (b *books) countRefused(refused []refusal) {
	for i, r := range refused {
		if i == 0 || refused[i-1].load != r.load {
			b.count(r.load, served{throttled: 1})
		}
	}
}
