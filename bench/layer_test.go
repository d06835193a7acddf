package bench_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/internal/byhand"
	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// api is what the code by hand calls: the SDK's client or a stub.
type api interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// getByHand, putByHand and queryByHand are what a program without a layer does.

func getByHand(ctx context.Context, c api, user, id string) (*byhand.Order, error) {
	out, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("Orders"), Key: item{
		"UserID": &types.AttributeValueMemberS{Value: user}, "OrderID": &types.AttributeValueMemberS{Value: id},
	}})
	if err != nil {
		return nil, fmt.Errorf("get order: %w", err)
	}
	return byhand.Unmarshal(out.Item)
}

func putByHand(ctx context.Context, c api, o *byhand.Order) error {
	it := byhand.Marshal(o)
	it["EntityType"] = &types.AttributeValueMemberS{Value: "Order"}
	if _, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: it}); err != nil {
		return fmt.Errorf("put order: %w", err)
	}
	return nil
}

func queryByHand(ctx context.Context, c api, user string, use func(*byhand.Order)) error {
	in := &dynamodb.QueryInput{
		TableName: aws.String("Orders"), KeyConditionExpression: aws.String("#pk = :pk"),
		ExpressionAttributeNames:  map[string]string{"#pk": "UserID"},
		ExpressionAttributeValues: item{":pk": &types.AttributeValueMemberS{Value: user}},
	}
	for {
		out, err := c.Query(ctx, in)
		if err != nil {
			return fmt.Errorf("query orders: %w", err)
		}
		for _, it := range out.Items {
			o, err := byhand.Unmarshal(it)
			if err != nil {
				return err
			}
			use(o)
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// count makes sure that a query has brought what it should.
func count(n int) error {
	if n != pageSize {
		return fmt.Errorf("%d orders, want %d", n, pageSize)
	}
	return nil
}

// operation is the same work by hand and by ddb.
type operation struct {
	name      string
	hand, ddb func() error
}

// operations are what is compared.
func operations(tb testing.TB, hand api, backend ddb.Backend) []operation {
	orders, key, o := ordersOn(tb, backend), sampleKey(), Order{Order: byhand.Sample()}
	return []operation{
		{"Get", func() error { _, err := getByHand(tb.Context(), hand, key.UserID, key.OrderID); return err },
			func() error { _, err := orders.Get(key).Run(tb.Context()); return err }},
		{"Put", func() error { return putByHand(tb.Context(), hand, &o.Order) },
			func() error { return orders.Put(&o).Run(tb.Context()) }},
		{"Query100", func() error {
			n := 0
			if err := queryByHand(tb.Context(), hand, key.UserID, func(*byhand.Order) { n++ }); err != nil {
				return err
			}
			return count(n)
		}, func() error {
			n := 0
			for _, err := range orders.Query(Order{Order: byhand.Order{UserID: key.UserID}}).All(tb.Context()) {
				if err != nil {
					return err
				}
				n++
			}
			return count(n)
		}},
	}
}

// layer runs the operations by hand and by ddb.
func layer(b *testing.B, hand api, backend ddb.Backend, more map[string][]versus.Side) {
	for _, op := range operations(b, hand, backend) {
		b.Run("op="+op.name, func(b *testing.B) {
			versus.Run(b, append([]versus.Side{side("hand", op.hand), side("ddb", op.ddb)}, more[op.name]...)...)
		})
	}
}

// BenchmarkBackend is the typed layer over a backend that answers at once, against
// straight-line code over the same.
func BenchmarkBackend(b *testing.B) {
	backend := newStub()
	layer(b, backend, backend, nil)
}

// transport answers requests with what the server answered to the last one of the
// same operation.
type transport map[string][]byte // by target

func (t transport) Do(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return response(t[r.Header.Get("X-Amz-Target")]), nil
}

func response(body []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
	}
}

// recorder passes requests to the server and keeps its answers.
type recorder struct {
	server http.Handler
	kept   transport
}

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.server.ServeHTTP(w, req)
	r.kept[req.Header.Get("X-Amz-Target")] = w.Body.Bytes()
	return response(w.Body.Bytes()), nil
}

// credentials are as good as any other.
var credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET"}, nil
})

func clientOver(t dynamodb.HTTPClient) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://localhost"), HTTPClient: t, Credentials: credentials,
	})
}

// recorded returns the server's answers to the operations that are measured.
func recorded(b *testing.B) transport {
	b.Helper()
	db := memory.New()
	backend := &recorder{wire.Handler(db), make(transport)}
	c := clientOver(backend)
	createOrders(b, db)
	for n := range pageSize {
		if _, err := c.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: stored(n)}); err != nil {
			b.Fatal(err)
		}
	}
	key := sampleKey()
	if _, err := getByHand(b.Context(), c, key.UserID, key.OrderID); err != nil {
		b.Fatal(err)
	}
	if err := queryByHand(b.Context(), c, key.UserID, func(*byhand.Order) {}); err != nil {
		b.Fatal(err)
	}
	return backend.kept
}

// createOrders makes the table that the entity is in.
func createOrders(b *testing.B, db *memory.DB) {
	b.Helper()
	in := &dynamodb.CreateTableInput{TableName: aws.String("Orders"), BillingMode: types.BillingModePayPerRequest}
	for name, role := range map[string]types.KeyType{"UserID": types.KeyTypeHash, "OrderID": types.KeyTypeRange} {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS,
		})
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: aws.String(name), KeyType: role})
	}
	slices.SortFunc(in.KeySchema, func(x, y types.KeySchemaElement) int { return cmp.Compare(x.KeyType, y.KeyType) })
	if _, err := db.CreateTable(b.Context(), in); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkClient is the typed layer over the SDK's client over a transport that
// answers at once, against the same client with straight-line code, and against
// guregu's package over the same client.
func BenchmarkClient(b *testing.B) {
	c := clientOver(recorded(b))
	table, key := dynamo.NewFromIface(c).Table("Orders"), sampleKey()
	layer(b, c, c, map[string][]versus.Side{
		"Get": {side("guregu", func() error {
			return table.Get("UserID", key.UserID).Range("OrderID", dynamo.Equal, key.OrderID).One(b.Context(), new(byhand.Order))
		})},
		"Put": {side("guregu", func() error {
			o := byhand.Sample()
			return table.Put(&o).Run(b.Context())
		})},
		"Query100": {side("guregu", func() error {
			var orders []byhand.Order
			if err := table.Get("UserID", key.UserID).All(b.Context(), &orders); err != nil {
				return err
			}
			return count(len(orders))
		})},
	})
}

// TestAllocations holds the layer to what it may allocate beyond straight-line code,
// in a call or a query.
func TestAllocations(t *testing.T) {
	more := map[string]float64{"Get": 2, "Put": -35, "Query100": 20}
	backend := newStub()
	for _, op := range operations(t, backend, backend) {
		by := func(call func() error) float64 {
			return testing.AllocsPerRun(100, func() {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			})
		}
		if got, want := by(op.ddb), by(op.hand)+more[op.name]; got > want {
			t.Errorf("%s: %.0f allocations, want at most %.0f", op.name, got, want)
		}
	}
}
