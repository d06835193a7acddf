package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOutput compares the report and the files with those in testdata.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--out", dir}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "output.golden"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(written) != 5 {
		t.Errorf("%d files, want 5", len(written))
	}
	for _, f := range written {
		got, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", f.Name())
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s (-got +want), -update writes it anew:\n%s", golden, diff)
		}
	}
}

// TestEndpoint promises that the program runs over the wire, and finds there
// what it finds in process, but for heat.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(wire.Handler(memory.New()))
	t.Cleanup(server.Close)
	var out bytes.Buffer
	if err := run(context.Background(), []string{"--endpoint", server.URL}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Table AppTable, " + strings.TrimPrefix(server.URL, "http://"), "S5 the orders of a day", "time-key", "stream AppTable"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// TestBadArguments promises that they are named.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"more"}, {"--endpoint", "nowhere"}, {"--out", filepath.Join(t.TempDir(), "missing")}, {"--what"}} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: got no error", args)
		}
	}
}
