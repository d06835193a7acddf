package memory

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// ttlYears is how long an expired item may have been so and still be removed.
// time-to-live-ttl-before-you-start.html
const ttlYears = 5

// Expire removes the items that have expired by the [Clock] from all tables that
// have an attribute for it, as the service does in the background, and returns how
// many there were. Until somebody calls it they are read, count and can be changed
// like any other.
//
// An item has expired if the attribute is a number of seconds since 1970 that is
// not in the future, and not more than five years past. What is removed leaves the
// indexes and a record in the table's stream that names the service; it costs no
// capacity. An item that is changed meanwhile so that it has not expired stays.
//
// If ctx ends, or the [Journal] fails, some may have been removed.
func (db *DB) Expire(ctx context.Context) (int, error) {
	n := 0
	for _, name := range db.tableNames() {
		if t := db.table(name); t != nil && t.serves(db.settings.clock) {
			expired, err := db.expireTable(ctx, t)
			n += expired
			if err != nil {
				return n, err
			}
		}
	}
	return n, db.ledger.wait(ctx)
}

func (db *DB) expireTable(ctx context.Context, t *table) (int, error) {
	e, on := db.expiry(t)
	if !on {
		return 0, nil
	}
	n := 0
	for _, p := range t.base.partitions {
		for _, key := range p.matching(e.isOver) {
			if err := ctx.Err(); err != nil {
				return n, err
			}
			m := mutation{table: t, key: key, image: e.image, expires: true}
			did, err := m.write()
			if err != nil {
				return n, err
			}
			if did.new != did.old {
				n++
			}
		}
	}
	return n, nil
}

// expiry tells which items have expired: those whose attribute is a number
// between two.
type expiry struct {
	attribute   string
	first, last av.Number
}

// expiry returns what has expired by now, and whether the table expires items.
func (db *DB) expiry(t *table) (expiry, bool) {
	d := db.describeTTL(t)
	if d.TimeToLiveStatus != types.TimeToLiveStatusEnabled {
		return expiry{}, false
	}
	now := db.now()
	return expiry{
		attribute: *d.AttributeName,
		first:     av.Int(int(now.AddDate(-ttlYears, 0, 0).Unix())),
		last:      av.Int(int(now.Unix())),
	}, true
}

func (e *expiry) isOver(item av.Map) bool {
	v := item.Get(e.attribute)
	return v.Kind() == av.N && v.Number().Cmp(e.first) >= 0 && v.Number().Cmp(e.last) <= 0
}

// image leaves nothing of an item that has expired.
func (e *expiry) image(_ av.Map, old *record) (*record, error) {
	if old != nil && e.isOver(old.item) {
		return nil, nil
	}
	return old, nil
}

// matching returns the store keys of items.
func (p *partition) matching(is func(av.Map) bool) []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var keys []string
	p.store.walk(everything, func(key string, r *record) bool {
		if is(r.item) {
			keys = append(keys, key)
		}
		return true
	})
	return keys
}
