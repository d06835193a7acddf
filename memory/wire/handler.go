package wire

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

const (
	// maxHeader bounds all headers together, and the request line (observed).
	maxHeader = 16 << 10
	// exposedHeaders are those that scripts of other origins may read.
	exposedHeaders = "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"
	// minCompress is the size above which responses are compressed (observed).
	minCompress = 4 << 10
)

const (
	typeAmazonJSON = "application/x-amz-json-1.0"
	typeJSON       = "application/json"
)

// Option changes how a [Handler] answers.
type Option func(*handler)

// StrictAuth makes the handler refuse requests whose credentials do not have
// the form of AWS Signature Version 4, with the errors of the service. The
// signature itself is not verified: any key is as good as another.
func StrictAuth() Option { return func(h *handler) { h.strictAuth = true } }

// Handler serves the operations of db over HTTP, to any client that speaks
// DynamoDB's protocol. Requests to DynamoDB and to DynamoDB Streams are told
// apart by their target, whatever host they name. Unless [StrictAuth] is given,
// requests with any credentials, or none, see the same tables.
//
// The handler is safe for concurrent use and keeps no state of its own.
func Handler(db *memory.DB, opts ...Option) http.Handler {
	h := &handler{db: db}
	for _, set := range opts {
		if set != nil {
			set(h)
		}
	}
	return h
}

type handler struct {
	db         *memory.DB
	strictAuth bool
	codec      codec
	spare      sync.Pool // of *buffers
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := h.takeBuffers()
	defer h.giveBack(b)
	w.Header().Set("X-Amzn-Requestid", b.requestID())
	w.Header().Set("Server", "Server")
	w.Header()["Content-Type"] = nil // none, rather than a guess of package net/http
	crossOrigin := r.Header.Get("Origin") != ""
	if crossOrigin {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", exposedHeaders)
	}
	switch {
	case len(r.RequestURI) > maxHeader || headerSize(r) > maxHeader:
		send(w, http.StatusBadRequest, nil)
	case crossOrigin && r.Method == http.MethodOptions:
		preflight(w, r)
	case r.Method == http.MethodGet && r.URL.Path == "/":
		h.health(w, r)
	case r.Method != http.MethodPost || r.URL.Path != "/":
		send(w, http.StatusNotFound, []byte(notFound))
	default:
		h.post(w, r, b)
	}
}

// notFound is the body of answers to whatever is no call of the API (observed).
const notFound = "<UnknownOperationException/>\n"

// health answers with the name of the endpoint and a blank (observed).
func (h *handler) health(w http.ResponseWriter, r *http.Request) {
	out, err := h.db.DescribeEndpoints(r.Context(), &dynamodb.DescribeEndpointsInput{})
	if err != nil || len(out.Endpoints) == 0 {
		send(w, http.StatusServiceUnavailable, nil)
		return
	}
	send(w, http.StatusOK, []byte("healthy: "+aws.ToString(out.Endpoints[0].Address)+" "))
}

func headerSize(r *http.Request) int {
	n := len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	return n
}

// preflight permits a browser whatever it asks for.
func preflight(w http.ResponseWriter, r *http.Request) {
	if headers := r.Header.Get("Access-Control-Request-Headers"); headers != "" {
		w.Header().Set("Access-Control-Allow-Headers", headers)
	}
	if method := r.Header.Get("Access-Control-Request-Method"); method != "" {
		w.Header().Set("Access-Control-Allow-Methods", method)
	}
	w.Header().Set("Access-Control-Max-Age", "172800")
	send(w, http.StatusOK, nil)
}

// post answers a call of the API, or what is posted in place of one.
func (h *handler) post(w http.ResponseWriter, r *http.Request, b *buffers) {
	raw, err := receive(r, b.request[:0])
	b.request = raw
	switch {
	case errors.Is(err, errTooLarge):
		send(w, http.StatusRequestEntityTooLarge, nil)
		return
	case err != nil: // the client broke off
		send(w, http.StatusBadRequest, nil)
		return
	}
	contentType := mediaType(r)
	if len(raw) > 0 && contentType != typeAmazonJSON && contentType != typeJSON {
		send(w, http.StatusNotFound, []byte(notFound))
		return
	}
	if contentType != typeJSON {
		contentType = typeAmazonJSON
	}
	w.Header().Set("Content-Type", contentType)

	reply, status := b.reply[:0], http.StatusOK
	body, err := decompress(raw, r.Header.Get("Content-Encoding"), limits.RequestBytes)
	switch {
	case errors.Is(err, errTooLarge):
		status = http.StatusRequestEntityTooLarge
	case err != nil:
		reply, status = h.codec.encodeError(reply, errInternal)
	default:
		reply, status = h.answer(r, body, reply)
	}
	b.reply = reply
	if len(reply) > minCompress {
		if encoding := negotiate(r.Header.Get("Accept-Encoding")); encoding != "" {
			w.Header().Set("Content-Encoding", encoding)
			reply = compress(reply, encoding)
		}
	}
	send(w, status, reply)
}

// receive reads the body as sent into the memory of buf. It fails with errTooLarge, announced or not,
// after it has read on for a while: a client that is still writing would
// otherwise find the connection closed and never see the answer.
func receive(r *http.Request, buf []byte) ([]byte, error) {
	if r.ContentLength <= limits.RequestBytes {
		body := bytes.NewBuffer(buf)
		if n := int(r.ContentLength); n > 0 {
			body.Grow(n + bytes.MinRead)
		}
		if _, err := body.ReadFrom(io.LimitReader(r.Body, limits.RequestBytes+1)); err != nil || body.Len() <= limits.RequestBytes {
			return body.Bytes(), err
		}
	}
	_, _ = io.CopyN(io.Discard, r.Body, 2*limits.RequestBytes)
	return nil, errTooLarge
}

func mediaType(r *http.Request) string {
	base, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// answer appends the body of a response and returns it with the status.
func (h *handler) answer(r *http.Request, body, reply []byte) ([]byte, int) {
	out, err := h.perform(r, body)
	if err != nil {
		return h.codec.encodeError(reply, err)
	}
	return h.codec.encode(reply, out), http.StatusOK
}

// perform does what the request asks for. The order of the checks is the
// service's (observed): syntax, target, credentials, an absent body, types; the
// engine does the rest.
func (h *handler) perform(r *http.Request, body []byte) (any, error) {
	target := r.Header.Get("X-Amz-Target")
	op, known := operations[target]
	if !known {
		if len(body) > 0 && !wellFormed(body) {
			return nil, errSyntax
		}
		return nil, unknownOperation(target)
	}
	in := reflect.New(op.input).Interface()
	faulty := h.codec.decode(body, in)
	if errors.Is(faulty, errSyntax) && len(body) > 0 {
		return nil, errSyntax
	}
	if h.strictAuth {
		if err := authenticate(r); err != nil {
			return nil, err
		}
	}
	if faulty != nil {
		return nil, faulty
	}
	return op.call(av.KeepStored(r.Context()), h.db, in)
}

// send writes a response with the checksum of the bytes as sent, which the SDKs
// verify.
func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that is gone needs no answer.
	_, _ = w.Write(body)
}
