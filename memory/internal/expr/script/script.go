package script

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var rewrite = flag.Bool("rewrite", false, "put the outputs that tests get into their scripts")

const arrow = " =>"

// Runner evaluates the lines of one script, in order.
type Runner interface {
	// Directive takes note of a directive.
	Directive(t *testing.T, word, rest string)
	// Case returns the output for an input.
	Case(t *testing.T, input string) string
}

// Run runs every script that matches a pattern, each with a runner of its own.
func Run(t *testing.T, pattern string, start func() Runner) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no script matches %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			runFile(t, file, start())
		})
	}
}

func runFile(t *testing.T, file string, r Runner) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case line[0] == '@':
			word, rest, _ := strings.Cut(line[1:], " ")
			r.Directive(t, word, rest)
		default:
			lines[i] = runCase(t, fmt.Sprintf("line %d", i+1), line, r)
		}
	}
	if !*rewrite {
		return
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runCase runs a case and returns it with the output it should have.
func runCase(t *testing.T, name, line string, r Runner) string {
	input, want, _ := strings.Cut(line, arrow)
	want = strings.TrimPrefix(want, " ")
	var got string
	t.Run(name, func(t *testing.T) {
		text := input
		if strings.HasPrefix(input, `"`) {
			var err error
			if text, err = strconv.Unquote(input); err != nil {
				t.Fatalf("unquote %s: %v", input, err)
			}
		}
		got = shown(r.Case(t, text))
		if got != want && !*rewrite {
			t.Errorf("%s\n got %s\nwant %s", input, got, want)
		}
	})
	return input + arrow + " " + got
}

// shown quotes a text if some of it would not show.
func shown(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) < 0 {
		return s
	}
	return strconv.Quote(s)
}
