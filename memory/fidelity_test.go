package memory_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// The tests in this file hold docs/fidelity.md against what it describes.

// What can be said of an operation or parameter.
const (
	asService    = "as the service"
	checkedOnly  = "checked only"
	refusedWhole = "refused"
	notSimulated = "not simulated"
)

// fidelity is what the page says.
type fidelity struct {
	counts     map[string][2]string            // of operations and parameters, by status
	absent     []string                        // operations that are not simulated
	operations map[string]map[string]parameter // by name, their parameters by name
	structures map[string]map[string]parameter
	tests      []string // all that are named anywhere
	faults     []string // what cannot be read
}

type parameter struct {
	status string
	tests  []string
}

var (
	named    = regexp.MustCompile("`([A-Z][A-Za-z]*)`")
	testName = regexp.MustCompile("`((?:[a-z]+\\.)?Test[A-Za-z0-9]+)`")
)

// readFidelity takes the page apart: parts by headings of the second level, in the
// parts on parameters sections of the third, and in all of them tables.
func readFidelity(t *testing.T) *fidelity {
	t.Helper()
	text, err := os.ReadFile("../docs/fidelity.md")
	if err != nil {
		t.Fatal(err)
	}
	f := &fidelity{counts: map[string][2]string{}, operations: map[string]map[string]parameter{}, structures: map[string]map[string]parameter{}}
	var part, section string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		for _, m := range testName.FindAllStringSubmatch(line, -1) {
			f.tests = append(f.tests, m[1])
		}
		if title, ok := strings.CutPrefix(line, "## "); ok {
			part, section = title, ""
		} else if title, ok := strings.CutPrefix(line, "### "); ok {
			section = title
			f.open(part, section)
		} else if cells, ok := cellsOf(line); ok {
			f.row(part, section, cells)
		}
	}
	return f
}

// cellsOf returns the cells of a row of a table that is not its head.
func cellsOf(line string) ([]string, bool) {
	if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --- |") {
		return nil, false
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, true
}

func (f *fidelity) open(part, section string) {
	of := map[string]map[string]map[string]parameter{"Parameters": f.operations, "Structures": f.structures}[part]
	switch {
	case of == nil:
		f.faults = append(f.faults, "a section outside the parts on parameters: "+section)
	case of[section] != nil:
		f.faults = append(f.faults, "two sections "+section)
	default:
		of[section] = map[string]parameter{}
	}
}

func (f *fidelity) row(part, section string, cells []string) {
	switch {
	case cells[0] == "status" || cells[0] == "operations" || cells[0] == "parameter":
	case part == "Operations" && strings.HasPrefix(cells[0], "`"):
		for _, m := range named.FindAllStringSubmatch(cells[0], -1) {
			f.absent = append(f.absent, m[1])
		}
	case part == "Operations":
		f.counts[cells[0]] = [2]string{cells[1], cells[2]}
	case part == "Parameters":
		f.add(f.operations, section, cells)
	case part == "Structures":
		f.add(f.structures, section, cells)
	}
}

func (f *fidelity) add(to map[string]map[string]parameter, section string, cells []string) {
	var p parameter
	if len(cells) == 4 {
		p.status = cells[1]
		for _, m := range testName.FindAllStringSubmatch(cells[3], -1) {
			p.tests = append(p.tests, m[1])
		}
	}
	_, twice := to[section][cells[0]]
	if to[section] == nil || twice || p.tests == nil || cells[2] == "" || !slices.Contains([]string{asService, checkedOnly, refusedWhole}, p.status) {
		f.faults = append(f.faults, "no sound row on a parameter: "+section+": "+strings.Join(cells, " | "))
		return
	}
	to[section][cells[0]] = p
}

// sdkOperations returns the operations of the SDK's clients by name, with their
// requests.
func sdkOperations() map[string]reflect.Type {
	operations := map[string]reflect.Type{}
	for _, client := range []reflect.Type{reflect.TypeFor[*dynamodb.Client](), reflect.TypeFor[*dynamodbstreams.Client]()} {
		for m := range client.NumMethod() {
			method := client.Method(m)
			if method.Type.NumIn() == 4 && method.Type.In(1) == reflect.TypeFor[context.Context]() && method.Type.IsVariadic() {
				operations[method.Name] = method.Type.In(2).Elem()
			}
		}
	}
	return operations
}

// engineOperations returns the operations of the engine.
func engineOperations() []string {
	var names []string
	db := reflect.TypeFor[*memory.DB]()
	for name, input := range sdkOperations() {
		if m, ok := db.MethodByName(name); ok && m.Type.NumIn() == 4 && m.Type.In(2) == reflect.PointerTo(input) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// homes are the packages of structures that requests hold.
var homes = []string{reflect.TypeFor[types.Tag]().PkgPath(), reflect.TypeFor[streamtypes.ShardFilter]().PkgPath()}

// fieldsOf returns the exported fields of a structure, and the structures that
// they hold by the names of the fields.
func fieldsOf(structure reflect.Type) (names []string, held map[string]reflect.Type) {
	held = map[string]reflect.Type{}
	for i := range structure.NumField() {
		field := structure.Field(i)
		if !field.IsExported() {
			continue
		}
		names = append(names, field.Name)
		of := field.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct && slices.Contains(homes, of.PkgPath()) {
			held[field.Name] = of
		}
	}
	slices.Sort(names)
	return names, held
}

// TestFidelityListsOperations promises that the page lists the operations of the
// engine with their parameters, those that the engine leaves out, and no others.
func TestFidelityListsOperations(t *testing.T) {
	t.Parallel()
	f := readFidelity(t)
	for _, fault := range f.faults {
		t.Error(fault)
	}
	have := engineOperations()
	diffNames(t, "operations with parameters", slices.Sorted(maps.Keys(f.operations)), have)
	absent := slices.DeleteFunc(slices.Sorted(maps.Keys(sdkOperations())), func(name string) bool { return slices.Contains(have, name) })
	diffNames(t, "operations not simulated", slices.Sorted(slices.Values(f.absent)), absent)
}

// TestFidelityListsParameters promises that the page lists every member of every
// request, and of the structures within that are not refused, once.
func TestFidelityListsParameters(t *testing.T) {
	t.Parallel()
	f := readFidelity(t)
	structures := map[string]bool{}
	var visit func(listed map[string]parameter, name string, structure reflect.Type)
	visit = func(listed map[string]parameter, name string, structure reflect.Type) {
		fields, held := fieldsOf(structure)
		diffNames(t, name, slices.Sorted(maps.Keys(listed)), fields)
		for field, of := range held {
			if listed[field].status == refusedWhole || structures[of.Name()] {
				continue
			}
			structures[of.Name()] = true
			visit(f.structures[of.Name()], of.Name(), of)
		}
	}
	for name, input := range sdkOperations() {
		if listed, ok := f.operations[name]; ok {
			visit(listed, name, input)
		}
	}
	diffNames(t, "structures", slices.Sorted(maps.Keys(f.structures)), slices.Sorted(maps.Keys(structures)))
}

// TestFidelityCounts promises that the page counts right.
func TestFidelityCounts(t *testing.T) {
	t.Parallel()
	f := readFidelity(t)
	parameters := map[string]int{}
	for _, sections := range []map[string]map[string]parameter{f.operations, f.structures} {
		for _, section := range sections {
			for _, p := range section {
				parameters[p.status]++
			}
		}
	}
	want := map[string][2]string{
		asService:    {strconv.Itoa(len(f.operations)), strconv.Itoa(parameters[asService])},
		checkedOnly:  {"0", strconv.Itoa(parameters[checkedOnly])},
		refusedWhole: {"0", strconv.Itoa(parameters[refusedWhole])},
		notSimulated: {strconv.Itoa(len(f.absent)), ""},
	}
	if d := cmp.Diff(f.counts, want); d != "" {
		t.Errorf("counts of operations and parameters (-page +counted)\n%s", d)
	}
}

// TestFidelityNamesTests promises that every test that the page names exists.
func TestFidelityNamesTests(t *testing.T) {
	t.Parallel()
	directories := map[string]string{"memory": ".", "eval": "internal/eval", "wire": "wire"}
	functions := map[string]map[string]bool{}
	for name, directory := range directories {
		functions[name] = testFunctions(t, directory)
	}
	f := readFidelity(t)
	for _, test := range f.tests {
		in, name, ok := strings.Cut(test, ".")
		if !ok {
			in, name = "memory", test
		}
		if !functions[in][name] {
			t.Errorf("there is no test %s in package %s", name, in)
		}
	}
	if len(f.tests) == 0 {
		t.Error("the page names no tests")
	}
}

// testFunctions returns the test functions of the package in a directory.
func testFunctions(t *testing.T, directory string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// diffNames compares what the page lists with what there is.
func diffNames(t *testing.T, what string, listed, there []string) {
	t.Helper()
	if len(listed) == 0 && len(there) == 0 {
		return
	}
	if d := cmp.Diff(listed, there); d != "" {
		t.Errorf("%s (-page +there)\n%s", what, d)
	}
}
