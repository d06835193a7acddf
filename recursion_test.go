package ddb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// Types that lead back to themselves on every way that Go offers.
type (
	ring  *ring
	rings struct{ Ring ring }
	list  []list
	table map[string]table

	// Loop embeds itself by way of another struct.
	Loop struct {
		*Inner
		Name string
	}
	Inner struct {
		*Loop
		Size int
	}

	tree struct {
		Value    int
		Left     *tree            `dynamodbav:",omitempty"`
		Deep     **tree           `dynamodbav:",omitempty"`
		Children []tree           `dynamodbav:",omitempty"`
		Pointers []*tree          `dynamodbav:",omitempty"`
		Named    map[string]tree  `dynamodbav:",omitempty"`
		Any      any              `dynamodbav:",omitempty"`
		Lists    list             `dynamodbav:",omitempty"`
		Tables   table            `dynamodbav:",omitempty"`
		Matrix   [2][]map[int]any `dynamodbav:",omitempty"`
	}
)

// SelfEmbedded embeds a pointer to itself, key templates and all.
type SelfEmbedded struct {
	_ ddb.Entity `pk:"SELF#{ID}" sk:"SELF"`
	_ ddb.Index  `name:"GSI1" pk:"NAME#{Name}" sk:"SELF"`
	*SelfEmbedded

	ID, Name string
}

// Grove holds trees, and itself.
type Grove struct {
	_ ddb.Entity `pk:"GROVE#{ID}" sk:"GROVE"`

	ID    string
	Root  tree
	Next  *Grove `dynamodbav:",omitempty"`
	Loop  Loop
	Parts map[string][]*Grove `dynamodbav:",omitempty"`
}

// TestTypesThatHoldThemselves asserts that definitions, handles, writes and reads
// come to an end for types that lead back to themselves.
func TestTypesThatHoldThemselves(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	selves, groves := ddb.Define[SelfEmbedded](s.table), ddb.Define[Grove](s.table)
	name := ddb.Field(selves, func(s *SelfEmbedded) *string { return &s.Name })
	value := ddb.Field(groves, func(g *Grove) *int { return &g.Next.Root.Left.Value })
	size := ddb.Field(groves, func(g *Grove) *int { return &g.Loop.Size })
	if err := s.table.Err(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	put(t, selves, SelfEmbedded{ID: "1", Name: "a"})
	if got, err := selves.Update(SelfEmbedded{ID: "1"}).Set(name.To("b")).Run(ctx); err != nil || got.Name != "b" {
		t.Errorf("embedded in itself: got %+v and %v", got, err)
	}
	left := &tree{Value: 2}
	g := Grove{
		ID: "1", Root: tree{
			Value: 1, Left: left, Deep: &left, Children: []tree{{Value: 3}}, Named: map[string]tree{"x": {Children: []tree{}}},
			Lists: list{{}, {list{}}}, Tables: table{"a": {"b": {}}},
		},
		Next:  &Grove{ID: "2", Root: tree{Left: &tree{Value: 4}}, Loop: Loop{Inner: &Inner{}}},
		Loop:  Loop{Name: "l", Inner: &Inner{Size: 5}},
		Parts: map[string][]*Grove{},
	}
	put(t, groves, g)
	got, err := groves.Get(g).Run(ctx)
	if diff := cmp.Diff(g, got, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	got, err = groves.Update(g).Set(value.Add(1), size.Add(1)).Run(ctx)
	if err != nil || got.Next.Root.Left.Value != 5 || got.Loop.Size != 6 {
		t.Errorf("got %+v and %v, want one more each", got, err)
	}
	if n := len(stored(t, db)); n != 2 {
		t.Errorf("got %d items, want 2", n)
	}
}

// TestValuesThatHoldThemselves asserts that a value without end is refused, not
// followed.
func TestValuesThatHoldThemselves(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	groves := ddb.Define[Grove](s.table)
	g := Grove{ID: "1"}
	g.Next = &g
	if err := groves.Put(&g).Run(t.Context()); !errors.Is(err, ddb.ErrEncode) {
		t.Errorf("got %v, want ErrEncode", err)
	}
	wantEmpty(t, db)
}

// TestPointersToNothing asserts that a type of pointers alone, which has no
// value, is a fault.
func TestPointersToNothing(t *testing.T) {
	t.Parallel()
	type entity struct {
		_     ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID    string
		Ring  ring
		Rings map[string]rings
	}
	table := ddb.NewTable("Test", unreachable{})
	ddb.Define[entity](table)
	if err := table.Err(); err == nil || strings.Count(err.Error(), "pointer to nothing but pointers") != 2 {
		t.Errorf("got %v, want a fault of each field", err)
	}
}
