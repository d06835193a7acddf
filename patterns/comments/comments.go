package comments

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
)

// MaxText is how many bytes a text may have.
const MaxText = 32 << 10

var (
	// ErrText: a text is empty or longer than [MaxText].
	ErrText = errors.New("bad text")
	// ErrDeleted: the comment or reply was deleted.
	ErrDeleted = errors.New("comment was deleted")
)

// Body is what comments and replies have in common.
type Body struct {
	ID      string    // random if it is not given
	At      time.Time // the table's time if it is not given
	Author  string
	Text    string
	Edited  time.Time `dynamodbav:",omitempty"` // when the text was last changed
	Deleted time.Time `dynamodbav:",omitempty"` // when the text was taken away
}

// Comment is a comment on a post. Post, time and ID together are its key.
type Comment struct {
	_ ddb.Entity `name:"Comment" pk:"POST#{PostID}" sk:"COMMENT#{At}#{ID}"`

	PostID string
	Body
	Replies int // deleted ones included
}

// Reply is a reply to a comment. Post, comment, time and ID together are its key.
type Reply struct {
	_ ddb.Entity `name:"Reply" pk:"POST#{PostID}#COMMENT#{CommentID}" sk:"REPLY#{At}#{ID}"`

	PostID    string
	CommentID string
	Body
}

// Board is the comments of a table. It is safe for concurrent use.
type Board struct {
	comments texts[Comment]
	replies  texts[Reply]
	count    ddb.Attribute[Comment, int]
}

// New defines comments and replies in a table, beside its other entities. Faults
// are reported by the table's Err.
func New(table *ddb.Table) *Board {
	b := &Board{
		comments: newTexts(table, func(c *Comment) *Body { return &c.Body }),
		replies:  newTexts(table, func(r *Reply) *Body { return &r.Body }),
	}
	b.count = ddb.Field(b.comments.d, func(c *Comment) *int { return &c.Replies })
	return b
}

// Post adds a comment to its post, and sets its time and ID unless they are given.
// The same value posted again changes nothing. It fails with [ErrText], and with
// ddb.ErrExists if the post has another comment with that time and ID.
func (b *Board) Post(ctx context.Context, c *Comment) error {
	if err := b.comments.complete(c); err != nil {
		return err
	}
	c.Replies = 0
	return b.comments.unlessOurs(ctx, b.comments.d.Create(c).Run(ctx), *c)
}

// Reply adds a reply to a comment, and sets its post, its comment, its time and ID
// unless those two are given. The same value posted again changes nothing. It
// fails with [ErrText], with ddb.ErrNotFound if there is no such comment, with
// [ErrDeleted] if it was deleted, and with ddb.ErrExists if it has another reply
// with that time and ID.
func (b *Board) Reply(ctx context.Context, to Comment, r *Reply) error {
	if err := b.replies.complete(r); err != nil {
		return err
	}
	r.PostID, r.CommentID = to.PostID, to.ID
	err := ddb.Transact(
		b.replies.d.Create(r),
		b.comments.d.Update(to).Set(b.count.Add(1)).If(b.comments.deleted.NotExists()),
	).Run(ctx)
	if failed, ok := errors.AsType[*ddb.TxError](err); ok {
		if errors.Is(failed.Reasons[0], ddb.ErrExists) {
			return b.replies.unlessOurs(ctx, failed.Reasons[0], *r)
		}
		return asDeleted(err)
	}
	return err
}

// Edit replaces the text of a comment and returns the comment. It fails with
// [ErrText], ddb.ErrNotFound or [ErrDeleted].
func (b *Board) Edit(ctx context.Context, c Comment, text string) (Comment, error) {
	return b.comments.edit(ctx, c, text)
}

// EditReply replaces the text of a reply and returns the reply. It fails as Edit
// does.
func (b *Board) EditReply(ctx context.Context, r Reply, text string) (Reply, error) {
	return b.replies.edit(ctx, r, text)
}

// Delete takes the text of a comment away. It stays in its place, with its
// replies. To delete it again changes nothing. It fails with ddb.ErrNotFound.
func (b *Board) Delete(ctx context.Context, c Comment) error { return b.comments.delete(ctx, c) }

// DeleteReply takes the text of a reply away, as Delete does.
func (b *Board) DeleteReply(ctx context.Context, r Reply) error { return b.replies.delete(ctx, r) }

// Get returns the comment with the post, time and ID of c, or fails with
// ddb.ErrNotFound.
func (b *Board) Get(ctx context.Context, c Comment) (Comment, error) {
	return b.comments.d.Get(c).Run(ctx)
}

// Comments returns the query of the comments on a post, oldest first; Desc turns
// it round, and ranges take the field At.
func (b *Board) Comments(post string) ddb.QueryOp[Comment] {
	return b.comments.d.Query(Comment{PostID: post})
}

// Replies returns the query of the replies to a comment, oldest first.
func (b *Board) Replies(to Comment) ddb.QueryOp[Reply] {
	return b.replies.d.Query(Reply{PostID: to.PostID, CommentID: to.ID})
}

// texts is an entity with a body.
type texts[T any] struct {
	table   *ddb.Table
	d       *ddb.Definition[T]
	body    func(*T) *Body
	text    ddb.Attribute[T, string]
	edited  ddb.Attribute[T, time.Time]
	deleted ddb.Attribute[T, time.Time]
}

func newTexts[T any](table *ddb.Table, body func(*T) *Body) texts[T] {
	d := ddb.Define[T](table)
	return texts[T]{
		table: table, d: d, body: body,
		text:    ddb.Field(d, func(v *T) *string { return &body(v).Text }),
		edited:  ddb.Field(d, func(v *T) *time.Time { return &body(v).Edited }),
		deleted: ddb.Field(d, func(v *T) *time.Time { return &body(v).Deleted }),
	}
}

// complete checks a new text and sets what is not given.
func (ts texts[T]) complete(v *T) error {
	b := ts.body(v)
	if err := checkText(b.Text); err != nil {
		return err
	}
	b.Edited, b.Deleted = time.Time{}, time.Time{}
	if b.At.IsZero() {
		b.At = ts.table.Now()
	}
	if b.ID == "" {
		b.ID = rand.Text()
	}
	return nil
}

func checkText(text string) error {
	if text == "" || len(text) > MaxText {
		return fmt.Errorf("%w: it must have 1 to %d bytes", ErrText, MaxText)
	}
	return nil
}

// unlessOurs forgives an error that says that v is there already, if what is
// there was posted as v, whatever has become of it since.
func (ts texts[T]) unlessOurs(ctx context.Context, err error, v T) error {
	if !errors.Is(err, ddb.ErrExists) {
		return err
	}
	stored, again := ts.d.Get(v).Consistent().Run(ctx)
	if again != nil {
		return again
	}
	old, b := ts.body(&stored), ts.body(&v)
	if old.Author == b.Author && (old.Text == b.Text || !old.Edited.IsZero() || !old.Deleted.IsZero()) {
		return nil
	}
	return err
}

func (ts texts[T]) edit(ctx context.Context, v T, text string) (T, error) {
	if err := checkText(text); err != nil {
		return v, err
	}
	v, err := ts.d.Update(v).Set(ts.text.To(text), ts.edited.To(ts.table.Now())).If(ts.deleted.NotExists()).Run(ctx)
	return v, asDeleted(err)
}

func (ts texts[T]) delete(ctx context.Context, v T) error {
	_, err := ts.d.Update(v).Set(ts.text.To(""), ts.deleted.To(ts.table.Now())).If(ts.deleted.NotExists()).Run(ctx)
	if err = asDeleted(err); errors.Is(err, ErrDeleted) {
		return nil
	}
	return err
}

// asDeleted says what a failed condition means: the one there is demands that the
// text is still there.
func asDeleted(err error) error {
	if errors.Is(err, ddb.ErrConditionFailed) && !errors.Is(err, ddb.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrDeleted, err)
	}
	return err
}
