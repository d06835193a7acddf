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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// What becomes of markers that are left behind, missing, or wanted by several.

// TestMarkersLeftBehind asserts that the marker of an item that has gone or
// changed by other hands is taken over, and that one whose owner has the value, or
// is not known, is not.
func TestMarkersLeftBehind(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	raw := func(change func(item map[string]types.AttributeValue)) {
		t.Helper()
		item, err := c.members.Item(&Member{ID: "a", Email: "a@x", Phone: "1"})
		if err != nil {
			t.Fatal(err)
		}
		change(item)
		if _, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Club"), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, c.members, Member{ID: "a", Email: "a@x", Phone: "1"})
	raw(func(item map[string]types.AttributeValue) { delete(item, "Phone") })
	put(t, c.clerks, Clerk{ID: "k", Phone: "1"})
	wantTaken(t, c.members.Create(&Member{ID: "b", Email: "a@x"}).Run(ctx), "Member", "Email")
	raw(func(item map[string]types.AttributeValue) {
		item["Email"] = &types.AttributeValueMemberS{Value: "other@x"}
		item["Phone"] = &types.AttributeValueMemberS{Value: "1"}
	})
	put(t, c.members, Member{ID: "b", Email: "a@x"})
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#a@x": "MEMBER#b", "UNIQUE#phone#1": "CLERK#k"})

	// What a never claimed, a cannot free.
	if err := c.members.Delete(Member{ID: "a"}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#a@x": "MEMBER#b", "UNIQUE#phone#1": "CLERK#k"})

	// Two markers of one owner that has gone.
	put(t, c.members, Member{ID: "g", Email: "g@x", Phone: "g"})
	key, err := c.members.Get(Member{ID: "g"}).Input()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: key.TableName, Key: key.Key}); err != nil {
		t.Fatal(err)
	}
	put(t, c.members, Member{ID: "h", Email: "g@x", Phone: "g"})
	put(t, c.members, Member{ID: "g", Email: "new@x"})

	marker := map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "UNIQUE#Member.Email#ghost"}, "SK": &types.AttributeValueMemberS{Value: "UNIQUE#Member.Email#ghost"},
		"EntityType": &types.AttributeValueMemberS{Value: "UNIQUE"},
	}
	if _, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Club"), Item: marker}); err != nil {
		t.Fatal(err)
	}
	if taken := wantTaken(t, c.members.Create(&Member{ID: "i", Email: "ghost"}).Run(ctx), "Member", "Email"); taken.Owner != nil {
		t.Errorf("got the owner %v of a marker that names none", taken.Owner)
	}
}

// TestItemsFromBeforeTheTag asserts that items without markers can be changed and
// deleted, and that their values can be claimed.
func TestItemsFromBeforeTheTag(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	for _, m := range []Member{{ID: "a", Email: "a@x"}, {ID: "b", Email: "b@x"}, {ID: "c", Email: "A@x"}, {ID: "d", Email: "d@x"}} {
		item, err := c.members.Item(&m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Club"), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.members.Update(Member{ID: "b"}).Set(c.email.To("b2@x")).Run(ctx); err != nil {
		t.Error(err)
	}
	if err := c.members.Delete(Member{ID: "d"}).Run(ctx); err != nil {
		t.Error(err)
	}
	var refused []string
	for range 2 { // it can be repeated
		refused = nil
		for m, err := range c.members.Scan().All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if err := c.members.ClaimUnique(ctx, m); errors.Is(err, ddb.ErrUnique) {
				refused = append(refused, m.ID)
			} else if err != nil {
				t.Error(err)
			}
		}
	}
	markers, _ := c.items(t)
	owner := strings.TrimPrefix(markers["UNIQUE#Member.Email#a@x"], "MEMBER#")
	if len(markers) != 2 || len(refused) != 1 || !slices.Contains([]string{"a", "c"}, owner) || owner == refused[0] {
		t.Fatalf("got markers %v and refused %v, want one of a and c refused", markers, refused)
	}
	// The one without a marker does not free the other's.
	if err := c.members.Delete(Member{ID: refused[0]}).Run(ctx); err != nil {
		t.Error(err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#a@x": "MEMBER#" + owner, "UNIQUE#Member.Email#b2@x": "MEMBER#b"})
	if err := c.clerks.ClaimUnique(ctx, Clerk{ID: "k"}); err != nil {
		t.Errorf("nothing to claim: %v", err)
	}
}

// TestMarkersAreNoChanges asserts that handlers of changes see the items and none of
// their markers, whatever the stream shows.
func TestMarkersAreNoChanges(t *testing.T) {
	t.Parallel()
	c := clubOn(unreachable{})
	changes := ddb.NewChanges(c.table)
	var seen []string
	ddb.OnInsert(changes, c.members, func(_ context.Context, ch ddb.Change[Member]) error {
		seen = append(seen, ch.Key.ID)
		return nil
	})
	in, err := ddb.Transact(c.members.Create(&Member{ID: "a", Email: "a@x", Phone: "1"})).Input(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, images := range []bool{true, false} {
		var records []ddb.Record
		for i, action := range in.TransactItems {
			item := action.Put.Item
			r := ddb.Record{
				EventID: fmt.Sprint(i), Kind: ddb.Inserted, Keys: map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"]},
			}
			if images {
				r.New = item
			}
			records = append(records, r)
		}
		if err := changes.Handle(t.Context(), records...); err != nil || len(records) != 3 {
			t.Errorf("images %t: %v of %d records", images, err, len(records))
		}
	}
	if diff := cmp.Diff([]string{"a", "a"}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOneOfManyGetsTheValue asserts that of many writes that claim one value at
// once one succeeds, whatever the verb.
func TestOneOfManyGetsTheValue(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	var wins, updates atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			err := c.members.Create(&Member{ID: fmt.Sprint("c", i), Email: "john@example.com"}).Run(context.Background())
			if err == nil {
				wins.Add(1)
			} else if !errors.Is(err, ddb.ErrUnique) {
				t.Error(err)
			}
		})
	}
	for i := range 8 {
		put(t, c.members, Member{ID: fmt.Sprint("u", i), Email: fmt.Sprint("u", i)})
	}
	for i := range 16 {
		wg.Go(func() {
			_, err := c.members.Update(Member{ID: fmt.Sprint("u", i%8)}).Set(c.email.To(fmt.Sprint("w", i%4))).Run(context.Background())
			if err == nil {
				updates.Add(1)
			} else if !errors.Is(err, ddb.ErrUnique) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 {
		t.Errorf("got %d winners, want 1", wins.Load())
	}
	markers, others := c.items(t)
	if others != 9 || len(markers) != 9 {
		t.Errorf("got %d items and the markers %v, want 9 each", others, markers)
	}
	inUse := make(map[string]string)
	for m, err := range c.members.Scan().All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		inUse["UNIQUE#Member.Email#"+m.Email] = "MEMBER#" + m.ID
	}
	c.wantMarkers(t, inUse)
}

// TestReasonsToStartAnew asserts that a transaction which failed because its reads
// were overtaken starts anew, also beside a conflict, but not beside a condition
// that was not met.
func TestReasonsToStartAnew(t *testing.T) {
	t.Parallel()
	changed := types.CancellationReason{
		Code: aws.String("ConditionalCheckFailed"), Item: map[string]types.AttributeValue{"Email": &types.AttributeValueMemberS{Value: "other"}},
	}
	none, conflict := types.CancellationReason{Code: aws.String("None")}, types.CancellationReason{Code: aws.String("TransactionConflict")}
	failed := types.CancellationReason{Code: aws.String("ConditionalCheckFailed")}
	for _, test := range []struct {
		name  string
		first types.CancellationReason // of the check beside the update
		is    error
	}{
		{"alone", none, nil}, {"beside a conflict", conflict, nil}, {"beside a condition", failed, ddb.ErrNotFound},
	} {
		c := openClub(t)
		put(t, c.members, Member{ID: "a", Email: "a"})
		put(t, c.clerks, Clerk{ID: "k"})
		reasons := []types.CancellationReason{test.first, changed, none, none}
		stop := c.db.Inject(memory.FailBefore(&types.TransactionCanceledException{CancellationReasons: reasons}), memory.OnOperation("TransactWriteItems"), memory.FirstCalls(1))
		err := ddb.Transact(c.clerks.Check(Clerk{ID: "k"}), c.members.Update(Member{ID: "a"}).Set(c.email.To("b"))).Run(t.Context())
		stop()
		want := "b"
		if test.is != nil {
			want = "a"
		}
		if !errors.Is(err, test.is) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.is)
		}
		c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#" + want: "MEMBER#a"})
	}
}

// TestOneItemChangedByMany asserts that changes of one item's unique value that
// meet are all made, one after the other, and leave one marker.
func TestOneItemChangedByMany(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	put(t, c.members, Member{ID: "a", Email: "start"})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			op := c.members.Update(Member{ID: "a"}).Set(c.email.To(fmt.Sprint("e", i)), c.visits.Add(1))
			if i%2 == 0 {
				if err := ddb.Transact(op).Run(context.Background()); err != nil {
					t.Error(err)
				}
			} else if _, err := op.Run(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	m, err := c.members.Get(Member{ID: "a"}).Run(t.Context())
	if err != nil || m.Visits != 8 {
		t.Errorf("got %d visits and %v, want 8", m.Visits, err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#" + m.Email: "MEMBER#a"})
}
