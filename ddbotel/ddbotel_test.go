package ddbotel_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbotel"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

type Order struct {
	_ ddb.Entity `name:"Order" pk:"USER#{User}" sk:"ORDER#{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{ID}"`

	User, ID, Status string
	Total            int
}

// shop is a table whose calls go to in-memory exporters.
type shop struct {
	orders *ddb.Definition[Order]
	db     *memory.DB
	spans  *tracetest.InMemoryExporter
	reader *sdkmetric.ManualReader
}

func open(t *testing.T, backend func(*memory.DB) ddb.Backend) shop {
	t.Helper()
	s := shop{db: memory.New(), spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(s.reader))
	t.Cleanup(func() {
		if err := errors.Join(tracers.Shutdown(context.Background()), meters.Shutdown(context.Background())); err != nil {
			t.Error(err)
		}
	})
	table := ddb.NewTable("Shop", backend(s.db), ddbotel.Instrument(nil, ddbotel.WithTracerProvider(tracers), ddbotel.WithMeterProvider(meters)))
	s.orders = ddb.Define[Order](table)
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2", "3"} {
		if err := s.orders.Create(&Order{User: "secret", ID: id, Status: "NEW", Total: 5}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.spans.Reset()
	return s
}

func direct(db *memory.DB) ddb.Backend { return db }

// only returns the one span.
func (s shop) only(t *testing.T) tracetest.SpanStub {
	t.Helper()
	spans := s.spans.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("got %d spans, want 1", len(spans))
	}
	return spans[0]
}

func attributes(kvs []attribute.KeyValue) map[string]any {
	out := make(map[string]any, len(kvs))
	for _, kv := range kvs {
		out[string(kv.Key)] = kv.Value.AsInterface()
	}
	return out
}

// TestSpanOfAQuery asserts that a call is a span that says what was asked and
// what it took, and shows no values.
func TestSpanOfAQuery(t *testing.T) {
	t.Parallel()
	s := open(t, direct)
	total := ddb.Field(s.orders, func(o *Order) *int { return &o.Total })
	q := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").Desc().Limit(2).Project(total).Named("newest orders")
	if page, err := q.Page(t.Context(), ""); err != nil || len(page.Items) != 2 {
		t.Fatalf("got %+v and %v, want two orders", page, err)
	}
	span := s.only(t)
	if span.Name != "Query Shop" || span.SpanKind != trace.SpanKindClient || span.Status.Code != codes.Unset {
		t.Errorf("got %s, %s, %v, want a client's span of a query without error", span.Name, span.SpanKind, span.Status)
	}
	want := map[string]any{
		"db.system.name": "aws.dynamodb", "db.operation.name": "Query", "db.collection.name": "Shop",
		"aws.dynamodb.table_names": []string{"Shop"}, "aws.dynamodb.index_name": "GSI1", "aws.dynamodb.scan_forward": false,
		"aws.dynamodb.limit": int64(2), "aws.dynamodb.projection": "#0, #1, #2, #3, #4, #5",
		"aws.dynamodb.count": int64(2), "aws.dynamodb.scanned_count": int64(2), "db.response.returned_rows": int64(2),
		"aws.dynamodb.consumed_capacity": []string{`{"CapacityUnits":0.5,"TableName":"Shop"}`},
		"ddb.entity":                     "Order", "ddb.pattern": "newest orders", "ddb.retries": int64(0),
	}
	if diff := cmp.Diff(want, attributes(span.Attributes)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

// TestPartsOfCapacity asserts that who asks for the capacity of indexes sees it.
func TestPartsOfCapacity(t *testing.T) {
	t.Parallel()
	s := open(t, direct)
	q := s.orders.Query(Order{Status: "NEW"}).Index("GSI1").ReturnConsumedCapacity(types.ReturnConsumedCapacityIndexes)
	if _, err := q.Page(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	got := attributes(s.only(t).Attributes)["aws.dynamodb.consumed_capacity"]
	want := []string{`{"CapacityUnits":0.5,"GlobalSecondaryIndexes":{"GSI1":{"CapacityUnits":0.5}},"Table":{"CapacityUnits":0},"TableName":"Shop"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("capacity (-want +got):\n%s", diff)
	}
}

// TestSpanOfAnError asserts that an error is told by its name alone.
func TestSpanOfAnError(t *testing.T) {
	t.Parallel()
	s := open(t, direct)
	if err := s.orders.Create(&Order{User: "secret", ID: "1", Status: "NEW"}).Run(t.Context()); !errors.Is(err, ddb.ErrExists) {
		t.Fatalf("got %v, want ErrExists", err)
	}
	span := s.only(t)
	got := attributes(span.Attributes)
	if span.Status.Code != codes.Error || span.Status.Description != "ConditionalCheckFailedException" || got["error.type"] != "ConditionalCheckFailedException" {
		t.Errorf("got %v and %v, want the exception's name", span.Status, got)
	}
	for name, v := range got {
		if text, ok := v.(string); ok && strings.Contains(text, "secret") {
			t.Errorf("the attribute %s shows a value: %s", name, text)
		}
	}
}

// TestTablesOfEachOperation asserts that every operation names its tables.
func TestTablesOfEachOperation(t *testing.T) {
	t.Parallel()
	s := open(t, direct)
	ctx := t.Context()
	o, key := Order{User: "u", ID: "9", Status: "NEW"}, Order{User: "secret", ID: "1"}
	total := ddb.Field(s.orders, func(o *Order) *int { return &o.Total })
	var got ddb.Result[Order]
	update := s.orders.Update(key).Set(total.Add(1))
	for name, run := range map[string]func() error{
		"GetItem":            func() error { _, err := s.orders.Get(key).Run(ctx); return err },
		"PutItem":            func() error { return s.orders.Put(&o).Run(ctx) },
		"UpdateItem":         func() error { _, err := update.Run(ctx); return err },
		"DeleteItem":         func() error { return s.orders.Delete(Order{User: "x", ID: "x"}).Run(ctx) },
		"Scan":               func() error { _, err := s.orders.Scan().Count(ctx); return err },
		"BatchGetItem":       func() error { return ddb.BatchGet(s.orders.Get(key).Into(&got)).Run(ctx) },
		"BatchWriteItem":     func() error { return ddb.Batch(s.orders.Put(&o)).Run(ctx) },
		"TransactGetItems":   func() error { return ddb.TransactGet(s.orders.Get(key).Into(&got)).Run(ctx) },
		"TransactWriteItems": func() error { return ddb.Transact(update).Run(ctx) },
	} {
		s.spans.Reset()
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		span := s.only(t)
		if diff := cmp.Diff([]string{"Shop"}, attributes(span.Attributes)["aws.dynamodb.table_names"]); diff != "" || span.Name != name+" Shop" {
			t.Errorf("%s: got the span %q, tables (-want +got):\n%s", name, span.Name, diff)
		}
	}
}

// TestMetrics asserts what is counted, by what, and that retries of the SDK's
// client are seen.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := open(t, func(db *memory.DB) ddb.Backend { return client(t, db) })
	defer s.db.Inject(memory.Throttle(), memory.OnOperation("Query"), memory.FirstCalls(2))()
	if n, err := s.orders.Query(Order{User: "secret"}).Named("orders of a user").Count(t.Context()); err != nil || n != 3 {
		t.Fatalf("got %d and %v, want 3", n, err)
	}
	var all metricdata.ResourceMetrics
	if err := s.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]any)
	pattern := attribute.NewSet(ddbotel.PatternKey.String("orders of a user"), ddbotel.EntityKey.String("Order"),
		attribute.String("db.system.name", "aws.dynamodb"), attribute.String("db.operation.name", "Query"), attribute.String("db.collection.name", "Shop"))
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				if p.Attributes == pattern {
					got[m.Name+" "+m.Unit] = p.Count
				}
			}
		case metricdata.Histogram[int64]:
			for _, p := range data.DataPoints {
				if p.Attributes == pattern {
					got[m.Name+" "+m.Unit] = p.Sum
				}
			}
		case metricdata.Sum[float64]:
			for _, p := range data.DataPoints {
				if p.Attributes == pattern {
					got[m.Name+" "+m.Unit] = p.Value
				}
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				if p.Attributes == pattern {
					got[m.Name+" "+m.Unit] = p.Value
				}
			}
		}
	}
	want := map[string]any{
		"db.client.operation.duration s": uint64(1), "db.client.response.returned_rows {row}": int64(3),
		"ddb.client.consumed_capacity {capacity_unit}": 0.5, "ddb.client.retries {request}": int64(2),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// client returns the SDK's client of a server over the engine.
func client(t *testing.T, db *memory.DB) *dynamodb.Client {
	t.Helper()
	server := httptest.NewServer(wire.Handler(db))
	t.Cleanup(server.Close)
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL), Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
}
