package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/accounts"
	"github.com/seed530093c6/ddb/patterns/comments"
	"github.com/seed530093c6/ddb/patterns/followers"
)

// now is the time of the story: it stands still.
func now() time.Time { return time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC) }

// social is the network: three patterns in one table.
type social struct {
	table   *ddb.Table
	members *accounts.Accounts
	graph   *followers.Graph
	board   *comments.Board
	meter   *meter.Meter
	post    string // that is commented on
}

func newSocial(db ddb.Backend, post string) *social {
	m := new(meter.Meter)
	table := ddb.NewTable("Social", db, ddb.Clock(now), ddb.Observe(m.Observe))
	return &social{
		table: table, members: accounts.New(table), graph: followers.New(table), board: comments.New(table), meter: m, post: post,
	}
}

// The members of the network, and who follows whom.
var (
	names = []string{"Ann", "Bob", "Cid", "Dan", "Eva", "张三"}
	pairs = [][2]string{{"Bob", "Ann"}, {"Cid", "Ann"}, {"Dan", "Ann"}, {"Eva", "Ann"}, {"张三", "Ann"}, {"Ann", "Bob"}, {"Ann", "张三"}}
)

// show takes the network through its steps.
func (s *social) show(ctx context.Context, w io.Writer) error {
	if err := s.clear(ctx); err != nil {
		return err
	}
	for _, step := range []struct {
		title string
		do    func(context.Context, meter.Rows) error
	}{
		{"six sign up, and one with an address that is taken", s.signUp},
		{"a member by e-mail address", s.byEmail},
		{"who follows whom; twice is once", s.follow},
		{"how many, without counting", s.counts},
		{"followers of Ann in pages of two, and whom she follows", s.lists},
		{"mutual?", s.mutual},
		{"one follower less", s.unfollow},
		{"comments, two of them at one instant", s.comment},
		{"newest first, in pages of two, while a new one arrives", s.pages},
		{"replies, counted with the comment", s.reply},
		{"a comment is edited, another deleted", s.change},
	} {
		if err := s.meter.Step(w, step.title, func(r meter.Rows) error { return step.do(ctx, r) }); err != nil {
			return err
		}
	}
	return nil
}

// clear takes away what an earlier run has left of members and relations.
func (s *social) clear(ctx context.Context) error {
	for _, p := range pairs {
		if _, err := s.graph.Unfollow(ctx, p[0], p[1]); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.members.Delete(ctx, name); err != nil && !errors.Is(err, ddb.ErrNotFound) {
			return err
		}
	}
	return nil
}
