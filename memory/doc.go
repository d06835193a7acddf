// Package memory is an in-memory DynamoDB that behaves like the service: in what
// it stores and returns, in the capacity it reports, in which error it gives
// first and in the words of that error.
//
// [New] makes a [DB], whose methods have the signatures of the SDK's client, so
// that code written against a narrow interface of those runs on either. Nothing
// is shared with the caller: what goes in or comes out is a copy. Tables can be
// used as soon as CreateTable returns; there are no ports, no files and no
// goroutines, and a DB that is no longer used is simply dropped.
//
// # Model
//
// A table is cut into partitions by the hash of the partition key. A partition
// keeps its items in one ordered tree, by hash, partition key and sort key, and
// has its own lock, so that requests for keys in different partitions run in
// parallel. A secondary index is a structure of its own with partitions of its
// own, placed by the hash of the index partition key; it holds a view of each
// item that has the whole index key. Stored items never change: a write makes a
// new image and puts it in place of the old one, in table and indexes alike,
// before it returns.
//
// Scan therefore returns items in the order of their hashes, which is the order
// that the service shows; see the Scan method.
//
// # Reads
//
// Differs from DynamoDB: every read sees every write that has returned, on tables
// and indexes; a consistent read differs from another only in price. Query and Scan lock one
// partition at a time. TransactGetItems sees all its items at one moment.
//
// # Locks
//
// A request locks nothing until everything that can be checked without the
// table's items has been checked. From then on:
//
//  1. Partitions of tables are locked before partitions of indexes.
//  2. Among partitions of either sort, those made first are locked first. All
//     partitions of a DB are numbered in the order in which they were made: by
//     table or index, and within it from the lowest hashes to the highest.
//  3. Who holds a lock of an index partition waits for no lock of a table.
//
// A single write locks the partition of its item, evaluates condition and
// change, locks the index partitions that change, and commits. A transaction
// does the same with all its items at once. The indexes of a table change only
// while all its partitions are locked.
//
// The lock of a table's settings comes before all locks of partitions; that of
// the account's map of tables is held for a look into the map and nothing else.
//
// # Time and chance
//
// The engine takes the time from the [Clock] option and its identifiers from
// [Seed]. It starts no timers.
package memory
