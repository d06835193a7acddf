package lint_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testOnly are the packages that only tests import; what they export nobody else
// can see.
var testOnly = []string{"internal/bare", "internal/byhand", "internal/lint", "internal/versus", "memory/internal/expr/script", "memory/internal/model"}

// TestPackageComments promises that every package introduces itself in its
// doc.go, or where it is a program in main.go, and nowhere else.
func TestPackageComments(t *testing.T) {
	t.Parallel()
	judge(t, packageComments(sources(t)), nil)
}

func packageComments(files []*source) []fault {
	var faults []fault
	introduced := make(map[string]bool)
	for _, s := range files {
		if s.test() {
			continue
		}
		name, dir := s.syntax.Name.Name, path.Dir(s.name)
		introduced[dir] = introduced[dir] || false
		if s.syntax.Doc == nil {
			continue
		}
		file, opening := path.Base(s.name), "Package "+name+" "
		if name == "main" {
			opening = "Command " + path.Base(dir) + " "
		}
		switch {
		case file != "doc.go" && !(file == "main.go" && name == "main"):
			faults = append(faults, fault{s.at(s.syntax), "package comment", "the package comment belongs in doc.go"})
		case !strings.HasPrefix(oneLine(s.syntax.Doc), opening):
			faults = append(faults, fault{s.at(s.syntax), "package comment", "the package comment must begin with " + opening})
		}
		introduced[dir] = true
	}
	for dir, done := range introduced {
		if !done {
			faults = append(faults, fault{dir, "no package comment", "the package has no comment; it belongs in doc.go"})
		}
	}
	return faults
}

// TestDocComments promises that every exported name has a comment that begins
// with it.
func TestDocComments(t *testing.T) {
	t.Parallel()
	judge(t, docComments(sources(t)), nil)
}

func docComments(files []*source) []fault {
	var faults []fault
	for _, s := range files {
		if s.test() || slices.Contains(testOnly, path.Dir(s.name)) {
			continue
		}
		d := docChecker{source: s}
		for _, decl := range s.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.function(decl)
			case *ast.GenDecl:
				d.group(decl)
			}
		}
		faults = append(faults, d.faults...)
	}
	return faults
}

type docChecker struct {
	*source
	faults []fault
}

// settled are the methods whose meaning package errors lays down.
var settled = []string{"Error() string", "Unwrap() error"}

func (d *docChecker) function(f *ast.FuncDecl) {
	name := f.Name.Name
	if f.Recv != nil {
		receiver := typeName(f.Recv.List[0].Type)
		if !ast.IsExported(receiver) || slices.Contains(settled, signature(f)) {
			return
		}
		name = receiver + "." + name
	}
	d.want(f, name, f.Doc, f.Name)
}

// group checks declarations of types, constants and variables. In brackets the
// comment of the group stands for the names that have none of their own.
func (d *docChecker) group(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		var doc *ast.CommentGroup
		var names []*ast.Ident
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc, names = spec.Doc, []*ast.Ident{spec.Name}
		case *ast.ValueSpec:
			doc, names = spec.Doc, spec.Names
		default:
			continue
		}
		switch {
		case g.Lparen == token.NoPos:
			doc = g.Doc
		case doc == nil && g.Doc != nil && g.Tok != token.TYPE:
			continue
		}
		d.want(spec, names[0].Name, doc, names...)
	}
}

// want reports a comment that does not begin with one of the names, if any is
// exported. Before the name of a type an article may stand.
func (d *docChecker) want(n ast.Node, called string, doc *ast.CommentGroup, names ...*ast.Ident) {
	exported := slices.DeleteFunc(slices.Clone(names), func(id *ast.Ident) bool { return !id.IsExported() })
	if len(exported) == 0 {
		return
	}
	if doc == nil {
		d.faults = append(d.faults, fault{d.at(n), called, called + " has no comment"})
		return
	}
	text := oneLine(doc)
	if _, isType := n.(*ast.TypeSpec); isType {
		for _, article := range []string{"A ", "An ", "The "} {
			text = strings.TrimPrefix(text, article)
		}
	}
	for _, id := range exported {
		if rest, ok := strings.CutPrefix(text, id.Name); ok && (rest == "" || strings.ContainsAny(rest[:1], " ,:'.")) {
			return
		}
	}
	d.faults = append(d.faults, fault{d.at(n), called, "the comment on " + called + " must begin with the name"})
}

func oneLine(doc *ast.CommentGroup) string {
	return strings.Join(strings.Fields(doc.Text()), " ") + " "
}

// typeName returns the name of a receiver's type.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// signature prints methods without parameters and with one named type as result.
func signature(f *ast.FuncDecl) string {
	results := f.Type.Results
	if f.Type.Params.NumFields() != 0 || results.NumFields() != 1 {
		return ""
	}
	return f.Name.Name + "() " + typeName(results.List[0].Type)
}

// TestPackageCommentsFinds promises that the rule sees what it forbids.
func TestPackageCommentsFinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{"good", "a/doc.go", "// Package a is one.\npackage a", []string{}},
		{"good program", "cmd/x/main.go", "// Command x runs.\npackage main", []string{}},
		{"test file", "a/a_test.go", "package a_test", []string{}},
		{"none", "a/doc.go", "package a", []string{"a no package comment"}},
		{"detached", "a/doc.go", "// Package a is one.\n\npackage a", []string{"a no package comment"}},
		{"elsewhere", "a/a.go", "// Package a is one.\npackage a", []string{"a/a.go package comment"}},
		{"another name", "a/doc.go", "// Package b is one.\npackage a", []string{"a/doc.go package comment"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(found(t, packageComments, test.file, test.text), test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

// TestDocCommentsFinds promises that the rule sees what it forbids.
func TestDocCommentsFinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"function", "// F does.\nfunc F() {}\nfunc g() {}", []string{}},
		{"bare function", "func F() {}", []string{"p/p.go F"}},
		{"other opening", "// Does.\nfunc F() {}", []string{"p/p.go F"}},
		{"longer name", "// Form does.\nfunc F() {}", []string{"p/p.go F"}},
		{"bare method", "// T is.\ntype T struct{}\nfunc (t *T) M() {}", []string{"p/p.go T.M"}},
		{"bare method of a generic type", "// T is.\ntype T[K, V any] struct{}\nfunc (t *T[K, V]) M() {}", []string{"p/p.go T.M"}},
		{"method of a hidden type", "type t struct{}\nfunc (t) M() {}", []string{}},
		{"methods of errors", "// E is.\ntype E struct{}\nfunc (E) Error() string { return \"\" }\nfunc (E) Unwrap() error { return nil }", []string{}},
		{"unwrapping to several", "// E is.\ntype E struct{}\nfunc (E) Unwrap() []error { return nil }", []string{"p/p.go E.Unwrap"}},
		{"article", "// A T is.\ntype T struct{}", []string{}},
		{"bare type", "type T struct{}", []string{"p/p.go T"}},
		{"bare type in a group", "// Types.\ntype (\n\tT struct{}\n)", []string{"p/p.go T"}},
		{"constants under one comment", "// The kinds.\nconst (\n\tA = 1\n\tB = 2\n)", []string{}},
		{"constants without", "const (\n\tA = 1\n\t// B is.\n\tB = 2\n)", []string{"p/p.go A"}},
		{"two constants, one comment", "const (\n\t// A and B are.\n\tA, B = 1, 2\n)", []string{}},
		{"other opening in a group", "// Errors.\nvar (\n\t// Means X.\n\tErrX = 1\n)", []string{"p/p.go ErrX"}},
		{"bare variable", "var V = 1", []string{"p/p.go V"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(found(t, docComments, "p/p.go", "package p\n"+test.text), test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}
