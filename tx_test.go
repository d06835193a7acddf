package ddb_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// TestTransaction asserts that a transaction writes all or nothing, and names
// the operation and entity that stood against it.
func TestTransaction(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	put(t, s.users, User{ID: "u1", Name: "a"}, User{ID: "u2", Name: "b"})
	put(t, s.scores, Score{Game: "g", Player: "p", Points: 5})
	o := order("u1", "o1", "2024-01-01T00:00:00Z", "NEW")
	before := len(stored(t, db))

	err := ddb.Transact(
		s.orders.Create(&o),
		s.users.Update(User{ID: "u2"}).Set(s.name.To("c")).If(s.name.Eq("z")),
		s.scores.Check(Score{Game: "g", Player: "nobody"}),
		s.users.Delete(User{ID: "u1"}),
	).Run(ctx)
	var tx *ddb.TxError
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &tx) || !errors.As(err, &cancelled) || !errors.Is(err, ddb.ErrConditionFailed) || !errors.Is(err, ddb.ErrNotFound) {
		t.Fatalf("got %v, want a TxError with its reasons", err)
	}
	if tx.Reasons[0] != nil || tx.Reasons[3] != nil {
		t.Errorf("got reasons %v, want none for operations 0 and 3", tx.Reasons)
	}
	var op *ddb.OpError
	if !errors.As(tx.Reasons[1], &op) || op.Op != "UpdateItem" || op.Entity != "User" || errors.Is(tx.Reasons[1], ddb.ErrNotFound) {
		t.Errorf("got %v, want the failed condition of the update of User", tx.Reasons[1])
	}
	var failed *ddb.ConditionError
	if !errors.As(tx.Reasons[1], &failed) || failed.Item["姓名"].(*types.AttributeValueMemberS).Value != "b" {
		t.Errorf("got %v, want the stored item with it", failed)
	}
	if !errors.As(tx.Reasons[2], &op) || op.Op != "ConditionCheck" || !errors.Is(tx.Reasons[2], ddb.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound of the check", tx.Reasons[2])
	}
	if !strings.Contains(err.Error(), "operation 1: UpdateItem Shop: User: condition failed") {
		t.Errorf("got %q, want it to name operation, table and entity", err)
	}
	if got := len(stored(t, db)); got != before {
		t.Errorf("got %d items after a cancelled transaction, want %d", got, before)
	}

	err = ddb.Transact(
		s.orders.Create(&o),
		s.users.Update(User{ID: "u2"}).Set(s.name.To("c")).If(s.name.Eq("b")),
		s.scores.Check(Score{Game: "g", Player: "p"}).If(s.points.Ge(5)),
	).And(s.users.Delete(User{ID: "u1"})).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := s.users.Get(User{ID: "u2"}).Run(ctx); err != nil || u.Name != "c" {
		t.Errorf("got %+v and %v, want the new name", u, err)
	}
	if _, err := s.users.Get(User{ID: "u1"}).Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if err := ddb.Transact(s.orders.Create(&o)).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("second create: got %v, want ErrExists", err)
	}
}

// TestTransactionFaultsAreLocal asserts that what can be told without a call is
// told without a call.
func TestTransactionFaultsAreLocal(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	other := newShop(&record{})
	n := Note{UserID: "u", NoteID: "n"}
	many := make([]ddb.Write, 101)
	for i := range many {
		many[i] = s.notes.Put(&Note{UserID: "u", NoteID: strings.Repeat("n", i+1)})
	}
	for _, c := range []struct {
		name string
		tx   ddb.TxOp
		is   error
		says string
	}{
		{"no operation", ddb.Transact(), ddb.ErrExpression, "1 to 100 operations, not 0"},
		{"too many", ddb.Transact(many...), ddb.ErrExpression, "not 101"},
		{"one item twice", ddb.Transact(s.notes.Put(&n), s.notes.Check(n)), ddb.ErrExpression, "operations 0 and 1 are on one item"},
		{"bad key", ddb.Transact(s.notes.Put(&n), s.notes.Delete(Note{UserID: "u"})), ddb.ErrKey, "ddb: transaction, operation 1: DeleteItem Shop: Note.NoteID"},
		{"empty token", ddb.Transact(s.notes.Put(&n)).Token(""), ddb.ErrExpression, "1 to 36 characters, not 0"},
		{"long token", ddb.Transact(s.notes.Put(&n)).Token(strings.Repeat("t", 37)), ddb.ErrExpression, "not 37"},
		{"two backends", ddb.Transact(s.notes.Put(&n), other.notes.Delete(n)), ddb.ErrExpression, "another backend"},
	} {
		err := c.tx.Run(t.Context())
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", c.name, err, c.is, c.says)
		}
	}
}

// conflicted cancels the first transactions it gets with the given codes.
type conflicted struct {
	ddb.Backend
	codes  [][]string
	tokens []string
}

func (c *conflicted) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	c.tokens = append(c.tokens, aws.ToString(in.ClientRequestToken))
	if len(c.tokens) > len(c.codes) {
		return &dynamodb.TransactWriteItemsOutput{}, nil
	}
	err := &types.TransactionCanceledException{}
	for _, code := range c.codes[len(c.tokens)-1] {
		err.CancellationReasons = append(err.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return nil, err
}

// TestTransactionRetries asserts that only conflicts and throttling are retried,
// under one token.
func TestTransactionRetries(t *testing.T) {
	t.Parallel()
	run := func(codes ...[]string) (*conflicted, error) {
		b := &conflicted{codes: codes}
		s := newShop(b)
		return b, ddb.Transact(s.notes.Put(&Note{UserID: "u", NoteID: "a"}), s.notes.Put(&Note{UserID: "u", NoteID: "b"})).Run(t.Context())
	}
	b, err := run([]string{"TransactionConflict", "None"}, []string{"None", "ThrottlingError"})
	if err != nil || len(b.tokens) != 3 || b.tokens[0] == "" || b.tokens[0] != b.tokens[1] || b.tokens[1] != b.tokens[2] {
		t.Errorf("got %v after tokens %q, want success at the third attempt under one token", err, b.tokens)
	}
	again, _ := run()
	if again.tokens[0] == b.tokens[0] {
		t.Error("two runs had one token")
	}
	b, err = run([]string{"TransactionConflict", "ConditionalCheckFailed"})
	if len(b.tokens) != 1 || !errors.Is(err, ddb.ErrConditionFailed) || !errors.Is(err, ddb.ErrTransactionConflict) {
		t.Errorf("got %v after %d attempts, want one attempt", err, len(b.tokens))
	}
	b, err = run([]string{"ValidationError", "None"})
	if len(b.tokens) != 1 || err == nil {
		t.Errorf("got %v after %d attempts, want one attempt", err, len(b.tokens))
	}
}

// TestSameTokenRunsOnce asserts that a transaction sent again under its token
// is not carried out again.
func TestSameTokenRunsOnce(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	put(t, s.orders, o)
	add := ddb.Transact(s.orders.Update(o).Set(s.total.Add(1))).Token("once")
	for range 2 {
		if err := add.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 100 {
		t.Errorf("got total %d and %v, want 100", got.Total, err)
	}
}

// TestOneSignUpWins asserts that of many transactions that claim one marker
// item, one succeeds.
func TestOneSignUpWins(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	var wins atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			u := User{ID: string(rune('a' + i)), Email: "john@example.com"}
			err := ddb.Transact(s.users.Create(&u), s.notes.Create(&Note{UserID: "EMAIL", NoteID: u.Email})).Run(context.Background())
			switch {
			case err == nil:
				wins.Add(1)
			case !errors.Is(err, ddb.ErrExists):
				t.Errorf("got %v, want ErrExists", err)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 {
		t.Errorf("got %d winners, want 1", wins.Load())
	}
	if n, err := s.users.Query(User{Email: "john@example.com"}).Index("GSI1").Count(t.Context()); err != nil || n != 1 {
		t.Errorf("got %d users and %v, want 1", n, err)
	}
}
