package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Customer, Parcel and Seen live in a table with a stream.
type Customer struct {
	_ ddb.Entity `name:"Customer" pk:"CUSTOMER#{ID}" sk:"PROFILE"`

	ID      string
	Email   string `dynamodbav:",omitempty"`
	Visits  int
	Expires time.Time `ddb:"ttl"`
}

type Parcel struct {
	_ ddb.Entity `name:"Parcel" pk:"CUSTOMER#{ID}" sk:"PARCEL#{No:05}"`

	ID     string
	No     int
	Weight string `dynamodbav:",omitempty"`
}

type Seen struct {
	_ ddb.Entity `name:"Seen" pk:"EVENT#{EventID}" sk:"SEEN"`

	EventID string
	Expires time.Time `ddb:"ttl"`
}

// post is a table with a stream, and a clock that the test moves.
type post struct {
	db        *memory.DB
	streams   ddb.StreamBackend
	nanos     *atomic.Int64
	table     *ddb.Table
	customers *ddb.Definition[Customer]
	parcels   *ddb.Definition[Parcel]
	seen      *ddb.Definition[Seen]
	visits    ddb.Attribute[Customer, int]
}

func (p *post) advance(d time.Duration) { p.nanos.Add(int64(d)) }

func newPost(t *testing.T, view types.StreamViewType) *post {
	t.Helper()
	p := &post{nanos: new(atomic.Int64)}
	p.nanos.Store(at("2024-05-20T12:00:00Z").UnixNano())
	clock := func() time.Time { return time.Unix(0, p.nanos.Load()).UTC() }
	p.db = memory.New(memory.Clock(clock), memory.Partitions(2))
	p.streams = streamBackend(t, p.db)
	p.table = ddb.NewTable("Post", backend(t, p.db), ddb.Clock(clock))
	p.customers, p.parcels, p.seen = ddb.Define[Customer](p.table), ddb.Define[Parcel](p.table), ddb.Define[Seen](p.table)
	p.visits = ddb.Field(p.customers, func(c *Customer) *int { return &c.Visits })
	in, err := p.table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: view}
	if _, err := p.db.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	ttl, err := p.table.UpdateTimeToLiveInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.db.UpdateTimeToLive(t.Context(), ttl); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.db.Check(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// told collects what handlers are told, in short.
type told struct {
	mu   sync.Mutex // guards said
	said []string
}

func (l *told) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

func (l *told) want(t *testing.T, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := cmp.Diff(l.said, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("handlers were told (-got +want):\n%s", d)
	}
	l.said = nil
}

func shownCustomer(c *Customer) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("%s %q %d", c.ID, c.Email, c.Visits)
}

// TestHandlers asserts that each kind of change of each entity reaches the handlers
// that want it, in the order in which they were registered, with the images that
// the stream shows and the key in any case.
func TestHandlers(t *testing.T) {
	t.Parallel()
	const none = "none"
	one, two := `a "a@x" 0`, `a "a@x" 1`
	for view, want := range map[types.StreamViewType][3]string{
		types.StreamViewTypeNewAndOldImages: {none + " -> " + one, one + " -> " + two, two + " -> " + none},
		types.StreamViewTypeNewImage:        {none + " -> " + one, none + " -> " + two, none + " -> " + none},
		types.StreamViewTypeOldImage:        {none + " -> " + none, one + " -> " + none, two + " -> " + none},
		types.StreamViewTypeKeysOnly:        {none + " -> " + none, none + " -> " + none, none + " -> " + none},
	} {
		t.Run(string(view), func(t *testing.T) {
			t.Parallel()
			p, ctx := newPost(t, view), t.Context()
			changes, l := ddb.NewChanges(p.table), new(told)
			note := func(name string) func(context.Context, ddb.Change[Customer]) error {
				return func(_ context.Context, c ddb.Change[Customer]) error {
					l.add("%s %s %s: %s -> %s", name, c.Kind, c.Key.ID, shownCustomer(c.Old), shownCustomer(c.New))
					if c.Old != nil {
						c.Old.Email = "changed by a handler"
					}
					if c.Record.SequenceNumber != c.SequenceNumber || c.EventID == "" || !c.Time.Equal(at("2024-05-20T12:00:00Z")) || c.Expired {
						return fmt.Errorf("details are %+v", c)
					}
					return nil
				}
			}
			ddb.On(changes, p.customers, note("all"))
			ddb.OnInsert(changes, p.customers, note("insert"))
			ddb.OnModify(changes, p.customers, note("modify"))
			ddb.OnRemove(changes, p.customers, note("remove"))
			c := Customer{ID: "a", Email: "a@x"}
			put(t, p.customers, c)
			put(t, p.parcels, Parcel{ID: "a", No: 7}) // has no handlers
			if _, err := p.customers.Update(c).Set(p.visits.Add(1)).Run(ctx); err != nil {
				t.Fatal(err)
			}
			if err := p.customers.Delete(c).Run(ctx); err != nil {
				t.Fatal(err)
			}
			if err := changes.Follow(p.streams).CatchUp(ctx); err != nil {
				t.Fatal(err)
			}
			l.want(t,
				"all INSERT a: "+want[0], "insert INSERT a: "+want[0],
				"all MODIFY a: "+want[1], "modify MODIFY a: "+want[1],
				"all REMOVE a: "+want[2], "remove REMOVE a: "+want[2])
		})
	}
}

// TestKeysTellEntities asserts that where the stream shows no image, the item's key
// tells its entity and fields.
func TestKeysTellEntities(t *testing.T) {
	t.Parallel()
	p, ctx := newPost(t, types.StreamViewTypeKeysOnly), t.Context()
	changes, l := ddb.NewChanges(p.table), new(told)
	ddb.On(changes, p.parcels, func(_ context.Context, c ddb.Change[Parcel]) error {
		l.add("parcel %s %d", c.Key.ID, c.Key.No)
		return nil
	})
	ddb.On(changes, p.seen, func(_ context.Context, c ddb.Change[Seen]) error {
		l.add("seen %s", c.Key.EventID)
		return nil
	})
	put(t, p.parcels, Parcel{ID: "a", No: 7})
	put(t, p.customers, Customer{ID: "a"})
	if err := changes.Follow(p.streams).CatchUp(ctx); err != nil {
		t.Fatal(err)
	}
	l.want(t, "parcel a 7")
	put(t, p.seen, Seen{EventID: "e"})
	if err := changes.Handle(ctx, ddb.Record{Kind: ddb.Inserted, Keys: item("PK", "EVENT#e", "SK", "SEEN")}); err != nil {
		t.Fatal(err)
	}
	l.want(t, "seen e")
}

// item makes an item of strings.
func item(pairs ...string) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &types.AttributeValueMemberS{Value: pairs[i+1]}
	}
	return out
}

// TestExpiredItems asserts that what DynamoDB removed itself is told from what
// somebody deleted.
func TestExpiredItems(t *testing.T) {
	t.Parallel()
	p, ctx := newPost(t, types.StreamViewTypeNewAndOldImages), t.Context()
	changes, l := ddb.NewChanges(p.table), new(told)
	ddb.OnRemove(changes, p.customers, func(_ context.Context, c ddb.Change[Customer]) error {
		l.add("%s expired %v", c.Old.ID, c.Expired)
		return nil
	})
	put(t, p.customers, Customer{ID: "a", Expires: at("2024-05-20T13:00:00Z")})
	p.advance(time.Hour)
	if n, err := p.db.Expire(ctx); n != 1 || err != nil {
		t.Fatalf("%d items expired, %v", n, err)
	}
	put(t, p.customers, Customer{ID: "a"})
	if err := p.customers.Delete(Customer{ID: "a"}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := changes.Follow(p.streams).CatchUp(ctx); err != nil {
		t.Fatal(err)
	}
	l.want(t, "a expired true", "a expired false")
}

// TestUnknownEntities asserts that records of items that the table does not know
// fail loudly, or are passed over by choice.
func TestUnknownEntities(t *testing.T) {
	t.Parallel()
	p, ctx := newPost(t, types.StreamViewTypeNewAndOldImages), t.Context()
	for name, r := range map[string]ddb.Record{
		"another entity":    {New: item("PK", "x", "SK", "y", "EntityType", "Stranger")},
		"no discriminator":  {Old: item("PK", "CUSTOMER#1", "SK", "PROFILE")},
		"keys of no entity": {Keys: item("PK", "x", "SK", "y")},
		"no keys":           {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.SequenceNumber, r.EventID, r.Kind = "12", "e", ddb.Modified
			err := ddb.NewChanges(p.table).Handle(ctx, r)
			failed, ok := errors.AsType[*ddb.ChangeError](err)
			if !ok || !errors.Is(err, ddb.ErrEntityType) || failed.SequenceNumber != "12" || failed.EventID != "e" || failed.Table != "Post" {
				t.Errorf("got %v, want ErrEntityType with the record", err)
			}
			if err := ddb.NewChanges(p.table, ddb.SkipUnknown()).Handle(ctx, r); err != nil {
				t.Errorf("skipping: got %v", err)
			}
		})
	}
}

// TestFailures asserts where handling stops, and what the error and the function
// for it are told.
func TestFailures(t *testing.T) {
	t.Parallel()
	p, ctx := newPost(t, types.StreamViewTypeNewAndOldImages), t.Context()
	record := func(id string) ddb.Record {
		it, err := p.customers.Item(&Customer{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return ddb.Record{Kind: ddb.Inserted, EventID: "e" + id, SequenceNumber: id, New: it, Keys: it}
	}
	l, boom := new(told), errors.New("boom")
	changes := ddb.NewChanges(p.table, ddb.OnChangeError(func(_ context.Context, err *ddb.ChangeError) { l.add("failed %s", err.SequenceNumber) }))
	ddb.On(changes, p.customers, func(_ context.Context, c ddb.Change[Customer]) error {
		l.add("first %s", c.New.ID)
		if c.New.ID == "2" {
			return boom
		}
		return nil
	})
	ddb.On(changes, p.customers, func(_ context.Context, c ddb.Change[Customer]) error {
		l.add("second %s", c.New.ID)
		return nil
	})
	err := changes.Handle(ctx, record("1"), record("2"), record("3"))
	if want := "ddb: insert Post: Customer, record 2: boom"; err == nil || !errors.Is(err, boom) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	l.want(t, "first 1", "second 1", "first 2", "failed 2")

	misfit := record("4")
	misfit.New["Visits"] = &types.AttributeValueMemberS{Value: "many"}
	if err := changes.Handle(ctx, misfit); !errors.Is(err, ddb.ErrDecode) {
		t.Errorf("an image that does not fit: got %v, want ErrDecode", err)
	}
	l.want(t, "failed 4")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := changes.Handle(ended, record("5")); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: got %v", err)
	}
	l.want(t)
}

// TestFaultyHandlers asserts that handlers which can never run are reported before
// any record.
func TestFaultyHandlers(t *testing.T) {
	t.Parallel()
	p, other := newPost(t, types.StreamViewTypeKeysOnly), newPost(t, types.StreamViewTypeKeysOnly)
	changes := ddb.NewChanges(p.table)
	ddb.On(changes, other.customers, func(context.Context, ddb.Change[Customer]) error { return nil })
	ddb.OnInsert[Parcel](changes, p.parcels, nil)
	for name, err := range map[string]error{
		"Err": changes.Err(), "Handle": changes.Handle(t.Context()), "Follow": changes.Follow(p.streams).Run(t.Context()),
	} {
		if !errors.Is(err, ddb.ErrDefinition) || !strings.Contains(err.Error(), "another table") || !strings.Contains(err.Error(), "is nil") {
			t.Errorf("%s: got %v, want both faults", name, err)
		}
	}
	if _, err := changes.Invoke(t.Context(), []byte(`{"Records":[]}`)); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("Invoke: got %v, want ErrDefinition", err)
	}
}

// TestOnce asserts that an effect of writes happens once, however often and however
// many at once claim it, and not at all if it cannot.
func TestOnce(t *testing.T) {
	t.Parallel()
	p, ctx := newPost(t, types.StreamViewTypeNewAndOldImages), t.Context()
	put(t, p.customers, Customer{ID: "a"})
	count := func(id string) (bool, error) {
		claim := Seen{EventID: id, Expires: at("2024-05-22T12:00:00Z")}
		return ddb.Once(ctx, p.seen, &claim, p.customers.Update(Customer{ID: "a"}).Set(p.visits.Add(1)))
	}
	var did atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			done, err := count("same")
			if err != nil {
				t.Error(err)
			}
			if done {
				did.Add(1)
			}
		})
	}
	wg.Wait()
	if got, err := p.customers.Get(Customer{ID: "a"}).Run(ctx); err != nil || got.Visits != 1 || did.Load() != 1 {
		t.Errorf("counted %d times by %d, %v; want once", got.Visits, did.Load(), err)
	}
	if done, err := count("other"); !done || err != nil {
		t.Errorf("another event: %v, %v", done, err)
	}
	claim := Seen{EventID: "fails"}
	done, err := ddb.Once(ctx, p.seen, &claim, p.customers.Update(Customer{ID: "missing"}).Set(p.visits.Add(1)))
	if done || !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("an effect that cannot be: %v, %v; want ErrNotFound", done, err)
	}
	if _, err := p.seen.Get(claim).Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("the claim of an effect that cannot be: %v, want none", err)
	}
}

// TestOnceOutlivesLostReplies asserts that a reply that is lost neither repeats the
// effect nor denies it.
func TestOnceOutlivesLostReplies(t *testing.T) {
	t.Parallel()
	p := newPost(t, types.StreamViewTypeKeysOnly)
	table := ddb.NewTable("Post", client(t, p.db))
	seen, customers := ddb.Define[Seen](table), ddb.Define[Customer](table)
	visits := ddb.Field(customers, func(c *Customer) *int { return &c.Visits })
	put(t, customers, Customer{ID: "a"})
	defer p.db.Inject(memory.LoseReply(), memory.OnOperation("TransactWriteItems"), memory.FirstCalls(1))()
	done, err := ddb.Once(t.Context(), seen, &Seen{EventID: "e"}, customers.Update(Customer{ID: "a"}).Set(visits.Add(1)))
	if !done || err != nil {
		t.Errorf("got %v, %v, want true", done, err)
	}
	if got, err := customers.Get(Customer{ID: "a"}).Run(t.Context()); err != nil || got.Visits != 1 {
		t.Errorf("counted %d times, %v; want once", got.Visits, err)
	}
}
