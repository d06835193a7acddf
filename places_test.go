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
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Visit4, Visit4To9 and Visit9 are one entity before, at the beginning of and
// during a change of its shards from four to nine.
type (
	Visit4 struct {
		_ ddb.Entity `name:"Visit" pk:"SITE#{Site}#{shard:4}" sk:"{ID}"`
		_ ddb.Index  `name:"GSI1" pk:"PAGE#{Page}#{shard:4,by=ID+Page}" sk:"{ID}"`

		Site, ID, Page string
		N              int
		Expires        time.Time `ddb:"ttl" dynamodbav:",omitempty"`
	}
	Visit4To9 struct {
		_ ddb.Entity `name:"Visit" pk:"SITE#{Site}#{shard:4,also=9}" sk:"{ID}"`
		_ ddb.Index  `name:"GSI1" pk:"PAGE#{Page}#{shard:4,by=ID+Page,also=9}" sk:"{ID}"`

		Site, ID, Page string
		N              int
		Expires        time.Time `ddb:"ttl" dynamodbav:",omitempty"`
	}
	Visit9 struct {
		_ ddb.Entity `name:"Visit" pk:"SITE#{Site}#{shard:9,also=4}" sk:"{ID}"`
		_ ddb.Index  `name:"GSI1" pk:"PAGE#{Page}#{shard:9,also=4,by=ID+Page}" sk:"{ID}"`

		Site, ID, Page string
		N              int
		Expires        time.Time `ddb:"ttl" dynamodbav:",omitempty"`
	}
)

// siteVisits is the entity on one table, as programs of different ages know it.
type siteVisits struct {
	db     *memory.DB
	table  *ddb.Table
	old    *ddb.Definition[Visit4]
	coming *ddb.Definition[Visit4To9]
	now    *ddb.Definition[Visit9]
	n      ddb.Attribute[Visit9, int]
	page   ddb.Attribute[Visit9, string]
}

func newSiteVisits(t rapidOrTest, b func(*memory.DB) ddb.Backend, opts ...ddb.TableOption) siteVisits {
	t.Helper()
	db := memory.New()
	table := func() *ddb.Table { return ddb.NewTable("Visits", b(db), opts...) }
	now := table()
	v := siteVisits{db: db, table: now, old: ddb.Define[Visit4](table()), coming: ddb.Define[Visit4To9](table()), now: ddb.Define[Visit9](now)}
	v.n = ddb.Field(v.now, func(v *Visit9) *int { return &v.N })
	v.page = ddb.Field(v.now, func(v *Visit9) *string { return &v.Page })
	in, err := now.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return v
}

// stored returns the numbers of all visits by their ids, and fails if one is there
// twice or has keys that it should not have.
func (v siteVisits) stored(t rapidOrTest) map[string]int {
	t.Helper()
	out, err := v.db.Scan(context.Background(), scanOf("Visits"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]int)
	for _, item := range out.Items {
		got, err := v.now.Decode(item)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[got.ID]; twice {
			t.Fatalf("%s is stored twice", got.ID)
		}
		if err := v.table.Verify(item); err != nil {
			t.Fatal(err)
		}
		all[got.ID] = got.N
	}
	return all
}

// away returns ids of items that lie by four shards elsewhere than by nine.
func (v siteVisits) away(t testing.TB, n int) []string {
	t.Helper()
	var out []string
	for i := 0; len(out) < n; i++ {
		id := fmt.Sprintf("%03d", i)
		a, err := v.old.Item(&Visit4{Site: "s", ID: id, Page: "p"})
		if err != nil {
			t.Fatal(err)
		}
		b, err := v.now.Item(&Visit9{Site: "s", ID: id, Page: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(partitionOf(a), partitionOf(b)) {
			out = append(out, id)
		}
	}
	return out
}

func partitionOf(item map[string]types.AttributeValue) string {
	return item["PK"].(*types.AttributeValueMemberS).Value
}

func visitID(v Visit9) string { return v.ID }

func visit(id string) Visit9 { return Visit9{Site: "s", ID: id, Page: "p"} }

// TestItemsUnderAFormerNumberOfShards asserts that each verb finds an item where a
// former number of shards has put it, leaves it there, and makes no second one.
func TestItemsUnderAFormerNumberOfShards(t *testing.T) {
	t.Parallel()
	v := newSiteVisits(t, func(db *memory.DB) ddb.Backend { return backend(t, db) })
	ctx := t.Context()
	ids := v.away(t, 12)
	for i, id := range ids {
		put(t, v.old, Visit4{Site: "s", ID: id, Page: "p", N: i})
	}
	read := func(id string) Visit9 {
		got, err := v.now.Get(visit(id)).Run(ctx)
		if err != nil {
			t.Errorf("get %s: %v", id, err)
		}
		return got
	}
	if got := read(ids[3]); got.N != 3 {
		t.Errorf("got %+v, want 3", got)
	}
	if got, err := v.now.Get(visit(ids[3])).Project(v.page).Run(ctx); err != nil || got.Page != "p" || got.N != 0 {
		t.Errorf("projected: got %+v and %v", got, err)
	}
	var one, none ddb.Result[Visit9]
	if err := ddb.TransactGet(v.now.Get(visit(ids[5])).Into(&one), v.now.Get(visit("none")).Into(&none)).Run(ctx); err != nil || one.Value.N != 5 || none.Found {
		t.Errorf("transaction of reads: got %+v, %+v and %v", one, none, err)
	}
	all, err := v.now.GetAll(ctx, visit(ids[1]), visit("none"), visit(ids[2]), visit(ids[1]))
	if err != nil || all[0] == nil || all[0].N != 1 || all[1] != nil || all[2] == nil || all[2].N != 2 || all[3] == nil {
		t.Errorf("batch: got %v and %v", all, err)
	}
	if got, err := v.now.Update(visit(ids[0])).Set(v.n.Add(100)).Run(ctx); err != nil || got.N != 100 {
		t.Errorf("update: got %+v and %v", got, err)
	}
	if got, err := v.now.Upsert(visit(ids[1])).Set(v.n.Add(100), v.page.To("p")).Run(ctx); err != nil || got.N != 101 {
		t.Errorf("upsert: got %+v and %v", got, err)
	}
	if got, err := v.now.Modify(ctx, visit(ids[2]), func(v *Visit9) error { v.N += 100; v.Page = "q"; return nil }); err != nil || got.N != 102 {
		t.Errorf("modify: got %+v and %v", got, err)
	}
	three := visit(ids[3])
	three.N = 103
	if old, err := v.now.Put(&three).RunOld(ctx); err != nil || !old.Found || old.Value.N != 3 {
		t.Errorf("put: got %+v and %v", old, err)
	}
	var exists *ddb.ConditionError
	if err := v.now.Create(&three).Run(ctx); !errors.Is(err, ddb.ErrExists) || !errors.As(err, &exists) || exists.Item["N"].(*types.AttributeValueMemberN).Value != "103" {
		t.Errorf("create: got %v, want ErrExists with the item", err)
	}
	four := visit(ids[4])
	five := visit(ids[5])
	five.N = 105
	err = ddb.Transact(v.now.Delete(four).MustExist(), v.now.Put(&five), v.now.Update(visit(ids[6])).Set(v.n.Add(100)),
		v.now.Check(visit(ids[7])).If(v.n.Eq(7))).Run(ctx)
	if err != nil {
		t.Errorf("transaction: %v", err)
	}
	if err := v.now.Delete(visit(ids[8])).MustExist().Run(ctx); err != nil {
		t.Errorf("delete: %v", err)
	}
	if old, err := v.now.Delete(visit(ids[9])).RunOld(ctx); err != nil || old.Value.N != 9 {
		t.Errorf("delete: got %+v and %v", old, err)
	}
	want := map[string]int{ids[0]: 100, ids[1]: 101, ids[2]: 102, ids[3]: 103, ids[5]: 105, ids[6]: 106, ids[7]: 7, ids[10]: 10, ids[11]: 11}
	if diff := cmp.Diff(want, v.stored(t)); diff != "" {
		t.Error(diff)
	}
	if got := collect(t, v.now.Query(Visit9{Page: "q"}).Index("GSI1"), visitID); !slices.Equal(got, ids[2:3]) {
		t.Errorf("index: got %v, want %v", got, ids[2])
	}
	if got := collect(t, v.now.Query(Visit9{Page: "p", ID: ids[11]}).Index("GSI1"), visitID); !slices.Equal(got, ids[11:12]) {
		t.Errorf("index with what the shard depends on: got %v, want %v", got, ids[11])
	}
}

// TestItemsNowhere asserts that an item which lies nowhere is made in its own place,
// once, and what verbs that need one say.
func TestItemsNowhere(t *testing.T) {
	t.Parallel()
	v := newSiteVisits(t, direct)
	ctx := t.Context()
	ids := v.away(t, 4)
	for name, err := range map[string]error{
		"get":    second(v.now.Get(visit(ids[0])).Run(ctx)),
		"update": second(v.now.Update(visit(ids[0])).Set(v.n.Add(1)).Run(ctx)),
		"modify": second(v.now.Modify(ctx, visit(ids[0]), func(*Visit9) error { return nil })),
		"delete": v.now.Delete(visit(ids[0])).MustExist().Run(ctx),
		"check":  ddb.Transact(v.now.Check(visit(ids[0]))).Run(ctx),
	} {
		if !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", name, err)
		}
	}
	one, two := visit(ids[0]), visit(ids[1])
	if err := v.now.Create(&one).Run(ctx); err != nil {
		t.Error(err)
	}
	if old, err := v.now.Put(&two).RunOld(ctx); err != nil || old.Found {
		t.Errorf("put: got %+v and %v", old, err)
	}
	if got, err := v.now.Upsert(visit(ids[2])).Set(v.n.Add(3), v.page.To("p")).Run(ctx); err != nil || got.N != 3 {
		t.Errorf("upsert: got %+v and %v", got, err)
	}
	if err := v.now.Delete(visit(ids[3])).Run(ctx); err != nil {
		t.Error(err)
	}
	out, err := v.db.Scan(ctx, scanOf("Visits"))
	if err != nil || len(out.Items) != 3 {
		t.Fatalf("got %d items and %v, want 3", len(out.Items), err)
	}
	for _, item := range out.Items {
		got, err := v.now.Decode(item)
		if err != nil {
			t.Fatal(err)
		}
		if own, err := v.now.Item(&got); err != nil || partitionOf(own) != partitionOf(item) {
			t.Errorf("got %s and %v, want the item in %s", partitionOf(item), err, partitionOf(own))
		}
	}
	if err := ddb.Batch(v.now.Put(&one)).Run(ctx); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "number of shards") {
		t.Errorf("batch: got %v, want a refusal", err)
	}
	many := make([]ddb.Read, 70)
	for i := range many {
		many[i] = v.now.Get(visit(fmt.Sprint("x", i))).Into(new(ddb.Result[Visit9]))
	}
	if _, err := ddb.TransactGet(many...).Input(); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "further places") {
		t.Errorf("too many reads: got %v, want a refusal", err)
	}
}

// creations starts two creations at one moment: the first one's transaction waits
// until the second's has run.
type creations struct {
	ddb.Backend
	before func()
}

func (c creations) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	c.before()
	return c.Backend.TransactWriteItems(ctx, in, o...)
}

// TestProgramsOfTwoAges asserts that programs which write by different numbers, and
// know of both, make no item twice, whichever is faster.
func TestProgramsOfTwoAges(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"create", "put", "upsert"} {
		var before func()
		v := newSiteVisits(t, func(db *memory.DB) ddb.Backend { return creations{db, func() { before() }} })
		ctx := t.Context()
		id := v.away(t, 1)[0]
		once := false
		before = func() {
			if !once {
				once = true
				put(t, v.coming, Visit4To9{Site: "s", ID: id, Page: "p", N: 1})
			}
		}
		mine := visit(id)
		mine.N = 5
		var err error
		want := map[string]int{id: 5}
		switch verb {
		case "create":
			if err = v.now.Create(&mine).Run(ctx); errors.Is(err, ddb.ErrExists) {
				err = nil
			}
			want[id] = 1
		case "put":
			err = v.now.Put(&mine).Run(ctx)
		case "upsert":
			_, err = v.now.Upsert(mine).Set(v.n.Add(4), v.page.To("p")).Run(ctx)
		}
		if diff := cmp.Diff(want, v.stored(t)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", verb, err, diff)
		}
	}
}

// moveBetween moves an item to its own place right after the first read of it.
type moveBetween struct {
	*memory.DB
	after func()
}

func (m moveBetween) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := m.DB.GetItem(ctx, in, o...)
	m.after()
	return out, err
}

func (m moveBetween) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	out, err := m.DB.BatchGetItem(ctx, in, o...)
	m.after()
	return out, err
}

// TestItemThatMovesMeanwhile asserts that an item which is moved after one place was
// read and before the next is found, and written where it is by then.
func TestItemThatMovesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context, siteVisits, Visit9) error{
		"get":   func(ctx context.Context, v siteVisits, it Visit9) error { return second(v.now.Get(it).Run(ctx)) },
		"batch": func(ctx context.Context, v siteVisits, it Visit9) error { return found(v.now.GetAll(ctx, it)) },
		"update": func(ctx context.Context, v siteVisits, it Visit9) error {
			return second(v.now.Update(it).Set(v.n.To(8)).Run(ctx))
		},
		"upsert": func(ctx context.Context, v siteVisits, it Visit9) error {
			return second(v.now.Upsert(it).Set(v.n.To(8), v.page.To("p")).Run(ctx))
		},
		"put": func(ctx context.Context, v siteVisits, it Visit9) error { it.N = 8; return v.now.Put(&it).Run(ctx) },
		"transact": func(ctx context.Context, v siteVisits, it Visit9) error {
			it.N = 8
			return ddb.Transact(v.now.Put(&it)).Run(ctx)
		},
		"delete": func(ctx context.Context, v siteVisits, it Visit9) error { return v.now.Delete(it).Run(ctx) },
		"must":   func(ctx context.Context, v siteVisits, it Visit9) error { return v.now.Delete(it).MustExist().Run(ctx) },
		"condition": func(ctx context.Context, v siteVisits, it Visit9) error {
			return v.now.Delete(it).If(v.n.Eq(7)).Run(ctx)
		},
	} {
		for reads := range 3 { // the item moves behind that many reads
			var after func()
			v := newSiteVisits(t, func(db *memory.DB) ddb.Backend { return moveBetween{db, func() { after() }} })
			ctx := t.Context()
			id := v.away(t, 1)[0]
			n := 0
			after = func() {}
			put(t, v.old, Visit4{Site: "s", ID: id, Page: "p", N: 7})
			after = func() {
				if n++; n == reads+1 {
					v.moveRaw(t, id)
				}
			}
			if err := do(ctx, v, visit(id)); err != nil {
				t.Errorf("%s, moved after %d reads: %v", name, reads+1, err)
			}
			want := map[string]int{id: 8}
			switch name {
			case "get", "batch":
				want[id] = 7
			case "delete", "must", "condition":
				delete(want, id)
			}
			if diff := cmp.Diff(want, v.stored(t)); diff != "" {
				t.Errorf("%s, moved after %d reads: %s", name, reads+1, diff)
			}
		}
	}
}

func found[T any](all []*T, err error) error {
	if err == nil && all[0] == nil {
		return ddb.ErrNotFound
	}
	return err
}

// moveRaw moves an item to its own place if it lies elsewhere.
func (v siteVisits) moveRaw(t testing.TB, id string) {
	t.Helper()
	ctx := context.Background()
	was, err := v.old.Item(&Visit4{Site: "s", ID: id, Page: "p"})
	if err != nil {
		t.Fatal(err)
	}
	own, err := v.now.Item(&Visit9{Site: "s", ID: id, Page: "p"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: scanOf("Visits").TableName,
		Key: map[string]types.AttributeValue{"PK": was["PK"], "SK": was["SK"]}, ReturnValues: types.ReturnValueAllOld})
	if err != nil || out.Attributes == nil {
		return
	}
	out.Attributes["PK"] = own["PK"]
	if _, err := v.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: scanOf("Visits").TableName, Item: out.Attributes}); err != nil {
		t.Fatal(err)
	}
}

// TestShardsGrowUnderWay asserts that whatever programs of three ages write, in
// whatever order beside moves, each reads what one table without shards would hold.
func TestShardsGrowUnderWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := newSiteVisits(t, direct)
		ctx := context.Background()
		want := make(map[string]int)
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 8).Draw(t, "id"))
			it := visit(id)
			it.N = step
			_, there := want[id]
			var err error
			verb := rapid.SampledFrom([]string{"create coming", "put coming", "create", "put", "upsert", "update", "modify", "delete", "delete coming", "reshard"}).Draw(t, "verb")
			switch verb {
			case "create coming":
				other := Visit4To9(it)
				err = v.coming.Create(&other).Run(ctx)
			case "put coming":
				other := Visit4To9(it)
				err = v.coming.Put(&other).Run(ctx)
			case "create":
				err = v.now.Create(&it).Run(ctx)
			case "put":
				err = v.now.Put(&it).Run(ctx)
			case "upsert":
				_, err = v.now.Upsert(it).Set(v.n.To(step), v.page.To("p")).Run(ctx)
			case "update":
				_, err = v.now.Update(it).Set(v.n.To(step)).Run(ctx)
			case "modify":
				_, err = v.now.Modify(ctx, it, func(v *Visit9) error { v.N = step; return nil })
			case "delete":
				err = v.now.Delete(it).Run(ctx)
			case "delete coming":
				err = v.coming.Delete(Visit4To9(it)).Run(ctx)
			case "reshard":
				_, err = v.now.Reshard().Run(ctx)
			}
			switch {
			case verb == "reshard":
			case strings.HasPrefix(verb, "create") && there:
				if !errors.Is(err, ddb.ErrExists) {
					t.Fatalf("%s: got %v, want ErrExists", verb, err)
				}
				continue
			case (verb == "update" || verb == "modify") && !there:
				if !errors.Is(err, ddb.ErrNotFound) {
					t.Fatalf("%s: got %v, want ErrNotFound", verb, err)
				}
				continue
			case strings.HasPrefix(verb, "delete"):
				delete(want, id)
			default:
				want[id] = step
			}
			if err != nil {
				t.Fatalf("%s: %v", verb, err)
			}
			if diff := cmp.Diff(want, v.stored(t)); diff != "" {
				t.Fatalf("%s: %s", verb, diff)
			}
		}
		for _, q := range []ddb.QueryOp[Visit9]{v.now.Query(Visit9{Site: "s"}), v.now.Query(Visit9{Page: "p"}).Index("GSI1")} {
			if n, err := q.Count(ctx); err != nil || n != len(want) {
				t.Fatalf("count: got %d and %v, want %d", n, err, len(want))
			}
			var got []string
			for page, err := range q.Limit(2).Pages(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range page.Items {
					got = append(got, v.ID)
				}
			}
			if len(got) != len(want) || !slices.IsSorted(got) {
				t.Fatalf("got %v, want %d items in order", got, len(want))
			}
		}
	})
}

// TestExpiredInAFormerPlace asserts that an expired item counts for gone wherever it
// lies, and is then replaced where it lies, not beside it.
func TestExpiredInAFormerPlace(t *testing.T) {
	t.Parallel()
	v := newSiteVisits(t, func(db *memory.DB) ddb.Backend { return backend(t, db) })
	ctx := t.Context()
	for i := range 40 {
		id := fmt.Sprint(i)
		put(t, v.old, Visit4{Site: "s", ID: id, Page: "p", Expires: time.Now().Add(-time.Hour)})
		if _, err := v.now.Update(Visit9{Site: "s", ID: id}).Set(v.n.To(1)).HideExpired().Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("update: got %v, want ErrNotFound", err)
		}
		if err := v.now.Delete(Visit9{Site: "s", ID: id}).MustExist().HideExpired().Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("delete: got %v, want ErrNotFound", err)
		}
		fresh := Visit9{Site: "s", ID: id, Page: "q", N: i + 1}
		if err := v.now.Create(&fresh).HideExpired().Run(ctx); err != nil {
			t.Error(err)
		}
		if err := v.now.Create(&fresh).HideExpired().Run(ctx); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("create again: got %v, want ErrExists", err)
		}
		if got := v.stored(t)[id]; got != i+1 {
			t.Errorf("%s: got %d, want %d", id, got, i+1)
		}
	}
}
