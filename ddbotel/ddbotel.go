package ddbotel

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/smithy-go"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed530093c6/ddb"
)

// scope names the instrumentation library.
const scope = "github.com/seed530093c6/ddb/ddbotel"

// The attributes that the semantic conventions do not know.
const (
	// EntityKey is the name of the entity.
	EntityKey = attribute.Key("ddb.entity")
	// PatternKey is the access pattern that Named says.
	PatternKey = attribute.Key("ddb.pattern")
	// RetriesKey is how often the SDK's client sent the request again.
	RetriesKey = attribute.Key("ddb.retries")
)

// Option changes what [Instrument] does.
type Option func(*config)

type config struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
}

// WithTracerProvider sets where spans go. Without it that is the global provider.
func WithTracerProvider(p trace.TracerProvider) Option { return func(c *config) { c.tracers = p } }

// WithMeterProvider sets where metrics go. Without it that is the global provider.
func WithMeterProvider(p metric.MeterProvider) Option { return func(c *config) { c.meters = p } }

// Instrument makes spans and metrics of all calls of a table. An instrument that
// the meter refuses is reported to the error handler of package otel, and the
// others work without it.
func Instrument(opts ...Option) ddb.TableOption {
	c := config{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	tracer := c.tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	m := newMeters(c.meters.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL)))
	return ddb.Trace(func(ctx context.Context, call ddb.Call) (context.Context, func(ddb.Call)) {
		ctx, span := tracer.Start(ctx, call.Op+" "+call.Table, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(append(identity(call), request(call.Input)...)...))
		return ctx, func(call ddb.Call) {
			m.record(ctx, call)
			span.SetAttributes(response(call)...)
			if call.Err != nil {
				kind := errorType(call.Err)
				span.SetAttributes(semconv.ErrorTypeKey.String(kind))
				span.SetStatus(codes.Error, kind)
			}
			span.End()
		}
	})
}

// errorType is the service's own name of an error or, of another, its Go type. An
// error's text may show values.
func errorType(err error) string {
	var api smithy.APIError
	switch {
	case errors.As(err, &api):
		return api.ErrorCode()
	case errors.Is(err, context.Canceled):
		return "context.Canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "context.DeadlineExceeded"
	}
	return fmt.Sprintf("%T", err)
}

// meters are the instruments.
type meters struct {
	duration dbconv.ClientOperationDuration
	returned dbconv.ClientResponseReturnedRows
	capacity metric.Float64Counter
	retries  metric.Int64Counter
}

func newMeters(m metric.Meter) *meters {
	out := new(meters)
	var errs [4]error
	out.duration, errs[0] = dbconv.NewClientOperationDuration(m,
		metric.WithExplicitBucketBoundaries(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10))
	out.returned, errs[1] = dbconv.NewClientResponseReturnedRows(m,
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000))
	out.capacity, errs[2] = m.Float64Counter("ddb.client.consumed_capacity", metric.WithUnit("{capacity_unit}"),
		metric.WithDescription("Capacity units consumed, reads and writes alike."))
	out.retries, errs[3] = m.Int64Counter("ddb.client.retries", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that the SDK's client sent again."))
	for _, err := range errs {
		if err != nil {
			otel.Handle(err)
		}
	}
	return out
}

func (m *meters) record(ctx context.Context, call ddb.Call) {
	attrs := identity(call)
	if call.Err != nil {
		attrs = append(attrs, semconv.ErrorTypeKey.String(errorType(call.Err)))
	}
	with := metric.WithAttributeSet(attribute.NewSet(attrs...))
	m.duration.Inst().Record(ctx, call.Duration.Seconds(), with)
	if call.Err == nil && reads(call.Input) {
		m.returned.Inst().Record(ctx, int64(call.Items), with)
	}
	if call.Capacity > 0 {
		m.capacity.Add(ctx, call.Capacity, with)
	}
	if call.Retries > 0 {
		m.retries.Add(ctx, int64(call.Retries), with)
	}
}
