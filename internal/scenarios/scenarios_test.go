package scenarios_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/memory"
	plain "github.com/seed530093c6/ddb/schema"
)

// world is where a scenario happens: a backend, and the engine at its end.
type world struct {
	ddbtest.Backend
	engine  *ddbtest.DB
	streams ddb.StreamBackend
}

// opener makes a world whose engine has the options.
type opener func(t *testing.T, opts ...memory.Option) world

// everywhere runs a scenario in process and over the wire.
func everywhere(t *testing.T, scenario func(t *testing.T, open opener)) {
	t.Helper()
	t.Parallel()
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		scenario(t, func(t *testing.T, opts ...memory.Option) world {
			db := ddbtest.New(t, opts...)
			return world{db, db, db}
		})
	})
	t.Run("over the wire", func(t *testing.T) {
		t.Parallel()
		scenario(t, func(t *testing.T, opts ...memory.Option) world {
			srv := ddbtest.NewServer(t, opts...)
			o := srv.Options()
			return world{srv, srv.DB, dynamodbstreams.New(dynamodbstreams.Options{
				BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, HTTPClient: o.HTTPClient,
			})}
		})
	})
}

// TestEveryScenario asserts that doc.go tells of S1 to S24 and that each has one
// test.
func TestEveryScenario(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*_test.go")
	must(t, err)
	numbered := regexp.MustCompile(`^TestS(\d+)[A-Z]`)
	tests := make(map[int]int)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		must(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if m := numbered.FindStringSubmatch(f.Name.Name); m != nil {
				n, err := strconv.Atoi(m[1])
				must(t, err)
				tests[n]++
			}
		}
	}
	doc, err := os.ReadFile("doc.go")
	must(t, err)
	told, want := make(map[int]int), make(map[int]int)
	for n := 1; n <= 24; n++ {
		want[n] = 1
		told[n] = strings.Count(string(doc), "//\tS"+strconv.Itoa(n)+" ")
	}
	equal(t, "tests by number", tests, want)
	equal(t, "lines of doc.go by number", told, want)
}

// must ends the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// value returns v, or ends the test on an error: value(t)(get()).
func value[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func equal[T any](t testing.TB, what string, got, want T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(got, want, opts...); diff != "" {
		t.Errorf("%s (-got +want)\n%s", what, diff)
	}
}

// all reads a query and names its items.
func all[T any](t testing.TB, q ddb.QueryOp[T], name func(T) string) []string {
	t.Helper()
	names := []string{}
	for v, err := range q.All(context.Background()) {
		must(t, err)
		names = append(names, name(v))
	}
	return names
}

// pages reads a query page by page with cursors and names the items of each.
func pages[T any](t testing.TB, q ddb.QueryOp[T], name func(T) string) [][]string {
	t.Helper()
	var all [][]string
	for cursor := ""; ; {
		page, err := q.Page(context.Background(), cursor)
		must(t, err)
		var names []string
		for _, v := range page.Items {
			names = append(names, name(v))
		}
		all = append(all, names)
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

// together runs f so many times at once and returns how often it succeeded. Other
// errors than refused end the test.
func together(t testing.TB, times int, refused func(error) bool, f func(i int) error) int {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	succeeded := 0
	for i := range times {
		wg.Go(func() {
			err := f(i)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				succeeded++
			case !refused(err):
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	return succeeded
}

// never is for calls of which all must succeed.
func never(error) bool { return false }

func at(text string) time.Time {
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return moment
}

// stored returns an item as it is stored, in plain values.
func (w world) stored(t testing.TB, table, pk, sk string) ddbtest.Item {
	t.Helper()
	item, ok := ddbtest.ItemsOf(t, w, table)[pk+" / "+sk]
	if !ok {
		t.Fatalf("there is no item %s / %s", pk, sk)
	}
	return item
}

// put stores an item that the typed layer did not make.
func (w world) put(t testing.TB, table string, item map[string]types.AttributeValue) {
	t.Helper()
	_, err := w.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
	must(t, err)
}

// shop is the table of S1 to S12.
func (w world) shop(t *testing.T, opts ...ddb.TableOption) schema.Shop {
	t.Helper()
	s := schema.New(w, opts...)
	ddbtest.Create(t, w, s.Table)
	return s
}

// described returns a table as plain data.
func described(t *testing.T, table *ddb.Table) plain.Table {
	t.Helper()
	return value[plain.Table](t)(table.Schema())
}

// has reports whether there is a finding of that code on that subject.
func has(found []design.Finding, code design.Code, subject string) bool {
	return slices.ContainsFunc(found, func(f design.Finding) bool { return f.Code == code && f.Subject == subject })
}
