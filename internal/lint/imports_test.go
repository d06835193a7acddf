package lint_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// row says what a package may import beside the harmless part of the standard
// library. Packages of this module are named by their path below it, and a star
// stands for any one element.
type row struct {
	unit  string
	code  []string // its code
	tests []string // its tests in package x_test, beyond code and test libraries
}

const (
	aws      = "github.com/aws/aws-sdk-go-v2/"
	errgroup = "golang.org/x/sync/errgroup"
)

var (
	sdkTypes = []string{aws + "service/dynamodb/types", aws + "service/dynamodbstreams/types"}
	sdk      = append([]string{
		aws + "aws", aws + "service/dynamodb", aws + "service/dynamodbstreams", "github.com/aws/smithy-go",
	}, sdkTypes...)
)

// layers is who may import whom, from the bottom up. A package without a row is
// a fault: where it belongs is to be decided, not to happen.
var layers = []row{
	{unit: "memory/internal/limits"},
	{unit: "memory/internal/expr/script", code: []string{"os", "testing"}},
	{unit: "memory/internal/expr", code: []string{"memory/internal/limits"},
		tests: []string{"memory/internal/expr/script"}},
	{unit: "memory/internal/av", code: slices.Concat(sdkTypes, []string{"memory/internal/limits"})},
	{unit: "memory/internal/eval", code: slices.Concat(sdkTypes, []string{"memory/internal/av", "memory/internal/expr", "memory/internal/limits"}),
		tests: []string{"memory/internal/expr/script"}},
	// The model repeats what the engine does to tables, not what values and
	// expressions mean.
	{unit: "memory/internal/model", code: slices.Concat(sdk, []string{"memory/internal/av", "memory/internal/eval", "memory/internal/limits"})},
	{unit: "memory", code: slices.Concat(sdk, []string{
		"memory/internal/av", "memory/internal/eval", "memory/internal/expr", "memory/internal/limits", "github.com/tidwall/btree",
	}), tests: []string{"memory/internal/model"}},
	{unit: "memory/durable", code: slices.Concat(sdk, []string{"memory", "memory/internal/av", "log/slog", "os", "syscall"})},
	// Of the engine's inside the wire needs what a body can say that the SDK's
	// types cannot, and how large one may be.
	{unit: "memory/wire", code: slices.Concat(sdk, []string{"memory", "memory/internal/av", "memory/internal/limits", "net/http"})},

	{unit: "schema", code: sdkTypes},
	{unit: ".", code: slices.Concat(sdk, []string{
		"schema", aws + "feature/dynamodb/attributevalue", aws + "feature/dynamodb/expression", errgroup, "log/slog",
	}), tests: []string{"memory", "memory/wire", "ddbtest"}},
	{unit: "lambdaevent", code: slices.Concat(sdkTypes, []string{".", "github.com/aws/aws-lambda-go/events"}),
		tests: []string{"memory"}},
	{unit: "export", code: slices.Concat(sdkTypes, []string{"os"})},
	{unit: "design", code: slices.Concat(sdk, []string{".", "export", "memory", "schema"}), tests: []string{"memory/wire"}},
	// What helps tests shows differences as tests do, with go-cmp.
	{unit: "ddbtest", code: slices.Concat(sdk, []string{
		".", "export", "memory", "memory/wire", aws + "aws/ratelimit", aws + "aws/retry", "github.com/google/go-cmp/cmp",
		"net/http", "net/http/httptest", "testing",
	})},
	{unit: "patterns/*", code: slices.Concat(sdkTypes, []string{"."}), tests: []string{"memory", "memory/wire", "ddbtest"}},
	{unit: "examples/internal/backend", code: slices.Concat(sdk, []string{".", "memory", "os"})},
	{unit: "examples/internal/golden", code: []string{
		"examples/internal/program", "memory", "memory/wire", "github.com/google/go-cmp/cmp", "net/http/httptest", "os", "testing",
	}},
	{unit: "examples/internal/meter", code: slices.Concat(sdk, []string{"."})},
	{unit: "examples/internal/program", code: []string{"os", "os/signal"}},
	{unit: "examples/*", code: slices.Concat(sdk, []string{
		".", "design", "export", "memory", "patterns/*", "schema", "examples/*/*", errgroup, "log", "os", "os/signal",
	}), tests: []string{"memory/wire", "ddbtest"}},
	{unit: "examples/*/*", code: slices.Concat(sdkTypes, []string{".", "export", "examples/*/*", "os"})},
	{unit: "cmd/ddb", code: slices.Concat(sdk, []string{
		".", "export", "memory", "memory/durable", "memory/wire", "github.com/alecthomas/kong",
		"log/slog", "net", "net/http", "os", "os/signal", "syscall",
	})},

	{unit: "internal/bare", code: slices.Concat(sdkTypes, []string{"github.com/tidwall/btree"})},
	{unit: "internal/byhand", code: sdkTypes},
	{unit: "internal/versus", code: []string{"syscall", "testing"}},
	{unit: "internal/lint"},
	// Every access pattern, through whatever answers it.
	{unit: "internal/scenarios", tests: []string{".", "ddbtest", "design", "examples/*/*", "memory", "patterns/*", "schema"}},
	{unit: "docs", tests: []string{".", "ddbtest", "memory"}},
}

// guarded are the parts of the standard library, by first element, that only
// packages whose row names them may use: the world outside the process, and what
// belongs in tests.
var guarded = []string{"C", "log", "net", "os", "plugin", "syscall", "testing", "unsafe"}

// harmless are the exceptions: they only look at texts.
var harmless = []string{"net/netip", "net/url"}

// testLibraries begin the paths that any test may import: of this module those that
// benchmarks share, which know nothing of the rest.
var testLibraries = []string{
	"github.com/google/go-cmp/", "pgregory.net/rapid/", "github.com/aws/",
	module + "/internal/bare/", module + "/internal/byhand/", module + "/internal/versus/",
}

// TestImports promises that imports point one way, as in the table above.
func TestImports(t *testing.T) {
	t.Parallel()
	judge(t, badImports(units(t)), nil)
}

func badImports(all []*unit) []fault {
	var faults []fault
	for _, u := range all {
		i := slices.IndexFunc(layers, func(r row) bool { return matches(r.unit, u.ImportPath) })
		if i < 0 {
			faults = append(faults, fault{u.rel, "no row", "has no row in the table of imports; decide what it may import"})
			continue
		}
		r := layers[i]
		check := func(imports []string, who string, allows func(string) bool) {
			for _, imp := range imports {
				if !allows(imp) {
					faults = append(faults, fault{u.rel, relative(imp), who + " may not import " + relative(imp)})
				}
			}
		}
		outside := func(imp string) bool {
			return r.allowsTest(imp) || imp == u.ImportPath || matchesAny(r.tests, imp)
		}
		check(u.Imports, "it", r.allowsCode)
		check(u.XTestImports, "its tests", outside)
		if u.Name == "main" { // which tests cannot import
			check(u.TestImports, "its tests", outside)
		} else {
			check(u.TestImports, "its white-box tests", r.allowsTest)
		}
	}
	return faults
}

func (r row) allowsCode(imp string) bool {
	free := !slices.Contains(guarded, first(imp)) || slices.Contains(harmless, imp)
	return inStd(imp) && free || matchesAny(r.code, imp)
}

// allowsTest allows all of the standard library; but of this module white-box
// tests import no more than the code that they are part of.
func (r row) allowsTest(imp string) bool {
	return inStd(imp) || matchesAny(r.code, imp) ||
		slices.ContainsFunc(testLibraries, func(prefix string) bool { return strings.HasPrefix(imp+"/", prefix) })
}

// inStd reports whether a path is of the standard library, which alone has no
// dot in its first element.
func inStd(imp string) bool { return !strings.Contains(first(imp), ".") }

func first(imp string) string {
	head, _, _ := strings.Cut(imp, "/")
	return head
}

func matchesAny(patterns []string, imp string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, imp) })
}

func matches(pattern, imp string) bool {
	ok, err := path.Match(pattern, relative(imp))
	return ok && err == nil
}

// TestImportsFinds promises that the rule sees what it forbids.
func TestImportsFinds(t *testing.T) {
	t.Parallel()
	const lib = module + "/memory/internal/"
	for _, test := range []struct {
		name string
		unit unit
		want string // what is found, "" for nothing
	}{
		{"harmless", unit{ImportPath: lib + "expr", Imports: []string{"strings", "go/ast", lib + "limits"}}, ""},
		{"unknown package", unit{ImportPath: module + "/extra"}, "extra no row"},
		{"unknown package below a known one", unit{ImportPath: module + "/patterns/cart/store"}, "patterns/cart/store no row"},
		{"upwards", unit{ImportPath: lib + "av", Imports: []string{lib + "expr"}}, "memory/internal/av memory/internal/expr"},
		{"the engine from the typed layer", unit{ImportPath: module, Imports: []string{module + "/memory"}}, ". memory"},
		{"the typed layer from the engine", unit{ImportPath: module + "/memory", Imports: []string{module}}, "memory ."},
		{"the network from the engine", unit{ImportPath: module + "/memory", Imports: []string{"net/http"}}, "memory net/http"},
		{"testing in code", unit{ImportPath: module, Imports: []string{"testing/fstest"}}, ". testing/fstest"},
		{"a strange module", unit{ImportPath: module, Imports: []string{"example.com/x"}}, ". example.com/x"},
		{"a test library in code", unit{ImportPath: module, Imports: []string{"pgregory.net/rapid"}}, ". pgregory.net/rapid"},
		{"a test library in tests", unit{ImportPath: module, TestImports: []string{"pgregory.net/rapid", "net"}}, ""},
		{"a strange module in tests", unit{ImportPath: module, XTestImports: []string{"example.com/x"}}, ". example.com/x"},
		{"the engine in tests of the typed layer", unit{ImportPath: module, XTestImports: []string{module, module + "/memory"}}, ""},
		{"the engine in white-box tests of it", unit{ImportPath: module, TestImports: []string{module + "/memory"}}, ". memory"},
		{"looking at addresses", unit{ImportPath: module, Imports: []string{"net/url"}}, ""},
		{"the server in tests of a program", unit{Name: "main", ImportPath: module + "/examples/shop", TestImports: []string{module + "/memory/wire"}}, ""},
		{"the server in an example", unit{Name: "main", ImportPath: module + "/examples/shop", Imports: []string{module + "/memory/wire"}}, "examples/shop memory/wire"},
		{"a pattern from an example", unit{ImportPath: module + "/examples/shop", Imports: []string{module + "/patterns/cart"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.unit.rel = relative(test.unit.ImportPath)
			got := ""
			for _, f := range badImports([]*unit{&test.unit}) {
				got += f.key()
			}
			if got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}
