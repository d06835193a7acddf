package memory_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
)

const stale = 10 * time.Second

// staleDB has the table Notes with a global and a local index.
func staleDB(t testing.TB, opts ...memory.Option) (*memory.DB, *clock) {
	t.Helper()
	db, c := newTimedDB(t, append([]memory.Option{memory.StaleReads(stale)}, opts...)...)
	in := withLSI(define("Notes", "pk:S", "sk:N"), "byAt", "at:S", "-")
	create(t, db, withGSI(in, "byState", []string{"state:S"}, []string{"sk:N"}))
	return db, c
}

func note(sk int, text string) item {
	return item{"pk": str("p"), "sk": num(sk), "at": str("now"), "state": str("OPEN"), "text": str(text)}
}

// reads are ways to read the texts of all notes.
func reads(t testing.TB, db *memory.DB, consistent bool) map[string]func() string {
	texts := func(items []item) string { return strings.Join(pick(items, "text"), " ") }
	querying := func(index, condition, value string, change func(in *dynamodb.QueryInput)) func() string {
		return func() string {
			return texts(query(t, db, "Notes", index, condition, func(in *dynamodb.QueryInput) {
				if index == "byState" {
					in.ExpressionAttributeNames = map[string]string{"#s": "state"}
				} else {
					in.ConsistentRead = aws.Bool(consistent)
				}
				if change != nil {
					change(in)
				}
			}, str(value)).Items)
		}
	}
	all := map[string]func() string{
		"GetItem": func() string {
			out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("Notes"), Key: item{"pk": str("p"), "sk": num(1)}, ConsistentRead: aws.Bool(consistent)})
			if err != nil {
				t.Fatal(err)
			}
			if out.Item == nil {
				return ""
			}
			return texts([]item{out.Item})
		},
		"BatchGetItem": func() string {
			out, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				"Notes": {Keys: []item{{"pk": str("p"), "sk": num(1)}}, ConsistentRead: aws.Bool(consistent)}}})
			if err != nil {
				t.Fatal(err)
			}
			return texts(out.Responses["Notes"])
		},
		"Query":          querying("", "pk = :a", "p", nil),
		"backward Query": querying("", "pk = :a", "p", func(in *dynamodb.QueryInput) { in.ScanIndexForward = aws.Bool(false) }),
		"local index":    querying("byAt", "pk = :a", "p", func(in *dynamodb.QueryInput) { in.Select = types.SelectAllAttributes }),
		"Scan": func() string {
			out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Notes"), ConsistentRead: aws.Bool(consistent)})
			if err != nil {
				t.Fatal(err)
			}
			return texts(out.Items)
		},
	}
	if !consistent {
		all["global index"] = querying("byState", "#s = :a", "OPEN", nil)
	}
	return all
}

// seen makes a read often and returns the different answers, sorted.
func seen(read func() string) []string {
	var answers []string
	for range 200 {
		if a := read(); !slices.Contains(answers, a) {
			answers = append(answers, a)
		}
	}
	slices.Sort(answers)
	return answers
}

// TestStaleReads: while the past is recent enough, a read that is not consistent
// sees the item as it was or as it is; a consistent one sees it as it is.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name  string
		write func(t testing.TB, db *memory.DB)
		want  []string // what may be seen half the time after
	}{
		{"item that is new", func(t testing.TB, db *memory.DB) { put(t, db, "Notes", note(1, "new")) }, []string{"", "new"}},
		{"change", func(t testing.TB, db *memory.DB) { put(t, db, "Notes", note(1, "changed")) }, []string{"changed", "new"}},
		{"change of what no index holds", func(t testing.TB, db *memory.DB) { put(t, db, "Notes", note(1, "again")) }, []string{"again", "changed"}},
		{"delete", func(t testing.TB, db *memory.DB) {
			call := deleteCall(dynamodb.DeleteItemInput{TableName: aws.String("Notes"), Key: item{"pk": str("p"), "sk": num(1)}})
			wantError(t, "the delete", call(t.Context(), db), "none")
		}, []string{"", "again"}},
	}
	db, c := staleDB(t)
	for _, step := range steps {
		step.write(t, db)
		c.advance(stale / 2)
		current := seen(reads(t, db, true)["GetItem"])
		if len(current) != 1 {
			t.Fatalf("%s: consistent reads see %q", step.name, current)
		}
		for name, read := range reads(t, db, false) {
			diff(t, step.name+": "+name, seen(read), step.want)
		}
		for name, read := range reads(t, db, true) {
			diff(t, step.name+": consistent "+name, seen(read), current)
		}
		c.advance(stale / 2)
		for name, read := range reads(t, db, false) {
			diff(t, step.name+": "+name+" when it is over", seen(read), current)
		}
	}
}

// TestStaleReadsSettle: what was written before is seen by every read after.
func TestStaleReadsSettle(t *testing.T) {
	t.Parallel()
	db, _ := staleDB(t)
	put(t, db, "Notes", note(1, "new"))
	if got := seen(reads(t, db, false)["GetItem"]); len(got) != 2 {
		t.Errorf("before, reads see %q", got)
	}
	db.Settle()
	for name, read := range reads(t, db, false) {
		diff(t, name, seen(read), []string{"new"})
	}
}

// TestTransactionsAreNotStale: they read what is there.
func TestTransactionsAreNotStale(t *testing.T) {
	t.Parallel()
	db, _ := staleDB(t)
	put(t, db, "Notes", note(1, "old"))
	put(t, db, "Notes", note(1, "new"))
	diff(t, "the transaction", seen(func() string {
		out, err := db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: aws.String("Notes"), Key: item{"pk": str("p"), "sk": num(1)}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Responses[0].Item["text"].(*types.AttributeValueMemberS).Value
	}), []string{"new"})
}

// TestWritesAreNotStale: conditions and updates see what is there.
func TestWritesAreNotStale(t *testing.T) {
	t.Parallel()
	db, _ := staleDB(t)
	create(t, db, define("Orders", "pk:S"))
	for range 100 {
		wantError(t, "the update", addCall("Orders", "a")(t.Context(), db), "none")
	}
	db.Settle()
	diff(t, "the sum", get(t, db, "Orders", keyOf("a"))["n"], num(1000))
}

// TestStaleNewIndex: an index is never seen as it was before it was complete.
func TestStaleNewIndex(t *testing.T) {
	t.Parallel()
	db, c := staleDB(t)
	put(t, db, "Notes", note(1, "old"))
	c.advance(time.Hour)
	alter(t, db, addIndex("Notes", "byText", []string{"text:S"}, nil))
	diff(t, "the index", seen(func() string {
		return strings.Join(pick(query(t, db, "Notes", "byText", "#t = :a", func(in *dynamodb.QueryInput) {
			in.ExpressionAttributeNames = map[string]string{"#t": "text"}
		}, str("old")).Items, "text"), " ")
	}), []string{"old"})
}

// TestStaleReadsFollowTheSeed: equal seeds give equal answers, others give others.
func TestStaleReadsFollowTheSeed(t *testing.T) {
	t.Parallel()
	answers := func(seed uint64) string {
		db, c := staleDB(t, memory.Seed(seed))
		got := ""
		for n := range 50 {
			put(t, db, "Notes", note(1, string(rune('A'+n))))
			c.advance(time.Second)
			got += reads(t, db, false)["GetItem"]()
		}
		return got
	}
	first := answers(1)
	if again := answers(1); again != first {
		t.Errorf("equal seeds give %s and %s", first, again)
	}
	if other := answers(2); other == first {
		t.Errorf("other seeds give the same %s", first)
	}
}

// TestStaleReadIsAMoment: whatever is read of a partition is what was there at
// one moment in the time allowed. A DB without stale reads tells what was.
func TestStaleReadIsAMoment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		db := memory.New(memory.Clock(c.now), memory.StaleReads(stale), memory.Partitions(1), memory.Seed(rapid.Uint64().Draw(t, "seed")))
		prompt := memory.New(memory.Clock(c.now))
		in := withLSI(define("Same", "pk:S", "sk:N"), "local", "at:S", "-")
		in = withGSI(in, "gsi", []string{"g:S"}, []string{"at:S"}, "x")
		for _, db := range []*memory.DB{db, prompt} {
			if _, err := db.CreateTable(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		past := []snapshot{{at: c.now().Add(-time.Hour), answers: snapshotOf(t, prompt)}}
		seconds := rapid.SampledFrom([]int{0, 1, 4, 9, 10, 11})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			c.advance(time.Duration(seconds.Draw(t, "seconds before")) * time.Second)
			seed := rapid.Uint64().Draw(t, "call")
			for _, db := range []*memory.DB{db, prompt} {
				_, _ = anyWrite(t.Context(), db, rand.New(rand.NewPCG(seed, 0)))
			}
			past = append(past, snapshot{c.now(), snapshotOf(t, prompt)})
			c.advance(time.Duration(seconds.Draw(t, "seconds after")) * time.Second)
			for name, got := range snapshotOf(t, db) {
				if want := between(past, c.now(), name); !slices.Contains(want, got) {
					t.Fatalf("%s shows\n%s\nwant one of\n%s", name, got, strings.Join(want, "\n"))
				}
			}
		}
		if err := errors.Join(db.Check(), prompt.Check()); err != nil {
			t.Fatal(err)
		}
	})
}

// snapshot is what reads saw from a time on.
type snapshot struct {
	at      time.Time
	answers map[string]string
}

// snapshotOf reads the table Same in several ways, none of them consistent.
func snapshotOf(t *rapid.T, db *memory.DB) map[string]string {
	answers := make(map[string]string)
	add := func(name string, items []item, err error) {
		text, fault := json.Marshal(items)
		if err != nil || fault != nil {
			t.Fatal(err, fault)
		}
		answers[name] = string(text)
	}
	for _, index := range []string{"", "gsi", "local"} {
		in := &dynamodb.ScanInput{TableName: aws.String("Same"), IndexName: indexOrTable(index)}
		if index == "local" {
			in.Select = types.SelectAllAttributes
		}
		out, err := db.Scan(t.Context(), in)
		add("a Scan of "+index, out.Items, err)
	}
	for _, forward := range []bool{true, false} {
		out, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("Same"), ScanIndexForward: aws.Bool(forward), Limit: aws.Int32(3),
			KeyConditionExpression: aws.String("pk = :a AND sk BETWEEN :b AND :c"), ExpressionAttributeValues: item{":a": str("a"), ":b": num(1), ":c": num(3)}})
		add(fmt.Sprintf("a Query (forward: %t)", forward), out.Items, err)
	}
	return answers
}

// between returns the answers that held at some time from the staleness before
// now until now.
func between(past []snapshot, now time.Time, name string) []string {
	var all []string
	for i, s := range past {
		ends := now.Add(1)
		if i+1 < len(past) {
			ends = past[i+1].at
		}
		if ends.After(s.at) && ends.After(now.Add(-stale)) {
			all = append(all, s.answers[name])
		}
	}
	return all
}
