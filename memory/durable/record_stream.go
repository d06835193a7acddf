package durable

import (
	"encoding/binary"

	"github.com/seed530093c6/ddb/memory"
)

// Bits of the byte that says what a record of a stream holds, above those of its
// kind.
const (
	kindBits   = 1<<2 - 1
	bitExpired = 1 << 2
	bitOld     = 1 << 3
	bitNew     = 1 << 4
)

// appendStreams appends what the second version has beyond the first.
func appendStreams(dst []byte, c *memory.Change) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(c.Streams)))
	for _, s := range c.Streams {
		dst = binary.AppendUvarint(dst, s.Number)
		dst = appendText(dst, string(s.Settings))
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.Records)))
	for i := range c.Records {
		dst = appendStreamRecord(dst, &c.Records[i])
	}
	return dst
}

func appendStreamRecord(dst []byte, r *memory.RecordChange) []byte {
	dst = binary.AppendUvarint(dst, r.Stream)
	dst = binary.AppendUvarint(dst, r.Sequence)
	holds := byte(r.Kind) & kindBits
	if r.Expired {
		holds |= bitExpired
	}
	if r.Old != nil {
		holds |= bitOld
	}
	if r.New != nil {
		holds |= bitNew
	}
	dst = append(dst, holds)
	dst = appendMap(dst, r.Keys)
	if r.Old != nil {
		dst = appendMap(dst, r.Old)
	}
	if r.New != nil {
		dst = appendMap(dst, r.New)
	}
	return dst
}

func (d *decoder) stream() memory.StreamChange {
	return memory.StreamChange{Number: d.uvarint(), Settings: append([]byte{}, d.bytes()...)}
}

func (d *decoder) streamRecord() memory.RecordChange {
	r := memory.RecordChange{Stream: d.uvarint(), Sequence: d.uvarint()}
	holds := d.byte()
	r.Kind, r.Expired = memory.RecordKind(holds&kindBits), holds&bitExpired != 0
	r.Keys = d.attributes(0)
	if holds&bitOld != 0 {
		r.Old = d.attributes(0)
	}
	if holds&bitNew != 0 {
		r.New = d.attributes(0)
	}
	return r
}
