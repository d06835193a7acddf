package wire_test

import (
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory/wire"
)

// BenchmarkGetItem is one call through the handler without a network.
func BenchmarkGetItem(b *testing.B) {
	db := newDB()
	for _, in := range []any{appTable(), &dynamodb.PutItemInput{TableName: aws.String("AppTable"), Item: order("a", "1")}} {
		if _, err := call(b.Context(), db, in); err != nil {
			b.Fatal(err)
		}
	}
	h := wire.Handler(db)
	const body = `{"TableName":"AppTable","Key":{"PK":{"S":"a"},"SK":{"S":"1"}}}`
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("POST", "/", body, "X-Amz-Target", "DynamoDB_20120810.GetItem"))
		if w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}
