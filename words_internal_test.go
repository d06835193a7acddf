package ddb

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWordsOfTags holds the words in the tables of docs/keys.md against those that
// tags and placeholders take.
func TestWordsOfTags(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(string(guide), -1) {
		got = append(got, row[1])
	}
	want := slices.Concat(markerWords, stampWords, shardWords)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(got), want); diff != "" {
		t.Errorf("docs/keys.md (-) and tags (+): %s", diff)
	}
}
