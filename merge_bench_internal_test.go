package ddb

import (
	"container/heap"
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/internal/versus"
)

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
	var pages [][]item
	for shard := range shards {
		page := make([]item, each)
		for n := range page {
			page[n] = item{"SK": text(fmt.Sprintf("%012d", n*shards+shard)), "Device": text("thermometer")}
		}
		pages = append(pages, page)
	}
	versus.Run(b,
		versus.Side{Name: "heap", Setup: func(b *testing.B) func(int) {
			return func(int) {
				var h fronts
				for _, page := range pages {
					h = append(h, front{page, sortKeyOf(page[0])})
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
				r := reading{order: []string{"SK"}}
				r.decode = func(it item) (found, bool, error) { return found{value: it}, true, nil }
				for _, page := range pages {
					r.over(func(context.Context, item, *int32) (reply, error) { return reply{items: page}, nil })
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
