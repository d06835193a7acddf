package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestReshard asserts that every item comes to lie where the number that holds says,
// in table and index, with all its attributes, and that this can be done again.
func TestReshard(t *testing.T) {
	t.Parallel()
	v := newSiteVisits(t, func(db *memory.DB) ddb.Backend { return backend(t, db) })
	ctx := t.Context()
	want := make(map[string]int)
	for i := range 60 {
		id := fmt.Sprintf("%03d", i)
		put(t, v.old, Visit4{Site: "s", ID: id, Page: "p", N: i})
		want[id] = i
	}
	item, err := v.old.Item(&Visit4{Site: "s", ID: "000", Page: "p"})
	if err != nil {
		t.Fatal(err)
	}
	item["Note"] = &types.AttributeValueMemberS{Value: "of another program"}
	if _, err := v.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: scanOf("Visits").TableName, Item: item}); err != nil {
		t.Fatal(err)
	}
	var steps []ddb.Resharded
	done, err := v.now.Reshard().PageSize(25).Parallel(3).Progress(func(r ddb.Resharded) { steps = append(steps, r) }).Named("grow").Run(ctx)
	if err != nil || done.Moved < 40 || done.Updated < 1 || done.Next != "" || done.Checked < 60 {
		t.Errorf("got %+v and %v, want all 60 looked at and most moved", done, err)
	}
	if len(steps) < 3 || steps[len(steps)-1] != done || steps[0].Next == "" {
		t.Errorf("got progress %+v, want one for each page", steps)
	}
	if diff := cmp.Diff(want, v.stored(t)); diff != "" {
		t.Error(diff)
	}
	out, err := v.db.Scan(ctx, scanOf("Visits"))
	if err != nil {
		t.Fatal(err)
	}
	notes := 0
	for _, item := range out.Items {
		got, err := v.now.Decode(item)
		if err != nil {
			t.Fatal(err)
		}
		own, err := v.now.Item(&got)
		if err != nil {
			t.Fatal(err)
		}
		if item["Note"] != nil {
			notes++
			delete(item, "Note")
		}
		if diff := cmp.Diff(own, item, sdkTypes); diff != "" {
			t.Errorf("%s: %s", got.ID, diff)
		}
	}
	if notes != 1 {
		t.Errorf("got %d items with the foreign attribute, want 1", notes)
	}
	if again, err := v.now.Reshard().Run(ctx); err != nil || again.Moved+again.Updated != 0 || again.Checked != 60 {
		t.Errorf("again: got %+v and %v, want nothing moved", again, err)
	}
}

// stumbling fails each transaction that comes after so many.
type stumbling struct {
	ddb.Backend
	left *atomic.Int32
}

func (s stumbling) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if s.left.Add(-1) < 0 {
		return nil, errBroken
	}
	return s.Backend.TransactWriteItems(ctx, in, o...)
}

// TestReshardGoesOn asserts that a run which an error ended says what it has done,
// and that another goes on from there.
func TestReshardGoesOn(t *testing.T) {
	t.Parallel()
	var left atomic.Int32
	v := newSiteVisits(t, func(db *memory.DB) ddb.Backend { return stumbling{db, &left} })
	ctx := t.Context()
	for i := range 40 {
		put(t, v.old, Visit4{Site: "s", ID: strconv.Itoa(i), Page: "p"})
	}
	left.Store(20)
	first, err := v.now.Reshard().PageSize(10).Run(ctx)
	var op *ddb.OpError
	if !errors.Is(err, errBroken) || !errors.As(err, &op) || op.Op != "Reshard" && op.Op != "TransactWriteItems" || op.Entity != "Visit" {
		t.Fatalf("got %v, want the broken call", err)
	}
	if first.Next == "" || first.Moved != 20 || first.Checked >= 40 {
		t.Errorf("got %+v, want a place to go on from and 20 items moved", first)
	}
	left.Store(1000)
	second, err := v.now.Reshard().PageSize(10).From(first.Next).Run(ctx)
	if err != nil || second.Checked >= 40 || second.Next != "" {
		t.Errorf("got %+v and %v, want the rest", second, err)
	}
	if last, err := v.now.Reshard().Run(ctx); err != nil || last.Moved+last.Updated != 0 {
		t.Errorf("at last: got %+v and %v, want nothing left", last, err)
	}
	if _, err := v.now.Reshard().From("nonsense").Run(ctx); !errors.Is(err, ddb.ErrCursor) {
		t.Errorf("got %v, want ErrCursor", err)
	}
}

// TestReshardRefuses asserts that items which a move would lose or mix up stop it,
// and that it wants a key with several numbers.
func TestReshardRefuses(t *testing.T) {
	t.Parallel()
	v := newSiteVisits(t, direct)
	ctx := t.Context()
	id := v.away(t, 1)[0]
	put(t, v.old, Visit4{Site: "s", ID: id, Page: "p"})
	own, err := v.now.Item(&Visit9{Site: "s", ID: id, Page: "p"})
	if err != nil {
		t.Fatal(err)
	}
	rawPut := func(item map[string]types.AttributeValue) {
		t.Helper()
		if _, err := v.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: scanOf("Visits").TableName, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	rawPut(own)
	var failed *ddb.ConditionError
	if done, err := v.now.Reshard().Run(ctx); !errors.Is(err, ddb.ErrExists) || !errors.As(err, &failed) || failed.Item == nil || done.Moved != 0 {
		t.Errorf("second item: got %+v and %v, want ErrExists with it", done, err)
	}
	if err := v.now.Delete(visit(id)).Run(ctx); err != nil { // the one in its own place
		t.Error(err)
	}
	if done, err := v.now.Reshard().Run(ctx); err != nil || done.Moved != 1 {
		t.Errorf("got %+v and %v, want the other one moved", done, err)
	}
	own["PK"] = &types.AttributeValueMemberS{Value: "SITE#other#1"}
	rawPut(own)
	if _, err := v.now.Reshard().Run(ctx); !errors.Is(err, ddb.ErrKey) || strings.Contains(err.Error(), "other") {
		t.Errorf("strange key: got %v, want ErrKey without values", err)
	}
	if _, err := v.old.Reshard().Run(ctx); !errors.Is(err, ddb.ErrKey) || !strings.Contains(err.Error(), "also=10") {
		t.Errorf("one number: got %v, want ErrKey", err)
	}
}

// TestReshardBesideWriters asserts that no write is lost and no item made twice or
// lost while items are moved, by two runs at once, with transactions in conflict.
func TestReshardBesideWriters(t *testing.T) {
	t.Parallel()
	v := newSiteVisits(t, direct)
	ctx := t.Context()
	const items, writers, rounds = 12, 4, 25
	for i := range items {
		put(t, v.old, Visit4{Site: "s", ID: strconv.Itoa(i), Page: "p"})
	}
	defer v.db.Inject(memory.Conflict(), memory.OnOperation("TransactWriteItems"), memory.FirstCalls(5))()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 5 {
				if _, err := v.now.Reshard().Run(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for w := range writers {
		wg.Go(func() {
			for n := range rounds {
				it := visit(strconv.Itoa((n*5 + w) % items))
				var err error
				switch n % 5 {
				case 0:
					_, err = v.now.Update(it).Set(v.n.Add(1)).Run(ctx)
				case 1:
					_, err = v.now.Modify(ctx, it, func(v *Visit9) error { v.N++; return nil })
				case 2:
					_, err = v.now.Upsert(it).Set(v.n.Add(1), v.page.To("p")).Run(ctx)
				case 3:
					err = ddb.Transact(v.now.Update(it).Set(v.n.Add(1))).Run(ctx)
				case 4:
					if err = v.now.Create(&it).Run(ctx); errors.Is(err, ddb.ErrExists) {
						_, err = v.now.Update(it).Set(v.n.Add(1)).Run(ctx)
					}
				}
				if err != nil {
					t.Errorf("round %d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	stored := v.stored(t)
	for _, n := range stored {
		sum += n
	}
	if len(stored) != items || sum != writers*rounds {
		t.Errorf("got %d items with %d writes, want %d with %d", len(stored), sum, items, writers*rounds)
	}
}

// Member3 and Member7 are an entity with a unique field and a version before and
// during a change of its shards.
type (
	Member3 struct {
		_ ddb.Entity `name:"Member" pk:"CLUB#{Club}#{shard:3}" sk:"{ID}"`

		Club, ID string
		Email    string    `ddb:"unique" dynamodbav:",omitempty"`
		Version  int       `ddb:"version"`
		Expires  time.Time `ddb:"ttl" dynamodbav:",omitempty"`
	}
	Member7 struct {
		_ ddb.Entity `name:"Member" pk:"CLUB#{Club}#{shard:7,also=3}" sk:"{ID}"`

		Club, ID string
		Email    string    `ddb:"unique" dynamodbav:",omitempty"`
		Version  int       `ddb:"version"`
		Expires  time.Time `ddb:"ttl" dynamodbav:",omitempty"`
	}
)

// TestUniqueValuesMove asserts that unique values and versions hold for items under a
// former number of shards, and go with them.
func TestUniqueValuesMove(t *testing.T) {
	t.Parallel()
	db := memory.New()
	before, now := ddb.NewTable("Members", backend(t, db)), ddb.NewTable("Members", backend(t, db))
	old, members := ddb.Define[Member3](before), ddb.Define[Member7](now)
	create(t, db, now)
	ctx := t.Context()
	for i := range 12 {
		put(t, old, Member3{Club: "c", ID: strconv.Itoa(i), Email: fmt.Sprint(i, "@x")})
	}
	email := ddb.Field(members, func(m *Member7) *string { return &m.Email })
	for i := range 6 {
		if got, err := members.Update(Member7{Club: "c", ID: strconv.Itoa(i)}).Set(email.To(fmt.Sprint("new", i))).Run(ctx); err != nil || got.Version != 2 {
			t.Errorf("update: got %+v and %v", got, err)
		}
	}
	taken := Member7{Club: "c", ID: "a", Email: "7@x"}
	if err := members.Create(&taken).Run(ctx); !errors.Is(err, ddb.ErrUnique) {
		t.Errorf("taken: got %v, want ErrUnique", err)
	}
	stale := Member7{Club: "c", ID: "0", Version: 1}
	if err := members.Put(&stale).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
		t.Errorf("stale: got %v, want ErrVersion", err)
	}
	done, err := members.Reshard().Run(ctx)
	if err != nil || done.Checked != 12 || done.Moved < 6 {
		t.Fatalf("got %+v and %v, want most of 12 moved", done, err)
	}
	for i := range 12 {
		m, err := members.Get(Member7{Club: "c", ID: strconv.Itoa(i)}).Run(ctx)
		if want := map[bool]int{true: 2, false: 1}[i < 6]; err != nil || m.Version != want {
			t.Errorf("moved: got %+v and %v, want version %d", m, err, want)
		}
		if err := members.Create(&Member7{Club: "c", ID: "b", Email: m.Email}).Run(ctx); !errors.Is(err, ddb.ErrUnique) {
			t.Errorf("value of %s: got %v, want ErrUnique", m.ID, err)
		}
		if err := members.Delete(m).Run(ctx); err != nil {
			t.Error(err)
		}
	}
	out, err := db.Scan(ctx, scanOf("Members"))
	if err != nil || out.Count != 0 {
		t.Errorf("got %d items and markers left, and %v, want none", out.Count, err)
	}
}

// TestExpiredItemsElsewhere asserts that an expired item counts as none, also where a
// former number of shards has put it, and that none is made beside it.
func TestExpiredItemsElsewhere(t *testing.T) {
	t.Parallel()
	db := memory.New()
	clock := ddb.Clock(func() time.Time { return day })
	before, now := ddb.NewTable("Members", backend(t, db), clock), ddb.NewTable("Members", backend(t, db), clock)
	old, members := ddb.Define[Member3](before), ddb.Define[Member7](now)
	create(t, db, now)
	ctx := t.Context()
	for i := range 8 {
		id := strconv.Itoa(i)
		put(t, old, Member3{Club: "c", ID: id, Expires: day.Add(-time.Hour)})
		again := Member7{Club: "c", ID: id, Email: id, Expires: day.Add(time.Hour)}
		if err := members.Create(&again).Run(ctx); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("create %s: got %v, want ErrExists", id, err)
		}
		if err := members.Create(&again).HideExpired().Run(ctx); err != nil {
			t.Errorf("create %s in place of the expired one: %v", id, err)
		}
		if err := members.Create(&again).HideExpired().Run(ctx); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("create %s again: got %v, want ErrExists", id, err)
		}
	}
	if n, err := members.Query(Member7{Club: "c"}).Count(ctx); err != nil || n != 8 {
		t.Errorf("got %d items and %v, want 8", n, err)
	}
}

// Pallet is in one of three shards at random, and was in one of eight.
type Pallet struct {
	_ ddb.Entity `name:"Pallet" pk:"DEPOT#{Depot}#{shard:3,also=8,random=Shard}" sk:"{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"LANE#{Depot}#{shard:3,also=8,random=Shard}" sk:"{ID}"`

	Depot, ID, Shard string
}

// TestRandomShardsBecomeFewer asserts that shards drawn by a former number are read
// and found, that new ones are drawn by the one that holds, and that a move draws
// those anew that are beyond it.
func TestRandomShardsBecomeFewer(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Pallets", backend(t, db))
	pallets := ddb.Define[Pallet](table)
	create(t, db, table)
	ctx := t.Context()
	for i := range 8 {
		put(t, pallets, Pallet{Depot: "d", ID: strconv.Itoa(i), Shard: strconv.Itoa(i)})
	}
	if err := ddb.Batch(pallets.Put(&Pallet{Depot: "d", ID: "7", Shard: "7"})).Run(ctx); err != nil {
		t.Errorf("batch: %v", err)
	}
	if _, err := pallets.Get(Pallet{Depot: "d", ID: "7", Shard: "7"}).Run(ctx); err != nil {
		t.Error(err)
	}
	if _, err := pallets.Get(Pallet{Depot: "d", ID: "7", Shard: "8"}).Run(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("beyond both numbers: got %v, want ErrKey", err)
	}
	for range 20 {
		p := Pallet{Depot: "d", ID: "n"}
		if _, err := pallets.Put(&p).Input(); err != nil || p.Shard > "2" {
			t.Fatalf("got shard %s and %v, want one of three", p.Shard, err)
		}
	}
	count := func() int {
		n, err := pallets.Query(Pallet{Depot: "d"}).Index("GSI1").Count(ctx)
		m, err2 := pallets.Query(Pallet{Depot: "d"}).Count(ctx)
		if err := errors.Join(err, err2); err != nil || n != m {
			t.Errorf("got %d in the index, %d in the table and %v", n, m, err)
		}
		return n
	}
	if n := count(); n != 8 {
		t.Errorf("got %d pallets, want 8", n)
	}
	done, err := pallets.Reshard().Run(ctx)
	if err != nil || done.Moved != 5 {
		t.Errorf("got %+v and %v, want the five beyond the third shard moved", done, err)
	}
	if n := count(); n != 8 {
		t.Errorf("afterwards: got %d pallets, want 8", n)
	}
	for p, err := range pallets.Scan().All(ctx) {
		if err != nil || p.Shard > "2" {
			t.Errorf("got %+v and %v, want it in one of three shards", p, err)
		}
		if _, err := pallets.Get(p).Run(ctx); err != nil {
			t.Errorf("get by what was read: %v", err)
		}
	}
}
