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

// sizes are the numbers of parcels that BenchmarkLarge loads. A million take 1.3 GB,
// and up to as much again before the garbage collector is at work; GOMEMLIMIT makes
// it begin earlier where ten million would not fit otherwise.
var sizes = flag.String("sizes", "10000,100000", "numbers of items of the large tables")

// BenchmarkLarge makes the calls of the engine's benchmarks on ever larger tables,
// and reports what an item takes in memory. All tables are there from the beginning,
// so that each call can be made on one right after the other.
func BenchmarkLarge(b *testing.B) {
	type table struct {
		db    *memory.DB
		items int
		each  float64 // bytes of memory for an item
	}
	var tables []table
	for size := range strings.SplitSeq(*sizes, ",") {
		items, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		db := memory.New()
		if _, err := db.CreateTable(b.Context(), parcels()); err != nil {
			b.Fatal(err)
		}
		before := heapInUse()
		fill(b, db, 0, items)
		tables = append(tables, table{db, items, float64(heapInUse()-before) / float64(items)})
	}
	for _, c := range engineCalls {
		for _, t := range tables {
			b.Run("op="+c.name+"/items="+strconv.Itoa(t.items), func(b *testing.B) {
				versus.Measure(b, func(n int) {
					if err := c.call(b.Context(), t.db, t.items, n); err != nil {
						b.Fatal(err)
					}
				})
				b.ReportMetric(t.each, "heap-B/item")
			})
		}
	}
	runtime.KeepAlive(tables)
}

// heapInUse returns the bytes that are reachable.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
