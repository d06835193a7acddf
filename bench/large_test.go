package bench_test

import (
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory"
)

// sizes are the numbers of parcels that BenchmarkLarge loads. A million take 1.5 GB,
// and as much again while the garbage collector is at work.
var sizes = flag.String("sizes", "10000,100000", "numbers of items of the large tables")

// BenchmarkLarge makes the calls of the engine's benchmarks on ever larger tables,
// and reports what an item takes in memory.
func BenchmarkLarge(b *testing.B) {
	for size := range strings.SplitSeq(*sizes, ",") {
		items, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("items="+size, func(b *testing.B) {
			db := memory.New()
			if _, err := db.CreateTable(b.Context(), parcels()); err != nil {
				b.Fatal(err)
			}
			before := heapInUse()
			fill(b, db, 0, items)
			each := float64(heapInUse()-before) / float64(items)
			for _, c := range engineCalls {
				b.Run("op="+c.name, func(b *testing.B) {
					versus.Measure(b, func(n int) {
						if err := c.call(b.Context(), db, items, n); err != nil {
							b.Fatal(err)
						}
					})
					b.ReportMetric(each, "heap-B/item")
				})
			}
			runtime.KeepAlive(db)
		})
	}
}

// heapInUse returns the bytes that are reachable.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
