package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// What is easily got wrong about keys, ranges, reading, paging and counting, one
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

// rare stores 100 orders of a user, of which every so manieth is open.
func rare(t testing.TB, s shop, every int) ddb.QueryOp[Order] {
	t.Helper()
	for i := range 100 {
		o := order("u", fmt.Sprintf("%03d", i), "2024-01-01T00:00:00Z", "DONE")
		if i%every == every-1 {
			o.Status = "OPEN"
		}
		put(t, s.orders, o)
	}
	return s.orders.Query(Order{UserID: "u"}).Filter(s.status.Eq("OPEN"))
}

// TestFirstMatchFarBehind: the first match is found wherever it is, and that
// there is none is only said when all were seen.
func TestFirstMatchFarBehind(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	q := rare(t, s, 40)
	scan := s.orders.Scan().Filter(s.status.Eq("OPEN")).PageSize(7)
	for _, size := range []int{0, 1, 7} {
		if o, err := q.PageSize(size).First(t.Context()); err != nil || o.OrderID != "039" {
			t.Errorf("page size %d: got %q and %v, want the 40th", size, o.OrderID, err)
		}
	}
	if o, err := scan.First(t.Context()); err != nil || o.Status != "OPEN" {
		t.Errorf("scan: got %+v and %v, want an open one", o, err)
	}
	lost := s.orders.Query(Order{UserID: "u"}).Filter(s.status.Eq("LOST"))
	if _, err := lost.PageSize(9).First(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("no match: got %v, want ErrNotFound", err)
	}
	if _, err := q.PageSize(10).MaxPages(3).First(t.Context()); !errors.Is(err, ddb.ErrIncomplete) || errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("cut short before the match: got %v, want ErrIncomplete", err)
	}
}

// TestTheOnlyOne: One tells none, one and several apart.
func TestTheOnlyOne(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	q := rare(t, s, 40)
	all := s.orders.Query(Order{UserID: "u"})
	if o, err := q.PageSize(9).Until(Order{PlacedAt: at("2024-01-01T00:00:00Z"), OrderID: "050"}).One(t.Context()); err != nil || o.OrderID != "039" {
		t.Errorf("one: got %q and %v, want 039", o.OrderID, err)
	}
	for is, q := range map[error]ddb.QueryOp[Order]{
		ddb.ErrMultiple: q, ddb.ErrNotFound: all.Filter(s.status.Eq("LOST")), ddb.ErrIncomplete: q.PageSize(50).MaxPages(1),
	} {
		if o, err := q.One(t.Context()); !errors.Is(err, is) {
			t.Errorf("got %q and %v, want %v", o.OrderID, err, is)
		}
	}
	if o, err := s.orders.ParallelScan(3).Filter(s.status.Eq("OPEN")).One(t.Context()); !errors.Is(err, ddb.ErrMultiple) {
		t.Errorf("scan: got %+v and %v, want ErrMultiple", o, err)
	}
}

// TestResumingInsideAPage: a cursor taken after part of what a call brought goes
// on with the next item, through filters and in steps of any size.
func TestResumingInsideAPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	open := rare(t, s, 4)
	for name, q := range map[string]ddb.QueryOp[Order]{
		"all": s.orders.Query(Order{UserID: "u"}), "filtered": open, "index": s.orders.Query(Order{Status: "OPEN"}).Index("GSI1"),
		"hydrated": s.orders.Query(Order{Status: "OPEN"}).Index("GSI1").Hydrate(),
	} {
		want := names(t, q.All(t.Context()), orderID)
		var got []string
		for cursor := ""; ; {
			page, err := q.Limit(3).PageSize(10).Page(t.Context(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range page.Items {
				got = append(got, o.OrderID)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
			if len(page.Items) != 3 {
				t.Errorf("%s: got a page of %d items with more to come, want 3", name, len(page.Items))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
}

// TestCursorsHoldHiddenKeys: a position in an index has the keys of the index and
// of the table, whether the caller's struct and projection show them or not.
func TestCursorsHoldHiddenKeys(t *testing.T) {
	t.Parallel()
	var starts []map[string]types.AttributeValue
	s, _ := open(t, ddb.Observe(func(_ context.Context, c ddb.Call) {
		if in, ok := c.Input.(*dynamodb.QueryInput); ok && in.ExclusiveStartKey != nil {
			starts = append(starts, in.ExclusiveStartKey)
		}
	}))
	for i := range 5 {
		put(t, s.orders, order("u", fmt.Sprint(i), "2024-01-01T00:00:00Z", "NEW"))
	}
	q := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Project(s.total).Limit(2).PageSize(5)
	total := 0
	for cursor := ""; ; {
		page, err := q.Page(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		total += len(page.Items)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if total != 5 || len(starts) != 2 {
		t.Errorf("got %d items and %d positions, want 5 and 2", total, len(starts))
	}
	for _, start := range starts {
		for _, column := range []string{"PK", "SK", "GSI1PK", "GSI1SK"} {
			if _, ok := start[column]; !ok || len(start) != 4 {
				t.Errorf("got the position %v, want keys of index and table", start)
			}
		}
	}
}

// TestPagesWithoutMatches: a bound on calls holds where nothing matches, and
// leaves a way to go on.
func TestPagesWithoutMatches(t *testing.T) {
	t.Parallel()
	calls := 0
	s, _ := open(t, ddb.Observe(func(_ context.Context, c ddb.Call) {
		if c.Op == "Query" || c.Op == "Scan" {
			calls++
		}
	}))
	rare(t, s, 40)
	q := s.orders.Query(Order{UserID: "u"}).Filter(s.status.Eq("LOST")).Limit(5).MaxPages(2).PageSize(10)
	calls = 0
	page, err := q.Page(t.Context(), "")
	if err != nil || calls != 2 || page.Requests != 2 || page.ScannedCount != 20 || page.Count != 0 || len(page.Items) != 0 || page.Next == "" {
		t.Errorf("got %+v and %v after %d calls, want two empty ones and a cursor", page, err, calls)
	}
	calls = 0
	if n, err := q.Count(t.Context()); n != 0 || calls != 2 || !errors.Is(err, ddb.ErrIncomplete) {
		t.Errorf("count: got %d and %v after %d calls, want ErrIncomplete after two", n, err, calls)
	}
	calls = 0
	for v, err := range q.All(t.Context()) {
		t.Errorf("got %+v and %v, want nothing", v, err)
	}
	if calls != 2 {
		t.Errorf("got %d calls, want 2", calls)
	}
}

// TestEveryFormReadsAllPages: whole, projected, keys only, hydrated and mixed
// reads all go on past the first page.
func TestEveryFormReadsAllPages(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 23 {
		put(t, s.orders, order("u", fmt.Sprintf("%02d", i), "2024-01-01T00:00:00Z", "NEW"))
	}
	q, index := s.orders.Query(Order{UserID: "u"}).PageSize(4), s.orders.Query(Order{Status: "NEW"}).Index("GSI1").PageSize(4)
	want := names(t, s.orders.Query(Order{UserID: "u"}).All(t.Context()), orderID)
	for name, q := range map[string]ddb.QueryOp[Order]{
		"whole": q, "projected": q.Project(s.total), "keys only": q.Project(), "index": index, "hydrated": index.Hydrate(),
		"hydrated and projected": index.Hydrate().Project(s.status),
	} {
		if got := names(t, q.All(t.Context()), orderID); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if n, err := q.Count(t.Context()); err != nil || n != 23 {
			t.Errorf("%s: counted %d and %v, want 23", name, n, err)
		}
		pages := 0
		for page, err := range q.Pages(t.Context()) {
			if err != nil || len(page.Items) > 4 {
				t.Errorf("%s: got a page of %d and %v", name, len(page.Items), err)
			}
			pages++
		}
		if pages != 6 {
			t.Errorf("%s: got %d pages, want 6", name, pages)
		}
	}
	c := s.table.Collection(s.users.Partition(User{ID: "u"})).PageSize(4)
	if got, err := c.Load(t.Context()); err != nil || got.Len() != 23 || got.Requests != 6 {
		t.Errorf("collection: got %+v and %v, want 23 by 6 calls", got, err)
	}
}

// TestTheEndOfTheData: a page that ends exactly with the data, and a limit beyond
// it, end the loop.
func TestTheEndOfTheData(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 6 {
		put(t, s.orders, order("u", fmt.Sprint(i), "2024-01-01T00:00:00Z", "NEW"))
	}
	for _, desc := range []bool{false, true} {
		for _, limit := range []int{1, 2, 3, 6, 7, 100} {
			for _, q := range []ddb.QueryOp[Order]{s.orders.Query(Order{UserID: "u"}), s.orders.Query(Order{Status: "NEW"}).Index("GSI1")} {
				if desc {
					q = q.Desc()
				}
				total, pages := 0, 0
				for cursor := ""; ; pages++ {
					page, err := q.Limit(limit).Page(t.Context(), cursor)
					if err != nil || pages > 8 {
						t.Fatalf("limit %d: got %v after %d pages", limit, err, pages)
					}
					total += len(page.Items)
					if cursor = page.Next; cursor == "" {
						break
					}
				}
				if total != 6 {
					t.Errorf("limit %d: got %d items, want 6", limit, total)
				}
			}
		}
	}
}

// TestCountsGoOnPastAPage: a count is of all pages, also past one that matches
// nothing.
func TestCountsGoOnPastAPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 100 {
		o := order("u", fmt.Sprintf("%03d", i), "2024-01-01T00:00:00Z", []string{"DONE", "OPEN"}[i/80])
		o.Lines = []string{strings.Repeat("x", 30<<10)}
		put(t, s.orders, o)
	}
	q := s.orders.Query(Order{UserID: "u"})
	for want, q := range map[int]ddb.QueryOp[Order]{100: q, 20: q.Filter(s.status.Eq("OPEN")), 80: q.Filter(s.status.Eq("DONE")).Limit(3)} {
		if got, err := q.Count(t.Context()); err != nil || got != want {
			t.Errorf("got %d and %v, want %d", got, err, want)
		}
	}
	first, err := q.Filter(s.status.Eq("OPEN")).Page(t.Context(), "")
	if err != nil || first.Count != 0 || first.Next == "" {
		t.Errorf("got %+v and %v, want an empty first page, or this test shows nothing", first.Cost, err)
	}
	if got, err := s.orders.ParallelScan(4).Filter(s.status.Eq("OPEN")).Count(t.Context()); err != nil || got != 20 {
		t.Errorf("scan: got %d and %v, want 20", got, err)
	}
}

// TestAttributeThatTheItemLacks: an item without the projected attribute is found
// all the same, one that is absent is not.
func TestAttributeThatTheItemLacks(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.users, User{ID: "u", Name: "张三", Address: Address{City: "上海"}})
	got, err := s.users.Get(User{ID: "u"}).Project(s.email).Run(t.Context())
	if diff := cmp.Diff(User{ID: "u"}, got, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	if _, err := s.users.Get(User{ID: "v"}).Project(s.email).Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
		t.Errorf("no item: got %v, want ErrNotFound", err)
	}
	var there, missing ddb.Result[User]
	for name, run := range map[string]func(...ddb.Read) error{
		"batch":       func(r ...ddb.Read) error { return ddb.BatchGet(r...).Run(t.Context()) },
		"transaction": func(r ...ddb.Read) error { return ddb.TransactGet(r...).Run(t.Context()) },
	} {
		err := run(s.users.Get(User{ID: "u"}).Project(s.email, s.city).Into(&there), s.users.Get(User{ID: "v"}).Project(s.email).Into(&missing))
		want := ddb.Result[User]{Found: true, Value: User{ID: "u", Address: Address{City: "上海"}}}
		if diff := cmp.Diff(want, there, ignoreMarkers); err != nil || diff != "" || missing.Found {
			t.Errorf("%s: error %v, missing %t, difference (-want +got):\n%s", name, err, missing.Found, diff)
		}
	}
}

// vanishing deletes items of the table as soon as an index has listed them.
type vanishing struct {
	ddb.Backend
	db   *memory.DB
	keys []map[string]types.AttributeValue
}

func (v *vanishing) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := v.Backend.Query(ctx, in, o...)
	for _, key := range v.keys {
		if _, err := v.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: in.TableName, Key: key}); err != nil {
			return nil, err
		}
	}
	return out, err
}

// TestThinIndexesInFull: an index of keys only lists entities with their keys,
// Hydrate makes them whole in the order of the index, and what is gone by then is
// left out and counted.
func TestThinIndexesInFull(t *testing.T) {
	t.Parallel()
	db := memory.New()
	b := &vanishing{Backend: backend(t, db), db: db}
	table := ddb.NewTable("Trap", b, ddb.GSI("GSI1", "GSI1PK", "GSI1SK", ddb.KeysOnly()), ddb.GSI("GSI2", "GSI2PK", "GSI2SK", ddb.KeysOnly()))
	orders := ddb.Define[Order](table)
	create(t, db, table)
	for i := range 230 { // more than two batches
		o := order(fmt.Sprint("u", i%3), fmt.Sprintf("%03d", i), "2024-01-01T00:00:00Z", "NEW")
		put(t, orders, o)
	}
	q := orders.Query(Order{Status: "NEW"}).Index("GSI1")
	for o, err := range q.All(t.Context()) {
		if err != nil || o.Total != 0 || o.OrderID == "" || o.UserID == "" {
			t.Fatalf("thin: got %+v and %v, want the keys alone", o, err)
		}
	}
	want := strings.Fields(names(t, q.All(t.Context()), orderID))
	slices.Reverse(want)
	i := 0
	for o, err := range q.Desc().Hydrate().All(t.Context()) {
		if err != nil || o.OrderID != want[i] || o.Total != 99 || len(o.Lines) != 1 {
			t.Fatalf("hydrated: got %+v and %v, want all of %s", o, err, want[i])
		}
		i++
	}
	if i != 230 {
		t.Errorf("got %d items, want 230", i)
	}
	for _, id := range []int{0, 5, 229} {
		in, err := orders.Get(order(fmt.Sprint("u", id%3), fmt.Sprintf("%03d", id), "2024-01-01T00:00:00Z", "")).Input()
		if err != nil {
			t.Fatal(err)
		}
		b.keys = append(b.keys, in.Key)
	}
	page, err := q.Hydrate().Limit(7).Page(t.Context(), "")
	if err != nil || len(page.Items) != 7 || page.Missing != 2 || page.Items[0].OrderID != "001" || page.Items[6].OrderID != "008" {
		t.Errorf("got %+v and %v, want seven items and two missing", page, err)
	}
}

// TestScanOfASparseIndex: a scan reads the index that it names.
func TestScanOfASparseIndex(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 10 {
		o := order("u", fmt.Sprint(i), "2024-01-01T00:00:00Z", "NEW")
		if i < 3 {
			o.ProductID = "p"
		}
		put(t, s.orders, o)
	}
	for want, scan := range map[int]ddb.ScanOp[Order]{10: s.orders.Scan(), 3: s.orders.Scan().Index("GSI2")} {
		if got, err := scan.Count(t.Context()); err != nil || got != want {
			t.Errorf("got %d and %v, want %d", got, err, want)
		}
	}
}

// TestConsistentReadsOfIndexes: a global index has none, which the layer says
// before any call, and the service too.
func TestConsistentReadsOfIndexes(t *testing.T) {
	t.Parallel()
	nowhere := newShop(unreachable{})
	if _, err := nowhere.orders.Query(Order{Status: "NEW"}).Index("GSI1").Consistent().First(t.Context()); !errors.Is(err, ddb.ErrIndex) {
		t.Errorf("query: got %v, want ErrIndex", err)
	}
	if _, err := nowhere.orders.Scan().Index("GSI1").Consistent().First(t.Context()); !errors.Is(err, ddb.ErrIndex) {
		t.Errorf("scan: got %v, want ErrIndex", err)
	}
	s, _ := open(t)
	_, err := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Edit(func(in *dynamodb.QueryInput) { in.ConsistentRead = aws.Bool(true) }).First(t.Context())
	if err == nil || !strings.Contains(err.Error(), "Consistent reads are not supported on global secondary indexes") {
		t.Errorf("got %v, want the service's refusal", err)
	}
}

// TestEntityBehindTheFirstPage: that a page of a mixed partition has none of an
// entity does not pass for there being none.
func TestEntityBehindTheFirstPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.users, User{ID: "u"})
	put(t, s.tasks, Task{UserID: "u", TaskID: "1", State: "OPEN"}, Task{UserID: "u", TaskID: "2", State: "OPEN"})
	for i := range 70 {
		o := order("u", fmt.Sprintf("%03d", i), "2024-01-01T00:00:00Z", "NEW")
		o.Lines = []string{strings.Repeat("x", 30<<10)}
		put(t, s.orders, o)
	}
	op := s.table.Collection(s.users.Partition(User{ID: "u"}))
	whole, err := op.Load(t.Context())
	if err != nil || !whole.Complete() || len(ddb.Of(whole, s.users)) != 1 || len(ddb.Of(whole, s.orders)) != 70 || len(ddb.Of(whole, s.tasks)) != 2 {
		t.Errorf("got %d items and %v, want 1, 70 and 2", whole.Len(), err)
	}
	pages, tasks := 0, 0
	for page, err := range op.Pages(t.Context()) {
		if err != nil || page.Complete() {
			t.Fatalf("page %d: got %v, complete %t, want a part", pages, err, page.Complete())
		}
		if pages == 0 && len(ddb.Of(page, s.tasks)) != 0 {
			t.Error("the first page has tasks, so that this test shows nothing")
		}
		tasks += len(ddb.Of(page, s.tasks))
		pages++
	}
	if pages < 2 || tasks != 2 {
		t.Errorf("got %d tasks on %d pages, want 2 on several", tasks, pages)
	}
}

// TestItemsThatShareAnIndexKey: items whose keys in the index are equal are each
// read once, one a page, in either direction, by query and scan.
func TestItemsThatShareAnIndexKey(t *testing.T) {
	t.Parallel()
	type Event struct {
		_     ddb.Entity `pk:"E#{ID}" sk:"X"`
		_     ddb.Index  `name:"GSI1" pk:"KIND#{Kind}" sk:"{Level}"`
		ID    string
		Kind  string
		Level string
	}
	events, _ := define[Event](t)
	for i := range 5 {
		put(t, events, Event{ID: fmt.Sprint(i), Kind: "k", Level: "l"})
	}
	q := events.Query(Event{Kind: "k"}).Index("GSI1")
	read := func(page func(string) (ddb.Page[Event], error)) []string {
		var got []string
		for cursor, n := "", 0; ; n++ {
			p, err := page(cursor)
			if err != nil || n > 6 {
				t.Fatalf("got %v after %d pages", err, n)
			}
			for _, e := range p.Items {
				got = append(got, e.ID)
			}
			if cursor = p.Next; cursor == "" {
				slices.Sort(got)
				return got
			}
		}
	}
	want := []string{"0", "1", "2", "3", "4"}
	for name, page := range map[string]func(string) (ddb.Page[Event], error){
		"forward":  func(c string) (ddb.Page[Event], error) { return q.Limit(1).Page(t.Context(), c) },
		"backward": func(c string) (ddb.Page[Event], error) { return q.Desc().Limit(1).Page(t.Context(), c) },
		"cut":      func(c string) (ddb.Page[Event], error) { return q.Limit(1).PageSize(3).Page(t.Context(), c) },
		"scan": func(c string) (ddb.Page[Event], error) {
			return events.Scan().Index("GSI1").Limit(1).Page(t.Context(), c)
		},
		"segments": func(c string) (ddb.Page[Event], error) {
			return events.ParallelScan(3).Index("GSI1").Limit(1).Page(t.Context(), c)
		},
	} {
		if got := read(page); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want each once", name, got)
		}
	}
}
