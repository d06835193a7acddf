package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestBatchTraps asserts what easily goes wrong with many items at once, alone or
// together.
func TestBatchTraps(t *testing.T) {
	t.Parallel()
	runTraps(t, []trap{
		{"what a call leaves undone is forgotten", func(t *testing.T) {
			s, db := open(t)
			defer db.Inject(memory.Unprocessed(13), memory.OnOperation("BatchWriteItem"), memory.OnCall(1, 2))()
			defer db.Inject(memory.Unprocessed(50), memory.OnOperation("BatchGetItem"), memory.OnCall(1, 2))()
			var writes []ddb.BatchWrite
			for i := range 60 {
				writes = append(writes, s.notes.Put(&Note{UserID: "u", NoteID: fmt.Sprint(i)}))
			}
			if err := ddb.Batch(writes...).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			keys := make([]Note, 250)
			for i := range keys {
				keys[i] = Note{UserID: "u", NoteID: fmt.Sprint(i % 60)}
				if i >= 120 {
					keys[i].NoteID = fmt.Sprint("none", i)
				}
			}
			got, err := s.notes.GetAll(t.Context(), keys...)
			if err != nil || len(got) != 250 {
				t.Fatalf("got %d and %v, want 250 places", len(got), err)
			}
			for i, g := range got {
				if (g != nil) != (i < 120) || g != nil && g.NoteID != keys[i].NoteID {
					t.Errorf("at %d: got %+v, want %s", i, g, keys[i].NoteID)
				}
			}
		}},
		{"one key twice is sent twice, or found once", func(t *testing.T) {
			calls := new(calls)
			s, _ := open(t, ddb.Observe(calls.note))
			put(t, s.notes, Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"})
			calls.take()
			a, b := Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"}
			got, err := s.notes.GetAll(t.Context(), a, a, b)
			if err != nil || len(got) != 3 || slices.Contains(got, nil) || got[2].NoteID != "b" || calls.take() != "BatchGetItem" {
				t.Errorf("got %v and %v, want three in one call", got, err)
			}
		}},
		{"progress jumps, or is told for writes alone", func(t *testing.T) {
			s, db := open(t)
			defer db.Inject(memory.Unprocessed(5), memory.OnOperation("BatchWriteItem", "BatchGetItem"), memory.EveryCall(2))()
			var writes []ddb.BatchWrite
			var reads []ddb.Read
			results := make([]ddb.Result[Note], 130)
			for i := range results {
				n := Note{UserID: "u", NoteID: fmt.Sprint(i)}
				writes, reads = append(writes, s.notes.Put(&n)), append(reads, s.notes.Get(n).Into(&results[i]))
			}
			watch := func(seen *[]int) func(int, int) {
				return func(done, of int) {
					if of != 130 {
						t.Errorf("got %d of %d, want 130", done, of)
					}
					*seen = append(*seen, done)
				}
			}
			var written, read []int
			if err := ddb.Batch(writes...).Progress(watch(&written)).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := ddb.BatchGet(reads...).Progress(watch(&read)).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, seen := range [][]int{written, read} {
				if len(seen) < 3 || !slices.IsSorted(seen) || seen[len(seen)-1] != 130 {
					t.Errorf("got %v, want steps up to 130", seen)
				}
			}
		}},
		{"leftovers do not name all that is missing", func(t *testing.T) {
			s, l := openLazy(t, true)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			n := Note{UserID: "u", NoteID: "n"}
			var a, b ddb.Result[Note]
			left, ok := errors.AsType[*ddb.BatchError](ddb.BatchGet(s.notes.Get(n).Into(&a), s.notes.Get(n).Into(&b)).Run(ctx))
			if !ok || !slices.Equal(left.Left, []int{0, 1}) {
				t.Errorf("got %+v, want both reads of the key", left)
			}
			wantEmpty(t, l.DB)
		}},
		{"a transaction meets another and its caller has to know", func(t *testing.T) {
			s, db := open(t)
			n := Note{UserID: "u", NoteID: "n"}
			put(t, s.notes, n)
			put(t, s.orders, order("u", "o", "2024-01-01T00:00:00Z", "NEW"))
			key := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
			for op, run := range map[string]func() error{
				"PutItem":    func() error { return s.notes.Put(&n).Run(t.Context()) },
				"UpdateItem": func() error { _, err := s.orders.Update(key).Set(s.total.Add(1)).Run(t.Context()); return err },
				"DeleteItem": func() error { return s.notes.Delete(n).Run(t.Context()) },
			} {
				stop := db.Inject(memory.Conflict(), memory.OnOperation(op), memory.FirstCalls(3))
				if err := run(); err != nil {
					t.Errorf("%s: got %v, want success at last", op, err)
				}
				stop()
			}
			if got, err := s.orders.Get(key).Run(t.Context()); err != nil || got.Total != 100 {
				t.Errorf("got %d and %v, want one addition", got.Total, err)
			}
		}},
		{"fifty at once lose one another's changes, or see conflicts", func(t *testing.T) {
			s, db := open(t)
			defer db.Inject(memory.Conflict(), memory.OnOperation("TransactWriteItems"), memory.OneIn(4, 1))()
			o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
			o.Total = 0
			put(t, s.orders, o)
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					like := Note{UserID: fmt.Sprint("u", i), NoteID: "like"}
					if err := ddb.Transact(s.notes.Create(&like), s.orders.Update(o).Set(s.total.Add(1))).Run(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 50 {
				t.Errorf("got %d and %v, want 50", got.Total, err)
			}
		}},
		{"a transaction built again is another, or a token serves two", func(t *testing.T) {
			s, _ := open(t)
			o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
			put(t, s.orders, o)
			build := func(by int) ddb.TxOp {
				u := User{ID: "v", Tags: []string{"a", "b"}, Address: Address{City: "x", Street: "y"}}
				return ddb.Transact(s.orders.Update(o).Set(s.total.Add(by), s.lines.Append([]string{"l"})), s.users.Put(&u)).Token("token")
			}
			for range 5 {
				if err := build(1).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 100 {
				t.Errorf("got %d and %v, want one addition", got.Total, err)
			}
			var mismatch *types.IdempotentParameterMismatchException
			if err := build(2).Run(t.Context()); !errors.As(err, &mismatch) {
				t.Errorf("another under one token: got %v, want the SDK's exception", err)
			}
		}},
		{"a check and a write of one item reach the service", func(t *testing.T) {
			s := newShop(unreachable{})
			n := Note{UserID: "u", NoteID: "n"}
			err := ddb.Transact(s.notes.Check(n), s.notes.Put(&n)).Run(t.Context())
			if !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "a check becoming a condition of the write") {
				t.Errorf("got %v, want it refused with advice", err)
			}
		}},
		{"keys whose texts run together are taken for one", func(t *testing.T) {
			type pair struct {
				_    ddb.Entity `pk:"{A}" sk:"{B}"`
				A, B string
			}
			table := ddb.NewTable("Pairs", unreachable{}, ddb.Keys("A", "B"))
			pairs := ddb.Define[pair](table)
			_, err := ddb.Transact(
				pairs.Put(&pair{A: `a" S"b`, B: "c"}), pairs.Put(&pair{A: "a", B: `b" S"c`}), pairs.Put(&pair{A: "a] map[S:b", B: "c"}), pairs.Put(&pair{A: "a", B: "b] map[S:c"}),
			).Input(t.Context())
			if err != nil {
				t.Error(err)
			}
		}},
		{"more than a transaction carries reaches the service", func(t *testing.T) {
			s := newShop(unreachable{})
			var writes []ddb.Write
			for i := range 11 {
				writes = append(writes, s.notes.Put(&Note{UserID: "u", NoteID: fmt.Sprint(i), Text: strings.Repeat("x", 390<<10)}))
			}
			if _, err := ddb.Transact(writes[:10]...).Input(t.Context()); err != nil {
				t.Errorf("3.9 MB: %v", err)
			}
			if err := ddb.Transact(writes...).Run(t.Context()); !errors.Is(err, ddb.ErrTransactionTooLarge) {
				t.Errorf("4.2 MB: got %v, want ErrTransactionTooLarge", err)
			}
		}},
		{"reasons are of places, not of operations", func(t *testing.T) {
			s, _ := open(t)
			put(t, s.notes, Note{UserID: "u", NoteID: "b", Text: "kept"})
			err := ddb.Transact(
				s.notes.Create(&Note{UserID: "u", NoteID: "a"}), s.notes.Create(&Note{UserID: "u", NoteID: "b"}), s.notes.Create(&Note{UserID: "u", NoteID: "c"}),
			).Run(t.Context())
			tx, ok := errors.AsType[*ddb.TxError](err)
			if !ok || tx.Reasons[0] != nil || tx.Reasons[2] != nil || !errors.Is(err, ddb.ErrConditionFailed) {
				t.Fatalf("got %v, want the reason of operation 1", err)
			}
			failed, ok := errors.AsType[*ddb.ConditionError](tx.Reasons[1])
			if !ok || !errors.Is(failed, ddb.ErrExists) || failed.Item["Text"].(*types.AttributeValueMemberS).Value != "kept" {
				t.Errorf("got %v, want ErrExists with the stored item", tx.Reasons[1])
			}
		}},
		{"places of reads shift", func(t *testing.T) {
			s, db := open(t)
			put(t, s.notes, Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"}, Note{UserID: "u", NoteID: "x"})
			results := make([]ddb.Result[Note], 4)
			reads := make([]ddb.Read, 4)
			for i, id := range []string{"missing", "a", "x", "b"} {
				results[i].Found = true
				reads[i] = s.notes.Get(Note{UserID: "u", NoteID: id}).Into(&results[i])
			}
			if err := ddb.TransactGet(reads...).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if results[0].Found || results[1].Value.NoteID != "a" || results[2].Value.NoteID != "x" || results[3].Value.NoteID != "b" {
				t.Errorf("got %+v", results)
			}
			in, err := s.notes.Put(&Note{UserID: "u", NoteID: "x"}).Input()
			if err != nil {
				t.Fatal(err)
			}
			in.Item["EntityType"] = &types.AttributeValueMemberS{Value: "Foreign"}
			if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Shop"), Item: in.Item}); err != nil {
				t.Fatal(err)
			}
			results[1] = ddb.Result[Note]{}
			if err := ddb.TransactGet(reads...).Run(t.Context()); !errors.Is(err, ddb.ErrEntityType) || results[1].Found {
				t.Errorf("a foreign item: got %v and %+v, want ErrEntityType and no result changed", err, results[1])
			}
		}},
		{"a cancelled read says nothing of its reads", func(t *testing.T) {
			s, db := open(t)
			reason := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
				{Code: aws.String("None")}, {Code: aws.String("ValidationError"), Message: aws.String("bad key")},
			}}
			defer db.Inject(memory.FailBefore(reason), memory.OnOperation("TransactGetItems"))()
			var a, b ddb.Result[Note]
			err := ddb.TransactGet(s.notes.Get(Note{UserID: "u", NoteID: "a"}).Into(&a), s.notes.Get(Note{UserID: "u", NoteID: "b"}).Into(&b)).Run(t.Context())
			tx, ok := errors.AsType[*ddb.TxError](err)
			if !ok || tx.Reasons[0] != nil || !errors.Is(tx.Reasons[1], ddb.ErrValidation) {
				t.Errorf("got %v, want the reason of read 1", err)
			}
		}},
	})
}
