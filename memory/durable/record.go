package durable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/internal/av"
)

// A record is one change in binary form: its version, then tables, items and
// tokens, each list after its length. Lengths and counts are unsigned varints, a
// text is its length and its bytes. In the second version streams and their
// records follow; what has neither is written in the first.
const (
	versionPlain    = 1
	versionStreamed = 2
)

// Marks of values, one for each kind; a BOOL has one for either truth.
const (
	markS     = 'S'
	markN     = 'N' // the canonical text
	markB     = 'B'
	markSS    = 's'
	markNS    = 'n'
	markBS    = 'b'
	markM     = 'M'
	markL     = 'L'
	markTrue  = 'T'
	markFalse = 'F'
	markNull  = '0'
)

// appendChange appends the record of a change.
func appendChange(dst []byte, c *memory.Change) []byte {
	streamed := len(c.Streams) > 0 || len(c.Records) > 0
	if streamed {
		dst = append(dst, versionStreamed)
	} else {
		dst = append(dst, versionPlain)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.Tables)))
	for _, t := range c.Tables {
		dst = binary.AppendUvarint(dst, t.Number)
		dst = appendBool(dst, t.Settings != nil)
		dst = appendText(dst, string(t.Settings))
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.Items)))
	for i := range c.Items {
		dst = binary.AppendUvarint(dst, c.Items[i].Table)
		dst = appendBool(dst, c.Items[i].Gone)
		dst = appendMap(dst, c.Items[i].Item)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.Tokens)))
	for i := range c.Tokens {
		dst = appendToken(dst, &c.Tokens[i])
	}
	if streamed {
		dst = appendStreams(dst, c)
	}
	return dst
}

func appendToken(dst []byte, t *memory.TokenChange) []byte {
	dst = appendText(dst, t.Token)
	dst = append(dst, t.Request[:]...)
	dst = binary.AppendVarint(dst, t.Done.UnixNano())
	dst = binary.AppendUvarint(dst, uint64(len(t.Reads)))
	for _, r := range t.Reads {
		dst = appendText(dst, r.Table)
		dst = binary.AppendVarint(dst, int64(r.HalfUnits))
	}
	return dst
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendMap(dst []byte, m av.Map) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(m)))
	for _, a := range m {
		dst = appendText(dst, a.Name)
		dst = appendValue(dst, a.Value)
	}
	return dst
}

func appendValue(dst []byte, v av.Value) []byte {
	switch v.Kind() {
	case av.S:
		return appendText(append(dst, markS), v.Text())
	case av.N:
		return appendText(append(dst, markN), v.Text())
	case av.B:
		return appendText(append(dst, markB), v.Text())
	case av.SS:
		return appendSet(append(dst, markSS), v)
	case av.NS:
		return appendSet(append(dst, markNS), v)
	case av.BS:
		return appendSet(append(dst, markBS), v)
	case av.M:
		return appendMap(append(dst, markM), v.Map())
	case av.L:
		dst = binary.AppendUvarint(append(dst, markL), uint64(len(v.List())))
		for _, e := range v.List() {
			dst = appendValue(dst, e)
		}
		return dst
	case av.BOOL:
		if v.Truth() {
			return append(dst, markTrue)
		}
		return append(dst, markFalse)
	default: // NULL; stored items have no other
		return append(dst, markNull)
	}
}

func appendSet(dst []byte, v av.Value) []byte {
	members := v.Members()
	dst = binary.AppendUvarint(dst, uint64(len(members)))
	for _, m := range members {
		dst = appendText(dst, m.Text())
	}
	return dst
}

// A decoder reads records. It never panics and never allocates much more than
// the record is long, whatever it is given. Names of attributes that return often
// share their memory.
type decoder struct {
	names map[string]string
	rest  []byte
	err   error // the first
}

// sharedNames bounds what a decoder remembers.
const (
	sharedNames     = 4096
	sharedNameBytes = 64
)

// maxDepth is more than the levels of any item that the engine stores.
const maxDepth = 100

var errCutOff = errors.New("the record is cut off")

// change returns the change of a record. It shares no memory with the record.
func (d *decoder) change(record []byte) (memory.Change, error) {
	d.rest, d.err = record, nil
	version := d.byte()
	if d.err == nil && version != versionPlain && version != versionStreamed {
		d.err = fmt.Errorf("a record of version %d; this program reads versions %d and %d", version, versionPlain, versionStreamed)
	}
	c := memory.Change{Tables: list(d, d.table), Items: list(d, d.item), Tokens: list(d, d.token)}
	if version == versionStreamed {
		c.Streams, c.Records = list(d, d.stream), list(d, d.streamRecord)
	}
	if d.err == nil && len(d.rest) > 0 {
		d.err = fmt.Errorf("%d bytes more than the record needs", len(d.rest))
	}
	if d.err != nil {
		return memory.Change{}, d.err
	}
	return c, nil
}

func (d *decoder) table() memory.TableChange {
	t := memory.TableChange{Number: d.uvarint()}
	has, settings := d.bool(), d.bytes()
	if has {
		t.Settings = append([]byte{}, settings...)
	}
	return t
}

func (d *decoder) item() memory.ItemChange {
	return memory.ItemChange{Table: d.uvarint(), Gone: d.bool(), Item: d.attributes(0)}
}

func (d *decoder) token() memory.TokenChange {
	t := memory.TokenChange{Token: d.text()}
	copy(t.Request[:], d.take(uint64(len(t.Request))))
	t.Done = time.Unix(0, d.varint())
	t.Reads = list(d, func() memory.TokenRead { return memory.TokenRead{Table: d.text(), HalfUnits: int(d.varint())} })
	return t
}

// attributes reads a map, whose names must ascend.
func (d *decoder) attributes(depth int) av.Map {
	m := list(d, func() av.Attr { return av.Attr{Name: d.name(), Value: d.value(depth + 1)} })
	for i := 1; i < len(m); i++ {
		if m[i-1].Name >= m[i].Name {
			d.fail(errors.New("attributes are not in order"))
		}
	}
	return m
}

func (d *decoder) value(depth int) av.Value {
	if depth > maxDepth {
		d.fail(errors.New("values are nested too deeply"))
	}
	switch mark := d.byte(); mark {
	case markS:
		return av.String(d.text())
	case markN:
		return av.Num(d.number())
	case markB:
		return av.Binary(d.text())
	case markSS:
		return d.set(&types.AttributeValueMemberSS{Value: list(d, d.text)})
	case markNS:
		return d.set(&types.AttributeValueMemberNS{Value: list(d, d.text)})
	case markBS:
		return d.set(&types.AttributeValueMemberBS{Value: list(d, d.bytes)})
	case markM:
		return av.MapOf(d.attributes(depth))
	case markL:
		return av.List(list(d, func() av.Value { return d.value(depth + 1) }))
	case markTrue, markFalse:
		return av.Bool(mark == markTrue)
	case markNull:
		return av.Null()
	default:
		d.fail(fmt.Errorf("a value with the mark %#x", mark))
		return av.Value{}
	}
}

func (d *decoder) number() av.Number {
	text := d.text()
	if d.err != nil {
		return av.Number{}
	}
	n, err := av.ParseNumber(text)
	if err == nil && n.String() != text {
		err = errors.New("a number that is not in canonical form")
	}
	d.fail(err)
	return n
}

// set leaves it to the engine to check a set and to put it in order.
func (d *decoder) set(v types.AttributeValue) av.Value {
	if d.err != nil {
		return av.Value{}
	}
	set, err := av.FromSDK(v)
	d.fail(err)
	return set
}

// listed bounds the room that is made for a list before its elements are seen.
const listed = 256

// list reads a list, of which nothing counts once an element fails.
func list[T any](d *decoder, read func() T) []T {
	n := d.count()
	if n == 0 {
		return nil
	}
	out := make([]T, 0, min(n, listed))
	for range n {
		v := read()
		if d.err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// name reads the name of an attribute.
func (d *decoder) name() string {
	b := d.bytes()
	if shared, ok := d.names[string(b)]; ok {
		return shared
	}
	name := string(b)
	if len(d.names) < sharedNames && len(name) <= sharedNameBytes {
		if d.names == nil {
			d.names = make(map[string]string)
		}
		d.names[name] = name
	}
	return name
}

func (d *decoder) text() string { return string(d.bytes()) }

// bytes reads a text without copying it.
func (d *decoder) bytes() []byte { return d.take(d.uvarint()) }

// count reads the length of a list, whose elements take a byte each at least.
func (d *decoder) count() int {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.fail(errCutOff)
		return 0
	}
	return int(n)
}

func (d *decoder) bool() bool { return d.byte() != 0 }

func (d *decoder) byte() byte {
	if b := d.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (d *decoder) take(n uint64) []byte {
	if d.err != nil || n > uint64(len(d.rest)) {
		d.fail(errCutOff)
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	return integer(d, v, n)
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	return integer(d, v, n)
}

// integer takes n bytes that were read as v; n is not positive if they were none.
func integer[T int64 | uint64](d *decoder, v T, n int) T {
	if d.err != nil || n <= 0 {
		d.fail(errCutOff)
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}
