package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/patterns/accounts"
	"github.com/seed530093c6/ddb/patterns/followers"
)

func (s *social) signUp(ctx context.Context, r meter.Rows) error {
	for _, name := range names {
		if err := s.members.SignUp(ctx, &accounts.Account{ID: name, Name: name, Email: strings.ToLower(name) + "@example.com"}); err != nil {
			return err
		}
	}
	err := s.members.SignUp(ctx, &accounts.Account{ID: "Anna", Name: "Anna", Email: "ANN@example.com"})
	if !errors.Is(err, accounts.ErrTaken) {
		return err
	}
	r.Print("%d members; ANN@example.com: %v", len(names), accounts.ErrTaken)
	return nil
}

func (s *social) byEmail(ctx context.Context, r meter.Rows) error {
	a, err := s.members.ByEmail(ctx, "Ann@example.com")
	if err != nil {
		return err
	}
	r.Print("Ann@example.com is %s, %s", a.Name, a.Email)
	return nil
}

func (s *social) follow(ctx context.Context, r meter.Rows) error {
	for _, p := range slices.Concat(pairs, pairs[:1]) {
		isNew, err := s.graph.Follow(ctx, p[0], p[1])
		if err != nil {
			return err
		}
		if isNew {
			r.Print("%s follows %s", p[0], p[1])
		} else {
			r.Print("%s follows %s already", p[0], p[1])
		}
	}
	if _, err := s.graph.Follow(ctx, "Ann", "Ann"); !errors.Is(err, followers.ErrSelf) {
		return err
	}
	r.Print("Ann and Ann: %v", followers.ErrSelf)
	return nil
}

func (s *social) counts(ctx context.Context, r meter.Rows) error {
	for _, name := range []string{"Ann", "Bob", "Eva"} {
		c, err := s.graph.Counts(ctx, name)
		if err != nil {
			return err
		}
		r.Print("%s: %d followers, %d followed", name, c.Followers, c.Following)
	}
	return nil
}

func (s *social) lists(ctx context.Context, r meter.Rows) error {
	for page, err := range s.graph.Followers("Ann").Limit(2).Pages(ctx) {
		if err != nil {
			return err
		}
		var of []string
		for _, f := range page.Items {
			of = append(of, f.Follower)
		}
		r.Print("followers: %s", strings.Join(of, ", "))
	}
	var of []string
	for f, err := range s.graph.Following("Ann").All(ctx) {
		if err != nil {
			return err
		}
		of = append(of, f.Followee)
	}
	r.Print("following: %s", strings.Join(of, ", "))
	return nil
}

func (s *social) mutual(ctx context.Context, r meter.Rows) error {
	for _, name := range []string{"Bob", "Cid"} {
		both, err := s.graph.Mutual(ctx, "Ann", name)
		if err != nil {
			return err
		}
		r.Print("Ann and %s: %t", name, both)
	}
	return nil
}

func (s *social) unfollow(ctx context.Context, r meter.Rows) error {
	for range 2 {
		was, err := s.graph.Unfollow(ctx, "Dan", "Ann")
		if err != nil {
			return err
		}
		r.Print("Dan followed Ann: %t", was)
	}
	c, err := s.graph.Counts(ctx, "Ann")
	r.Print("Ann: %d followers", c.Followers)
	return err
}
