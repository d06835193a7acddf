package ddbtest_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

var (
	_ ddbtest.TB = (*testing.T)(nil)
	_ ddbtest.TB = (*testing.B)(nil)
	_ ddbtest.TB = (*testing.F)(nil)
	_ ddbtest.TB = (*rapid.T)(nil)
)

type opener = func(ddbtest.TB, ...memory.Option) ddbtest.Backend

// kinds are both kinds of backends.
var kinds = map[string]opener{
	"in process": func(t ddbtest.TB, opts ...memory.Option) ddbtest.Backend { return ddbtest.New(t, opts...) },
	"over HTTP":  func(t ddbtest.TB, opts ...memory.Option) ddbtest.Backend { return ddbtest.NewServer(t, opts...) },
}

// both runs a test on either kind of backend.
func both(t *testing.T, test func(*testing.T, opener)) {
	t.Helper()
	for name, open := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// TestOpen asserts that Open gives what the constructor does, on a table that can
// be used at once, with its indexes and its expiry.
func TestOpen(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		db := open(t)
		s := ddbtest.Open(t, db, newShop)
		ddbtest.Seed(t, s.users, User{ID: "1"})
		if err := s.placeOrder(t.Context(), "1", "a"); err != nil {
			t.Fatal(err)
		}
		n, err := s.orders.Query(Order{Status: "OPEN"}).Index("GSI1").Count(t.Context())
		if err != nil || n != 1 {
			t.Errorf("got %d orders and %v, want 1", n, err)
		}
		engine := engineOf(db)
		ttl, err := engine.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(ddbtest.TableName)})
		if err != nil || aws.ToString(ttl.TimeToLiveDescription.AttributeName) != "Expires" {
			t.Errorf("got %+v and %v, want expiry by Expires", ttl, err)
		}
	})
}

func engineOf(db ddbtest.Backend) *memory.DB {
	if s, ok := db.(*ddbtest.Server); ok {
		return s.DB.DB
	}
	return db.(*ddbtest.DB).DB
}

// TestCreate asserts that tables of a program's own making can be created, and
// that what cannot be created fails the test.
func TestCreate(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	one, other := newShop(ddb.NewTable("One", db)), newShop(ddb.NewTable("Other", db))
	ddbtest.Create(t, db, one.table, other.table)
	ddbtest.Seed(t, other.users, User{ID: "1"})
	wantFailure(t, func(t ddbtest.TB) { ddbtest.Create(t, db, one.table) }, "create table One", "ResourceInUseException")
	type faulty struct {
		_ ddb.Entity `pk:"A#{Nope}" sk:"B"`
	}
	wantFailure(t, func(t ddbtest.TB) { ddbtest.Open(t, ddbtest.New(t), ddb.Define[faulty]) }, "faulty definitions", "{Nope}")
}

// TestNothingIsShared asserts that 500 tests side by side, each on the same table
// name and the same keys, do not meet.
func TestNothingIsShared(t *testing.T) {
	t.Parallel()
	for n := range 500 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := ddbtest.Open(t, ddbtest.New(t), newShop)
			ddbtest.Seed(t, s.users, User{ID: "1", Orders: n})
			if err := s.placeOrder(t.Context(), "1", "a"); err != nil {
				t.Fatal(err)
			}
			u, err := s.users.Get(User{ID: "1"}).Run(t.Context())
			if err != nil || u.Orders != n+1 {
				t.Errorf("got %d orders and %v, want %d", u.Orders, err, n+1)
			}
		})
	}
}

// TestNewIsFast asserts what a fresh table costs in allocations, which decide
// about its time: well under a millisecond.
func TestNewIsFast(t *testing.T) {
	var got float64
	wantFailure(t, func(probe ddbtest.TB) {
		got = testing.AllocsPerRun(20, func() { ddbtest.Open(probe, ddbtest.New(probe), newShop) })
	})
	if got > 1000 {
		t.Errorf("a fresh table takes %v allocations, want at most 1000", got)
	}
}

// TestSynctest asserts that in a bubble the engine lives by the bubble's clock, in
// process and over HTTP.
func TestSynctest(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		synctest.Test(t, func(t *testing.T) {
			db := open(t, memory.IndexLag(time.Minute))
			s := ddbtest.Open(t, db, newShop)
			ddbtest.Seed(t, s.orders, Order{UserID: "1", ID: "a", Status: "OPEN"})
			pending := s.orders.Query(Order{Status: "OPEN"}).Index("GSI1")
			if n, err := pending.Count(t.Context()); n != 0 || err != nil {
				t.Errorf("at once: got %d and %v, want 0", n, err)
			}
			<-time.After(time.Minute)
			if n, err := pending.Count(t.Context()); n != 1 || err != nil {
				t.Errorf("a minute later: got %d and %v, want 1", n, err)
			}
		})
	})
}

// TestServerForOthers asserts that a server can be reached by other clients.
func TestServerForOthers(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	s := ddbtest.Open(t, srv, newShop)
	other := dynamodb.New(srv.Options(), func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(srv.Listen(t))
		o.HTTPClient = http.DefaultClient
	})
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			_, err := other.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(ddbtest.TableName), Item: map[string]types.AttributeValue{
				"PK": &types.AttributeValueMemberS{Value: "USER#1"}, "SK": &types.AttributeValueMemberS{Value: fmt.Sprintf("ORDER#%d", n)},
				"EntityType": &types.AttributeValueMemberS{Value: "Order"},
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, err := s.orders.Query(Order{UserID: "1"}).Count(t.Context()); n != 20 || err != nil {
		t.Errorf("got %d and %v, want 20", n, err)
	}
}

// TestClock asserts that a clock moves when told and that delays move it.
func TestClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC)
	clock := ddbtest.NewClock(start)
	db := ddbtest.New(t, memory.Clock(clock.Now), memory.Sleeper(clock.Sleep))
	s := ddbtest.Open(t, db, newShop, ddb.Clock(clock.Now))
	db.Delay(time.Hour, 1)
	ddbtest.Seed(t, s.users, User{ID: "1", Expires: start.Add(2 * time.Hour)}, User{ID: "2"})
	if got, want := clock.Now(), start.Add(time.Hour); !got.Equal(want) {
		t.Errorf("got %v after a delay, want %v", got, want)
	}
	read := s.users.Get(User{ID: "1"}).HideExpired()
	if _, err := read.Run(t.Context()); err != nil {
		t.Errorf("before expiry: %v", err)
	}
	clock.Advance(2 * time.Hour)
	if _, err := read.Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("after expiry: got %v, want ErrNotFound", err)
	}
	clock.Set(start)
	if got := clock.Now(); !got.Equal(start) {
		t.Errorf("got %v, want %v", got, start)
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ddbtest.Open(b, ddbtest.New(b), newShop)
	}
}
