package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

var update = flag.Bool("update", false, "write the golden file anew")

const golden = "testdata/output.golden"

// childVariable makes this binary the program itself, which kills itself before
// one of its steps.
const childVariable = "WELCOME_TEST_CHILD"

type order struct {
	Args []string
	Kill int // before this step, from 1; 0 for never
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		if err := child(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	return run(context.Background(), o.Args, io.Discard, os.Stderr, func(string) {
		if o.Kill--; o.Kill == 0 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
	})
}

// runChild reports whether the program ended by itself.
func runChild(t *testing.T, o order) bool {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	var said bytes.Buffer
	cmd.Stderr = &said
	err = cmd.Run()
	if err != nil && (o.Kill == 0 || said.Len() > 0) {
		t.Fatalf("the program ends with %v: %s", err, said.String())
	}
	return err == nil
}

func answers(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard, func(string) {}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestOutput compares the output on the embedded engine with the golden file.
func TestOutput(t *testing.T) {
	got := answers(t)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", golden, diff)
	}
}

// server returns a table on a server, with customers that are new, changed and
// gone. Only Ann, Cid and Eva were new with an address.
func server(t *testing.T) (*schema, string) {
	t.Helper()
	s := httptest.NewServer(wire.Handler(memory.New(memory.Partitions(2))))
	t.Cleanup(s.Close)
	db, _, err := backend.Open(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := newSchema(db, time.Now)
	if err := backend.CreateTable(t.Context(), db, w.table, backend.WithStream); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Customer{
		{ID: "a", Name: "Ann", Email: "ann@example.com"}, {ID: "b", Name: "Bob"}, {ID: "c", Name: "Cid", Email: "cid@example.com"},
		{ID: "d", Name: "Dan"}, {ID: "e", Name: "Eva", Email: "eva@example.com"},
	} {
		if err := w.customers.Create(&c).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for id, address := range map[string]string{"a": "ann@example.org", "b": "bob@example.com"} {
		if _, err := w.customers.Update(Customer{ID: id}).Set(w.email.To(address)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"c", "d"} {
		if err := w.customers.Delete(Customer{ID: id}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w, s.URL
}

// letters returns the messages in a file, sorted, without identifiers.
func letters(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		_, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		out = append(out, message)
	}
	slices.Sort(out)
	return out
}

var once = []string{
	"To ann@example.com: Welcome, Ann!", "To cid@example.com: Welcome, Cid!", "To eva@example.com: Welcome, Eva!",
}

// TestKill kills the program before each of its steps, and demands of those that
// run afterwards that each customer has got one message.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 0
	for killed := true; killed; {
		s, url := server(t)
		path := filepath.Join(t.TempDir(), "letters")
		args := []string{"--endpoint", url, "--out", path, "--sample=false"}
		killed = !runChild(t, order{args, kills + 1})
		if killed {
			kills++
		}
		for range 2 {
			runChild(t, order{Args: args})
			if diff := cmp.Diff(letters(t, path), once); diff != "" {
				t.Fatalf("killed before step %d (-got +want):\n%s", kills, diff)
			}
			total, err := s.totals.Get(Total{}).Run(t.Context())
			if err != nil || total.Messages != len(once) {
				t.Fatalf("killed before step %d: %d messages counted, %v", kills, total.Messages, err)
			}
		}
	}
	if kills < 3*len(once) {
		t.Errorf("only %d steps were there to be killed before", kills)
	}
}

// TestFollow asserts that a program that follows sends what is written meanwhile,
// and ends when it is interrupted.
func TestFollow(t *testing.T) {
	t.Parallel()
	s, url := server(t)
	path := filepath.Join(t.TempDir(), "letters")
	ctx, cancel := context.WithCancel(t.Context())
	marked, done := make(chan string), make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"--endpoint", url, "--out", path, "--sample=false", "--follow"}, io.Discard, io.Discard, func(step string) {
			if step == "mark" {
				marked <- step
			}
		})
	}()
	for range once {
		<-marked
	}
	if err := s.customers.Create(&Customer{ID: "f", Name: "Fay", Email: "fay@example.com"}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-marked
	cancel()
	if err := <-done; err != nil {
		t.Errorf("interrupted: got %v", err)
	}
	if diff := cmp.Diff(letters(t, path), append(slices.Clone(once), "To fay@example.com: Welcome, Fay!")); diff != "" {
		t.Errorf("messages (-got +want):\n%s", diff)
	}
}

// TestEndpoint asserts that the sample gives the same messages over the wire, and
// none more on the table that it left.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(wire.Handler(memory.New()))
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "letters")
	for range 2 {
		if got := answers(t, "--endpoint", s.URL, "--out", path); !strings.HasPrefix(got, strings.TrimPrefix(s.URL, "http://")) {
			t.Errorf("got %q, want the host first", got)
		}
		want := []string{"To ann@example.com: Welcome, Ann!", "To zhang@example.com: Welcome, 张三!"}
		if diff := cmp.Diff(letters(t, path), want); diff != "" {
			t.Errorf("messages (-got +want):\n%s", diff)
		}
	}
}

// TestTornLine asserts that a line that a kill has cut off is written anew.
func TestTornLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "letters")
	if err := os.WriteFile(path, []byte("e1 To a: whole\ne2 To b: cu"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := openLetterbox(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Message{{EventID: "e1", To: "a", Text: "whole"}, {EventID: "e2", To: "b", Text: "cut"}, {EventID: "e2", To: "b", Text: "cut"}} {
		if _, err := b.send(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if want := "e1 To a: whole\ne2 To b: cut\n"; string(text) != want || err != nil {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--fellow"}, "not defined"},
		{[]string{"x"}, `unexpected argument "x"`},
		{[]string{"--endpoint", "localhost:8000"}, "is no URL"},
		{[]string{"--out", t.TempDir()}, "is a directory"},
	} {
		err := run(t.Context(), c.args, io.Discard, io.Discard, func(string) {})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.args, err, c.want)
		}
	}
}

var _ ddb.Checkpoints = (*schema)(nil)
