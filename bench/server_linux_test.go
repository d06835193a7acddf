package bench_test

import (
	"bufio"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// peer is another server to measure: NAME,ADDRESS,PROCESS.
var peer = flag.String("peer", "", "another `server` to measure, as name,address,pid")

// serverVariable makes this binary a server instead of running benchmarks.
const serverVariable = "DDB_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + listener.Addr().String())
	fmt.Fprintln(os.Stderr, http.Serve(listener, wire.Handler(memory.New())))
}

// server is a process that serves.
type server struct {
	name, url string
	pid       int
}

// ownServer starts the server of this module; it ends with the benchmark.
func ownServer(b *testing.B) server {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self)
	cmd.Env = append(os.Environ(), serverVariable+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Wait() }) // the context has ended it
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return server{"ddb", strings.TrimSpace(url), cmd.Process.Pid}
}

// peerServer returns the server that the flag names, if it names one.
func peerServer(b *testing.B) []server {
	b.Helper()
	if *peer == "" {
		return nil
	}
	parts := strings.Split(*peer, ",")
	if len(parts) != 3 {
		b.Fatalf("-peer %s: want name,address,pid", *peer)
	}
	pid, err := strconv.Atoi(parts[2])
	if err != nil {
		b.Fatal(err)
	}
	return []server{{parts[0], parts[1], pid}}
}

// cpu returns the processor time of the process so far, which the kernel counts in
// hundredths of a second.
func (s server) cpu(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name may hold blanks
	fields := strings.Fields(rest)
	total := 0
	for _, i := range []int{11, 12} { // user and system time
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			b.Fatal(err)
		}
		total += n
	}
	return time.Duration(total) * 10 * time.Millisecond
}

func (s server) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(s.url), HTTPClient: http.DefaultClient, Credentials: credentials,
	})
}

// BenchmarkServer makes the same calls to the server, and to a peer if the flag peer
// names one, and reports the processor time of each server per call. Run it with
// enough calls: a hundredth of a second is the least that the kernel counts.
func BenchmarkServer(b *testing.B) {
	const items = 1_000
	servers := append([]server{ownServer(b)}, peerServer(b)...)
	for _, s := range servers {
		c := s.client()
		if _, err := c.CreateTable(b.Context(), parcels()); err != nil {
			b.Fatal(err)
		}
		fill(b, c, 0, items)
	}
	for _, call := range engineCalls {
		b.Run("op="+call.name, func(b *testing.B) {
			for _, s := range servers {
				c := s.client()
				b.Run("impl="+s.name, func(b *testing.B) {
					n, began := 0, s.cpu(b)
					for b.Loop() {
						if err := call.call(b.Context(), c, items, n); err != nil {
							b.Fatal(err)
						}
						n++
					}
					b.ReportMetric(float64(s.cpu(b)-began)/float64(n), "server-ns/op")
				})
			}
		})
	}
}
