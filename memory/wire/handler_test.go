package wire_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

const (
	amazonJSON = "application/x-amz-json-1.0"
	listTables = "DynamoDB_20120810.ListTables"
)

// request makes a call of ListTables that names and values of headers change.
func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", amazonJSON)
	r.Header.Set("X-Amz-Target", listTables)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	return r
}

// perform answers a request and checks what holds of every response.
func perform(t *testing.T, h http.Handler, r *http.Request) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body := w.Body.Bytes()
	if got, want := w.Header().Get("X-Amz-Crc32"), strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); got != want {
		t.Errorf("checksum is %s, want %s", got, want)
	}
	if got, want := w.Header().Get("Content-Length"), strconv.Itoa(len(body)); got != want {
		t.Errorf("Content-Length is %s, want %s", got, want)
	}
	if id := w.Header().Get("X-Amzn-Requestid"); !regexp.MustCompile(`^[0-9A-Z]{52}$`).MatchString(id) {
		t.Errorf("request id is %q", id)
	}
	return w.Result()
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	syntaxError  = `{"__type":"com.amazon.coral.service#SerializationException"}`
	unknown      = `{"__type":"com.amazon.coral.service#UnknownOperationException"}`
	notFoundPage = "<UnknownOperationException/>\n"
	noTables     = `{"TableNames":[]}`
)

func TestRequests(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New())
	tests := []struct {
		name   string
		r      *http.Request
		status int
		body   string
	}{
		{"a call", request("POST", "/", "{}"), 200, noTables},
		{"a call with plain JSON", request("POST", "/", "{}", "Content-Type", "application/json"), 200, noTables},
		{"media type with parameters", request("POST", "/", "{}", "Content-Type", " Application/JSON ; charset=utf-8"), 200, noTables},
		{"a call with a query string", request("POST", "/?X-Amz-Algorithm=a", "{}"), 200, noTables},
		{"no credentials", request("POST", "/", "{}", "Authorization", ""), 200, noTables},
		{"any credentials", request("POST", "/", "{}", "Authorization", "whatever"), 200, noTables},
		{"body is no JSON", request("POST", "/", "hi"), 400, syntaxError},
		{"body is no object", request("POST", "/", "[]"), 400, syntaxError},
		{"no body", request("POST", "/", ""), 400, syntaxError},
		{"no target", request("POST", "/", "{}", "X-Amz-Target", ""), 400, unknown},
		{"no target and no body", request("POST", "/", "", "X-Amz-Target", "", "Content-Type", ""), 400, unknown},
		{"no target and no JSON", request("POST", "/", "{", "X-Amz-Target", ""), 400, syntaxError},
		{"unknown target", request("POST", "/", `{"a":[1]}`, "X-Amz-Target", "whatever"), 400, unknown},
		{"unknown operation", request("POST", "/", "{}", "X-Amz-Target", "DynamoDB_20120810.ListTable"), 400, unknown},
		{"unknown version", request("POST", "/", "{}", "X-Amz-Target", "DynamoDB_20111205.ListTables"), 400, unknown},
		{
			"an operation the engine leaves out", request("POST", "/", "{}", "X-Amz-Target", "DynamoDB_20120810.CreateBackup"), 400,
			`{"__type":"com.amazon.coral.service#UnknownOperationException","message":"CreateBackup is not simulated."}`,
		},
		{
			"a member of the wrong type", request("POST", "/", `{"Limit":"5"}`), 400,
			`{"__type":"com.amazon.coral.service#SerializationException","Message":"STRING_VALUE cannot be converted to Integer"}`,
		},
		{
			"an exception", request("POST", "/", `{"TableName":"missing"}`, "X-Amz-Target", "DynamoDB_20120810.DescribeTable"), 400,
			`{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found: Table: missing not found"}`,
		},
		{"health", request("GET", "/", ""), 200, "healthy: dynamodb.us-east-1.amazonaws.com "},
		{"GET elsewhere", request("GET", "/shell", ""), 404, notFoundPage},
		{"POST elsewhere", request("POST", "/shell", "{}"), 404, notFoundPage},
		{"PUT", request("PUT", "/", ""), 404, notFoundPage},
		{"DELETE", request("DELETE", "/", ""), 404, notFoundPage},
		{"OPTIONS without an origin", request("OPTIONS", "/", ""), 404, notFoundPage},
		{"no media type", request("POST", "/", "{}", "Content-Type", ""), 404, notFoundPage},
		{"another media type", request("POST", "/", "{}", "Content-Type", "application/x-amz-json-1.1"), 404, notFoundPage},
		{"headers too large", request("POST", "/", "{}", "X-Large", strings.Repeat("x", 16<<10)), 400, ""},
		{"headers just not too large", request("POST", "/", "{}", "X-Large", strings.Repeat("x", 16<<10-200)), 200, noTables},
		{"request line too large", request("POST", "/?"+strings.Repeat("x", 16<<10), "{}"), 400, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := perform(t, h, tt.r)
			if got.StatusCode != tt.status {
				t.Errorf("status %d, want %d", got.StatusCode, tt.status)
			}
			if diff := cmp.Diff(read(t, got.Body), tt.body); diff != "" {
				t.Errorf("body (-got +want):\n%s", diff)
			}
		})
	}
}

func TestHealthNamesTheRegion(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New(memory.Region("eu-west-2")))
	got := read(t, perform(t, h, request("GET", "/", "")).Body)
	if want := "healthy: dynamodb.eu-west-2.amazonaws.com "; got != want {
		t.Errorf("health is %q, want %q", got, want)
	}
}

// Checksums that were recorded from the service.
func TestChecksum(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New())
	for want, r := range map[string]*http.Request{
		"3128867991": request("GET", "/", ""),
		"3552371480": request("PUT", "/", ""),
		"3948637019": request("POST", "/", "hi"),
		"1368724161": request("POST", "/", "{}", "X-Amz-Target", ""),
	} {
		if got := perform(t, h, r).Header.Get("X-Amz-Crc32"); got != want {
			t.Errorf("checksum is %s, want %s", got, want)
		}
	}
}

func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New())
	for sent, want := range map[string]string{
		amazonJSON:                        amazonJSON,
		"application/json; charset=utf-8": "application/json",
	} {
		got := perform(t, h, request("POST", "/", "{}", "Content-Type", sent))
		if got.Header.Get("Content-Type") != want || got.Header.Get("Server") != "Server" {
			t.Errorf("headers for a request of type %s: %v", sent, got.Header)
		}
	}
	first, second := perform(t, h, request("POST", "/", "{}")), perform(t, h, request("POST", "/", "{}"))
	if first.Header.Get("X-Amzn-Requestid") == second.Header.Get("X-Amzn-Requestid") {
		t.Error("two requests have one id")
	}
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New())
	got := perform(t, h, request("OPTIONS", "/", "", "Origin", "http://localhost",
		"Access-Control-Request-Headers", "a, b", "Access-Control-Request-Method", "POST"))
	if body := read(t, got.Body); got.StatusCode != http.StatusOK || body != "" {
		t.Errorf("preflight is %d, %q", got.StatusCode, body)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "a, b",
		"Access-Control-Allow-Methods": "POST", "Access-Control-Max-Age": "172800",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
	got = perform(t, h, request("OPTIONS", "/", "", "Origin", "http://localhost"))
	if got.Header.Get("Access-Control-Allow-Headers") != "" || got.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("preflight that asks for nothing allows %v", got.Header)
	}
	got = perform(t, h, request("POST", "/", "{}", "Origin", "http://localhost"))
	if headers := got.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(headers, "x-amzn-RequestId") {
		t.Errorf("call across origins exposes %q", headers)
	}
	if got.Header.Get("Access-Control-Allow-Origin") != "*" || read(t, got.Body) != noTables {
		t.Errorf("call across origins has headers %v", got.Header)
	}
}

func TestStrictAuth(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New(), wire.StrictAuth())
	const (
		missing    = "com.amazon.coral.service#MissingAuthenticationTokenException: Request is missing Authentication Token"
		incomplete = "com.amazon.coral.service#IncompleteSignatureException: "
		header     = "Authorization header requires "
		query      = "AWS query-string parameters must include "
	)
	full := "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=b"
	tests := []struct {
		name string
		r    *http.Request
		want string
	}{
		{"complete header", request("POST", "/", "{}", "Authorization", full, "X-Amz-Date", "20260101T000000Z"), ""},
		{"Date in place of X-Amz-Date", request("POST", "/", "{}", "Authorization", full, "Date", "x"), ""},
		{"complete query", request("POST", "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-SignedHeaders=d&X-Amz-Date=e", "{}"), ""},
		{"nothing", request("POST", "/", "{}"), missing},
		{"another scheme", request("POST", "/", "{}", "Authorization", "Bearer x"), missing},
		{"AWS4 alone", request("POST", "/", "{}", "Authorization", "AWS4"), missing},
		{"query without an algorithm", request("POST", "/?X-Amz-Credential=b&X-Amz-Signature=c", "{}"), missing},
		{
			"both", request("POST", "/?X-Amz-Algorithm", "{}", "Authorization", "X"),
			"com.amazon.coral.service#InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
		},
		{
			"empty header", request("POST", "/", "{}", "Authorization", "AWS4-"),
			incomplete + header + "'Credential' parameter. " + header + "'Signature' parameter. " + header + "'SignedHeaders' parameter. " +
				header + "existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
		},
		{
			"one parameter missing", request("POST", "/", "{}", "Authorization", "AWS4- Signature=b,Credential=a", "Date", "a"),
			incomplete + header + "'SignedHeaders' parameter. Authorization=AWS4- Signature=b,Credential=a",
		},
		{
			"empty query", request("POST", "/?X-Amz-Algorithm", "{}"),
			incomplete + query + "'X-Amz-Algorithm'. " + query + "'X-Amz-Credential'. " + query + "'X-Amz-Signature'. " +
				query + "'X-Amz-SignedHeaders'. " + query + "'X-Amz-Date'. Re-examine the query-string parameters.",
		},
		{"before an empty body", request("POST", "/", ""), missing},
		{"before types", request("POST", "/", `{"Limit":"5"}`), missing},
		{"after syntax", request("POST", "/", "{"), "com.amazon.coral.service#SerializationException: "},
		{"after the target", request("POST", "/", "{}", "X-Amz-Target", ""), "com.amazon.coral.service#UnknownOperationException: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			response := perform(t, h, tt.r)
			var body struct {
				Type    string `json:"__type"`
				Message string `json:"message"`
			}
			if err := json.Unmarshal([]byte(read(t, response.Body)), &body); err != nil {
				t.Fatal(err)
			}
			got := ""
			if response.StatusCode != http.StatusOK {
				got = body.Type + ": " + body.Message
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("answer (-got +want):\n%s", diff)
			}
		})
	}
}

func gzipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(part))
		_ = w.Close()
	}
	return b.String()
}

func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// plain returns the body of a response as it was before compression.
func plain(t *testing.T, r *http.Response) io.Reader {
	t.Helper()
	var body io.Reader = r.Body
	var err error
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		body, err = gzip.NewReader(r.Body)
	case "deflate":
		body, err = zlib.NewReader(r.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestCompressedRequests(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New())
	const internal = `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError",` +
		`"message":"The request processing has failed because of an unknown error, exception or failure."}`
	blank := strings.Repeat(" ", 16<<20)
	tests := []struct {
		name, encoding, body string
		status               int
		want                 string
	}{
		{"gzip", "gzip", gzipped("{}"), 200, noTables},
		{"gzip in several members", "GZIP", gzipped("{", "}"), 200, noTables},
		{"deflate", "deflate", deflated("{}"), 200, noTables},
		{"identity", "identity", "{}", 200, noTables},
		{"no gzip", "gzip", "{}", 500, internal},
		{"cut off", "gzip", gzipped("{}")[:20], 500, internal},
		{"empty", "gzip", "", 500, internal},
		{"unknown encoding", "br", "{}", 500, internal},
		{"too large after decompression", "gzip", gzipped("{}" + blank), 413, ""},
		{"as large as can be", "gzip", gzipped("{}" + blank[2:]), 200, noTables},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := perform(t, h, request("POST", "/", tt.body, "Content-Encoding", tt.encoding))
			if body := read(t, got.Body); got.StatusCode != tt.status || body != tt.want {
				t.Errorf("answer is %d %s, want %d %s", got.StatusCode, body, tt.status, tt.want)
			}
		})
	}
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(wire.Handler(memory.New()))
	t.Cleanup(server.Close)
	post := func(t *testing.T, body io.Reader) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", amazonJSON)
		r.Header.Set("X-Amz-Target", listTables)
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	const limit = 16 << 20
	large := "{}" + strings.Repeat(" ", limit-1)
	if got := post(t, strings.NewReader(large)); got != http.StatusRequestEntityTooLarge {
		t.Errorf("announced body above the limit: status %d, want 413", got)
	}
	if got := post(t, io.MultiReader(strings.NewReader(large))); got != http.StatusRequestEntityTooLarge {
		t.Errorf("chunked body above the limit: status %d, want 413", got)
	}
	if got := post(t, strings.NewReader(large[:limit])); got != http.StatusOK {
		t.Errorf("body at the limit: status %d, want 200", got)
	}
}
