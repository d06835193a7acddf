package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestLostReplyThenConflict asserts that a write whose reply is lost, and whose second
// sending meets a transaction, recognises its work when the layer sends it once more.
func TestLostReplyThenConflict(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(context.Context, *ddb.Definition[Page]) error{
		"put": func(ctx context.Context, d *ddb.Definition[Page]) error {
			v := Page{ID: "1", State: "s", Likes: 1, Version: 1}
			err := d.Put(&v).Run(ctx)
			if err == nil && v.Version != 2 {
				err = fmt.Errorf("version %d of the value", v.Version)
			}
			return err
		},
		"modify": func(ctx context.Context, d *ddb.Definition[Page]) error {
			_, err := d.Modify(ctx, Page{ID: "1"}, like)
			return err
		},
	} {
		d, db := sentAgain(t)
		for _, op := range []string{"PutItem", "UpdateItem"} {
			defer db.Inject(memory.LoseReply(), memory.OnOperation(op), memory.OnCall(1))()
			defer db.Inject(memory.Conflict(), memory.OnOperation(op), memory.OnCall(2))()
		}
		if err := write(t.Context(), d); err != nil {
			t.Errorf("%s: got %v, want its own work recognised", name, err)
		}
		wantLikes(t, name, d, 1)
	}
}

// TestLostReplyThenOthers asserts that a write whose reply is lost, and whose item others
// have changed before it is sent again, is in doubt, and not made twice; and that one
// which was refused for certain is made.
func TestLostReplyThenOthers(t *testing.T) {
	t.Parallel()
	inDoubt := func(err error) bool { return errors.Is(err, ddb.ErrInDoubt) && errors.Is(err, ddb.ErrVersion) }
	done := func(err error) bool { return err == nil }
	modify := func(ctx context.Context, d *ddb.Definition[Page]) error {
		_, err := d.Modify(ctx, Page{ID: "1"}, like)
		return err
	}
	retry := func(ctx context.Context, d *ddb.Definition[Page]) error {
		return ddb.Retry(ctx, func(ctx context.Context) error {
			v, err := d.Get(Page{ID: "1"}).Consistent().Run(ctx)
			if err != nil {
				return err
			}
			likes := ddb.Field(d, func(p *Page) *int { return &p.Likes })
			_, err = d.Update(v).From(v).Set(likes.To(v.Likes + 1)).Run(ctx)
			return err
		})
	}
	for _, tt := range []struct {
		name  string
		fault memory.Fault
		write func(context.Context, *ddb.Definition[Page]) error
		want  func(error) bool
		likes int // with 10 of the others
	}{
		{"modify, lost reply", memory.LoseReply(), modify, inDoubt, 11},
		{"retry, lost reply", memory.LoseReply(), retry, inDoubt, 11},
		{"modify, throttled", memory.Throttle(), modify, done, 11},
		{"retry, throttled", memory.Throttle(), retry, done, 11},
	} {
		d, db := sentAgain(t)
		others := memory.Meanwhile(func() {
			likes := ddb.Field(d, func(p *Page) *int { return &p.Likes })
			if _, err := d.Update(Page{ID: "1"}).Set(likes.Add(10)).Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
		lose := db.Inject(tt.fault, memory.OnOperation("UpdateItem"), memory.OnCall(1))
		change := db.Inject(others, memory.OnOperation("UpdateItem"), memory.OnCall(2))
		if err := tt.write(t.Context(), d); !tt.want(err) {
			t.Errorf("%s: got %v", tt.name, err)
		}
		lose()
		change()
		wantLikes(t, tt.name, d, tt.likes)
	}
}

func like(v *Page) error {
	v.Likes++
	return nil
}

// sentAgain returns pages, of which there is one, on a client that sends again what
// failed.
func sentAgain(t *testing.T) (*ddb.Definition[Page], *memory.DB) {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Pages", client(t, db))
	d := ddb.Define[Page](table)
	create(t, db, table)
	put(t, d, Page{ID: "1", State: "s"})
	return d, db
}

func wantLikes(t *testing.T, name string, d *ddb.Definition[Page], want int) {
	t.Helper()
	if got, err := d.Get(Page{ID: "1"}).Run(t.Context()); err != nil || got.Likes != want {
		t.Errorf("%s, stored: got %d and %v, want %d likes", name, got.Likes, err, want)
	}
}
