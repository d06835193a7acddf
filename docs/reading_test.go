package docs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestReadingCode promises that all code of reading.md stands in this file.
func TestReadingCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "reading.md", 15, "reading_test.go")
}

// Task lies in an index of keys only.
type Task struct {
	_ ddb.Entity `name:"Task" pk:"TASK#{ID}" sk:"TASK"`
	_ ddb.Index  `name:"ByOwner" pk:"OWNER#{Owner}" sk:"{ID}"`

	ID, Owner, Text string
}

// printed runs a part of the guide and returns what it prints.
func printed(t *testing.T, run func(w io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	must(t, run(&out))
	return out.String()
}

// printer stands for package fmt in the parts of the guide.
type printer struct{ w io.Writer }

func (p printer) Println(a ...any) { fmt.Fprintln(p.w, a...) }

// TestReadingOne runs the parts on single items.
func TestReadingOne(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	users, orders, ctx := s.users, s.orders, t.Context()
	name := ddb.Field(users, func(u *User) *string { return &u.Name })
	one := func() error {
		user, err := users.Get(User{ID: "12345"}).Run(ctx)
		if errors.Is(err, ddb.ErrNotFound) {
			return err
		}
		equal(t, "name", user.Name, "John")
		return err
	}
	must(t, one())
	several := func() error {
		var user ddb.Result[User]
		var order ddb.Result[Order]
		err := ddb.BatchGet(
			users.Get(User{ID: "12345"}).Into(&user),
			orders.Get(Order{UserID: "12345", OrderID: "2024-001"}).Into(&order),
		).Run(ctx)
		equal(t, "found", []bool{user.Found, order.Found}, []bool{true, true})
		return err
	}
	must(t, several())
	names, err := users.Get(User{ID: "12345"}).Project(name).Run(ctx)
	must(t, err)
	equal(t, "projected", []string{names.ID, names.Name, names.Email}, []string{"12345", "John", ""})
}

// TestReadingQueries runs the parts on queries, limits and pages.
func TestReadingQueries(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	orders, ctx := s.orders, t.Context()
	status := ddb.Field(orders, func(o *Order) *string { return &o.Status })
	equal(t, "in order", printed(t, func(w io.Writer) error {
		fmt := printer{w}
		q := orders.Query(Order{UserID: "12345"})
		for order, err := range q.Desc().Limit(20).All(ctx) {
			if err != nil {
				return err
			}
			fmt.Println(order.OrderID)
		}
		return nil
	}), "2024-010\n2024-002\n2024-001\n")
	may := orders.Query(Order{UserID: "U001"}).Index("GSI2").
		Between(Order{PlacedAt: at("2024-05-01T00:00:00Z")}, Order{PlacedAt: at("2024-05-31T23:59:59Z")})
	equal(t, "May", all(t, may, orderID), []string{"ORD008", "ORD009"})
	open, err := orders.Query(Order{UserID: "12345"}).Filter(status.Eq("PENDING")).First(ctx)
	must(t, err)
	equal(t, "first", open.OrderID, "2024-001")
	n, err := orders.Query(Order{UserID: "12345"}).Filter(status.Eq("PENDING")).Count(ctx)
	must(t, err)
	equal(t, "count", n, 2)
	var pages []int
	cursor := ""
	turn := func() error {
		page, err := orders.Query(Order{UserID: "12345"}).Limit(2).Page(ctx, cursor)
		if errors.Is(err, ddb.ErrCursor) {
			return err // a bad request: the client's cursor is of another query, or was tampered with
		}
		cursor = page.Next
		pages = append(pages, len(page.Items))
		return err
	}
	must(t, turn())
	must(t, turn())
	equal(t, "pages", pages, []int{2, 1})
	equal(t, "costs", printed(t, func(w io.Writer) error {
		fmt := printer{w}
		for page, err := range orders.Query(Order{UserID: "12345"}).ReturnConsumedCapacity(types.ReturnConsumedCapacityTotal).PageSize(2).Pages(ctx) {
			if err != nil {
				return err
			}
			fmt.Println(len(page.Items), page.ScannedCount, page.Requests, *page.ConsumedCapacity.CapacityUnits)
		}
		return nil
	}), "2 2 1 0.5\n1 1 1 0.5\n")
	total, err := ddb.Sum(ctx, orders.Query(Order{PlacedAt: at("2024-01-01T00:00:00Z")}).Index("GSI5"), func(o Order) int { return o.Amount })
	must(t, err)
	equal(t, "sum", total, 0)
}

// TestReadingThinIndexes runs the part on indexes that carry keys.
func TestReadingThinIndexes(t *testing.T) {
	t.Parallel()
	db, ctx := memory.New(), t.Context()
	table := ddb.NewTable("Tasks", db, ddb.GSI("ByOwner", "OwnerPK", "OwnerSK", ddb.KeysOnly()))
	tasks := ddb.Define[Task](table)
	create(t, db, table)
	for _, id := range []string{"1", "2"} {
		must(t, tasks.Create(&Task{ID: id, Owner: "ann", Text: "text of " + id}).Run(ctx))
	}
	equal(t, "hydrated", printed(t, func(w io.Writer) error {
		fmt := printer{w}
		for task, err := range tasks.Query(Task{Owner: "ann"}).Index("ByOwner").Hydrate().All(ctx) {
			if err != nil {
				return err
			}
			fmt.Println(task.ID, task.Text)
		}
		return nil
	}), "1 text of 1\n2 text of 2\n")
}

// TestReadingSeveralEntities runs the parts on collections and scans.
func TestReadingSeveralEntities(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	table, users, addresses, orders, ctx := s.table, s.users, s.addresses, s.orders, t.Context()
	load := func() error {
		c, err := table.Collection(users.Partition(User{ID: "12345"})).Load(ctx)
		if err != nil {
			return err
		}
		us, as, os := ddb.Of(c, users), ddb.Of(c, addresses), ddb.Of(c, orders)
		equal(t, "loaded", []int{len(us), len(as), len(os)}, []int{1, 1, 3})
		return nil
	}
	must(t, load())
	equal(t, "streamed", printed(t, func(w io.Writer) error {
		fmt := printer{w}
		for v, err := range table.Collection(users.Partition(User{ID: "12345"})).RawFrom("ORDER#").SkipUnknown().All(ctx) {
			if err != nil {
				return err
			}
			switch v := v.(type) {
			case User:
				fmt.Println("user", v.Name)
			case Order:
				fmt.Println("order", v.OrderID)
			}
		}
		return nil
	}), "order 2024-001\norder 2024-002\norder 2024-010\nuser John\n")
	seen := make(chan string, 10)
	reindex := func(_ context.Context, o Order) error {
		seen <- o.OrderID
		return nil
	}
	err := ddb.Each(ctx, orders.ParallelScan(8).PageSize(100).Named("reindex"), func(ctx context.Context, o Order) error {
		return reindex(ctx, o)
	})
	must(t, err)
	equal(t, "scanned", len(seen), 6)
}

// TestReadingObserved runs the part on observers.
func TestReadingObserved(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	slog := slog.New(slog.NewTextHandler(&out, nil))
	db := memory.New()
	table := ddb.NewTable("AppTable", db, ddb.Observe(func(ctx context.Context, c ddb.Call) {
		slog.InfoContext(ctx, "dynamodb", "call", c)
	}))
	users := ddb.Define[User](table)
	create(t, db, table)
	if _, err := users.Get(User{ID: "12345"}).Named("user by id").Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `msg=dynamodb call.op=GetItem call.table=AppTable call.entity=User call.pattern="user by id"`) ||
		strings.Contains(got, "12345") {
		t.Errorf("got %s", got)
	}
}
