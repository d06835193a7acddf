package scenarios_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/examples/shop/schema"
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// john is a user with an address and two orders.
func john(t *testing.T, s schema.Shop) {
	t.Helper()
	ddbtest.Seed(t, s.Users, schema.User{ID: "12345", Name: "John", Email: "john@example.com", Registered: at("2023-01-01T09:00:00Z")})
	ddbtest.Seed(t, s.Addresses, schema.Address{UserID: "12345", Label: "HOME", City: "上海"})
	ddbtest.Seed(t, s.Orders,
		schema.Order{UserID: "12345", ID: "2024-001", Status: "PENDING", PlacedAt: at("2024-01-01T10:00:00Z")},
		schema.Order{UserID: "12345", ID: "2024-002", Status: "SHIPPED", PlacedAt: at("2024-01-01T15:30:00Z")})
}

// TestS1UserByID: one GetItem, and an error where there is no user rather than
// an empty one.
func TestS1UserByID(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s := w.shop(t)
		john(t, s)
		ddbtest.Cost(t, w, func() {
			u := value[schema.User](t)(s.Users.Get(schema.User{ID: "12345"}).Run(t.Context()))
			equal(t, "name", u.Name, "John")
		}).Exactly(1, 0.5, 1)
		equal(t, "key", w.stored(t, "AppTable", "USER#12345", "PROFILE")["姓名"], any("John"))

		for _, id := range []string{"1234", "123456", "nobody"} {
			if u, err := s.Users.Get(schema.User{ID: id}).Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
				t.Errorf("user %s: got %+v and %v, want ErrNotFound", id, u, err)
			}
		}
		ddbtest.Cost(t, w, func() {
			if _, err := s.Users.Get(schema.User{}).Run(t.Context()); !errors.Is(err, ddb.ErrKey) {
				t.Errorf("no ID: got %v, want ErrKey before any call", err)
			}
		}).Exactly(0, 0, 0)
	})
}

// TestS2EverythingOfAUser: one Query, each item as its type; what is cut says so,
// what is unknown is an error.
func TestS2EverythingOfAUser(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		john(t, s)
		everything := s.Table.Collection(s.Users.Partition(schema.User{ID: "12345"}))
		ddbtest.Cost(t, w, func() {
			c := value[*ddb.Collection](t)(everything.Load(ctx))
			equal(t, "items by type", []int{len(ddb.Of(c, s.Users)), len(ddb.Of(c, s.Orders)), len(ddb.Of(c, s.Addresses))}, []int{1, 2, 1})
			equal(t, "orders", ddb.Of(c, s.Orders)[1].ID, "2024-002")
			equal(t, "complete", c.Complete(), true)
		}).Exactly(1, 0.5, 4)

		c := value[*ddb.Collection](t)(everything.PageSize(2).MaxPages(1).Load(ctx))
		equal(t, "addresses and orders of a read cut short", []int{len(ddb.Of(c, s.Addresses)), len(ddb.Of(c, s.Orders))}, []int{1, 1})
		equal(t, "complete though cut short", c.Complete(), false)

		// More than the 1 MB of a page: the profile, last in the order, comes on
		// the third.
		for n := range 8 {
			ddbtest.Seed(t, s.Orders, schema.Order{
				UserID: "12345", ID: fmt.Sprintf("2024-1%02d", n), Status: "PAID", PlacedAt: at("2024-02-01T00:00:00Z"), ProductName: strings.Repeat("长", 100_000),
			})
		}
		b := ddbtest.Cost(t, w, func() {
			c := value[*ddb.Collection](t)(everything.Load(ctx))
			equal(t, "items of a large partition", []int{len(ddb.Of(c, s.Users)), len(ddb.Of(c, s.Orders))}, []int{1, 10})
			equal(t, "complete though large", c.Complete(), true)
		})
		equal(t, "requests for a large partition", b.Requests, 3)

		w.put(t, "AppTable", map[string]types.AttributeValue{"PK": text("USER#12345"), "SK": text("ROBOT"), "类型": text("机器人")})
		if _, err := everything.Load(ctx); !errors.Is(err, ddb.ErrEntityType) {
			t.Errorf("an unknown type: got %v, want ErrEntityType", err)
		}
		c = value[*ddb.Collection](t)(everything.KeepUnknown().Load(ctx))
		equal(t, "unknown items kept by choice", len(c.Unknown()), 1)
	})
}

// TestS9UserByEmail: an address finds its user, and of twenty who want it at once
// one gets it.
func TestS9UserByEmail(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		john(t, s)
		byEmail := func(email string) ddb.QueryOp[schema.User] {
			return s.Users.Query(schema.User{Email: email}).Index("GSI1")
		}
		ddbtest.Cost(t, w, func() {
			equal(t, "by address", all(t, byEmail("John@Example.com"), func(u schema.User) string { return u.ID }), []string{"12345"})
		}).Exactly(1, 0.5, 1)
		equal(t, "index key", w.stored(t, "AppTable", "USER#12345", "PROFILE")["GSI1PK"], any("EMAIL#john@example.com"))

		taken := func(err error) bool { return errors.Is(err, ddb.ErrUnique) }
		won := together(t, 20, taken, func(i int) error {
			u := schema.User{ID: fmt.Sprintf("NEW%02d", i), Name: "Grace", Email: "Grace@example.com", Registered: at("2024-06-01T08:00:00Z")}
			return s.Users.Create(&u).Run(ctx)
		})
		equal(t, "sign-ups with one address", won, 1)
		equal(t, "users with the address", len(all(t, byEmail("grace@example.com"), func(u schema.User) string { return u.ID })), 1)
		users := 0
		for key := range ddbtest.ItemsOf(t, w, "AppTable") {
			if strings.HasPrefix(key, "USER#NEW") {
				users++
			}
		}
		equal(t, "users stored", users, 1)

		// The address is free again once it is given up.
		email := ddb.Field(s.Users, func(u *schema.User) *string { return &u.Email })
		_, err := s.Users.Update(schema.User{ID: "12345"}).Set(email.To("johnny@example.com")).Run(ctx)
		must(t, err)
		must(t, s.Users.Create(&schema.User{ID: "NEXT", Email: "JOHN@example.com", Registered: at("2024-06-02T08:00:00Z")}).Run(ctx))
		equal(t, "by address given up", all(t, byEmail("john@example.com"), func(u schema.User) string { return u.ID }), []string{"NEXT"})
	})
}
