package memory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// What these tests promise, each under its own name: a condition and its write
// are one step; no increment is lost; a transaction is seen whole or not at all;
// transactions that want the same items in other orders finish; indexes that come
// and go miss no write; a table that is deleted does not disturb who is using it.

// is reports whether err is of type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// together runs n functions at once and waits for all.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func intOf(t testing.TB, v types.AttributeValue) int {
	t.Helper()
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		t.Fatalf("got %T, want a number", v)
	}
	i, err := strconv.Atoi(n.Value)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestPutIfAbsentHasOneWinner(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Race", "pk:S"), "byWho", []string{"who:N"}, nil))
	var wins atomic.Int32
	together(50, func(i int) {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String("Race"), Item: item{"pk": str("one"), "who": num(i)},
			ConditionExpression: aws.String("attribute_not_exists(pk)"),
		})
		switch {
		case err == nil:
			wins.Add(1)
		case !is[*types.ConditionalCheckFailedException](err):
			t.Errorf("put: %v", err)
		}
	})
	if got := wins.Load(); got != 1 {
		t.Errorf("%d writers won, want 1", got)
	}
}

func TestCountersLoseNothing(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Counters", "pk:S"), "byCount", []string{"kind:S"}, []string{"n:N"}))
	const writers, each = 16, 50
	together(writers, func(i int) {
		for range each {
			if _, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: aws.String("Counters"), Key: item{"pk": str("c" + strconv.Itoa(i%2))},
				UpdateExpression:          aws.String("SET kind = :k ADD n :one"),
				ExpressionAttributeValues: item{":k": str("counter"), ":one": num(1)},
			}); err != nil {
				t.Errorf("update: %v", err)
			}
		}
	})
	for _, pk := range []string{"c0", "c1"} {
		if got, want := intOf(t, get(t, db, "Counters", item{"pk": str(pk)})["n"]), writers*each/2; got != want {
			t.Errorf("%s counted %d, want %d", pk, got, want)
		}
	}
}

// transfer moves amount between accounts and reports whether there was enough.
func transfer(t testing.TB, db *memory.DB, table string, from, to, amount int) bool {
	t.Helper()
	add := func(account, n int, condition *string, extra item) types.TransactWriteItem {
		values := item{":n": num(n)}
		for k, v := range extra {
			values[k] = v
		}
		return types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(table), Key: item{"pk": num(account)}, UpdateExpression: aws.String("ADD balance :n"),
			ConditionExpression: condition, ExpressionAttributeValues: values,
		}}
	}
	_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		add(from, -amount, aws.String("balance >= :least"), item{":least": num(amount)}),
		add(to, amount, nil, nil),
	}})
	if err != nil && !is[*types.TransactionCanceledException](err) {
		t.Errorf("transfer: %v", err)
	}
	return err == nil
}

func TestTransfersKeepTheirSum(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Accounts", "pk:N"), "byBalance", []string{"kind:S"}, []string{"balance:N"}))
	const accounts, start = 10, 100
	for i := range accounts {
		put(t, db, "Accounts", item{"pk": num(i), "kind": str("account"), "balance": num(start)})
	}
	var gets []types.TransactGetItem
	for i := range accounts {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: aws.String("Accounts"), Key: item{"pk": num(i)}}})
	}
	sum := func() int {
		out, err := db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: gets})
		if err != nil {
			t.Errorf("read: %v", err)
			return 0
		}
		total := 0
		for _, r := range out.Responses {
			total += intOf(t, r.Item["balance"])
		}
		return total
	}
	together(12, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		for range 60 {
			if i < 4 {
				if got := sum(); got != accounts*start {
					t.Errorf("a reader saw %d in total, want %d", got, accounts*start)
				}
				continue
			}
			from := r.IntN(accounts)
			transfer(t, db, "Accounts", from, (from+1+r.IntN(accounts-1))%accounts, 1+r.IntN(50))
		}
	})
	if got := sum(); got != accounts*start {
		t.Errorf("in the end there is %d, want %d", got, accounts*start)
	}
}

func TestOpposingTransactionsFinish(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.Partitions(4))
	for _, table := range []string{"Left", "Right"} {
		create(t, db, withGSI(define(table, "pk:N"), "idx", []string{"g:N"}, nil))
	}
	const items = 8
	together(16, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		for range 30 {
			var actions []types.TransactWriteItem
			for _, k := range r.Perm(2 * items)[:items] {
				table := []string{"Left", "Right"}[k%2]
				actions = append(actions, types.TransactWriteItem{Put: &types.Put{
					TableName: aws.String(table), Item: item{"pk": num(k / 2), "g": num(r.IntN(3)), "by": num(i)},
				}})
			}
			if _, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: actions}); err != nil {
				t.Errorf("transaction: %v", err)
			}
			if _, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Left"), IndexName: aws.String("idx")}); err != nil {
				t.Errorf("scan: %v", err)
			}
		}
	})
}

// TestIndexesComeAndGoUnderWrites makes and drops an index, and reads a local one
// that has to fetch from the table, while items change.
func TestIndexesComeAndGoUnderWrites(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withLSI(define("Busy", "pk:S", "sk:N"), "local", "at:N", "-"))
	together(8, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for n := range 60 {
			switch {
			case i == 0 && n%2 == 0:
				in := addIndex("Busy", "idx", []string{"g:N"}, []string{"at:N"})
				if _, err := db.UpdateTable(t.Context(), &in); err != nil {
					t.Errorf("make index: %v", err)
				}
			case i == 0:
				in := dropIndex("Busy", "idx")
				if _, err := db.UpdateTable(t.Context(), &in); err != nil {
					t.Errorf("drop index: %v", err)
				}
			case i == 1:
				out, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("Busy"), IndexName: aws.String("local"), Select: types.SelectAllAttributes,
					KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("p")}})
				if err != nil {
					t.Errorf("query: %v", err)
					continue
				}
				for _, it := range out.Items {
					if it["at"] == nil || it["g"] == nil {
						t.Errorf("a fetched item is not whole: %v", it)
					}
				}
			case r.IntN(4) == 0:
				if _, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("Busy"), Key: item{"pk": str("p"), "sk": num(r.IntN(10))}}); err != nil {
					t.Errorf("delete: %v", err)
				}
			default:
				put(t, db, "Busy", item{"pk": str("p"), "sk": num(r.IntN(10)), "g": num(r.IntN(3)), "at": num(r.IntN(5))})
			}
		}
	})
}

func TestDeleteTableDisturbsNobody(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	together(8, func(i int) {
		for n := range 40 {
			name := fmt.Sprintf("Brief%d", n%3)
			if i == 0 {
				_, err := db.CreateTable(t.Context(), define(name, "pk:S"))
				if err != nil && !is[*types.ResourceInUseException](err) {
					t.Errorf("create: %v", err)
				}
			}
			_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: item{"pk": str("a")}})
			if err != nil && !is[*types.ResourceNotFoundException](err) {
				t.Errorf("put: %v", err)
			}
			if i == 1 {
				_, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(name)})
				if err != nil && !is[*types.ResourceNotFoundException](err) {
					t.Errorf("delete: %v", err)
				}
			}
		}
	})
}
