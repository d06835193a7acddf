package ddb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Sale is in a global index whose key is made of its own attributes, two for
// each role.
type Sale struct {
	_ ddb.Entity `name:"Sale" pk:"SALE#{ID}" sk:"SALE"`
	_ ddb.Index  `name:"ByRegion" pk:"{Region},{Status}" sk:"{Score},{At}"`

	ID     string
	Region string
	Status string `dynamodbav:",omitempty"`
	Score  int
	At     time.Time
	Note   string
}

func saleID(s Sale) string { return s.ID }

func openSales(t rapidOrTest, b func(*memory.DB) ddb.Backend, opts ...ddb.TableOption) (*ddb.Definition[Sale], *memory.DB) {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Sales", b(db), opts...)
	sales := ddb.Define[Sale](table)
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return sales, db
}

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// TestKeyOfSeveralAttributes asserts what each query of a native key of several
// attributes sends, finds and refuses.
func TestKeyOfSeveralAttributes(t *testing.T) {
	t.Parallel()
	over := func(db *memory.DB) ddb.Backend { return backend(t, db) }
	for name, opts := range map[string][]ddb.TableOption{
		"implied": nil,
		"listed":  {ddb.GSI("ByRegion", "Region,Status", "Score,At", ddb.Include("EntityType", "ID"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sales, _ := openSales(t, over, opts...)
			for i, score := range []int{7, -2, 0, 7, 10} {
				put(t, sales, Sale{ID: fmt.Sprint("s", i), Region: "eu", Status: "open", Score: score, At: noon.Add(time.Duration(i) * time.Hour)})
			}
			put(t, sales, Sale{ID: "other", Region: "us", Status: "open", Score: 7, At: noon}, Sale{ID: "sparse", Region: "eu", Score: 7, At: noon})
			q := sales.Query(Sale{Region: "eu", Status: "open"}).Index("ByRegion")
			sevens := sales.Query(Sale{Region: "eu", Status: "open", Score: 7}).Index("ByRegion")
			for _, c := range []struct {
				name string
				q    ddb.QueryOp[Sale]
				want string
			}{
				{"all", q, "s1 s2 s0 s3 s4"},
				{"descending", q.Desc(), "s4 s3 s0 s2 s1"},
				{"one score", sevens, "s0 s3"},
				{"one item", sales.Query(Sale{Region: "eu", Status: "open", Score: 7, At: noon}).Index("ByRegion"), "s0"},
				{"score from", q.From(Sale{Score: 7}), "s0 s3 s4"},
				{"score after", q.After(Sale{Score: 7}), "s4"},
				{"score before", q.Before(Sale{Score: 7}), "s1 s2"},
				{"score between", q.Between(Sale{Score: -2}, Sale{Score: 0}), "s1 s2"},
				{"time within a score", sevens.From(Sale{At: noon.Add(time.Hour)}), "s3"},
				{"time, the score repeated", sevens.From(Sale{Score: 7, At: noon.Add(time.Hour)}), "s3"},
				{"time within a score that both bounds give", q.Between(Sale{Score: 7, At: noon}, Sale{Score: 7, At: noon}), "s0"},
				{"time within the score 0", q.Between(Sale{At: noon}, Sale{At: noon.Add(9 * time.Hour)}), "s2"},
			} {
				if got := strings.Join(collect(t, c.q, saleID), " "); got != c.want {
					t.Errorf("%s: got %q, want %q", c.name, got, c.want)
				}
			}
			for _, c := range []struct {
				name string
				q    ddb.QueryOp[Sale]
				is   error
				says string
			}{
				{"a partition attribute missing", sales.Query(Sale{Region: "eu"}).Index("ByRegion"), ddb.ErrKey, "Sale.Status"},
				{"a range over two attributes", q.From(Sale{Score: 7, At: noon}), ddb.ErrRange, "takes a range on one"},
				{"a range over two attributes that differ", q.Between(Sale{Score: 7, At: noon}, Sale{Score: 8, At: noon}), ddb.ErrRange, "takes a range on one"},
				{"a bound beside the key", sevens.From(Sale{Score: 8, At: noon}), ddb.ErrRange, "differ"},
				{"nothing left", sales.Query(Sale{Region: "eu", Status: "open", Score: 7, At: noon}).Index("ByRegion").From(Sale{At: noon}), ddb.ErrRange, "nothing is left"},
				{"reversed", q.Between(Sale{Score: 10}, Sale{Score: 9}), ddb.ErrRange, "above"},
				{"consistent", q.Consistent(), ddb.ErrIndex, "global"},
			} {
				if _, err := c.q.Count(t.Context()); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: got %v, want %v that says %q", c.name, err, c.is, c.says)
				}
			}
			in, err := sevens.From(Sale{At: noon}).Input()
			want := "#pk = :pk AND #pk1 = :pk1 AND #eq = :eq AND #sk >= :lo"
			if err != nil || *in.KeyConditionExpression != want {
				t.Errorf("got %v and %v, want %s", in, err, want)
			}
		})
	}
}

// TestUpdatesMoveKeyOfSeveralAttributes asserts that updates of attributes that
// are key attributes themselves are sent as they are, additions included, and
// that the entry moves.
func TestUpdatesMoveKeyOfSeveralAttributes(t *testing.T) {
	t.Parallel()
	sales, _ := openSales(t, func(db *memory.DB) ddb.Backend { return backend(t, db) })
	score := ddb.Field(sales, func(s *Sale) *int { return &s.Score })
	status := ddb.Field(sales, func(s *Sale) *string { return &s.Status })
	ctx := t.Context()
	put(t, sales, Sale{ID: "a", Region: "eu", Status: "open", Score: 1, At: noon}, Sale{ID: "b", Region: "eu", Status: "open", Score: 5, At: noon})
	ids := func(status string) []string {
		return collect(t, sales.Query(Sale{Region: "eu", Status: status}).Index("ByRegion"), saleID)
	}
	if got, err := sales.Update(Sale{ID: "a"}).Set(score.Add(9)).Run(ctx); err != nil || got.Score != 10 {
		t.Fatalf("addition: got %+v and %v", got, err)
	}
	if got := ids("open"); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("after the addition: got %v, want the entry moved", got)
	}
	if _, err := sales.Update(Sale{ID: "b"}).Set(status.To("closed")).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := append(ids("closed"), ids("open")...); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("after the change: got %v, want b closed", got)
	}
	if _, err := sales.Update(Sale{ID: "b"}).Set(status.Remove()).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := ids("closed"); len(got) != 0 {
		t.Errorf("after the removal: got %v, want no entry", got)
	}
	if _, err := sales.Modify(ctx, Sale{ID: "b"}, func(s *Sale) error { s.Status, s.Score = "open", 99; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := ids("open"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after Modify: got %v, want b back, last", got)
	}
}

// TestKeyOfSeveralAttributesReadsInOrder asserts that pages of any size, in both
// directions, are what sorting by the attributes gives.
func TestKeyOfSeveralAttributesReadsInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sales, _ := openSales(t, direct)
		var all []Sale
		for i := range rapid.IntRange(0, 15).Draw(t, "items") {
			s := Sale{
				ID: fmt.Sprintf("%02d", i), Region: rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "region"), Status: "open",
				Score: rapid.IntRange(-3, 11).Draw(t, "score"), At: noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "at")) * time.Minute),
			}
			if err := sales.Create(&s).Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		slices.SortStableFunc(all, func(a, b Sale) int { return cmp.Or(cmp.Compare(a.Score, b.Score), a.At.Compare(b.At)) })
		q := sales.Query(Sale{Region: "eu", Status: "open"}).Index("ByRegion")
		lo := rapid.IntRange(-4, 12).Draw(t, "from")
		q = q.From(Sale{Score: lo})
		type place struct {
			score int
			at    time.Time
		}
		var want []place
		for _, s := range all {
			if s.Region == "eu" && s.Score >= lo {
				want = append(want, place{s.Score, s.At})
			}
		}
		if rapid.Bool().Draw(t, "descending") {
			q = q.Desc()
			slices.Reverse(want)
		}
		q = q.Limit(rapid.IntRange(1, 4).Draw(t, "limit")).PageSize(rapid.IntRange(0, 3).Draw(t, "page size"))
		var got []place
		seen := make(map[string]bool)
		for cursor, more := "", true; more; more = cursor != "" {
			page, err := q.Page(context.Background(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range page.Items {
				if seen[s.ID] {
					t.Fatalf("%s came twice", s.ID)
				}
				seen[s.ID] = true
				got = append(got, place{s.Score, s.At})
			}
			cursor = page.Next
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// Track is in two local indexes, by a template and by an attribute, and in an
// index that turns the table's key around.
type Track struct {
	_ ddb.Entity `name:"Track" pk:"ALBUM#{Album}" sk:"TRACK#{No:03}"`
	_ ddb.Index  `name:"ByTitle" sk:"{Title:lower}"`
	_ ddb.Index  `name:"ByPlays" sk:"{Plays}"`
	_ ddb.Index  `name:"Inverted"`
	_ ddb.Index  `name:"ByType" sk:"{Title:lower}"`

	Album string
	No    int
	Title string `dynamodbav:",omitempty"`
	Plays int
}

func openTracks(t *testing.T) (*ddb.Definition[Track], *memory.DB) {
	db := memory.New()
	table := ddb.NewTable("Tracks", backend(t, db),
		ddb.LSI("ByTitle", "LSI1SK"), ddb.LSI("ByPlays", "Plays", ddb.KeysOnly()),
		ddb.GSI("Inverted", "SK", "PK"), ddb.GSI("ByType", "EntityType", "LSI1SK", ddb.KeysOnly()))
	tracks := ddb.Define[Track](table)
	create(t, db, table)
	return tracks, db
}

// TestLocalIndexes asserts that local indexes are read in their order, also
// consistently, and that updates keep their own attributes and nobody else's.
func TestLocalIndexes(t *testing.T) {
	t.Parallel()
	tracks, db := openTracks(t)
	ctx := t.Context()
	put(t, tracks, Track{Album: "a", No: 1, Title: "Zebra", Plays: 10}, Track{Album: "a", No: 2, Title: "ape", Plays: 9},
		Track{Album: "a", No: 3, Plays: 100}, Track{Album: "b", No: 1, Title: "Bee"})
	no := func(t Track) string { return fmt.Sprint(t.Album, t.No) }
	title := ddb.Field(tracks, func(t *Track) *string { return &t.Title })
	plays := ddb.Field(tracks, func(t *Track) *int { return &t.Plays })
	byTitle, byPlays := tracks.Query(Track{Album: "a"}).Index("ByTitle").Consistent(), tracks.Query(Track{Album: "a"}).Index("ByPlays")
	expect := func(name string, q ddb.QueryOp[Track], want string) {
		t.Helper()
		if got := strings.Join(collect(t, q, no), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	expect("by title", byTitle, "a2 a1")
	expect("by title, a range", byTitle.From(Track{Title: "B"}), "a1")
	expect("by plays, numeric", byPlays, "a2 a1 a3")
	expect("by plays, a range", byPlays.Between(Track{Plays: 9}, Track{Plays: 10}).Desc(), "a1 a2")
	expect("inverted", tracks.Query(Track{No: 1}).Index("Inverted"), "a1 b1")
	expect("by type", tracks.Query(Track{}).Index("ByType").Desc(), "a1 b1 a2")
	if _, err := tracks.Update(Track{Album: "a", No: 1}).Set(title.To("aardvark"), plays.Add(-5)).Run(ctx); err != nil {
		t.Fatal(err)
	}
	expect("retitled", byTitle, "a1 a2")
	expect("fewer plays", byPlays, "a1 a2 a3")
	if _, err := tracks.Update(Track{Album: "a", No: 1}).Set(title.Remove()).Run(ctx); err != nil {
		t.Fatal(err)
	}
	expect("without title", byTitle, "a2")
	expect("without title, by type", tracks.Query(Track{}).Index("ByType"), "a2 b1")
	if _, err := tracks.Upsert(Track{Album: "c", No: 7}).Set(title.To("New"), plays.Add(1)).Run(ctx); err != nil {
		t.Fatal(err)
	}
	expect("upserted", tracks.Query(Track{Album: "c"}).Index("ByTitle").Consistent(), "c7")
	n := 0
	for _, err := range tracks.Scan().Index("ByTitle").Consistent().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("scan of the local index: got %d items, want 3", n)
	}
	if _, err := tracks.Query(Track{No: 1}).Index("Inverted").Consistent().Count(ctx); !errors.Is(err, ddb.ErrIndex) {
		t.Errorf("consistent read of a global index: got %v, want ErrIndex", err)
	}
	out, err := db.Scan(ctx, scanOf("Tracks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range out.Items {
		if _, titled := item["Title"]; titled != (item["LSI1SK"] != nil) {
			t.Errorf("got %v, want the key attribute exactly where there is a title", item)
		}
	}
}

// TestSharedKeyAttributes asserts that an attribute of two indexes follows its
// own fields, on any path of writing, whichever of the indexes the item is in.
func TestSharedKeyAttributes(t *testing.T) {
	t.Parallel()
	type Job struct {
		_ ddb.Entity `pk:"JOB#{ID}" sk:"JOB"`
		_ ddb.Index  `name:"ByOwner" pk:"OWNER#{Owner}" sk:"{Rank:03}"`
		_ ddb.Index  `name:"ByQueue" pk:"QUEUE#{Queue}" sk:"{Rank:03}"`

		ID    string
		Owner string `dynamodbav:",omitempty"`
		Queue string `dynamodbav:",omitempty"`
		Rank  int
	}
	db := memory.New()
	table := ddb.NewTable("Jobs", backend(t, db), ddb.GSI("ByOwner", "OwnerPK", "RankSK"), ddb.GSI("ByQueue", "QueuePK", "RankSK"))
	jobs := ddb.Define[Job](table)
	create(t, db, table)
	ctx := t.Context()
	owner, queue := ddb.Field(jobs, func(j *Job) *string { return &j.Owner }), ddb.Field(jobs, func(j *Job) *string { return &j.Queue })
	put(t, jobs, Job{ID: "1", Owner: "ann", Queue: "mail", Rank: 5})
	check := func(step string, want string) {
		t.Helper()
		out, err := db.Scan(ctx, scanOf("Jobs"))
		if err != nil || len(out.Items) != 1 {
			t.Fatalf("%s: got %v and %v", step, out, err)
		}
		if err := table.Verify(out.Items[0]); err != nil {
			t.Errorf("%s: %v", step, err)
		}
		got := ""
		for _, attr := range []string{"OwnerPK", "QueuePK", "RankSK"} {
			if v, ok := out.Items[0][attr].(*types.AttributeValueMemberS); ok {
				got += v.Value + " "
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", step, got, want)
		}
	}
	change := func(step string, changes []ddb.Assign[Job], want string) {
		t.Helper()
		if _, err := jobs.Update(Job{ID: "1"}).Set(changes...).Run(ctx); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		check(step, want)
	}
	check("created", "OWNER#ann QUEUE#mail 005 ")
	change("out of one", []ddb.Assign[Job]{owner.Remove()}, "QUEUE#mail 005 ")
	change("out of both", []ddb.Assign[Job]{queue.Remove()}, "005 ")
	if _, err := jobs.Update(Job{ID: "1"}).Set(owner.To("bob")).From(Job{ID: "1", Rank: 5}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	check("into one again", "OWNER#bob 005 ")
	if _, err := jobs.Modify(ctx, Job{ID: "1"}, func(j *Job) error { j.Owner, j.Rank = "", 7; return nil }); err != nil {
		t.Fatal(err)
	}
	check("out of both, another rank", "007 ")
}

// TestIndexFaults asserts that options and tags that the service would refuse,
// or that say two things, are faults.
func TestIndexFaults(t *testing.T) {
	t.Parallel()
	type plain struct {
		_    ddb.Entity `pk:"A#{X}" sk:"B"`
		_    ddb.Index  `name:"IX1" pk:"{X},{Y}" sk:"{Y},{X}"`
		X, Y string
	}
	type localPK struct {
		_    ddb.Entity `pk:"A#{X}" sk:"B"`
		_    ddb.Index  `name:"IX1" pk:"A#{X}" sk:"{Y}"`
		X, Y string
	}
	type localNone struct {
		_ ddb.Entity `pk:"A#{X}" sk:"B"`
		_ ddb.Index  `name:"IX1"`
		X string
	}
	type otherSK struct {
		_    ddb.Entity `pk:"A#{X}" sk:"B"`
		_    ddb.Index  `name:"IX1" pk:"C" sk:"A#{X}"`
		X, Y string
	}
	type twoTemplates struct {
		_    ddb.Entity `pk:"A#{X}" sk:"B"`
		_    ddb.Index  `name:"IX1" pk:"C#{X}" sk:"D#{X}"`
		_    ddb.Index  `name:"IX2" pk:"C#{Y}" sk:"D#{X}"`
		X, Y string
	}
	type wrongType struct {
		_ ddb.Entity `name:"Wrong" pk:"A#{X}" sk:"B"`
		_ ddb.Index  `name:"IX1" pk:"Order" sk:"D#{X}"`
		X string
	}
	type emptyPiece struct {
		_ ddb.Entity `pk:"A#{X}" sk:"B"`
		_ ddb.Index  `name:"IX1" pk:"{X}," sk:"D#{X}"`
		X string
	}
	type floats struct {
		_     ddb.Entity `pk:"A#{X}" sk:"B"`
		_     ddb.Index  `name:"IX1" pk:"{X},{Price}"`
		X     string
		Price float64
	}
	type shortName struct {
		_ ddb.Entity `pk:"A#{X}" sk:"B"`
		_ ddb.Index  `name:"IX" pk:"C" sk:"D#{X}"`
		X string
	}
	many := func(n int, option func(string) ddb.TableOption) []ddb.TableOption {
		var out []ddb.TableOption
		for i := range n {
			out = append(out, option(fmt.Sprintf("Index%02d", i)))
		}
		return out
	}
	gsi := func(name string) ddb.TableOption { return ddb.GSI(name, name+"PK", "") }
	lsi := func(name string) ddb.TableOption { return ddb.LSI(name, name+"SK") }
	attrs := make([]string, 101)
	for i := range attrs {
		attrs[i] = fmt.Sprint("a", i)
	}
	for _, c := range []struct {
		name   string
		define func(*ddb.Table)
		opts   []ddb.TableOption
		want   string // "" for none
	}{
		{"list for one attribute", def[plain], []ddb.TableOption{ddb.GSI("IX1", "P", "Y")}, `IX1 pk:"{X},{Y}" (attribute P): lists 2 fields, but the key has one`},
		{"three for two", def[plain], []ddb.TableOption{ddb.GSI("IX1", "X,Y,Z", "Y1")}, "lists 2 templates, but the key has 3 attributes"},
		{"the list implies its attributes", def[plain], nil, "index IX1 has the attribute twice"},
		{"local index with pk", def[localPK], []ddb.TableOption{ddb.LSI("IX1", "Y")}, `IX1 pk:"A#{X}" (attribute PK): has a template, but a local index has the table's`},
		{"local index without sk", def[localNone], []ddb.TableOption{ddb.LSI("IX1", "LSK")}, `(attribute LSK): has no template`},
		{"inverted, as made anyway", def[localNone], []ddb.TableOption{ddb.GSI("IX1", "SK", "PK")}, ""},
		{"inverted, other template", def[otherSK], []ddb.TableOption{ddb.GSI("IX1", "SK", "PK")}, `fills an attribute that holds "B" already`},
		{"one attribute, two templates", def[twoTemplates], []ddb.TableOption{ddb.GSI("IX1", "C", "D"), ddb.GSI("IX2", "C", "D2")}, `fills an attribute that holds "C#{X}" already`},
		{"the discriminator's name", def[wrongType], []ddb.TableOption{ddb.GSI("IX1", "EntityType", "D")}, `fills the discriminator, which is "Wrong"`},
		{"an empty piece", def[emptyPiece], []ddb.TableOption{ddb.GSI("IX1", "X,P", "D")}, "(attribute P): has no template"},
		{"a float", def[floats], []ddb.TableOption{ddb.GSI("IX1", "X,Price", "")}, "{Price}, which is a float64"},
		{"a short name", def[shortName], nil, `the index name "IX" is not 3 to 255`},
		{"two names with a space", nil, []ddb.TableOption{ddb.GSI("Index 1", "P", "")}, `the index name "Index 1"`},
		{"five attributes", nil, []ddb.TableOption{ddb.GSI("IX1", "A,B,C,D,E", "")}, "5 attributes for one role, more than 4"},
		{"two in a local index", nil, []ddb.TableOption{ddb.LSI("IX1", "A,B")}, ""},
		{"two in the table", nil, []ddb.TableOption{ddb.Keys("A,B", "C")}, "the table's key has 2 attributes for one role"},
		{"one for both roles", nil, []ddb.TableOption{ddb.Keys("A", "A")}, "(attribute A): the table's key has the attribute twice"},
		{"no partition key", nil, []ddb.TableOption{ddb.Keys("", "A")}, "the table's key has no partition key"},
		{"no partition key of an index", nil, []ddb.TableOption{ddb.GSI("IX1", "", "A")}, "index IX1 has no partition key"},
		{"a long name", nil, []ddb.TableOption{ddb.Keys(strings.Repeat("x", 256), "")}, "not 1 to 255"},
		{"an empty name", nil, []ddb.TableOption{ddb.LSI("IX1", "")}, "not 1 to 255"},
		{"local index of a simple key", nil, []ddb.TableOption{ddb.Keys("A", ""), ddb.LSI("IX1", "B")}, "needs a table with a sort key"},
		{"20 global indexes", nil, many(20, gsi), ""},
		{"21 global indexes", nil, many(21, gsi), "more than 20 global indexes"},
		{"21 of a raised quota", nil, append(many(21, gsi), ddb.GSIQuota(25)), ""},
		{"5 local indexes", nil, many(5, lsi), ""},
		{"6 local indexes", nil, many(6, lsi), "more than 5 local indexes"},
		{"one name for both kinds", nil, []ddb.TableOption{gsi("IX1"), lsi("IX1")}, "IX1 is listed twice"},
		{"101 included", nil, []ddb.TableOption{ddb.GSI("IX1", "A", "", ddb.Include(attrs...))}, "include 101 attributes, more than 100"},
		{"included twice", nil, []ddb.TableOption{ddb.GSI("IX1", "A", "", ddb.Include("x", "x"))}, "(attribute x): index IX1 includes it twice"},
		{"none included", nil, []ddb.TableOption{ddb.GSI("IX1", "A", "", ddb.Include())}, "includes no attribute"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := ddb.NewTable("Test", unreachable{}, c.opts...)
			if c.define != nil {
				c.define(table)
			}
			switch err := table.Err(); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want a fault that says %q", err, c.want)
			}
		})
	}
}

// TestIndexesOfAllKindsInSchema asserts what CreateTableInput says of each kind of
// index, and that the engine takes it.
func TestIndexesOfAllKindsInSchema(t *testing.T) {
	t.Parallel()
	tracks, db := openTracks(t)
	_ = tracks
	out, err := db.DescribeTable(t.Context(), describe("Tracks"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	add := func(name string, keys []types.KeySchemaElement) {
		for _, k := range keys {
			got[name] += *k.AttributeName + " " + string(k.KeyType) + " "
		}
	}
	for _, ix := range out.Table.LocalSecondaryIndexes {
		add("local "+*ix.IndexName, ix.KeySchema)
	}
	for _, ix := range out.Table.GlobalSecondaryIndexes {
		add("global "+*ix.IndexName, ix.KeySchema)
	}
	kinds := make(map[string]types.ScalarAttributeType)
	for _, d := range out.Table.AttributeDefinitions {
		kinds[*d.AttributeName] = d.AttributeType
	}
	want := map[string]string{
		"local ByTitle": "PK HASH LSI1SK RANGE ", "local ByPlays": "PK HASH Plays RANGE ",
		"global Inverted": "SK HASH PK RANGE ", "global ByType": "EntityType HASH LSI1SK RANGE ",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("key schemas (-want +got):\n%s", diff)
	}
	if kinds["Plays"] != types.ScalarAttributeTypeN || kinds["LSI1SK"] != types.ScalarAttributeTypeS {
		t.Errorf("got %v, want Plays a number and LSI1SK a string", kinds)
	}
}
