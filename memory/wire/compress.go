package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strconv"
	"strings"
)

var (
	errTooLarge = errors.New("body is larger than the service takes")
	errEncoding = errors.New("body is not in the encoding of its header")
)

// decompress returns what a body in the given Content-Encoding stands for. It
// fails with errTooLarge beyond limit bytes, and with errEncoding when the
// content is broken, empty, or in an encoding that is not supported.
func decompress(body []byte, encoding string, limit int) ([]byte, error) {
	var r io.Reader
	var err error
	switch strings.ToLower(encoding) {
	case "", "identity":
		return body, nil
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		r, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return nil, errEncoding
	}
	if err != nil {
		return nil, errEncoding
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, errEncoding
	case len(out) > limit:
		return nil, errTooLarge
	}
	return out, nil
}

// compress returns body in the encoding, gzip or deflate.
func compress(body []byte, encoding string) []byte {
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if encoding == "deflate" {
		w = zlib.NewWriter(&out)
	}
	// A bytes.Buffer takes whatever is written.
	_, _ = w.Write(body)
	_ = w.Close()
	return out.Bytes()
}

// negotiate chooses the encoding of a response from the header Accept-Encoding:
// the one with the highest quality, of equals the one named first, and those
// only covered by * after those named, gzip before deflate. The result is empty
// for none. Qualities above one count as one and unreadable ones too; identity
// has no weight of its own (all observed).
func negotiate(accept string) string {
	best, bestQuality := "", 0.0
	consider := func(encoding string, q float64) {
		if q > bestQuality {
			best, bestQuality = encoding, q
		}
	}
	var rest float64 // the quality of encodings that are not named
	named := make(map[string]bool)
	for option := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(option, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		switch q := quality(parameters); name {
		case "gzip", "deflate":
			named[name] = true
			consider(name, q)
		case "*":
			rest = q
		}
	}
	for _, encoding := range []string{"gzip", "deflate"} {
		if !named[encoding] {
			consider(encoding, rest)
		}
	}
	return best
}

// quality reads what follows the first "q=", be it the end of another name, and
// is at most 1; it is 1 when there is none to read (observed).
func quality(parameters string) float64 {
	_, value, _ := strings.Cut(parameters, "q=")
	value, _, _ = strings.Cut(value, ";")
	if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
		return min(q, 1)
	}
	return 1
}
