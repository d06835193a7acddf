package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// DB is an in-memory DynamoDB: the tables of one account in one region. Its
// methods have the signatures of the SDK's client and are safe for concurrent
// use. Make one with [New].
//
// The functional options that the SDK's signatures end in configure an HTTP
// client. The engine has none and does not call them.
type DB struct {
	settings settings
	words    wordings
	powers   *powers
	faults   faults
	compiler eval.Compiler

	tokens  tokens
	streams streams
	ledger  *ledger

	ordinals atomic.Uint64 // of partitions

	random struct {
		sync.Mutex // guards the source
		*rand.Rand
	}

	tables struct {
		sync.RWMutex // guards what follows; a table guards itself
		named        map[string]*table
		last         uint64        // number of the table made last
		leaving      queue[*table] // DELETING, in the order in which they will be gone
	}
}

// New returns an empty DB.
func New(opts ...Option) *DB {
	db := &DB{settings: defaults()}
	for _, set := range opts {
		if set != nil {
			set(&db.settings)
		}
	}
	db.words = wordingsOf(db.settings.region)
	db.powers = newPowers(&db.settings)
	db.random.Rand = rand.New(rand.NewPCG(db.settings.seed, 0))
	db.tables.named = make(map[string]*table)
	db.ledger = newLedger(db.settings.journal)
	return db
}

func (db *DB) now() time.Time { return db.settings.clock() }

// newID returns a random identifier in the form of a UUID.
func (db *DB) newID() string {
	db.random.Lock()
	defer db.random.Unlock()
	hi, lo := db.random.Uint64(), db.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		hi>>32, hi>>16&0xFFFF, hi&0xFFF, lo>>48&0x3FFF|0x8000, lo&0xFFFFFFFFFFFF)
}

// table returns the table with that name or ARN, nil when there is none. An ARN
// of another account or region names no table of this DB.
func (db *DB) table(ref string) *table {
	name := nameInARN(ref)
	db.tables.RLock()
	t := db.tables.named[name]
	db.tables.RUnlock()
	switch {
	case t == nil:
		return nil
	case db.isGone(t):
		db.removeTable(t)
		return nil
	case name != ref && t.arn != ref:
		return nil
	}
	return t
}

// isGone reports whether the time that a deletion takes is over.
func (db *DB) isGone(t *table) bool { return t.status(db.settings.clock) == "" }

// addTable adds a table, unless the name is taken.
func (db *DB) addTable(t *table) error {
	db.tables.Lock()
	defer db.tables.Unlock()
	db.forgetTablesLocked()
	db.streams.forget(db.now())
	if old := db.tables.named[t.name]; old != nil && !db.isGone(old) {
		return errTableExists(t.name)
	}
	db.tables.last++
	t.number = db.tables.last
	if t.state.stream != nil {
		db.streams.register(t.state.stream, t.arn, db.now())
		t.capture(t.state.stream)
	}
	if err := db.ledger.tableLocked(t); err != nil {
		return err
	}
	db.tables.named[t.name] = t
	return nil
}

// removeTable takes a table out of the account. Operations that have found it
// before go on undisturbed.
func (db *DB) removeTable(t *table) {
	db.tables.Lock()
	defer db.tables.Unlock()
	if db.tables.named[t.name] == t {
		delete(db.tables.named, t.name)
	}
}

// dismissTable sees to it that a table in state DELETING is forgotten once it is
// gone, even if nobody asks for it again.
func (db *DB) dismissTable(t *table) {
	db.tables.Lock()
	defer db.tables.Unlock()
	db.forgetTablesLocked()
	db.tables.leaving.push(t)
}

// forgetTablesLocked takes tables that are gone out of the account.
func (db *DB) forgetTablesLocked() {
	n := 0
	for _, t := range db.tables.leaving.all() {
		if !db.isGone(t) {
			break
		}
		if db.tables.named[t.name] == t {
			delete(db.tables.named, t.name)
		}
		n++
	}
	db.tables.leaving.drop(n)
}

// tableNames returns the names of all tables in order.
func (db *DB) tableNames() []string {
	db.tables.RLock()
	defer db.tables.RUnlock()
	names := make([]string, 0, len(db.tables.named))
	for name, t := range db.tables.named {
		if !db.isGone(t) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (db *DB) newKeyspace() *keyspace {
	return newKeyspace(db.settings.partitions, func() uint64 { return db.ordinals.Add(1) })
}
