package scenarios_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/memory"
)

// TestS20ChangeEvents: an insert has the new image, a change both, a removal the
// old one, in the order of each item; a new customer with an address is welcomed
// once, though every record comes twice; after a day they are gone.
func TestS20ChangeEvents(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		clock := ddbtest.NewClock(at("2024-01-01T12:00:00Z"))
		w := open(t, memory.Clock(clock.Now))
		s, ctx := w.shop(t, ddb.Clock(clock.Now)), t.Context()
		messages := ddb.Define[Message](s.Table)
		w.withStream(t, s.Table)

		seen := make(map[string][]string) // by user
		changes := ddb.NewChanges(s.Table)
		ddb.On(changes, s.Users, func(_ context.Context, c ddb.Change[schema.User]) error {
			said := string(c.Kind) + ":"
			if c.Old != nil {
				said += " from " + c.Old.Name
			}
			if c.New != nil {
				said += " to " + c.New.Name
			}
			seen[c.Key.ID] = append(seen[c.Key.ID], said)
			return nil
		})
		ddb.OnInsert(changes, s.Users, func(ctx context.Context, c ddb.Change[schema.User]) error {
			if c.New.Email == "" {
				return nil
			}
			_, err := ddb.Once(ctx, messages, &Message{UserID: c.New.ID, EventID: c.EventID, To: c.New.Email})
			return err
		})

		ddbtest.Seed(t, s.Users, schema.User{ID: "1", Name: "Ann", Email: "ann@example.com", Registered: clock.Now()},
			schema.User{ID: "2", Name: "Bob", Registered: clock.Now()})
		name := ddb.Field(s.Users, func(u *schema.User) *string { return &u.Name })
		email := ddb.Field(s.Users, func(u *schema.User) *string { return &u.Email })
		for i := range 3 {
			value[schema.User](t)(s.Users.Update(schema.User{ID: "1"}).Set(name.To(fmt.Sprint("Ann ", i))).Run(ctx))
		}
		value[schema.User](t)(s.Users.Update(schema.User{ID: "2"}).Set(email.To("bob@example.com")).Run(ctx))
		must(t, s.Users.Delete(schema.User{ID: "2"}).Run(ctx))

		want := map[string][]string{
			"1": {"INSERT: to Ann", "MODIFY: from Ann to Ann 0", "MODIFY: from Ann 0 to Ann 1", "MODIFY: from Ann 1 to Ann 2"},
			"2": {"INSERT: to Bob", "MODIFY: from Bob to Bob", "REMOVE: from Bob"},
		}
		for _, time := range []string{"first", "second"} {
			clear(seen)
			must(t, changes.Follow(w.streams).CatchUp(ctx)) // without checkpoints, from the beginning
			equal(t, "changes, the "+time+" time", seen, want)
		}
		to := func(m Message) string { return m.To }
		equal(t, "messages to Ann", all(t, messages.Query(Message{UserID: "1"}), to), []string{"ann@example.com"})
		equal(t, "messages to Bob, new without an address", all(t, messages.Query(Message{UserID: "2"}), to), []string{})

		clock.Advance(25 * time.Hour)
		clear(seen)
		must(t, changes.Follow(w.streams).CatchUp(ctx))
		equal(t, "changes after a day", len(seen), 0)
	})
}
