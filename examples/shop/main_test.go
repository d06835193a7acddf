package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/export"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

var update = flag.Bool("update", false, "write the golden file anew")

const golden = "testdata/output.golden"

func answers(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func want(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOutput compares the answers on the embedded engine with the golden file.
func TestOutput(t *testing.T) {
	got := answers(t)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want(t), got); diff != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", golden, diff)
	}
}

// TestLoadedFiles asserts that the same data from files, plain and compressed,
// gives the same answers.
func TestLoadedFiles(t *testing.T) {
	t.Parallel()
	half := bytes.Index(builtin[len(builtin)/2:], []byte("\n")) + len(builtin)/2 + 1
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.json.gz")
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(builtin[half:]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{plain: builtin[:half], packed: z.Bytes()} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want(t), answers(t, "--load", plain, "--load", packed)); diff != "" {
		t.Errorf("answers differ (-want +got):\n%s", diff)
	}
}

// TestEndpoint asserts that the same program gives the same answers over the
// wire, and again on the table that it left.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(wire.Handler(memory.New()))
	t.Cleanup(server.Close)
	_, rest, _ := strings.Cut(want(t), "\n")
	for range 2 {
		first, got, _ := strings.Cut(answers(t, "--endpoint", server.URL), "\n")
		if !strings.HasPrefix(first, strings.TrimPrefix(server.URL, "http://")) {
			t.Errorf("got %q, want the host first", first)
		}
		if diff := cmp.Diff(rest, got); diff != "" {
			t.Errorf("answers differ (-embedded +endpoint):\n%s", diff)
		}
	}
}

// TestBadLines asserts that a bad line is named by file and line and that
// nothing is loaded.
func TestBadLines(t *testing.T) {
	t.Parallel()
	good := string(builtin[:bytes.IndexByte(builtin, '\n')+1])
	cases := []struct{ name, line, want string }{
		{"no JSON", `{"Item":`, "unexpected end of JSON"},
		{"no item", `{"PK":{"S":"x"}}`, `one member, "Item"`},
		{"unknown type", `{"Item":{"PK":{"X":"x"}}}`, "attribute PK: type X"},
		{"number as a number", strings.Replace(strings.TrimSpace(good), `"类型":{"S":"地址"}`, `"类型":{"N":1}`, 1), "type N"},
		{"no entity", strings.Replace(strings.TrimSpace(good), "类型", "type", 1), "no attribute 类型"},
		{"unknown entity", strings.Replace(strings.TrimSpace(good), "地址", "机器人", 1), "no entity 机器人"},
		{"wrong key", strings.Replace(strings.TrimSpace(good), "ADDRESS#HOME", "ADDRESS#WORK", 1), "attribute SK is not what"},
		{"no key", strings.Replace(strings.TrimSpace(good), `"SK":{"S":"ADDRESS#HOME"},`, "", 1), "attribute SK is not what"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := memory.New()
			server := httptest.NewServer(wire.Handler(db))
			t.Cleanup(server.Close)
			path := filepath.Join(t.TempDir(), "items.json")
			if err := os.WriteFile(path, []byte(good+"\n"+c.line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			err := run(t.Context(), []string{"--endpoint", server.URL, "--load", path}, io.Discard, io.Discard)
			if err == nil || !strings.HasPrefix(err.Error(), path+":3: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error at %s:3 with %q", err, path, c.want)
			}
			if dump := db.Dump(schema.TableName); dump != "" {
				t.Errorf("got a table, want nothing: %s", dump)
			}
		})
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	cases := []struct {
		args []string
		want string
	}{
		{[]string{"--lod", "x"}, "not defined"},
		{[]string{"x"}, `unexpected argument "x"`},
		{[]string{"--load", filepath.Join(t.TempDir(), "none")}, "no such file"},
		{[]string{"--endpoint", "localhost:8000"}, "is no URL"},
	}
	for _, c := range cases {
		err := run(t.Context(), c.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want an error with %q", c.args, err, c.want)
		}
	}
}

// TestBuiltinDataIsGenerated asserts that the file in the repository is what
// its generator makes.
func TestBuiltinDataIsGenerated(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(context.Background(), "go", "run", "./generate").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, builtin) {
		t.Error("data/shop.jsonl differs; go generate ./examples/shop writes it anew")
	}
	n := 0
	for _, err := range export.Read("data/shop.jsonl", bytes.NewReader(builtin)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n < 500 {
		t.Errorf("got %d items, want at least 500", n)
	}
}
