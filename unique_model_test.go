package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// holding is a model of what a table holds: members and clerks by ID.
type holding struct {
	members map[string]Member
	clerks  map[string]Clerk
}

func (h holding) clone() holding { return holding{maps.Clone(h.members), maps.Clone(h.clerks)} }

// values returns the markers of all values in use, false if one is used twice.
func (h holding) values() (map[string]string, bool) {
	out, once := make(map[string]string), true
	use := func(scope, value, owner string) {
		if value == "" {
			return
		}
		key := "UNIQUE#" + scope + "#" + value
		_, twice := out[key]
		once = once && !twice
		out[key] = owner
	}
	for id, m := range h.members {
		use("Member.Email", strings.ToLower(m.Email), "MEMBER#"+id)
		use("phone", m.Phone, "MEMBER#"+id)
		if m.Second != nil {
			use("phone", *m.Second, "MEMBER#"+id)
		}
	}
	for id, k := range h.clerks {
		use("phone", k.Phone, "CLERK#"+id)
	}
	return out, once
}

// modelWrite is a write and what it does to the model: whether its own condition
// holds, and the change.
type modelWrite struct {
	name  string
	write ddb.Write
	run   func(context.Context) error
	holds bool
	apply func(holding)
}

// drawWrite makes a random write of an item that is not taken yet.
func drawWrite(t *rapid.T, c club, h holding, taken map[string]bool) modelWrite {
	id := rapid.SampledFrom([]string{"a", "b", "c", "k", "l"}).Filter(func(id string) bool { return !taken[id] }).Draw(t, "id")
	taken[id] = true
	phone := rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "phone")
	if id == "k" || id == "l" {
		return drawClerk(t, c, h, id, phone)
	}
	email := rapid.SampledFrom([]string{"x", "X", "y", "z", "w"}).Draw(t, "email")
	had, exists := h.members[id]
	m := Member{ID: id, Email: email, Phone: phone}
	if second := rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "second"); second != "" {
		m.Second = &second
	}
	key := Member{ID: id}
	changes := []ddb.Assign[Member]{c.email.To(email)}
	next := had
	next.ID, next.Email = id, email
	if rapid.Bool().Draw(t, "phone too") {
		if phone == "" {
			changes = append(changes, c.phone.Remove())
		} else {
			changes = append(changes, c.phone.To(phone))
		}
		next.Phone = phone
	}
	set := func(m Member) func(holding) { return func(h holding) { h.members[id] = m } }
	update := func(op ddb.UpdateOp[Member]) func(context.Context) error {
		return func(ctx context.Context) error { _, err := op.Run(ctx); return err }
	}
	switch kind := rapid.SampledFrom([]string{"create", "put", "update", "update from", "upsert", "name", "modify", "delete"}).Draw(t, "verb"); kind {
	case "create":
		op := c.members.Create(&m)
		return modelWrite{kind, op, op.Run, !exists, set(m)}
	case "put":
		op := c.members.Put(&m)
		return modelWrite{kind, op, op.Run, true, set(m)}
	case "update":
		op := c.members.Update(key).Set(changes...)
		return modelWrite{kind, op, update(op), exists, set(next)}
	case "update from":
		op := c.members.Update(key).From(had).Set(changes...)
		return modelWrite{kind, op, update(op), exists, set(next)}
	case "upsert":
		op := c.members.Upsert(key).Set(changes...)
		return modelWrite{kind, op, update(op), true, set(next)}
	case "name":
		op := c.members.Update(key).Set(c.name.To("n"))
		return modelWrite{kind, op, update(op), exists, set(had)}
	case "modify":
		next.Second = m.Second
		return modelWrite{kind, nil, func(ctx context.Context) error {
			_, err := c.members.Modify(ctx, key, func(m *Member) error { m.Email, m.Phone, m.Second = next.Email, next.Phone, next.Second; return nil })
			return err
		}, exists, set(next)}
	default:
		op := c.members.Delete(key)
		return modelWrite{kind, op, op.Run, true, func(h holding) { delete(h.members, id) }}
	}
}

func drawClerk(t *rapid.T, c club, h holding, id, phone string) modelWrite {
	had, exists := h.clerks[id]
	k := Clerk{ID: id, Phone: phone, Version: had.Version}
	if rapid.Bool().Draw(t, "delete") {
		op := c.clerks.Delete(Clerk{ID: id})
		return modelWrite{"delete clerk", op, op.Run, true, func(h holding) { delete(h.clerks, id) }}
	}
	op := c.clerks.Put(&k)
	if !exists && rapid.Bool().Draw(t, "create") {
		op = c.clerks.Create(&k)
	}
	return modelWrite{"put clerk", op, op.Run, true, func(h holding) { h.clerks[id] = Clerk{ID: id, Phone: phone, Version: had.Version + 1} }}
}

// TestMarkersAreTheValuesInUse asserts that after any history of writes, alone and
// in transactions, the markers are exactly those of the values in use, and that a
// write succeeds if and only if its condition holds and no value would be used
// twice.
func TestMarkersAreTheValuesInUse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		db := memory.New()
		c := clubOn(db)
		c.db = db
		in, err := c.table.CreateTableInput()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.CreateTable(ctx, in); err != nil {
			t.Fatal(err)
		}
		model := holding{map[string]Member{}, map[string]Clerk{}}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			after, allowed, name := model.clone(), true, ""
			var err error
			taken := make(map[string]bool)
			if n := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "operations"); n == 1 {
				w := drawWrite(t, c, model, taken)
				w.apply(after)
				allowed, name = w.holds, w.name
				err = w.run(ctx)
			} else {
				var writes []ddb.Write
				for range n {
					w := drawWrite(t, c, model, taken)
					if w.write == nil {
						continue
					}
					w.apply(after)
					allowed = allowed && w.holds
					name += w.name + ", "
					writes = append(writes, w.write)
				}
				if len(writes) == 0 {
					continue
				}
				err = ddb.Transact(writes...).Run(ctx)
			}
			_, once := after.values()
			switch {
			case allowed && once && err != nil:
				t.Fatalf("%s: %v", name, err)
			case (!allowed || !once) && err == nil:
				t.Fatalf("%s: got success, want it refused", name)
			case allowed && !once && !errors.Is(err, ddb.ErrUnique):
				t.Fatalf("%s: got %v, want it to say what stood against it", name, err)
			}
			if err == nil {
				model = after
			}
			checkModel(t, c, model, name)
		}
		if err := db.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func checkModel(t *rapid.T, c club, model holding, name string) {
	want, _ := model.values()
	got, others := c.items(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("after %s, markers (-want +got):\n%s", name, diff)
	}
	if n := len(model.members) + len(model.clerks); others != n {
		t.Fatalf("after %s: got %d items, want %d", name, others, n)
	}
	for _, id := range slices.Sorted(maps.Keys(model.members)) {
		m, err := c.members.Get(Member{ID: id}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		w := model.members[id]
		if got, want := fmt.Sprint(m.Email, m.Phone, deref(m.Second)), fmt.Sprint(w.Email, w.Phone, deref(w.Second)); got != want {
			t.Fatalf("after %s: got %s, want %s", name, got, want)
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}
