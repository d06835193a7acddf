package lint_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strange are texts that do not belong in any file of the tree, because a reader
// of the tree alone cannot follow them or nobody should depend on them.
var strange = []struct {
	what string
	text *regexp.Regexp
}{
	{"host of a package registry", regexp.MustCompile(`(?i)\b(proxy\.golang\.org|sum\.golang\.org|goproxy\.[a-z]+|(registry\.)?npmjs\.(org|com)|registry\.yarnpkg\.com|pypi\.org|pythonhosted\.org|crates\.io|rubygems\.org|(docker|ghcr|quay|gcr)\.io|public\.ecr\.aws)\b`)},
	{"place on one machine", regexp.MustCompile("(^|[\\s\"'`(=:])/(work|home|root|Users)/")},
	{"number of an issue", regexp.MustCompile(`(?i)\b(issues?|pull requests?|tickets?|bugs?|fixes|closes|PR) +#\d+|\b(issue|pull request|ticket|bug|PR) +\d+|/(issues|pull)/\d+`)},
	{"notes of its authors", regexp.MustCompile(`(?i)\b(shared/[a-z-]+\.md|(design|style|traps|scenarios|dynamodb-facts)\.md|(this|that|another|earlier|previous|last|next) sessions?|sub-?agents?|the brief|as (asked|requested) by)\b`)},
}

// foreign are what may stand in a checkout without being part of the tree. In a
// linked work tree .git is a file.
var foreign = []string{".git", ".venv", "node_modules"}

// TestWords promises that the tree speaks of itself alone.
func TestWords(t *testing.T) {
	t.Parallel()
	var faults []fault
	tree := os.DirFS(root)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(foreign, entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular() || slices.Contains(foreign, entry.Name()):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		faults = append(faults, strangeWords(name, text)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, faults, exceptions{
		"internal/lint/words_test.go host of a package registry": "the list itself and its samples",
		"internal/lint/words_test.go place on one machine":       "the list itself and its samples",
		"internal/lint/words_test.go number of an issue":         "the list itself and its samples",
		"internal/lint/words_test.go notes of its authors":       "the list itself and its samples",
	})
}

func strangeWords(name string, text []byte) []fault {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil // no text
	}
	var faults []fault
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		for _, s := range strange {
			if found := s.text.FindString(strings.TrimRight(line, "\n")); found != "" {
				faults = append(faults, fault{fmt.Sprintf("%s:%d", name, n), s.what, s.what + ": " + strings.TrimSpace(found)})
			}
		}
	}
	return faults
}

// TestWordsFinds promises that the rule sees what it forbids, and no more.
func TestWordsFinds(t *testing.T) {
	t.Parallel()
	const (
		host  = "x host of a package registry"
		place = "x place on one machine"
		issue = "x number of an issue"
		notes = "x notes of its authors"
	)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "Package memory is an in-memory DynamoDB.\n", nil},
		{"module paths", "github.com/google/go-cmp pgregory.net/rapid go.dev pkg.go.dev", nil},
		{"a registry", "get it from https://pypi.org/project/x", []string{host}},
		{"a module proxy", "GOPROXY=https://proxy.golang.org,direct", []string{host}},
		{"a home directory", "cd /home/me/ddb", []string{place}},
		{"a directory in a URL", "https://example.com/work/x", nil},
		{"a relative path", "network/work/x", nil},
		{"an issue", "see issue 17", []string{issue}},
		{"an issue by address", "https://github.com/o/r/issues/17", []string{issue}},
		{"a key with a number", `"ORDER#17" and #0 = :0`, nil},
		{"a session", "left over from an earlier session", []string{notes}},
		{"the sessions of users", "a session token; SESSION#{SessionID}; the session ends", nil},
		{"a count of what is issued", "Query issues 2 requests", nil},
		{"a design", "as shared/design.md says", []string{notes}},
		{"locks", "shared/exclusive", nil},
		{"every line", "/home/a/b\n\n/root/x\n", []string{place, place}},
		{"no text", "/home/a/b\x00", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range strangeWords("x", []byte(test.text)) {
				got = append(got, f.key())
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}
