package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestCreateSurvivesItsOwnRetry asserts that a Create whose reply is lost, and
// which the SDK's client sends again, succeeds, while one that meets another's
// item does not.
func TestCreateSurvivesItsOwnRetry(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s := newShop(client(t, db))
	create(t, db, s.table)
	ctx := t.Context()
	mine := Note{UserID: "u", NoteID: "n", Text: "mine"}
	stop := db.Inject(memory.LoseReply(), memory.OnOperation("PutItem"), memory.FirstCalls(1))
	if err := s.notes.Create(&mine).Run(ctx); err != nil {
		t.Errorf("own retry: got %v, want success", err)
	}
	stop()
	if err := s.notes.Create(&mine).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("created before, no retry: got %v, want ErrExists", err)
	}
	defer db.Inject(memory.FailBefore(&types.InternalServerError{}), memory.OnOperation("PutItem"), memory.FirstCalls(1))()
	other := Note{UserID: "u", NoteID: "n", Text: "other"}
	if err := s.notes.Create(&other).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("another's item: got %v, want ErrExists", err)
	}
}

// TestConflictsStayInside asserts that transactions which meet others are sent
// again, so that all count and nobody sees a conflict.
func TestConflictsStayInside(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	o.Total = 0
	put(t, s.orders, o)
	defer db.Inject(memory.Conflict(), memory.OnOperation("TransactWriteItems"), memory.EveryCall(3))()
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			err := ddb.Transact(
				s.orders.Update(o).Set(s.total.Add(1)),
				s.notes.Create(&Note{UserID: "u", NoteID: fmt.Sprint(i)}),
			).Run(context.Background())
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 30 {
		t.Errorf("got %d and %v, want 30", got.Total, err)
	}
}

// TestLostReplyOfATransaction asserts that a transaction whose reply is lost is
// carried out once when it is sent again with its token.
func TestLostReplyOfATransaction(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s := newShop(client(t, db))
	create(t, db, s.table)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	put(t, s.orders, o)
	defer db.Inject(memory.LoseReply(), memory.OnOperation("TransactWriteItems"), memory.FirstCalls(1))()
	if err := ddb.Transact(s.orders.Update(o).Set(s.total.Add(1))).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 100 {
		t.Errorf("got %d and %v, want one addition", got.Total, err)
	}
}

// faultable is a write with what must be stored once it has succeeded, and what
// comes of it if its reply is lost and the SDK's client sends it again.
type faultable struct {
	name  string
	run   func(context.Context) error
	clerk *Clerk // nil for none
	lost  error
	calls []string // that change something
}

// faultables makes each verb's write on a table in which clerk k has desk 1.
func faultables(c club, version int) []faultable {
	key, desk2 := Clerk{ID: "k"}, Clerk{ID: "k", Desk: "2", Version: version}
	phone := ddb.Field(c.clerks, func(c *Clerk) *string { return &c.Phone })
	one := func(_ Clerk, err error) error { return err }
	both := []string{"TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"}
	return []faultable{
		{"create", func(ctx context.Context) error { return c.clerks.Create(&Clerk{ID: "n", Desk: "9"}).Run(ctx) }, &Clerk{ID: "n", Desk: "9"}, nil, both},
		{"put", func(ctx context.Context) error { v := desk2; return c.clerks.Put(&v).Run(ctx) }, &Clerk{ID: "k", Desk: "2"}, nil, both},
		{"put of the same value", func(ctx context.Context) error {
			v := Clerk{ID: "k", Desk: "1", Phone: "", Version: version}
			return c.clerks.Put(&v).Run(ctx)
		}, &Clerk{ID: "k", Desk: "1"}, nil, both},
		{"update", func(ctx context.Context) error { return one(c.clerks.Update(key).Set(c.desk.To("3")).Run(ctx)) }, &Clerk{ID: "k", Desk: "3"}, nil, both},
		{"update to the same value", func(ctx context.Context) error { return one(c.clerks.Update(key).Set(c.desk.To("1")).Run(ctx)) }, &Clerk{ID: "k", Desk: "1"}, nil, both},
		{"upsert", func(ctx context.Context) error {
			return one(c.clerks.Upsert(Clerk{ID: "n"}).Set(c.desk.To("3")).Run(ctx))
		}, &Clerk{ID: "n", Desk: "3"}, nil, both},
		{"modify", func(ctx context.Context) error {
			return one(c.clerks.Modify(ctx, key, func(c *Clerk) error { c.Desk += "0"; return nil }))
		}, &Clerk{ID: "k", Desk: "10"}, nil, both},
		{"update that takes a phone", func(ctx context.Context) error { return one(c.clerks.Update(key).Set(phone.To("5")).Run(ctx)) }, &Clerk{ID: "k", Desk: "1", Phone: "5"}, nil, both},
		{"delete", func(ctx context.Context) error { return c.clerks.Delete(key).Run(ctx) }, nil, nil, both},
		{"transaction", func(ctx context.Context) error {
			return ddb.Transact(c.clerks.Update(key).Set(c.desk.To("4")), c.members.Create(&Member{ID: "m", Email: "m"})).Run(ctx)
		}, &Clerk{ID: "k", Desk: "4"}, nil, both},
	}
}

// TestEveryWriteMeetsFaults asserts for each verb that a conflict, a throttled
// call, an error before the write and a reply lost after it leave all or nothing,
// markers included, and are survived where that can be.
func TestEveryWriteMeetsFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		fault memory.Fault
	}{
		{"conflict", memory.Conflict()}, {"throttled", memory.Throttle()}, {"error before", memory.FailBefore(&types.InternalServerError{})}, {"lost reply", memory.LoseReply()},
	} {
		for i := range faultables(clubOn(unreachable{}), 0) {
			db := memory.New()
			c := clubOn(client(t, db)) // which sends again
			c.db = db
			create(t, db, c.table)
			k := Clerk{ID: "k", Desk: "1"}
			put(t, c.clerks, k)
			f := faultables(c, 1)[i]
			stop := db.Inject(fault.fault, memory.OnOperation(f.calls...), memory.FirstCalls(1))
			err := f.run(t.Context())
			stop()
			if !errors.Is(err, f.lost) {
				t.Errorf("%s, %s: got %v, want %v", f.name, fault.name, err, f.lost)
			}
			want := make(map[string]string)
			for _, id := range []string{"k", "n"} {
				got, err := c.clerks.Get(Clerk{ID: id}).Run(t.Context())
				switch {
				case f.clerk != nil && f.clerk.ID == id && (err != nil || got.Desk != f.clerk.Desk || got.Phone != f.clerk.Phone):
					t.Errorf("%s, %s: got %+v and %v, want %+v", f.name, fault.name, got, err, f.clerk)
				case f.clerk == nil && !errors.Is(err, ddb.ErrNotFound):
					t.Errorf("%s, %s: got %+v and %v, want it deleted", f.name, fault.name, got, err)
				}
				if err == nil {
					want["UNIQUE#desk#"+got.Desk] = "CLERK#" + id
					if got.Phone != "" {
						want["UNIQUE#phone#"+got.Phone] = "CLERK#" + id
					}
				}
			}
			if f.name == "transaction" {
				want["UNIQUE#Member.Email#m"] = "MEMBER#m"
			}
			markers, _ := c.items(t)
			if diff := cmp.Diff(want, markers); diff != "" {
				t.Errorf("%s, %s: markers (-want +got):\n%s", f.name, fault.name, diff)
			}
		}
	}
}

// TestModifyIsNotDoneTwice asserts that a change whose reply is lost is not made
// again when the SDK's client has sent it again, with and without a version.
func TestModifyIsNotDoneTwice(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s := newShop(client(t, db))
	create(t, db, s.table)
	put(t, s.scores, Score{Game: "g", Player: "p"})
	defer db.Inject(memory.LoseReply(), memory.OnOperation("UpdateItem"), memory.FirstCalls(1))()
	got, err := s.scores.Modify(t.Context(), Score{Game: "g", Player: "p"}, func(s *Score) error { s.Points += 5; return nil })
	if err != nil || got.Points != 5 {
		t.Errorf("got %d and %v, want 5", got.Points, err)
	}
	if got, err := s.scores.Get(got).Run(t.Context()); err != nil || got.Points != 5 {
		t.Errorf("stored: got %d and %v, want 5", got.Points, err)
	}
}

// TestWritesEndWithTheirContext asserts that a write which waits to be sent again
// ends when its context does, and says so beside what it met.
func TestWritesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	put(t, s.scores, Score{Game: "g", Player: "p"})
	defer db.Inject(memory.Conflict())()
	for name, run := range map[string]func(context.Context) error{
		"put":         s.notes.Put(&Note{UserID: "u", NoteID: "n"}).Run,
		"transaction": ddb.Transact(s.notes.Put(&Note{UserID: "u", NoteID: "n"})).Run,
		"modify": func(ctx context.Context) error {
			_, err := s.scores.Modify(ctx, Score{Game: "g", Player: "p"}, func(s *Score) error { s.Points++; return nil })
			return err
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := db.Inject(memory.Delay(0), func(*memory.Call) bool { cancel(nil); return true })
		err := run(ctx)
		stop()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
}

// TestThrottledAndConflictingWrites asserts that what single writes meet time and
// again has a sentinel of its own and leaves nothing.
func TestThrottledAndConflictingWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := memory.New()
		s := newShop(db)
		create(t, db, s.table)
		n := Note{UserID: "u", NoteID: "n"}
		for is, fault := range map[error]memory.Fault{ddb.ErrThrottled: memory.Throttle(), ddb.ErrTransactionConflict: memory.Conflict()} {
			stop := db.Inject(fault, memory.OnOperation("PutItem"))
			if err := s.notes.Put(&n).Run(t.Context()); !errors.Is(err, is) {
				t.Errorf("got %v, want %v", err, is)
			}
			stop()
		}
		wantEmpty(t, db)
		stop := db.Inject(memory.Throttle(), memory.OnOperation("BatchWriteItem"), memory.FirstCalls(2))
		defer stop()
		if err := ddb.Batch(s.notes.Put(&n)).Run(t.Context()); err != nil {
			t.Errorf("throttled batch: got %v, want success at last", err)
		}
	})
}

// mute writes, and returns no attributes.
type mute struct{ *memory.DB }

func (m mute) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := m.DB.UpdateItem(ctx, in, opts...)
	if err == nil {
		out.Attributes = nil
	}
	return out, err
}

// TestUpdateNeedsTheItem asserts that an update whose reply lacks the item does not
// pass an empty value for it.
func TestUpdateNeedsTheItem(t *testing.T) {
	t.Parallel()
	db := memory.New()
	s := newShop(mute{db})
	create(t, db, s.table)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	put(t, s.orders, o)
	if got, err := s.orders.Update(o).Set(s.total.To(5)).Run(t.Context()); !errors.Is(err, ddb.ErrDecode) {
		t.Errorf("got %+v and %v, want ErrDecode", got, err)
	}
	less := s.orders.Update(o).Set(s.total.To(6)).Edit(func(in *dynamodb.UpdateItemInput) { in.ReturnValues = types.ReturnValueNone })
	if _, err := less.Run(t.Context()); err != nil {
		t.Errorf("none asked for: got %v, want success", err)
	}
}

// TestUpdatesBeyondTheItemSize asserts that an item which an update would make too
// large has the error of one that is put.
func TestUpdatesBeyondTheItemSize(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	o := order("u", "o", "2024-05-20T12:00:00Z", "NEW")
	put(t, s.orders, o)
	more := s.orders.Update(o).Set(s.lines.Append([]string{strings.Repeat("x", 300<<10)}))
	if _, err := more.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, alone := more.Run(t.Context())
	for _, err := range []error{alone, ddb.Transact(more).Run(t.Context())} {
		if !errors.Is(err, ddb.ErrItemTooLarge) || errors.Is(err, ddb.ErrValidation) {
			t.Errorf("got %v, want ErrItemTooLarge", err)
		}
	}
}
