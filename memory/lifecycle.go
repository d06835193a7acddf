package memory

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// States of tables and indexes that pass with time. Nothing waits for them: what
// state something is in is computed when somebody asks. Without [TransitionTime]
// every change is done at once and there are no such states.
// HowItWorks.TableStates.html, GSI.OnlineOps.html

// phase is a state of a table other than ACTIVE, and when it ends. The end of
// DELETING is the end of the table.
type phase struct {
	status types.TableStatus
	until  time.Time
}

// enter puts the table into a state for the time that transitions take.
func (t *table) enter(status types.TableStatus, now time.Time, takes time.Duration) {
	if takes > 0 {
		t.phase.Store(&phase{status, now.Add(takes)})
	}
}

// status returns the table's state, "" once it is gone.
func (t *table) status(now func() time.Time) types.TableStatus {
	p := t.phase.Load()
	switch {
	case p == nil:
		return types.TableStatusActive
	case now().Before(p.until):
		return p.status
	case p.status == types.TableStatusDeleting:
		return ""
	}
	return types.TableStatusActive
}

// serves reports whether items of the table can be read and written.
func (t *table) serves(now func() time.Time) bool {
	s := t.status(now)
	return s == types.TableStatusActive || s == types.TableStatusUpdating
}

// checkIdle refuses a change to a table that is not ACTIVE.
func (t *table) checkIdle(now func() time.Time) error {
	switch t.status(now) {
	case types.TableStatusActive:
		return nil
	case types.TableStatusCreating:
		return errInUse("Table is being created: " + t.name)
	case types.TableStatusDeleting:
		return errInUse("Table is being deleted: " + t.name)
	default:
		return errInUse("Table is being updated: " + t.name)
	}
}

// findServing finds a table whose items can be used.
func findServing(db *DB, ref string) (*table, error) {
	t := db.table(ref)
	if t == nil || !t.serves(db.settings.clock) {
		return nil, errTableNotFound()
	}
	return t, nil
}

// findNamed finds a table in any state.
func findNamed(db *DB, ref string) (*table, error) {
	t := db.table(ref)
	if t == nil {
		return nil, errTableNotFoundNamed(ref)
	}
	return t, nil
}

// building is the time during which a new index of an existing table cannot be
// read. The zero building is over.
type building struct{ from, until time.Time }

func (b building) isOver(now func() time.Time) bool {
	return b.until.IsZero() || !now().Before(b.until)
}

// backfills reports whether the second half of the time has begun, in which the
// index takes over the items of the table.
func (b building) backfills(now time.Time) bool {
	return !now.Before(b.from.Add(b.until.Sub(b.from) / 2))
}

// leaving is an index that is described for a while though it is gone.
type leaving struct {
	index *index
	state indexState
	until time.Time
}

// forgetIndexes drops deleted indexes, with all they hold, once they are not
// described any more.
func (s *tableState) forgetIndexes(now time.Time) {
	s.leaving = slices.DeleteFunc(s.leaving, func(g leaving) bool { return !now.Before(g.until) })
}
