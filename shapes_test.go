package ddb_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Tables whose keys are attributes of the entity itself: simple, numeric and
// binary keys.

type Person struct {
	_ ddb.Entity `pk:"{PersonID}"`
	_ ddb.Index  `name:"PhoneIndex" pk:"{Phone}"`

	PersonID int
	Phone    string `dynamodbav:",omitempty"`
	Name     string
}

type Song struct {
	_ ddb.Entity `pk:"{Artist}" sk:"{Year}"`
	_ ddb.Index  `name:"GenreYear" pk:"GENRE#{Genre}" sk:"{Year}"`
	_ ddb.Index  `name:"BySum" pk:"{Sum}" sk:"{Title}"`

	Artist string
	Year   int
	Title  string
	Genre  string `dynamodbav:",omitempty"`
	Sum    []byte `dynamodbav:",omitempty"`
	Plays  int
}

func TestSimpleNumericKey(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("People", backend(t, db), ddb.Keys("PersonID", ""), ddb.GSI("PhoneIndex", "Phone", ""))
	people := ddb.Define[Person](table)
	create(t, db, table)
	ctx := t.Context()
	put(t, people, Person{PersonID: 0, Name: "zero"}, Person{PersonID: 101, Name: "ann", Phone: "555"})
	for _, want := range []Person{{PersonID: 0, Name: "zero"}, {PersonID: 101, Name: "ann", Phone: "555"}} {
		got, err := people.Get(Person{PersonID: want.PersonID}).Run(ctx)
		if diff := cmp.Diff(want, got, ignoreMarkers); err != nil || diff != "" {
			t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
		}
	}
	byPhone := people.Query(Person{Phone: "555"}).Index("PhoneIndex")
	name := func(p Person) string { return p.Name }
	if got := collect(t, byPhone, name); !slices.Equal(got, []string{"ann"}) {
		t.Errorf("got %v, want ann", got)
	}
	phone := ddb.Field(people, func(p *Person) *string { return &p.Phone })
	if _, err := people.Update(Person{PersonID: 101}).Set(phone.Remove()).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, byPhone, name); len(got) != 0 {
		t.Errorf("got %v after the phone was removed, want none", got)
	}
	if _, err := people.Update(Person{PersonID: 0}).Set(phone.To("777")).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, people.Query(Person{Phone: "777"}).Index("PhoneIndex"), name); !slices.Equal(got, []string{"zero"}) {
		t.Errorf("got %v, want zero", got)
	}
	if _, err := people.Query(Person{}).Index("PhoneIndex").Count(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("empty phone: got %v, want ErrKey", err)
	}
	if _, err := people.Query(Person{PersonID: 1}).From(Person{PersonID: 2}).Count(ctx); !errors.Is(err, ddb.ErrRange) {
		t.Errorf("range on a simple key: got %v, want ErrRange", err)
	}
}

func TestPlainSortKeys(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Music", backend(t, db), ddb.Keys("Artist", "Year"),
		ddb.GSI("GenreYear", "GenrePK", "Year"), ddb.GSI("BySum", "Sum", "Title", ddb.KeysOnly()))
	songs := ddb.Define[Song](table)
	create(t, db, table)
	ctx := t.Context()
	for _, year := range []int{-5, 3, 10, 1999, 0} {
		put(t, songs, Song{Artist: "a b#c", Year: year, Title: fmt.Sprint("t", year), Genre: "pop", Sum: []byte{byte(year), 0xff}})
	}
	put(t, songs, Song{Artist: "other", Year: 5, Title: "x"})
	year := func(s Song) string { return fmt.Sprint(s.Year) }
	q := songs.Query(Song{Artist: "a b#c"})
	cases := []struct {
		name string
		q    ddb.QueryOp[Song]
		want string
	}{
		{"all", q, "-5 0 3 10 1999"},
		{"from", q.From(Song{Year: 3}), "3 10 1999"},
		{"after", q.After(Song{Year: 3}), "10 1999"},
		{"until", q.Until(Song{Year: 3}), "-5 0 3"},
		{"before zero", q.Before(Song{}), "-5"},
		{"between", q.Between(Song{Year: 0}, Song{Year: 10}), "0 3 10"},
		{"descending", q.Desc().Limit(2), "1999 10"},
		{"one", songs.Query(Song{Artist: "a b#c", Year: 10}), "10"},
		{"index", songs.Query(Song{Genre: "pop"}).Index("GenreYear").From(Song{Year: 1}), "3 10 1999"},
	}
	for _, c := range cases {
		if got := strings.Join(collect(t, c.q, year), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if _, err := q.Between(Song{Year: 2}, Song{Year: 1}).Count(ctx); !errors.Is(err, ddb.ErrRange) {
		t.Errorf("reversed: got %v, want ErrRange", err)
	}
	if _, err := q.After(Song{Year: 2}).Until(Song{Year: 3}).Count(ctx); !errors.Is(err, ddb.ErrRange) {
		t.Errorf("half open on a plain key: got %v, want ErrRange", err)
	}
	yearOf := ddb.Field(songs, func(s *Song) *int { return &s.Year })
	if _, err := q.Filter(yearOf.Gt(1)).Count(ctx); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "Song.Year") {
		t.Errorf("filter on a key: got %v, want ErrExpression that names it", err)
	}
	// The numeric sort key of the index is the attribute itself, so that the
	// cursor must hold a number.
	page, err := songs.Query(Song{Genre: "pop"}).Index("GenreYear").Limit(1).PageSize(3).Page(ctx, "")
	if err != nil || page.Items[0].Year != -5 {
		t.Fatalf("got %+v and %v, want the year -5", page, err)
	}
	page, err = songs.Query(Song{Genre: "pop"}).Index("GenreYear").Limit(1).PageSize(3).Page(ctx, page.Next)
	if err != nil || page.Items[0].Year != 0 {
		t.Fatalf("got %+v and %v, want the year 0", page, err)
	}
	thin, err := songs.Query(Song{Sum: []byte{3, 0xff}}).Index("BySum").First(ctx)
	want := Song{Artist: "a b#c", Year: 3, Title: "t3", Sum: []byte{3, 0xff}}
	if diff := cmp.Diff(want, thin, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("binary key: error %v, difference (-want +got):\n%s", err, diff)
	}
}

// TestThinIndex asserts that an index without the attributes gives entities
// with the fields that its keys hold.
func TestThinIndex(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Test", backend(t, db), ddb.GSI("GSI1", "GSI1PK", "GSI1SK", ddb.KeysOnly()),
		ddb.GSI("GSI2", "GSI2PK", "GSI2SK", ddb.Include("Total", "EntityType")))
	orders := ddb.Define[Order](table)
	create(t, db, table)
	o := order("u1", "o1", "2024-05-20T12:00:00Z", "NEW")
	o.ProductID = "p1"
	put(t, orders, o)
	got, err := orders.Query(Order{Status: "NEW"}).Index("GSI1").First(t.Context())
	want := Order{UserID: "u1", OrderID: "o1", Status: "NEW", PlacedAt: o.PlacedAt}
	if diff := cmp.Diff(want, got, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("keys only: error %v, difference (-want +got):\n%s", err, diff)
	}
	thin, err := table.Collection(orders.Partition(Order{Status: "NEW"}).Index("GSI1")).Load(t.Context())
	if err != nil || len(ddb.Of(thin, orders)) != 1 || ddb.Of(thin, orders)[0].OrderID != "o1" {
		t.Errorf("collection of a thin index: got %+v and %v, want the order by its key", thin, err)
	}
	got, err = orders.Query(Order{ProductID: "p1"}).Index("GSI2").First(t.Context())
	if err != nil || got.Total != 99 {
		t.Errorf("included attribute: got %+v and %v, want the total", got, err)
	}
	c, err := table.Collection(orders.Partition(Order{ProductID: "p1"}).Index("GSI2")).MaxPages(1).Load(t.Context())
	if err != nil || len(ddb.Of(c, orders)) != 1 || !c.Complete() {
		t.Errorf("collection of an index: got %+v and %v, want one order", c, err)
	}
}

type Stamps struct {
	CreatedBy string
	At        time.Time
}

type keyed struct {
	_  ddb.Entity `pk:"DOC#{ID}" sk:"META#{At}"`
	ID string
}

type doc struct {
	keyed
	*Stamps
	Title string `dynamodbav:"title"`
}

// TestEmbeddedStructs asserts that embedded fields and markers count as the
// outer struct's own, behind pointers too.
func TestEmbeddedStructs(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Docs", backend(t, db))
	docs := ddb.Define[doc](table)
	by := ddb.Field(docs, func(d *doc) *string { return &d.CreatedBy })
	create(t, db, table)
	d := doc{keyed: keyed{ID: "1"}, Stamps: &Stamps{CreatedBy: "ann", At: at("2024-01-01T00:00:00Z")}, Title: "x"}
	put(t, docs, d)
	got, err := docs.Update(d).Set(by.To("bob")).If(by.Eq("ann")).Run(t.Context())
	if err != nil || got.CreatedBy != "bob" || got.ID != "1" || got.Title != "x" || !got.At.Equal(d.At) {
		t.Errorf("got %+v and %v, want the change", got, err)
	}
	if err := docs.Put(&doc{keyed: keyed{ID: "1"}}).Run(t.Context()); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("nil embedded pointer: got %v, want ErrKey for the missing time", err)
	}
}

// TestFormats asserts the text that each format makes and that it is read back.
func TestFormats(t *testing.T) {
	t.Parallel()
	type all struct {
		_      ddb.Entity `pk:"A#{Flag}#{Addr}#{Code:upper}#{Plain}" sk:"{Seq:012}#{Delta:+04}#{Down:desc:03}#{Big:020}#{Day:2006-01-02}#{Any:plain}"`
		Flag   bool
		Addr   netip.Addr
		Code   string
		Plain  int64
		Seq    uint8
		Delta  int
		Down   int
		Big    uint64
		Day    time.Time
		Any    int
		Unused string `dynamodbav:"-"`
	}
	db := memory.New()
	table := ddb.NewTable("Test", backend(t, db))
	d := ddb.Define[all](table)
	create(t, db, table)
	v := all{Addr: netip.MustParseAddr("10.0.0.1"), Code: "x1", Plain: -7, Seq: 255, Delta: -5, Down: 1, Big: 1<<64 - 1, Day: at("2024-02-29T23:30:00-01:00"), Any: -3}
	item, err := d.Item(&v)
	if err != nil {
		t.Fatal(err)
	}
	got := item["PK"].(*types.AttributeValueMemberS).Value + " / " + item["SK"].(*types.AttributeValueMemberS).Value
	want := "A#false#10.0.0.1#X1#-7 / 000000000255#n9995#998#18446744073709551615#2024-03-01#-3"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, in := item["Unused"]; in {
		t.Error("a field tagged - was written")
	}
}

// TestItemsFromElsewhere asserts what Decode and Verify say of items that Put
// did not write.
func TestItemsFromElsewhere(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	o := order("u1", "o1", "2024-05-20T12:00:00Z", "NEW")
	good := func() map[string]types.AttributeValue {
		item, err := s.orders.Item(&o)
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	back, err := s.orders.Decode(good())
	if diff := cmp.Diff(o, back, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	if _, err := s.users.Decode(good()); !errors.Is(err, ddb.ErrEntityType) {
		t.Errorf("as another entity: got %v, want ErrEntityType", err)
	}
	if err := s.table.Verify(good()); err != nil {
		t.Error(err)
	}
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	for name, c := range map[string]struct {
		change func(map[string]types.AttributeValue)
		is     error
		says   string
	}{
		"no discriminator": {func(m map[string]types.AttributeValue) { delete(m, "EntityType") }, ddb.ErrEntityType, "no attribute EntityType"},
		"unknown entity":   {func(m map[string]types.AttributeValue) { m["EntityType"] = text("X") }, ddb.ErrEntityType, "no entity X"},
		"stale index key":  {func(m map[string]types.AttributeValue) { m["Status"] = text("PAID") }, ddb.ErrKey, "attribute GSI1PK"},
		"missing column":   {func(m map[string]types.AttributeValue) { delete(m, "GSI1SK") }, ddb.ErrKey, "attribute GSI1SK"},
		"missing part":     {func(m map[string]types.AttributeValue) { delete(m, "UserID") }, ddb.ErrKey, "Order.UserID"},
		"column too many":  {func(m map[string]types.AttributeValue) { m["GSI2PK"] = text("PRODUCT#x") }, ddb.ErrKey, "attribute GSI2PK"},
	} {
		item := good()
		c.change(item)
		if err := s.table.Verify(item); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", name, err, c.is, c.says)
		}
	}
}

// TestConditions asserts what each condition and change means on a stored item.
func TestConditions(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	u := User{ID: "u", Email: "a@b", Name: "张三", Address: Address{City: "上海"}, Tags: []string{"x", "y"}}
	put(t, s.users, u)
	o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
	put(t, s.orders, o)
	userHolds := func(c ddb.Cond[User]) bool {
		_, err := s.users.Update(User{ID: "u"}).Set(s.name.To("张三")).If(c).Run(ctx)
		if err != nil && !errors.Is(err, ddb.ErrConditionFailed) {
			t.Fatal(err)
		}
		return err == nil
	}
	orderHolds := func(c ddb.Cond[Order]) bool {
		err := s.orders.Put(&o).If(c).Run(ctx)
		if err != nil && !errors.Is(err, ddb.ErrConditionFailed) {
			t.Fatal(err)
		}
		return err == nil
	}
	for i, c := range []struct{ got, want bool }{
		{userHolds(s.name.Eq("张三")), true},
		{userHolds(s.name.Ne("张三")), false},
		{userHolds(s.name.BeginsWith("张")), true},
		{userHolds(s.name.Contains("三")), true},
		{userHolds(s.tags.Contains("x")), true},
		{userHolds(s.tags.Contains("z")), false},
		{userHolds(s.tags.Eq([]string{"y", "x"})), true},
		{userHolds(s.city.Eq("上海")), true},
		{userHolds(s.city.In("北京", "上海")), true},
		{userHolds(s.email.Exists()), true},
		{userHolds(s.email.NotExists()), false},
		{userHolds(s.email.NotExists().Or(s.name.Eq("张三")).And(s.city.Ne("x"))), true},
		{userHolds(ddb.Cond[User]{}), true},
		{orderHolds(s.total.Lt(99)), false},
		{orderHolds(s.total.Le(99)), true},
		{orderHolds(s.total.Gt(99)), false},
		{orderHolds(s.total.Ge(99)), true},
		{orderHolds(s.total.Between(98, 99)), true},
		{orderHolds(s.placed.Lt(at("2024-01-01T00:00:00.5Z"))), true},
		{orderHolds(s.placed.Ge(at("2024-01-01T01:00:00+01:00"))), true},
		{orderHolds(s.product.Ne("p")), true},
		{orderHolds(s.product.Eq("")), false},
	} {
		if c.got != c.want {
			t.Errorf("condition %d: got %t, want %t", i, c.got, c.want)
		}
	}
	name := s.name.Name()
	if err := s.users.Put(&u).IfExpr(expression.Equal(name, expression.Value("张三"))).Run(ctx); err != nil {
		t.Errorf("handle in package expression: %v", err)
	}
}

// TestChanges asserts what each change makes of an item, and of one where the
// attribute is missing.
func TestChanges(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	o := Order{UserID: "u", OrderID: "o", PlacedAt: at("2024-01-01T00:00:00Z"), Status: "NEW"}
	put(t, s.orders, o)
	step := func(changes ...ddb.Assign[Order]) Order {
		t.Helper()
		got, err := s.orders.Update(o).Set(changes...).Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := step(s.lines.Append([]string{"a"})); !slices.Equal(got.Lines, []string{"a"}) {
		t.Errorf("append to nothing: got %v", got.Lines)
	}
	if got := step(s.lines.Append([]string{"b", "c"})); !slices.Equal(got.Lines, []string{"a", "b", "c"}) {
		t.Errorf("append: got %v", got.Lines)
	}
	if got := step(s.total.Remove()); got.Total != 0 {
		t.Errorf("remove: got %d", got.Total)
	}
	if got := step(s.total.SetIfAbsent(7)); got.Total != 7 {
		t.Errorf("set if absent: got %d, want 7", got.Total)
	}
	if got := step(s.total.SetIfAbsent(8)); got.Total != 7 {
		t.Errorf("set if absent of a present one: got %d, want 7", got.Total)
	}
	if got := step(s.total.Add(-10)); got.Total != -3 {
		t.Errorf("add: got %d, want -3", got.Total)
	}
	if got := step(s.total.To(0)); got.Total != 0 {
		t.Errorf("set to zero: got %d, want 0", got.Total)
	}
	if _, in := stored(t, db)[0]["Total"]; !in {
		t.Error("setting a zero removed the attribute")
	}
	for name, change := range map[string]ddb.Assign[Order]{
		"nil list to append": s.lines.Append(nil),
		"nil list":           s.lines.To(nil),
	} {
		if _, err := s.orders.Update(o).Set(change).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
			t.Errorf("%s: got %v, want ErrExpression", name, err)
		}
	}
	put(t, s.users, User{ID: "u"})
	if _, in := stored(t, db)[0]["Tags"]; in {
		t.Error("an empty set was stored")
	}
	address := ddb.Field(s.users, func(u *User) *Address { return &u.Address })
	if _, err := s.users.Update(User{ID: "u"}).Set(address.To(Address{}), s.city.To("x")).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("a map and something in it: got %v, want ErrExpression", err)
	}
	if got, err := s.users.Update(User{ID: "u"}).Set(s.tags.To([]string{"a"}), s.city.To("x")).Run(ctx); err != nil || got.Address.City != "x" {
		t.Errorf("nested change: got %+v and %v", got, err)
	}
}
