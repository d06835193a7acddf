package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// collect ranges over a query and returns what the items are called.
func collect[T any](t testing.TB, q ddb.QueryOp[T], name func(T) string) []string {
	t.Helper()
	out := []string{}
	for v, err := range q.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, name(v))
	}
	return out
}

func orderID(o Order) string { return o.OrderID }

func put[T any](t testing.TB, d *ddb.Definition[T], items ...T) {
	t.Helper()
	for _, v := range items {
		if err := d.Create(&v).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRangesAreOfValues asserts that ranges include and exclude whole values,
// not bytes, and stay among the entity's own items.
func TestRangesAreOfValues(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	day := func(id, date string) Order {
		return Order{UserID: "u", OrderID: id, PlacedAt: at(date), Status: "PENDING", ProductID: "P001"}
	}
	put(t, s.orders,
		day("first", "2024-05-01T00:00:00Z"), day("a", "2024-05-30T00:00:00Z"),
		day("b", "2024-05-31T00:00:00Z"), day("😀", "2024-05-31T00:00:00Z"), day("last", "2024-06-01T00:00:00Z"))
	put(t, s.users, User{ID: "u"})
	put(t, s.notes, Note{UserID: "u", NoteID: "1"})
	u := s.orders.Query(Order{UserID: "u"})
	status := s.orders.Query(Order{Status: "PENDING"}).Index("GSI1")
	product := s.orders.Query(Order{ProductID: "P001"}).Index("GSI2")
	on := func(date string) Order { return Order{PlacedAt: at(date)} }
	may1, may31, june1 := on("2024-05-01T00:00:00Z"), on("2024-05-31T00:00:00Z"), on("2024-06-01T00:00:00Z")
	cases := []struct {
		name string
		q    ddb.QueryOp[Order]
		want string
	}{
		{"all", u, "first a b 😀 last"},
		{"between", u.Between(may1, may31), "first a b 😀"},
		{"after", u.After(may31), "last"},
		{"until", u.Until(may31), "first a b 😀"},
		{"from", u.From(may31), "b 😀 last"},
		{"before", u.Before(may31), "first a"},
		{"from before", u.From(may1).Before(may31), "first a"},
		{"empty window", u.From(june1).Before(june1), ""},
		{"descending", u.Between(may31, june1).Desc(), "last 😀 b"},
		{"index between", status.Between(may1, may31), "first a b 😀"},
		{"index after", status.After(may31), "last"},
		{"index before", status.Before(may31), "first a"},
		{"seconds between", product.Between(may31, may31), "b 😀"},
		{"last part from", s.orders.Query(Order{UserID: "u", PlacedAt: at("2024-05-31T00:00:00Z")}).From(Order{OrderID: "c"}), "😀"},
		{"last part before", s.orders.Query(Order{UserID: "u", PlacedAt: at("2024-05-31T00:00:00Z")}).Before(Order{OrderID: "😀"}), "b"},
		{"last part until", s.orders.Query(Order{UserID: "u", PlacedAt: at("2024-05-31T00:00:00Z")}).Until(Order{OrderID: "😀"}), "b 😀"},
		{"last part after", s.orders.Query(Order{UserID: "u", PlacedAt: at("2024-05-31T00:00:00Z")}).After(Order{OrderID: "b"}), "😀"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(collect(t, c.q, orderID), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestPrefixesCoverWholeParts asserts that 1 never finds 10.
func TestPrefixesCoverWholeParts(t *testing.T) {
	t.Parallel()
	type Line struct {
		_       ddb.Entity `pk:"SHOP" sk:"ORDER#{Order}#ITEM#{Item}"`
		Order   string
		Item    string
		Comment string `dynamodbav:",omitempty"`
	}
	db := memory.New()
	table := ddb.NewTable("Lines", backend(t, db))
	lines := ddb.Define[Line](table)
	create(t, db, table)
	put(t, lines, Line{Order: "1", Item: "1"}, Line{Order: "1", Item: "10"}, Line{Order: "10", Item: "1"}, Line{Order: "100", Item: "1"})
	name := func(l Line) string { return l.Order + "." + l.Item }
	if got, want := collect(t, lines.Query(Line{Order: "1"}), name), []string{"1.1", "1.10"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := collect(t, lines.Query(Line{Order: "1", Item: "1"}), name), []string{"1.1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func create(t testing.TB, db *memory.DB, table *ddb.Table) {
	t.Helper()
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestDayInPartitionKey asserts that a time which names a partition by its day
// does not narrow the sort key, where it stands in full, unless more of that is given.
func TestDayInPartitionKey(t *testing.T) {
	t.Parallel()
	type Reading struct {
		_      ddb.Entity `pk:"DAY#{At:2006-01-02}" sk:"{At}#{Device}"`
		At     time.Time
		Device string
	}
	db := memory.New()
	table := ddb.NewTable("Readings", backend(t, db))
	readings := ddb.Define[Reading](table)
	create(t, db, table)
	for _, text := range []string{"2024-01-01T00:00:00Z", "2024-01-01T10:00:00Z", "2024-01-01T23:59:59.5Z", "2024-01-02T00:00:00Z"} {
		put(t, readings, Reading{At: at(text), Device: "d"})
	}
	day := readings.Query(Reading{At: at("2024-01-01T12:00:00Z")})
	hour := func(r Reading) string { return r.At.Format("15") }
	if got, want := collect(t, day, hour), []string{"00", "10", "23"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	late := day.From(Reading{At: at("2024-01-01T10:00:00Z")})
	if got, want := collect(t, late, hour), []string{"10", "23"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	one := readings.Query(Reading{At: at("2024-01-01T10:00:00Z"), Device: "d"})
	if got, want := collect(t, one, hour), []string{"10"}; !slices.Equal(got, want) {
		t.Errorf("with what comes behind it: got %v, want %v", got, want)
	}
}

// TestNumbersSortInKeys asserts numeric order of padded, inverted and zero
// values.
func TestNumbersSortInKeys(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for player, points := range map[string]int{"a": 2, "b": 10, "c": 9, "d": 100000, "e": 99999, "f": 0, "g": 10} {
		put(t, s.scores, Score{Game: "g", Player: player, Points: points})
	}
	board, worst := s.scores.Query(Score{Game: "g"}).Index("GSI1"), s.scores.Query(Score{Game: "g"}).Index("GSI2")
	name := func(s Score) string { return s.Player }
	cases := []struct {
		name string
		q    ddb.QueryOp[Score]
		want string
	}{
		{"ascending", board, "f a c b g e d"},
		{"top", board.Desc().Limit(3), "d e g"},
		{"inverted", worst, "d e b g c a f"},
		{"from", board.From(Score{Points: 10}), "b g e d"},
		{"from zero", board.From(Score{Points: 0}), "f a c b g e d"},
		{"until zero", board.Until(Score{Points: 0}), "f"},
		{"inverted from", worst.From(Score{Points: 10}), "d e b g"},
		{"inverted before", worst.Before(Score{Points: 10}), "c a f"},
		{"inverted between", worst.Between(Score{Points: 9}, Score{Points: 10}), "b g c"},
		{"tie", s.scores.Query(Score{Game: "g", Points: 10}).Index("GSI1"), "b g"},
		{"within the tie", s.scores.Query(Score{Game: "g", Points: 10}).Index("GSI1").After(Score{Player: "b"}), "g"},
	}
	for _, c := range cases {
		if got := strings.Join(collect(t, c.q, name), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func firstNonZero(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// TestLimitCountsItemsReturned asserts that a limit is of matches, a page size
// of items evaluated, and that MaxPages bounds the calls and still leaves a
// cursor.
func TestLimitCountsItemsReturned(t *testing.T) {
	t.Parallel()
	calls := 0
	s, _ := open(t, ddb.Observe(func(_ context.Context, c ddb.Call) {
		if c.Op == "Query" {
			calls++
		}
	}))
	for i := range 100 {
		o := order("u", fmt.Sprintf("%03d", i), "2024-01-01T00:00:00Z", "DONE")
		if i%10 == 0 {
			o.Status = "OPEN"
		}
		put(t, s.orders, o)
	}
	openOrders := s.orders.Query(Order{UserID: "u"}).Filter(s.status.Eq("OPEN"))
	for _, size := range []int{0, 1, 7, 100} {
		got := collect(t, openOrders.Limit(5).PageSize(size), orderID)
		if want := []string{"000", "010", "020", "030", "040"}; !slices.Equal(got, want) {
			t.Errorf("page size %d: got %v, want %v", size, got, want)
		}
	}
	if got := len(collect(t, openOrders.PageSize(7), orderID)); got != 10 {
		t.Errorf("page size alone: got %d items, want 10", got)
	}
	none := s.orders.Query(Order{UserID: "u"}).Filter(s.status.Eq("LOST")).Limit(5).PageSize(10).MaxPages(2)
	calls = 0
	page, err := none.Page(t.Context(), "")
	if err != nil || calls != 2 || page.Requests != 2 || page.ScannedCount != 20 || len(page.Items) != 0 || page.Next == "" {
		t.Errorf("got %+v and %v after %d calls, want no items, a cursor, 2 calls", page, err, calls)
	}
	calls = 0
	for range openOrders.PageSize(10).All(t.Context()) {
		break
	}
	if calls != 1 {
		t.Errorf("stopping at the first item: got %d calls, want 1", calls)
	}
}

// TestCursorResumesInsideAPage asserts that a cursor means the last item that
// was delivered, though the service's page went further.
func TestCursorResumesInsideAPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t, ddb.CursorKeys([]byte("new"), []byte("old")))
	older, _ := open(t, ddb.CursorKeys([]byte("old")))
	forged, _ := open(t)
	for _, s := range []shop{s, older, forged} {
		fill(t, s, 10)
	}
	ctx := t.Context()
	q := func(s shop) ddb.QueryOp[Order] {
		return s.orders.Query(Order{Status: "DONE"}).Index("GSI1").Filter(s.total.Ge(0)).Limit(2).PageSize(5)
	}
	page, err := q(older).Page(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	next, err := q(s).Page(ctx, page.Next)
	if err != nil {
		t.Fatalf("a cursor signed with the older key: %v", err)
	}
	if got, want := []string{next.Items[0].OrderID, next.Items[1].OrderID}, []string{"oe", "of"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	page, err = q(forged).Page(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q(s).Page(ctx, page.Next); !errors.Is(err, ddb.ErrCursor) {
		t.Errorf("an unsigned cursor: got %v, want ErrCursor", err)
	}
}

// TestForeignItemsAreErrors asserts that an item of another entity, or of none,
// never becomes a zero struct.
func TestForeignItemsAreErrors(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	raw := func(id string, more map[string]types.AttributeValue) {
		item := map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "USER#u"}, "SK": &types.AttributeValueMemberS{Value: "NOTE#" + id},
		}
		for k, v := range more {
			item[k] = v
		}
		table := "Shop"
		if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	raw("bare", nil)
	raw("other", map[string]types.AttributeValue{"EntityType": &types.AttributeValueMemberS{Value: "Robot"}})
	for _, id := range []string{"bare", "other"} {
		if _, err := s.notes.Get(Note{UserID: "u", NoteID: id}).Run(ctx); !errors.Is(err, ddb.ErrEntityType) {
			t.Errorf("%s: got %v, want ErrEntityType", id, err)
		}
	}
	c := s.table.Collection(s.users.Partition(User{ID: "u"}))
	if _, err := c.Load(ctx); !errors.Is(err, ddb.ErrEntityType) {
		t.Errorf("collection: got %v, want ErrEntityType", err)
	}
	loaded, err := c.KeepUnknown().Load(ctx)
	if err != nil || len(loaded.Unknown()) != 2 || loaded.Len() != 2 {
		t.Errorf("collection that keeps unknown items: got %+v and %v, want two", loaded, err)
	}
}

// TestMixedIndexes asserts that a query for one entity leaves out another whose
// keys lie between.
func TestMixedIndexes(t *testing.T) {
	t.Parallel()
	type Admin struct {
		_     ddb.Entity `pk:"ADMIN#{ID}" sk:"PROFILE"`
		_     ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"ADMIN#{ID}"`
		_     ddb.Index  `name:"GSI2" pk:"TEAM#{Team}" sk:"{ID}"`
		ID    string
		Email string
		Team  string
	}
	type Robot struct {
		_    ddb.Entity `pk:"ROBOT#{ID}" sk:"PROFILE"`
		_    ddb.Index  `name:"GSI2" pk:"TEAM#{Team}" sk:"{ID}"`
		ID   string
		Team string
	}
	db := memory.New()
	table := ddb.NewTable("Test", backend(t, db))
	users, admins, robots := ddb.Define[User](table), ddb.Define[Admin](table), ddb.Define[Robot](table)
	create(t, db, table)
	put(t, users, User{ID: "1", Email: "a@b"})
	put(t, admins, Admin{ID: "2", Email: "A@B", Team: "x"})
	put(t, robots, Robot{ID: "1", Team: "x"}, Robot{ID: "3", Team: "x"})
	team := collect(t, admins.Query(Admin{Team: "x"}).Index("GSI2"), func(a Admin) string { return a.ID })
	if want := []string{"2"}; !slices.Equal(team, want) {
		t.Errorf("got %v, want %v", team, want)
	}
	if n, err := robots.Query(Robot{Team: "x"}).Index("GSI2").Count(t.Context()); err != nil || n != 2 {
		t.Errorf("count: got %d and %v, want 2", n, err)
	}
	mail := collect(t, users.Query(User{Email: "A@b"}).Index("GSI1"), func(u User) string { return u.ID })
	if want := []string{"1"}; !slices.Equal(mail, want) {
		t.Errorf("got %v, want %v", mail, want)
	}
}

// TestCollection asserts that one query brings all entities of a partition, and
// that a part of it says so.
func TestCollection(t *testing.T) {
	t.Parallel()
	calls := 0
	s, _ := open(t, ddb.Observe(func(_ context.Context, c ddb.Call) {
		if c.Op == "Query" {
			calls++
		}
	}))
	ctx := t.Context()
	put(t, s.users, User{ID: "u1", Name: "张三", Address: Address{City: "上海"}, Tags: []string{"b", "a"}})
	put(t, s.notes, Note{UserID: "u1", NoteID: "n1", Text: "x"}, Note{UserID: "u1", NoteID: "n2"})
	put(t, s.notes, Note{UserID: "u2", NoteID: "n3"})
	fill(t, s, 4)
	op := s.table.Collection(s.users.Partition(User{ID: "u1"}))
	c, err := op.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 1 || !c.Complete() || c.Len() != 7 {
		t.Errorf("got %d items, complete %t, by %d calls, want 7 items by one", c.Len(), c.Complete(), calls)
	}
	want := []User{{ID: "u1", Name: "张三", Address: Address{City: "上海"}, Tags: []string{"a", "b"}}}
	if diff := cmp.Diff(want, ddb.Of(c, s.users), ignoreMarkers); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
	if got := ddb.Of(c, s.orders); len(got) != 4 || got[0].OrderID != "oa" {
		t.Errorf("orders: got %+v, want four in order", got)
	}
	if got := ddb.Of(c, s.scores); len(got) != 0 {
		t.Errorf("scores: got %+v, want none", got)
	}
	part, err := op.Limit(3).Load(ctx)
	if err != nil || part.Complete() || part.Len() != 3 {
		t.Errorf("part: got %+v and %v, want three items, incomplete", part, err)
	}
	last, err := op.Desc().PageSize(2).Load(ctx)
	if err != nil || !last.Complete() || ddb.Of(last, s.notes)[0].NoteID == "n1" {
		t.Errorf("descending: got %+v and %v, want all, last first", last, err)
	}
}
