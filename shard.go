package ddb

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

// Write sharding spreads one partition key over several: the placeholder
// {shard:10} in a partition key template stands for a digit 0 to 9 that depends
// on the item. Writes of one key then go to ten partitions, and queries read
// all ten at once and merge them in sort order.

// maxShards bounds what one query has to read.
const maxShards = 1000

// shardSpec is the placeholder {shard:N} or {shard:N,by=A+B}.
type shardSpec struct {
	n  int
	by []*field // what the shard depends on; all of the item's own key if not named
	// named says that by was written out, so that a query which gives those
	// fields reads one shard.
	named bool
}

func newShardSpec(spec string, plan *structPlan) (*shardSpec, error) {
	count, by, named := strings.Cut(spec, ",by=")
	n, err := strconv.Atoi(count)
	if err != nil || n < 2 || n > maxShards {
		return nil, fmt.Errorf("must say how many shards there are, 2 to %d, as in {shard:10} or {shard:10,by=UserID}", maxShards)
	}
	s := &shardSpec{n: n, named: named}
	if !named {
		return s, nil
	}
	for name := range strings.SplitSeq(by, "+") {
		f := plan.byName[name]
		if f == nil {
			return nil, fmt.Errorf("spreads by %s, but %s has no such field%s", name, plan.typ, nearest(name, plan))
		}
		s.by = append(s.by, f)
	}
	return s, nil
}

// pick returns the shard of an item: the first eight bytes of the SHA-256 of the
// fields' texts, modulo the number of shards. It depends on nothing else, so
// that an item is found again, on any machine; simpler hashes spread keys that
// differ in one digit badly.
func (s *shardSpec) pick(value values) int {
	var texts []byte
	for _, f := range s.by {
		texts = append(append(texts, hashText(value(f))...), 0)
	}
	sum := sha256.Sum256(texts)
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(s.n))
}

// hashText is a text that differs where the values differ.
func hashText(v reflect.Value) string {
	if t, ok := v.Interface().(time.Time); ok {
		return t.UTC().Format(timeLayout)
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := m.MarshalText(); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v.Interface())
}

// shards returns the placeholder of the key's partition template, or nil.
func (s *keySpec) shards() *shardSpec {
	if s.pk.template == nil {
		return nil
	}
	for _, p := range s.pk.template.parts {
		if p.shard != nil {
			return p.shard
		}
	}
	return nil
}

// spreadBy completes the placeholders that do not say what they depend on: it
// is the item's own key, beside what all items of the partition share.
func (e *entity) spreadBy() {
	for _, s := range e.specs() {
		spec := s.shards()
		if spec == nil || spec.named {
			continue
		}
		for _, c := range e.primary.columns() {
			for _, f := range c.fields() {
				shared := s.pk.template.part(f) // by all items of the partition
				if (shared == nil || !shared.format.lossless()) && !slices.Contains(spec.by, f) {
					spec.by = append(spec.by, f)
				}
			}
		}
	}
}

// partitions returns the partition keys that a query for key must read: one, or
// one for each shard.
func (s *keySpec) partitions(key reflect.Value) ([]types.AttributeValue, error) {
	spec := s.shards()
	if spec == nil || spec.named && spec.given(key) {
		pk, err := s.partition(valuesOf(key), -1)
		return []types.AttributeValue{pk}, err
	}
	out := make([]types.AttributeValue, spec.n)
	for i := range out {
		pk, err := s.partition(valuesOf(key), i)
		if err != nil {
			return nil, err
		}
		out[i] = pk
	}
	return out, nil
}

func (s *shardSpec) given(key reflect.Value) bool {
	for _, f := range s.by {
		if f.value(key).IsZero() {
			return false
		}
	}
	return true
}

// inParallel bounds how many partitions are read at once.
const inParallel = 32

// atOnce does something with each source, or what reads it, all at once. The
// first error cancels the rest.
func atOnce[S any](ctx context.Context, sources []S, do func(context.Context, S) error) error {
	if len(sources) == 1 {
		return do(ctx, sources[0])
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(inParallel)
	for _, s := range sources {
		g.Go(func() error { return do(ctx, s) })
	}
	return g.Wait()
}
