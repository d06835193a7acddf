package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// Reading is one of many that share a partition key, which is spread over ten
// shards.
type Reading struct {
	_      ddb.Entity `name:"Reading" pk:"DAY#{Day}#{shard:10}" sk:"{Seq:012}"`
	Day    string
	Seq    int
	Device string
	Value  float64
}

const (
	shards   = 10
	perShard = 100
	latency  = 5 * time.Millisecond
)

// slow answers each query after the latency with the readings of its shard.
type slow struct {
	ddb.Backend
	pages map[string]*dynamodb.QueryOutput // by partition key
}

func newSlow() *slow {
	s := &slow{pages: make(map[string]*dynamodb.QueryOutput)}
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	for shard := range shards {
		pk := fmt.Sprintf("DAY#2024-05-20#%d", shard)
		page := &dynamodb.QueryOutput{Count: perShard, ScannedCount: perShard}
		for n := range perShard {
			seq := n*shards + shard
			page.Items = append(page.Items, item{
				"PK": text(pk), "SK": text(fmt.Sprintf("%012d", seq)), "EntityType": text("Reading"),
				"Day": text("2024-05-20"), "Seq": &types.AttributeValueMemberN{Value: fmt.Sprint(seq)},
				"Device": text("thermometer"), "Value": &types.AttributeValueMemberN{Value: "21.5"},
			})
		}
		s.pages[pk] = page
	}
	return s
}

func (s *slow) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	select {
	case <-time.After(latency):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	pk, ok := in.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS)
	if !ok || s.pages[pk.Value] == nil {
		return nil, fmt.Errorf("no such partition: %v", in.ExpressionAttributeValues)
	}
	return s.pages[pk.Value], nil
}

// BenchmarkShardedRead reads ten shards of a hundred readings each, where every call
// takes 5 ms, and one call alone. It is the one benchmark of time on the clock:
// x-call is how many times that of the call the whole read takes.
func BenchmarkShardedRead(b *testing.B) {
	backend := newSlow()
	table := ddb.NewTable("Readings", backend)
	readings := ddb.Define[Reading](table)
	if err := table.Err(); err != nil {
		b.Fatal(err)
	}
	in, err := readings.Query(Reading{Day: "2024-05-20"}).Input()
	if err != nil {
		b.Fatal(err)
	}
	var call time.Duration
	b.Run("impl=call", func(b *testing.B) {
		for b.Loop() {
			if _, err := backend.Query(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
		call = b.Elapsed() / time.Duration(b.N)
	})
	b.Run("impl=ddb", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			next := 0
			for r, err := range readings.Query(Reading{Day: "2024-05-20"}).All(b.Context()) {
				if err != nil || r.Seq != next {
					b.Fatal(r, err)
				}
				next++
			}
			if next != shards*perShard {
				b.Fatalf("%d readings", next)
			}
		}
		if call > 0 {
			b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N))/float64(call), "x-call")
		}
	})
}
