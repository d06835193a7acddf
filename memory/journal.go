package memory

import (
	"context"
	"time"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// A Journal keeps the history of a DB, so that [Restore] can make an equal one
// after the process is gone. Package durable has one that writes files.
//
// Both methods are called concurrently.
type Journal interface {
	// Append takes over a change. The calls come in the order of the history, as
	// far as changes depend on each other. The engine holds locks meanwhile:
	// Append must neither wait for a disk nor call the DB. The journal may keep
	// what it is given and must not change it.
	//
	// An error keeps items from changing. Settings of a table may have changed
	// all the same, but the request fails. Once Append has failed it should fail
	// for good, since later changes may depend on the one that is lost.
	Append(Change) error

	// Wait returns once all that was appended before the call is kept. No
	// request that writes succeeds before. After an error, and when ctx is done,
	// nobody knows whether those changes will outlive the process.
	Wait(ctx context.Context) error
}

// WithJournal makes the DB hand every change to a journal. There is none by
// default. A request whose changes cannot be kept fails with an error that wraps
// a [types.InternalServerError] and what the journal returned; reads may see
// changes that are not kept yet.
//
// [types.InternalServerError]: https://pkg.go.dev/github.com/aws/aws-sdk-go-v2/service/dynamodb/types#InternalServerError
func WithJournal(j Journal) Option {
	return func(s *settings) { s.journal = j }
}

// A Change is one step in the history of a DB. A journal keeps it as a whole or
// not at all: the items of a transaction are in one Change, with its token and
// the records that it leaves in streams.
type Change struct {
	Streams []StreamChange // before the tables that have them
	Tables  []TableChange
	Items   []ItemChange
	Records []RecordChange
	Tokens  []TokenChange
}

// A TableChange says what a table is from now on, beside its items.
type TableChange struct {
	// Number stands for the table. Another table of the same name has another
	// number; numbers of later tables are higher.
	Number uint64
	// Settings is all that can be said about the table, as JSON, in a form that
	// later versions of this package read as well. It is nil of a table that is
	// gone.
	Settings []byte
}

// An ItemChange says what an item is from now on.
type ItemChange struct {
	Table uint64 // the number of a table
	Gone  bool
	// Item is the new image, or the primary key alone of an item that is gone.
	Item av.Map
}

// A TokenChange says that a transaction with a ClientRequestToken is done.
type TokenChange struct {
	Token   string
	Request [32]byte // stands for what the request demands
	Done    time.Time
	Reads   []TokenRead
}

// A TokenRead is what a repetition of the request reports to have consumed on one
// table.
type TokenRead struct {
	Table     string // as the request names it
	HalfUnits int
}

// ledger is the way of a DB to its journal. A nil ledger has none and takes
// everything.
type ledger struct{ journal Journal }

func newLedger(j Journal) *ledger {
	if j == nil {
		return nil
	}
	return &ledger{j}
}

// wait returns once everything is kept that the caller may have seen or done.
func (l *ledger) wait(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if err := l.journal.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errJournal(err)
	}
	return nil
}

func (l *ledger) append(c Change) error {
	if err := l.journal.Append(c); err != nil {
		return errJournal(err)
	}
	return nil
}

// tableLocked keeps what a table is. The caller holds the lock of its settings,
// so that the latest is kept last, unless nobody else knows the table.
func (l *ledger) tableLocked(t *table) error {
	if l == nil {
		return nil
	}
	return l.append(t.wholeLocked())
}

// deletion keeps that a table is gone, or that it goes. A table that is gone is
// no longer among the account's tables, but its stream is kept.
func (l *ledger) deletion(t *table, takesTime bool) error {
	if l == nil {
		return nil
	}
	c := t.whole()
	if !takesTime {
		c.Tables[0].Settings = nil
	}
	return l.append(c)
}

// writeLocked keeps what a mutation is about to do. The caller holds all locks
// that it needs to do it.
func (l *ledger) writeLocked(m *mutation, e *effect) error {
	if l == nil || e.new == e.old {
		return nil
	}
	c := Change{Items: []ItemChange{m.itemChange(e)}}
	e.draft.keep(&c)
	return l.append(c)
}

// transactLocked keeps what a transaction is about to do; use is nil without a
// token. The caller holds all locks that it needs to do it.
func (l *ledger) transactLocked(mutations []mutation, effects []*effect, use *tokenUse) error {
	if l == nil {
		return nil
	}
	var c Change
	for i, e := range effects {
		if e.new != e.old {
			c.Items = append(c.Items, mutations[i].itemChange(e))
			e.draft.keep(&c)
		}
	}
	if use != nil {
		c.Tokens = []TokenChange{use.change()}
	}
	if c.Items == nil && c.Tokens == nil {
		return nil
	}
	return l.append(c)
}

func (m *mutation) itemChange(e *effect) ItemChange {
	if e.new == nil {
		return ItemChange{Table: m.table.number, Gone: true, Item: m.table.layout.Load().key.only(e.old.item)}
	}
	return ItemChange{Table: m.table.number, Item: e.new.item}
}

func (u *tokenUse) change() TokenChange {
	c := TokenChange{Token: u.token, Request: u.print, Done: u.at}
	for i := range u.again.uses {
		c.Reads = append(c.Reads, TokenRead{u.again.uses[i].table, int(u.again.uses[i].base)})
	}
	return c
}
