package ddb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// household stores a user with notes, orders and tasks, and an item that the
// table does not know.
func household(t *testing.T) (shop, ddb.CollectionOp) {
	t.Helper()
	s, db := open(t)
	put(t, s.users, User{ID: "u", Name: "张三"})
	put(t, s.notes, Note{UserID: "u", NoteID: "1", Text: "x"}, Note{UserID: "u", NoteID: "2"})
	put(t, s.tasks, Task{UserID: "u", TaskID: "1", State: "OPEN"})
	put(t, s.orders, order("u", "a", "2024-01-01T00:00:00Z", "NEW"), order("u", "b", "2024-02-01T00:00:00Z", "PAID"))
	table := "Shop"
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "USER#u"}, "SK": &types.AttributeValueMemberS{Value: "ROBOT#1"},
		"EntityType": &types.AttributeValueMemberS{Value: "Robot"},
	}}); err != nil {
		t.Fatal(err)
	}
	return s, s.table.Collection(s.users.Partition(User{ID: "u"}))
}

// label says which item a value of a collection is.
func label(v any) string {
	switch v := v.(type) {
	case User:
		return "user"
	case Note:
		return "note" + v.NoteID
	case Order:
		return "order" + v.OrderID
	case Task:
		return "task" + v.TaskID
	case map[string]types.AttributeValue:
		return "unknown"
	}
	return fmt.Sprintf("%T", v)
}

// TestCollectionsAsSequences asserts that a collection streams values of their
// own types in the order of the sort key, within ranges and filters, and what
// becomes of unknown ones.
func TestCollectionsAsSequences(t *testing.T) {
	t.Parallel()
	s, op := household(t)
	for name, c := range map[string]struct {
		op   ddb.CollectionOp
		want string
	}{
		"unknown kept":    {op.KeepUnknown(), "note1 note2 ordera orderb user unknown task1"},
		"unknown skipped": {op.SkipUnknown(), "note1 note2 ordera orderb user task1"},
		"page by page":    {op.SkipUnknown().PageSize(1), "note1 note2 ordera orderb user task1"},
		"limited":         {op.SkipUnknown().Desc().Limit(2), "task1 user"},
		"range":           {op.RawBetween("NOTE#2", "ORDER#2024-01-31"), "note2 ordera"},
		"from":            {op.RawFrom("S"), "task1"},
		"until":           {op.RawUntil("NOTE#1"), "note1"},
		"prefix":          {op.RawPrefix("NOTE#"), "note1 note2"},
		"some entities":   {op.Only(s.users, s.tasks), "user task1"},
		"filter":          {op.FilterExpr(expression.Name("Status").Equal(expression.Value("PAID"))), "orderb"},
		"both":            {op.Only(s.orders, s.users).FilterExpr(expression.Name("Status").NotEqual(expression.Value("PAID"))), "ordera user"},
	} {
		if got := names(t, c.op.All(t.Context()), label); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		loaded, err := c.op.Load(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for v := range loaded.Values() {
			got = append(got, label(v))
		}
		if strings.Join(got, " ") != c.want || loaded.Len() != len(got) {
			t.Errorf("%s: loaded %q, want %q", name, got, c.want)
		}
	}
	var last error
	for v, err := range op.All(t.Context()) {
		if last = err; err != nil && v != nil {
			t.Errorf("got %v beside an error", v)
		}
	}
	if !errors.Is(last, ddb.ErrEntityType) || !strings.Contains(last.Error(), "Robot") {
		t.Errorf("unknown: got %v, want ErrEntityType", last)
	}
}

// TestCollectionsGoOn asserts that a collection that was cut goes on behind its
// last item, and says when it is whole.
func TestCollectionsGoOn(t *testing.T) {
	t.Parallel()
	_, op := household(t)
	op = op.KeepUnknown()
	for _, limit := range []int{1, 2, 3, 7, 8} {
		var got []string
		for cursor, n := "", 0; ; n++ {
			page, err := op.Limit(limit).PageSize(4).Page(t.Context(), cursor)
			if err != nil || n > 8 {
				t.Fatalf("limit %d: got %v after %d pages", limit, err, n)
			}
			for v := range page.Values() {
				got = append(got, label(v))
			}
			if page.Complete() != (limit == 8) {
				t.Errorf("limit %d: complete is %t", limit, page.Complete())
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if want := "note1 note2 ordera orderb user unknown task1"; strings.Join(got, " ") != want {
			t.Errorf("limit %d: got %q, want %q", limit, got, want)
		}
	}
	part, err := op.Limit(3).Load(t.Context())
	if err != nil || part.Complete() || part.Next == "" {
		t.Fatalf("got %+v and %v, want a part", part, err)
	}
	rest, err := op.Page(t.Context(), part.Next)
	if err != nil || rest.Len() != 4 || len(rest.Unknown()) != 1 {
		t.Errorf("got %+v and %v, want the other four", rest, err)
	}
}

// TestCollectionFaults asserts what a collection refuses.
func TestCollectionFaults(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	other := newShop(unreachable{})
	op := s.table.Collection(s.users.Partition(User{ID: "u"}))
	for name, c := range map[string]struct {
		op ddb.CollectionOp
		is error
	}{
		"no partition":           {s.table.Collection(ddb.Partition{}), ddb.ErrIndex},
		"another table":          {s.table.Collection(other.users.Partition(User{ID: "u"})), ddb.ErrIndex},
		"unknown index":          {s.table.Collection(s.users.Partition(User{ID: "u"}).Index("GSI9")), ddb.ErrIndex},
		"no key":                 {s.table.Collection(s.users.Partition(User{})), ddb.ErrKey},
		"hydrate the table":      {op.Hydrate(), ddb.ErrIndex},
		"no entity":              {op.Only(), ddb.ErrExpression},
		"negative limit":         {op.Limit(-1), ddb.ErrRange},
		"reversed range":         {op.RawBetween("B", "A"), ddb.ErrRange},
		"prefix and bound":       {op.RawPrefix("B").RawFrom("A"), ddb.ErrRange},
		"bound that is no text":  {op.RawFrom("\xff"), ddb.ErrRange},
		"consistent on an index": {s.table.Collection(s.orders.Partition(Order{Status: "s"}).Index("GSI1")).Consistent(), ddb.ErrIndex},
	} {
		if _, err := c.op.Load(t.Context()); !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want %v", name, err, c.is)
		}
	}
}

// TestRawRangeFaults asserts what raw bounds of a query refuse.
func TestRawRangeFaults(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	q := s.orders.Query(Order{UserID: "u"})
	placed := Order{PlacedAt: at("2024-01-01T00:00:00Z")}
	fixed := Order{UserID: "u", PlacedAt: placed.PlacedAt, OrderID: "o"}
	for name, q := range map[string]ddb.QueryOp[Order]{
		"outside":                    q.RawBetween("A", "B"),
		"prefix outside":             q.RawPrefix("NOTE#"),
		"reversed":                   q.RawBetween("ORDER#b", "ORDER#a"),
		"beside a range":             q.RawFrom("ORDER#a").After(placed),
		"beside a prefix":            q.RawFrom("ORDER#a").Prefix(placed),
		"everything fixed":           s.orders.Query(fixed).RawFrom("ORDER#"),
		"anywhere, with parts":       s.orders.Query(Order{UserID: "u", PlacedAt: placed.PlacedAt}).AnySortKey(),
		"anywhere, with range":       q.AnySortKey().From(placed),
		"no text":                    q.RawFrom("ORDER#\xff"),
		"prefix twice":               q.Prefix(placed).StartsWith(placed),
		"begun time":                 q.StartsWith(placed),
		"begun and a bound":          q.StartsWith(fixed).From(placed),
		"range behind the whole key": q.Prefix(Order{PlacedAt: placed.PlacedAt, OrderID: "o"}).From(placed),
	} {
		if _, err := q.Count(t.Context()); !errors.Is(err, ddb.ErrRange) {
			t.Errorf("%s: got %v, want ErrRange", name, err)
		}
	}
}

// TestRawRangesOfPlainKeys asserts raw bounds and prefixes of numeric, text and
// binary sort keys.
func TestRawRangesOfPlainKeys(t *testing.T) {
	t.Parallel()
	type Blob struct {
		_    ddb.Entity `pk:"{Box}" sk:"{Sum}"`
		_    ddb.Index  `name:"ByName" pk:"{Box}" sk:"{Name}"`
		_    ddb.Index  `name:"BySize" pk:"{Box}" sk:"{Size}"`
		Box  string
		Sum  []byte
		Name string
		Size int
	}
	blobs, _ := define[Blob](t, ddb.Keys("Box", "Sum"), ddb.GSI("ByName", "Box", "Name"), ddb.GSI("BySize", "Box", "Size"))
	put(t, blobs, Blob{Box: "b", Sum: []byte{1, 0xff}, Name: "ann", Size: 9}, Blob{Box: "b", Sum: []byte{1, 2}, Name: "anna", Size: 10}, Blob{Box: "b", Sum: []byte{2}, Name: "bob", Size: -3})
	sum, name, size := blobs.Query(Blob{Box: "b"}), blobs.Query(Blob{Box: "b"}).Index("ByName"), blobs.Query(Blob{Box: "b"}).Index("BySize")
	for want, q := range map[string]ddb.QueryOp[Blob]{
		"anna ann":     sum.RawPrefix("\x01"),
		"ann bob":      sum.RawFrom("\x01\xff"),
		"ann":          sum.Prefix(Blob{Sum: []byte{1, 0xff}}),
		"ann anna":     name.StartsWith(Blob{Name: "ann"}),
		"anna bob":     name.RawFrom("anna"),
		"ann anna bob": name.RawBetween("a", "c"),
		"bob ann":      size.RawBetween("-3", "9.5"),
		"anna":         size.Prefix(Blob{Size: 10}),
	} {
		if got := names(t, q.All(t.Context()), func(b Blob) string { return b.Name }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for name, q := range map[string]ddb.QueryOp[Blob]{
		"number from text": size.RawFrom("x"), "prefix of a number": size.RawPrefix("1"), "beginning of a number": size.StartsWith(Blob{Size: 1}),
		"reversed numbers": size.RawBetween("10", "9"), "nothing to begin with": name.StartsWith(Blob{}), "value and a bound": name.Prefix(Blob{Name: "a"}).From(Blob{Name: "b"}),
	} {
		if _, err := q.Count(t.Context()); !errors.Is(err, ddb.ErrRange) {
			t.Errorf("%s: got %v, want ErrRange", name, err)
		}
	}
}

// TestAnySortKey asserts that items are found whose sort keys do not follow the
// template, and only those of the entity.
func TestAnySortKey(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	put(t, s.notes, Note{UserID: "u", NoteID: "new"})
	put(t, s.users, User{ID: "u"})
	n := Note{UserID: "u", NoteID: "old", Text: "x"}
	item, err := s.notes.Item(&n)
	if err != nil {
		t.Fatal(err)
	}
	item["SK"] = &types.AttributeValueMemberS{Value: "MEMO-old"}
	table := "Shop"
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
	q := s.notes.Query(Note{UserID: "u"})
	for want, q := range map[string]ddb.QueryOp[Note]{"new": q, "old new": q.AnySortKey(), "old": q.AnySortKey().RawPrefix("MEMO"), "": q.AnySortKey().RawFrom("O")} {
		if got := names(t, q.All(t.Context()), noteID); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
