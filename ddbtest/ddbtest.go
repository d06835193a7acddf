package ddbtest

import (
	"context"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TB is what this package needs of a test. *testing.T, *testing.B, *testing.F and
// *rapid.T have it.
type TB interface {
	Helper()
	Cleanup(func())
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Backend is a DB or a Server.
type Backend interface {
	ddb.Backend
	engine() *DB
}

// DB is an engine for one test: a ddb.Backend, with all else that *memory.DB can
// do. It is safe for concurrent use.
type DB struct {
	*memory.DB
	Faults
}

// heatKeys bounds how many partition keys a Bill tells apart without doubt.
const heatKeys = 4096

// New returns an empty engine, which is dropped with the test. Its invariants are
// verified when the test ends. It counts heat, unless an option of its own says
// how.
func New(t TB, opts ...memory.Option) *DB {
	t.Helper()
	engine := memory.New(append([]memory.Option{memory.TrackHeat(heatKeys)}, opts...)...)
	t.Cleanup(func() {
		t.Helper()
		if err := engine.Check(); err != nil {
			t.Errorf("ddbtest: the engine's invariants do not hold: %v", err)
		}
	})
	return &DB{engine, Faults{engine, t}}
}

func (db *DB) engine() *DB { return db }

// TableName is the name of the table that [Open] makes.
const TableName = "AppTable"

// Open makes the table [TableName] with what define defines in it, and returns
// what define does: for ddb.Define[User] the definition of User, for a
// constructor that takes a table what it constructs. The test fails at once if
// there are faults in the definitions.
func Open[S any](t TB, db Backend, define func(*ddb.Table) S, opts ...ddb.TableOption) S {
	t.Helper()
	table := ddb.NewTable(TableName, db, opts...)
	s := define(table)
	Create(t, db, table)
	return s
}

// Create creates tables on the engine as their definitions say, with their
// indexes, and switches expiry on if an entity has one. It makes no difference
// through which backend the tables themselves are used. The test fails at once
// if there are faults in the definitions, or a table exists.
func Create(t TB, db Backend, tables ...*ddb.Table) {
	t.Helper()
	engine := db.engine()
	for _, table := range tables {
		in, err := table.CreateTableInput()
		if err != nil {
			t.Fatalf("ddbtest: %v", err)
		}
		if _, err := engine.CreateTable(t.Context(), in); err != nil {
			t.Fatalf("ddbtest: create table %s: %v", table.Name(), err)
		}
		expiry, err := table.UpdateTimeToLiveInput()
		if err == nil && expiry != nil {
			_, err = engine.UpdateTimeToLive(t.Context(), expiry)
		}
		if err != nil {
			t.Fatalf("ddbtest: expiry of table %s: %v", table.Name(), err)
		}
	}
}
