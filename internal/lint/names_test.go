package lint_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawers are names that say nothing of what a package is about, so that
// anything ends up in it.
var drawers = []string{
	"base", "common", "core", "data", "helper", "helpers", "info", "lib", "manager", "misc", "shared", "type", "types",
	"util", "utils",
}

// TestNames promises that packages are named for a subject, and that a test that
// sees the inside of its package says so in the name of its file.
func TestNames(t *testing.T) {
	t.Parallel()
	judge(t, badNames(sources(t)), nil)
}

func badNames(files []*source) []fault {
	var faults []fault
	for _, s := range files {
		name := s.syntax.Name.Name
		for _, n := range append(strings.Split(path.Dir(s.name), "/"), strings.TrimSuffix(name, "_test")) {
			if slices.Contains(drawers, n) {
				faults = append(faults, fault{s.at(s.syntax), "package name", "a package named " + n + " has no subject"})
				break
			}
		}
		if s.test() && !strings.HasSuffix(name, "_test") && name != "main" && !strings.HasSuffix(s.name, "_internal_test.go") &&
			path.Base(s.name) != "export_test.go" {
			faults = append(faults, fault{s.at(s.syntax), "file name", "a test in package " + name + " itself must be named _internal_test.go, or export_test.go if it only lends to outside tests"})
		}
	}
	return faults
}

// TestNamesFinds promises that the rule sees what it forbids.
func TestNamesFinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{"good", "memory/store.go", "package memory", []string{}},
		{"subject that begins like a drawer", "database/a.go", "package database", []string{}},
		{"drawer", "memory/util/a.go", "package util", []string{"memory/util/a.go package name"}},
		{"drawer on the way", "common/a/a.go", "package a", []string{"common/a/a.go package name"}},
		{"drawer by another directory", "a/a_test.go", "package helpers_test", []string{"a/a_test.go package name"}},
		{"outside test", "a/a_test.go", "package a_test", []string{}},
		{"inside test", "a/a_internal_test.go", "package a", []string{}},
		{"what outside tests borrow", "a/export_test.go", "package a", []string{}},
		{"inside test that hides it", "a/a_test.go", "package a", []string{"a/a_test.go file name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(found(t, badNames, test.file, test.text), test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}
