package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// A fingerprint tells requests apart by what they mean: the order of maps and
// sets and the way a number is written do not matter.
type fingerprint [sha256.Size]byte

// printer makes a fingerprint. Every text goes in with its length, so that no
// two sequences of texts look alike.
type printer struct{ buf []byte }

func (p *printer) sum() fingerprint { return sha256.Sum256(p.buf) }

func (p *printer) count(n int) { p.buf = binary.BigEndian.AppendUint64(p.buf, uint64(n)) }

func (p *printer) text(s string) {
	p.count(len(s))
	p.buf = append(p.buf, s...)
}

// optional tells an absent text from an empty one.
func (p *printer) optional(s *string) {
	if s == nil {
		p.count(0)
		return
	}
	p.count(1)
	p.text(*s)
}

func (p *printer) names(m map[string]string) {
	p.count(len(m))
	var room [8]string
	keys := slices.AppendSeq(room[:0], maps.Keys(m))
	slices.Sort(keys)
	for _, k := range keys {
		p.text(k)
		p.text(m[k])
	}
}

func (p *printer) attributes(m av.Map) {
	p.count(len(m))
	for _, a := range m {
		p.text(a.Name)
		p.value(a.Value)
	}
}

func (p *printer) value(v av.Value) {
	p.count(int(v.Kind()))
	p.text(v.Text())
	if v.Truth() {
		p.count(1)
	}
	p.count(len(v.List()))
	for _, e := range v.List() {
		p.value(e)
	}
	p.count(len(v.Texts()))
	for _, m := range v.Texts() {
		p.text(m)
	}
	p.attributes(v.Map())
}
