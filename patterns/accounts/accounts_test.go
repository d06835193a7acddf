package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/accounts"
)

const (
	john  = "john@example.com"
	smith = "smith@example.com"
)

func signUp(t ddbtest.TB, a *accounts.Accounts, id, email string) accounts.Account {
	t.Helper()
	account := accounts.Account{ID: id, Email: email, Name: "Name of " + id}
	if err := a.SignUp(t.Context(), &account); err != nil {
		t.Fatalf("sign up %s: %v", id, err)
	}
	return account
}

// wantOwner demands whose an address is, "" for nobody's.
func wantOwner(t ddbtest.TB, a *accounts.Accounts, email, want string) {
	t.Helper()
	got, err := a.ByEmail(t.Context(), email)
	switch {
	case want == "" && !errors.Is(err, ddb.ErrNotFound):
		t.Errorf("%s: got %+v and %v, want ErrNotFound", email, got, err)
	case want != "" && (err != nil || got.ID != want || !strings.EqualFold(got.Email, email)):
		t.Errorf("%s: got %+v and %v, want account %s", email, got, err, want)
	}
}

// TestAccounts walks accounts through everything that can be done with them.
func TestAccounts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	a := ddbtest.Open(t, db, accounts.New)
	ctx := t.Context()
	given := accounts.Account{Email: "John@Example.com", Name: "John Smith"}
	if err := a.SignUp(ctx, &given); err != nil || len(given.ID) < 20 {
		t.Fatalf("got the ID %q and %v, want a random one", given.ID, err)
	}
	wantOwner(t, a, john, given.ID)
	if got, err := a.Get(ctx, given.ID); err != nil || cmp.Diff(got, given) != "" || got.Email != "John@Example.com" {
		t.Errorf("error %v, the account (-got +want)\n%s", err, cmp.Diff(got, given))
	}

	if err := a.ChangeEmail(ctx, given.ID, "John@Example.com", smith); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Get(ctx, given.ID); err != nil || got.Email != smith || got.Name != "John Smith" {
		t.Errorf("changed: got %+v and %v", got, err)
	}
	wantOwner(t, a, john, "")
	wantOwner(t, a, smith, given.ID)
	signUp(t, a, "2", john)
	if err := a.ChangeEmail(ctx, "2", john, "JOHN@example.com"); err != nil {
		t.Fatal(err)
	}
	if got, err := a.ByEmail(ctx, john); err != nil || got.ID != "2" || got.Email != "JOHN@example.com" {
		t.Errorf("other letter case: got %+v and %v", got, err)
	}

	if err := a.Delete(ctx, given.ID); err != nil {
		t.Fatal(err)
	}
	wantOwner(t, a, smith, "")
	signUp(t, a, "3", smith)
	wantOwner(t, a, smith, "3")
	if n := len(ddbtest.ItemsOf(t, db, "AppTable")); n != 4 {
		t.Errorf("got %d items, want two accounts and their markers", n)
	}
}

// TestRefusals asserts what cannot be, and that it leaves nothing behind.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	a := ddbtest.Open(t, db, accounts.New)
	signUp(t, a, "1", john)
	signUp(t, a, "2", smith)
	create := func(id, email string) func(context.Context) error {
		return func(ctx context.Context) error { return a.SignUp(ctx, &accounts.Account{ID: id, Email: email}) }
	}
	change := func(id, from, to string) func(context.Context) error {
		return func(ctx context.Context) error { return a.ChangeEmail(ctx, id, from, to) }
	}
	find := func(email string) func(context.Context) error {
		return func(ctx context.Context) error { _, err := a.ByEmail(ctx, email); return err }
	}
	for _, test := range []struct {
		name string
		call func(context.Context) error
		want error
	}{
		{"no address", create("3", ""), accounts.ErrEmail},
		{"no domain", create("3", "john@"), accounts.ErrEmail},
		{"no name", create("3", "@example.com"), accounts.ErrEmail},
		{"no @", create("3", "example.com"), accounts.ErrEmail},
		{"space", create("3", " a@example.com"), accounts.ErrEmail},
		{"line end", create("3", "a@example.com\r\n"), accounts.ErrEmail},
		{"no UTF-8", create("3", "a\xff@example.com"), accounts.ErrEmail},
		{"too long", create("3", strings.Repeat("a", accounts.MaxEmail)+"@b"), accounts.ErrEmail},
		{"separator in the address", create("3", "a#b@example.com"), ddb.ErrKey},
		{"separator in the ID", create("3#4", "a@example.com"), ddb.ErrKey},
		{"taken", create("3", john), accounts.ErrTaken},
		{"taken in other letters", create("3", "JOHN@example.COM"), accounts.ErrTaken},
		{"taken, as ddb says it", create("3", john), ddb.ErrUnique},
		{"ID taken", create("1", "a@example.com"), ddb.ErrExists},
		{"ID taken, address its own", create("1", john), ddb.ErrExists}, // the name differs
		{"change to a taken one", change("1", john, smith), accounts.ErrTaken},
		{"change to a bad one", change("1", john, "x"), accounts.ErrEmail},
		{"change from another", change("1", smith, "a@example.com"), accounts.ErrChanged},
		{"change from other letters", change("1", "JOHN@example.com", "a@example.com"), accounts.ErrChanged},
		{"change of nobody", change("3", john, "a@example.com"), ddb.ErrNotFound},
		{"delete nobody", func(ctx context.Context) error { return a.Delete(ctx, "3") }, ddb.ErrNotFound},
		{"get nobody", func(ctx context.Context) error { _, err := a.Get(ctx, "3"); return err }, ddb.ErrNotFound},
		{"find nobody", find("a@example.com"), ddb.ErrNotFound},
		{"find by a beginning", find("john@example.co"), ddb.ErrNotFound},
		{"find nothing", find(""), accounts.ErrEmail},
	} {
		t.Run(test.name, func(t *testing.T) {
			ddbtest.Unchanged(t, db, func() {
				if err := test.call(t.Context()); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
}

// TestAgain asserts that calls whose replies were lost can be repeated, and change
// nothing more.
func TestAgain(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	a := ddbtest.Open(t, db, accounts.New)
	ctx := t.Context()
	account := accounts.Account{Email: john, Name: "John"}
	again := func(what string, call func() error) {
		t.Helper()
		db.LoseReply(1, "TransactWriteItems")
		if err := call(); err == nil {
			t.Fatalf("%s: the reply was lost, but there is no error", what)
		}
		ddbtest.Unchanged(t, db, func() {
			if err := call(); err != nil {
				t.Errorf("%s again: %v", what, err)
			}
		})
	}
	again("sign-up", func() error { return a.SignUp(ctx, &account) })
	again("change", func() error { return a.ChangeEmail(ctx, account.ID, john, smith) })
	wantOwner(t, a, smith, account.ID)
	wantOwner(t, a, john, "")
}

// TestStaleIndex asserts that an account which is listed under an address that is
// now another's is not handed out for it.
func TestStaleIndex(t *testing.T) {
	t.Parallel()
	clock := ddbtest.NewClock(time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC))
	db := ddbtest.New(t, memory.Clock(clock.Now), memory.IndexLag(time.Minute))
	a := ddbtest.Open(t, db, accounts.New)
	signUp(t, a, "1", john)
	db.Settle()
	if err := a.ChangeEmail(t.Context(), "1", john, smith); err != nil {
		t.Fatal(err)
	}
	wantOwner(t, a, john, "")
	signUp(t, a, "2", john)
	wantOwner(t, a, john, "")
	db.Settle()
	wantOwner(t, a, john, "2")
	if err := a.Delete(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	wantOwner(t, a, smith, "")
}

// weathers are what calls may meet on the way to the engine.
var weathers = map[string]func(ddbtest.Faults, uint64) (stop func()){
	"in calm": func(ddbtest.Faults, uint64) func() { return func() {} }, "in a storm": ddbtest.Faults.Storm,
}

// inAnyWeather runs a test with and without lost replies, throttled requests and
// conflicts. Calm returns once these are over.
func inAnyWeather(t *testing.T, test func(t *testing.T, a *accounts.Accounts, calm func())) {
	t.Helper()
	for name, storm := range weathers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := ddbtest.NewServer(t)
			a := ddbtest.Open(t, srv, accounts.New)
			test(t, a, storm(srv.Faults, 1))
		})
	}
}

// atOnce runs f 50 times at once and returns which of them did not fail. Others
// must fail with one of the errors allowed.
func atOnce(t *testing.T, f func(n int) error, allowed ...error) (done []int) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for n := range 50 {
		wg.Go(func() {
			err := f(n)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				done = append(done, n)
				return
			}
			for _, a := range allowed {
				if errors.Is(err, a) {
					return
				}
			}
			t.Errorf("%d: %v", n, err)
		})
	}
	wg.Wait()
	return done
}

// TestOneSignsUp asserts that of 50 who sign up with one address at once one gets
// it, and nothing of the others stays.
func TestOneSignsUp(t *testing.T) {
	t.Parallel()
	inAnyWeather(t, func(t *testing.T, a *accounts.Accounts, calm func()) {
		done := atOnce(t, func(n int) error {
			email := john
			if n%2 == 1 {
				email = strings.ToUpper(john)
			}
			return a.SignUp(t.Context(), &accounts.Account{ID: fmt.Sprint(n), Email: email})
		}, accounts.ErrTaken)
		calm()
		if len(done) != 1 {
			t.Fatalf("%v signed up, want one", done)
		}
		wantOwner(t, a, john, fmt.Sprint(done[0]))
		for n := range 50 {
			if _, err := a.Get(t.Context(), fmt.Sprint(n)); (err == nil) != (n == done[0]) {
				t.Errorf("account %d: got %v", n, err)
			}
		}
	})
}

// TestOneChanges asserts that of 50 changes of one account at once, each to another
// address, one happens, and that all other addresses are free.
func TestOneChanges(t *testing.T) {
	t.Parallel()
	inAnyWeather(t, func(t *testing.T, a *accounts.Accounts, calm func()) {
		signUp(t, a, "1", john)
		address := func(n int) string { return fmt.Sprintf("john%d@example.com", n) }
		done := atOnce(t, func(n int) error { return a.ChangeEmail(t.Context(), "1", john, address(n)) }, accounts.ErrChanged)
		calm()
		if len(done) != 1 {
			t.Fatalf("%v happened, want one", done)
		}
		wantOwner(t, a, address(done[0]), "1")
		for n := range 50 {
			if n != done[0] {
				signUp(t, a, fmt.Sprint("new", n), address(n))
			}
		}
		signUp(t, a, "2", john)
	})
}

// TestOneGetsFreed asserts that of 50 accounts that want an address which is being
// given up one gets it, or none, and that it is never two's.
func TestOneGetsFreed(t *testing.T) {
	t.Parallel()
	inAnyWeather(t, func(t *testing.T, a *accounts.Accounts, calm func()) {
		for n := range 50 {
			signUp(t, a, fmt.Sprint(n), fmt.Sprintf("a%d@example.com", n))
		}
		signUp(t, a, "owner", john)
		done := atOnce(t, func(n int) error {
			if n == 0 {
				return a.Delete(t.Context(), "owner")
			}
			return a.ChangeEmail(t.Context(), fmt.Sprint(n), fmt.Sprintf("a%d@example.com", n), john)
		}, accounts.ErrTaken)
		calm()
		winner := ""
		for _, n := range done {
			if n == 0 {
				continue
			}
			if winner != "" {
				t.Errorf("accounts %s and %d both have the address", winner, n)
			}
			winner = fmt.Sprint(n)
		}
		wantOwner(t, a, john, winner)
	})
}

// TestAnyHistory compares accounts after any history with a model of them.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	emails := []string{"a@x", "A@x", "b@x", "c@x"}
	rapid.Check(t, func(t *rapid.T) {
		a := ddbtest.Open(t, ddbtest.New(t), accounts.New)
		ctx := t.Context()
		model := make(map[string]string) // address by ID
		taken := func(id, email string) bool {
			for other, has := range model {
				if other != id && strings.EqualFold(has, email) {
					return true
				}
			}
			return false
		}
		wants := func(err, want error) {
			if !errors.Is(err, want) {
				t.Fatalf("got %v, want %v", err, want)
			}
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			id, email := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id"), rapid.SampledFrom(emails).Draw(t, "address")
			has, there := model[id]
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				err := a.SignUp(ctx, &accounts.Account{ID: id, Email: email})
				switch {
				case there && has == email:
					wants(err, nil)
				case there:
					wants(err, ddb.ErrExists)
				case taken(id, email):
					wants(err, accounts.ErrTaken)
				default:
					wants(err, nil)
					model[id] = email
				}
			case 1:
				err := a.ChangeEmail(ctx, id, has, email)
				switch {
				case !there:
					wants(err, ddb.ErrNotFound)
				case taken(id, email):
					wants(err, accounts.ErrTaken)
				default:
					wants(err, nil)
					model[id] = email
				}
			case 2:
				err := a.Delete(ctx, id)
				if !there {
					wants(err, ddb.ErrNotFound)
				} else {
					wants(err, nil)
				}
				delete(model, id)
			}
		}
		for _, email := range emails {
			owner := ""
			for id, has := range model {
				if strings.EqualFold(has, email) {
					owner = id
				}
			}
			wantOwner(t, a, email, owner)
		}
	})
}

// TestTogether asserts that what the caller adds happens with the account, or
// neither does.
func TestTogether(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	var profiles *ddb.Definition[Profile]
	a := ddbtest.Open(t, db, func(table *ddb.Table) *accounts.Accounts {
		profiles = ddb.Define[Profile](table)
		return accounts.New(table)
	})
	ctx := t.Context()
	if err := a.SignUp(ctx, &accounts.Account{ID: "1", Email: john}, profiles.Create(&Profile{AccountID: "1", City: "深圳"})); err != nil {
		t.Fatal(err)
	}
	ddbtest.Unchanged(t, db, func() {
		err := a.SignUp(ctx, &accounts.Account{ID: "2", Email: smith}, profiles.Create(&Profile{AccountID: "1"}))
		if failed, ok := errors.AsType[*ddb.TxError](err); !ok || !errors.Is(failed.Reasons[1], ddb.ErrExists) {
			t.Errorf("got %v, want ErrExists for the profile", err)
		}
	})
	if err := a.Delete(ctx, "1", profiles.Delete(Profile{AccountID: "1"})); err != nil {
		t.Fatal(err)
	}
	if left := ddbtest.ItemsOf(t, db, "AppTable"); len(left) > 0 {
		t.Errorf("left behind:\n%s", left)
	}
}

// Profile is what a caller keeps beside an account.
type Profile struct {
	_ ddb.Entity `name:"Profile" pk:"ACCOUNT#{AccountID}" sk:"PROFILE"`

	AccountID string
	City      string
}

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	a := ddbtest.Open(t, db, accounts.New)
	ctx := t.Context()
	cost := func(call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	cost(func() error { return a.SignUp(ctx, &accounts.Account{ID: "1", Email: john}) }).Exactly(1, 5, 0)
	cost(func() error { return a.ChangeEmail(ctx, "1", john, smith) }).Exactly(2, 9, 1)
	cost(func() error { _, err := a.Get(ctx, "1"); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := a.ByEmail(ctx, smith); return err }).Exactly(2, 1.5, 2)
	cost(func() error { return a.Delete(ctx, "1") }).Exactly(2, 6, 1)
}
