package wire

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed530093c6/ddb/memory"
)

// No target, body or header makes the server panic or answer with something
// that is no JSON, and the scanner takes for JSON what encoding/json does.
func FuzzWireBody(f *testing.F) {
	targets := make([]string, 0, len(operations))
	for target := range operations {
		targets = append(targets, target)
	}
	slices.Sort(targets)
	table := `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],` +
		`"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]}`
	for i := range targets {
		f.Add(uint8(i), `{"TableName":"tab","Key":{"k":{"S":"a"}}}`, "", "AWS4-HMAC-SHA256 Credential=a")
	}
	f.Add(uint8(0), table, "gzip", "")
	f.Add(uint8(0), `{"TableName":"tab","Item":{"k":{"S":"\ud83d"},"n":{"N":"1e5"},"b":{"B":"AA=="},"l":{"L":[null,{"SS":["a"]}]}}}`, "*;q=0.1", "")
	f.Add(uint8(0), `{"TableName":7,"Limit":"x","RequestItems":[],"Expected":{"a":{"Exists":"maybe"}}}`, "deflate", "AWS4- ,")
	f.Add(uint8(255), `{"a":[1.5e-3,true,false,null,{"b":"\u0041"}]}`, "", "")

	f.Fuzz(func(t *testing.T, n uint8, body, encoding, authorization string) {
		if strings.Count(body, "[")+strings.Count(body, "{") < maxDepth && utf8.ValidString(body) {
			want := json.Valid([]byte(body)) && strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), "{")
			if got := wellFormed([]byte(body)); got != want {
				t.Fatalf("wellFormed(%q) = %v", body, got)
			}
		}
		h := Handler(memory.New(), StrictAuth())
		send := func(target, body string, headers http.Header) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			r.Header = headers.Clone()
			r.Header.Set("Content-Type", typeAmazonJSON)
			r.Header.Set("X-Amz-Target", target)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if out := w.Body.Bytes(); len(out) > 0 && w.Header().Get("Content-Encoding") == "" && !json.Valid(out) {
				t.Fatalf("answer to %q is %d %s", body, w.Code, out)
			}
		}
		signed := http.Header{"Authorization": {"AWS4- Credential=a,Signature=b,SignedHeaders=c"}, "Date": {"d"}, "Accept-Encoding": {encoding}}
		send(targetDynamoDB+"CreateTable", table, signed)
		target := "unknown"
		if int(n) < len(targets) {
			target = targets[n]
		}
		send(target, body, signed)
		send(target, body, http.Header{"Authorization": {authorization}, "Content-Encoding": {encoding}})
	})
}
