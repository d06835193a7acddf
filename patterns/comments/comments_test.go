package comments_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/comments"
)

var noon = time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC)

// open returns a board by a clock that stands at noon.
func open(t ddbtest.TB, db ddbtest.Backend) (*comments.Board, *ddbtest.Clock) {
	t.Helper()
	clock := ddbtest.NewClock(noon)
	return ddbtest.Open(t, db, comments.New, ddb.Clock(clock.Now)), clock
}

// say returns a comment that is to be posted.
func say(text string) comments.Comment {
	return comments.Comment{PostID: "POST001", Body: comments.Body{Author: "12345", Text: text}}
}

func post(t ddbtest.TB, b *comments.Board, text string) comments.Comment {
	t.Helper()
	c := say(text)
	if err := b.Post(t.Context(), &c); err != nil {
		t.Fatalf("post: %v", err)
	}
	return c
}

func reply(t ddbtest.TB, b *comments.Board, to comments.Comment, text string) comments.Reply {
	t.Helper()
	r := comments.Reply{Body: comments.Body{Author: "67890", Text: text}}
	if err := b.Reply(t.Context(), to, &r); err != nil {
		t.Fatalf("reply: %v", err)
	}
	return r
}

// read returns what a query finds.
func read[T any](t ddbtest.TB, q ddb.QueryOp[T]) []T {
	t.Helper()
	var out []T
	for v, err := range q.All(t.Context()) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		out = append(out, v)
	}
	return out
}

func textsOf(cs []comments.Comment) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Text)
	}
	return out
}

// TestConversation walks comments and replies through everything.
func TestConversation(t *testing.T) {
	t.Parallel()
	b, clock := open(t, ddbtest.New(t))
	ctx := t.Context()
	first := post(t, b, "first")
	clock.Advance(time.Second)
	second := post(t, b, "second")
	clock.Advance(time.Second)
	answer := reply(t, b, first, "yes")
	clock.Advance(time.Second)
	another := reply(t, b, first, "no")

	if diff := cmp.Diff(textsOf(read(t, b.Comments("POST001"))), []string{"first", "second"}); diff != "" {
		t.Errorf("oldest first (-got +want)\n%s", diff)
	}
	if diff := cmp.Diff(textsOf(read(t, b.Comments("POST001").Desc())), []string{"second", "first"}); diff != "" {
		t.Errorf("newest first (-got +want)\n%s", diff)
	}
	later := b.Comments("POST001").After(comments.Comment{Body: comments.Body{At: noon}})
	if diff := cmp.Diff(read(t, later), []comments.Comment{second}); diff != "" {
		t.Errorf("after noon (-got +want)\n%s", diff)
	}
	if diff := cmp.Diff(read(t, b.Replies(first)), []comments.Reply{answer, another}); diff != "" {
		t.Errorf("replies (-got +want)\n%s", diff)
	}
	if got := read(t, b.Replies(second)); len(got) > 0 {
		t.Errorf("got %v, want no replies", got)
	}

	edited, err := b.Edit(ctx, first, "first, corrected")
	want := first
	want.Text, want.Edited, want.Replies = "first, corrected", clock.Now(), 2
	if diff := cmp.Diff(edited, want); err != nil || diff != "" {
		t.Errorf("error %v, the edited comment (-got +want)\n%s", err, diff)
	}
	if r, err := b.EditReply(ctx, answer, "yes!"); err != nil || r.Text != "yes!" || r.Edited != clock.Now() {
		t.Errorf("got %+v and %v, want it edited", r, err)
	}
	if c, err := b.Get(ctx, comments.Comment{PostID: "POST001", Body: comments.Body{At: first.At, ID: first.ID}}); err != nil || c != edited {
		t.Errorf("got %+v and %v, want %+v", c, err, edited)
	}
}

// TestSoftDelete asserts that what is deleted keeps its place and its replies, but
// neither its text nor its voice.
func TestSoftDelete(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b, clock := open(t, db)
	ctx := t.Context()
	c := post(t, b, "first")
	post(t, b, "second")
	r := reply(t, b, c, "yes")
	clock.Advance(time.Hour)
	if err := errors.Join(b.Delete(ctx, c), b.DeleteReply(ctx, r)); err != nil {
		t.Fatal(err)
	}
	got, err := b.Get(ctx, c)
	if err != nil || got.Text != "" || got.Deleted != clock.Now() || got.Replies != 1 || got.Author != "12345" {
		t.Errorf("got %+v and %v, want it without its text", got, err)
	}
	if got := read(t, b.Comments("POST001")); len(got) != 2 {
		t.Errorf("got %d comments, want both in their places", len(got))
	}
	if got := read(t, b.Replies(c)); len(got) != 1 || got[0].Text != "" {
		t.Errorf("got %+v, want the reply without its text", got)
	}
	ddbtest.Unchanged(t, db, func() {
		if err := errors.Join(b.Delete(ctx, c), b.DeleteReply(ctx, r)); err != nil {
			t.Errorf("deleted again: %v", err)
		}
		if _, err := b.Edit(ctx, c, "x"); !errors.Is(err, comments.ErrDeleted) {
			t.Errorf("edit: got %v, want ErrDeleted", err)
		}
		if _, err := b.EditReply(ctx, r, "x"); !errors.Is(err, comments.ErrDeleted) {
			t.Errorf("edit of the reply: got %v, want ErrDeleted", err)
		}
		if err := b.Reply(ctx, c, &comments.Reply{Body: comments.Body{Text: "x"}}); !errors.Is(err, comments.ErrDeleted) {
			t.Errorf("reply: got %v, want ErrDeleted", err)
		}
	})
}

// TestRefusals asserts what cannot be, and that it leaves nothing behind.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b, _ := open(t, db)
	there := post(t, b, "there")
	gone := there
	gone.ID = "NOBODY"
	body := func(text string) comments.Body { return comments.Body{Text: text} }
	for _, test := range []struct {
		name string
		call func(context.Context) error
		want error
	}{
		{"empty text", func(ctx context.Context) error { return b.Post(ctx, &comments.Comment{PostID: "p"}) }, comments.ErrText},
		{"text too long", func(ctx context.Context) error {
			return b.Post(ctx, &comments.Comment{PostID: "p", Body: body(strings.Repeat("x", comments.MaxText+1))})
		}, comments.ErrText},
		{"no post", func(ctx context.Context) error { return b.Post(ctx, &comments.Comment{Body: body("x")}) }, ddb.ErrKey},
		{"ID with a separator", func(ctx context.Context) error {
			return b.Post(ctx, &comments.Comment{PostID: "p", Body: comments.Body{ID: "a#b", Text: "x"}})
		}, ddb.ErrKey},
		{"ID of another", func(ctx context.Context) error {
			other := there
			other.Text = "not there"
			return b.Post(ctx, &other)
		}, ddb.ErrExists},
		{"empty reply", func(ctx context.Context) error { return b.Reply(ctx, there, &comments.Reply{}) }, comments.ErrText},
		{"reply to nothing", func(ctx context.Context) error { return b.Reply(ctx, gone, &comments.Reply{Body: body("x")}) }, ddb.ErrNotFound},
		{"edit of nothing", func(ctx context.Context) error { _, err := b.Edit(ctx, gone, "x"); return err }, ddb.ErrNotFound},
		{"edit to nothing", func(ctx context.Context) error { _, err := b.Edit(ctx, there, ""); return err }, comments.ErrText},
		{"delete of nothing", func(ctx context.Context) error { return b.Delete(ctx, gone) }, ddb.ErrNotFound},
		{"get of nothing", func(ctx context.Context) error { _, err := b.Get(ctx, gone); return err }, ddb.ErrNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			ddbtest.Unchanged(t, db, func() {
				if err := test.call(t.Context()); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
	if err := b.Post(t.Context(), &comments.Comment{PostID: "p", Body: body(strings.Repeat("x", comments.MaxText))}); err != nil {
		t.Errorf("the longest text: %v", err)
	}
}

// TestCosts pins what the package comment says of costs.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b, _ := open(t, db)
	ctx := t.Context()
	cost := func(call func() error) *ddbtest.Bill {
		t.Helper()
		return ddbtest.Cost(t, db, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}).NoScan()
	}
	c := say(strings.Repeat("x", 824))
	r := comments.Reply{Body: comments.Body{Author: "67890", Text: strings.Repeat("x", 750)}}
	cost(func() error { return b.Post(ctx, &c) }).Exactly(1, 1, 0)
	cost(func() error { return b.Reply(ctx, c, &r) }).Exactly(1, 4, 0)
	cost(func() error { _, err := b.Get(ctx, c); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := b.Comments("POST001").Page(ctx, ""); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := b.Replies(c).Page(ctx, ""); return err }).Exactly(1, 0.5, 1)
	cost(func() error { _, err := b.Edit(ctx, c, "short"); return err }).Exactly(1, 1, 0)
	cost(func() error { _, err := b.EditReply(ctx, r, "short"); return err }).Exactly(1, 1, 0)
	cost(func() error { return b.Delete(ctx, c) }).Exactly(1, 1, 0)
	cost(func() error { return b.DeleteReply(ctx, r) }).Exactly(1, 1, 0)
}

// TestStablePages asserts that pages show what was there when the first was read,
// once each and in order, while new comments arrive between them.
func TestStablePages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b, clock := open(t, ddbtest.New(t))
		arrive := func(prefix string, n int) (texts []string) {
			clock.Advance(time.Second)
			for i := range n {
				clock.Advance(time.Duration(rapid.IntRange(0, 1).Draw(t, "seconds")) * time.Second)
				post(t, b, fmt.Sprintf("%s %d", prefix, i))
				texts = append(texts, fmt.Sprintf("%s %d", prefix, i))
			}
			return texts
		}
		arrive("before", rapid.IntRange(0, 20).Draw(t, "before"))
		query := b.Comments("POST001")
		newestFirst := rapid.Bool().Draw(t, "newest first")
		if newestFirst {
			query = query.Desc()
		}
		want := textsOf(read(t, query))
		size := rapid.IntRange(1, 7).Draw(t, "page size")
		var got []string
		for cursor, n := "", 0; ; n++ {
			p, err := query.Limit(size).Page(t.Context(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, textsOf(p.Items)...)
			if cursor = p.Next; cursor == "" {
				break
			}
			if n < 3 {
				arrive(fmt.Sprint("during", n), rapid.IntRange(0, 5).Draw(t, "during"))
			}
		}
		switch now := textsOf(read(t, query)); {
		case newestFirst && !slices.Equal(got, want):
			t.Errorf("got %v, want what was there, %v", got, want)
		case !newestFirst && !slices.Equal(got, now):
			t.Errorf("got %v, want what was there and what arrived, %v", got, now)
		}
	})
}

// backends are those on which nothing may get lost.
var backends = map[string]func(*testing.T) ddbtest.Backend{
	"in process": func(t *testing.T) ddbtest.Backend { return ddbtest.New(t) },
	"over HTTP":  func(t *testing.T) ddbtest.Backend { return ddbtest.NewServer(t) },
	"in a storm": func(t *testing.T) ddbtest.Backend {
		srv := ddbtest.NewServer(t)
		t.Cleanup(srv.Storm(1))
		return srv
	},
}

// TestOneInstant asserts that 50 comments and 50 replies of one instant are all
// there, and counted, while the comment is edited.
func TestOneInstant(t *testing.T) {
	t.Parallel()
	for name, backend := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := open(t, backend(t))
			c := post(t, b, "start")
			var wg sync.WaitGroup
			for n := range 50 {
				wg.Go(func() {
					own := say(fmt.Sprint(n))
					if err := b.Post(t.Context(), &own); err != nil {
						t.Error(err)
					}
				})
				wg.Go(func() {
					if err := b.Reply(t.Context(), c, &comments.Reply{Body: comments.Body{Text: fmt.Sprint(n)}}); err != nil {
						t.Error(err)
					}
				})
				if n%10 == 0 {
					wg.Go(func() {
						if _, err := b.Edit(t.Context(), c, "corrected"); err != nil {
							t.Error(err)
						}
					})
				}
			}
			wg.Wait()
			if got := read(t, b.Comments("POST001")); len(got) != 51 {
				t.Errorf("got %d comments, want 51", len(got))
			}
			if got := read(t, b.Replies(c)); len(got) != 50 {
				t.Errorf("got %d replies, want 50", len(got))
			}
			if got, err := b.Get(t.Context(), c); err != nil || got.Replies != 50 || got.Text != "corrected" {
				t.Errorf("got %+v and %v, want 50 replies", got, err)
			}
		})
	}
}

// TestAgain asserts that a post or a reply whose outcome is unknown can be repeated
// with the same value, even if it was edited in between: without a client that
// sends it again, a lost reply is an error.
func TestAgain(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b, clock := open(t, db)
	ctx := t.Context()
	c := say("once")
	db.LoseReply(1)
	if err := b.Post(ctx, &c); err == nil {
		t.Fatal("the reply was lost, but there is no error")
	}
	clock.Advance(time.Second)
	if err := b.Post(ctx, &c); err != nil {
		t.Fatalf("again: %v", err)
	}
	r := comments.Reply{Body: comments.Body{Text: "once"}}
	db.LoseReply(1)
	if err := b.Reply(ctx, c, &r); err == nil {
		t.Fatal("the reply was lost, but there is no error")
	}
	if _, err := b.EditReply(ctx, r, "twice"); err != nil {
		t.Fatal(err)
	}
	if err := b.Reply(ctx, c, &r); err != nil {
		t.Fatalf("again: %v", err)
	}
	if got := read(t, b.Comments("POST001")); len(got) != 1 || got[0].Replies != 1 {
		t.Errorf("got %+v, want one comment with one reply", got)
	}
	if got := read(t, b.Replies(c)); len(got) != 1 || got[0].Text != "twice" {
		t.Errorf("got %+v, want one reply", got)
	}
}

// TestConflicts asserts that writes of single items which meet a transaction are
// tried again.
func TestConflicts(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	b, _ := open(t, db)
	db.Conflict(2)
	c := post(t, b, "first")
	db.Conflict(2)
	if _, err := b.Edit(t.Context(), c, "edited"); err != nil {
		t.Error(err)
	}
	db.Conflict(2)
	if err := b.Delete(t.Context(), c); err != nil {
		t.Error(err)
	}
}
