package ddbtest

import (
	"slices"
	"time"

	"github.com/seed530093c6/ddb/memory"
)

// Faults makes calls of a DB go wrong. Each method concerns the next calls, as
// many as it says, of the operations it names, such as "UpdateItem", or of any
// operation on items that the fault can strike if it names none. The function
// that it returns ends the fault before that. Operations on tables are spared.
// For all else there is memory.DB.Inject.
//
// The SDK's client, and so a [Server], sends requests again that failed by
// throttling or lost replies. Code on a [DB] gets the error at once. Package ddb by
// itself tries again what met a conflict.
type Faults struct{ db *memory.DB }

var (
	singleWrites = []string{"PutItem", "UpdateItem", "DeleteItem"}
	singleReads  = []string{"GetItem", "Query", "Scan"}
	batches      = []string{"BatchWriteItem", "BatchGetItem"}
	transactions = []string{"TransactWriteItems", "TransactGetItems"}
	contested    = slices.Concat(singleWrites, transactions) // what meets conflicts
	operations   = slices.Concat(singleWrites, singleReads, batches, transactions)
)

// next injects a fault into the next calls of the named operations.
func (f Faults) next(calls int, fault memory.Fault, named, otherwise []string) (stop func()) {
	if len(named) == 0 {
		named = otherwise
	}
	return f.db.Inject(fault, memory.OnOperation(named...), memory.FirstCalls(calls))
}

// LoseReply lets calls be carried out and their replies be lost on the way: they
// fail with an InternalServerError.
func (f Faults) LoseReply(calls int, named ...string) (stop func()) {
	return f.next(calls, memory.LoseReply(), named, operations)
}

// Throttle makes calls fail, with nothing done, as those that exceed a capacity.
func (f Faults) Throttle(calls int, named ...string) (stop func()) {
	return f.next(calls, memory.Throttle(), named, operations)
}

// Conflict makes writes meet a transaction that is under way with their first
// item: they fail, with nothing done, and transactions are cancelled.
func (f Faults) Conflict(calls int, named ...string) (stop func()) {
	return f.next(calls, memory.Conflict(), named, contested)
}

// Unprocessed makes batches leave their last so many elements undone.
func (f Faults) Unprocessed(calls, elements int, named ...string) (stop func()) {
	return f.next(calls, memory.Unprocessed(elements), named, batches)
}

// Fail makes calls fail with an error and nothing done.
func (f Faults) Fail(err error, calls int, named ...string) (stop func()) {
	return f.next(calls, memory.FailBefore(err), named, operations)
}

// Delay makes calls wait before they do anything; see memory.Sleeper.
func (f Faults) Delay(d time.Duration, calls int, named ...string) (stop func()) {
	return f.next(calls, memory.Delay(d), named, operations)
}

// Meanwhile lets something happen before the next call of the named operations is
// carried out, as if another client had been faster: between the reading and the
// writing of code that reads, decides and writes. It may use the DB.
func (f Faults) Meanwhile(happens func(), named ...string) (stop func()) {
	return f.next(1, memory.Meanwhile(happens), named, operations)
}

// Storm makes things go wrong at random until stop is called: of all writes and
// transactions one in six meets a conflict, of all calls one in six is throttled
// and one in twelve carried out without a reply, and one batch in three leaves
// its last element undone. Which calls that are depends on the seed and on the
// order in which they come.
func (f Faults) Storm(seed uint64) (stop func()) {
	var stops []func()
	strike := func(n int, fault memory.Fault, named []string) {
		seed++
		stops = append(stops, f.db.Inject(fault, memory.OnOperation(named...), memory.OneIn(n, seed)))
	}
	strike(6, memory.Conflict(), contested)
	strike(6, memory.Throttle(), operations)
	strike(12, memory.LoseReply(), operations)
	strike(3, memory.Unprocessed(1), batches)
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}
