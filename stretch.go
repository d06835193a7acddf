package ddb

import (
	"context"
	"maps"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fetcher makes the calls of one source. from is the position that a call goes on
// behind, nil for the beginning.
type fetcher func(ctx context.Context, from item, size *int32) (reply, error)

// stretch is what one source of a query reads: a partition, a shard of it, or such
// of several buckets, one after another.
type stretch struct {
	spec  *keySpec
	key   values
	shard int // the item's own if negative, as where there are no shards
	in    *dynamodb.QueryInput
	walks bool
	walk  walk
}

// stretches returns what the sources of a query for key read. Without a range that
// runs over buckets that is the partitions that key names.
func (r reader) stretches(e *entity, spec *keySpec, key reflect.Value, order sortCondition, w window) ([]stretch, error) {
	given := valuesOf(key)
	steps, walks, err := spec.walkOver(given, w.lo, w.hi, r.desc, r.maxBuckets)
	if err != nil {
		return nil, err
	}
	first := given
	if walks {
		first = steps.values(given, steps.first)
	}
	var out []stretch
	for _, shard := range spec.shardsFor(given) {
		pk, err := spec.partition(first, shard)
		if err != nil {
			return nil, err
		}
		in := queryInput(e.table, spec, pk, order)
		in.ReturnConsumedCapacity = r.capacity
		if r.desc {
			in.ScanIndexForward = aws.Bool(false)
		}
		if r.strong {
			in.ConsistentRead = aws.Bool(true)
		}
		out = append(out, stretch{spec: spec, key: given, shard: shard, in: in, walks: walks, walk: steps})
	}
	return out, nil
}

// fetcher returns what makes the calls of a stretch.
func (s stretch) fetcher(at site, e edits[dynamodb.QueryInput]) fetcher {
	if !s.walks {
		return querySource(at, s.in, e)
	}
	return func(ctx context.Context, from item, size *int32) (reply, error) {
		t, begun, err := s.bucket(from)
		if err != nil {
			return reply{}, at.fail(err)
		}
		in, err := s.input(t)
		if err != nil {
			return reply{}, at.fail(err)
		}
		if !begun {
			from = nil
		}
		out, err := querySource(at, in, e)(ctx, from, size)
		if err != nil || len(out.last) > 0 {
			return out, err
		}
		out.left = true
		if next, more := s.walk.next(t); more {
			out.last, err = s.beginning(next)
		}
		return out, at.fail(err)
	}
}

// input returns the input of the query for one bucket.
func (s stretch) input(t time.Time) (*dynamodb.QueryInput, error) {
	pk, err := s.spec.partition(s.walk.values(s.key, t), s.shard)
	if err != nil {
		return nil, err
	}
	in := *s.in
	in.ExpressionAttributeValues = maps.Clone(in.ExpressionAttributeValues)
	for i, av := range pk {
		in.ExpressionAttributeValues[partitionPlaceholders[i].value] = av
	}
	return &in, nil
}

// beginning is the position before all items of a bucket. No item has it, since
// key attributes cannot be empty.
func (s stretch) beginning(t time.Time) (item, error) {
	at := make(item)
	for _, k := range s.spec.position {
		for _, c := range k.columns() {
			at[c.attr] = nothing(c.kind)
		}
	}
	pk, err := s.spec.partition(s.walk.values(s.key, t), s.shard)
	for i, av := range pk {
		at[s.spec.pk[i].attr] = av
	}
	return at, err
}

func nothing(kind types.ScalarAttributeType) types.AttributeValue {
	switch kind {
	case types.ScalarAttributeTypeN:
		return &types.AttributeValueMemberN{}
	case types.ScalarAttributeTypeB:
		return &types.AttributeValueMemberB{}
	}
	return text("")
}

// bucket returns the bucket of a position, and whether the position lies behind an
// item of it. A position that a caller made up is refused.
func (s stretch) bucket(from item) (t time.Time, begun bool, err error) {
	if from == nil {
		return s.walk.first, false, nil
	}
	t, ok := s.spec.timeIn(from, s.walk.field)
	if t = s.walk.unit.floor(t); !ok || s.walk.outside(t) {
		return t, false, errDamaged
	}
	at, err := s.beginning(t)
	if err != nil {
		return t, false, err
	}
	for _, c := range s.spec.pk {
		if compareKeys(at[c.attr], from[c.attr]) != 0 {
			return t, false, errDamaged
		}
	}
	sk := s.spec.sk[0].attr
	return t, compareKeys(at[sk], from[sk]) != 0, nil
}

// timeIn reads a time back from the partition key of a position.
func (s *keySpec) timeIn(at item, f *field) (time.Time, bool) {
	for _, c := range s.pk {
		key, ok := at[c.attr].(*types.AttributeValueMemberS)
		if !ok || c.plain != nil || c.template.part(f) == nil {
			continue
		}
		texts, _, err := c.template.split(key.Value)
		if err != nil {
			return time.Time{}, false
		}
		v := reflect.New(timeType).Elem()
		if c.template.decode(f, texts, v) != nil {
			return time.Time{}, false
		}
		return v.Interface().(time.Time), true
	}
	return time.Time{}, false
}
