package ddb

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxNesting is how many lists and maps may lie inside each other below an
// item. Constraints.html#limits-attributes says 32 levels; that the scalar
// inside is one of them is observed.
const maxNesting = 31

// writer makes the attribute values of one item. It keeps those of a kind side
// by side in memory, and the texts of numbers and times as well, which saves
// most of the allocations.
type writer struct {
	s     block[types.AttributeValueMemberS]
	n     block[types.AttributeValueMemberN]
	b     block[types.AttributeValueMemberB]
	bools block[types.AttributeValueMemberBOOL]
	l     block[types.AttributeValueMemberL]
	m     block[types.AttributeValueMemberM]

	texts strings.Builder
	depth int
	// most is at least the size in bytes, as DynamoDB counts it, of all that was
	// written: what is far from the limit need not be measured.
	most int
}

// block is memory for values, which never move: a full block is left to them and
// another begun.
type block[T any] []T

// maxBlock is the size of blocks that were not foreseen.
const maxBlock = 8

func (b *block[T]) reserve(n int) {
	if n > 0 {
		*b = make([]T, 0, n)
	}
}

func (b *block[T]) add(v T) *T {
	if len(*b) == cap(*b) {
		*b = make([]T, 0, min(cap(*b)+1, maxBlock))
	}
	*b = append(*b, v)
	return &(*b)[len(*b)-1]
}

// need is how many values of each kind something makes.
type need struct {
	s, n, b, bools, l, m int
	texts                int // bytes
}

func (n *need) add(o *need, times int) {
	n.s += o.s * times
	n.n += o.n * times
	n.b += o.b * times
	n.bools += o.bools * times
	n.l += o.l * times
	n.m += o.m * times
	n.texts += o.texts * times
}

// Typical lengths of texts.
const (
	textBlock  = 64
	numberText = 8
	timeText   = len(timeLayout)
)

// count adds what values of a codec need.
func (n *need) count(c codec) {
	switch c.descriptor() {
	case "S":
		n.s++
		if _, ok := c.(timeCodec); ok {
			n.texts += timeText
		}
	case "N":
		n.n++
		n.texts += numberText
	case "B":
		n.b++
	case "BOOL":
		n.bools++
	case "L":
		n.l++
	case "M":
		n.m++
	}
	if p, ok := c.(*structPlan); ok {
		n.add(&p.need, 1)
	}
}

// reserve makes room in a new writer.
func (w *writer) reserve(n *need) {
	w.s.reserve(n.s)
	w.n.reserve(n.n)
	w.b.reserve(n.b)
	w.bools.reserve(n.bools)
	w.l.reserve(n.l)
	w.m.reserve(n.m)
	w.texts.Grow(n.texts)
}

// text keeps a text. Those kept before stay as they are: a Builder does not touch
// what it has handed out.
func (w *writer) text(b []byte) string {
	if w.texts.Cap()-w.texts.Len() < len(b) {
		w.texts.Reset()
		w.texts.Grow(max(len(b), textBlock))
	}
	at := w.texts.Len()
	w.texts.Write(b)
	return w.texts.String()[at:]
}

func (w *writer) string(v string) types.AttributeValue {
	w.most += len(v)
	return w.s.add(types.AttributeValueMemberS{Value: v})
}

func (w *writer) number(v string) types.AttributeValue {
	w.most += maxNumberBytes
	return w.n.add(types.AttributeValueMemberN{Value: v})
}

func (w *writer) bool(v bool) types.AttributeValue {
	w.most++
	return w.bools.add(types.AttributeValueMemberBOOL{Value: v})
}

func (w *writer) bytes(v []byte) types.AttributeValue {
	w.most += len(v)
	return w.b.add(types.AttributeValueMemberB{Value: v})
}

// list and mapping count an element as one byte more than it takes, for a NULL that
// nobody has counted.
func (w *writer) list(v []types.AttributeValue) types.AttributeValue {
	w.most += 3 + 2*len(v)
	return w.l.add(types.AttributeValueMemberL{Value: v})
}

func (w *writer) mapping(v map[string]types.AttributeValue) types.AttributeValue {
	w.most += 3 + 2*len(v)
	return w.m.add(types.AttributeValueMemberM{Value: v})
}

// foreign takes a value that was made elsewhere.
func (w *writer) foreign(v types.AttributeValue) types.AttributeValue {
	w.most += valueSize(v)
	return v
}

func (w *writer) int(i int64) string {
	var scratch [20]byte
	return w.text(strconv.AppendInt(scratch[:0], i, 10))
}

func (w *writer) uint(i uint64) string {
	var scratch [20]byte
	return w.text(strconv.AppendUint(scratch[:0], i, 10))
}

// enter counts a level of nesting, of which a value that holds itself has no
// end. leave goes back; after an error nothing is written any more.
func (w *writer) enter(t reflect.Type) error {
	if w.depth++; w.depth > maxNesting+1 {
		return &EncodeError{Type: t, Problem: "is nested more than " + strconv.Itoa(maxNesting) + " levels deep"}
	}
	return nil
}

func (w *writer) leave() { w.depth-- }
