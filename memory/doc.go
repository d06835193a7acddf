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
// keeps its items in one ordered tree, by hash, partition key and sort key, with a
// map beside it for requests that name a whole key. It has its own lock, so that
// requests for keys in different partitions run in parallel. A secondary index is a structure of its own with partitions of its
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
// and indexes, and a consistent read differs from another only in price, unless
// [IndexLag] or [StaleReads] is on. Query and Scan lock one partition at a time.
// TransactGetItems sees all its items at one moment.
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
// The lock of a table's settings comes before all locks of partitions; those of
// the account's tables and streams are held for a look into them and nothing else.
// Changes that an index waits for have a lock between those of tables and those
// of indexes. Logs of streams are locked after the partitions that a write locks
// itself, in the order of the streams and within one of hash space. The lock of a
// DB's traffic, and that of a partition's past, come after all others.
//
// # Streams
//
// A table can have a stream, which keeps a record of every change of an item for
// 24 hours: what CreateTable and UpdateTable enable, [DB.ListStreams],
// [DB.DescribeStream], [DB.GetShardIterator] and [DB.GetRecords] read. Every write,
// be it alone, in a batch, in a transaction or an expiry, leaves its record in the
// step that makes the change, or none if nothing changes. A stream has as many
// open shards as its table has [Partitions]; they follow each other every four
// hours.
//
// A stream keeps the images of a day in memory. What is older goes when somebody
// writes to the table or reads the stream.
//
// # Expiry
//
// Items expire only when [DB.Expire] is called, which a program does at intervals
// and a test when it wants to.
//
// # Journal
//
// A DB forgets everything with its process, unless it is given a [Journal], which
// learns every change in order, and from which [Restore] makes an equal DB.
// Package durable in this module has one.
//
// # Time and chance
//
// The engine takes the time from the [Clock] option and its identifiers from
// [Seed]. It starts no timers, except to wait where a [Delay] is injected.
//
// # Test powers
//
// What a program otherwise meets only under load, a test can have at will. All of
// it is off by default and costs nothing then; all of it keeps to [Clock] and
// [Seed], so that what a test has seen once it sees again.
//
// Options make tables behave as large ones do:
//
//   - [Throttling] refuses what exceeds the capacity of a partition, a table or an
//     index.
//   - [IndexLag] makes entries of global secondary indexes follow later than their
//     items.
//   - [StaleReads] lets reads that are not consistent see the past. [DB.Settle]
//     ends the wait for both.
//   - [TrackHeat] counts what partitions and partition keys serve, for [DB.Heat].
//
// [DB.Inject] makes single calls go wrong while it lasts. What happens to them is
// a [Fault]: [Throttle], [Conflict], [ConflictIf], [Unprocessed],
// [UnprocessedIf], [LoseReply], [FailBefore], [FailAfter], [Delay], [Meanwhile].
// To which calls it happens is the business of matches: [OnOperation], [OnTable],
// [OnItem], [OnCall], [FirstCalls], [EveryCall], [OneIn], or any function of a
// [Call].
//
// Nothing of this outlives its use. What a power keeps of a table goes with the
// table; changes that are held back and pasts that are remembered go, when their
// time is over, with the next use of their index or partition; heat is counted of
// no more keys than the option says.
package memory
