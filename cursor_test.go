package ddb_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// TestCursorsBelongToTheirRead asserts what a cursor opens for, and that it
// refuses everything else before any call.
func TestCursorsBelongToTheirRead(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 9 {
		put(t, s.orders, order("u", fmt.Sprint(i), "2024-01-01T00:00:00Z", "NEW"))
	}
	ctx := t.Context()
	q := s.orders.Query(Order{UserID: "u"}).Limit(2)
	index := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Limit(2)
	scan := s.orders.ParallelScan(2).Limit(2)
	c := s.table.Collection(s.users.Partition(User{ID: "u"})).Limit(2)
	query := func(q ddb.QueryOp[Order]) func(string) error {
		return func(cursor string) error { _, err := q.Page(ctx, cursor); return err }
	}
	scanned := func(s ddb.ScanOp[Order]) func(string) error {
		return func(cursor string) error { _, err := s.Page(ctx, cursor); return err }
	}
	collected := func(c ddb.CollectionOp) func(string) error {
		return func(cursor string) error { _, err := c.Page(ctx, cursor); return err }
	}
	first, err := q.Page(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	ofIndex, err := index.Page(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	ofScan, err := scan.Page(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	ofCollection, err := c.Page(ctx, "")
	if err != nil || ofCollection.Len() != 2 || ofCollection.Complete() {
		t.Fatalf("got %+v and %v, want two items", ofCollection, err)
	}
	for name, c := range map[string]struct {
		cursor string
		open   func(string) error
		fits   bool
	}{
		"same":              {first.Next, query(q), true},
		"limit":             {first.Next, query(q.Limit(5).PageSize(1)), true},
		"consistency":       {first.Next, query(q.Consistent()), true},
		"projection":        {first.Next, query(q.Project(s.total)), true},
		"hydration":         {ofIndex.Next, query(index.Hydrate()), true},
		"name":              {first.Next, query(q.Named("x")), true},
		"capacity":          {first.Next, query(q.ReturnConsumedCapacity(types.ReturnConsumedCapacityTotal)), true},
		"direction":         {first.Next, query(q.Desc()), false},
		"range":             {first.Next, query(q.Prefix(Order{PlacedAt: at("2024-01-01T00:00:00Z")})), false},
		"raw range":         {first.Next, query(q.RawFrom("ORDER#1")), false},
		"filter":            {first.Next, query(q.Filter(s.total.Gt(1))), false},
		"filter's value":    {first.Next, query(q.Filter(s.status.Eq("NEW"))), false},
		"index":             {first.Next, query(index), false},
		"partition":         {first.Next, query(s.orders.Query(Order{UserID: "v"})), false},
		"collection":        {first.Next, collected(c), false},
		"scan":              {first.Next, scanned(scan), false},
		"same collection":   {ofCollection.Next, collected(c.Limit(1)), true},
		"other collection":  {ofCollection.Next, collected(c.Only(s.orders)), false},
		"same scan":         {ofScan.Next, scanned(scan.Limit(1)), true},
		"other segments":    {ofScan.Next, scanned(s.orders.ParallelScan(3)), false},
		"one segment of it": {ofScan.Next, scanned(s.orders.ScanSegment(0, 2)), false},
		"scan's filter":     {ofScan.Next, scanned(scan.Filter(s.total.Gt(1))), false},
		"too long":          {strings.Repeat("A", 1<<20), query(q), false},
		"line break":        {first.Next + "\n", query(q), false},
		"other version":     {"Ag" + first.Next[2:], query(q), false},
	} {
		if err := c.open(c.cursor); c.fits != (err == nil) || err != nil && !errors.Is(err, ddb.ErrCursor) {
			t.Errorf("%s: got %v, want that it fits: %t", name, err, c.fits)
		}
	}
}

// TestCursorsOfNumericKeys asserts that positions keep the types of keys.
func TestCursorsOfNumericKeys(t *testing.T) {
	t.Parallel()
	type Entry struct {
		_    ddb.Entity `pk:"{Log}" sk:"{Line}"`
		Log  string
		Line int
	}
	entries, _ := define[Entry](t, ddb.Keys("Log", "Line"))
	for i := range 3 {
		put(t, entries, Entry{Log: "l", Line: i})
	}
	q := entries.Query(Entry{Log: "l"}).Limit(1)
	page, err := q.Page(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(page.Next)
	if err != nil || !strings.Contains(string(raw), `{"N":"0"}`) {
		t.Fatalf("got %q and %v, want a number in the position", raw, err)
	}
	if page, err = q.Page(t.Context(), page.Next); err != nil || page.Items[0].Line != 1 {
		t.Errorf("got %+v and %v, want the line 1", page, err)
	}
}

// TestCursorNeedsKeys asserts that a projection by hand without the keys is an
// error where a cursor would lead astray.
func TestCursorNeedsKeys(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i := range 4 {
		put(t, s.orders, order("u", fmt.Sprint(i), "2024-01-01T00:00:00Z", "NEW"))
	}
	q := s.orders.Query(Order{UserID: "u"}).Limit(1).PageSize(3).Filter(s.total.Ge(0)).Edit(func(in *dynamodb.QueryInput) {
		in.ExpressionAttributeNames["#type"] = "EntityType"
		in.ProjectionExpression = aws.String("#type")
	})
	if _, err := q.Page(t.Context(), ""); !errors.Is(err, ddb.ErrCursor) || !strings.Contains(err.Error(), "project the keys") {
		t.Errorf("got %v, want ErrCursor that says what is missing", err)
	}
}
