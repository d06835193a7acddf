package ddb_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// TestMisusedReads asserts what a read that means something else than it says fails
// with, before any call: the whole text, which names table, index, entity and field.
func TestMisusedReads(t *testing.T) {
	t.Parallel()
	s, other := newShop(unreachable{}), newShop(unreachable{})
	ctx := t.Context()
	orders := s.orders.Query(Order{UserID: "u"})
	byStatus := s.orders.Query(Order{Status: "x"}).Index("GSI1")
	april, may := at("2024-04-01T00:00:00Z"), at("2024-05-01T00:00:00Z")
	const foreign = "bad expression: the handle belongs to another definition, in table Shop; make one of this"
	const elsewhere = "bad range: the bound names another partition than the query's key"
	for name, test := range map[string]struct {
		err  error
		is   error
		want string
	}{
		"filter by another table": {failure(orders.Filter(other.status.Eq("x")).First(ctx)), ddb.ErrExpression, "ddb: Query Shop: Order.Status: " + foreign},
		"comparison with another": {failure(orders.Filter(s.status.EqAttr(other.product)).First(ctx)), ddb.ErrExpression, "ddb: Query Shop: Order.ProductID: " + foreign},
		"scan by another":         {failure(s.orders.Scan().Filter(other.status.Eq("x")).First(ctx)), ddb.ErrExpression, "ddb: Scan Shop: Order.Status: " + foreign},
		"projection of another":   {failure(s.orders.Get(Order{UserID: "u", OrderID: "1", PlacedAt: may}).Project(other.status).Run(ctx)), ddb.ErrExpression, "ddb: GetItem Shop: Order.Status: " + foreign},
		"only another's": {
			failure(s.table.Collection(s.orders.Partition(Order{UserID: "u"})).Only(other.orders).Load(ctx)), ddb.ErrExpression,
			"ddb: Query Shop: bad expression: Only was given nil or an entity of another table",
		},
		"from another partition":    {failure(orders.From(Order{UserID: "v", PlacedAt: may}).First(ctx)), ddb.ErrRange, "ddb: Query Shop: Order.UserID: " + elsewhere},
		"before another partition":  {failure(orders.Before(Order{UserID: "v", PlacedAt: may}).First(ctx)), ddb.ErrRange, "ddb: Query Shop: Order.UserID: " + elsewhere},
		"under another partition":   {failure(orders.Prefix(Order{UserID: "v", PlacedAt: may}).First(ctx)), ddb.ErrRange, "ddb: Query Shop: Order.UserID: " + elsewhere},
		"another partition's index": {failure(byStatus.Until(Order{Status: "y", PlacedAt: may}).First(ctx)), ddb.ErrRange, "ddb: Query Shop.GSI1: Order.Status: " + elsewhere},
		"reversed bounds": {
			failure(byStatus.Between(Order{PlacedAt: may}, Order{PlacedAt: april}).First(ctx)), ddb.ErrRange,
			"ddb: Query Shop.GSI1: Order.PlacedAt: bad range: the lower bound is above the upper one",
		},
		"reversed in the second part": {
			failure(byStatus.Between(Order{PlacedAt: may, OrderID: "2"}, Order{PlacedAt: may, OrderID: "1"}).First(ctx)), ddb.ErrRange,
			"ddb: Query Shop.GSI1: Order.OrderID: bad range: the lower bound is above the upper one",
		},
		"bound with a gap": {
			failure(byStatus.From(Order{OrderID: "2"}).First(ctx)), ddb.ErrRange,
			`ddb: Query Shop.GSI1: Order.PlacedAt: bad range: it is not given; give the parts of the sort key "{PlacedAt}#{OrderID}" from left to right`,
		},
		"page":      {failure(orders.Limit(-1).Page(ctx, "")), ddb.ErrRange, "ddb: Query Shop: Order: bad range: Limit cannot be negative"},
		"page size": {failure(orders.PageSize(-1).Count(ctx)), ddb.ErrRange, "ddb: Query Shop: Order: bad range: PageSize cannot be negative"},
		"pages":     {failure(s.orders.Scan().MaxPages(-1).Count(ctx)), ddb.ErrRange, "ddb: Scan Shop: Order: bad range: MaxPages cannot be negative"},
		"event":     {failure(ddb.NewChanges(s.table).Invoke(ctx, []byte("null"))), ddb.ErrDecode, "ddb: event: attribute cannot be read: the event has no Records; is a stream its source?"},
	} {
		if !errors.Is(test.err, test.is) || test.err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, test.err, test.want)
		}
	}
}

// TestSamePartition asserts that bounds may repeat what the query's key says.
func TestSamePartition(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	o := Order{UserID: "u", OrderID: "1", Status: "x", PlacedAt: at("2024-05-01T00:00:00Z")}
	put(t, s.orders, o)
	got, err := s.orders.Query(Order{UserID: "u"}).Between(o, o).One(t.Context())
	if diff := cmp.Diff(o, got, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestCollectionOfAnotherDefinition asserts that Of goes by the type alone.
func TestCollectionOfAnotherDefinition(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s.notes, Note{UserID: "u", NoteID: "1"})
	put(t, s.users, User{ID: "u", Email: "e"})
	c, err := s.table.Collection(s.notes.Partition(Note{UserID: "u"})).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*ddb.Definition[Note]{"its own": s.notes, "another table's": newShop(unreachable{}).notes, "none": nil} {
		if got := ddb.Of(c, d); len(got) != 1 {
			t.Errorf("%s: got %v, want the note", name, got)
		}
	}
}

// TestEditedToCount asserts that items which are only counted are no empty result.
func TestEditedToCount(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	put(t, s.notes, Note{UserID: "u", NoteID: "1"})
	q := s.notes.Query(Note{UserID: "u"}).Edit(func(in *dynamodb.QueryInput) { in.Select = types.SelectCount })
	scan := s.notes.Scan().Edit(func(in *dynamodb.ScanInput) { in.Select = types.SelectCount })
	for name, err := range map[string]error{"query": lastOf(q.All(ctx)), "scan": lastOf(scan.All(ctx))} {
		if !errors.Is(err, ddb.ErrExpression) {
			t.Errorf("%s: got %v, want ErrExpression", name, err)
		}
	}
	if n, err := q.Count(ctx); n != 1 || err != nil {
		t.Errorf("got %d and %v, want 1", n, err)
	}
}

// TestDiscriminatorOfAnotherType asserts that all reads say the same of an item whose
// discriminator is no string.
func TestDiscriminatorOfAnotherType(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	it, err := s.notes.Item(&Note{UserID: "u", NoteID: "1"})
	if err != nil {
		t.Fatal(err)
	}
	it["EntityType"] = &types.AttributeValueMemberN{Value: "5"}
	if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Shop"), Item: it}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"get":        {failure(s.notes.Get(Note{UserID: "u", NoteID: "1"}).Run(ctx)), "ddb: GetItem Shop: Note: unexpected entity type: attribute EntityType of the item is no string; write items through ddb or add it"},
		"collection": {failure(s.table.Collection(s.notes.Partition(Note{UserID: "u"})).Load(ctx)), "ddb: Query Shop: unexpected entity type: attribute EntityType of the item is no string; write items through ddb, or use KeepUnknown or SkipUnknown"},
		"verify":     {s.table.Verify(it), "ddb: Verify Shop: unexpected entity type: attribute EntityType of the item is no string; add it"},
	} {
		if !errors.Is(test.err, ddb.ErrEntityType) || test.err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, test.err, test.want)
		}
	}
}
