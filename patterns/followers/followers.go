package followers

import (
	"context"
	"errors"
	"time"

	"github.com/seed530093c6/ddb"
)

// ErrSelf says that a user cannot follow himself.
var ErrSelf = errors.New("a user cannot follow himself")

// Following is a relation in the list of its follower.
type Following struct {
	_ ddb.Entity `name:"Following" pk:"USER#{Follower}" sk:"FOLLOWING#USER#{Followee}"`

	Follower string // who follows
	Followee string // who is followed
	Since    time.Time
}

// Follower is a relation in the list of who is followed.
type Follower struct {
	_ ddb.Entity `name:"Follower" pk:"USER#{Followee}" sk:"FOLLOWER#USER#{Follower}"`

	Followee string // who is followed
	Follower string // who follows
	Since    time.Time
}

// Counts says how long a user's lists are.
type Counts struct {
	_ ddb.Entity `name:"FollowCounts" pk:"USER#{UserID}" sk:"FOLLOWCOUNTS"`

	UserID    string
	Followers int
	Following int
}

// Graph is who follows whom in a table. It is safe for concurrent use.
type Graph struct {
	table     *ddb.Table
	following *ddb.Definition[Following]
	followers *ddb.Definition[Follower]
	counts    *ddb.Definition[Counts]

	followersOf ddb.Attribute[Counts, int]
	followingOf ddb.Attribute[Counts, int]
}

// New defines relations and counts in a table, beside its other entities. Faults
// are reported by the table's Err.
func New(table *ddb.Table) *Graph {
	g := &Graph{
		table: table, following: ddb.Define[Following](table), followers: ddb.Define[Follower](table),
		counts: ddb.Define[Counts](table),
	}
	g.followersOf = ddb.Field(g.counts, func(c *Counts) *int { return &c.Followers })
	g.followingOf = ddb.Field(g.counts, func(c *Counts) *int { return &c.Following })
	return g
}

// Follow makes follower follow followee and reports whether that is new. It fails
// with [ErrSelf] if they are one.
func (g *Graph) Follow(ctx context.Context, follower, followee string) (isNew bool, err error) {
	if follower == followee {
		return false, ErrSelf
	}
	now := g.table.Now()
	return done(ctx, ddb.ErrExists, ddb.Transact(
		g.following.Create(&Following{Follower: follower, Followee: followee, Since: now}),
		g.followers.Create(&Follower{Followee: followee, Follower: follower, Since: now}),
		g.counts.Upsert(Counts{UserID: follower}).Set(g.followingOf.Add(1)),
		g.counts.Upsert(Counts{UserID: followee}).Set(g.followersOf.Add(1)),
	))
}

// Unfollow ends that and reports whether there was anything to end.
func (g *Graph) Unfollow(ctx context.Context, follower, followee string) (was bool, err error) {
	if follower == followee {
		return false, ErrSelf
	}
	return done(ctx, ddb.ErrNotFound, ddb.Transact(
		g.following.Delete(Following{Follower: follower, Followee: followee}).MustExist(),
		g.followers.Delete(Follower{Followee: followee, Follower: follower}).MustExist(),
		g.counts.Update(Counts{UserID: follower}).Set(g.followingOf.Add(-1)),
		g.counts.Update(Counts{UserID: followee}).Set(g.followersOf.Add(-1)),
	))
}

// done runs a transaction whose first operation fails with already where there is
// nothing to do.
func done(ctx context.Context, already error, tx ddb.TxOp) (bool, error) {
	err := tx.Run(ctx)
	if failed, ok := errors.AsType[*ddb.TxError](err); ok && errors.Is(failed.Reasons[0], already) {
		return false, nil
	}
	return err == nil, err
}

// Followers returns the query of who follows a user.
func (g *Graph) Followers(user string) ddb.QueryOp[Follower] {
	return g.followers.Query(Follower{Followee: user})
}

// Following returns the query of whom a user follows.
func (g *Graph) Following(user string) ddb.QueryOp[Following] {
	return g.following.Query(Following{Follower: user})
}

// Counts returns how many follow a user and whom the user follows.
func (g *Graph) Counts(ctx context.Context, user string) (Counts, error) {
	c, err := g.counts.Get(Counts{UserID: user}).Run(ctx)
	if errors.Is(err, ddb.ErrNotFound) {
		return Counts{UserID: user}, nil
	}
	return c, err
}

// Follows reports whether follower follows followee.
func (g *Graph) Follows(ctx context.Context, follower, followee string) (bool, error) {
	_, err := g.following.Get(Following{Follower: follower, Followee: followee}).Run(ctx)
	if errors.Is(err, ddb.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Mutual reports whether two users follow each other.
func (g *Graph) Mutual(ctx context.Context, a, b string) (bool, error) {
	var ab, ba ddb.Result[Following]
	err := ddb.BatchGet(
		g.following.Get(Following{Follower: a, Followee: b}).Into(&ab),
		g.following.Get(Following{Follower: b, Followee: a}).Into(&ba),
	).Run(ctx)
	return err == nil && ab.Found && ba.Found, err
}
