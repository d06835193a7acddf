package design

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/seed530093c6/ddb"
)

// Traffic collects what access patterns cost. Its Observe is made for
// ddb.Observe:
//
//	traffic := new(design.Traffic)
//	table := ddb.NewTable("AppTable", db, ddb.Observe(traffic.Observe))
//
// The zero value is ready. It is safe for concurrent use, and grows with the
// number of patterns, not with that of calls.
type Traffic struct {
	mu   sync.Mutex // guards what follows
	used map[usageKey]*Usage
}

// usageKey tells patterns apart: by name or, without one, by what they do.
type usageKey struct{ pattern, op, index, entity string }

// Usage is what one access pattern has used so far.
type Usage struct {
	Pattern string // its name, "" if the operation had none
	Op      string // GetItem, Query, …
	Index   string // "" for the table itself
	Entity  string // "" for operations on several

	Calls     int
	Failed    int     // of the calls
	Throttled int     // of the failed
	Items     int     // returned
	Examined  int     // evaluated, paid for
	Units     float64 // of capacity, reads and writes alike
	// Filtered says that a filter came between Examined and Items.
	Filtered bool
}

// Name is the pattern's name, or says what it does.
func (u Usage) Name() string {
	if u.Pattern != "" {
		return u.Pattern
	}
	return strings.Join(strings.Fields(u.Op+" "+u.Index+" "+u.Entity), " ")
}

// Observe takes note of a call.
func (t *Traffic) Observe(_ context.Context, c ddb.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := usageKey{c.Pattern, c.Op, c.Index, c.Entity}
	u := t.used[key]
	if u == nil {
		if t.used == nil {
			t.used = make(map[usageKey]*Usage)
		}
		u = &Usage{Pattern: key.pattern, Op: c.Op, Index: c.Index, Entity: c.Entity}
		t.used[key] = u
	}
	u.Calls++
	u.Items += c.Items
	u.Examined += c.Examined
	u.Units += c.Capacity
	u.Filtered = u.Filtered || filtered(c.Input)
	if c.Err != nil {
		u.Failed++
		if throttled(c.Err) {
			u.Throttled++
		}
	}
}

// Usage returns what was collected so far, named patterns first, in the order of
// their names.
func (t *Traffic) Usage() []Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Usage, 0, len(t.used))
	for _, u := range t.used {
		out = append(out, *u)
	}
	slices.SortFunc(out, func(a, b Usage) int {
		if (a.Pattern == "") != (b.Pattern == "") {
			return cmp.Compare(b.Pattern, a.Pattern)
		}
		return cmp.Or(
			strings.Compare(a.Pattern, b.Pattern), strings.Compare(a.Op, b.Op),
			strings.Compare(a.Index, b.Index), strings.Compare(a.Entity, b.Entity),
		)
	})
	return out
}

// Reset forgets what was collected.
func (t *Traffic) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used = nil
}

func filtered(input any) bool {
	switch in := input.(type) {
	case *dynamodb.QueryInput:
		return aws.ToString(in.FilterExpression) != ""
	case *dynamodb.ScanInput:
		return aws.ToString(in.FilterExpression) != ""
	}
	return false
}

// throttled reports whether the service refused a call for want of capacity.
func throttled(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && slices.Contains(
		[]string{"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}, api.ErrorCode())
}
