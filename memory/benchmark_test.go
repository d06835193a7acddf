package memory_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/internal/bare"
	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory"
)

// Each benchmark runs on a bare table, which is the least that a table in memory
// can be, and on the engine, which reports its time as a multiple of that. The
// multiple is the price of checks, expressions, sizes and the order of locks.

// benchSizes are the numbers of items in a benchmark's table.
var benchSizes = []int{1_000, 10_000, 100_000}

// sides are the bare table and the engine with n orders each, filled in random
// order. bareCall and engineCall make what is called on them.
func sides(n int, bareCall func(b *testing.B, t *bare.Table) func(n int), engineCall func(b *testing.B, db *memory.DB) func(n int)) []versus.Side {
	at := func() []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) }
	return []versus.Side{
		{Name: "bare", Setup: func(b *testing.B) func(n int) {
			t := bare.New("PK", "SK")
			for _, k := range at() {
				if err := t.Put(bare.Parcel(k)); err != nil {
					b.Fatal(err)
				}
			}
			return bareCall(b, t)
		}},
		{Name: "engine", Setup: func(b *testing.B) func(n int) {
			db := memory.New()
			create(b, db, define("Orders", "PK:S", "SK:S"))
			for _, k := range at() {
				put(b, db, "Orders", bare.Parcel(k))
			}
			return engineCall(b, db)
		}},
	}
}

// sample returns keys or items of up to 1024 random orders among n.
func sample(n int, of func(n int) item) func(call int) item {
	r := rand.New(rand.NewPCG(3, 4))
	all := make([]item, 1024)
	for i := range all {
		all[i] = of(r.IntN(n))
	}
	return func(call int) item { return all[call%len(all)] }
}

func eachSize(b *testing.B, run func(b *testing.B, items int)) {
	for _, items := range benchSizes {
		b.Run("items="+strconv.Itoa(items), func(b *testing.B) { run(b, items) })
	}
}

func BenchmarkGetItem(b *testing.B) {
	eachSize(b, func(b *testing.B, items int) {
		key := sample(items, bare.ParcelKey)
		versus.Run(b, sides(items, func(b *testing.B, t *bare.Table) func(int) {
			return func(n int) {
				if it, err := t.Get(key(n)); it == nil || err != nil {
					b.Fatal(it, err)
				}
			}
		}, func(b *testing.B, db *memory.DB) func(int) {
			return func(n int) {
				out, err := db.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: aws.String("Orders"), Key: key(n)})
				if err != nil || out.Item == nil {
					b.Fatal(out, err)
				}
			}
		})...)
	})
}

// BenchmarkPutItem replaces items by others.
func BenchmarkPutItem(b *testing.B) {
	eachSize(b, func(b *testing.B, items int) {
		changed := sample(items, func(n int) item {
			it := bare.Parcel(n)
			it["status"] = str("PAID")
			return it
		})
		versus.Run(b, sides(items, func(b *testing.B, t *bare.Table) func(int) {
			return func(n int) {
				if err := t.Put(changed(n)); err != nil {
					b.Fatal(err)
				}
			}
		}, func(b *testing.B, db *memory.DB) func(int) {
			return func(n int) {
				in := &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: changed(n)}
				if _, err := db.PutItem(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})...)
	})
}

func BenchmarkUpdateItemAdd(b *testing.B) {
	eachSize(b, func(b *testing.B, items int) {
		key := sample(items, bare.ParcelKey)
		versus.Run(b, sides(items, func(b *testing.B, t *bare.Table) func(int) {
			return func(n int) {
				if err := t.Add(key(n), "visits", 1); err != nil {
					b.Fatal(err)
				}
			}
		}, func(b *testing.B, db *memory.DB) func(int) {
			by := item{":one": num(1)}
			return func(n int) {
				in := &dynamodb.UpdateItemInput{
					TableName: aws.String("Orders"), Key: key(n),
					UpdateExpression: aws.String("ADD visits :one"), ExpressionAttributeValues: by,
				}
				if _, err := db.UpdateItem(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})...)
	})
}

// BenchmarkQuery100 reads a hundred items with one partition key.
func BenchmarkQuery100(b *testing.B) {
	eachSize(b, func(b *testing.B, items int) {
		key := sample(items, bare.ParcelKey)
		versus.Run(b, sides(items, func(b *testing.B, t *bare.Table) func(int) {
			return func(n int) {
				if got := len(t.Query(bare.Text(key(n)["PK"]), "ORDER#", 100)); got != 100 {
					b.Fatal(got)
				}
			}
		}, func(b *testing.B, db *memory.DB) func(int) {
			return func(n int) {
				out, err := db.Query(b.Context(), &dynamodb.QueryInput{
					TableName: aws.String("Orders"), KeyConditionExpression: aws.String("PK = :pk AND begins_with(SK, :sk)"),
					ExpressionAttributeValues: item{":pk": key(n)["PK"], ":sk": str("ORDER#")}, Limit: aws.Int32(100),
				})
				if err != nil || out.Count != 100 {
					b.Fatal(out, err)
				}
			}
		})...)
	})
}

// BenchmarkInsert fills tables in random order. What it reports as cpu-ns/insert
// hardly grows with their size. Nothing but the table and the keys is in memory.
func BenchmarkInsert(b *testing.B) {
	eachSize(b, func(b *testing.B, size int) {
		type key struct{ pk, sk string }
		keys := make([]key, size)
		for i, n := range rand.New(rand.NewPCG(5, 6)).Perm(size) {
			k := bare.ParcelKey(n)
			keys[i] = key{bare.Text(k["PK"]), bare.Text(k["SK"])}
		}
		it := bare.Parcel(0)
		pk, sk := new(types.AttributeValueMemberS), new(types.AttributeValueMemberS)
		it["PK"], it["SK"] = pk, sk
		each := versus.Measure(b, func(int) {
			db := memory.New()
			create(b, db, define("Orders", "PK:S", "SK:S"))
			for _, k := range keys {
				pk.Value, sk.Value = k.pk, k.sk
				if _, err := db.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: it}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.ReportMetric(each/float64(size), "cpu-ns/insert")
	})
}

// BenchmarkMixed has eight reads and two writes in ten calls, made by one
// goroutine or shared among sixteen.
func BenchmarkMixed(b *testing.B) {
	const items, calls = 10_000, 1600
	key, it := sample(items, bare.ParcelKey), sample(items, bare.Parcel)
	side := func(goroutines int) versus.Side {
		setup := sides(items, nil, func(b *testing.B, db *memory.DB) func(int) {
			work := func(g int) {
				for n := range calls / goroutines {
					n += g * calls / goroutines
					if n%10 < 8 {
						get(b, db, "Orders", key(n))
					} else {
						put(b, db, "Orders", it(n))
					}
				}
			}
			return func(int) {
				var wg sync.WaitGroup
				for g := range goroutines {
					wg.Go(func() { work(g) })
				}
				wg.Wait()
			}
		})[1].Setup
		return versus.Side{Name: strconv.Itoa(goroutines) + "-goroutines", Setup: setup}
	}
	versus.Run(b, side(1), side(16))
}
