package memory_test

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
)

const lag = 10 * time.Second

// lagDB has the table Posts with a global index that lags and a local one.
func lagDB(t testing.TB, opts ...memory.Option) (*memory.DB, *clock) {
	t.Helper()
	db, c := newTimedDB(t, append([]memory.Option{memory.IndexLag(lag)}, opts...)...)
	in := withLSI(define("Posts", "pk:S", "sk:N"), "byAt", "at:S")
	create(t, db, withGSI(in, "byState", []string{"state:S"}, []string{"sk:N"}, "title"))
	return db, c
}

func post(sk int, state, title string) item {
	it := item{"pk": str("p"), "sk": num(sk), "at": str("now"), "title": str(title)}
	if state != "" {
		it["state"] = str(state)
	}
	return it
}

// TestIndexLag takes an entry through its life: every change follows exactly
// after the lag, while the table and the local index are up to date.
func TestIndexLag(t *testing.T) {
	t.Parallel()
	db, c := lagDB(t)
	seen := func(state string) string {
		return strings.Join(pick(query(t, db, "Posts", "byState", "#s = :a", func(in *dynamodb.QueryInput) {
			in.ExpressionAttributeNames = map[string]string{"#s": "state"}
		}, str(state)).Items, "title"), " ")
	}
	steps := []struct {
		name  string
		write func()
		wait  time.Duration
		open  string
		done  string
	}{
		{"put", func() { put(t, db, "Posts", post(1, "OPEN", "a")) }, 0, "", ""},
		{"just before", nil, lag - 1, "", ""},
		{"there", nil, 1, "a", ""},
		{"update of a projected attribute", func() { put(t, db, "Posts", post(1, "OPEN", "b")) }, 0, "a", ""},
		{"move soon after", func() { put(t, db, "Posts", post(1, "DONE", "c")) }, time.Second, "a", ""},
		{"first change", nil, lag - time.Second, "b", ""},
		{"second change", nil, time.Second, "", "c"},
		{"another entry", func() { put(t, db, "Posts", post(2, "DONE", "d")) }, 0, "", "c"},
		{"removal", func() { put(t, db, "Posts", post(1, "", "e")) }, 0, "", "c"},
		{"both", nil, lag, "", "d"},
		{"put and delete", func() {
			put(t, db, "Posts", post(3, "OPEN", "f"))
			wantError(t, "delete", deleteCall(dynamodb.DeleteItemInput{TableName: aws.String("Posts"), Key: item{"pk": str("p"), "sk": num(3)}})(t.Context(), db), "none")
		}, 0, "", "d"},
		{"gone before it was there", nil, lag, "", "d"},
	}
	for _, step := range steps {
		c.advance(step.wait)
		if step.write != nil {
			step.write()
		}
		if got := seen("OPEN"); got != step.open {
			t.Errorf("%s: OPEN shows %q, want %q", step.name, got, step.open)
		}
		if got := seen("DONE"); got != step.done {
			t.Errorf("%s: DONE shows %q, want %q", step.name, got, step.done)
		}
		table := query(t, db, "Posts", "", "pk = :a", nil, str("p"))
		local := query(t, db, "Posts", "byAt", "pk = :a", nil, str("p"))
		diff(t, step.name+": the local index", local.Items, table.Items)
		if err := db.Check(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}

// TestIndexLagIsShown: descriptions and dumps tell what the index holds by now.
func TestIndexLagIsShown(t *testing.T) {
	t.Parallel()
	db, c := lagDB(t)
	put(t, db, "Posts", post(1, "OPEN", "a"))
	count := func() (table, index int64) {
		d := describeTable(t, db, "Posts")
		return *d.ItemCount, *d.GlobalSecondaryIndexes[0].ItemCount
	}
	if table, index := count(); table != 1 || index != 0 {
		t.Errorf("%d items and %d entries, want 1 and 0", table, index)
	}
	if got := db.Dump("Posts"); !strings.HasSuffix(got, "index byState\n") {
		t.Errorf("the dump shows entries:\n%s", got)
	}
	c.advance(lag)
	if got := db.Dump("Posts"); strings.HasSuffix(got, "index byState\n") {
		t.Errorf("the dump shows no entries:\n%s", got)
	}
	put(t, db, "Posts", post(2, "OPEN", "b"))
	c.advance(lag)
	if table, index := count(); table != 2 || index != 2 {
		t.Errorf("%d items and %d entries, want 2 and 2", table, index)
	}
}

// TestSettle makes what lags appear at once, and only that: later writes lag
// again.
func TestSettle(t *testing.T) {
	t.Parallel()
	db, c := lagDB(t)
	put(t, db, "Posts", post(1, "OPEN", "a"), post(2, "OPEN", "b"))
	db.Settle()
	scan := func() []string {
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Posts"), IndexName: aws.String("byState")})
		if err != nil {
			t.Fatal(err)
		}
		return pick(out.Items, "title")
	}
	diff(t, "settled", scan(), []string{"a", "b"})
	put(t, db, "Posts", post(1, "OPEN", "c"))
	diff(t, "a later write", scan(), []string{"a", "b"})
	c.advance(lag)
	diff(t, "later", scan(), []string{"c", "b"})
}

// TestNewIndexDoesNotLag: an index that is added holds all items at once and lags
// from then on; one that is deleted takes what it holds back with it.
func TestNewIndexDoesNotLag(t *testing.T) {
	t.Parallel()
	db, c := lagDB(t)
	put(t, db, "Posts", post(1, "OPEN", "a"))
	alter(t, db, addIndex("Posts", "byTitle", []string{"title:S"}, nil))
	titles := func(title string) []string {
		return pick(query(t, db, "Posts", "byTitle", "title = :a", nil, str(title)).Items, "sk")
	}
	diff(t, "the item before", titles("a"), []string{"1"})
	put(t, db, "Posts", post(2, "OPEN", "a"))
	diff(t, "the item after", titles("a"), []string{"1"})
	if err := db.Check(); err != nil {
		t.Error(err)
	}
	alter(t, db, dropIndex("Posts", "byState"))
	c.advance(lag)
	diff(t, "the item later", titles("a"), []string{"1", "2"})
}

// TestLaggingIndexIsThePast: at any time the index is what an index without lag
// was a lag ago.
func TestLaggingIndexIsThePast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		late := memory.New(memory.Clock(c.now), memory.IndexLag(lag), memory.Partitions(rapid.IntRange(1, 4).Draw(t, "partitions")))
		prompt := memory.New(memory.Clock(c.now))
		in := withGSI(define("Same", "pk:S", "sk:N"), "gsi", []string{"g:S"}, []string{"at:S"}, "x")
		for _, db := range []*memory.DB{late, prompt} {
			if _, err := db.CreateTable(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		indexOf := func(db *memory.DB) string {
			_, index, _ := strings.Cut(db.Dump("Same"), "index gsi\n")
			return index
		}
		type snapshot struct {
			at    time.Time
			index string
		}
		past := []snapshot{{time.Time{}, ""}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			c.advance(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 4, 10, 11}).Draw(t, "seconds")) * time.Second)
			seed := rapid.Uint64().Draw(t, "call")
			for _, db := range []*memory.DB{late, prompt} {
				_, _ = anyWrite(t.Context(), db, rand.New(rand.NewPCG(seed, 0)))
			}
			past = append(past, snapshot{c.now(), indexOf(prompt)})
			want := ""
			for _, s := range past {
				if !s.at.After(c.now().Add(-lag)) {
					want = s.index
				}
			}
			if got := indexOf(late); got != want {
				t.Fatalf("the index holds\n%sa lag ago it should have held\n%s", got, want)
			}
			if err := late.Check(); err != nil {
				t.Fatal(err)
			}
		}
		late.Settle()
		if got, want := late.Dump("Same"), prompt.Dump("Same"); got != want {
			t.Fatalf("settled, it holds\n%swant\n%s", got, want)
		}
	})
}

// TestLagInParallel: writers, readers and checks of a lagging index run at once,
// and in the end every entry is there.
func TestLagInParallel(t *testing.T) {
	t.Parallel()
	db, c := lagDB(t, memory.StaleReads(lag), memory.TrackHeat(10))
	var writers atomic.Int32
	writers.Store(4)
	together(7, func(i int) {
		switch {
		case i < 4:
			for n := range 100 {
				put(t, db, "Posts", post(n%10, []string{"OPEN", "DONE", ""}[(n+i)%3], string(rune('a'+i))))
				c.advance(time.Second / 10)
			}
			writers.Add(-1)
		case i == 4:
			for writers.Load() > 0 {
				if err := db.Check(); err != nil {
					t.Error(err)
				}
			}
		case i == 5:
			for writers.Load() > 0 {
				db.Settle()
				db.Dump("Posts")
			}
		default:
			for writers.Load() > 0 {
				query(t, db, "Posts", "byState", "#s = :a", func(in *dynamodb.QueryInput) {
					in.ExpressionAttributeNames = map[string]string{"#s": "state"}
				}, str("OPEN"))
				query(t, db, "Posts", "byAt", "pk = :a", nil, str("p"))
			}
		}
	})
	db.Settle()
	if err := db.Check(); err != nil {
		t.Error(err)
	}
}
