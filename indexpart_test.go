package ddb_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Entrant has an index whose sort key is an attribute of its own, numbers of several
// widths and an expiry.
type Entrant struct {
	_ ddb.Entity `name:"Entrant" pk:"GAME#{Game}" sk:"ENTRANT#{Player}"`
	_ ddb.Index  `name:"ByPoints" pk:"BOARD#{Game}" sk:"{Points}"`

	Game, Player string
	Points       int64
	Level        uint8            `dynamodbav:",omitempty"`
	Delta        int8             `dynamodbav:",omitempty"`
	Rounds       map[string]int16 `dynamodbav:",omitempty"`
	Expires      time.Time        `ddb:"ttl"`
}

type entrants struct {
	table   *ddb.Table
	db      *memory.DB
	def     *ddb.Definition[Entrant]
	key     Entrant
	points  ddb.Attribute[Entrant, int64]
	level   ddb.Attribute[Entrant, uint8]
	delta   ddb.Attribute[Entrant, int8]
	rounds  ddb.Attribute[Entrant, map[string]int16]
	expires ddb.Attribute[Entrant, time.Time]
}

func openEntrants(t *testing.T) entrants {
	t.Helper()
	db := memory.New()
	e := entrantsOn(backend(t, db))
	e.db = db
	create(t, db, e.table)
	return e
}

func entrantsOn(b ddb.Backend) entrants {
	table := ddb.NewTable("Games", b, ddb.GSI("ByPoints", "Board", "Points"))
	def := ddb.Define[Entrant](table)
	return entrants{
		table: table, def: def, key: Entrant{Game: "g", Player: "p"},
		points:  ddb.Field(def, func(e *Entrant) *int64 { return &e.Points }),
		level:   ddb.Field(def, func(e *Entrant) *uint8 { return &e.Level }),
		delta:   ddb.Field(def, func(e *Entrant) *int8 { return &e.Delta }),
		rounds:  ddb.Field(def, func(e *Entrant) *map[string]int16 { return &e.Rounds }),
		expires: ddb.Field(def, func(e *Entrant) *time.Time { return &e.Expires }),
	}
}

// TestRequiredIndexPartsStay asserts that no update leaves an item without a field
// that an index key is made of and that may not be empty: such an item is missing
// from the index, and cannot be put back as it was loaded.
func TestRequiredIndexPartsStay(t *testing.T) {
	t.Parallel()
	s, e := newShop(unreachable{}), entrantsOn(unreachable{})
	key := Order{UserID: "u", OrderID: "o", PlacedAt: at("2024-05-20T12:00:00Z")}
	order := func(u ddb.UpdateOp[Order]) error { _, err := u.Run(t.Context()); return err }
	entrant := func(u ddb.UpdateOp[Entrant]) error { _, err := u.Run(t.Context()); return err }
	for _, c := range []struct {
		name string
		got  error
		is   error
		says string
	}{
		{"removed", order(s.orders.Update(key).Set(s.status.Remove())), ddb.ErrKey, "UpdateItem Shop.GSI1: Order.Status: "},
		{"removed, own attribute", entrant(e.def.Update(e.key).Set(e.points.Remove())), ddb.ErrKey, "Games.ByPoints: Entrant.Points: "},
		{"removed together", ddb.Transact(s.orders.Update(key).Set(s.status.Remove())).Run(t.Context()), ddb.ErrKey, "GSI1: Order.Status: "},
		{"left out", order(s.orders.Upsert(key).Set(s.total.To(1))), ddb.ErrIndexPartMissing, "Shop.GSI1: Order.Status: "},
		{"left out, another index entered", order(s.orders.Upsert(key).Set(s.product.To("p"))), ddb.ErrIndexPartMissing, "Shop.GSI1: Order.Status: "},
		{"left out, own attribute", entrant(e.def.Upsert(e.key).Set(e.level.To(1))), ddb.ErrIndexPartMissing, "Games.ByPoints: Entrant.Points: "},
		{"computed", order(s.orders.Upsert(key).Set(s.status.SetIfAbsent("NEW"))), ddb.ErrKeyChange, "Shop.GSI1: Order.Status: "},
	} {
		if !errors.Is(c.got, c.is) || !strings.Contains(c.got.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", c.name, c.got, c.is, c.says)
		}
	}
}

// TestUpsertsEnterTheirIndexes asserts that what Upsert makes is in the indexes that
// it should be in, as if it had been put.
func TestUpsertsEnterTheirIndexes(t *testing.T) {
	t.Parallel()
	e := openEntrants(t)
	ctx := t.Context()
	for _, c := range []struct {
		name   string
		change ddb.Assign[Entrant]
		points int64
	}{
		{"set", e.points.To(5), 5},
		{"set if absent", e.points.SetIfAbsent(6), 6},
		{"added", e.points.Add(7), 7},
	} {
		key := Entrant{Game: "g", Player: c.name}
		made, err := e.def.Upsert(key).Set(c.change).Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.def.Query(Entrant{Game: "g", Points: c.points}).Index("ByPoints").One(ctx)
		if diff := cmp.Diff(made, got, ignoreMarkers); err != nil || diff != "" {
			t.Errorf("%s: got %v (-made +in the index):\n%s", c.name, err, diff)
		}
	}
}

// TestUpsertFromALoadedItem asserts that what an upsert does not set of an index key
// can come from the loaded item, which must then still be there.
func TestUpsertFromALoadedItem(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	o := order("u", "o", "2024-05-20T12:00:00Z", "NEW")
	upsert := func(ctx context.Context) error {
		_, err := s.orders.Upsert(o).From(o).Set(s.total.To(1)).Run(ctx)
		return err
	}
	if err := upsert(t.Context()); !errors.Is(err, ddb.ErrConditionFailed) {
		t.Errorf("no item: got %v, want ErrConditionFailed", err)
	}
	wantEmpty(t, db)
	put(t, s.orders, o)
	if err := upsert(t.Context()); err != nil {
		t.Error(err)
	}
}
