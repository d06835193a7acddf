package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// TestExpiry asserts how an expiry is stored, what is refused, and what reads
// that hide expired items see.
func TestExpiry(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	ctx := t.Context()
	soon := p.now.Add(1500 * time.Millisecond)
	for id, expires := range map[string]time.Time{"never": {}, "soon": soon, "past": p.now.Add(-time.Hour)} {
		put(t, p.def, Page{ID: id, State: "live", Expires: expires})
	}
	if _, in := p.raw(t, "never")["Expires"]; in {
		t.Error("a zero expiry was stored")
	}
	if got, want := n(p.raw(t, "soon"), "Expires"), fmt.Sprint(soon.Unix()); got != want {
		t.Errorf("got %q, want whole seconds %s", got, want)
	}
	v, err := p.def.Get(Page{ID: "soon"}).Run(ctx)
	if err != nil || v.Expires.Unix() != soon.Unix() {
		t.Errorf("read back: got %v and %v", v.Expires, err)
	}
	live := p.def.Query(Page{State: "live"}).Index("GSI1")
	if got, err := live.Count(ctx); err != nil || got != 3 {
		t.Errorf("expired items are there until they are deleted: got %d and %v, want 3", got, err)
	}
	hidden := live.HideExpired().Limit(1)
	page, err := hidden.Page(ctx, "")
	if err != nil || page.Items[0].ID != "never" {
		t.Fatalf("got %+v and %v", page, err)
	}
	*p.now = p.now.Add(time.Second) // the cursor outlives the moment
	page, err = hidden.Page(ctx, page.Next)
	if err != nil || len(page.Items) > 1 || len(page.Items) == 1 && page.Items[0].ID != "soon" {
		t.Errorf("next page: got %+v and %v", page, err)
	}
	if _, err := p.def.Get(Page{ID: "past"}).HideExpired().Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("hidden get: got %v, want ErrNotFound", err)
	}
	if _, err := p.def.Get(Page{ID: "past"}).Run(ctx); err != nil {
		t.Errorf("plain get: %v", err)
	}
	if err := p.def.Put(&Page{ID: "x", State: "s", Expires: time.Unix(p.now.UnixMilli(), 0)}).Run(ctx); !errors.Is(err, ddb.ErrExpiry) {
		t.Errorf("milliseconds: got %v, want ErrExpiry", err)
	}
	in, err := p.table.UpdateTimeToLiveInput()
	if err != nil || *in.TimeToLiveSpecification.AttributeName != "Expires" {
		t.Errorf("got %+v and %v, want the attribute", in, err)
	}
}

// TestWritesThatHideExpired asserts what each write makes of an item that has
// expired, of one that will, and of one that never does.
func TestWritesThatHideExpired(t *testing.T) {
	t.Parallel()
	type op func(p pages, key Page) func(context.Context) error
	update := func(u ddb.UpdateOp[Page]) func(context.Context) error {
		return func(ctx context.Context) error { _, err := u.Run(ctx); return err }
	}
	likes := func(p pages) ddb.Assign[Page] { return p.likes.To(9) }
	create := func(p pages, k Page) func(context.Context) error { return p.def.Create(&k).HideExpired().Run }
	replace := func(p pages, k Page) func(context.Context) error { return p.def.Put(&k).HideExpired().Run }
	must := func(p pages, k Page) func(context.Context) error {
		return p.def.Delete(k).MustExist().HideExpired().Run
	}
	liked := func(p pages, k Page) func(context.Context) error {
		return p.def.Delete(k).If(p.likes.Eq(1)).HideExpired().Run
	}
	set := func(p pages, k Page) func(context.Context) error {
		return update(p.def.Update(k).Set(likes(p)).HideExpired())
	}
	together := func(w func(p pages, k Page) ddb.Write) op {
		return func(p pages, k Page) func(context.Context) error { return ddb.Transact(w(p, k)).Run }
	}
	for name, c := range map[string]struct {
		write             op
		past, soon, never error
	}{
		"create": {create, nil, ddb.ErrExists, ddb.ErrExists},
		"put":    {replace, nil, ddb.ErrVersion, ddb.ErrVersion},
		"update": {set, ddb.ErrNotFound, nil, nil},
		"update from": {func(p pages, k Page) func(context.Context) error {
			return update(p.def.Update(k).Set(likes(p)).From(Page{ID: k.ID, Version: 1}).HideExpired())
		}, ddb.ErrNotFound, nil, nil},
		"upsert": {func(p pages, k Page) func(context.Context) error {
			return update(p.def.Upsert(k).Set(likes(p)).HideExpired())
		}, ddb.ErrExpression, ddb.ErrExpression, ddb.ErrExpression},
		"delete":           {func(p pages, k Page) func(context.Context) error { return p.def.Delete(k).HideExpired().Run }, nil, nil, nil},
		"delete that must": {must, ddb.ErrNotFound, nil, nil},
		"delete if":        {liked, ddb.ErrConditionFailed, nil, nil},
		"check":            {together(func(p pages, k Page) ddb.Write { return p.def.Check(k).HideExpired() }), ddb.ErrNotFound, nil, nil},
		"create together":  {together(func(p pages, k Page) ddb.Write { return p.def.Create(&k).HideExpired() }), nil, ddb.ErrExists, ddb.ErrExists},
		"update together":  {together(func(p pages, k Page) ddb.Write { return p.def.Update(k).Set(likes(p)).HideExpired() }), ddb.ErrNotFound, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPages(t)
			for id, of := range map[string]struct {
				expires time.Time
				want    error
			}{"past": {*p.now, c.past}, "soon": {p.now.Add(time.Second), c.soon}, "never": {time.Time{}, c.never}} {
				put(t, p.def, Page{ID: id, State: "live", Likes: 1, Expires: of.expires})
				before := p.raw(t, id)
				err := c.write(p, Page{ID: id, State: "new"})(t.Context())
				if !errors.Is(err, of.want) || (err == nil) != (of.want == nil) {
					t.Errorf("%s: got %v, want %v", id, err, of.want)
				}
				if diff := cmp.Diff(before, p.raw(t, id), sdkTypes); err != nil && diff != "" {
					t.Errorf("%s: a refused write changed the item (-before +after)\n%s", id, diff)
				}
			}
		})
	}
}

// TestExpiryThroughHandles asserts that values which a Put refuses or leaves out do
// not come in by a handle, nor into a condition, which could never be true.
func TestExpiryThroughHandles(t *testing.T) {
	t.Parallel()
	e := entrantsOn(unreachable{})
	loose, err := e.def.Path("Expires")
	if err != nil {
		t.Fatal(err)
	}
	run := func(u ddb.UpdateOp[Entrant]) error { _, err := u.Run(t.Context()); return err }
	update := e.def.Update(e.key)
	millis := time.Unix(time.Date(2024, 5, 20, 0, 0, 0, 0, time.UTC).UnixMilli(), 0)
	for name, v := range map[string]time.Time{"none": {}, "milliseconds": millis} {
		for verb, err := range map[string]error{
			"To":            run(update.Set(e.expires.To(v))),
			"To by a path":  run(update.Set(loose.To(v))),
			"To of a text":  run(update.Set(loose.To(v.Unix()))),
			"SetIfAbsent":   run(update.Set(e.expires.SetIfAbsent(v))),
			"Eq":            run(update.Set(e.level.To(1)).If(e.expires.Eq(v))),
			"Between":       run(update.Set(e.level.To(1)).If(e.expires.Between(v, v))),
			"In":            run(update.Set(e.level.To(1)).If(e.expires.In(v))),
			"Gt, in delete": e.def.Delete(e.key).If(e.expires.Gt(v)).Run(t.Context()),
		} {
			if !errors.Is(err, ddb.ErrExpiry) || !strings.Contains(err.Error(), "Entrant.Expires: ") {
				t.Errorf("%s, %s: got %v, want ErrExpiry of the field", verb, name, err)
			}
		}
	}
	in, err := update.Set(e.expires.To(time.Unix(1700000000, 5))).If(e.expires.Lt(time.Unix(1600000000, 0))).Input()
	if err != nil {
		t.Fatal(err)
	}
	values := []string{n(in.ExpressionAttributeValues, ":1"), n(in.ExpressionAttributeValues, ":2")}
	if diff := cmp.Diff([]string{"1600000000", "1700000000"}, values); diff != "" {
		t.Errorf("whole seconds (-want +got):\n%s", diff)
	}
}
