package durable_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/durable"
)

func benchPut(b *testing.B, db *memory.DB, n int64) {
	if _, err := db.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item{
		"pk": str(fmt.Sprintf("item-%09d", n)), "v": num(int(n % 1000)), "text": str(strings.Repeat("x", 200)),
	}}); err != nil {
		b.Error(err)
	}
}

// BenchmarkPut measures a put of an item of about 220 bytes with an entry in one
// index, by writers that each wait for the answer: without a store, with syncs at
// intervals, and with a sync before each answer.
func BenchmarkPut(b *testing.B) {
	for _, writers := range []int{1, 64} {
		for _, sync := range []string{"none", "every", "always"} {
			b.Run(fmt.Sprintf("writers=%d/sync=%s", writers, sync), func(b *testing.B) {
				db := memory.New()
				if sync != "none" {
					store, err := durable.Open(b.TempDir(), durable.SyncEvery(map[string]time.Duration{"every": 100 * time.Millisecond}[sync]))
					if err != nil {
						b.Fatal(err)
					}
					defer func() {
						if err := store.Close(); err != nil {
							b.Error(err)
						}
					}()
					db = store.DB()
				}
				if _, err := db.CreateTable(b.Context(), definition(tableName)); err != nil {
					b.Fatal(err)
				}
				var n atomic.Int64
				b.SetParallelism(writers)
				b.ReportAllocs()
				b.ResetTimer()
				if writers == 1 {
					for b.Loop() {
						benchPut(b, db, n.Add(1))
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						benchPut(b, db, n.Add(1))
					}
				})
			})
		}
	}
}

// BenchmarkOpen measures a start that replays the log of 10,000 puts.
func BenchmarkOpen(b *testing.B) {
	const items = 10_000
	dir := b.TempDir()
	store, err := durable.Open(dir, durable.SyncEvery(time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := store.DB().CreateTable(b.Context(), definition(tableName)); err != nil {
		b.Fatal(err)
	}
	for n := range items {
		benchPut(b, store.DB(), int64(n))
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		store, err := durable.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds(), "items/s")
}
