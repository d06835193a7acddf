package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// What is easily got wrong about reading, paging and counting, one fault a test.

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
