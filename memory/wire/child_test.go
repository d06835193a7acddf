package wire_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// Benchmarks measure a server in a process of its own, which tells how much
// processor time it has taken: that of the client does not count.

// childVariable makes this binary a server instead of running tests: of the engine,
// or of canned replies.
const childVariable = "DDB_TEST_SERVER"

func TestMain(m *testing.M) {
	var h http.Handler
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "engine":
		h = wire.Handler(memory.New())
	case "canned":
		h = new(canned)
	}
	if err := serveChild(h, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveChild serves until its input ends. It writes its address, and for each line
// of input a number: of "cpu" its processor time in nanoseconds, of "heap" the
// bytes that are reachable.
func serveChild(h http.Handler, in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = (&http.Server{Handler: h}).Serve(listener) }()
	fmt.Fprintln(out, "http://"+listener.Addr().String())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch lines.Text() {
		case "cpu":
			fmt.Fprintln(out, int64(versus.CPU()))
		case "heap":
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Fprintln(out, m.HeapAlloc)
		}
	}
	return nil
}

// canned reads a request and answers with what it was told to answer requests of
// its target with. A PUT tells it.
type canned struct {
	replies map[string]reply // never changes once requests come
}

type reply struct {
	Target, Body string
	crc          string
}

func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPut {
		var told []reply
		if err := json.Unmarshal(body, &told); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.replies = make(map[string]reply)
		for _, t := range told {
			t.crc = strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(t.Body))), 10)
			c.replies[t.Target] = t
		}
		return
	}
	answer := c.replies[r.Header.Get("X-Amz-Target")]
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", answer.crc)
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	_, _ = io.WriteString(w, answer.Body)
}

// child is a server in a process of its own.
type child struct {
	url  string
	in   io.Writer
	out  *bufio.Reader
	stop func() // waits until the server is gone
}

// startChild starts a server of that kind, which ends with the benchmark.
func startChild(b testing.TB, kind string) *child {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+kind)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := &child{in: in, out: bufio.NewReader(out), stop: sync.OnceFunc(func() {
		if err := in.Close(); err != nil {
			b.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})}
	b.Cleanup(c.stop)
	c.url = c.line(b)
	return c
}

func (c *child) line(b testing.TB) string {
	text, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal("the server ended: ", err)
	}
	return strings.TrimSpace(text)
}

// ask returns the number that the child has for a question.
func (c *child) ask(b testing.TB, question string) float64 {
	b.Helper()
	if _, err := fmt.Fprintln(c.in, question); err != nil {
		b.Fatal(err)
	}
	n, err := strconv.ParseFloat(c.line(b), 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
