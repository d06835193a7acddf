package memory

import (
	"testing"
	"time"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// TestPast looks at every moment at which something of a partition changes, and
// just before.
func TestPast(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	p := &partition{past: &past{keep: 10 * time.Second}}
	records := map[string]*record{}
	for _, name := range []string{"a1", "a2", "a3", "b1", "c1"} {
		records[name] = newRecord(av.NewMap([]av.Attr{{Name: name, Value: av.Bool(true)}}))
	}
	p.replace("a", records["a1"], at(1))
	p.replace("b", records["b1"], at(2))
	p.replace("a", records["a2"], at(3))
	p.replace("a", records["a3"], at(3))
	p.replace("c", records["c1"], at(4))
	p.replace("b", nil, at(5))
	tests := []struct {
		name string
		then time.Time
		want string
	}{
		{"before all", at(1).Add(-1), ""},
		{"first put", at(1), "a1"},
		{"until the next", at(2).Add(-1), "a1"},
		{"second put", at(2), "a1 b1"},
		{"until two changes at once", at(3).Add(-1), "a1 b1"},
		{"the later of both", at(3), "a3 b1"},
		{"third put", at(4), "a3 b1 c1"},
		{"until the removal", at(5).Add(-1), "a3 b1 c1"},
		{"removal", at(5), "a3 c1"},
		{"now", at(9), "a3 c1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := moment{then: tt.then, now: at(9)}
			forward, backward, got := "", "", ""
			visit := func(text *string) func(string, *record) bool {
				return func(_ string, r *record) bool {
					*text += " " + r.item[0].Name
					return true
				}
			}
			p.walkLocked(keyRange{low: "a", high: "z"}, m, visit(&forward))
			p.walkLocked(keyRange{low: "a", high: "z", backward: true}, m, func(key string, r *record) bool {
				backward = " " + r.item[0].Name + backward
				return true
			})
			for _, key := range []string{"a", "b", "c"} {
				if r := p.getLocked(key, m); r != nil {
					visit(&got)(key, r)
				}
			}
			want := tt.want
			if want != "" {
				want = " " + want
			}
			if forward != want || backward != want || got != want {
				t.Errorf("forward%s, backward%s, by key%s; want%s", forward, backward, got, want)
			}
		})
	}
	t.Run("what is too long ago is forgotten", func(t *testing.T) {
		p.past.since(moment{then: at(14), now: at(14)})
		if n := len(p.past.replaced.all()); n != 1 { // what was replaced at 5
			t.Errorf("%d replacements are kept, want 1", n)
		}
	})
}

// TestPastStops walks no further than asked, wherever the walk is.
func TestPastStops(t *testing.T) {
	t.Parallel()
	p := &partition{past: &past{keep: time.Hour}}
	now := time.Unix(100, 0)
	for _, key := range []string{"a", "b", "c", "d"} {
		p.replace(key, newRecord(nil), time.Unix(1, 0))
	}
	p.replace("a", nil, now)
	p.replace("c", nil, now)
	p.replace("d", nil, now)
	for n := range 5 {
		visited := 0
		p.walkLocked(keyRange{low: "a", high: "z"}, moment{then: time.Unix(50, 0), now: now}, func(string, *record) bool {
			visited++
			return visited < n
		})
		if visited != max(1, n) {
			t.Errorf("%d records are visited, want %d", visited, max(1, n))
		}
	}
}
