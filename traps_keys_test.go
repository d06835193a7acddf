package ddb_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// What is easily got wrong about keys and ranges, one
// fault a test.

// names ranges over a read and returns what the items are called, joined.
func names[T any](t testing.TB, read iter.Seq2[T, error], name func(T) string) string {
	t.Helper()
	var out []string
	for v, err := range read {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, name(v))
	}
	return strings.Join(out, " ")
}

func noteID(n Note) string { return n.NoteID }

// define makes a table with one entity on a fresh engine.
func define[T any](t testing.TB, opts ...ddb.TableOption) (*ddb.Definition[T], *memory.DB) {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Trap", backend(t, db), opts...)
	d := ddb.Define[T](table)
	create(t, db, table)
	return d, db
}

// TestRangeOverThePartBeforeTheLast: a bound that names a date covers every key
// of that date, whatever character the part behind begins with.
func TestRangeOverThePartBeforeTheLast(t *testing.T) {
	t.Parallel()
	type Order struct {
		_               ddb.Entity `pk:"USER#{User}" sk:"ORDER#{Date}#{ID}"`
		User, Date, ID  string
		Comment, Status string `dynamodbav:",omitempty"`
	}
	orders, _ := define[Order](t)
	for _, o := range []string{"05-01 a", "05-30 b", "05-31 c", "05-31 😀", "06-01 d"} {
		date, id, _ := strings.Cut(o, " ")
		put(t, orders, Order{User: "u", Date: "2024-" + date, ID: id})
	}
	q := orders.Query(Order{User: "u"})
	on := func(date string) Order { return Order{Date: "2024-" + date} }
	for _, c := range []struct {
		name string
		q    ddb.QueryOp[Order]
		want string
	}{
		{"between", q.Between(on("05-01"), on("05-31")), "a b c 😀"},
		{"after", q.After(on("05-31")), "d"},
		{"until", q.Until(on("05-31")), "a b c 😀"},
		{"from", q.From(on("05-31")), "c 😀 d"},
		{"before", q.Before(on("05-31")), "a b"},
		{"prefix", q.Prefix(on("05-31")), "c 😀"},
		{"prefix and more", q.Prefix(on("05-31")).After(Order{ID: "c"}), "😀"},
		{"begun part", q.StartsWith(on("05-3")), "b c 😀"},
		{"raw", q.RawBetween("ORDER#2024-05-30", "ORDER#2024-05-31#c"), "b c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := names(t, c.q.All(t.Context()), func(o Order) string { return o.ID }); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if _, err := q.Between(on("06-01"), on("05-01")).Count(t.Context()); !errors.Is(err, ddb.ErrRange) {
		t.Errorf("bounds in the wrong order: got %v, want ErrRange, not an exchange", err)
	}
}

// TestWholeKeyIsNoPrefix: a query that gives every part finds that one item, not
// those whose keys go on.
func TestWholeKeyIsNoPrefix(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.notes, Note{UserID: "u", NoteID: "1"}, Note{UserID: "u", NoteID: "10"}, Note{UserID: "u", NoteID: "100"})
	q := s.notes.Query(Note{UserID: "u"})
	for want, q := range map[string]ddb.QueryOp[Note]{
		"1": q.Prefix(Note{NoteID: "1"}), "10": s.notes.Query(Note{UserID: "u", NoteID: "10"}),
		"1 10 100": q.StartsWith(Note{NoteID: "1"}), "10 100": q.StartsWith(Note{NoteID: "10"}),
	} {
		if got := names(t, q.All(t.Context()), noteID); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestNameThatIsAnothersBeginning: an entity whose name begins like another's
// does not get that one's items, and a collection gets both.
func TestNameThatIsAnothersBeginning(t *testing.T) {
	t.Parallel()
	type Task struct {
		_        ddb.Entity `pk:"PROJECT#{Project}" sk:"TASK#{ID}"`
		_        ddb.Index  `name:"GSI1" pk:"ALL#{Project}" sk:"TASK#{ID}"`
		_        ddb.Index  `name:"GSI2" pk:"FLAT#{Project}" sk:"{ID}"`
		Project  string
		ID       string
		Estimate int
	}
	type TaskNote struct {
		_       ddb.Entity `pk:"PROJECT#{Project}" sk:"TASKNOTE#{ID}"`
		_       ddb.Index  `name:"GSI1" pk:"ALL#{Project}" sk:"TASKNOTE#{ID}"`
		_       ddb.Index  `name:"GSI2" pk:"FLAT#{Project}" sk:"{ID}"`
		Project string
		ID      string
	}
	db := memory.New()
	table := ddb.NewTable("Trap", backend(t, db))
	tasks, notes := ddb.Define[Task](table), ddb.Define[TaskNote](table)
	create(t, db, table)
	put(t, tasks, Task{Project: "p", ID: "1", Estimate: 1}, Task{Project: "p", ID: "2", Estimate: 2})
	put(t, notes, TaskNote{Project: "p", ID: "1"}, TaskNote{Project: "p", ID: "3"})
	estimate := ddb.Field(tasks, func(v *Task) *int { return &v.Estimate })
	for _, index := range []string{"", "GSI1", "GSI2"} {
		q := tasks.Query(Task{Project: "p"}).Index(index)
		for want, q := range map[string]ddb.QueryOp[Task]{"1 2": q, "2": q.Filter(estimate.Gt(1)), "1": q.Filter(estimate.Lt(2)).From(Task{ID: "1"})} {
			if got := names(t, q.All(t.Context()), func(v Task) string { return v.ID }); got != want {
				t.Errorf("index %q: got %q, want %q", index, got, want)
			}
		}
		c, err := table.Collection(tasks.Partition(Task{Project: "p"}).Index(index)).Load(t.Context())
		if err != nil || len(ddb.Of(c, tasks)) != 2 || len(ddb.Of(c, notes)) != 2 {
			t.Errorf("index %q: got the collection %+v and %v, want two of each", index, c, err)
		}
	}
}

// TestPartsOfALongSortKey: giving the first of several parts asks for the keys
// under it, and skipping one is refused rather than taken for less.
func TestPartsOfALongSortKey(t *testing.T) {
	t.Parallel()
	type Row struct {
		_       ddb.Entity `pk:"P#{P}" sk:"{A}#{B}#{C}"`
		P       string
		A, B, C string
	}
	rows, _ := define[Row](t)
	put(t, rows, Row{P: "p", A: "a1", B: "b1", C: "c1"}, Row{P: "p", A: "a1", B: "b2", C: "c1"}, Row{P: "p", A: "a10", B: "b1", C: "c1"})
	name := func(r Row) string { return r.A + r.B + r.C }
	for _, q := range []ddb.QueryOp[Row]{rows.Query(Row{P: "p", A: "a1"}), rows.Query(Row{P: "p"}).Prefix(Row{A: "a1"})} {
		if got, want := names(t, q.All(t.Context()), name), "a1b1c1 a1b2c1"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	all := rows.Query(Row{P: "p"})
	for name, q := range map[string]ddb.QueryOp[Row]{
		"in the key": rows.Query(Row{P: "p", B: "b1"}), "in the middle": rows.Query(Row{P: "p", A: "a1", C: "c1"}),
		"in a bound": all.From(Row{B: "b1"}), "in a prefix": all.Prefix(Row{B: "b1"}), "in a beginning": all.StartsWith(Row{A: "a1", C: "c"}),
		"nothing given": all.Prefix(Row{}),
	} {
		if n, err := q.Count(t.Context()); !errors.Is(err, ddb.ErrRange) {
			t.Errorf("part left out %s: got %d items and %v, want ErrRange", name, n, err)
		}
	}
}

// TestOpenRangesStayAmongTheirOwn: a range with one end does not run on into the
// items of other entities.
func TestOpenRangesStayAmongTheirOwn(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.users, User{ID: "u"}) // PROFILE is above ORDER#
	put(t, s.notes, Note{UserID: "u", NoteID: "n"})
	put(t, s.tasks, Task{UserID: "u", TaskID: "t", State: "OPEN"})
	put(t, s.orders, order("u", "a", "2024-01-01T00:00:00Z", "NEW"), order("u", "b", "2024-02-01T00:00:00Z", "NEW"))
	q, day := s.orders.Query(Order{UserID: "u"}), Order{PlacedAt: at("2024-01-01T00:00:00Z")}
	later := Order{PlacedAt: at("2025-01-01T00:00:00Z")}
	for name, q := range map[string]ddb.QueryOp[Order]{
		"from": q.From(day), "until": q.Until(later), "before": q.Before(later), "descending": q.From(day).Desc(),
		"raw from": q.RawFrom("A"), "raw until": q.RawUntil("Z"),
	} {
		got := names(t, q.All(t.Context()), orderID)
		if want := "a b"; got != want && got != "b a" {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestSeparatorInsideValues: two tuples of fields never make one key.
func TestSeparatorInsideValues(t *testing.T) {
	t.Parallel()
	type Order struct {
		_              ddb.Entity `pk:"USER#{User}" sk:"ORDER#{Date}#{ID}"`
		User, Date, ID string
	}
	orders, db := define[Order](t)
	for _, o := range []Order{{User: "u", Date: "a#b", ID: "c"}, {User: "u", Date: "a", ID: "b#c"}, {User: "u#v", Date: "a", ID: "b"}} {
		if err := orders.Create(&o).Run(t.Context()); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("got %v, want ErrKey", err)
		}
	}
	if out, err := db.Scan(t.Context(), scanOf("Trap")); err != nil || out.Count != 0 {
		t.Errorf("got %d items and %v, want nothing stored", out.Count, err)
	}
}

// TestLetterCaseIsKept: keys that differ in case are two items.
func TestLetterCaseIsKept(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.users, User{ID: "AbC", Name: "one"}, User{ID: "aBc", Name: "two"})
	for id, want := range map[string]string{"AbC": "one", "aBc": "two"} {
		if got, err := s.users.Get(User{ID: id}).Run(t.Context()); err != nil || got.ID != id || got.Name != want {
			t.Errorf("%s: got %+v and %v, want %s", id, got, err, want)
		}
	}
}

// TestNumbersInTextKeys: numbers sort as numbers, zero is one of them, and what
// does not fit the width is refused before it is written.
func TestNumbersInTextKeys(t *testing.T) {
	t.Parallel()
	type Board struct {
		_      ddb.Entity `pk:"GAME#{Game}" sk:"PLAYER#{Player}"`
		_      ddb.Index  `name:"GSI1" pk:"BOARD#{Game}" sk:"{Points:010}#{Player}"`
		_      ddb.Index  `name:"GSI2" pk:"DELTA#{Game}" sk:"{Delta:+04}#{Player}"`
		_      ddb.Index  `name:"GSI3" pk:"DONE#{Game}#{Done}" sk:"{Player}"`
		Game   string
		Player string
		Points int
		Delta  int
		Done   bool
	}
	boards, db := define[Board](t)
	put(t, boards, Board{Game: "g", Player: "p", Points: 2, Delta: -10}, Board{Game: "g", Player: "q", Points: 10, Delta: -5},
		Board{Game: "g", Player: "r", Points: 9}, Board{Game: "g", Player: "s", Points: 0, Delta: 3, Done: true})
	player := func(b Board) string { return b.Player }
	for want, q := range map[string]ddb.QueryOp[Board]{
		"s p r q": boards.Query(Board{Game: "g"}).Index("GSI1"),
		"p q r s": boards.Query(Board{Game: "g"}).Index("GSI2"),
		"p q r":   boards.Query(Board{Game: "g"}).Index("GSI3"),
		"s":       boards.Query(Board{Game: "g"}).Index("GSI1").Prefix(Board{Points: 0}),
	} {
		if got := names(t, q.All(t.Context()), player); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, err := boards.Get(Board{Game: "g", Player: "s"}).Run(t.Context()); err != nil || got.Points != 0 || !got.Done {
		t.Errorf("got %+v and %v, want zero points back", got, err)
	}
	for name, b := range map[string]Board{
		"negative": {Game: "g", Player: "x", Points: -5}, "too wide": {Game: "g", Player: "x", Points: 12345678901},
		"too wide with a sign": {Game: "g", Player: "x", Delta: -10000},
	} {
		if err := boards.Put(&b).Run(t.Context()); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("%s: got %v, want ErrKey", name, err)
		}
	}
	if out, err := db.Scan(t.Context(), scanOf("Trap")); err != nil || out.Count != 4 {
		t.Errorf("got %d items and %v, want the four that fit", out.Count, err)
	}
}

// TestAbsentPartsOfKeys: an optional part that is empty takes the item out of
// the index altogether, a required one is refused before any call.
func TestAbsentPartsOfKeys(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	put(t, s.orders, order("u", "o", "2024-01-01T00:00:00Z", "NEW"))
	for _, column := range []string{"GSI2PK", "GSI2SK"} {
		if v, in := stored(t, db)[0][column]; in {
			t.Errorf("got %s = %v, want it left out", column, v)
		}
	}
	nowhere := newShop(unreachable{})
	o := order("", "o", "2024-01-01T00:00:00Z", "NEW")
	if err := nowhere.orders.Put(&o).Run(t.Context()); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("got %v, want ErrKey", err)
	}
	if _, err := nowhere.orders.Query(Order{}).First(t.Context()); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("got %v, want ErrKey", err)
	}
}

// TestFilterOnAKey: a filter on a key attribute is refused with its name by the
// layer, and by the service if it comes as text.
func TestFilterOnAKey(t *testing.T) {
	t.Parallel()
	songs, _ := define[Song](t, ddb.Keys("Artist", "Year"), ddb.GSI("GenreYear", "GenrePK", "Year"), ddb.GSI("BySum", "Sum", "Title"))
	year := ddb.Field(songs, func(s *Song) *int { return &s.Year })
	q := songs.Query(Song{Artist: "a"})
	if _, err := q.Filter(year.Gt(1)).Count(t.Context()); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "Song.Year") {
		t.Errorf("got %v, want ErrExpression that names the field", err)
	}
	_, err := q.FilterExpr(expression.Name("Year").GreaterThan(expression.Value(1))).Count(t.Context())
	if api := smithy.APIError(nil); !errors.As(err, &api) || api.ErrorCode() != "ValidationException" ||
		!strings.Contains(api.ErrorMessage(), "Filter Expression can only contain non-primary key attributes: Primary key attribute: Year") {
		t.Errorf("got %v, want the service's refusal", err)
	}
}

// TestNoIndexIsGuessed: of two indexes on one partition key attribute the caller
// names one, and without a name the table is read.
func TestNoIndexIsGuessed(t *testing.T) {
	t.Parallel()
	type Item struct {
		_          ddb.Entity `pk:"I#{ID}" sk:"X"`
		_          ddb.Index  `name:"ByDate" pk:"KIND#{Kind}" sk:"{Date}"`
		_          ddb.Index  `name:"BySize" pk:"KIND#{Kind}" sk:"{Size:05}"`
		ID         string
		Kind, Date string
		Size       int
	}
	sent := &record{}
	table := ddb.NewTable("Trap", sent, ddb.GSI("ByDate", "KindPK", "DateSK"), ddb.GSI("BySize", "KindPK", "SizeSK"))
	items := ddb.Define[Item](table)
	for _, index := range []string{"ByDate", "BySize"} {
		in, err := items.Query(Item{Kind: "k"}).Index(index).Input()
		if err != nil || aws.ToString(in.IndexName) != index {
			t.Errorf("got %v and %v, want the index %s", in, err, index)
		}
	}
	if _, err := items.Query(Item{Kind: "k"}).First(t.Context()); !errors.Is(err, ddb.ErrKey) || len(sent.sent) != 0 {
		t.Errorf("got %v after %d calls, want ErrKey and no call", err, len(sent.sent))
	}
}

// TestPrimaryKeyStays: a part of the primary key that an index uses too cannot be
// changed by an update.
func TestPrimaryKeyStays(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	put(t, s.orders, o)
	before := stored(t, db)
	if _, err := s.orders.Update(o).Set(s.placed.To(at("2025-01-01T00:00:00Z"))).Run(t.Context()); !errors.Is(err, ddb.ErrKeyChange) {
		t.Errorf("got %v, want ErrKeyChange", err)
	}
	if diff := cmp.Diff(before, stored(t, db), sdkTypes); diff != "" {
		t.Errorf("the item has changed (-want +got):\n%s", diff)
	}
}
