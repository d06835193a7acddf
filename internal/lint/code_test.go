package lint_test

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// libraryBans are what library code may not use, each with what to do instead.
var libraryBans = map[string]string{
	"panic":              "return an error; no input may bring a program down",
	"recover":            "return errors; control does not flow through panics",
	"time.Now":           "take the time from the clock that an option sets",
	"time.Since":         "take the time from the clock that an option sets",
	"time.Until":         "take the time from the clock that an option sets",
	"context.Background": "pass the caller's context on",
	"context.TODO":       "pass the caller's context on",
	"fmt.Print":          "leave standard output to the program",
	"fmt.Printf":         "leave standard output to the program",
	"fmt.Println":        "leave standard output to the program",
	"print":              "leave standard error to the program",
	"println":            "leave standard error to the program",
	"os.Exit":            "return an error; only a program decides to end",
	"log.Fatal":          "return an error; only a program decides to end",
	"log.Fatalf":         "return an error; only a program decides to end",
}

// generalBans hold in programs and tests as well.
var generalBans = map[string]string{
	"time.Sleep": "wait for what is awaited, or use testing/synctest",
}

// TestLibraryCode promises that library code neither panics nor reaches past its
// arguments and options.
func TestLibraryCode(t *testing.T) {
	t.Parallel()
	judge(t, bannedInLibrary(sources(t)), exceptions{
		"field.go recover":          "a caller's function may stumble over the probe it is given",
		"atonce.go recover":         "a panic of a caller's function is carried over to the goroutine that the caller can recover in",
		"atonce.go panic":           "see there: it is the caller's own panic",
		"memory/option.go time.Now": "the default of the option Clock",
		"table.go time.Now":         "the default of the option Clock",
		"request.go time.Now":       "only an observer learns how long a call took",
		"request.go time.Since":     "only an observer learns how long a call took",
	})
}

// TestBans promises that nothing sleeps.
func TestBans(t *testing.T) {
	t.Parallel()
	judge(t, bannedAnywhere(sources(t)), nil)
}

func bannedInLibrary(files []*source) []fault {
	library := slices.DeleteFunc(slices.Clone(files), func(s *source) bool {
		return s.test() || s.syntax.Name.Name == "main" || slices.Contains(testOnly, path.Dir(s.name))
	})
	return banned(library, libraryBans)
}

func bannedAnywhere(files []*source) []fault { return banned(files, generalBans) }

func banned(files []*source, bans map[string]string) []fault {
	var faults []fault
	for _, s := range files {
		packages := s.importNames()
		report := func(n ast.Node, name string) {
			if instead, ok := bans[name]; ok {
				faults = append(faults, fault{s.at(n), name, name + ": " + instead})
			}
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok {
					report(n, id.Name)
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && packages[id.Name] != "" {
					report(n, packages[id.Name]+"."+n.Sel.Name)
				}
			}
			return true
		})
	}
	return faults
}

// importNames returns the paths that the file imports by the names that it has
// for them. No path that a ban names ends otherwise than in the package's name.
func (s *source) importNames() map[string]string {
	names := make(map[string]string)
	for _, spec := range s.syntax.Imports {
		p := importPath(spec)
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

func importPath(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
	return p
}

// TestHabits promises that there are no effects of an import, no seeds that
// nobody can set, no names out of nowhere, no tests that do not run and no
// notes of work undone.
func TestHabits(t *testing.T) {
	t.Parallel()
	judge(t, badHabits(sources(t)), nil)
}

func badHabits(files []*source) []fault {
	var faults []fault
	for _, s := range files {
		report := func(n ast.Node, what, says string) {
			faults = append(faults, fault{s.at(n), what, what + ": " + says})
		}
		for _, spec := range s.syntax.Imports {
			if importPath(spec) == "math/rand" {
				report(spec, "math/rand", "use math/rand/v2")
			}
			if spec.Name != nil && spec.Name.Name == "." {
				report(spec, "dot import", "names should say where they come from")
			}
		}
		for _, group := range s.syntax.Comments {
			for _, word := range []string{"TODO", "FIXME", "XXX"} {
				if strings.Contains(group.Text(), word) {
					report(group, word, "do it, or leave it without a note")
				}
			}
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					report(n, "init", "an import has no effects")
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && slices.Contains(testers, id.Name) && slices.Contains(skips, n.Sel.Name) {
					report(n, "skip", "a test runs or does not exist")
				}
			}
			return true
		})
	}
	return faults
}

var (
	testers = []string{"t", "b", "f", "tb"}
	skips   = []string{"Skip", "Skipf", "SkipNow"}
)

// TestCodeFinds promises that the rules see what they forbid.
func TestCodeFinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		rule func([]*source) []fault
		file string
		text string
		want []string
	}{
		{"panic", bannedInLibrary, "a.go", `package p; func f() { panic("x") }`, []string{"a.go panic"}},
		{"panic in a test", bannedInLibrary, "a_test.go", `package p; func f() { panic("x") }`, []string{}},
		{"panic in a program", bannedInLibrary, "a.go", `package main; func f() { panic("x") }`, []string{}},
		{"method named panic", bannedInLibrary, "a.go", `package p; func f(t T) { t.panic("x") }`, []string{}},
		{"call of time.Now", bannedInLibrary, "a.go", `package p; import "time"; var a = time.Now()`, []string{"a.go time.Now"}},
		{"value time.Now", bannedInLibrary, "a.go", `package p; import "time"; var a = time.Now`, []string{"a.go time.Now"}},
		{"time by another name", bannedInLibrary, "a.go", `package p; import clock "time"; var a = clock.Now`, []string{"a.go time.Now"}},
		{"another time", bannedInLibrary, "a.go", `package p; func f(time T) { time.Now() }`, []string{}},
		{"sleep in a test", bannedAnywhere, "a_test.go", `package p; import "time"; func f() { time.Sleep(1) }`, []string{"a_test.go time.Sleep"}},
		{"old random numbers", badHabits, "a_test.go", `package p; import "math/rand"`, []string{"a_test.go math/rand"}},
		{"new random numbers", badHabits, "a_test.go", `package p; import "math/rand/v2"`, []string{}},
		{"dot import", badHabits, "a.go", `package p; import . "fmt"`, []string{"a.go dot import"}},
		{"init", badHabits, "a.go", `package p; func init() {}`, []string{"a.go init"}},
		{"method init", badHabits, "a.go", `package p; func (t T) init() {}`, []string{}},
		{"note", badHabits, "a.go", "package p\n// TO" + "DO: more", []string{"a.go TO" + "DO"}},
		{"skip", badHabits, "a_test.go", `package p; func f(t T) { t.Skipf("x") }`, []string{"a_test.go skip"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(found(t, test.rule, test.file, test.text), test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}
