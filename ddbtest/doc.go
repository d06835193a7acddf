// Package ddbtest helps to test code that uses package ddb, or DynamoDB by
// itself, on the engine of package memory.
//
//	func TestRename(t *testing.T) {
//		t.Parallel()
//		db := ddbtest.New(t)
//		users := ddbtest.Open(t, db, ddb.Define[User])
//		ddbtest.Seed(t, users, User{ID: "1", Name: "Ann"}, User{ID: "2", Name: "Bob"})
//
//		ddbtest.Cost(t, db, func() {
//			if err := Rename(t.Context(), users, "1", "Eve"); err != nil {
//				t.Fatal(err)
//			}
//		}).AtMost(1, 1, 0)
//	}
//
// # A DB for each test
//
// [New] makes an engine in microseconds, with no port, file or goroutine. Nothing
// is shared between tests, so that any number run side by side, and when a test
// ends, the engine's invariants are verified: a test fails if what it did has
// broken them.
//
// [Open] makes a table from a function that defines entities in one, as
// ddb.Define does, and as constructors do that take a table. A program that
// makes its tables itself, from a ddb.Backend, is given the DB, and [Create] its
// tables:
//
//	db := ddbtest.New(t)
//	shop := shop.Open(db)
//	ddbtest.Create(t, db, shop.Table)
//
// [NewServer] in place of New puts the SDK's client and HTTP between the test and
// the engine; all else stays as it is.
//
// # What a test can ask
//
// [Cost] says what a piece of code cost: requests, capacity, items examined,
// partition keys. [ItemsOf] shows what a table holds in a form for reading,
// [Items.Diff] what has changed, [Unchanged] that nothing has.
//
// # Trouble
//
// [Faults], which a DB and a Server have, lose replies, throttle calls and more,
// so many times and then no more, or at random with [Faults.Storm]. Options of
// package memory passed to New make tables behave as large ones do, such as
// memory.Throttling, memory.IndexLag and memory.StaleReads.
//
// # Time
//
// Without memory.Clock an engine takes the time from time.Now, and so inside
// testing/synctest from the clock of the bubble. A [Clock] moves only when told.
//
// # Other backends
//
// [Conform] holds anything that claims to be DynamoDB against what DynamoDB does.
package ddbtest
