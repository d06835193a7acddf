package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Event lies in one of ten partitions of its day.
type Event struct {
	_ ddb.Entity `name:"Event" pk:"DATE#{At:2006-01-02}#{shard:10}" sk:"{At}#{Device}"`
	_ ddb.Index  `name:"GSI1" pk:"LEVEL#{Level}#{shard:4,by=Device}" sk:"{At}"`

	At     time.Time
	Device string
	Level  string
	Count  int
}

type events struct {
	db    *memory.DB
	table *ddb.Table
	def   *ddb.Definition[Event]
	level ddb.Attribute[Event, string]
	count ddb.Attribute[Event, int]
}

func newEvents(t rapidOrTest, b func(*memory.DB) ddb.Backend, opts ...ddb.TableOption) events {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Events", b(db), opts...)
	e := events{db: db, table: table, def: ddb.Define[Event](table)}
	e.level = ddb.Field(e.def, func(e *Event) *string { return &e.Level })
	e.count = ddb.Field(e.def, func(e *Event) *int { return &e.Count })
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return e
}

func direct(db *memory.DB) ddb.Backend { return db }

var day = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func eventName(e Event) string { return e.At.Format("15:04") + e.Device }

// TestShardedWritesSpread asserts that writes of one key go evenly to its
// partitions, and that each item is found again by its own fields.
func TestShardedWritesSpread(t *testing.T) {
	t.Parallel()
	e := newEvents(t, direct)
	ctx := t.Context()
	for i := range 200 {
		put(t, e.def, Event{At: day.Add(time.Duration(i) * time.Minute), Device: fmt.Sprint("d", i%7), Level: "info"})
	}
	out, err := e.db.Scan(ctx, scanOf("Events"))
	if err != nil {
		t.Fatal(err)
	}
	perShard := make(map[string]int)
	for _, item := range out.Items {
		perShard[item["PK"].(*types.AttributeValueMemberS).Value]++
	}
	if len(perShard) != 10 {
		t.Errorf("got partitions %v, want ten", perShard)
	}
	for pk, n := range perShard {
		if n < 8 || n > 35 {
			t.Errorf("partition %s has %d of 200 items, want about 20", pk, n)
		}
	}
	key := Event{At: day.Add(3 * time.Minute), Device: "d3"}
	got, err := e.def.Update(key).Set(e.count.Add(1), e.level.To("error")).Run(ctx)
	if err != nil || got.Count != 1 {
		t.Fatalf("update: got %+v and %v", got, err)
	}
	if got, err = e.def.Get(key).Run(ctx); err != nil || got.Level != "error" {
		t.Errorf("get: got %+v and %v", got, err)
	}
	if got := collect(t, e.def.Query(Event{Level: "error"}).Index("GSI1"), eventName); !slices.Equal(got, []string{"00:03d3"}) {
		t.Errorf("index: got %v, want the changed event", got)
	}
	again := Event{At: key.At, Device: "d3", Level: "info"}
	if err := e.def.Create(&again).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("create again: got %v, want ErrExists", err)
	}
	if err := e.def.Delete(key).MustExist().Run(ctx); err != nil {
		t.Error(err)
	}
}

// TestShardsReadAsOne asserts that a query of a sharded key is, for any limit,
// page size, range, filter and direction, what one partition would give.
func TestShardsReadAsOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := newEvents(t, direct)
		ctx := context.Background()
		var all []Event
		for i := range rapid.IntRange(0, 25).Draw(t, "items") {
			v := Event{
				At:     day.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "minute")) * time.Minute),
				Device: fmt.Sprintf("%02d", i), Level: "info", Count: rapid.IntRange(0, 2).Draw(t, "count"),
			}
			if err := e.def.Create(&v).Run(ctx); err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
		slices.SortFunc(all, func(a, b Event) int { return firstNonZero(a.At.Compare(b.At), strings.Compare(a.Device, b.Device)) })
		q, keep := e.def.Query(Event{At: day}), func(Event) bool { return true }
		if rapid.Bool().Draw(t, "range") {
			lo := day.Add(2 * time.Minute)
			q, keep = q.From(Event{At: lo}), func(e Event) bool { return !e.At.Before(lo) }
		}
		if rapid.Bool().Draw(t, "filter") {
			old := keep
			q, keep = q.Filter(e.count.Ge(1)), func(e Event) bool { return old(e) && e.Count >= 1 }
		}
		var want []string
		for _, v := range all {
			if keep(v) {
				want = append(want, v.Device)
			}
		}
		if rapid.Bool().Draw(t, "descending") {
			q = q.Desc()
			slices.Reverse(want)
		}
		if n, err := q.Count(ctx); err != nil || n != len(want) {
			t.Fatalf("count: got %d and %v, want %d", n, err, len(want))
		}
		q = q.Limit(rapid.IntRange(1, 9).Draw(t, "limit")).PageSize(rapid.IntRange(0, 3).Draw(t, "page size"))
		var got []string
		for cursor, n := "", 0; ; n++ {
			page, err := q.Page(ctx, cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range page.Items {
				got = append(got, v.Device)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
			if n > 60 {
				t.Fatal("pages never end")
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		got = nil
		for page, err := range q.Pages(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range page.Items {
				got = append(got, v.Device)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("pages: got %v, want %v", got, want)
		}
	})
}

// TestLeavingALoopLeavesAllShards asserts that a loop which ends early makes no
// further call to any shard, and that one call to each is all that a merge
// begins with.
func TestLeavingALoopLeavesAllShards(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	e := newEvents(t, direct, ddb.Observe(func(context.Context, ddb.Call) { calls.Add(1) }))
	for i := range 100 {
		put(t, e.def, Event{At: day.Add(time.Duration(i) * time.Minute), Device: fmt.Sprint("d", i), Level: "info"})
	}
	for _, q := range []ddb.QueryOp[Event]{e.def.Query(Event{At: day}).PageSize(1), e.def.Query(Event{At: day}).PageSize(1).Desc()} {
		calls.Store(0)
		for range q.All(t.Context()) {
			break
		}
		if n := calls.Load(); n != 10 {
			t.Errorf("left after one item: got %d calls, want one to each shard", n)
		}
		calls.Store(0)
		if _, err := q.Limit(5).Page(t.Context(), ""); err != nil || calls.Load() > 14 {
			t.Errorf("five items: got %d calls and %v, want one for each item taken beside the first of each shard", calls.Load(), err)
		}
	}
}

// TestOneShardIsEnough asserts that a query which gives the fields that choose
// the shard reads that shard alone.
func TestOneShardIsEnough(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	calls := 0
	e := newEvents(t, direct, ddb.Observe(func(_ context.Context, c ddb.Call) {
		mu.Lock()
		defer mu.Unlock()
		if c.Op == "Query" {
			calls++
		}
	}))
	put(t, e.def, Event{At: day, Device: "d1", Level: "info"}, Event{At: day, Device: "d2", Level: "info"})
	if got := len(collect(t, e.def.Query(Event{Level: "info", Device: "d1"}).Index("GSI1"), eventName)); got < 1 || calls != 1 {
		t.Errorf("got %d items by %d calls, want one call", got, calls)
	}
	calls = 0
	if got := len(collect(t, e.def.Query(Event{Level: "info"}).Index("GSI1"), eventName)); got != 2 || calls != 4 {
		t.Errorf("got %d items by %d calls, want 2 by 4", got, calls)
	}
	c, err := e.table.Collection(e.def.Partition(Event{At: day})).Load(t.Context())
	if err != nil || len(ddb.Of(c, e.def)) != 2 || !c.Complete() {
		t.Errorf("collection: got %+v and %v, want both", c, err)
	}
}

// broken fails the query of one of ten partitions, once the others are under way, and
// counts those that were let go.
type broken struct {
	*memory.DB
	pk               string
	begun, cancelled chan struct{}
}

func newBroken(db *memory.DB, pk string, cancelled chan struct{}) broken {
	return broken{db, pk, make(chan struct{}, 9), cancelled}
}

var errBroken = errors.New("broken")

func (b broken) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if strings.HasSuffix(in.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS).Value, b.pk) {
		for range 9 {
			<-b.begun
		}
		return nil, errBroken
	}
	b.begun <- struct{}{}
	<-ctx.Done() // the error of the one cancels the others
	b.cancelled <- struct{}{}
	return nil, ctx.Err()
}

// TestOneShardsErrorFailsTheWhole asserts that no part of a result passes for
// the whole.
func TestOneShardsErrorFailsTheWhole(t *testing.T) {
	t.Parallel()
	cancelled := make(chan struct{}, 20)
	e := newEvents(t, func(db *memory.DB) ddb.Backend { return newBroken(db, "#3", cancelled) })
	n := 0
	for _, err := range e.def.Query(Event{At: day}).All(t.Context()) {
		n++
		var op *ddb.OpError
		if !errors.Is(err, errBroken) || !errors.As(err, &op) || op.Entity != "Event" {
			t.Errorf("got %v, want the broken shard's error", err)
		}
	}
	if n != 1 || len(cancelled) != 9 {
		t.Errorf("got %d yields and %d cancelled calls, want 1 and 9", n, len(cancelled))
	}
	if _, err := e.def.Query(Event{At: day}).Count(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("count: got %v, want the broken shard's error", err)
	}
}

// Log lies in one of eight partitions of its day, drawn when it is written.
type Log struct {
	_ ddb.Entity `name:"Log" pk:"LOG#{At:2006-01-02}#{shard:8,random=Shard}" sk:"{At}#{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"LEVEL#{Level}#{shard:8,random=Shard}" sk:"{At}"`

	At    time.Time
	ID    string
	Level string `dynamodbav:",omitempty"`
	Shard string
	Text  string
}

func openLogs(t testing.TB) (*ddb.Definition[Log], *memory.DB) {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Logs", backend(t, db))
	logs := ddb.Define[Log](table)
	create(t, db, table)
	return logs, db
}

// TestRandomShards asserts that writes are spread, that a loaded item finds its
// shard again in every verb, and that one without it is refused.
func TestRandomShards(t *testing.T) {
	t.Parallel()
	logs, db := openLogs(t)
	ctx := t.Context()
	shards := make(map[string]int)
	for i := range 200 {
		l := Log{At: day, ID: fmt.Sprintf("%03d", i), Level: "info"}
		if err := logs.Create(&l).Run(ctx); err != nil {
			t.Fatal(err)
		}
		shards[l.Shard]++
	}
	for s, n := range shards {
		if len(shards) != 8 || n < 5 {
			t.Errorf("shard %s has %d of 200 items, want about 25 in each of 8", s, n)
		}
	}
	got := collect(t, logs.Query(Log{At: day}), func(l Log) string { return l.ID })
	if len(got) != 200 || !slices.IsSorted(got) {
		t.Errorf("got %d items, want all 200 in order", len(got))
	}
	l, err := logs.Query(Log{At: day}).From(Log{At: day, ID: "100"}).First(ctx)
	if err != nil || l.ID != "100" || l.Shard == "" {
		t.Fatalf("got %+v and %v, want 100 with its shard", l, err)
	}
	text, level := ddb.Field(logs, func(l *Log) *string { return &l.Text }), ddb.Field(logs, func(l *Log) *string { return &l.Level })
	if got, err := logs.Update(l).Set(text.To("x"), level.To("error")).Run(ctx); err != nil || got.Shard != l.Shard {
		t.Errorf("update: got %+v and %v", got, err)
	}
	if got := collect(t, logs.Query(Log{Level: "error"}).Index("GSI1"), func(l Log) string { return l.ID }); !slices.Equal(got, []string{"100"}) {
		t.Errorf("index: got %v, want the changed item", got)
	}
	if got, err := logs.Modify(ctx, l, func(l *Log) error { l.Text += "y"; return nil }); err != nil || got.Text != "xy" {
		t.Errorf("modify: got %+v and %v", got, err)
	}
	if err := logs.Create(&l).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("create again: got %v, want ErrExists", err)
	}
	one, err := logs.Query(Log{At: day, Shard: l.Shard}).Input()
	if err != nil || one.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS).Value != "LOG#2024-01-01#"+l.Shard {
		t.Errorf("query with the shard: got %v and %v, want that shard alone", one, err)
	}
	without := l
	without.Shard = ""
	for name, err := range map[string]error{
		"get":    second(logs.Get(without).Run(ctx)),
		"update": second(logs.Update(without).Set(text.To("x")).Run(ctx)),
		"upsert": second(logs.Upsert(without).Set(text.To("x")).Run(ctx)),
		"delete": logs.Delete(without).Run(ctx),
		"other":  second(logs.Get(Log{At: day, ID: "100", Shard: "8"}).Run(ctx)),
		"padded": second(logs.Get(Log{At: day, ID: "100", Shard: "01"}).Run(ctx)),
		"moved":  second(logs.Modify(ctx, l, func(l *Log) error { l.Shard = fmt.Sprint((l.Shard[0] - '0' + 1) % 8); return nil })),
	} {
		var op *ddb.OpError
		is := ddb.ErrKey
		if name == "moved" {
			is = ddb.ErrKeyChange
		}
		if !errors.Is(err, is) || !errors.As(err, &op) || name != "moved" && op.Field != "Shard" {
			t.Errorf("%s: got %v, want %v for Shard", name, err, is)
		}
	}
	if err := logs.Delete(l).MustExist().Run(ctx); err != nil {
		t.Error(err)
	}
	out, err := db.Scan(ctx, scanOf("Logs"))
	if err != nil || out.Count != 199 {
		t.Errorf("got %d items and %v, want 199", out.Count, err)
	}
}

func second[T any](_ T, err error) error { return err }

// failing loses the first reply, without a client that would send again.
type failing struct {
	ddb.Backend
	lost bool
}

func (f *failing) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	out, err := f.Backend.PutItem(ctx, in, o...)
	if !f.lost {
		f.lost = true
		return nil, errBroken
	}
	return out, err
}

// TestRandomShardIsKept asserts that a write that is repeated because its reply
// was lost goes to the same shard again, so that there is one item, and that items
// of other programs get their shard from their key.
func TestRandomShardIsKept(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Logs", &failing{Backend: db})
	logs := ddb.Define[Log](table)
	create(t, db, table)
	ctx := t.Context()
	l := Log{At: day, ID: "1"}
	if err := logs.Put(&l).Run(ctx); !errors.Is(err, errBroken) {
		t.Fatalf("got %v, want the lost reply", err)
	}
	if err := logs.Put(&l).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := logs.Query(Log{At: day}).Count(ctx); err != nil || n != 1 {
		t.Errorf("got %d items and %v, want one", n, err)
	}
	foreign := Log{At: day, ID: "2", Shard: "5"}
	item, err := logs.Item(&foreign)
	if err != nil {
		t.Fatal(err)
	}
	delete(item, "Shard")
	if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: scanOf("Logs").TableName, Item: item}); err != nil {
		t.Fatal(err)
	}
	got, err := logs.Query(Log{At: day}).From(Log{At: day, ID: "2"}).First(ctx)
	if err != nil || got.Shard != "5" {
		t.Errorf("got %+v and %v, want the shard 5 from the key", got, err)
	}
}

// Guest is found by its e-mail address in any letter case and by the second that
// it came in, whatever the shard depends on.
type Guest struct {
	_ ddb.Entity `name:"Guest" pk:"CLUB#{Club}#{shard:16}" sk:"{Email:lower}#{Joined:2006-01-02T15:04:05}"`

	Club, Email string
	Joined      time.Time
}

// TestShardOfWhatTheKeyHolds asserts that a shard follows from no more than the
// key holds of a field.
func TestShardOfWhatTheKeyHolds(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Guests", backend(t, db))
	guests := ddb.Define[Guest](table)
	create(t, db, table)
	for i := range 20 {
		joined := day.Add(time.Duration(i)*time.Hour + 123)
		put(t, guests, Guest{Club: "c", Email: fmt.Sprint("Ann", i, "@X.org"), Joined: joined})
		if _, err := guests.Get(Guest{Club: "c", Email: fmt.Sprint("ANN", i, "@x.ORG"), Joined: joined.Truncate(time.Second)}).Run(t.Context()); err != nil {
			t.Errorf("guest %d: %v", i, err)
		}
	}
}

// TestShardFaults asserts that placeholders of shards say one thing each.
func TestShardFaults(t *testing.T) {
	t.Parallel()
	type sorted struct {
		_ ddb.Entity `pk:"A#{X}" sk:"B#{shard:3}"`
		X string
	}
	type uncounted struct {
		_ ddb.Entity `pk:"A#{X}#{shard}" sk:"B"`
		X string
	}
	type single struct {
		_ ddb.Entity `pk:"A#{X}#{shard:1}" sk:"B"`
		X string
	}
	type unknown struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,by=Y}" sk:"B"`
		X string
	}
	type adjacent struct {
		_ ddb.Entity `pk:"A#{X}{shard:5}" sk:"B"`
		X string
	}
	type twice struct {
		_ ddb.Entity `pk:"A#{shard:5}#{shard:5}" sk:"B#{X}"`
		X string
	}
	type unknownOption struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,rnd=X}" sk:"B"`
		X string
	}
	type noField struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,random}" sk:"B"`
		X string
	}
	type numberField struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,random=N}" sk:"B"`
		X string
		N int
	}
	type both struct {
		_    ddb.Entity `pk:"A#{X}#{shard:5,by=X,random=Y}" sk:"B"`
		X, Y string
	}
	type twoCounts struct {
		_    ddb.Entity `pk:"A#{X}#{shard:5,random=Y}" sk:"B"`
		_    ddb.Index  `name:"GSI1" pk:"B#{X}#{shard:6,random=Y}" sk:"B"`
		X, Y string
	}
	type alsoSame struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,also=5}" sk:"B"`
		X string
	}
	type alsoTwice struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,also=3+3}" sk:"B"`
		X string
	}
	type alsoNone struct {
		_ ddb.Entity `pk:"A#{X}#{shard:5,also}" sk:"B"`
		X string
	}
	type twoFormer struct {
		_    ddb.Entity `pk:"A#{X}#{shard:5,random=Y,also=3}" sk:"B"`
		_    ddb.Index  `name:"GSI1" pk:"B#{X}#{shard:5,random=Y,also=4+6}" sk:"B"`
		X, Y string
	}
	type padded struct {
		_ ddb.Entity `pk:"A#{X}#{shard:010}" sk:"B"`
		X string
	}
	for want, define := range map[string]func(*ddb.Table){
		`unknown option "rnd=X"`:  def[unknownOption],
		`number in the field ""`:  def[noField],
		"a int; use a string":     def[numberField],
		"says twice what":         def[both],
		"5 and with 6 shards":     def[twoCounts],
		"{shard:010}, which must": def[padded],
		"5 twice":                 def[alsoSame],
		"3 twice":                 def[alsoTwice],
		"also=, which must say":   def[alsoNone],
		"(also 3) and with 5":     def[twoFormer],
		"only partition keys":     def[sorted],
		"how many shards":         def[uncounted],
		"2 to 1000":               def[single],
		"has no such field":       def[unknown],
		"{X} and {shard} side":    def[adjacent],
		"a second shard":          def[twice],
	} {
		table := ddb.NewTable("Test", unreachable{})
		define(table)
		if err := table.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault that says %q", err, want)
		}
	}
}
