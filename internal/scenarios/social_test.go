package scenarios_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/comments"
	"github.com/seed530093c6/ddb/patterns/followers"
)

// TestS16Followers: both edges and both counts in one transaction; twice is
// harmless, oneself is refused, and counts are exact whatever happens at once.
func TestS16Followers(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		g, ctx := ddbtest.Open(t, w, followers.New), t.Context()
		follow := func(who, whom string) bool {
			t.Helper()
			return value[bool](t)(g.Follow(ctx, who, whom))
		}
		ddbtest.Cost(t, w, func() { equal(t, "new", follow("12345", "67890"), true) }).AtMost(1, 8, 0)
		w.stored(t, "AppTable", "USER#12345", "FOLLOWING#USER#67890")
		w.stored(t, "AppTable", "USER#67890", "FOLLOWER#USER#12345")
		ddbtest.Unchanged(t, w, func() {
			equal(t, "new the second time", follow("12345", "67890"), false)
			if _, err := g.Follow(ctx, "12345", "12345"); !errors.Is(err, followers.ErrSelf) {
				t.Errorf("oneself: got %v, want ErrSelf", err)
			}
		})
		equal(t, "mutual", value[bool](t)(g.Mutual(ctx, "12345", "67890")), false)
		follow("67890", "12345")
		equal(t, "mutual", value[bool](t)(g.Mutual(ctx, "12345", "67890")), true)

		together(t, 20, never, func(i int) error {
			_, err := g.Follow(ctx, fmt.Sprintf("fan%02d", i/2), "67890") // each comes twice
			return err
		})
		together(t, 8, never, func(i int) error {
			_, err := g.Unfollow(ctx, fmt.Sprintf("fan%02d", i/2), "67890")
			return err
		})
		counts := value[followers.Counts](t)(g.Counts(ctx, "67890"))
		equal(t, "counts", []int{counts.Followers, counts.Following}, []int{7, 1})
		equal(t, "pages of followers", pages(t, g.Followers("67890").Limit(3), func(f followers.Follower) string { return f.Follower }),
			[][]string{{"12345", "fan04", "fan05"}, {"fan06", "fan07", "fan08"}, {"fan09"}})
		equal(t, "pages of whom one follows", pages(t, g.Following("fan09"), func(f followers.Following) string { return f.Followee }), [][]string{{"67890"}})
	})
}

// TestS17Comments: either order, pages that stay while new ones arrive, several
// of one instant, replies, and deletes that leave the place.
func TestS17Comments(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		b, ctx := ddbtest.Open(t, w, comments.New), t.Context()
		post := func(id, when string) comments.Comment {
			t.Helper()
			c := comments.Comment{PostID: "POST001", Body: comments.Body{ID: id, At: at(when), Author: "ann", Text: "text of " + id}}
			must(t, b.Post(ctx, &c))
			return c
		}
		id := func(c comments.Comment) string { return c.ID }
		first := post("COMMENT001", "2024-01-01T10:00:00Z")
		post("COMMENT003", "2024-01-01T12:00:00Z")
		post("COMMENT002", "2024-01-01T10:00:00Z") // the same instant
		w.stored(t, "AppTable", "POST#POST001", "COMMENT#2024-01-01T10:00:00.000000000Z#COMMENT001")
		another := comments.Comment{PostID: "POST001", Body: comments.Body{ID: "COMMENT001", At: first.At, Author: "bob", Text: "another"}}
		if err := b.Post(ctx, &another); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("the same instant and ID: got %v, want ErrExists", err)
		}

		oldest, newest := b.Comments("POST001").Limit(2), b.Comments("POST001").Desc().Limit(2)
		equal(t, "oldest first", pages(t, oldest, id), [][]string{{"COMMENT001", "COMMENT002"}, {"COMMENT003"}})
		page := value[ddb.Page[comments.Comment]](t)(newest.Page(ctx, ""))
		post("COMMENT004", "2024-01-01T13:00:00Z")
		equal(t, "newest first", []string{id(page.Items[0]), id(page.Items[1])}, []string{"COMMENT003", "COMMENT002"})
		ddbtest.Cost(t, w, func() {
			page = value[ddb.Page[comments.Comment]](t)(newest.Page(ctx, page.Next))
			equal(t, "the page behind, with a new one before", []string{id(page.Items[0])}, []string{"COMMENT001"})
		}).Exactly(1, 0.5, 1)

		together(t, 10, never, func(i int) error {
			return b.Reply(ctx, first, &comments.Reply{Body: comments.Body{ID: fmt.Sprint(i), At: at("2024-01-01T14:00:00Z"), Author: "bob", Text: "yes"}})
		})
		must(t, b.Delete(ctx, first))
		got := value[comments.Comment](t)(b.Get(ctx, first))
		equal(t, "deleted, in its place", []any{got.Text, got.Deleted.IsZero(), got.Replies}, []any{"", false, 10})
		equal(t, "replies", value[int](t)(b.Replies(first).Count(ctx)), 10)
		if err := b.Reply(ctx, first, &comments.Reply{Body: comments.Body{Author: "bob", Text: "late"}}); !errors.Is(err, comments.ErrDeleted) {
			t.Errorf("a reply to it: got %v, want ErrDeleted", err)
		}
	})
}
