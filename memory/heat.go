package memory

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Heat is what a table, or a global secondary index, has served since it was
// made, by partition and by partition key. It shares no memory with the engine.
type Heat struct {
	// Name is that of the table or index.
	Name string
	// Total is the sum over all partitions.
	Total Served
	// Partitions are in the order of hash space. Entries of local secondary
	// indexes count for the partition of their item.
	Partitions []Served
	// Keys are the partition keys that are counted, the hottest first: those with
	// the most units, where a throttled request counts as one; equally hot ones in
	// the order of their values. Scans are not about single keys and count for
	// partitions alone.
	Keys []KeyHeat
	// Indexes are the global secondary indexes of a table in the order in which
	// they were made.
	Indexes []Heat
}

// KeyHeat is what the items with one partition key have served.
type KeyHeat struct {
	// Key holds the attributes of the partition key.
	Key map[string]types.AttributeValue
	Served
	// Inherited is the part of Served that may be of keys that are not counted any
	// more. It is zero, and Served exact, unless there were more keys than
	// [TrackHeat] allows.
	Inherited Served
}

// Served counts requests. A request to several partitions, such as a
// transaction, counts in each.
type Served struct {
	// Requests were served, Throttled were refused.
	Requests, Throttled int64
	// ReadUnits and WriteUnits are capacity units, in steps of one half.
	ReadUnits, WriteUnits float64
	// Bytes are those of the items or entries that were read and written; of a
	// write, those of the larger of old and new image.
	Bytes int64
	// Examined items or entries were read, whether a filter let them pass or not.
	Examined int64
}

// Heat reports what a table and its indexes have served. Without [TrackHeat], or
// if there is no such table, the report is empty.
func (db *DB) Heat(table string) Heat {
	t := db.table(table)
	if t == nil || t.powers == nil || t.powers.books == nil || t.powers.books.keys == 0 {
		return Heat{}
	}
	t.powers.books.mu.Lock()
	defer t.powers.books.mu.Unlock()
	h := t.base.traffic.reportLocked()
	for _, ix := range t.layout.Load().indexes {
		if !ix.local {
			h.Indexes = append(h.Indexes, ix.space.traffic.reportLocked())
		}
	}
	return h
}

// Top returns the n hottest keys, all if there are fewer.
func (h Heat) Top(n int) []KeyHeat { return h.Keys[:max(0, min(n, len(h.Keys)))] }

// Key returns the heat of a partition key, given its attributes, and whether it
// is among those counted.
func (h Heat) Key(key map[string]types.AttributeValue) (KeyHeat, bool) {
	want, err := av.MapFromSDK(key)
	if err != nil {
		return KeyHeat{}, false
	}
	for _, k := range h.Keys {
		if have, err := av.MapFromSDK(k.Key); err == nil && av.EqualMaps(have, want) {
			k.Key = maps.Clone(k.Key)
			return k, true
		}
	}
	return KeyHeat{}, false
}

// reportLocked makes the report; the caller holds the lock of the books.
func (t *traffic) reportLocked() Heat {
	h := Heat{Name: t.name, Partitions: make([]Served, len(t.parts))}
	var total served
	for i := range t.parts {
		total.add(t.parts[i].served)
		h.Partitions[i] = t.parts[i].served.report()
	}
	h.Total = total.report()
	for _, k := range t.keys.hottest() {
		key := make(map[string]types.AttributeValue, len(t.hash))
		for i, a := range t.hash {
			key[a.Name] = k.values[i].SDK()
		}
		h.Keys = append(h.Keys, KeyHeat{Key: key, Served: k.served.report(), Inherited: k.inherited.report()})
	}
	return h
}

func (s *served) report() Served {
	return Served{
		Requests: s.requests, Throttled: s.throttled,
		// Halves are exact in a float64.
		ReadUnits:  float64(s.units[reads]) / float64(oneUnit),
		WriteUnits: float64(s.units[writes]) / float64(oneUnit),
		Bytes:      s.bytes,
		Examined:   s.items,
	}
}
