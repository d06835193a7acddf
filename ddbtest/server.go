package ddbtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// Server is an engine behind HTTP: a ddb.Backend that is the SDK's own client,
// for tests of what lies between a program and the service, above all requests
// that the client sends again. It is safe for concurrent use.
type Server struct {
	// Client speaks DynamoDB's protocol with the engine, without a network
	// between them, so that it works inside testing/synctest. It sends requests
	// again up to ten times, with pauses of no more than a millisecond.
	*dynamodb.Client
	Faults
	// DB is the engine.
	DB *DB

	handler http.Handler
}

const clientAttempts = 10

// NewServer returns a server over an engine as [New] makes it. It ends with the
// test.
func NewServer(t TB, opts ...memory.Option) *Server {
	t.Helper()
	db := New(t, opts...)
	handler := wire.Handler(db.DB)
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://ddbtest.invalid"),
		Region:       "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		HTTPClient: &http.Client{Transport: direct{handler}},
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = clientAttempts
			o.MaxBackoff = time.Millisecond
			o.RateLimiter = ratelimit.None
		}),
	})
	return &Server{client, db.Faults, db, handler}
}

func (s *Server) engine() *DB { return s.DB }

// Listen makes the server listen on a free port of the loopback interface as
// well, until the test ends, and returns its URL: for clients in other processes
// or languages.
func (s *Server) Listen(t TB) (url string) {
	t.Helper()
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	return server.URL
}

// direct carries requests to a handler in the goroutine of the client.
type direct struct{ handler http.Handler }

// RoundTrip returns what the handler answers.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody // as a server has it
	}
	defer r.Body.Close()
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err // as over a connection that ends with its request
	}
	out := w.Result()
	out.Request = r
	return out, nil
}
