package memory

import (
	"crypto/md5"
	"encoding/binary"
	"math/bits"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// hashBytes is how many bytes of the digest begin each store key.
const hashBytes = 8

// minKey is not above any store key; maxKey is above every store key whose digest
// is not all ones.
const (
	minKey = "\x00\x00\x00\x00\x00\x00\x00\x00"
	maxKey = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
)

// appendHash appends the position of a partition key in hash space. Of several
// attributes, as an index may have, the inputs follow each other. The digest is
// the one whose order Scan results of the service show (observed).
func appendHash(dst []byte, partitionKey ...av.Value) []byte {
	var buf [96]byte
	input := append(buf[:0], "Outliers"...)
	for _, v := range partitionKey {
		input = v.AppendHashInput(input)
	}
	sum := md5.Sum(input)
	return append(dst, sum[:hashBytes]...)
}

// hashOf returns the position in hash space with which a store key begins.
func hashOf(key string) uint64 {
	return binary.BigEndian.Uint64([]byte(key[:hashBytes]))
}

// keyspace is the whole hash space of a table or index, cut into partitions of
// equal size in ascending order.
type keyspace struct {
	partitions []*partition
	traffic    *traffic // nil unless somebody watches
}

func newKeyspace(n int, ordinal func() uint64) *keyspace {
	ks := &keyspace{partitions: make([]*partition, n)}
	for i := range ks.partitions {
		ks.partitions[i] = &partition{ordinal: ordinal()}
	}
	return ks
}

// route returns the position of the partition that a store key belongs to.
func (ks *keyspace) route(key string) int { return routeTo(key, len(ks.partitions)) }

// routeTo returns to which of n equal parts of hash space a store key belongs.
func routeTo(key string, n int) int {
	hi, _ := bits.Mul64(hashOf(key), uint64(n))
	return int(hi)
}

func (ks *keyspace) partition(key string) *partition { return ks.partitions[ks.route(key)] }

// totals returns the number and the bytes of all records, one partition after
// the other.
func (ks *keyspace) totals() (count, bytes int) {
	for _, p := range ks.partitions {
		p.mu.RLock()
		count += p.store.len()
		bytes += p.bytes
		p.mu.RUnlock()
	}
	return count, bytes
}

// slots is into how many parts a parallel Scan divides hash space before it
// deals them out to segments (observed): the first three hex digits of a digest.
const slots = 4096

// segmentRange returns the store keys of one segment of a parallel Scan: those
// in slots ⌈slots·segment/total⌉ to ⌈slots·(segment+1)/total⌉, without the last.
func segmentRange(segment, total int) keyRange {
	edge := func(s int) string {
		slot := (slots*s + total - 1) / total
		if slot == slots {
			return maxKey
		}
		return string(binary.BigEndian.AppendUint64(nil, uint64(slot)<<52))
	}
	return keyRange{low: edge(segment), high: edge(segment + 1)}
}
