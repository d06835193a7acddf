package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	readme  = "../README.md"
	chinese = "../README.zh.md"
)

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

// outline is what two pages in different languages have in common.
type outline struct {
	Levels []string // of headings
	Code   []string
	Marks  []string // for the gate
	Links  []string
	Listed []string // first cells of the rows of tables
}

var (
	headingStart = regexp.MustCompile(`(?m)^#+ `)
	gateMark     = regexp.MustCompile(`<!-- ci: \w+ -->`)
	linkTarget   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	firstCell    = regexp.MustCompile("(?m)^\\| (\\[?`[^|]+`[^|]*) \\|")
)

// inspect takes a page apart.
func inspect(text string) outline {
	var p outline
	prose := ""
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			prose += part
		} else {
			p.Code = append(p.Code, part)
		}
	}
	p.Levels, p.Marks = headingStart.FindAllString(prose, -1), gateMark.FindAllString(prose, -1)
	for _, m := range linkTarget.FindAllStringSubmatch(prose, -1) {
		p.Links = append(p.Links, m[1])
	}
	for _, m := range firstCell.FindAllStringSubmatch(prose, -1) {
		p.Listed = append(p.Listed, m[1])
	}
	return p
}

// TestReadmesAgree promises that the README in Chinese has what the one in English
// has, in the same order, and that each leads to the other.
func TestReadmesAgree(t *testing.T) {
	t.Parallel()
	en, zh := inspect(readText(t, readme)), inspect(readText(t, chinese))
	other := func(p outline, name string) {
		t.Helper()
		i := slices.Index(p.Links, name)
		if i < 0 {
			t.Fatalf("no link to %s", name)
		}
		p.Links[i] = "the other README"
	}
	other(en, "README.zh.md")
	other(zh, "README.md")
	if len(en.Levels) < 4 || len(en.Code) < 3 || len(en.Listed) < 15 {
		t.Fatalf("the README is not what this test takes it for: %+v", en)
	}
	if diff := cmp.Diff(zh, en); diff != "" {
		t.Errorf("README.zh.md and README.md differ (-zh +en)\n%s", diff)
	}
}

// TestReadmeTour promises that each line of the tour is compiled and run, in that
// order.
func TestReadmeTour(t *testing.T) {
	t.Parallel()
	wantLines(t, "../tour_test.go", goBlocks(t, readme))
}

// TestMovingCode promises the same of what the guide to moving shows of ddb.
func TestMovingCode(t *testing.T) {
	t.Parallel()
	ours := slices.DeleteFunc(goBlocks(t, "moving.md"), func(b goBlock) bool {
		paragraphs := strings.Split(strings.TrimSpace(b.before), "\n\n")
		return !strings.Contains(paragraphs[len(paragraphs)-1], "`ddb`")
	})
	if len(ours) < 4 {
		t.Errorf("%d blocks of our code, want at least 4", len(ours))
	}
	wantLines(t, "../moving_test.go", ours)
}

// wantLines asserts that a file has each line of the blocks, in their order. Lines
// that say "…" and comments are passed over.
func wantLines(t *testing.T, file string, blocks []goBlock) {
	t.Helper()
	left := strings.Split(flat(readText(t, file)), "\n")
	for _, b := range blocks {
		for line := range strings.Lines(flat(b.code)) {
			line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "//")
			if line = strings.TrimSpace(line); line == "" || line == "…" {
				continue
			}
			i := slices.Index(left, line)
			if i < 0 {
				t.Fatalf("not in %s, or not there: %s", file, line)
			}
			left = left[i+1:]
		}
	}
}

// TestReadmePackages promises that the table lists every package that others can
// import, and every program.
func TestReadmePackages(t *testing.T) {
	t.Parallel()
	listed := strings.Join(inspect(readText(t, readme)).Listed, "\n")
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		if name != "." && strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"internal", "testdata", "bench", "clients"}, entry.Name()) {
			return fs.SkipDir
		}
		if name == "." || strings.Count(name, "/") > 1 {
			return nil // the root itself, or a part of a program
		}
		sources, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		isTest := func(name string) bool { return strings.HasSuffix(name, "_test.go") }
		if sources = slices.DeleteFunc(sources, isTest); len(sources) > 0 && !strings.Contains(listed, "`"+name+"`") {
			t.Errorf("the table lacks %s", name)
		}
		return err
	})
	must(t, err)
}

// TestLinks promises that what the pages link to is there, and the headings that
// they name.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	must(t, err)
	more, err := filepath.Glob("adr/*.md")
	must(t, err)
	pages = append(append(pages, more...), readme, chinese, "../CONTRIBUTING.md", "../CHANGELOG.md")
	for _, name := range pages {
		for _, to := range inspect(readText(t, name)).Links {
			if strings.Contains(to, "://") {
				continue
			}
			target, anchor, _ := strings.Cut(to, "#")
			file := name
			if target != "" {
				file = path.Join(path.Dir(filepath.ToSlash(name)), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", name, to)
			} else if anchor != "" && !slices.Contains(anchors(readText(t, file)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, to)
			}
		}
	}
}

var (
	headingText = regexp.MustCompile(`(?m)^#+ (.+)$`)
	// notInAnchor is what is left out of a heading to make its anchor.
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// anchors returns what the headings of a page are linked by.
func anchors(text string) []string {
	var out []string
	for _, m := range headingText.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}
