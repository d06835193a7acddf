package ddb

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Write sharding spreads one partition key over several: the placeholder
// {shard:10} in a partition key template stands for a digit 0 to 9 that depends
// on the item. Writes of one key then go to ten partitions, and queries read
// all ten at once and merge them in sort order.
//
// Which shard an item is in follows from its fields (by), so that point
// operations find it, or is drawn when it is written (random) and kept in a field.
// While the number of shards changes (also), items lie by several numbers; see
// places.go.

// maxShards bounds what one query has to read.
const maxShards = 1000

// shardSpec is the placeholder {shard:N}, with options behind commas.
type shardSpec struct {
	n    int
	also []int     // further numbers of shards by which items may lie
	by   []shardBy // what the shard depends on; all of the item's own key if not named
	// named says that by was written out, so that a query which gives those
	// fields reads one shard.
	named bool
	// chosen is the field that keeps the number of a shard drawn at random. It
	// then is all that by holds.
	chosen *field
}

// shardBy is a field that a shard depends on. What the primary key holds of it in
// part only, such as a string in lower case, counts as the key holds it: whoever
// looks for the item gives no more than that.
type shardBy struct {
	*field
	parts []*keyPart
}

const shardHelp = `as in {shard:10}, {shard:10,by=UserID}, {shard:10,random=Shard} or {shard:20,also=10}`

// shardWords are the options of the placeholder.
var shardWords = []string{"by", "random", "also"}

func newShardSpec(spec string, plan *structPlan) (*shardSpec, error) {
	words := strings.Split(spec, ",")
	n, err := shardCount(words[0])
	if err != nil {
		return nil, err
	}
	s := &shardSpec{n: n}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case (name == "by" || name == "random") && s.named:
			err = errors.New("says twice what the shard depends on")
		case name == "by":
			err = s.spreadOver(value, plan)
		case name == "random":
			err = s.keepIn(value, plan)
		case name == "also":
			err = s.countAlso(value)
		default:
			err = fmt.Errorf("has an unknown option %q; write it %s", word, shardHelp)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func shardCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 || n > maxShards || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("must say how many shards there are, 2 to %d, %s", maxShards, shardHelp)
	}
	return n, nil
}

func (s *shardSpec) spreadOver(names string, plan *structPlan) error {
	s.named = true
	for name := range strings.SplitSeq(names, "+") {
		f := plan.byName[name]
		if f == nil {
			return fmt.Errorf("spreads by %s, but %s has no such field%s", name, plan.typ, nearest(name, plan))
		}
		s.by = append(s.by, shardBy{field: f})
	}
	return nil
}

// countAlso takes down further numbers of shards.
func (s *shardSpec) countAlso(counts string) error {
	for text := range strings.SplitSeq(counts, "+") {
		n, err := shardCount(text)
		switch {
		case err != nil:
			return fmt.Errorf("has the option also=%s, which %w", counts, err)
		case n == s.n || slices.Contains(s.also, n):
			return fmt.Errorf("says the number of shards %d twice", n)
		}
		s.also = append(s.also, n)
	}
	return nil
}

// most returns how many shards there are by the greatest of the numbers.
func (s *shardSpec) most() int { return max(s.n, slices.Max(append(s.also, 0))) }

func (s *shardSpec) keepIn(name string, plan *structPlan) error {
	f := plan.byName[name]
	switch {
	case f == nil:
		return fmt.Errorf("keeps its number in the field %q, but %s has no such field%s", name, plan.typ, nearest(name, plan))
	case f.typ.Kind() != reflect.String || writesText(f.typ):
		return fmt.Errorf("keeps its number in %s, a %s; use a string, which is empty until the shard is drawn", name, f.typ)
	}
	s.named, s.chosen, s.by = true, f, []shardBy{{field: f}}
	return nil
}

// fields returns what the shard depends on.
func (s *shardSpec) fields() []*field {
	out := make([]*field, len(s.by))
	for i, b := range s.by {
		out[i] = b.field
	}
	return out
}

// pick returns the shard of an item: the one that was drawn, or else the first
// eight bytes of the SHA-256 of the fields' texts, modulo the number of shards. It
// depends on nothing else, so that an item is found again, on any machine;
// simpler hashes spread keys that differ in one digit badly.
func (s *shardSpec) pick(value values) (int, *partError) {
	if s.chosen != nil {
		return s.drawn(value(s.chosen).String())
	}
	return s.hashed(value, s.n), nil
}

// hashed returns the shard that an item has by a number of shards.
func (s *shardSpec) hashed(value values, n int) int {
	var texts []byte
	for _, b := range s.by {
		for _, text := range b.texts(value(b.field)) {
			texts = append(append(texts, text...), 0)
		}
	}
	sum := sha256.Sum256(texts)
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(n))
}

// drawn reads the number of a shard drawn at random.
func (s *shardSpec) drawn(text string) (int, *partError) {
	if text == "" {
		return 0, &partError{s.chosen, errors.New("is empty; give the shard that the loaded item has, or query without it")}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= s.most() || strconv.Itoa(n) != text {
		return 0, &partError{s.chosen, fmt.Errorf("is none of the shards 0 to %d", s.most()-1)}
	}
	return n, nil
}

// texts returns what a field puts into the hash.
func (b shardBy) texts(v reflect.Value) []string {
	if len(b.parts) == 0 {
		return []string{hashText(v)}
	}
	out := make([]string, len(b.parts))
	for i, p := range b.parts {
		out[i], _ = p.format.encode(v) // the key itself reports the error
	}
	return out
}

// hashText is a text that differs where the values differ.
func hashText(v reflect.Value) string {
	if t, ok := v.Interface().(time.Time); ok {
		return t.UTC().Format(timeLayout)
	}
	if writesText(v.Type()) {
		if text, err := pointerTo(v).(encoding.TextMarshaler).MarshalText(); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v.Interface())
}

// shards returns the placeholder of the key's partition template, or nil.
func (s *keySpec) shards() *shardSpec {
	for _, c := range s.pk {
		if spec := c.shards(); spec != nil {
			return spec
		}
	}
	return nil
}

func (c *keyColumn) shards() *shardSpec {
	if c.template == nil {
		return nil
	}
	for _, p := range c.template.parts {
		if p.shard != nil {
			return p.shard
		}
	}
	return nil
}

// spreadBy completes the placeholders: one that does not say what it depends on
// goes by the item's own key, beside what all items of the partition share.
func (e *entity) spreadBy(fault func(tag, problem string)) {
	kept := make(map[*field]*shardSpec)
	for _, s := range e.specs {
		spec := s.shards()
		if spec == nil {
			continue
		}
		if f := spec.chosen; f != nil {
			if o := kept[f]; o != nil && (o.n != spec.n || !slices.Equal(o.also, spec.also)) {
				fault(f.name, fmt.Sprintf("keeps the shard of keys with %s and with %s shards; give each a field of its own", o.counts(), spec.counts()))
			}
			kept[f] = spec
		}
		if !spec.named {
			spec.by = e.ownKey(s)
		}
		for i, b := range spec.by {
			spec.by[i].parts = e.partial(b.field)
		}
		for _, c := range s.pk {
			if c.shards() == spec {
				c.template.findNeeds()
			}
		}
	}
}

// ownKey returns the fields of the primary key that tell the items of one
// partition of a key apart.
func (e *entity) ownKey(s *keySpec) []shardBy {
	var out []shardBy
	for _, c := range e.primary.columns() {
		for _, f := range c.fields() {
			seen := slices.ContainsFunc(out, func(b shardBy) bool { return b.field == f })
			if !s.namesPartition(f) && !seen {
				out = append(out, shardBy{field: f})
			}
		}
	}
	return out
}

// partial returns the parts of the primary key that hold something of the field,
// if none holds its very value.
func (e *entity) partial(f *field) []*keyPart {
	if e.primary.tells(f) {
		return nil
	}
	var out []*keyPart
	for _, c := range e.primary.columns() {
		if c.plain != nil {
			continue
		}
		for _, p := range c.template.fields {
			if p.field == f {
				out = append(out, p)
			}
		}
	}
	return out
}

// drawShards draws the shards of an item about to be written that has none yet,
// and notes them in the caller's value at once: writing it again, because the
// first reply was lost, must not make a second item elsewhere.
func (e *entity) drawShards(caller reflect.Value) {
	for _, s := range e.specs {
		if spec := s.shards(); spec != nil && spec.chosen != nil && spec.chosen.value(caller).String() == "" {
			settable(caller, spec.chosen).SetString(strconv.Itoa(mathrand.IntN(spec.n)))
		}
	}
}

// readShard fills the field that keeps the shard of the primary key from the key
// of an item that has the attribute not, because another program wrote it.
func (e *entity) readShard(item item, v reflect.Value) {
	spec := e.primary.shards()
	if spec == nil || spec.chosen == nil || spec.chosen.value(v).String() != "" {
		return
	}
	for _, c := range e.primary.pk {
		if text, ok := item[c.attr].(*types.AttributeValueMemberS); ok && c.template != nil {
			if _, shard, err := c.template.split(text.Value); err == nil {
				settable(v, spec.chosen).SetString(strconv.Itoa(shard))
			}
		}
	}
}

// namesPartition reports whether all items of a partition share the field's
// value.
func (s *keySpec) namesPartition(f *field) bool {
	return slices.ContainsFunc(s.pk, func(c *keyColumn) bool { return c.tells(f) })
}

// ownShard is the shard that the item's own fields say.
var ownShard = []int{-1}

// shardsFor returns the shards that a query for key must read: all, or those that
// the fields given in key decide, which is one unless there are several numbers of
// shards. The item's own is negative, as where there are none.
func (s *keySpec) shardsFor(key values) []int {
	spec := s.shards()
	switch {
	case spec == nil:
		return ownShard
	case spec.named && spec.given(key):
		return spec.candidates(key)
	}
	out := make([]int, spec.most())
	for i := range out {
		out[i] = i
	}
	return out
}

func (s *shardSpec) given(key values) bool {
	for _, b := range s.by {
		if key(b.field).IsZero() {
			return false
		}
	}
	return true
}
