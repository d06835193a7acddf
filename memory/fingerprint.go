package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// A fingerprint tells requests apart by what they mean: the order of maps and
// sets and the way a number is written do not matter.
type fingerprint [sha256.Size]byte

// printer makes a fingerprint. Every text goes in with its length, so that no
// two sequences of texts look alike.
type printer struct{ h hash.Hash }

func newPrinter() printer { return printer{sha256.New()} }

func (p printer) sum() (f fingerprint) {
	p.h.Sum(f[:0])
	return f
}

func (p printer) count(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	p.h.Write(b[:])
}

func (p printer) text(s string) {
	p.count(len(s))
	p.h.Write([]byte(s))
}

// optional tells an absent text from an empty one.
func (p printer) optional(s *string) {
	if s == nil {
		p.count(0)
		return
	}
	p.count(1)
	p.text(*s)
}

func (p printer) names(m map[string]string) {
	p.count(len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		p.text(k)
		p.text(m[k])
	}
}

func (p printer) attributes(m av.Map) {
	p.count(len(m))
	for _, a := range m {
		p.text(a.Name)
		p.value(a.Value)
	}
}

func (p printer) value(v av.Value) {
	p.count(int(v.Kind()))
	p.text(v.Text())
	if v.Truth() {
		p.count(1)
	}
	p.count(len(v.List()))
	for _, e := range v.List() {
		p.value(e)
	}
	p.count(len(v.Members()))
	for _, m := range v.Members() {
		p.text(m.Text())
	}
	p.attributes(v.Map())
}
