package ddbtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

// TestFaults asserts what each fault does to which calls, on a DB, where nobody
// sends requests again.
func TestFaults(t *testing.T) {
	t.Parallel()
	put := func(ctx context.Context, s shop) error { return s.users.Put(&User{ID: "1", Name: "new"}).Run(ctx) }
	get := func(ctx context.Context, s shop) error {
		_, err := s.users.Get(User{ID: "1"}).Run(ctx)
		return err
	}
	place := func(ctx context.Context, s shop) error { return s.placeOrder(ctx, "1", "a") }
	batch := func(ctx context.Context, s shop) error {
		return ddb.Batch(s.users.Put(&User{ID: "8"}), s.users.Put(&User{ID: "9"})).Run(ctx)
	}
	broken := errors.New("broken")
	type calls []func(context.Context, shop) error
	var internal *types.InternalServerError
	isInternal := func(err error) bool { return errors.As(err, &internal) }
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	fine := is(nil)
	tests := []struct {
		name  string
		fault func(ddbtest.Faults) (stop func())
		calls calls
		want  []func(error) bool
	}{
		{"lost reply", func(f ddbtest.Faults) func() { return f.LoseReply(1) }, calls{put, put}, []func(error) bool{isInternal, fine}},
		{"lost replies of reads", func(f ddbtest.Faults) func() { return f.LoseReply(2, "GetItem") },
			calls{put, get, get, get}, []func(error) bool{fine, isInternal, isInternal, fine}},
		{"throttled", func(f ddbtest.Faults) func() { return f.Throttle(1, "PutItem", "GetItem") },
			calls{get, put}, []func(error) bool{is(ddb.ErrThrottled), fine}},
		{"conflicts without end", func(f ddbtest.Faults) func() { return f.Conflict(10) },
			calls{get, put, put}, []func(error) bool{fine, is(ddb.ErrTransactionConflict), fine}},
		{"conflicts that pass", func(f ddbtest.Faults) func() { return f.Conflict(3) }, calls{place, put}, []func(error) bool{fine, fine}},
		{"unprocessed", func(f ddbtest.Faults) func() { return f.Unprocessed(1, 1) }, calls{put, batch}, []func(error) bool{fine, fine}},
		{"an error", func(f ddbtest.Faults) func() { return f.Fail(broken, 1, "TransactWriteItems") },
			calls{put, place, place}, []func(error) bool{fine, is(broken), fine}},
		{"none", func(f ddbtest.Faults) func() { return f.Fail(broken, 0) }, calls{put}, []func(error) bool{fine}},
		{"stopped", func(f ddbtest.Faults) func() { f.Fail(broken, 9)(); return func() {} }, calls{put}, []func(error) bool{fine}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := ddbtest.New(t)
			s := ddbtest.Open(t, db, newShop)
			ddbtest.Seed(t, s.users, User{ID: "1"})
			stop := test.fault(db.Faults)
			ddbtest.ItemsOf(t, db, ddbtest.TableName) // operations on tables are spared
			for i, call := range test.calls {
				if err := call(t.Context(), s); !test.want[i](err) {
					t.Errorf("call %d: got %v", i, err)
				}
			}
			stop()
		})
	}
}

// quiet takes down what a test would have failed with.
type quiet struct {
	ddbtest.TB
	said []string
}

func (q *quiet) Errorf(format string, args ...any) {
	q.said = append(q.said, fmt.Sprintf(format, args...))
}

// TestFaultsThatCannotStrike asserts that a fault which nothing can meet fails the
// test that set it, and says why.
func TestFaultsThatCannotStrike(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault func(ddbtest.Faults) (stop func())
		want  string
	}{
		"misspelt":        {func(f ddbtest.Faults) func() { return f.Throttle(1, "PutItem", "GetItm") }, `Throttle strikes none of the calls of "GetItm"`},
		"table":           {func(f ddbtest.Faults) func() { return f.LoseReply(1, "CreateTable") }, "LoseReply strikes none"},
		"no batch":        {func(f ddbtest.Faults) func() { return f.Unprocessed(1, 1, "GetItem") }, "it strikes BatchWriteItem, BatchGetItem"},
		"no elements":     {func(f ddbtest.Faults) func() { return f.Unprocessed(1, 0) }, "Unprocessed would do nothing"},
		"read":            {func(f ddbtest.Faults) func() { return f.Conflict(1, "Query") }, `Conflict strikes none of the calls of "Query"`},
		"no error":        {func(f ddbtest.Faults) func() { return f.Fail(nil, 1) }, "Fail would do nothing"},
		"no time":         {func(f ddbtest.Faults) func() { return f.Delay(0, 1) }, "Delay would do nothing"},
		"no event":        {func(f ddbtest.Faults) func() { return f.Meanwhile(nil) }, "Meanwhile would do nothing"},
		"less than none":  {func(f ddbtest.Faults) func() { return f.Throttle(-1) }, "Throttle would do nothing"},
		"none on purpose": {func(f ddbtest.Faults) func() { return f.Throttle(0) }, ""},
	} {
		q := &quiet{TB: t}
		test.fault(ddbtest.New(q).Faults)()
		if got := strings.Join(q.said, "\n"); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want it to say %q", name, got, test.want)
		}
	}
}

// TestFaultsOverHTTP asserts that the SDK's client sends again what fails on the
// way, so that only conflicts without end reach the program.
func TestFaultsOverHTTP(t *testing.T) {
	t.Parallel()
	srv := ddbtest.NewServer(t)
	s := ddbtest.Open(t, srv, newShop)
	srv.LoseReply(2)
	srv.Throttle(4)
	ddbtest.Seed(t, s.users, User{ID: "1"})
	srv.Conflict(1)
	_, err := srv.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(ddbtest.TableName), Item: user("1")})
	if _, ok := errors.AsType[*types.TransactionConflictException](err); !ok {
		t.Errorf("got %v, want a conflict", err)
	}
}

// TestDelay asserts that a call waits as the engine's sleeper does.
func TestDelay(t *testing.T) {
	t.Parallel()
	clock := ddbtest.NewClock(time.Unix(0, 0))
	db := ddbtest.New(t, memory.Clock(clock.Now), memory.Sleeper(clock.Sleep))
	s := ddbtest.Open(t, db, newShop)
	db.Delay(time.Second, 2)
	ddbtest.Seed(t, s.users, User{ID: "1"}, User{ID: "2"}, User{ID: "3"})
	if got, want := clock.Now(), time.Unix(2, 0); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestMeanwhile asserts that something happens between a reading and the writing
// that follows it, and only then.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		db := open(t)
		s := ddbtest.Open(t, db, newShop)
		ddbtest.Seed(t, s.users, User{ID: "1"})
		add := func(n int) func(u *User) error { return func(u *User) error { u.Orders += n; return nil } }
		happened := 0
		faultsOf(db).Meanwhile(func() {
			happened++
			if _, err := s.users.Modify(t.Context(), User{ID: "1"}, add(10)); err != nil {
				t.Error(err)
			}
		}, "UpdateItem")
		got, err := s.users.Modify(t.Context(), User{ID: "1"}, add(1))
		if err != nil || got.Orders != 11 || happened != 1 {
			t.Errorf("got %d orders and %v, and it happened %d times; want 11, once", got.Orders, err, happened)
		}
	})
}

func faultsOf(db ddbtest.Backend) ddbtest.Faults {
	if s, ok := db.(*ddbtest.Server); ok {
		return s.Faults
	}
	return db.(*ddbtest.DB).Faults
}

// TestStorm asserts that a storm strikes, that what it does follows from the seed,
// that a client gets through it, and that it ends.
func TestStorm(t *testing.T) {
	t.Parallel()
	outcome := func(seed uint64) string {
		db := ddbtest.New(t)
		s := ddbtest.Open(t, db, newShop)
		stop := db.Storm(seed)
		outcome := ""
		for range 200 {
			_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(ddbtest.TableName), Item: user("1")})
			var api smithy.APIError
			switch {
			case err == nil:
				outcome += "."
			case errors.As(err, &api) && api.ErrorCode() == "ThrottlingException":
				outcome += "t"
			case errors.As(err, &api) && api.ErrorCode() == "TransactionConflictException":
				outcome += "c"
			default:
				outcome += "l"
			}
		}
		stop()
		for range 50 {
			ddbtest.Seed(t, s.orders, Order{UserID: "1", ID: "a", Status: "OPEN"})
			if err := s.orders.Delete(Order{UserID: "1", ID: "a"}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return outcome
	}
	first := outcome(1)
	if again := outcome(1); again != first {
		t.Errorf("the same seed gave\n%s\n%s", first, again)
	}
	if other := outcome(2); other == first {
		t.Error("two seeds gave the same")
	}
	for kind, want := range map[rune]int{'.': 100, 't': 15, 'l': 5} {
		n := 0
		for _, c := range first {
			if c == kind {
				n++
			}
		}
		if n < want {
			t.Errorf("got %d of %q, want at least %d", n, kind, want)
		}
	}

	srv := ddbtest.NewServer(t)
	s := ddbtest.Open(t, srv, newShop)
	ddbtest.Seed(t, s.users, User{ID: "1"})
	defer srv.Storm(3)()
	for range 100 {
		if _, err := s.users.Get(User{ID: "1"}).Run(t.Context()); err != nil {
			t.Errorf("the client did not get through: %v", err)
		}
	}
}

// TestInRapid asserts that a property can have an engine for each of its checks.
func TestInRapid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := ddbtest.Open(t, ddbtest.New(t), newShop)
		ddbtest.Seed(t, s.users, User{ID: rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "ID")})
	})
}
