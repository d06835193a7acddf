package docs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestModellingCode promises that all code of modelling.md stands in the tests
// beside it, and is therefore compiled and run.
func TestModellingCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "modelling.md", 20, "entities_test.go", "modelling_test.go")
}

// wantCode asserts that a guide has at least so many blocks of Go code, and that
// each stands in one of the files.
func wantCode(t *testing.T, name string, atLeast int, files ...string) {
	t.Helper()
	code := ""
	for _, name := range files {
		code += flat(readText(t, name))
	}
	blocks := goBlocks(t, name)
	for _, b := range blocks {
		if !strings.Contains(code, flat(b.code)) {
			t.Errorf("not in the tests:\n%s", b.code)
		}
	}
	if len(blocks) < atLeast {
		t.Errorf("%d blocks of Go code, want at least %d", len(blocks), atLeast)
	}
}

// goBlock is a block of Go code in a guide, and the text that stands before it.
type goBlock struct{ before, code string }

// goBlocks returns the blocks of Go code that a page has.
func goBlocks(t *testing.T, name string) []goBlock {
	t.Helper()
	var blocks []goBlock
	parts := strings.Split(readText(t, name), "```")
	for i := 1; i < len(parts); i += 2 {
		if code, isGo := strings.CutPrefix(parts[i], "go\n"); isGo {
			blocks = append(blocks, goBlock{parts[i-1], code})
		}
	}
	return blocks
}

// flat drops what only lays code out: indentation, alignment and empty lines.
func flat(code string) string {
	var out []string
	for line := range strings.Lines(code) {
		if words := strings.Fields(line); len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// TestModellingScenarios promises that the guide has a word on each scenario.
func TestModellingScenarios(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("modelling.md")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 24; n++ {
		if name := fmt.Sprintf("**S%d", n); !strings.Contains(string(guide), name+",") && !strings.Contains(string(guide), name+".") {
			t.Errorf("the guide lacks S%d", n)
		}
	}
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// create makes a table in an engine, which is checked at the end.
func create(t *testing.T, db *memory.DB, table *ddb.Table) {
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

// must ends the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// all reads a query and names its items.
func all[T any](t *testing.T, q ddb.QueryOp[T], name func(T) string) []string {
	t.Helper()
	var out []string
	for v, err := range q.All(context.Background()) {
		must(t, err)
		out = append(out, name(v))
	}
	return out
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want)\n%s", what, diff)
	}
}

type shop struct {
	table     *ddb.Table
	users     *ddb.Definition[User]
	addresses *ddb.Definition[Address]
	orders    *ddb.Definition[Order]
}

// newShop is a shop with a user, an address and some orders.
func newShop(t *testing.T) shop {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	s := shop{table, ddb.Define[User](table), ddb.Define[Address](table), ddb.Define[Order](table)}
	create(t, db, table)
	ctx := context.Background()
	must(t, s.users.Create(&User{ID: "12345", Name: "John", Email: "john@example.com", Orders: 3}).Run(ctx))
	must(t, s.addresses.Create(&Address{UserID: "12345", Label: "HOME", City: "上海"}).Run(ctx))
	for _, o := range []Order{
		{UserID: "12345", OrderID: "2024-001", ProductID: "P001", Status: "PENDING", PlacedAt: at("2024-01-01T10:00:00Z")},
		{UserID: "12345", OrderID: "2024-002", Status: "SHIPPED", PlacedAt: at("2024-01-01T15:30:00Z")},
		{UserID: "12345", OrderID: "2024-010", ProductID: "P001", Status: "PENDING", PlacedAt: at("2024-02-14T09:00:00Z")},
		{UserID: "U001", OrderID: "ORD008", ProductID: "P001", Status: "COMPLETED", PlacedAt: at("2024-05-01T00:00:00Z")},
		{UserID: "U001", OrderID: "ORD009", ProductID: "P001", Status: "COMPLETED", PlacedAt: at("2024-05-31T23:59:59Z")},
		{UserID: "U001", OrderID: "ORD010", ProductID: "P001", Status: "COMPLETED", PlacedAt: at("2024-06-01T00:00:00Z")},
	} {
		must(t, s.orders.Create(&o).Run(ctx))
	}
	return s
}

func orderID(o Order) string { return o.OrderID }

// TestShopReads runs what the guide says of S1 to S7 and S10.
func TestShopReads(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ctx, table, users, addresses, orders := context.Background(), s.table, s.users, s.addresses, s.orders

	u, err := users.Get(User{ID: "12345"}).Run(ctx) // errors.Is(err, ddb.ErrNotFound)
	must(t, err)
	equal(t, "S1", u.Name, "John")

	c, err := table.Collection(users.Partition(User{ID: "12345"})).Load(ctx)
	us, as, os := ddb.Of(c, users), ddb.Of(c, addresses), ddb.Of(c, orders)
	must(t, err)
	equal(t, "S2", []int{len(us), len(as), len(os)}, []int{1, 1, 3})
	equal(t, "S2 complete", c.Complete(), true)

	page, err := orders.Query(Order{UserID: "12345"}).Desc().Limit(2).Page(ctx, "") // page.Next is the cursor
	must(t, err)
	equal(t, "S3", []string{page.Items[0].OrderID, page.Items[1].OrderID}, []string{"2024-010", "2024-002"})

	o, err := orders.Query(Order{OrderID: "2024-001"}).Index("GSI4").First(ctx)
	must(t, err)
	equal(t, "S4", o.UserID, "12345")

	day := orders.Query(Order{PlacedAt: at("2024-01-01T00:00:00Z")}).Index("GSI5")
	equal(t, "S5", all(t, day, orderID), []string{"2024-001", "2024-002"})

	latest := orders.Query(Order{ProductID: "P001"}).Index("GSI3").Desc().Limit(4)
	equal(t, "S7", all(t, latest, orderID), []string{"ORD010", "ORD009", "ORD008", "2024-010"})

	may := orders.Query(Order{UserID: "U001"}).Index("GSI2").
		Between(Order{PlacedAt: at("2024-05-01T00:00:00Z")}, Order{PlacedAt: at("2024-05-31T23:59:59Z")})
	equal(t, "S10", all(t, may, orderID), []string{"ORD008", "ORD009"})
}

// TestShopStatus runs S6.
func TestShopStatus(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShop(t)
	orders := s.orders
	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
	o, err := orders.Get(Order{UserID: "12345", OrderID: "2024-001"}).Run(ctx)
	must(t, err)

	o, err = orders.Update(o).From(o).Set(status.To("COMPLETED")).If(status.Eq("PENDING")).Run(ctx)
	must(t, err)
	equal(t, "status", o.Status, "COMPLETED")
	equal(t, "pending", all(t, orders.Query(Order{Status: "PENDING"}).Index("GSI1"), orderID), []string{"2024-010"})
}

// TestShopCount runs S8.
func TestShopCount(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShop(t)
	users, orders := s.users, s.orders
	orderCount := ddb.Field(users, func(u *User) *int { return &u.Orders })
	o := Order{UserID: "12345", OrderID: "2024-011", Status: "PENDING", PlacedAt: at("2024-03-01T00:00:00Z")}

	n, err := orders.Query(Order{UserID: "12345"}).Count(ctx) // over all pages
	must(t, err)
	err = ddb.Transact(
		orders.Create(&o),
		users.Update(User{ID: "12345"}).Set(orderCount.Add(1)),
	).Run(ctx)
	must(t, err)
	equal(t, "counted", n, 3)
	u, err := users.Get(User{ID: "12345"}).Run(ctx)
	must(t, err)
	equal(t, "kept", u.Orders, 4)
}

// TestShopSignUp runs S9: of many sign-ups with one address one succeeds.
func TestShopSignUp(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShop(t)
	users := s.users
	signUp := func(u User) error {
		err := users.Create(&u).Run(ctx) // errors.Is(err, ddb.ErrUnique): the address is taken
		return err
	}
	results := make(chan error)
	for i := range 20 {
		go func() { results <- signUp(User{ID: fmt.Sprint(i), Email: "Grace@example.com"}) }()
	}
	won := 0
	for range 20 {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, ddb.ErrUnique):
			t.Errorf("got %v, want ErrUnique", err)
		}
	}
	equal(t, "sign-ups", won, 1)
	u, err := users.Query(User{Email: "grace@EXAMPLE.com"}).Index("GSI1").First(ctx)
	must(t, err)
	equal(t, "by address", u.Email, "Grace@example.com")
}

// TestVersions runs S12.
func TestVersions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Documents", db)
	versions := ddb.Define[Version](table)
	create(t, db, table)
	for _, n := range [][2]int{{1, 0}, {10, 0}, {2, 0}, {1, 1}} {
		must(t, versions.Create(&Version{Doc: "README", Major: n[0], Minor: n[1]}).Run(ctx))
	}

	v, err := versions.Query(Version{Doc: "README"}).Desc().First(ctx)
	must(t, err)
	equal(t, "latest", v.Major, 10)
}

// TestCart runs S14: additions at the same time are all kept.
func TestCart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Carts", db)
	lines := ddb.Define[Line](table)
	quantity := ddb.Field(lines, func(l *Line) *int { return &l.Quantity })
	create(t, db, table)
	done := make(chan error)
	for range 10 {
		go func() {
			_, err := lines.Upsert(Line{UserID: "12345", ProductID: "P001"}).Set(quantity.Add(2)).Run(ctx)
			done <- err
		}()
	}
	for range 10 {
		must(t, <-done)
	}
	l, err := lines.Get(Line{UserID: "12345", ProductID: "P001"}).Run(ctx)
	must(t, err)
	equal(t, "quantity", l.Quantity, 20)
}

// TestFollowers runs S16: following twice changes nothing.
func TestFollowers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Social", db)
	follows, followers := ddb.Define[Follow](table), ddb.Define[FollowedBy](table)
	create(t, db, table)
	follow := func() error {
		err := ddb.Transact(
			follows.Create(&Follow{Follower: "12345", Followed: "67890"}),
			followers.Create(&FollowedBy{Follower: "12345", Followed: "67890"}),
		).Run(ctx)
		return err
	}
	must(t, follow())
	if err := follow(); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("twice: got %v, want ErrExists", err)
	}
	equal(t, "followers", all(t, followers.Query(FollowedBy{Followed: "67890"}), func(f FollowedBy) string { return f.Follower }), []string{"12345"})
}

// TestComments runs S17: two comments of one instant are both kept.
func TestComments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Posts", db)
	comments := ddb.Define[Comment](table)
	create(t, db, table)
	for _, id := range []string{"b", "a"} {
		must(t, comments.Create(&Comment{Post: "POST001", ID: id, At: at("2024-01-01T10:00:00Z")}).Run(ctx))
	}
	equal(t, "comments", all(t, comments.Query(Comment{Post: "POST001"}), func(c Comment) string { return c.ID }), []string{"a", "b"})
}

// TestSubscribers runs S18: without a phone there is no entry.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Subscribers", db, ddb.GSI("PhoneIndex", "Phone", ""))
	subscribers := ddb.Define[Subscriber](table)
	phone := ddb.Field(subscribers, func(s *Subscriber) *string { return &s.Phone })
	create(t, db, table)
	must(t, subscribers.Create(&Subscriber{ID: "1", Phone: "13800138000"}).Run(ctx))
	must(t, subscribers.Create(&Subscriber{ID: "2"}).Run(ctx))
	byPhone := subscribers.Query(Subscriber{Phone: "13800138000"}).Index("PhoneIndex")
	equal(t, "with a phone", all(t, byPhone, func(s Subscriber) string { return s.ID }), []string{"1"})
	_, err := subscribers.Update(Subscriber{ID: "1"}).Set(phone.Remove()).Run(ctx)
	must(t, err)
	n, err := byPhone.Count(ctx)
	must(t, err)
	equal(t, "without", n, 0)
}

// TestLeaderboard runs S15: ties, negative scores, and ranks as in sports.
func TestLeaderboard(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Games", db)
	scores := ddb.Define[Score](table)
	create(t, db, table)
	for player, points := range map[string]int{"a": 99999, "b": 100000, "c": 40, "d": 40, "e": -3} {
		must(t, scores.Put(&Score{Game: "GAME001", Player: player, Points: points}).Run(ctx))
	}

	top := scores.Query(Score{Game: "GAME001"}).Index("Board").Limit(10)
	above, err := scores.Query(Score{Game: "GAME001"}).Index("Board").After(Score{Points: 40}).Count(ctx)
	rank := above + 1
	must(t, err)
	equal(t, "top", all(t, top, func(s Score) string { return s.Player }), []string{"b", "a", "c", "d", "e"})
	equal(t, "rank", rank, 3)
}

// TestHotKeys runs S19: a day's plays come back in order from all shards, and a
// user's from one.
func TestHotKeys(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	calls := 0
	table := ddb.NewTable("Plays", db, ddb.Observe(func(_ context.Context, c ddb.Call) {
		if c.Index == "ByUser" {
			calls++
		}
	}))
	plays := ddb.Define[Play](table)
	create(t, db, table)
	var want []string
	for i := range 30 {
		id := fmt.Sprintf("%02d", i)
		want = append(want, id)
		must(t, plays.Create(&Play{ID: id, UserID: "u" + fmt.Sprint(i%3), GameID: "g", At: at("2024-01-01T10:00:00Z").Add(time.Duration(i) * time.Minute)}).Run(ctx))
	}
	id := func(p Play) string { return p.ID }
	day := Play{At: at("2024-01-01T00:00:00Z")}
	equal(t, "day", all(t, plays.Query(day).Index("ByDay"), id), want)
	n := len(all(t, plays.Query(Play{At: day.At, UserID: "u1"}).Index("ByUser"), id))
	equal(t, "a user's", n, 10)
	equal(t, "calls for them", calls, 1)
	equal(t, "hour", all(t, plays.Query(Play{At: at("2024-01-01T10:30:00Z")}).Index("ByHour").Limit(2), id), want[:2])
	equal(t, "user and game", len(all(t, plays.Query(Play{UserID: "u2", GameID: "g"}).Index("ByBoth"), id)), 10)
}

// TestReadings runs S13 and S21: an hour across the end of a month, without what
// has expired.
func TestReadings(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("Readings", db, ddb.Clock(func() time.Time { return at("2024-02-01T00:30:00Z") }))
	readings := ddb.Define[Reading](table)
	create(t, db, table)
	for _, when := range []string{"2024-01-31T23:29:59Z", "2024-01-31T23:30:00Z", "2024-01-31T23:59:59Z", "2024-02-01T00:30:00Z", "2024-02-01T00:30:01Z"} {
		r := Reading{Device: "SENSOR001", At: at(when), Temperature: 25.5, Expires: at("2025-01-01T00:00:00Z")}
		if when == "2024-01-31T23:59:59Z" {
			r.Expires = at("2024-02-01T00:00:00Z")
		}
		must(t, readings.Create(&r).Run(ctx))
	}

	hour := readings.Query(Reading{Device: "SENSOR001"}).
		Between(Reading{At: at("2024-01-31T23:30:00Z")}, Reading{At: at("2024-02-01T00:30:00Z")})
	when := func(r Reading) string { return r.At.Format(time.TimeOnly) }
	equal(t, "hour", all(t, hour, when), []string{"23:30:00", "23:59:59", "00:30:00"})
	equal(t, "not expired", all(t, hour.HideExpired(), when), []string{"23:30:00", "00:30:00"})
}

// TestMusic runs S22.
func TestMusic(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	music := ddb.NewTable("Music", db, ddb.Keys("Artist", "Title"),
		ddb.GSI("GenreAlbumTitle", "Genre", "AlbumTitle", ddb.Include("EntityType", "Year")))
	songs := ddb.Define[Song](music)
	create(t, db, music)
	must(t, songs.Create(&Song{Artist: "No One You Know", Title: "Call Me Today", Genre: "Country", AlbumTitle: "Somewhat Famous", Year: 2015}).Run(ctx))
	got, err := songs.Query(Song{Genre: "Country", AlbumTitle: "Somewhat Famous"}).Index("GenreAlbumTitle").First(ctx)
	must(t, err)
	equal(t, "song", []string{got.Artist, got.Title, got.AlbumTitle, fmt.Sprint(got.Year)}, []string{"No One You Know", "Call Me Today", "Somewhat Famous", "2015"})
}
