package ddb

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Call is what an observer learns of one call to the backend.
type Call struct {
	Op      string // GetItem, Query, …
	Table   string
	Index   string // "" for the table itself
	Entity  string // "" for operations on several
	Pattern string // the access pattern that Named says
	Input   any    // the SDK's input, for instance *dynamodb.QueryInput; not to be changed

	Items    int     // items returned
	Examined int     // items evaluated: ScannedCount for Query and Scan
	Capacity float64 // capacity units consumed, reads and writes alike
	// ConsumedCapacity is what the reply said of them, one for each table.
	ConsumedCapacity []types.ConsumedCapacity

	Retries  int // how often the SDK's client sent the request again
	Duration time.Duration
	Err      error // as the backend returned it
}

// LogValue makes a call a group of attributes for package log/slog, without the
// values that went in or came out.
func (c Call) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("op", c.Op), slog.String("table", c.Table)}
	for _, a := range []slog.Attr{slog.String("index", c.Index), slog.String("entity", c.Entity), slog.String("pattern", c.Pattern)} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	attrs = append(attrs, slog.Int("items", c.Items), slog.Int("examined", c.Examined),
		slog.Float64("capacity", c.Capacity), slog.Int("retries", c.Retries), slog.Duration("duration", c.Duration))
	if c.Err != nil {
		attrs = append(attrs, slog.String("error", c.Err.Error()))
	}
	return slog.GroupValue(attrs...)
}

// Observe calls f after every call to the backend. Requests then ask for the
// consumed capacity. f may be called from several goroutines at once. Several
// observers can be set; see [Trace] too.
func Observe(f func(context.Context, Call)) TableOption {
	if f == nil {
		return Trace(nil)
	}
	return Trace(func(ctx context.Context, _ Call) (context.Context, func(Call)) {
		return ctx, func(c Call) { f(ctx, c) }
	})
}

// Trace calls start before every call to the backend, with what is known of it by
// then: operation, table, index, entity, pattern and input. The call is made with
// the context that start returns, so that spans of the SDK's client lie within
// one begun by start; afterwards the function it returns is called with all that
// became known. Where start returns nil, the context stays as it was, or nothing is
// called afterwards. Otherwise it is like [Observe].
func Trace(start func(context.Context, Call) (context.Context, func(Call))) TableOption {
	return func(t *Table) {
		if start != nil {
			t.observers = append(t.observers, start)
		}
	}
}

// begin tells the observers of a call, and returns what tells them of its end,
// the last first.
func (t *Table) begin(ctx context.Context, c Call) (context.Context, func(Call)) {
	ends := make([]func(Call), 0, len(t.observers))
	for _, start := range t.observers {
		within, end := start(ctx, c)
		if within != nil {
			ctx = within
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	return ctx, func(c Call) {
		for _, end := range slices.Backward(ends) {
			end(c)
		}
	}
}

// askCapacity makes the reply say what it cost, unless the caller chose.
func askCapacity(in any) {
	ask := func(r *types.ReturnConsumedCapacity) {
		if *r == "" {
			*r = types.ReturnConsumedCapacityTotal
		}
	}
	switch in := in.(type) {
	case *dynamodb.GetItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.PutItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.UpdateItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.DeleteItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.QueryInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.ScanInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.BatchGetItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.BatchWriteItemInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.TransactGetItemsInput:
		ask(&in.ReturnConsumedCapacity)
	case *dynamodb.TransactWriteItemsInput:
		ask(&in.ReturnConsumedCapacity)
	}
}

// measure reads counts and capacity off a reply.
func (c *Call) measure(out any) {
	units := func(all ...types.ConsumedCapacity) {
		c.ConsumedCapacity = all
		for _, one := range all {
			if one.CapacityUnits != nil {
				c.Capacity += *one.CapacityUnits
			}
		}
	}
	one := func(cc *types.ConsumedCapacity) {
		if cc != nil {
			units(*cc)
		}
	}
	switch out := out.(type) {
	case *dynamodb.GetItemOutput:
		one(out.ConsumedCapacity)
		c.Examined = 1
		c.Items = min(len(out.Item), 1)
	case *dynamodb.PutItemOutput:
		one(out.ConsumedCapacity)
	case *dynamodb.UpdateItemOutput:
		one(out.ConsumedCapacity)
	case *dynamodb.DeleteItemOutput:
		one(out.ConsumedCapacity)
	case *dynamodb.QueryOutput:
		one(out.ConsumedCapacity)
		c.Items, c.Examined = int(out.Count), int(out.ScannedCount)
	case *dynamodb.ScanOutput:
		one(out.ConsumedCapacity)
		c.Items, c.Examined = int(out.Count), int(out.ScannedCount)
	case *dynamodb.BatchGetItemOutput:
		units(out.ConsumedCapacity...)
		for _, items := range out.Responses {
			c.Items += len(items)
		}
		c.Examined = c.Items
	case *dynamodb.BatchWriteItemOutput:
		units(out.ConsumedCapacity...)
	case *dynamodb.TransactGetItemsOutput:
		units(out.ConsumedCapacity...)
		c.Items, c.Examined = len(out.Responses), len(out.Responses)
	case *dynamodb.TransactWriteItemsOutput:
		units(out.ConsumedCapacity...)
	}
}
