package ddb_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Page has every field that the layer keeps by itself.
type Page struct {
	_ ddb.Entity `pk:"PAGE#{ID}" sk:"PAGE"`
	_ ddb.Index  `name:"GSI1" pk:"STATE#{State}" sk:"{ID}"`

	ID      string
	State   string
	Likes   int
	Version int       `ddb:"version"`
	Created time.Time `ddb:"created"`
	Updated time.Time `ddb:"updated"`
	Expires time.Time `ddb:"ttl" dynamodbav:",omitempty"`
}

type pages struct {
	db    *memory.DB
	table *ddb.Table
	def   *ddb.Definition[Page]
	state ddb.Attribute[Page, string]
	likes ddb.Attribute[Page, int]
	now   *time.Time
}

func newPages(t testing.TB) pages {
	t.Helper()
	now := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	db := memory.New()
	table := ddb.NewTable("Pages", backend(t, db), ddb.Clock(func() time.Time { return now }))
	p := pages{db: db, table: table, def: ddb.Define[Page](table), now: &now}
	p.state = ddb.Field(p.def, func(p *Page) *string { return &p.State })
	p.likes = ddb.Field(p.def, func(p *Page) *int { return &p.Likes })
	create(t, db, table)
	return p
}

func (p pages) raw(t testing.TB, id string) map[string]types.AttributeValue {
	t.Helper()
	in, err := p.def.Get(Page{ID: id}).Input()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.db.GetItem(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func n(item map[string]types.AttributeValue, attr string) string {
	if v, ok := item[attr].(*types.AttributeValueMemberN); ok {
		return v.Value
	}
	return ""
}

// TestVersions walks an item through every write and asserts its version, in
// the table and in the caller's value.
func TestVersions(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	ctx := t.Context()
	v := Page{ID: "1", State: "draft"}
	if err := p.def.Put(&v).Run(ctx); err != nil || v.Version != 1 || n(p.raw(t, "1"), "Version") != "1" {
		t.Fatalf("first put: got %v and version %d", err, v.Version)
	}
	stale := v
	if err := p.def.Put(&v).Run(ctx); err != nil || v.Version != 2 {
		t.Fatalf("second put: got %v and version %d", err, v.Version)
	}
	err := p.def.Put(&stale).Run(ctx)
	failed, _ := errors.AsType[*ddb.ConditionError](err)
	if !errors.Is(err, ddb.ErrVersion) || !errors.Is(err, ddb.ErrConditionFailed) || failed == nil || n(failed.Item, "Version") != "2" || stale.Version != 1 {
		t.Errorf("stale put: got %v with %v, want ErrVersion with the stored item, and version 1 kept", err, failed)
	}
	fresh := Page{ID: "1", State: "draft"}
	if err := p.def.Put(&fresh).Run(ctx); !errors.Is(err, ddb.ErrVersion) || fresh.Version != 0 {
		t.Errorf("put of a new value over an old one: got %v, want ErrVersion", err)
	}
	if got, err := p.def.Update(Page{ID: "1"}).Set(p.likes.Add(1)).Run(ctx); err != nil || got.Version != 3 {
		t.Errorf("update: got %+v and %v, want version 3", got, err)
	}
	if _, err := p.def.Update(Page{ID: "1"}).Set(p.likes.Add(1)).From(v).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
		t.Errorf("update from a stale item: got %v, want ErrVersion", err)
	}
	if err := p.def.Delete(v).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
		t.Errorf("stale delete: got %v, want ErrVersion", err)
	}
	if err := ddb.Transact(p.def.Delete(v)).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
		t.Errorf("stale delete in a transaction: got %v, want ErrVersion", err)
	}
	now, err := p.def.Get(v).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := ddb.Transact(p.def.Put(&now)).Run(ctx); err != nil || now.Version != 4 {
		t.Errorf("put in a transaction: got %v and version %d, want 4", err, now.Version)
	}
	if err := ddb.Batch(p.def.Put(&now)).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("batch: got %v, want ErrExpression", err)
	}
	version := ddb.Field(p.def, func(p *Page) *int { return &p.Version })
	if _, err := p.def.Update(v).Set(version.To(9)).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("version set by hand: got %v, want ErrExpression", err)
	}
	if err := p.def.Delete(now).Run(ctx); err != nil {
		t.Error(err)
	}
}

// TestLegacyItemsTakeAVersion asserts that items stored without a version, or
// with version 0, can be written.
func TestLegacyItemsTakeAVersion(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for id, version := range map[string]types.AttributeValue{"none": nil, "zero": &types.AttributeValueMemberN{Value: "0"}} {
		item, err := p.def.Item(&Page{ID: id, State: "old"})
		if err != nil {
			t.Fatal(err)
		}
		delete(item, "Version")
		if version != nil {
			item["Version"] = version
		}
		if _, err := p.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Pages"), Item: item}); err != nil {
			t.Fatal(err)
		}
		v, err := p.def.Get(Page{ID: id}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.def.Put(&v).Run(t.Context()); err != nil || v.Version != 1 {
			t.Errorf("%s: got %v and version %d, want 1", id, err, v.Version)
		}
	}
}

// TestStampsOfTime asserts when created and updated are set, and that the
// caller's own times win.
func TestStampsOfTime(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	ctx := t.Context()
	first := *p.now
	v := Page{ID: "1", State: "draft"}
	if err := p.def.Create(&v).Run(ctx); err != nil || !v.Created.Equal(first) || !v.Updated.Equal(first) {
		t.Fatalf("create: got %+v and %v", v, err)
	}
	second := first.Add(time.Hour)
	*p.now = second
	if err := p.def.Put(&v).Run(ctx); err != nil || !v.Created.Equal(first) || !v.Updated.Equal(second) {
		t.Errorf("put: got %+v and %v, want created kept and updated moved", v, err)
	}
	third := second.Add(time.Hour)
	*p.now = third
	got, err := p.def.Update(Page{ID: "1"}).Set(p.likes.To(1)).Run(ctx)
	if err != nil || !got.Created.Equal(first) || !got.Updated.Equal(third) {
		t.Errorf("update: got %+v and %v", got, err)
	}
	updated := ddb.Field(p.def, func(p *Page) *time.Time { return &p.Updated })
	if got, err = p.def.Update(Page{ID: "1"}).Set(updated.To(first)).Run(ctx); err != nil || !got.Updated.Equal(first) {
		t.Errorf("update by hand: got %+v and %v, want the given time", got, err)
	}
	failing := Page{ID: "1", State: "x"}
	if err := p.def.Create(&failing).Run(ctx); err == nil || !failing.Created.IsZero() || failing.Version != 0 {
		t.Errorf("failed create: got %v and %+v, want the value untouched", err, failing)
	}
}

// TestUpsert asserts that an upsert makes a complete item and later keeps what
// was there.
func TestUpsert(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	ctx := t.Context()
	first := *p.now
	up := p.def.Upsert(Page{ID: "1"}).Set(p.state.To("live"), p.likes.SetIfAbsent(0))
	got, err := up.Run(ctx)
	if err != nil || got.ID != "1" || got.State != "live" || got.Version != 1 || !got.Created.Equal(first) {
		t.Fatalf("first: got %+v and %v", got, err)
	}
	if err := p.table.Verify(p.raw(t, "1")); err != nil {
		t.Errorf("the item is not complete: %v", err)
	}
	if _, err := p.def.Update(Page{ID: "1"}).Set(p.likes.Add(7)).Run(ctx); err != nil {
		t.Fatal(err)
	}
	*p.now = first.Add(time.Hour)
	got, err = up.Run(ctx)
	if err != nil || got.Likes != 7 || !got.Created.Equal(first) || !got.Updated.Equal(*p.now) || got.Version != 3 {
		t.Errorf("second: got %+v and %v, want likes and created kept", got, err)
	}
	if _, err := p.def.Upsert(Page{ID: "2"}).Set(p.state.To("live")).If(p.state.Eq("x")).Run(ctx); !errors.Is(err, ddb.ErrConditionFailed) || errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("against the condition: got %v, want ErrConditionFailed", err)
	}
	if p.raw(t, "2") != nil {
		t.Error("a refused upsert left an item")
	}
}

// TestModify asserts that Modify writes what changed, in step with the indexes,
// and nothing else.
func TestModify(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	ctx := t.Context()
	put(t, p.def, Page{ID: "1", State: "draft"})
	got, err := p.def.Modify(ctx, Page{ID: "1"}, func(v *Page) error {
		v.State, v.Likes = "live", v.Likes+2
		return nil
	})
	if err != nil || got.State != "live" || got.Likes != 2 || got.Version != 2 {
		t.Fatalf("got %+v and %v", got, err)
	}
	if err := p.table.Verify(p.raw(t, "1")); err != nil {
		t.Error(err)
	}
	if got, err = p.def.Modify(ctx, Page{ID: "1"}, func(*Page) error { return nil }); err != nil || got.Version != 2 {
		t.Errorf("no change: got %+v and %v, want nothing written", got, err)
	}
	mine := errors.New("mine")
	if _, err := p.def.Modify(ctx, Page{ID: "1"}, func(v *Page) error { v.Likes = 99; return mine }); !errors.Is(err, mine) {
		t.Errorf("got %v, want the function's error", err)
	}
	if _, err := p.def.Modify(ctx, Page{ID: "1"}, func(v *Page) error { v.ID = "2"; return nil }); !errors.Is(err, ddb.ErrKeyChange) {
		t.Errorf("key changed: got %v, want ErrKeyChange", err)
	}
	if _, err := p.def.Modify(ctx, Page{ID: "9"}, func(*Page) error { return nil }); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("missing: got %v, want ErrNotFound", err)
	}
	if n(p.raw(t, "1"), "Likes") != "2" {
		t.Error("a refused change was written")
	}
}

// TestModifyKeepsStamps asserts that version and created time of an item outlive what
// the function puts in its place, so that no version comes twice.
func TestModifyKeepsStamps(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	ctx := t.Context()
	first := *p.now
	v := Page{ID: "1", State: "draft"}
	if err := p.def.Create(&v).Run(ctx); err != nil {
		t.Fatal(err)
	}
	stale := v
	*p.now = first.Add(time.Hour)
	tests := []struct {
		name    string
		change  func(*Page)
		version int
		created time.Time
	}{
		{"another value in its place", func(v *Page) { *v = Page{ID: "1", State: "live"} }, 2, first},
		{"version back", func(v *Page) { v.Version, v.Likes = 0, 1 }, 3, first},
		{"version ahead", func(v *Page) { v.Version, v.Likes = 98, 2 }, 4, first},
		{"stamps alone", func(v *Page) { v.Version, v.Created, v.Updated = 0, time.Time{}, time.Time{} }, 4, first},
		{"another created time", func(v *Page) { v.Created = first.Add(-time.Hour) }, 5, first.Add(-time.Hour)},
	}
	for _, tt := range tests {
		got, err := p.def.Modify(ctx, Page{ID: "1"}, func(v *Page) error { tt.change(v); return nil })
		if err != nil || got.Version != tt.version || !got.Created.Equal(tt.created) || !got.Updated.Equal(*p.now) {
			t.Errorf("%s: got %+v and %v, want version %d, created %s", tt.name, got, err, tt.version, tt.created)
		}
		if err := p.def.Put(&stale).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
			t.Errorf("%s, then a stale put: got %v, want ErrVersion", tt.name, err)
		}
	}
}

// TestModifyLosesNothing asserts that concurrent modifications all count, with
// a version field and without one.
func TestModifyLosesNothing(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	put(t, p.def, Page{ID: "1", State: "s"})
	s, _ := open(t)
	put(t, s.scores, Score{Game: "g", Player: "p"})
	ctx := t.Context()
	var wg sync.WaitGroup
	const writers = 8
	for range writers {
		wg.Go(func() {
			if _, err := p.def.Modify(ctx, Page{ID: "1"}, func(v *Page) error { v.Likes++; return nil }); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := s.scores.Modify(ctx, Score{Game: "g", Player: "p"}, func(v *Score) error { v.Points++; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if v, err := p.def.Get(Page{ID: "1"}).Run(ctx); err != nil || v.Likes != writers || v.Version != writers+1 {
		t.Errorf("with a version: got %+v and %v, want %d likes", v, err, writers)
	}
	board := s.scores.Query(Score{Game: "g", Points: writers}).Index("GSI1")
	if v, err := board.First(ctx); err != nil || v.Points != writers {
		t.Errorf("without a version: got %+v and %v, want %d points in the index", v, err, writers)
	}
}

func TestStampFaults(t *testing.T) {
	t.Parallel()
	type unknown struct {
		_  ddb.Entity `pk:"A#{ID}" sk:"B"`
		ID string     `ddb:"verion"`
	}
	type wrongType struct {
		_  ddb.Entity `pk:"A#{ID}" sk:"B"`
		ID string
		V  string `ddb:"version"`
	}
	type narrowVersion struct {
		_  ddb.Entity `pk:"A#{ID}" sk:"B"`
		ID string
		V  uint8 `ddb:"version"`
	}
	type narrowExpiry struct {
		_  ddb.Entity `pk:"A#{ID}" sk:"B"`
		ID string
		T  int16 `ddb:"ttl"`
	}
	type two struct {
		_    ddb.Entity `pk:"A#{ID}" sk:"B"`
		ID   string
		V, W int `ddb:"version"`
	}
	type inKey struct {
		_ ddb.Entity `pk:"A#{V:03}" sk:"B"`
		V int        `ddb:"version"`
	}
	type other struct {
		_  ddb.Entity `pk:"C#{ID}" sk:"B"`
		ID string
		T  time.Time `ddb:"ttl"`
	}
	for want, define := range map[string]func(*ddb.Table){
		`unknown word "verion"`:                  def[unknown],
		"is a string; a version is an integer":   def[wrongType],
		"is a uint8; a version is an integer of": def[narrowVersion],
		"is a int16; an expiry is":               def[narrowExpiry],
		"a second version":                       def[two],
		"is part of a key":                       def[inKey],
		"expires by another":                     both[Page, other],
	} {
		table := ddb.NewTable("Test", unreachable{})
		define(table)
		if err := table.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault that says %q", err, want)
		}
	}
}

// TestNow asserts that a table's time is that of its clock, in UTC.
func TestNow(t *testing.T) {
	t.Parallel()
	local := time.Date(2024, 5, 20, 12, 0, 0, 1, time.FixedZone("east", 8*3600))
	table := ddb.NewTable("Table", unreachable{}, ddb.Clock(func() time.Time { return local }))
	if got := table.Now(); !got.Equal(local) || got.Location() != time.UTC {
		t.Errorf("got %v, want %v", got, local.UTC())
	}
}
