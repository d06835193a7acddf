package followers_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/followers"
)

// idsOf reads a whole list.
func idsOf[T any](t ddbtest.TB, q ddb.QueryOp[T], id func(T) string) []string {
	t.Helper()
	ids := []string{}
	for v, err := range q.All(t.Context()) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		ids = append(ids, id(v))
	}
	return ids
}

func follower(f followers.Follower) string  { return f.Follower }
func followee(f followers.Following) string { return f.Followee }

func must[T comparable](t ddbtest.TB, want T) func(T, error) {
	return func(got T, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("got %v and %v, want %v", got, err, want)
		}
	}
}

// TestFollow walks two users through everything.
func TestFollow(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC)
	g := ddbtest.Open(t, ddbtest.New(t), followers.New, ddb.Clock(func() time.Time { return now }))
	ctx := t.Context()
	must(t, followers.Counts{UserID: "12345"})(g.Counts(ctx, "12345"))
	must(t, false)(g.Follows(ctx, "12345", "67890"))
	must(t, true)(g.Follow(ctx, "12345", "67890"))
	must(t, true)(g.Follows(ctx, "12345", "67890"))
	must(t, false)(g.Follows(ctx, "67890", "12345"))
	must(t, false)(g.Mutual(ctx, "12345", "67890"))
	must(t, true)(g.Follow(ctx, "67890", "12345"))
	must(t, true)(g.Mutual(ctx, "12345", "67890"))
	must(t, followers.Counts{UserID: "12345", Followers: 1, Following: 1})(g.Counts(ctx, "12345"))
	must(t, true)(g.Unfollow(ctx, "12345", "67890"))
	must(t, false)(g.Mutual(ctx, "12345", "67890"))
	must(t, followers.Counts{UserID: "12345", Followers: 1})(g.Counts(ctx, "12345"))
	must(t, followers.Counts{UserID: "67890", Following: 1})(g.Counts(ctx, "67890"))
	f, err := g.Followers("12345").First(ctx)
	must(t, followers.Follower{Followee: "12345", Follower: "67890", Since: now})(f, err)
}

// TestTwice asserts that what is so already changes nothing.
func TestTwice(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	g := ddbtest.Open(t, db, followers.New)
	ctx := t.Context()
	must(t, true)(g.Follow(ctx, "1", "2"))
	ddbtest.Unchanged(t, db, func() {
		must(t, false)(g.Follow(ctx, "1", "2"))
		must(t, false)(g.Unfollow(ctx, "2", "1"))
		must(t, false)(g.Unfollow(ctx, "8", "9"))
	})
}

// TestRefusals asserts what cannot be, and that it leaves nothing behind.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	g := ddbtest.Open(t, db, followers.New)
	ddbtest.Unchanged(t, db, func() {
		for _, test := range []struct {
			follower, followee string
			want               error
		}{{"1", "1", followers.ErrSelf}, {"1", "", ddb.ErrKey}, {"", "1", ddb.ErrKey}, {"1", "2#3", ddb.ErrKey}} {
			if _, err := g.Follow(t.Context(), test.follower, test.followee); !errors.Is(err, test.want) {
				t.Errorf("%q follows %q: got %v, want %v", test.follower, test.followee, err, test.want)
			}
			if _, err := g.Unfollow(t.Context(), test.follower, test.followee); !errors.Is(err, test.want) {
				t.Errorf("%q unfollows %q: got %v, want %v", test.follower, test.followee, err, test.want)
			}
		}
	})
}

// TestLists asserts that both lists page both ways, one after the other without
// gap or repetition, and that nobody else is in them.
func TestLists(t *testing.T) {
	t.Parallel()
	g := ddbtest.Open(t, ddbtest.New(t), followers.New)
	ctx := t.Context()
	var want []string
	for n := range 25 {
		id := fmt.Sprintf("%02d", n)
		want = append(want, id)
		must(t, true)(g.Follow(ctx, id, "star"))
		must(t, true)(g.Follow(ctx, "fan", id))
	}
	must(t, true)(g.Follow(ctx, "star", "fan"))
	must(t, true)(g.Follow(ctx, "00", "starlet")) // whose name begins with star
	pages := func(t *testing.T, page func(cursor string) ([]string, string)) []string {
		t.Helper()
		var ids []string
		for cursor := ""; ; {
			some, next := page(cursor)
			ids = append(ids, some...)
			if cursor = next; cursor == "" {
				return ids
			}
			if len(some) != 7 {
				t.Errorf("a page has %d users, want 7", len(some))
			}
		}
	}
	backward := slices.Clone(want)
	slices.Reverse(backward)
	for _, test := range []struct {
		name      string
		followers ddb.QueryOp[followers.Follower]
		following ddb.QueryOp[followers.Following]
		want      []string
	}{
		{"forward", g.Followers("star"), g.Following("fan"), want},
		{"backward", g.Followers("star").Desc(), g.Following("fan").Desc(), backward},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := pages(t, func(cursor string) ([]string, string) {
				p, err := test.followers.Limit(7).Page(ctx, cursor)
				if err != nil {
					t.Fatal(err)
				}
				return each(p.Items, follower), p.Next
			})
			if diff := gocmp.Diff(got, test.want); diff != "" {
				t.Errorf("followers (-got +want)\n%s", diff)
			}
			got = pages(t, func(cursor string) ([]string, string) {
				p, err := test.following.Limit(7).Page(ctx, cursor)
				if err != nil {
					t.Fatal(err)
				}
				return each(p.Items, followee), p.Next
			})
			if diff := gocmp.Diff(got, test.want); diff != "" {
				t.Errorf("following (-got +want)\n%s", diff)
			}
		})
	}
}

func each[T any](items []T, id func(T) string) []string {
	var ids []string
	for _, it := range items {
		ids = append(ids, id(it))
	}
	return ids
}

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	g := ddbtest.Open(t, db, followers.New)
	ctx := t.Context()
	cost := func(call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	cost(func() error { _, err := g.Follow(ctx, "1", "2"); return err }).Exactly(1, 8, 0)
	cost(func() error { _, err := g.Follow(ctx, "1", "2"); return err }).Exactly(1, 8, 0)
	cost(func() error { _, err := g.Counts(ctx, "1"); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := g.Follows(ctx, "1", "2"); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := g.Mutual(ctx, "1", "2"); return err }).Exactly(1, 1, 1)
	cost(func() error { _, err := g.Unfollow(ctx, "1", "2"); return err }).Exactly(1, 8, 0)
	for n := range 30 {
		must(t, true)(g.Follow(ctx, fmt.Sprintf("%036d", n), "star"))
	}
	cost(func() error { _, err := g.Followers("star").Page(ctx, ""); return err }).AtMost(1, 1, 30)
}

// TestManyAtOnce asserts that 50 users who follow and unfollow one at once, each
// twice over, are counted exactly, also where replies are lost, requests throttled
// and transactions in conflict.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) ddbtest.Backend{
		"in process": func(t *testing.T) ddbtest.Backend { return ddbtest.New(t) },
		"over HTTP":  func(t *testing.T) ddbtest.Backend { return ddbtest.NewServer(t) },
		"in a storm": func(t *testing.T) ddbtest.Backend {
			srv := ddbtest.NewServer(t)
			t.Cleanup(srv.Storm(1))
			return srv
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := ddbtest.Open(t, open(t), followers.New)
			var wg sync.WaitGroup
			for n := range 50 {
				for range 2 {
					wg.Go(func() {
						if _, err := g.Follow(t.Context(), fmt.Sprint(n), "star"); err != nil {
							t.Error(err)
						}
					})
				}
			}
			wg.Wait()
			must(t, followers.Counts{UserID: "star", Followers: 50})(g.Counts(t.Context(), "star"))
			for n := range 50 {
				wg.Go(func() {
					act := g.Unfollow
					if n%2 == 0 {
						act = g.Follow
					}
					if _, err := act(t.Context(), fmt.Sprint(n), "star"); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			must(t, followers.Counts{UserID: "star", Followers: 25})(g.Counts(t.Context(), "star"))
			if got := len(idsOf(t, g.Followers("star"), follower)); got != 25 {
				t.Errorf("got %d followers, want 25", got)
			}
		})
	}
}

// TestAnyHistory compares lists, counts and relations after any history with a
// set of pairs. Some calls meet conflicts or throttling, and some lose their reply,
// after which they are repeated.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // where pauses take no time
		rapid.Check(struct{ testing.TB }{t}, anyHistory) // as a bubble knows no deadline
	})
}

type pair struct{ follower, followee string }

var (
	users = []string{"a", "ab", "b", "c"}
	user  = rapid.SampledFrom(users)
)

func anyHistory(t *rapid.T) {
	db := ddbtest.New(t)
	g := ddbtest.Open(t, db, followers.New)
	model := make(map[pair]bool)
	// act makes a relation so or not so.
	act := func(t *rapid.T, do func(context.Context, string, string) (bool, error), so bool) {
		p := pair{user.Draw(t, "follower"), user.Draw(t, "followee")}
		if p.follower == p.followee {
			return
		}
		isNew := model[p] != so
		if model[p] = so; !so {
			delete(model, p)
		}
		if rapid.Bool().Draw(t, "lost") {
			defer db.LoseReply(1)()
			if _, err := do(t.Context(), p.follower, p.followee); err == nil {
				t.Fatal("the reply was lost, but there is no error")
			}
			isNew = false // the second time
		}
		defer db.Conflict(rapid.IntRange(0, 1).Draw(t, "conflicts"))()
		defer db.Throttle(rapid.IntRange(0, 1).Draw(t, "throttled"))()
		must(t, isNew)(do(t.Context(), p.follower, p.followee))
	}
	t.Repeat(map[string]func(*rapid.T){
		"follow":   func(t *rapid.T) { act(t, g.Follow, true) },
		"unfollow": func(t *rapid.T) { act(t, g.Unfollow, false) },
		"": func(t *rapid.T) {
			u, other := user.Draw(t, "user"), user.Draw(t, "other")
			to, from := []string{}, []string{}
			for _, p := range slices.SortedFunc(maps.Keys(model), func(a, b pair) int {
				return cmp.Or(cmp.Compare(a.follower, b.follower), cmp.Compare(a.followee, b.followee))
			}) {
				if p.follower == u {
					to = append(to, p.followee)
				}
				if p.followee == u {
					from = append(from, p.follower)
				}
			}
			if got := idsOf(t, g.Following(u), followee); !slices.Equal(got, to) {
				t.Fatalf("%s follows %v, want %v", u, got, to)
			}
			if got := idsOf(t, g.Followers(u), follower); !slices.Equal(got, from) {
				t.Fatalf("%s is followed by %v, want %v", u, got, from)
			}
			must(t, followers.Counts{UserID: u, Followers: len(from), Following: len(to)})(g.Counts(t.Context(), u))
			must(t, model[pair{u, other}])(g.Follows(t.Context(), u, other))
			must(t, model[pair{u, other}] && model[pair{other, u}])(g.Mutual(t.Context(), u, other))
		},
	})
}
