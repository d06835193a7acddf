package durable_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/durable"
)

// The load of TestKill: workers that each do one write after the other, all
// different, to items of their own. What a worker's items look like follows from
// how many of its writes were done.

const workers = 6

// order is what a child is to do.
type order struct {
	Dir   string
	Every time.Duration
	Done  [workers]int // writes that were done before
	Hold  bool         // only open the directory, until killed
}

// child opens a directory and writes until it is killed. It says on standard
// output which write it is about to do, and when it is done.
func child(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	store, err := durable.Open(o.Dir, durable.SyncEvery(o.Every), durable.SnapshotAfter(16<<10))
	if err != nil {
		return err
	}
	fmt.Println("open")
	if o.Hold {
		select {}
	}
	ctx, db := context.Background(), store.DB()
	var exists *types.ResourceInUseException
	if _, err := db.CreateTable(ctx, streamed(definition(tableName))); err != nil && !errors.As(err, &exists) {
		return err
	}
	failed := make(chan error)
	for w := range workers {
		go func() {
			for n := o.Done[w] + 1; ; n++ {
				fmt.Printf("begin %d %d\n", w, n)
				if err := write(ctx, db, w, n); err != nil {
					failed <- fmt.Errorf("write %d of worker %d: %w", n, w, err)
				}
				fmt.Printf("end %d %d\n", w, n)
			}
		}()
	}
	return <-failed
}

// write is the nth write of a worker, from 1. The last worker makes and deletes a
// table; the others put, update and delete an item and write five items in
// transactions, some of which count in an item that all share.
func write(ctx context.Context, db *memory.DB, w, n int) error {
	table, own := aws.String(tableName), item{"pk": str(fmt.Sprintf("own-%d", w))}
	var err error
	switch {
	case w == workers-1 && n%2 == 1:
		_, err = db.CreateTable(ctx, definition("Other"))
	case w == workers-1:
		_, err = db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("Other")})
	case n%5 == 1:
		own["v"] = num(n)
		own["padding"] = str(strings.Repeat("x", n%700))
		_, err = db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: own})
	case n%5 == 2:
		_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: table, Key: own, UpdateExpression: aws.String("SET v = :v"), ExpressionAttributeValues: item{":v": num(n)},
		})
	case n%5 == 3:
		_, err = db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: own})
	default:
		_, err = db.TransactWriteItems(ctx, transaction(w, n))
	}
	return err
}

func transaction(w, n int) *dynamodb.TransactWriteItemsInput {
	table := aws.String(tableName)
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(fmt.Sprintf("%d-%d", w, n))}
	for i := range 5 {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: item{"pk": str(fmt.Sprintf("five-%d-%d", w, i)), "v": num(n)},
		}})
	}
	if counts(n) {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: item{"pk": str("shared")}, UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: item{":one": num(1)},
		}})
	}
	return in
}

func transacts(n int) bool { return n%5 == 4 || n%5 == 0 }

func counts(n int) bool { return n%5 == 0 }

// after returns what is seen of a worker once n of its writes are done.
func after(w, n int) map[string]int {
	seen := make(map[string]int)
	if w == workers-1 {
		seen["tables"] = n % 2
		return seen
	}
	for i := 1; i <= n; i++ {
		switch {
		case transacts(i):
			for j := range 5 {
				seen[fmt.Sprintf("five-%d-%d", w, j)] = i
			}
		case i%5 == 3:
			delete(seen, fmt.Sprintf("own-%d", w))
		default:
			seen[fmt.Sprintf("own-%d", w)] = i
		}
	}
	return seen
}

// TestKill kills a process that writes, again and again, at random moments. After
// each time every write that was acknowledged is there, of those that were not
// each is there or not as a whole, the table's stream tells of exactly what
// is there, and a transaction that is repeated with its token is not done again. Half of the processes sync before they answer, half at
// intervals; neither loses anything.
func TestKill(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	o := order{Dir: t.TempDir()}
	snapshots := 0
	for kill := range *kills {
		o.Every = time.Duration(kill%2) * 20 * time.Millisecond
		begun := runAndKill(t, o, 1+random.IntN(600), time.Duration(random.IntN(2000))*time.Microsecond, &o.Done)
		o.Done = verify(t, o.Dir, o.Done, begun)
		if t.Failed() {
			t.Fatalf("kill %d of %d", kill+1, *kills)
		}
		found, err := filepath.Glob(filepath.Join(o.Dir, "*.snapshot"))
		if err != nil {
			t.Fatal(err)
		}
		snapshots += len(found)
	}
	if snapshots == 0 {
		t.Error("no snapshot was ever made")
	}
	t.Logf("%v writes were done", o.Done)
}

// runAndKill runs a child until it has said a number of things, and a little
// longer. It raises done to what was acknowledged and returns what was begun.
func runAndKill(t *testing.T, o order, lines int, longer time.Duration, done *[workers]int) (begun [workers]int) {
	t.Helper()
	cmd, out := startChild(t, o)
	begun = *done
	for ; out.Scan(); lines-- {
		if lines == 0 {
			time.AfterFunc(longer, func() { _ = cmd.Process.Kill() })
		}
		var what string
		var w, n int
		if _, err := fmt.Sscanf(out.Text(), "%s %d %d", &what, &w, &n); err != nil {
			continue // "open"
		}
		if what == "end" {
			done[w] = n
		} else {
			begun[w] = n
		}
	}
	if lines > 0 {
		t.Fatal("the child ended by itself")
	}
	_ = cmd.Wait() // was killed
	return begun
}

func startChild(t *testing.T, o order) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// verify opens the directory and returns how many writes of each worker were done.
func verify(t *testing.T, dir string, acknowledged, begun [workers]int) (done [workers]int) {
	t.Helper()
	store, err := durable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, store)
	db := store.DB()
	if err := db.Check(); err != nil {
		t.Errorf("invariants: %v", err)
	}
	seen, shared := observe(t, db)
	total := 0
	for w := range workers {
		done[w] = -1
		for n := acknowledged[w]; n <= begun[w]; n++ {
			if cmp.Equal(seen[w], after(w, n)) {
				done[w] = n
			}
		}
		if done[w] < 0 {
			t.Errorf("worker %d: %d writes were acknowledged, %d begun, and found is %v", w, acknowledged[w], begun[w], seen[w])
			continue
		}
		if w < workers-1 {
			total += done[w] / 5
		}
	}
	if shared != total {
		t.Errorf("%d transactions have counted themselves, %d are there", shared, total)
	}
	if t.Failed() {
		return done
	}
	checkStream(t, db)
	before := db.Dump(tableName)
	for w := range workers - 1 {
		n := done[w]
		for n > 0 && !transacts(n) {
			n--
		}
		if n == 0 {
			continue
		}
		if _, err := db.TransactWriteItems(t.Context(), transaction(w, n)); err != nil {
			t.Errorf("repeating write %d of worker %d: %v", n, w, err)
		}
	}
	if got := db.Dump(tableName); got != before {
		t.Errorf("transactions that were done before were done again (-before +after):\n%s", cmp.Diff(before, got))
	}
	return done
}

// observe returns what is seen of each worker, and what the shared item counts.
func observe(t *testing.T, db *memory.DB) (seen [workers]map[string]int, shared int) {
	t.Helper()
	for w := range seen {
		seen[w] = make(map[string]int)
	}
	tables, err := db.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	seen[workers-1]["tables"] = len(tables.TableNames)
	if len(tables.TableNames) == 0 || tables.TableNames[0] != tableName {
		return seen, 0
	}
	seen[workers-1]["tables"]--
	out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	if err != nil {
		t.Fatal(err)
	}
	if out.LastEvaluatedKey != nil {
		t.Fatal("the items do not fit on a page")
	}
	for _, it := range out.Items {
		pk := it["pk"].(*types.AttributeValueMemberS).Value
		if pk == "shared" {
			shared = number(t, it["n"])
			continue
		}
		var w int
		if _, err := fmt.Sscanf(strings.TrimLeft(pk, "ownfive-"), "%d", &w); err != nil || w >= workers {
			t.Fatalf("item %q belongs to nobody", pk)
		}
		seen[w][pk] = number(t, it["v"])
	}
	return seen, shared
}

func number(t *testing.T, v types.AttributeValue) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(v.(*types.AttributeValueMemberN).Value, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func closeStore(t *testing.T, s *durable.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestLocked checks that a directory belongs to one process, and to nobody once
// that is killed.
func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, out := startChild(t, order{Dir: dir, Hold: true})
	if !out.Scan() {
		t.Fatal("the child ended by itself")
	}
	if _, err := durable.Open(dir); !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want ErrLocked with the directory", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // was killed
	store, err := durable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Open(dir); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("got %v from the same process, want ErrLocked", err)
	}
	closeStore(t, store)
	if store, err = durable.Open(dir); err != nil {
		t.Fatalf("open after close: %v", err)
	}
	closeStore(t, store)
}

// TestConcurrentWriters checks that nothing is lost between requests that wait
// together, snapshots that are made meanwhile, and the end.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := durable.Open(dir, durable.SnapshotAfter(8<<10))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.DB().CreateTable(t.Context(), streamed(definition(tableName))); err != nil {
		t.Fatal(err)
	}
	const writes = 60
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for n := 1; n <= writes; n++ {
				if err := write(t.Context(), store.DB(), w, n); err != nil {
					t.Errorf("write %d of worker %d: %v", n, w, err)
				}
			}
		})
	}
	all.Wait()
	want := store.DB().Dump(tableName)
	closeStore(t, store)
	back, err := durable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, back)
	if got := back.DB().Dump(tableName); got != want {
		t.Errorf("before and after (-before +after):\n%s", cmp.Diff(want, got))
	}
	if err := back.DB().Check(); err != nil {
		t.Errorf("invariants: %v", err)
	}
	checkStream(t, back.DB())
}
