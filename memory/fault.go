package memory

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// A Call is one call of an operation, as [DB.Inject] shows it to matches. Its
// request has passed all checks but those against the key schemas of its tables.
type Call struct {
	// Operation is the name in the API, such as "PutItem".
	Operation string
	// Tables are the names of the tables, each once, in the order of the request;
	// a batch has them in the order of the names.
	Tables []string
	// Targets are the items that the request names, in the order in which the
	// engine takes them: as requested, but a batch table by table.
	Targets []Target
	// Input is the request, such as a *dynamodb.PutItemInput. It belongs to the
	// caller and must not be changed.
	Input any
}

// A Target is an item that a call names.
type Target struct {
	Table string
	// Key holds the attributes of the primary key, as far as they are given. It
	// must not be changed.
	Key map[string]types.AttributeValue
}

// A Match decides which calls a fault strikes. It may be called by several
// goroutines at once. It must not call operations, but may stop the injection. What is made by OnCall, FirstCalls,
// EveryCall and OneIn keeps count, so it is for one injection only.
type Match func(*Call) bool

// OnOperation matches operations by name, such as "PutItem".
func OnOperation(names ...string) Match {
	return func(c *Call) bool { return slices.Contains(names, c.Operation) }
}

// OnTable matches calls that use one of the tables.
func OnTable(names ...string) Match {
	return func(c *Call) bool {
		return slices.ContainsFunc(c.Tables, func(t string) bool { return slices.Contains(names, t) })
	}
}

// OnItem matches calls that name the item with a key.
func OnItem(table string, key map[string]types.AttributeValue) Match {
	is := IsItem(table, key)
	return func(c *Call) bool { return slices.ContainsFunc(c.Targets, is) }
}

// IsItem returns a function for [ConflictIf] and [UnprocessedIf] that chooses the
// item with a key.
func IsItem(table string, key map[string]types.AttributeValue) func(Target) bool {
	want, err := av.MapFromSDK(key)
	return func(t Target) bool {
		if err != nil || t.Table != table {
			return false
		}
		have, err := av.MapFromSDK(t.Key)
		return err == nil && av.EqualMaps(have, want)
	}
}

// counting returns a match on the number of the call, from 1. Calls that a match
// before it in the same injection refuses are not counted.
func counting(strikes func(n int64) bool) Match {
	var n atomic.Int64
	return func(*Call) bool { return strikes(n.Add(1)) }
}

// OnCall matches the calls with the given numbers, from 1, among those that the
// matches before it let pass.
func OnCall(numbers ...int) Match {
	return counting(func(n int64) bool { return slices.Contains(numbers, int(n)) })
}

// FirstCalls matches the first n of the calls that the matches before it let
// pass.
func FirstCalls(n int) Match {
	return counting(func(i int64) bool { return i <= int64(n) })
}

// EveryCall matches every nth of the calls that the matches before it let pass,
// beginning with call n; every call for n less than two.
func EveryCall(n int) Match {
	return counting(func(i int64) bool { return i%int64(max(1, n)) == 0 })
}

// OneIn matches one in n of the calls that the matches before it let pass, on
// average. Which ones depends on their numbers and the seed alone.
func OneIn(n int, seed uint64) Match {
	return counting(func(i int64) bool { return rand.New(rand.NewPCG(seed, uint64(i))).IntN(max(1, n)) == 0 })
}

// A Fault is what goes wrong with a call that [DB.Inject] strikes. The zero Fault
// is none.
type Fault struct {
	delay         time.Duration
	meanwhile     func()
	before, after error
	lose          bool // the reply
	throttle      bool
	conflict      chooser
	unprocessed   chooser
}

// A chooser chooses among the targets of a call, of which there are so many.
type chooser func(t Target, i, of int) bool

func chooseIf(choose func(Target) bool) chooser {
	return func(t Target, _, _ int) bool { return choose(t) }
}

// FailBefore makes the call return the error and do nothing.
func FailBefore(err error) Fault { return Fault{before: err} }

// FailAfter makes the call return the error when it is done, whether it
// succeeded or failed. What it wrote stays written.
func FailAfter(err error) Fault { return Fault{after: err} }

// LoseReply makes the call return an InternalServerError, which clients retry,
// when it is done, as [FailAfter] does.
func LoseReply() Fault { return Fault{lose: true} }

// Throttle makes the call return what [Throttling] returns: a
// ProvisionedThroughputExceededException, or a ThrottlingException if the table
// is on demand. A transaction is cancelled because of its first action, and of a
// batch nothing is done. Operations on tables are never throttled.
func Throttle() Fault { return Fault{throttle: true} }

// Conflict makes the call meet a transaction that is under way with its first
// item: a write fails with a TransactionConflictException, and a transaction is
// cancelled. Other operations have no conflicts.
func Conflict() Fault { return Fault{conflict: func(_ Target, i, _ int) bool { return i == 0 }} }

// ConflictIf is [Conflict] on the chosen items; calls without any are spared.
func ConflictIf(choose func(Target) bool) Fault { return Fault{conflict: chooseIf(choose)} }

// Unprocessed makes a batch leave its last n elements undone and return them as
// unprocessed. If that is all of them, the call fails as if throttled. Other
// operations are spared.
func Unprocessed(n int) Fault {
	return Fault{unprocessed: func(_ Target, i, of int) bool { return i >= of-n }}
}

// UnprocessedIf is [Unprocessed] with the chosen elements.
func UnprocessedIf(choose func(Target) bool) Fault { return Fault{unprocessed: chooseIf(choose)} }

// Delay makes the call wait before it does anything; see [Sleeper]. If its
// context ends meanwhile it returns the context's error and does nothing.
func Delay(d time.Duration) Fault { return Fault{delay: d} }

// Meanwhile makes f run before the call does anything, as if another client had
// been faster. f may use the DB, whose calls see the same faults.
func Meanwhile(f func()) Fault { return Fault{meanwhile: f} }
