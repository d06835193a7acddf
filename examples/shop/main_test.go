package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/examples/internal/golden"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/export"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

var update = flag.Bool("update", false, "write the golden file anew")

func TestOutput(t *testing.T) { golden.Output(t, run, *update) }

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
	if diff := cmp.Diff(golden.Answers(t, run, "--load", plain, "--load", packed), golden.Want(t)); diff != "" {
		t.Errorf("answers differ (-got +want):\n%s", diff)
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	golden.Endpoint(t, run, nil)
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

func TestRefusals(t *testing.T) {
	t.Parallel()
	golden.Refusals(t, run)
	err := run(t.Context(), []string{"--load", filepath.Join(t.TempDir(), "none")}, io.Discard, io.Discard)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want a missing file", err)
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
