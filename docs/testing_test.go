package docs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

// TestTestingCode promises that all code of testing.md stands here, and is
// therefore compiled and run.
func TestTestingCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "testing.md", 12, "testing_test.go")
}

// Store is the application under test.
type Store struct {
	Table  *ddb.Table
	Users  *ddb.Definition[User]
	Orders *ddb.Definition[Order]
	count  ddb.Attribute[User, int]
}

// OpenStore describes the application's table on a backend.
func OpenStore(backend ddb.Backend, opts ...ddb.TableOption) *Store {
	table := ddb.NewTable("Shop", backend, opts...)
	s := &Store{Table: table, Users: ddb.Define[User](table), Orders: ddb.Define[Order](table)}
	s.count = ddb.Field(s.Users, func(u *User) *int { return &u.Orders })
	return s
}

// Place stores an order and counts it.
func (s *Store) Place(ctx context.Context, o Order) error {
	return ddb.Transact(
		s.Orders.Create(&o),
		s.Users.Update(User{ID: o.UserID}).Set(s.count.Add(1)),
	).Run(ctx)
}

// anOrder returns an order of user 1.
func anOrder(id string) Order {
	return Order{UserID: "1", OrderID: id, Status: "PENDING", PlacedAt: at("2024-05-20T12:00:00Z")}
}

func TestPlacing(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	store := OpenStore(db)
	ddbtest.Create(t, db, store.Table)
	ddbtest.Seed(t, store.Users, User{ID: "1", Name: "Ann"}, User{ID: "2", Name: "Bob"})

	if err := store.Place(t.Context(), anOrder("A")); err != nil {
		t.Fatal(err)
	}
	u, err := store.Users.Get(User{ID: "1"}).Run(t.Context())
	if err != nil || u.Orders != 1 {
		t.Errorf("got %d orders and %v, want 1", u.Orders, err)
	}
}

func TestOneEntity(t *testing.T) {
	t.Parallel()
	users := ddbtest.Open(t, ddbtest.New(t), ddb.Define[User])
	ddbtest.Seed(t, users, User{ID: "1", Name: "Ann"})
}

// newStore returns a store on an engine of its own.
func newStore(t *testing.T) (*Store, *ddbtest.DB) {
	t.Helper()
	db := ddbtest.New(t)
	store := OpenStore(db)
	ddbtest.Create(t, db, store.Table)
	ddbtest.Seed(t, store.Users, User{ID: "1", Name: "Ann"})
	return store, db
}

func TestPlacingCosts(t *testing.T) {
	t.Parallel()
	store, db := newStore(t)
	ddbtest.Cost(t, db, func() {
		if err := store.Place(t.Context(), anOrder("A")); err != nil {
			t.Fatal(err)
		}
	}).AtMost(1, 8, 0).NoScan()
}

func TestOrdersOfADayAreSpread(t *testing.T) {
	t.Parallel()
	store, db := newStore(t)
	bill := ddbtest.Cost(t, db, func() {
		for n := range 100 {
			ddbtest.Seed(t, store.Orders, anOrder(fmt.Sprint(n)))
		}
	})
	for _, k := range bill.Keys {
		if k.Where == "Shop.GSI5" && k.WriteUnits > 25 {
			t.Errorf("%s took %v write units of 100", k.Key, k.WriteUnits)
		}
	}
}

func TestRefusedOrderLeavesNoTrace(t *testing.T) {
	t.Parallel()
	store, db := newStore(t)
	ddbtest.Unchanged(t, db, func() {
		o := anOrder("A")
		o.UserID = "nobody"
		if err := store.Place(t.Context(), o); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}

func TestPlacingChangesOneUser(t *testing.T) {
	t.Parallel()
	store, db := newStore(t)
	want := ddbtest.ItemsOf(t, db, "Shop")
	if err := store.Place(t.Context(), anOrder("A")); err != nil {
		t.Fatal(err)
	}
	got := ddbtest.ItemsOf(t, db, "Shop")
	want["USER#1 / PROFILE"]["Orders"] = ddbtest.N("1")
	delete(got, "USER#1 / ORDER#A")
	if diff := got.Diff(want); diff != "" {
		t.Errorf("beside the order (-got +want)\n%s", diff)
	}
}

func TestPlacingMeetsTrouble(t *testing.T) {
	t.Parallel()
	store, db := newStore(t)
	db.Conflict(2) // the next two writes meet a transaction that is under way
	db.Throttle(3, "TransactWriteItems")
	if err := store.Place(t.Context(), anOrder("A")); err != nil {
		t.Errorf("got %v, want it to try again", err)
	}
}

func TestPlacingIsCountedOnce(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	store := OpenStore(srv)
	ddbtest.Create(t, srv, store.Table)
	ddbtest.Seed(t, store.Users, User{ID: "1"})

	srv.LoseReply(2) // the client sends the transaction three times
	if err := store.Place(t.Context(), anOrder("A")); err != nil {
		t.Fatal(err)
	}
	u, err := store.Users.Get(User{ID: "1"}).Run(t.Context())
	if err != nil || u.Orders != 1 {
		t.Errorf("got %d orders and %v, want 1", u.Orders, err)
	}
}

func TestManyOrdersInAStorm(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	store := OpenStore(srv)
	ddbtest.Create(t, srv, store.Table)
	ddbtest.Seed(t, store.Users, User{ID: "1"})
	defer srv.Storm(1)()

	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			if err := store.Place(t.Context(), anOrder(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	u, err := store.Users.Get(User{ID: "1"}).Run(t.Context())
	if err != nil || u.Orders != 50 {
		t.Errorf("got %d orders and %v, want 50", u.Orders, err)
	}
}

func TestAnotherIsFaster(t *testing.T) {
	t.Parallel()
	store, db := newStore(t)
	rename := func(name string) func(*User) error {
		return func(u *User) error {
			u.Name += name
			return nil
		}
	}
	db.Meanwhile(func() {
		if _, err := store.Users.Modify(t.Context(), User{ID: "1"}, rename(" Lee")); err != nil {
			t.Error(err)
		}
	}, "UpdateItem")
	u, err := store.Users.Modify(t.Context(), User{ID: "1"}, rename(" jr."))
	if err != nil || u.Name != "Ann Lee jr." {
		t.Errorf("got %q and %v, want both changes", u.Name, err)
	}
}

func TestNewOrderAppearsLater(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t, memory.IndexLag(time.Second))
	store := OpenStore(db)
	ddbtest.Create(t, db, store.Table)
	ddbtest.Seed(t, store.Orders, anOrder("A"))
	pending := store.Orders.Query(Order{Status: "PENDING"}).Index("GSI1")
	if n, err := pending.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("at once: got %d and %v, want 0", n, err)
	}
	db.Settle()
	if n, err := pending.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("later: got %d and %v, want 1", n, err)
	}
}

func TestNewOrderAppearsASecondLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := ddbtest.New(t, memory.IndexLag(time.Second))
		store := OpenStore(db)
		ddbtest.Create(t, db, store.Table)
		ddbtest.Seed(t, store.Orders, anOrder("A"))
		<-time.After(time.Second) // takes no time
		if n, err := store.Orders.Query(Order{Status: "PENDING"}).Index("GSI1").Count(t.Context()); n != 1 || err != nil {
			t.Errorf("got %d and %v, want 1", n, err)
		}
	})
}

func TestByTheClock(t *testing.T) {
	t.Parallel()
	clock := ddbtest.NewClock(at("2024-05-20T12:00:00Z"))
	db := ddbtest.New(t, memory.Clock(clock.Now), memory.Sleeper(clock.Sleep))
	store := OpenStore(db, ddb.Clock(clock.Now))
	ddbtest.Create(t, db, store.Table)
	clock.Advance(24 * time.Hour)
	if got, want := store.Table.Now(), at("2024-05-21T12:00:00Z"); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		db := ddbtest.New(t) // one for each check
		store := OpenStore(db)
		ddbtest.Create(t, db, store.Table)
		ddbtest.Seed(t, store.Users, User{ID: "1"})
		ids := rapid.SliceOf(rapid.StringMatching(`[a-c]{1,2}`)).Draw(t, "orders")
		for _, id := range ids {
			if err := store.Place(t.Context(), anOrder(id)); err != nil && !errors.Is(err, ddb.ErrExists) {
				t.Fatal(err)
			}
		}
		u, err := store.Users.Get(User{ID: "1"}).Run(t.Context())
		n, err2 := store.Orders.Query(Order{UserID: "1"}).Count(t.Context())
		if err = errors.Join(err, err2); err != nil || u.Orders != n {
			t.Fatalf("counted %d of %d orders, error %v", u.Orders, n, err)
		}
	})
}

func TestExportedItems(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	store := OpenStore(db)
	ddbtest.Create(t, db, store.Table)
	ddbtest.Load(t, db, store.Table, "testdata/shop.jsonl")
	if u, err := store.Users.Get(User{ID: "12345"}).Run(t.Context()); err != nil || u.Name != "张三" {
		t.Errorf("got %+v and %v, want 张三", u, err)
	}
}

func TestBackendConforms(t *testing.T) {
	t.Parallel()
	backend := ddbtest.NewServer(t)
	ddbtest.Conform(t, backend)
}
