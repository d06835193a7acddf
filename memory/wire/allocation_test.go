package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/internal/bare"
	"github.com/seed530093c6/ddb/memory/wire"
)

// sink is where responses go that nobody reads.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }

// serveOne passes a request with that body to the handler and fails unless it
// succeeds. It allocates two things: the reader of the body and what wraps it.
func serveOne(t testing.TB, h http.Handler, w *sink, r *http.Request, body string) {
	t.Helper()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	clear(w.header)
	if h.ServeHTTP(w, r); w.status != http.StatusOK {
		t.Fatalf("status %d", w.status)
	}
}

// kept returns the request that a client sends for a call.
func kept(t testing.TB, call apiCall, n int) *sent {
	t.Helper()
	var s sent
	if err := call(t.Context(), dynamodb.New(clientOptions("http://127.0.0.1", &s)), n); !errors.Is(err, errSent) {
		t.Fatal(err)
	}
	return &s
}

// TestAllocations promises that requests do not begin to allocate more than they
// need: the SDK's request, what the engine needs and stores, the SDK's response, and
// a few headers. Sending items costs three allocations for each, whatever they hold.
// It is not parallel, since it counts what the whole process allocates.
func TestAllocations(t *testing.T) {
	db := newDB()
	if _, err := db.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	for n := range bare.CollectionSize {
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: bare.Parcel(n)}); err != nil {
			t.Fatal(err)
		}
	}
	h := wire.Handler(db)
	most := map[string]float64{"GetItem": 32, "PutItem": 58, "Query": 390, "BatchWriteItem": 950, "TransactWriteItems": 270}
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			s := kept(t, l.call, 0)
			body := token.ReplaceAllString(s.body, `"ReturnConsumedCapacity":"NONE"`)
			r, w := request("POST", "/", ""), &sink{header: make(http.Header)}
			r.Header = s.header
			got := testing.AllocsPerRun(100, func() { serveOne(t, h, w, r, body) })
			if got > most[l.name] {
				t.Errorf("%v allocations, want at most %v", got, most[l.name])
			}
		})
	}
}

// TestFootprint promises that an item of 400 bytes that came over the wire takes
// no more than 2.5 KB of memory, indexes apart. It is not parallel, since it looks
// at the whole heap.
func TestFootprint(t *testing.T) {
	const items, most = 20_000, 2560
	db := newDB()
	if _, err := db.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	h := wire.Handler(db)
	put := func(ctx context.Context, c *dynamodb.Client, n int) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: bare.Parcel(n)})
		return err
	}
	r, w := request("POST", "/", ""), &sink{header: make(http.Header)}
	r.Header = kept(t, put, 0).header
	before := heapInUse()
	for n := range items {
		serveOne(t, h, w, r, kept(t, put, n).body)
	}
	got := (heapInUse() - before) / items
	t.Logf("%d bytes for an item", got)
	if got > most {
		t.Errorf("%d bytes for an item, want at most %d", got, most)
	}
	runtime.KeepAlive(h)
}

// heapInUse returns the bytes that are reachable.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
