package ddb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestProjectedValues asserts what a projected value holds: what was named, and
// what the keys hold whole, however the names overlap.
func TestProjectedValues(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.users, User{ID: "u", Email: "A@b", Name: "张三", Address: Address{City: "上海", Street: "x"}, Tags: []string{"a"}})
	o := order("u", "o", "2024-05-20T12:00:00Z", "NEW")
	put(t, s.orders, o)
	address := ddb.Field(s.users, func(u *User) *Address { return &u.Address })
	user := s.users.Get(User{ID: "u"})
	for name, c := range map[string]struct {
		got  ddb.GetOp[User]
		want User
	}{
		"keys":                {user.Project(), User{ID: "u"}},
		"nested":              {user.Project(s.city), User{ID: "u", Address: Address{City: "上海"}}},
		"whole and part":      {user.Project(s.city, address), User{ID: "u", Address: Address{City: "上海", Street: "x"}}},
		"twice":               {user.Project(s.name).Project(s.name, s.tags), User{ID: "u", Name: "张三", Tags: []string{"a"}}},
		"part of a lossy key": {user.Project(s.email), User{ID: "u", Email: "A@b"}},
	} {
		got, err := c.got.Run(t.Context())
		if diff := cmp.Diff(c.want, got, ignoreMarkers); err != nil || diff != "" {
			t.Errorf("%s: error %v, difference (-want +got):\n%s", name, err, diff)
		}
	}
	want := Order{UserID: "u", OrderID: "o", PlacedAt: o.PlacedAt, Status: "NEW", Total: 99}
	for name, q := range map[string]ddb.QueryOp[Order]{
		"index":    s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Project(s.total),
		"hydrated": s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Hydrate().Project(s.total, s.status),
	} {
		got, err := q.One(t.Context())
		if diff := cmp.Diff(want, got, ignoreMarkers); err != nil || diff != "" {
			t.Errorf("%s: error %v, difference (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestWhatAnIndexDoesNotCarry asserts that asking an index for what it does not
// have is an error that names the field, before any call.
func TestWhatAnIndexDoesNotCarry(t *testing.T) {
	t.Parallel()
	type Job struct {
		_       ddb.Entity `pk:"JOB#{ID}" sk:"X"`
		_       ddb.Index  `name:"Thin" pk:"STATE#{State}" sk:"{ID}"`
		_       ddb.Index  `name:"Some" pk:"STATE#{State}" sk:"{ID}"`
		ID      string
		State   string
		Size    int
		Expires time.Time `ddb:"ttl"`
	}
	table := ddb.NewTable("Test", unreachable{}, ddb.GSI("Thin", "P1", "S1", ddb.KeysOnly()), ddb.GSI("Some", "P2", "S2", ddb.Include("EntityType", "State")))
	jobs := ddb.Define[Job](table)
	size := ddb.Field(jobs, func(j *Job) *int { return &j.Size })
	for _, index := range []string{"Thin", "Some"} {
		q, scan := jobs.Query(Job{State: "s"}).Index(index), jobs.Scan().Index(index)
		for name, err := range map[string]error{
			"project": input(q.Project(size)), "filter": input(q.Filter(size.Gt(1))), "filter and hydrate": input(q.Hydrate().Filter(size.Gt(1))),
			"expiry": input(q.HideExpired()), "scan, project": input(scan.Project(size)), "scan, filter": input(scan.Filter(size.Gt(1))),
		} {
			op, _ := errors.AsType[*ddb.OpError](err)
			if !errors.Is(err, ddb.ErrIndex) || op.Index != index || !strings.Contains(op.Field, "Size") && op.Field != "Expires" {
				t.Errorf("%s of %s: got %v, want ErrIndex that names the field", name, index, err)
			}
		}
		for name, err := range map[string]error{
			"hydrate and project": input(q.Hydrate().Project(size)), "hydrate and expiry": input(q.Hydrate().HideExpired()), "hydrated scan": input(scan.Hydrate()),
		} {
			if err != nil {
				t.Errorf("%s of %s: got %v, want none", name, index, err)
			}
		}
	}
	if err := input(jobs.Query(Job{ID: "1"}).Hydrate()); !errors.Is(err, ddb.ErrIndex) {
		t.Errorf("hydrate the table itself: got %v, want ErrIndex", err)
	}
}

// input returns why a read has no input.
func input[In any](op interface{ Input() (In, error) }) error {
	_, err := op.Input()
	return err
}

// TestThinIndexOfSeveral asserts that entries of an index which carries no
// discriminator are told apart by their primary keys.
func TestThinIndexOfSeveral(t *testing.T) {
	t.Parallel()
	type Car struct {
		_       ddb.Entity `pk:"CAR#{ID}" sk:"X"`
		_       ddb.Index  `name:"GSI1" pk:"OWNER#{Owner}" sk:"{ID}"`
		ID      string
		Owner   string
		Wheels  int
		Expires time.Time `ddb:"ttl"`
	}
	type Boat struct {
		_      ddb.Entity `pk:"BOAT#{ID}" sk:"X"`
		_      ddb.Index  `name:"GSI1" pk:"OWNER#{Owner}" sk:"{ID}"`
		ID     string
		Owner  string
		Length int
	}
	now := time.Unix(1_700_000_000, 0).UTC()
	db := memory.New()
	table := ddb.NewTable("Test", backend(t, db), ddb.GSI("GSI1", "P", "S", ddb.KeysOnly()), ddb.Clock(func() time.Time { return now }))
	cars, boats := ddb.Define[Car](table), ddb.Define[Boat](table)
	create(t, db, table)
	put(t, cars, Car{ID: "1", Owner: "o", Wheels: 4}, Car{ID: "3", Owner: "o", Wheels: 3, Expires: now.Add(-time.Hour)}, Car{ID: "5", Owner: "o", Wheels: 5})
	put(t, boats, Boat{ID: "2", Owner: "o", Length: 20}, Boat{ID: "4", Owner: "o", Length: 40})
	wheels := ddb.Field(cars, func(c *Car) *int { return &c.Wheels })
	q, id := cars.Query(Car{Owner: "o"}).Index("GSI1"), func(c Car) string { return c.ID }
	for name, c := range map[string]struct {
		q     ddb.QueryOp[Car]
		want  string
		count int
	}{
		"all": {q, "1 3 5", 3}, "page by page": {q.PageSize(1), "1 3 5", 3}, "limited": {q.Limit(2), "1 3", 3}, "descending": {q.Desc(), "5 3 1", 3},
		"hydrated": {q.Hydrate(), "1 3 5", 3}, "not expired": {q.Hydrate().HideExpired(), "1 5", 2}, "not expired, limited": {q.Hydrate().HideExpired().Limit(2), "1 5", 2},
		"not expired, projected": {q.Hydrate().HideExpired().Project(wheels), "1 5", 2},
	} {
		if got := names(t, c.q.All(t.Context()), id); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if n, err := c.q.Count(t.Context()); err != nil || n != c.count {
			t.Errorf("%s: counted %d and %v, want %d", name, n, err, c.count)
		}
	}
	if got := names(t, boats.Scan().Index("GSI1").All(t.Context()), func(b Boat) string { return b.ID }); len(got) != 3 {
		t.Errorf("scan: got %q, want both boats", got)
	}
	c, err := table.Collection(cars.Partition(Car{Owner: "o"}).Index("GSI1")).Load(t.Context())
	if err != nil || len(ddb.Of(c, cars)) != 3 || len(ddb.Of(c, boats)) != 2 || ddb.Of(c, boats)[0].Length != 0 {
		t.Errorf("collection: got %+v and %v, want three cars and two boats by their keys", c, err)
	}
	full, err := table.Collection(cars.Partition(Car{Owner: "o"}).Index("GSI1")).Hydrate().HideExpired().Load(t.Context())
	if err != nil || len(ddb.Of(full, cars)) != 2 || len(ddb.Of(full, boats)) != 2 || ddb.Of(full, boats)[1].Length != 40 {
		t.Errorf("hydrated collection: got %+v and %v, want two cars and two boats", full, err)
	}
}

// TestCostOfPages asserts that pages add up what their calls took, those that
// hydrate among them.
func TestCostOfPages(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 6 {
		put(t, s.orders, order("u", string(rune('a'+i)), "2024-01-01T00:00:00Z", "NEW"))
	}
	index := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").ReturnConsumedCapacity(types.ReturnConsumedCapacityIndexes)
	page, err := index.Hydrate().Limit(4).PageSize(2).Page(t.Context(), "")
	if err != nil || page.Requests != 4 || page.Count != 4 || page.ScannedCount != 4 {
		t.Fatalf("got %+v and %v, want two queries and two batches", page.Cost, err)
	}
	spent := page.ConsumedCapacity
	if spent == nil || *spent.CapacityUnits != 3 || *spent.GlobalSecondaryIndexes["GSI1"].CapacityUnits != 1 || *spent.Table.CapacityUnits != 2 {
		t.Errorf("got %+v, want 1 unit of the index and 2 of the table", spent)
	}
	plain, err := s.orders.Query(Order{UserID: "u"}).Page(t.Context(), "")
	if err != nil || plain.ConsumedCapacity != nil {
		t.Errorf("got %+v and %v, want no capacity without asking", plain.ConsumedCapacity, err)
	}
}
