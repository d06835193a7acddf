package ddb_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// TestSumsFitTheirType asserts that Add reaches the ends of an integer's type and does
// not go beyond, where the item could not be read any more.
func TestSumsFitTheirType(t *testing.T) {
	t.Parallel()
	e := openEntrants(t)
	ctx := t.Context()
	round := ddb.Entry(e.rounds, "r")
	loose, err := e.def.Path("Level")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		given Entrant
		add   ddb.Assign[Entrant]
		field string // at fault; "" if the sum fits
		want  Entrant
	}{
		{"uint8 to its end", Entrant{Level: 250}, e.level.Add(5), "", Entrant{Level: 255}},
		{"uint8 beyond", Entrant{Level: 250}, e.level.Add(6), "Level", Entrant{}},
		{"uint8 by a path", Entrant{Level: 250}, loose.Add(6), "Level", Entrant{}},
		{"a missing number", Entrant{}, e.level.Add(255), "", Entrant{Level: 255}},
		{"int8 down to its end", Entrant{Delta: -120}, e.delta.Add(-8), "", Entrant{Delta: -128}},
		{"int8 beyond", Entrant{Delta: -120}, e.delta.Add(-9), "Delta", Entrant{}},
		{"int8, least", Entrant{Delta: -1}, e.delta.Add(-128), "Delta", Entrant{}},
		{"int8, least to 0", Entrant{}, e.delta.Add(-128), "", Entrant{Delta: -128}},
		{"int16 in a map", Entrant{Rounds: map[string]int16{"r": 32767}}, round.Add(1), "Rounds.r", Entrant{}},
		{"int64 to its end", Entrant{Points: math.MaxInt64 - 1}, e.points.Add(1), "", Entrant{Points: math.MaxInt64}},
		{"int64 beyond", Entrant{Points: math.MaxInt64}, e.points.Add(1), "Points", Entrant{}},
		{"nothing", Entrant{Level: 255}, e.level.Add(0), "", Entrant{Level: 255}},
	} {
		given := c.given
		given.Game, given.Player = "g", c.name
		c.want.Game, c.want.Player = "g", c.name
		put(t, e.def, given)
		_, err := e.def.Update(given).Set(c.add).Run(ctx)
		if c.field == "" {
			got, again := e.def.Get(given).Run(ctx)
			if diff := cmp.Diff(c.want, got, ignoreMarkers); err != nil || again != nil || diff != "" {
				t.Errorf("%s: got %v and %v (-want +got):\n%s", c.name, err, again, diff)
			}
			continue
		}
		together := ddb.Transact(e.def.Update(given).Set(c.add)).Run(ctx)
		for _, err := range []error{err, together} {
			if !errors.Is(err, ddb.ErrOverflow) || !strings.Contains(err.Error(), "UpdateItem Games: Entrant."+c.field+": ") {
				t.Errorf("%s: got %v, want ErrOverflow of %s", c.name, err, c.field)
			}
		}
		got, err := e.def.Get(given).Run(ctx)
		if diff := cmp.Diff(given, got, ignoreMarkers); err != nil || diff != "" {
			t.Errorf("%s: got %v, want the item as it was (-want +got):\n%s", c.name, err, diff)
		}
	}
	_, err = e.def.Update(Entrant{Game: "g", Player: "uint8 beyond"}).Set(e.level.Add(6)).If(e.level.Eq(1)).Run(ctx)
	if failed, ok := errors.AsType[*ddb.ConditionError](err); !ok || failed.Item == nil || !errors.Is(err, ddb.ErrConditionFailed) {
		t.Errorf("got %v, want a failed condition with the stored item", err)
	}
	_, err = e.def.Update(Entrant{Game: "g", Player: "uint8 to its end"}).Set(e.level.To(1)).If(e.level.Eq(1)).Run(ctx)
	if errors.Is(err, ddb.ErrOverflow) {
		t.Errorf("another condition: got %v, want no ErrOverflow", err)
	}
}
