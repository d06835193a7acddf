package docs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestStreamsCode promises that all code of streams.md stands here, and is
// therefore compiled and run.
func TestStreamsCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "streams.md", 8, "streams_test.go")
}

type Session struct {
	_ ddb.Entity `name:"Session" pk:"SESSION#{ID}" sk:"SESSION"`

	ID      string
	Expires time.Time `ddb:"ttl"`
}

type Counted struct {
	_ ddb.Entity `name:"Counted" pk:"EVENT#{EventID}" sk:"COUNTED"`

	EventID string
	Expires time.Time `ddb:"ttl"`
}

type Position struct {
	_ ddb.Entity `name:"Position" pk:"STREAM#{Stream}" sk:"SHARD#{Shard}"`

	Stream, Shard, SequenceNumber string
	Done                          bool
	Expires                       time.Time `ddb:"ttl"`
}

type positions struct{ *ddb.Definition[Position] }

func (p positions) Load(ctx context.Context, stream string) ([]ddb.Checkpoint, error) {
	var all []ddb.Checkpoint
	for v, err := range p.Query(Position{Stream: stream}).Consistent().All(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, ddb.Checkpoint{Shard: v.Shard, SequenceNumber: v.SequenceNumber, Done: v.Done})
	}
	return all, nil
}

func (p positions) Save(ctx context.Context, stream string, c ddb.Checkpoint) error {
	return p.Put(&Position{
		Stream: stream, Shard: c.Shard, SequenceNumber: c.SequenceNumber, Done: c.Done, Expires: time.Now().Add(48 * time.Hour),
	}).Run(ctx)
}

// createStreamed makes a table with a stream, whose items expire.
func createStreamed(ctx context.Context, db *memory.DB, table *ddb.Table) error {
	err := createWithStream(ctx, db, table)
	if err != nil {
		return err
	}
	return expire(ctx, db, table)
}

func createWithStream(ctx context.Context, db *memory.DB, table *ddb.Table) error {
	in, err := table.CreateTableInput()
	if err != nil {
		return err
	}
	in.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	_, err = db.CreateTable(ctx, in)
	return err
}

func expire(ctx context.Context, db *memory.DB, table *ddb.Table) error {
	in, err := table.UpdateTimeToLiveInput()
	if err != nil {
		return err
	}
	_, err = db.UpdateTimeToLive(ctx, in)
	return err
}

// TestStreams handles changes of orders and sessions as the guide does.
func TestStreams(t *testing.T) {
	t.Parallel()
	ctx, now := t.Context(), at("2024-05-20T12:00:00Z")
	clock := func() time.Time { return now }
	db := memory.New(memory.Clock(clock))
	table := ddb.NewTable("AppTable", db, ddb.Clock(clock))
	users, orders, sessions := ddb.Define[User](table), ddb.Define[Order](table), ddb.Define[Session](table)
	counted, store := ddb.Define[Counted](table), positions{ddb.Define[Position](table)}
	count := ddb.Field(users, func(u *User) *int { return &u.Orders })
	must(t, createStreamed(ctx, db, table))

	var told []string
	notify := func(_ context.Context, text string) error {
		told = append(told, text)
		return nil
	}
	changes := ddb.NewChanges(table)
	ddb.OnInsert(changes, orders, func(ctx context.Context, c ddb.Change[Order]) error {
		return notify(ctx, "new order "+c.New.OrderID)
	})
	ddb.OnModify(changes, orders, func(ctx context.Context, c ddb.Change[Order]) error {
		if c.Old.Status == c.New.Status {
			return nil
		}
		return notify(ctx, "order "+c.New.OrderID+" is "+c.New.Status)
	})
	ddb.OnRemove(changes, sessions, func(ctx context.Context, c ddb.Change[Session]) error {
		if !c.Expired {
			return nil // somebody logged out
		}
		return notify(ctx, "session "+c.Old.ID+" has expired")
	})
	ddb.OnInsert(changes, orders, func(ctx context.Context, c ddb.Change[Order]) error {
		claim := Counted{EventID: c.EventID, Expires: c.Time.Add(48 * time.Hour)}
		_, err := ddb.Once(ctx, counted, &claim, users.Update(User{ID: c.New.UserID}).Set(count.Add(1)))
		return err
	})

	must(t, users.Create(&User{ID: "u"}).Run(ctx))
	o := Order{UserID: "u", OrderID: "1", Status: "PENDING", PlacedAt: now}
	must(t, orders.Create(&o).Run(ctx))
	o.Status = "SHIPPED"
	must(t, orders.Put(&o).Run(ctx))
	must(t, orders.Put(&o).Run(ctx))
	func(id string, until time.Time) {
		must(t, sessions.Create(&Session{ID: id, Expires: now}).Run(ctx)) // over at once, and still there
		err := sessions.Create(&Session{ID: id, Expires: until}).HideExpired().Run(ctx)
		must(t, err)
		if again := sessions.Create(&Session{ID: id, Expires: until}).HideExpired().Run(ctx); !errors.Is(again, ddb.ErrExists) {
			t.Errorf("got %v, want that it exists", again)
		}
	}("s", now.Add(time.Hour))
	now = now.Add(time.Hour)
	n, err := db.Expire(ctx) // how many items have expired
	must(t, err)
	equal(t, "expired", n, 1)

	func() {
		err := changes.Follow(db).CatchUp(ctx) // db: memory.New(), or the SDK's *dynamodbstreams.Client
		must(t, err)
	}()
	want := []string{"new order 1", "order 1 is SHIPPED", "session s has expired"}
	equal(t, "what is told", sorted(told), want)
	told = nil
	must(t, changes.Follow(db).CatchUp(ctx))
	equal(t, "what is told again", sorted(told), want)
	u, err := users.Get(User{ID: "u"}).Run(ctx)
	must(t, err)
	equal(t, "orders counted", u.Orders, 1)

	func() {
		ctx, cancel := context.WithCancel(ctx)
		ddb.OnInsert(changes, users, func(context.Context, ddb.Change[User]) error {
			cancel()
			return nil
		})
		err := changes.Follow(db).Checkpoints(store).Run(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped with %v", err)
		}
	}()
	told = nil
	must(t, changes.Follow(db).Checkpoints(store).CatchUp(ctx))
	must(t, changes.Follow(db).Checkpoints(store).CatchUp(ctx))
	if len(told) > len(want) {
		t.Errorf("told again behind checkpoints: %v", told)
	}
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

// TestLambda answers an event as the guide says.
func TestLambda(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("AppTable", memory.New())
	sessions := ddb.Define[Session](table)
	var failures []error
	slog := recorder{&failures}
	changes := ddb.NewChanges(table, ddb.OnChangeError(func(ctx context.Context, err *ddb.ChangeError) {
		slog.ErrorContext(ctx, "change not handled", "error", err)
	}))
	ddb.OnRemove(changes, sessions, func(context.Context, ddb.Change[Session]) error { return errors.New("down") })
	answer, err := changes.Invoke(t.Context(), []byte(`{"Records":[{"eventName":"REMOVE","dynamodb":{"SequenceNumber":"7",
		"Keys":{"PK":{"S":"SESSION#s"},"SK":{"S":"SESSION"}}}}]}`))
	must(t, err)
	equal(t, "answer", string(answer), `{"batchItemFailures":[{"itemIdentifier":"7"}]}`)
	equal(t, "failures", fmt.Sprint(failures), "[ddb: remove AppTable: Session, record 7: down]")
}

// recorder stands for package slog.
type recorder struct{ failures *[]error }

func (r recorder) ErrorContext(_ context.Context, _ string, args ...any) {
	*r.failures = append(*r.failures, args[1].(error))
}

var _ = slog.ErrorContext // which recorder has the signature of
