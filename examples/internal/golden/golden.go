package golden

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/examples/internal/program"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

const file = "testdata/output.golden"

// Answers returns what a program shows.
func Answers(t *testing.T, run program.Run, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Output compares what a program shows on the embedded engine with the golden
// file, which it first writes anew if told to.
func Output(t *testing.T, run program.Run, update bool) {
	t.Helper()
	got := Answers(t, run)
	if update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(got, Want(t)); diff != "" {
		t.Errorf("%s (-got +want), -update writes it anew:\n%s", file, diff)
	}
}

// Want returns the golden file.
func Want(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Endpoint demands that a program shows over the wire, but for its first line, which
// names the server, what edit makes of the golden file, and again on the table that
// it left. edit may be nil.
func Endpoint(t *testing.T, run program.Run, edit func(want string) string) {
	t.Helper()
	server := httptest.NewServer(wire.Handler(memory.New()))
	t.Cleanup(server.Close)
	want := Want(t)
	if edit != nil {
		want = edit(want)
	}
	_, want, _ = strings.Cut(want, "\n")
	for _, when := range []string{"on a new table", "on the table that is there"} {
		first, got, _ := strings.Cut(Answers(t, run, "--endpoint", server.URL), "\n")
		if !strings.HasPrefix(first, strings.TrimPrefix(server.URL, "http://")) {
			t.Errorf("%s: got %q, want the host first", when, first)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", when, diff)
		}
	}
}

// Refusals demands that a program refuses arguments that it does not know.
func Refusals(t *testing.T, run program.Run) {
	t.Helper()
	for _, c := range []struct{ name, want string }{
		{"--endpiont=x", "not defined"},
		{"x", `unexpected argument "x"`},
		{"--endpoint=localhost:8000", "is no URL"},
	} {
		err := run(t.Context(), []string{c.name}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}
