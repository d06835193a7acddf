package ddb

import (
	"container/heap"
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/internal/versus"
)

// fixedShard is a backend with one page of items in each of ten partitions.
type fixedShard struct {
	Backend
	pages map[string]*dynamodb.QueryOutput
}

func (f *fixedShard) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return f.pages[in.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS).Value], nil
}

// front is a slice of items that is being merged with others.
type front struct {
	items []item
	key   string // sort key of the first
}

type fronts []front

func (h fronts) Len() int           { return len(h) }
func (h fronts) Less(i, j int) bool { return h[i].key < h[j].key }
func (h fronts) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *fronts) Push(x any)        { *h = append(*h, x.(front)) }
func (h *fronts) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

func sortKeyOf(it item) string { return it["SK"].(*types.AttributeValueMemberS).Value }

// BenchmarkMerge merges ten shards with a million items in all, against a heap of
// slices of the same items.
func BenchmarkMerge(b *testing.B) {
	const shards, each = 10, 100_000
	backend := &fixedShard{pages: make(map[string]*dynamodb.QueryOutput)}
	for shard := range shards {
		page := &dynamodb.QueryOutput{Items: make([]item, each)}
		for n := range page.Items {
			page.Items[n] = item{"SK": text(fmt.Sprintf("%012d", n*shards+shard)), "Device": text("thermometer")}
		}
		backend.pages[fmt.Sprint(shard)] = page
	}
	versus.Run(b,
		versus.Side{Name: "heap", Setup: func(b *testing.B) func(int) {
			return func(int) {
				var h fronts
				for _, page := range backend.pages {
					h = append(h, front{page.Items, sortKeyOf(page.Items[0])})
				}
				heap.Init(&h)
				n := 0
				for len(h) > 0 {
					n++
					if h[0].items = h[0].items[1:]; len(h[0].items) == 0 {
						heap.Pop(&h)
						continue
					}
					h[0].key = sortKeyOf(h[0].items[0])
					heap.Fix(&h, 0)
				}
				if n != shards*each {
					b.Fatal(n)
				}
			}
		}},
		versus.Side{Name: "ddb", Setup: func(b *testing.B) func(int) {
			return func(int) {
				r := reading{site: site{table: NewTable("Readings", backend)}, order: "SK"}
				for shard := range shards {
					r.sources = append(r.sources, &source{in: &dynamodb.QueryInput{
						ExpressionAttributeValues: item{":pk": text(fmt.Sprint(shard))},
					}})
				}
				n := 0
				for _, err := range r.items(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != shards*each {
					b.Fatal(n)
				}
			}
		}})
}
