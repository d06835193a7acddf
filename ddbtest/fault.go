package ddbtest

import (
	"slices"
	"strings"
	"time"

	"github.com/seed530093c6/ddb/memory"
)

// Faults makes calls of a DB go wrong. Each method concerns the next calls, as
// many as it says, of the operations it names, such as "UpdateItem", or of any
// operation on items that the fault can strike if it names none. The function
// that it returns ends the fault before that. Operations on tables are spared.
// For all else there is memory.DB.Inject.
//
// A fault that can strike nothing fails the test, which might pass for nothing
// otherwise: one of operations that there are not or that it does nothing to, and one
// that would do nothing to any, such as Fail without an error.
//
// The SDK's client, and so a [Server], sends requests again that failed by
// throttling or lost replies. Code on a [DB] gets the error at once. Package ddb by
// itself tries again what met a conflict.
type Faults struct {
	db *memory.DB
	t  TB
}

var (
	singleWrites = []string{"PutItem", "UpdateItem", "DeleteItem"}
	singleReads  = []string{"GetItem", "Query", "Scan"}
	batches      = []string{"BatchWriteItem", "BatchGetItem"}
	transactions = []string{"TransactWriteItems", "TransactGetItems"}
	contested    = slices.Concat(singleWrites, transactions) // what meets conflicts
	operations   = slices.Concat(singleWrites, singleReads, batches, transactions)
)

// strike is a fault on its way into an engine.
type strike struct {
	name  string // of the method
	calls int
	fault memory.Fault
	named []string
	on    []string // operations that it can strike
	idle  bool     // it would do nothing
}

// next injects a fault into the next calls of the named operations.
func (f Faults) next(s strike) (stop func()) {
	f.t.Helper()
	if s.calls < 0 || s.idle {
		f.t.Errorf("ddbtest: %s would do nothing as it was called", s.name)
	}
	for _, name := range s.named {
		if !slices.Contains(s.on, name) {
			f.t.Errorf("ddbtest: %s strikes none of the calls of %q; it strikes %s", s.name, name, strings.Join(s.on, ", "))
		}
	}
	if len(s.named) == 0 {
		s.named = s.on
	}
	return f.db.Inject(s.fault, memory.OnOperation(s.named...), memory.FirstCalls(s.calls))
}

// LoseReply lets calls be carried out and their replies be lost on the way: they
// fail with an InternalServerError.
func (f Faults) LoseReply(calls int, named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "LoseReply", calls: calls, fault: memory.LoseReply(), named: named, on: operations})
}

// Throttle makes calls fail, with nothing done, as those that exceed a capacity.
func (f Faults) Throttle(calls int, named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "Throttle", calls: calls, fault: memory.Throttle(), named: named, on: operations})
}

// Conflict makes writes meet a transaction that is under way with their first
// item: they fail, with nothing done, and transactions are cancelled.
func (f Faults) Conflict(calls int, named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "Conflict", calls: calls, fault: memory.Conflict(), named: named, on: contested})
}

// Unprocessed makes batches leave their last so many elements undone.
func (f Faults) Unprocessed(calls, elements int, named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "Unprocessed", calls: calls, fault: memory.Unprocessed(elements), named: named, on: batches, idle: elements < 1})
}

// Fail makes calls fail with an error and nothing done.
func (f Faults) Fail(err error, calls int, named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "Fail", calls: calls, fault: memory.FailBefore(err), named: named, on: operations, idle: err == nil})
}

// Delay makes calls wait before they do anything; see memory.Sleeper.
func (f Faults) Delay(d time.Duration, calls int, named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "Delay", calls: calls, fault: memory.Delay(d), named: named, on: operations, idle: d <= 0})
}

// Meanwhile lets something happen before the next call of the named operations is
// carried out, as if another client had been faster: between the reading and the
// writing of code that reads, decides and writes. It may use the DB.
func (f Faults) Meanwhile(happens func(), named ...string) (stop func()) {
	f.t.Helper()
	return f.next(strike{name: "Meanwhile", calls: 1, fault: memory.Meanwhile(happens), named: named, on: operations, idle: happens == nil})
}

// Storm makes things go wrong at random until stop is called: of all writes and
// transactions one in six meets a conflict, of all calls one in six is throttled
// and one in twelve carried out without a reply, and one batch in three leaves
// its last element undone. Which calls that are depends on the seed and on the
// order in which they come.
func (f Faults) Storm(seed uint64) (stop func()) {
	var stops []func()
	inject := func(n int, fault memory.Fault, named []string) {
		seed++
		stops = append(stops, f.db.Inject(fault, memory.OnOperation(named...), memory.OneIn(n, seed)))
	}
	inject(6, memory.Conflict(), contested)
	inject(6, memory.Throttle(), operations)
	inject(12, memory.LoseReply(), operations)
	inject(3, memory.Unprocessed(1), batches)
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}
