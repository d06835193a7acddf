package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
)

// tape is a journal that keeps everything in a slice, or fails.
type tape struct {
	mu        sync.Mutex // guards all below
	changes   []memory.Change
	waits     int
	onAppend  error
	onWait    error
	waitsThen func()
}

func (j *tape) Append(c memory.Change) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.onAppend != nil {
		return j.onAppend
	}
	j.changes = append(j.changes, c)
	return nil
}

func (j *tape) Wait(context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waits++
	if j.waitsThen != nil {
		j.waitsThen()
	}
	return j.onWait
}

func played(changes ...[]memory.Change) iter.Seq2[memory.Change, error] {
	return func(yield func(memory.Change, error) bool) {
		for _, c := range slices.Concat(changes...) {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// TestJournalRestores drives a DB through random histories of items, transactions
// and tables, and demands that what its journal kept makes an equal one: from the
// beginning, and from changes that were collected while the history went on.
func TestJournalRestores(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := &kept{tape: &tape{}, now: time.Unix(1_700_000_000, 0)}
		h.options = []memory.Option{
			memory.Clock(func() time.Time { return h.now }),
			memory.TransitionTime(time.Duration(rapid.SampledFrom([]int{0, 10}).Draw(t, "transition")) * time.Second),
			memory.Partitions(rapid.SampledFrom([]int{1, 16}).Draw(t, "partitions")),
			memory.IndexLag(time.Duration(rapid.SampledFrom([]int{0, 5}).Draw(t, "lag")) * time.Second),
		}
		h.db = memory.New(append(h.options, memory.WithJournal(h.tape))...)
		steps := map[string]func(*rapid.T){
			"put": h.put, "put again": h.put, "delete": h.delete, "transact": h.transact, "create": h.create, "drop": h.drop,
			"alter": h.alter, "index": h.index, "expire": h.expire, "sweep": h.sweep, "stream": h.stream, "tag": h.tag, "time passes": h.passTime,
		}
		names := []string{
			"put", "put again", "delete", "transact", "create", "drop", "alter", "index", "expire", "sweep", "stream", "tag", "time passes",
		}
		h.step = func(t *rapid.T) { steps[rapid.SampledFrom(names).Draw(t, "step")](t) }
		steps["collect"] = h.collect
		steps["restore"] = h.restore
		t.Repeat(steps)
		h.restore(t)
	})
}

// kept is a DB with a journal.
type kept struct {
	db      *memory.DB
	tape    *tape
	now     time.Time
	options []memory.Option
	step    func(*rapid.T) // something random but collect
}

var (
	tableNames = rapid.SampledFrom([]string{"One", "Two", "Tri"})
	tokenNames = rapid.SampledFrom([]string{"t1", "t2", "t3"})
)

// Few values, so that keys meet.
var (
	keptWords   = rapid.SampledFrom([]string{"x", "xy", "y", "\x00", "é"})
	keptNumbers = rapid.SampledFrom([]int{-10, -1, 0, 1, 9, 10, 100})
)

func drawItemKey(t *rapid.T) item {
	return item{
		"pk": str(rapid.SampledFrom([]string{"p", "q", "qq"}).Draw(t, "pk")),
		"sk": num(rapid.IntRange(-2, 12).Draw(t, "sk")),
	}
}

func (h *kept) put(t *rapid.T) {
	it := drawItemKey(t)
	it["g"] = str(keptWords.Draw(t, "g"))
	it["n"] = num(keptNumbers.Draw(t, "n"))
	if rapid.Bool().Draw(t, "expires soon") {
		it["n"] = num(int(h.now.Unix()) + 1)
	}
	_, _ = h.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableNames.Draw(t, "table")), Item: it})
}

func (h *kept) delete(t *rapid.T) {
	_, _ = h.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(tableNames.Draw(t, "table")), Key: drawItemKey(t),
	})
}

func (h *kept) transact(t *rapid.T) {
	in := &dynamodb.TransactWriteItemsInput{}
	if rapid.Bool().Draw(t, "with a token") {
		in.ClientRequestToken = aws.String(tokenNames.Draw(t, "token"))
	}
	for range rapid.IntRange(1, 3).Draw(t, "actions") {
		table, key := aws.String(tableNames.Draw(t, "table")), drawItemKey(t)
		in.TransactItems = append(in.TransactItems, rapid.SampledFrom([]types.TransactWriteItem{
			{Put: &types.Put{TableName: table, Item: key}},
			{Delete: &types.Delete{TableName: table, Key: key}},
			{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key, ConditionExpression: aws.String("attribute_exists(pk)")}},
			{Update: &types.Update{
				TableName: table, Key: key, UpdateExpression: aws.String("ADD n :n"),
				ExpressionAttributeValues: item{":n": num(1)},
			}},
		}).Draw(t, "action"))
	}
	_, _ = h.db.TransactWriteItems(t.Context(), in)
}

func (h *kept) create(t *rapid.T) {
	in := define(tableNames.Draw(t, "table"), "pk:S", "sk:N")
	if rapid.Bool().Draw(t, "indexed") {
		in = withLSI(in, "local", "n:N", "-")
		in = withGSI(in, "first", []string{"g:S"}, []string{"n:N"})
	}
	if rapid.Bool().Draw(t, "streamed") {
		in = streamed(in, views.Draw(t, "view"))
	}
	in.Tags = []types.Tag{{Key: aws.String("made"), Value: aws.String("yes")}}
	_, _ = h.db.CreateTable(t.Context(), in)
}

func (h *kept) drop(t *rapid.T) {
	_, _ = h.db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(tableNames.Draw(t, "table"))})
}

func (h *kept) alter(t *rapid.T) {
	in := &dynamodb.UpdateTableInput{TableName: aws.String(tableNames.Draw(t, "table"))}
	switch rapid.IntRange(0, 2).Draw(t, "what to alter") {
	case 0:
		in.DeletionProtectionEnabled = aws.Bool(rapid.Bool().Draw(t, "protected"))
	case 1:
		in.TableClass = types.TableClassStandardInfrequentAccess
	case 2:
		in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(7)}
	}
	_, _ = h.db.UpdateTable(t.Context(), in)
}

func (h *kept) index(t *rapid.T) {
	u := types.GlobalSecondaryIndexUpdate{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("first")}}
	if rapid.Bool().Draw(t, "new index") {
		u = types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("second"), KeySchema: elements([]string{"g"}, nil), Projection: projectionOf([]string{"n"}),
		}}
	}
	_, _ = h.db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String(tableNames.Draw(t, "table")), GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{u},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("g"), AttributeType: types.ScalarAttributeTypeS}},
	})
}

func (h *kept) expire(t *rapid.T) {
	_, _ = h.db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(tableNames.Draw(t, "table")),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String("n"), Enabled: aws.Bool(rapid.Bool().Draw(t, "enabled")),
		},
	})
}

func (h *kept) sweep(t *rapid.T) { _, _ = h.db.Expire(t.Context()) }

var views = rapid.SampledFrom(types.StreamViewType("").Values())

func (h *kept) stream(t *rapid.T) {
	in := switchStream(tableNames.Draw(t, "table"), "")
	if rapid.Bool().Draw(t, "enabled") {
		in = switchStream(*in.TableName, views.Draw(t, "view"))
	}
	_, _ = h.db.UpdateTable(t.Context(), &in)
}

func (h *kept) tag(t *rapid.T) {
	arn := aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/" + tableNames.Draw(t, "table"))
	if rapid.Bool().Draw(t, "untag") {
		_, _ = h.db.UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"made"}})
		return
	}
	_, _ = h.db.TagResource(t.Context(), &dynamodb.TagResourceInput{
		ResourceArn: arn, Tags: []types.Tag{{Key: aws.String("by"), Value: aws.String(keptWords.Draw(t, "tag"))}},
	})
}

func (h *kept) passTime(t *rapid.T) {
	h.now = h.now.Add(time.Duration(rapid.SampledFrom([]int{1, 6, 60, 601, 5 * 3600, 25 * 3600}).Draw(t, "seconds")) * time.Second)
}

// collect replaces the tape by changes that are collected while time goes on.
func (h *kept) collect(t *rapid.T) {
	before := len(h.tape.changes)
	var collected []memory.Change
	for c := range h.db.Changes() {
		collected = append(collected, c)
		h.step(t)
	}
	h.tape.changes = append(collected, h.tape.changes[before:]...)
}

func (h *kept) restore(t *rapid.T) {
	back, err := memory.Restore(played(h.tape.changes), h.options...)
	if err != nil {
		t.Fatalf("restore: %v", err)
	}
	if err := back.Check(); err != nil {
		t.Fatalf("invariants of the restored DB: %v", err)
	}
	h.db.Settle() // a restored index has nothing to catch up with
	if d := cmp.Diff(look(t, h.db), look(t, back)); d != "" {
		t.Fatalf("restored (-original +restored):\n%s", d)
	}
	for _, token := range []string{"t1", "t2", "t3"} {
		// A request that differs from all others finds out what is known of a token.
		if got, want := h.knows(t, back, token), h.knows(t, h.db, token); got != want {
			t.Fatalf("token %s: restored DB says %q, original %q", token, got, want)
		}
	}
}

func (h *kept) knows(t *rapid.T, db *memory.DB, token string) string {
	list, err := db.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil || len(list.TableNames) == 0 {
		return ""
	}
	_, err = db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(token),
		TransactItems: []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
			TableName: aws.String(list.TableNames[0]), Key: item{"pk": str("none"), "sk": num(0)},
			ConditionExpression: aws.String("attribute_exists(pk)"), // fails, and so claims nothing
		}}},
	})
	return fmt.Sprint(err)
}

// look returns all that can be seen of a DB.
func look(t asking, db *memory.DB) map[string]string {
	list, err := db.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatalf("list tables: %v", err)
	}
	seen := make(map[string]string)
	for _, name := range list.TableNames {
		d, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		if err != nil {
			t.Fatalf("describe %s: %v", name, err)
		}
		for i, ix := range d.Table.GlobalSecondaryIndexes {
			if ix.IndexStatus == types.IndexStatusDeleting { // what it held is forgotten
				d.Table.GlobalSecondaryIndexes[i].ItemCount, d.Table.GlobalSecondaryIndexes[i].IndexSizeBytes = nil, nil
			}
		}
		ttl, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(name)})
		if err != nil {
			t.Fatalf("describe expiry of %s: %v", name, err)
		}
		tags, err := db.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: d.Table.TableArn})
		if err != nil {
			t.Fatalf("list tags of %s: %v", name, err)
		}
		seen[name] = db.Dump(name) + asJSON(d.Table) + asJSON(ttl.TimeToLiveDescription) + asJSON(tags.Tags)
	}
	streams, err := db.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{})
	if err != nil {
		t.Fatalf("list streams: %v", err)
	}
	for _, s := range streams.Streams {
		seen[*s.StreamArn] = asJSON(describeStream(t, db, *s.StreamArn)) + asJSON(recordsOf(t, db, *s.StreamArn))
	}
	return seen
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	return fmt.Sprintln(string(text), err)
}

// TestRestoreGoesOn checks that a restored DB goes on where the other one ended:
// with tokens that are known, and tables that are told apart from earlier ones.
func TestRestoreGoesOn(t *testing.T) {
	t.Parallel()
	var first, second tape
	db := newDB(t, memory.WithJournal(&first))
	create(t, db, define("Gone", "pk:S"))
	create(t, db, define("Stays", "pk:S"))
	add := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken:     aws.String("once"),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: aws.String("Stays"), Key: item{"pk": str("a")}, UpdateExpression: aws.String("ADD n :n"),
			ExpressionAttributeValues: item{":n": num(1)},
		}}},
	}
	if _, err := db.TransactWriteItems(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	repeated, err := db.TransactWriteItems(t.Context(), add)
	if err != nil {
		t.Fatal(err)
	}
	stays, gone := id(t, db, "Stays"), id(t, db, "Gone")
	if _, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("Gone")}); err != nil {
		t.Fatal(err)
	}

	clock := memory.Clock(func() time.Time { return time.Unix(1_700_000_000, 0) })
	back, err := memory.Restore(played(first.changes), clock, memory.WithJournal(&second))
	if err != nil {
		t.Fatal(err)
	}
	if len(second.changes) != 0 {
		t.Errorf("the journal was told %d changes of before", len(second.changes))
	}
	again, err := back.TransactWriteItems(t.Context(), add)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(repeated.ConsumedCapacity, again.ConsumedCapacity, cmpopts.IgnoreUnexported(types.ConsumedCapacity{})); d != "" {
		t.Errorf("a repetition reports (-before +after):\n%s", d)
	}
	if got := get(t, back, "Stays", item{"pk": str("a")}); !cmp.Equal(got["n"], num(1), values) {
		t.Errorf("a transaction that was done before was done again: %v", got)
	}
	if got := id(t, back, "Stays"); got != stays {
		t.Errorf("table has the identifier %s, had %s", got, stays)
	}
	create(t, back, define("Gone", "pk:S"))
	if got := id(t, back, "Gone"); got == gone || got == stays {
		t.Errorf("a new table has the identifier %s of an earlier one", got)
	}
	put(t, back, "Gone", item{"pk": str("new")})
	last, err := memory.Restore(played(first.changes, second.changes), clock)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(look(t, back), look(t, last)); d != "" {
		t.Errorf("restored twice (-original +restored):\n%s", d)
	}
}

func id(t *testing.T, db *memory.DB, table string) string {
	t.Helper()
	out, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.Table.TableId)
}

// TestLateChanges checks that requests that were under way while their table went
// neither bring it back nor touch its successor.
func TestLateChanges(t *testing.T) {
	t.Parallel()
	var j tape
	db := newDB(t, memory.WithJournal(&j))
	create(t, db, define("Same", "pk:S"))
	put(t, db, "Same", item{"pk": str("late")})
	made, item1 := j.changes[0], j.changes[1]
	if _, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("Same")}); err != nil {
		t.Fatal(err)
	}
	create(t, db, define("Same", "pk:S"))
	back, err := memory.Restore(played(j.changes, []memory.Change{item1, made, item1}))
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Dump("Same"); got != db.Dump("Same") {
		t.Errorf("got %s, want an empty table", got)
	}
	if got, want := id(t, back, "Same"), id(t, db, "Same"); got != want {
		t.Errorf("got table %s, want %s", got, want)
	}
}

// TestJournalFails checks that no request that writes succeeds when its changes
// are not kept, that items then stay as they are, and that reads go on.
func TestJournalFails(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for name, fail := range map[string]func(*tape){
		"append": func(j *tape) { j.onAppend = full },
		"wait":   func(j *tape) { j.onWait = full },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j tape
			db := newDB(t, memory.WithJournal(&j))
			create(t, db, define("Tab", "pk:S"))
			create(t, db, define("Other", "pk:S"))
			put(t, db, "Tab", item{"pk": str("a")})
			before := db.Dump("Tab")
			fail(&j)
			for what, err := range writes(t, db) {
				if !errors.Is(err, full) {
					t.Errorf("%s: got %v, want an error that wraps the journal's", what, err)
				}
				if e, ok := errors.AsType[*types.InternalServerError](err); !ok || !strings.Contains(e.ErrorMessage(), "disk full") {
					t.Errorf("%s: got %v, want an InternalServerError that says why", what, err)
				}
			}
			if name == "append" && db.Dump("Tab") != before {
				t.Errorf("items changed though nothing was kept: %s", db.Dump("Tab"))
			}
			get(t, db, "Tab", item{"pk": str("a")})
		})
	}
}

// writes does one of each request that writes, each with something to change.
func writes(t *testing.T, db *memory.DB) map[string]error {
	ctx, table, arn := t.Context(), aws.String("Tab"), aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/Tab")
	it := item{"pk": str("b")}
	errs := make(map[string]error)
	_, errs["PutItem"] = db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: it})
	_, errs["UpdateItem"] = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: table, Key: item{"pk": str("c")}, UpdateExpression: aws.String("SET v = :v"), ExpressionAttributeValues: item{":v": num(1)},
	})
	_, errs["DeleteItem"] = db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: item{"pk": str("a")}})
	_, errs["BatchWriteItem"] = db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		"Tab": {{PutRequest: &types.PutRequest{Item: item{"pk": str("d")}}}},
	}})
	_, errs["TransactWriteItems"] = db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("x"),
		TransactItems:      []types.TransactWriteItem{{Put: &types.Put{TableName: table, Item: item{"pk": str("e")}}}},
	})
	_, errs["CreateTable"] = db.CreateTable(ctx, define("New", "pk:S"))
	_, errs["UpdateTable"] = db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: table, TableClass: types.TableClassStandardInfrequentAccess})
	_, errs["UpdateTimeToLive"] = db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("x"), Enabled: aws.Bool(true)},
	})
	_, errs["TagResource"] = db.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}})
	_, errs["UntagResource"] = db.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"k"}})
	_, errs["DeleteTable"] = db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("Other")})
	return errs
}

// TestWhoWaits checks that a request that writes waits for the journal once, even
// if it finds that there is nothing to change, and that others do not.
func TestWhoWaits(t *testing.T) {
	t.Parallel()
	var j tape
	db := newDB(t, memory.WithJournal(&j))
	create(t, db, define("Tab", "pk:S"))
	put(t, db, "Tab", item{"pk": str("a")})
	for _, tt := range []struct {
		name string
		want int
		do   func() error
	}{
		{"read", 0, func() error {
			_, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Tab")})
			return err
		}},
		{"the same item again", 1, func() error {
			_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Tab"), Item: item{"pk": str("a")}})
			return err
		}},
		{"batch of three", 1, func() error {
			var puts []types.WriteRequest
			for _, pk := range []string{"b", "c", "d"} {
				puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item{"pk": str(pk)}}})
			}
			_, err := db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Tab": puts}})
			return err
		}},
	} {
		before := j.waits
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := j.waits - before; got != tt.want {
			t.Errorf("%s waits %d times, want %d", tt.name, got, tt.want)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	j.waitsThen = cancel
	j.onWait = context.Canceled
	if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Tab"), Item: item{"pk": str("e")}}); err != context.Canceled {
		t.Errorf("got %v from a request that was given up, want its context's error", err)
	}
}

// TestRestoreRefuses checks that changes that make no sense are errors.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	var j tape
	db := newDB(t, memory.WithJournal(&j))
	create(t, db, define("Tab", "pk:S"))
	put(t, db, "Tab", item{"pk": str("a")})
	made, stored := j.changes[0], j.changes[1].Items[0]
	settings := func(from, to string) memory.Change {
		text := strings.Replace(string(made.Tables[0].Settings), from, to, 1)
		return memory.Change{Tables: []memory.TableChange{{Number: 1, Settings: []byte(text)}}}
	}
	for _, tt := range []struct {
		name    string
		changes []memory.Change
		want    string
	}{
		{"item of no table", []memory.Change{{Items: []memory.ItemChange{stored}}}, "the table is not known"},
		{"item without its key", []memory.Change{made, {Items: []memory.ItemChange{{Table: 1}}}}, "Missing the key pk"},
		{"deletion of something else", []memory.Change{made, {Items: []memory.ItemChange{{Table: 1, Gone: true}}}}, "does not match the schema"},
		{"settings cut off", []memory.Change{settings("}", "")}, "settings"},
		{"key of a set", []memory.Change{settings(`"kind":"S"`, `"kind":"SS"`)}, `"SS" is no kind of a key`},
		{"key that is not defined", []memory.Change{settings(`"hash":["pk"]`, `"hash":["qk"]`)}, `"qk" is not defined`},
		{"no key", []memory.Change{settings(`"hash":["pk"]`, `"hash":[]`)}, "without a partition key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := memory.Restore(played(tt.changes))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
	broken := errors.New("broken")
	_, err := memory.Restore(func(yield func(memory.Change, error) bool) { yield(memory.Change{}, broken) })
	if err != broken {
		t.Errorf("got %v, want the error of the sequence", err)
	}
}
