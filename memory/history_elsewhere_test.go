package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// A setting is a way of running the engine that must not change what a history
// finds and leaves.
type setting struct {
	name     string
	options  []memory.Option
	pageSize int                             // of queries and scans; 0 for what each asks for
	before   func(e *elsewhere, i int) error // what comes before operation i; nil for nothing
}

// settings are all of them, the plainest first.
func settings() []setting {
	settle := func(e *elsewhere, _ int) error { e.history.db.Settle(); return nil }
	second := func(e *elsewhere, _ int) error { e.clock.advance(time.Second); return nil }
	return []setting{
		{name: "one partition", options: []memory.Option{memory.Partitions(1)}},
		{name: "64 partitions", options: []memory.Option{memory.Partitions(64)}},
		{name: "pages of one", pageSize: 1},
		{name: "pages of three from 7 partitions", pageSize: 3, options: []memory.Option{memory.Partitions(7)}},
		{name: "indexes that lag, settled", options: []memory.Option{memory.IndexLag(time.Hour)}, before: settle},
		{name: "indexes whose lag is over", options: []memory.Option{memory.IndexLag(time.Second)}, before: second},
		{name: "stale reads, settled", options: []memory.Option{memory.StaleReads(time.Hour)}, before: settle},
		{name: "capacity to spare", options: []memory.Option{memory.Throttling(), memory.TrackHeat(3)}, before: second},
		{name: "restarts", before: (*elsewhere).restart},
	}
}

// TestSameHistoryElsewhere promises that neither partitions nor page sizes nor
// powers that have nothing to do nor a restart change what a history finds and
// leaves.
func TestSameHistoryElsewhere(t *testing.T) {
	t.Parallel()
	overSeeds(t, steps/10, func(ops []*operation) (int, string) {
		var all []*elsewhere
		for _, s := range settings() {
			all = append(all, newElsewhere(t, s))
		}
		for i, op := range ops {
			want := all[0].do(op, i)
			for _, e := range all[1:] {
				if fault := e.compare(want, e.do(op, i), op); fault != "" {
					return i + 1, fmt.Sprintf("with %s %s", e.name, fault)
				}
			}
		}
		for _, e := range all {
			if err := e.prepare(len(ops)); err != nil {
				return len(ops), fmt.Sprintf("with %s: %v", e.name, err)
			}
			if err := e.history.db.Check(); err != nil {
				return len(ops), fmt.Sprintf("with %s: invariants: %v", e.name, err)
			}
			for _, table := range historyTables() {
				if got, want := e.history.db.Dump(table.Name), all[0].history.db.Dump(table.Name); got != want {
					return len(ops), fmt.Sprintf("with %s %s holds something else (-there +plain)\n%s", e.name, table.Name, cmp.Diff(got, want))
				}
			}
		}
		return len(ops), ""
	})
}

// elsewhere is a history with a setting. A journal keeps it.
type elsewhere struct {
	setting
	history *history
	clock   *clock
	tape    *tape
}

func newElsewhere(t testing.TB, s setting) *elsewhere {
	t.Helper()
	e := &elsewhere{setting: s, clock: newClock(), tape: &tape{}}
	e.options = append(e.options, memory.Clock(e.clock.now), memory.WithJournal(e.tape))
	e.history = newHistory(t, e.options...)
	e.history.pageSize = s.pageSize
	return e
}

// restart goes on with what the journal has kept, every 20 operations.
func (e *elsewhere) restart(i int) (err error) {
	if i%20 == 0 {
		e.history.db, err = memory.Restore(played(e.tape.changes), e.options...)
	}
	return err
}

// found is what an operation finds.
type found struct {
	answer answer
	err    error
}

// do runs operation number i.
func (e *elsewhere) do(op *operation, i int) found {
	if err := e.prepare(i); err != nil {
		return found{err: err}
	}
	got, err := op.engine(e.history)
	return found{got, err}
}

// prepare does what comes before operation i, or before the end.
func (e *elsewhere) prepare(i int) error {
	if e.before == nil {
		return nil
	}
	return e.before(e, i)
}

// compare returns how what was found differs, "" if not. Pages of another size may
// be cut and paid for otherwise; all else is equal, order included.
func (e *elsewhere) compare(want, got found, op *operation) string {
	if got, want := asFailure(got.err), asFailure(want.err); !got.Equal(want) {
		return "it fails otherwise (-there +plain)\n" + cmp.Diff(got, want, alike)
	}
	a, b := got.answer, want.answer
	if e.pageSize > 0 {
		a, b = answer{lists: [][]item{a.all()}}, answer{lists: [][]item{b.all()}}
	}
	if !a.equals(b, false) {
		return "it answers otherwise (-there +plain)\n" + cmp.Diff(a, b, alike, cmp.AllowUnexported(answer{}))
	}
	return ""
}
