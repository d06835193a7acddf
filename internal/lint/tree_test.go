package lint_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is the root of the module, seen from this package.
const root = "../.."

// module is the path of the module.
const module = "github.com/seed530093c6/ddb"

// unit is one package of the module as go list describes it.
type unit struct {
	ImportPath, Dir, Name                                        string
	GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports                           []string

	rel   string // the path below the module, "." for its root
	files []*source
}

// source is one Go file.
type source struct {
	name   string // path from the root of the module
	text   []byte
	set    *token.FileSet
	syntax *ast.File
}

func (s *source) test() bool      { return strings.HasSuffix(s.name, "_test.go") }
func (s *source) generated() bool { return ast.IsGenerated(s.syntax) }

// at returns the place of a node for messages.
func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.name, s.set.Position(n.Pos()).Line)
}

// parse returns the file of that name with that text.
func parse(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return &source{name, text, set, syntax}, err
}

// tree loads all packages of the module, once for all rules.
var tree = sync.OnceValues(func() ([]*unit, error) {
	list := exec.Command("go", "list", "-json", "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return nil, err
	}
	var units []*unit
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		u := new(unit)
		switch err := in.Decode(u); {
		case err == io.EOF:
			return units, nil
		case err != nil:
			return nil, err
		}
		if err := u.load(); err != nil {
			return nil, err
		}
		units = append(units, u)
	}
})

// load reads the files of the package, those of other platforms too.
func (u *unit) load() error {
	u.rel = relative(u.ImportPath)
	names := slices.Concat(u.GoFiles, u.CgoFiles, u.IgnoredGoFiles, u.TestGoFiles, u.XTestGoFiles)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(u.Dir, name))
		if err != nil {
			return err
		}
		s, err := parse(path.Join(u.rel, name), text)
		if err != nil {
			return err
		}
		u.files = append(u.files, s)
	}
	return nil
}

// relative returns an import path as seen from the root of the module; paths of
// other modules and of the standard library stay as they are.
func relative(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func units(t *testing.T) []*unit {
	t.Helper()
	all, err := tree()
	if err != nil {
		t.Fatalf("cannot load the module: %v", err)
	}
	return all
}

func sources(t *testing.T) []*source {
	t.Helper()
	var all []*source
	for _, u := range units(t) {
		all = append(all, u.files...)
	}
	return all
}

// fault is one breach of a rule.
type fault struct {
	at   string // where
	what string // what exceptions name: with at cut to the file, their key
	says string // what is wrong, if what does not say it
}

func (f fault) String() string {
	return fmt.Sprintf("%s: %s", f.at, cmp.Or(f.says, f.what))
}

// key is what the table of exceptions calls the fault: file and subject, without
// a line that moves.
func (f fault) key() string {
	file, _, _ := strings.Cut(f.at, ":")
	return file + " " + f.what
}

// exceptions are faults that stand, by key, each with the reason.
type exceptions map[string]string

// judge reports the faults that are not excepted, and exceptions that are void.
func judge(t *testing.T, faults []fault, except exceptions) {
	t.Helper()
	for _, verdict := range verdicts(faults, except) {
		t.Error(verdict)
	}
}

func verdicts(faults []fault, except exceptions) []string {
	var out []string
	used := make(map[string]bool)
	for _, f := range faults {
		if _, ok := except[f.key()]; ok {
			used[f.key()] = true
			continue
		}
		out = append(out, f.String())
	}
	for key, reason := range except {
		switch {
		case reason == "":
			out = append(out, "exception "+key+": has no reason")
		case !used[key]:
			out = append(out, "exception "+key+": excuses nothing, drop it")
		}
	}
	slices.Sort(out)
	return out
}

// found returns the keys of the faults that a rule finds in a file of that name.
func found(t *testing.T, rule func([]*source) []fault, name, text string) []string {
	t.Helper()
	s, err := parse(name, []byte(text))
	if err != nil {
		t.Fatalf("the sample does not parse: %v", err)
	}
	keys := []string{}
	for _, f := range rule([]*source{s}) {
		keys = append(keys, f.key())
	}
	slices.Sort(keys)
	return keys
}
