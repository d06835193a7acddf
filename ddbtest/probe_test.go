package ddbtest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
)

// probe is a test within a test, to see what fails it.
type probe struct {
	t        *testing.T
	failures []string
	cleanups []func()
}

func (p *probe) Helper()                  {}
func (p *probe) Cleanup(f func())         { p.cleanups = append(p.cleanups, f) }
func (p *probe) Context() context.Context { return p.t.Context() }
func (p *probe) Errorf(format string, args ...any) {
	p.failures = append(p.failures, fmt.Sprintf(format, args...))
}

func (p *probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

// failures runs a test within t and returns what failed it.
func failures(t *testing.T, test func(ddbtest.TB)) string {
	t.Helper()
	p := &probe{t: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := len(p.cleanups) - 1; i >= 0; i-- {
				p.cleanups[i]()
			}
		}()
		test(p)
	}()
	<-done
	return strings.Join(p.failures, "\n")
}

// wantFailure demands that a test within t fails with all these words, or passes
// if there are none.
func wantFailure(t *testing.T, test func(ddbtest.TB), words ...string) {
	t.Helper()
	got := failures(t, test)
	if len(words) == 0 && got != "" {
		t.Errorf("it failed with %q, want it to pass", got)
	}
	for _, w := range words {
		if !strings.Contains(got, w) {
			t.Errorf("it failed with %q, want it to say %q", got, w)
		}
	}
}

// User and Order are the entities of these tests.
type User struct {
	_ ddb.Entity `name:"User" pk:"USER#{ID}" sk:"PROFILE"`

	ID      string
	Name    string
	Orders  int
	Expires time.Time `ddb:"ttl" dynamodbav:",omitempty"`
}

type Order struct {
	_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{ID}"`

	UserID, ID, Status string
}

// shop is what an application makes of a table.
type shop struct {
	table  *ddb.Table
	users  *ddb.Definition[User]
	orders *ddb.Definition[Order]
	name   ddb.Attribute[User, string]
	count  ddb.Attribute[User, int]
}

func newShop(table *ddb.Table) shop {
	s := shop{table: table, users: ddb.Define[User](table), orders: ddb.Define[Order](table)}
	s.name = ddb.Field(s.users, func(u *User) *string { return &u.Name })
	s.count = ddb.Field(s.users, func(u *User) *int { return &u.Orders })
	return s
}

// placeOrder is the code under test in these tests.
func (s shop) placeOrder(ctx context.Context, user, id string) error {
	return ddb.Transact(
		s.orders.Create(&Order{UserID: user, ID: id, Status: "OPEN"}),
		s.users.Update(User{ID: user}).Set(s.count.Add(1)),
	).Run(ctx)
}
