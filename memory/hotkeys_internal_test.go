package memory

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// TestHotKeys: no more keys are counted than allowed; no count is below the
// truth, nor above it by more than what was inherited; a key that is hotter than
// its share is always there; with room for all, counts are exact.
func TestHotKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := hotKeys{most: rapid.IntRange(1, 8).Draw(t, "room")}
		truth := make(map[string]*served)
		var total units
		for range rapid.IntRange(0, 200).Draw(t, "requests") {
			name := fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "key"))
			n := served{requests: 1, bytes: 10}
			n.units[reads] = units(rapid.IntRange(1, 9).Draw(t, "units"))
			h.count([]av.Value{av.String(name)}, n)
			if truth[name] == nil {
				truth[name] = new(served)
			}
			truth[name].add(n)
			total += n.heat()
		}
		all := h.hottest()
		if len(all) != min(h.most, len(truth)) || len(h.byKey) != len(all) {
			t.Fatalf("%d keys and %d counts with room for %d of %d", len(h.byKey), len(all), h.most, len(truth))
		}
		counted := make(map[string]bool)
		for i, k := range all {
			name := k.values[0].Text()
			counted[name] = true
			want := truth[name].heat()
			if got := k.served.heat(); got < want || got-k.inherited.heat() > want {
				t.Fatalf("key %s has %d, of which %d are inherited; in truth %d", name, got, k.inherited.heat(), want)
			}
			if len(truth) <= h.most && (k.served != *truth[name] || k.inherited != served{}) {
				t.Fatalf("key %s has %v, want exactly %v", name, k.served, *truth[name])
			}
			if i > 0 && compareHeat(all[i-1], k) <= 0 {
				t.Fatalf("key %s is hotter than the one before it", name)
			}
		}
		for name, s := range truth {
			if !counted[name] && s.heat() > total/units(h.most) {
				t.Fatalf("key %s with %d of %d is not counted with room for %d", name, s.heat(), total, h.most)
			}
		}
	})
}

// TestQueue compares a queue with a slice.
func TestQueue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue[int]
		var want []int
		for i := range rapid.IntRange(0, 100).Draw(t, "steps") {
			if n := rapid.IntRange(-2, len(want)).Draw(t, "drop"); n >= 0 {
				q.drop(n)
				want = want[n:]
			} else {
				q.push(i)
				want = append(want, i)
			}
			if got := fmt.Sprint(q.all()); got != fmt.Sprint(want) {
				t.Fatalf("the queue holds %s, want %v", got, want)
			}
			if room := len(q.items); room > 2*len(want)+1 {
				t.Fatalf("the queue takes room for %d to hold %d", room, len(want))
			}
		}
	})
}
