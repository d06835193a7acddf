package main

import (
	"context"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/comments"
)

// said returns a comment so many minutes into the story.
func (s *social) said(id string, minute int, author, text string) comments.Comment {
	return comments.Comment{PostID: s.post, Body: comments.Body{
		ID: id, At: now().Add(time.Duration(minute) * time.Minute), Author: author, Text: text,
	}}
}

// printComment shows a comment with the number of its replies.
func printComment(r meter.Rows, c comments.Comment) {
	text := c.Text
	switch {
	case !c.Deleted.IsZero():
		text = "(deleted)"
	case !c.Edited.IsZero():
		text += " (edited)"
	}
	r.Print("%s %s: %s [%d]", c.At.Format("15:04"), c.Author, text, c.Replies)
}

// list shows the comments that a query finds.
func list(ctx context.Context, r meter.Rows, q ddb.QueryOp[comments.Comment]) error {
	for c, err := range q.All(ctx) {
		if err != nil {
			return err
		}
		printComment(r, c)
	}
	return nil
}

func (s *social) comment(ctx context.Context, r meter.Rows) error {
	for _, c := range []comments.Comment{
		s.said("C1", 0, "Bob", "First!"), s.said("C2", 1, "Cid", "Does it scale?"), s.said("C3", 1, "Eva", "好"), s.said("C4", 5, "Dan", "Meh."),
	} {
		if err := s.board.Post(ctx, &c); err != nil {
			return err
		}
	}
	return list(ctx, r, s.board.Comments(s.post))
}

func (s *social) pages(ctx context.Context, r meter.Rows) error {
	q := s.board.Comments(s.post).Desc().Limit(2)
	for cursor, n := "", 1; n == 1 || cursor != ""; n++ {
		page, err := q.Page(ctx, cursor)
		if err != nil {
			return err
		}
		if len(page.Items) > 0 {
			r.Print("page %d", n)
		}
		for _, c := range page.Items {
			printComment(r, c)
		}
		if n == 1 {
			late := s.said("C5", 6, "张三", "Just in time.")
			if err := s.board.Post(ctx, &late); err != nil {
				return err
			}
		}
		cursor = page.Next
	}
	return nil
}

func (s *social) reply(ctx context.Context, r meter.Rows) error {
	question := s.said("C2", 1, "Cid", "Does it scale?")
	for n, text := range []string{"So far.", "It has ten shards."} {
		reply := comments.Reply{Body: comments.Body{ID: string(rune('A' + n)), At: now().Add(time.Duration(10+n) * time.Minute), Author: "Ann", Text: text}}
		for range 2 { // the reply to the first request came too late
			if err := s.board.Reply(ctx, question, &reply); err != nil {
				return err
			}
		}
	}
	asked, err := s.board.Get(ctx, question)
	if err != nil {
		return err
	}
	printComment(r, asked)
	for a, err := range s.board.Replies(question).All(ctx) {
		if err != nil {
			return err
		}
		r.Print("  %s %s: %s", a.At.Format("15:04"), a.Author, a.Text)
	}
	return nil
}

func (s *social) change(ctx context.Context, r meter.Rows) error {
	if _, err := s.board.Edit(ctx, s.said("C1", 0, "", ""), "Second."); err != nil {
		return err
	}
	if err := s.board.Delete(ctx, s.said("C4", 5, "", "")); err != nil {
		return err
	}
	return list(ctx, r, s.board.Comments(s.post))
}
