package memory

import (
	"strconv"
	"testing"
	"time"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// TestTokensAreForgotten checks that nothing is left of tokens that are over,
// and that a failed use leaves nothing at once.
func TestTokensAreForgotten(t *testing.T) {
	t.Parallel()
	var ts tokens
	now := time.Unix(1_700_000_000, 0)
	for i := range 1000 {
		token := strconv.Itoa(i)
		if _, err := ts.begin(token, fingerprint{}, now); err != nil {
			t.Fatal(err)
		}
		again := &bill{}
		if i%2 == 0 {
			again = nil
		}
		ts.end(token, again, now)
		now = now.Add(time.Second)
	}
	if len(ts.known) != 300 { // every second one of the last 600 seconds
		t.Errorf("%d tokens are known, want 300", len(ts.known))
	}
	if _, err := ts.begin("new", fingerprint{}, now.Add(tokenLife)); err != nil {
		t.Fatal(err)
	}
	if len(ts.known) != 1 || len(ts.done.all()) != 0 {
		t.Errorf("%d tokens are known and %d done, want 1 and 0", len(ts.known), len(ts.done.all()))
	}
	if _, err := ts.begin("new", fingerprint{}, now.Add(tokenLife)); err == nil {
		t.Error("a token that is in use was given away")
	}
}

// TestFingerprints checks what makes a difference.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	of := func(write func(p *printer)) fingerprint {
		var p printer
		write(&p)
		return p.sum()
	}
	attributes := func(pairs ...string) func(p *printer) {
		var m av.Map
		for i := 0; i < len(pairs); i += 2 {
			m = m.With(pairs[i], av.String(pairs[i+1]))
		}
		return func(p *printer) { p.attributes(m) }
	}
	empty, absent := "", (*string)(nil)
	different := map[string]func(p *printer){
		"ab c":          attributes("ab", "c"),
		"a bc":          attributes("a", "bc"),
		"list":          func(p *printer) { p.value(av.List([]av.Value{av.String("a")})) },
		"list of two":   func(p *printer) { p.value(av.List([]av.Value{av.String("a"), av.String("a")})) },
		"list in list":  func(p *printer) { p.value(av.List([]av.Value{av.List([]av.Value{av.String("a")})})) },
		"true":          func(p *printer) { p.value(av.Bool(true)) },
		"false":         func(p *printer) { p.value(av.Bool(false)) },
		"binary":        func(p *printer) { p.value(av.Binary("a")) },
		"string":        func(p *printer) { p.value(av.String("a")) },
		"absent":        func(p *printer) { p.optional(absent) },
		"empty":         func(p *printer) { p.optional(&empty) },
		"placeholder":   func(p *printer) { p.names(map[string]string{"#a": "b"}) },
		"placeholder 2": func(p *printer) { p.names(map[string]string{"#ab": ""}) },
	}
	seen := map[fingerprint]string{}
	for name, write := range different {
		if other, there := seen[of(write)]; there {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[of(write)] = name
	}
	if of(attributes("a", "1", "b", "2")) != of(attributes("b", "2", "a", "1")) {
		t.Error("the order of attributes makes a difference")
	}
}
