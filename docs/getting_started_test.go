package docs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

// TestGettingStartedCode promises that all code of getting-started.md stands here,
// and is therefore compiled and run.
func TestGettingStartedCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "getting-started.md", 9, "getting_started_test.go")
}

type Reader struct {
	_ ddb.Entity `name:"Reader" pk:"READER#{ID}" sk:"PROFILE"`

	ID    string
	Name  string
	Loans int // how many books are out
}

type Loan struct {
	_ ddb.Entity `name:"Loan" pk:"READER#{ReaderID}" sk:"LOAN#{Since}#{BookID}"`
	_ ddb.Index  `name:"GSI1" pk:"DUE#{Due:2006-01-02}" sk:"{ReaderID}#{BookID}"`

	ReaderID string
	BookID   string
	Since    time.Time
	Due      time.Time `dynamodbav:",omitempty"` // empty once the book is back
}

// Library is the application: its table, and what it does with it.
type Library struct {
	Table   *ddb.Table
	Readers *ddb.Definition[Reader]
	Loans   *ddb.Definition[Loan]

	out ddb.Attribute[Reader, int]
	due ddb.Attribute[Loan, time.Time]
}

// OpenLibrary describes the library's table on a backend.
func OpenLibrary(backend ddb.Backend) *Library {
	table := ddb.NewTable("Library", backend)
	l := &Library{Table: table, Readers: ddb.Define[Reader](table), Loans: ddb.Define[Loan](table)}
	l.out = ddb.Field(l.Readers, func(r *Reader) *int { return &r.Loans })
	l.due = ddb.Field(l.Loans, func(loan *Loan) *time.Time { return &loan.Due })
	return l
}

// Borrow lends a book to a reader who has fewer than five.
func (l *Library) Borrow(ctx context.Context, loan Loan) error {
	return ddb.Transact(
		l.Loans.Create(&loan),
		l.Readers.Update(Reader{ID: loan.ReaderID}).Set(l.out.Add(1)).If(l.out.Lt(5)),
	).Run(ctx)
}

// Prolong gives a reader until another day, if the book is still out.
func (l *Library) Prolong(ctx context.Context, loan Loan, until time.Time) (Loan, error) {
	return l.Loans.Update(loan).Set(l.due.To(until)).If(l.due.Exists()).Run(ctx)
}

// Return takes a book back.
func (l *Library) Return(ctx context.Context, loan Loan) error {
	return ddb.Transact(
		l.Loans.Update(loan).Set(l.due.Remove()).If(l.due.Exists()),
		l.Readers.Update(Reader{ID: loan.ReaderID}).Set(l.out.Add(-1)),
	).Run(ctx)
}

// LoansOf returns a page of a reader's loans, the latest first.
func (l *Library) LoansOf(ctx context.Context, reader, cursor string) (ddb.Page[Loan], error) {
	return l.Loans.Query(Loan{ReaderID: reader}).Desc().Limit(20).Page(ctx, cursor)
}

// DueOn returns the query of the loans that end on a day.
func (l *Library) DueOn(day time.Time) ddb.QueryOp[Loan] {
	return l.Loans.Query(Loan{Due: day}).Index("GSI1")
}

func TestLending(t *testing.T) {
	t.Parallel()
	db, ctx := ddbtest.New(t), t.Context()
	library := OpenLibrary(db)
	ddbtest.Create(t, db, library.Table)
	ddbtest.Seed(t, library.Readers, Reader{ID: "12345", Name: "Ann"})

	loan := Loan{ReaderID: "12345", BookID: "B1", Since: at("2024-05-01T10:00:00Z"), Due: at("2024-05-29T10:00:00Z")}
	if err := library.Borrow(ctx, loan); err != nil {
		t.Fatal(err)
	}
	if err := library.Borrow(ctx, loan); !errors.Is(err, ddb.ErrExists) {
		t.Errorf("borrowed twice: got %v, want ErrExists", err)
	}
	if _, err := library.Prolong(ctx, loan, at("2024-06-12T10:00:00Z")); err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]int{"2024-05-29T00:00:00Z": 0, "2024-06-12T00:00:00Z": 1} {
		if n, err := library.DueOn(at(day)).Count(ctx); n != want || err != nil {
			t.Errorf("due on %s: got %d and %v, want %d", day, n, err, want)
		}
	}
}

func TestLendingCost(t *testing.T) {
	t.Parallel()
	db, ctx := ddbtest.New(t), t.Context()
	library := OpenLibrary(db)
	ddbtest.Create(t, db, library.Table)
	ddbtest.Seed(t, library.Readers, Reader{ID: "12345", Name: "Ann"})
	for n := range 30 {
		since := at("2024-05-01T10:00:00Z").AddDate(0, 0, n)
		ddbtest.Seed(t, library.Loans, Loan{ReaderID: "12345", BookID: fmt.Sprint("B", n), Since: since, Due: since.AddDate(0, 0, 28)})
	}

	ddbtest.Cost(t, db, func() {
		page, err := library.LoansOf(ctx, "12345", "")
		if err != nil || len(page.Items) != 20 || page.Items[0].BookID != "B29" {
			t.Errorf("got %d loans and %v, want the latest 20", len(page.Items), err)
		}
	}).AtMost(1, 0.5, 20).NoScan()
}

// TestLibrary runs the rest of the guide.
func TestLibrary(t *testing.T) {
	t.Parallel()
	srv, ctx := ddbtest.NewServer(t), t.Context()
	library := OpenLibrary(srv)
	ddbtest.Create(t, srv, library.Table)
	ddbtest.Seed(t, library.Readers, Reader{ID: "12345", Name: "Ann"})
	for _, since := range []string{"2024-04-30T10:00:00Z", "2024-05-01T00:00:00Z", "2024-05-31T23:59:59Z"} {
		must(t, library.Borrow(ctx, Loan{ReaderID: "12345", BookID: "B" + since[8:10], Since: at(since), Due: at(since).AddDate(0, 0, 28)}))
	}

	reader, err := library.Readers.Get(Reader{ID: "12345"}).Run(ctx) // errors.Is(err, ddb.ErrNotFound)
	must(t, err)
	equal(t, "books out", reader.Loans, 3)

	may := library.Loans.Query(Loan{ReaderID: "12345"}).
		Between(Loan{Since: at("2024-05-01T00:00:00Z")}, Loan{Since: at("2024-05-31T23:59:59Z")})
	for loan, err := range may.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(t.Output(), loan.BookID, loan.Due)
	}
	equal(t, "of May", all(t, may, func(l Loan) string { return l.BookID }), []string{"B01", "B31"})

	must(t, library.Return(ctx, Loan{ReaderID: "12345", BookID: "B01", Since: at("2024-05-01T00:00:00Z")}))
	err = library.Return(ctx, Loan{ReaderID: "12345", BookID: "B01", Since: at("2024-05-01T00:00:00Z")})
	if !errors.Is(err, ddb.ErrConditionFailed) {
		t.Errorf("returned twice: got %v, want ErrConditionFailed", err)
	}
	equal(t, "due after the return", len(all(t, library.DueOn(at("2024-05-29T00:00:00Z")), func(l Loan) string { return l.BookID })), 0)

	cfg := aws.Config{Region: "eu-central-1"}
	production := func() error {
		library := OpenLibrary(dynamodb.NewFromConfig(cfg)) // cfg as config.LoadDefaultConfig returns it
		if err := library.Table.Err(); err != nil {
			return err
		}
		_, err := library.Table.CreateTableInput()
		return err
	}
	must(t, production())
}

// TestGettingStartedFaults promises that the guide shows what a faulty definition
// says.
func TestGettingStartedFaults(t *testing.T) {
	t.Parallel()
	type Loan struct {
		_ ddb.Entity `name:"Loan" pk:"READER#{Reader}" sk:"LOAN#{Since:2006-1-2}#{BookID}"`

		ReaderID, BookID string
		Since            time.Time
	}
	table := ddb.NewTable("Library", memory.New())
	ddb.Define[Loan](table)
	guide, err := os.ReadFile("getting-started.md")
	must(t, err)
	for line := range strings.Lines(table.Err().Error()) {
		if line = strings.ReplaceAll(strings.TrimSpace(line), "docs_test.", "library."); !strings.Contains(string(guide), line) {
			t.Errorf("the guide lacks the line\n%s", line)
		}
	}
}
