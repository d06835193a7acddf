package memory_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory"
)

// order is the item that benchmarks store: ten attributes, about 250 bytes.
func order(user string, n int) item {
	return item{
		"pk": str("USER#" + user), "sk": str(fmt.Sprintf("ORDER#%08d", n)),
		"type": str("Order"), "status": str("OPEN"), "total": num("129.95"), "count": num(3),
		"paid": boolean(true), "tags": strs("gift", "express"),
		"address": obj(item{"city": str("Ghent"), "zip": str("9000")}),
		"note":    str("please leave the parcel with the neighbours on the left"),
	}
}

// loaded returns a DB with a table of n orders of one user in each partition key.
func loaded(b *testing.B, users, orders int) *memory.DB {
	b.Helper()
	db := memory.New()
	create(b, db, withGSI(define("Orders", "pk:S", "sk:S"), "byStatus", []string{"status:S"}, []string{"sk:S"}))
	for u := range users {
		for n := range orders {
			put(b, db, "Orders", order(strconv.Itoa(u), n))
		}
	}
	return db
}

func BenchmarkGetItem(b *testing.B) {
	db := loaded(b, 10, 100)
	in := &dynamodb.GetItemInput{TableName: aws.String("Orders"), Key: item{"pk": str("USER#3"), "sk": str("ORDER#00000042")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.GetItem(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPutItem(b *testing.B) {
	db := loaded(b, 10, 100)
	in := &dynamodb.PutItemInput{TableName: aws.String("Orders")}
	items := []item{order("3", 42), order("3", 42)}
	items[1]["count"] = num(4)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		in.Item = items[n%2]
		if _, err := db.PutItem(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdateItemAdd(b *testing.B) {
	db := loaded(b, 10, 100)
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String("Orders"), Key: item{"pk": str("USER#3"), "sk": str("ORDER#00000042")},
		UpdateExpression: aws.String("ADD visits :one"), ExpressionAttributeValues: item{":one": num(1)},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.UpdateItem(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuery100(b *testing.B) {
	db := loaded(b, 10, 100)
	in := &dynamodb.QueryInput{
		TableName: aws.String("Orders"), KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :sk)"),
		ExpressionAttributeValues: item{":pk": str("USER#3"), ":sk": str("ORDER#")},
	}
	b.ReportAllocs()
	for b.Loop() {
		out, err := db.Query(b.Context(), in)
		if err != nil || out.Count != 100 {
			b.Fatal(out.Count, err)
		}
	}
}

// BenchmarkInsert fills tables of several sizes in random order; the time is
// that of one insert.
func BenchmarkInsert(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			keys := rand.New(rand.NewPCG(1, uint64(size))).Perm(size)
			items := make([]item, size)
			for i, k := range keys {
				items[i] = order(strconv.Itoa(k%100), k)
			}
			b.ReportAllocs()
			n := 0
			var db *memory.DB
			for b.Loop() {
				if n%size == 0 {
					db = memory.New()
					create(b, db, define("Orders", "pk:S", "sk:S"))
				}
				put(b, db, "Orders", items[n%size])
				n++
			}
		})
	}
}

// BenchmarkMixed runs sixteen goroutines with eight reads and two writes in ten
// calls.
func BenchmarkMixed(b *testing.B) {
	db := loaded(b, 100, 10)
	var seed atomic.Uint64
	b.SetParallelism(max(1, 16/runtime.GOMAXPROCS(0)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(seed.Add(1), 7))
		for pb.Next() {
			user, n := strconv.Itoa(r.IntN(100)), r.IntN(10)
			if r.IntN(10) < 8 {
				get(b, db, "Orders", item{"pk": str("USER#" + user), "sk": str(fmt.Sprintf("ORDER#%08d", n))})
				continue
			}
			it := order(user, n)
			it["count"] = num(r.IntN(1000))
			put(b, db, "Orders", it)
		}
	})
}
