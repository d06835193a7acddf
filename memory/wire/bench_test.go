package wire_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/internal/bare"
	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory/wire"
)

// sent keeps the request that a client sends, and sends nothing.
type sent struct {
	header http.Header
	body   string
}

var errSent = errors.New("kept")

func (s *sent) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.header, s.body = req.Header, string(body)
	return nil, errSent
}

// token finds what would make every call but the first a repetition.
var token = regexp.MustCompile(`"ClientRequestToken":"[^"]*"`)

// BenchmarkHandler passes each call of the load to the handler, without a network.
func BenchmarkHandler(b *testing.B) {
	db := newDB()
	if _, err := db.CreateTable(b.Context(), ordersTable()); err != nil {
		b.Fatal(err)
	}
	for n := range bare.CollectionSize {
		if _, err := db.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: bare.Parcel(n)}); err != nil {
			b.Fatal(err)
		}
	}
	h := wire.Handler(db)
	for _, l := range loads {
		b.Run("op="+l.name, func(b *testing.B) {
			s, w := kept(b, l.call, 0), &sink{header: make(http.Header)}
			r := request("POST", "/", "")
			r.Header = s.header
			versus.Measure(b, func(n int) {
				body := token.ReplaceAllString(s.body, fmt.Sprintf(`"ClientRequestToken":"%d"`, n))
				serveOne(b, h, w, r, body)
			})
		})
	}
}
