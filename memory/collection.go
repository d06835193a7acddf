package memory

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Item collections: the items with one partition key of a table with local
// secondary indexes, with their entries in those.
// LSI.html#LSI.ItemCollections

const gigabyte = 1 << 30

// metrics gathers the ItemCollectionMetrics of one operation.
type metrics struct {
	mode  types.ReturnItemCollectionMetrics
	seen  map[place]bool                           // collections
	found map[string][]types.ItemCollectionMetrics // by the table's name in the request
}

// add counts the collection of an item that was written. Tables without local
// indexes have none.
func (m *metrics) add(t *table, ref string, item av.Map) {
	l := t.layout.Load()
	if m.mode != types.ReturnItemCollectionMetricsSize || l.locals() == 0 {
		return
	}
	collection := place{t, string(l.key.appendCollection(nil, item))}
	if m.seen[collection] {
		return
	}
	if m.seen == nil {
		m.seen = make(map[place]bool)
		m.found = make(map[string][]types.ItemCollectionMetrics)
	}
	m.seen[collection] = true
	hash := l.key.hash[0].Name
	whole := float64(t.collectionBytes(l, collection.key) / gigabyte) // the SDK's type; a small integer
	m.found[ref] = append(m.found[ref], types.ItemCollectionMetrics{
		ItemCollectionKey:   map[string]types.AttributeValue{hash: item.Get(hash).SDK()},
		SizeEstimateRangeGB: []float64{whole, whole + 1},
	})
}

// metricsOf returns the metrics of a single write, nil for none.
func (t *table) metricsOf(item av.Map, mode types.ReturnItemCollectionMetrics) *types.ItemCollectionMetrics {
	m := metrics{mode: mode}
	m.add(t, t.name, item)
	if len(m.found) == 0 {
		return nil
	}
	return &m.found[t.name][0]
}

// appendCollection appends what the store keys of a collection begin with, in
// the table and in its local indexes alike.
func (s *keySchema) appendCollection(dst []byte, item av.Map) []byte {
	dst = s.appendPartition(dst, item)
	for _, a := range s.hash {
		dst = item.Get(a.Name).AppendKey(dst)
	}
	return dst
}

// collectionBytes adds up a collection.
func (t *table) collectionBytes(l *layout, prefix string) int {
	bytes := t.base.bytesWithin(prefix)
	for _, ix := range l.indexes {
		if ix.local {
			bytes += ix.space.bytesWithin(prefix)
		}
	}
	return bytes
}

func (ks *keyspace) bytesWithin(prefix string) int {
	p := ks.partition(prefix)
	p.mu.RLock()
	defer p.mu.RUnlock()
	bytes := 0
	p.store.walk(keyRange{low: prefix, high: prefixEnd(prefix)}, func(_ string, r *record) bool {
		bytes += r.size
		return true
	})
	return bytes
}
