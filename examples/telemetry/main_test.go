package main

import (
	"flag"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/golden"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

var update = flag.Bool("update", false, "write the golden file anew")

func TestOutput(t *testing.T) { golden.Output(t, run, *update) }

// TestEndpoint asserts the same over the wire, up to what the endpoint does in its
// own time.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	golden.Endpoint(t, run, func(want string) string {
		lines := strings.SplitAfter(want, "\n")
		for i, line := range lines {
			if strings.Contains(line, "removed;") {
				return strings.Join(lines[:i], "") + "   | the endpoint removes the others when it gets to them\n" + lines[len(lines)-2]
			}
		}
		return want
	})
}

// TestSweepBehindEndpoint asserts that what a server sweeps and tells in its stream
// is the same, twice over.
func TestSweepBehindEndpoint(t *testing.T) {
	t.Parallel()
	c := &clock{}
	engine := memory.New(memory.Clock(c.Now))
	server := httptest.NewServer(wire.Handler(engine))
	t.Cleanup(server.Close)
	db, _, err := backend.Open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(golden.Want(t), "\n")
	for range 2 {
		c.set(start)
		var got strings.Builder
		s := newTelemetry(db, c)
		s.sweep = engine.Expire
		if err := backend.CreateTable(t.Context(), db, s.table, backend.WithStream); err != nil {
			t.Fatal(err)
		}
		if err := s.show(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got.String(), want); diff != "" {
			t.Errorf("over the wire (-got +want):\n%s", diff)
		}
	}
}

func TestRefusals(t *testing.T) { golden.Refusals(t, run) }
