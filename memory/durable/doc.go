// Package durable keeps a [memory.DB] in a directory, so that it survives the
// process, however that ends.
//
//	store, err := durable.Open("data")
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	store.DB().PutItem(…) // returns once the item is on the disk
//
// Memory is where requests are answered; the directory is what a start reads. Of
// the engine everything comes back: items, tables with their indexes and settings,
// tags, and the tokens of transactions.
//
// # What a caller can rely on
//
// A request that writes succeeds only after its changes are in the log, and the
// log has been synced ([SyncEvery] relaxes the latter). Requests that wait at the
// same time share one sync. What a transaction changes is one record: it comes
// back whole or not at all. The elements of a BatchWriteItem are independent
// writes, as they are in the service, and are waited for together.
//
// Reads do not wait. They may show what is not synced yet and, should the machine
// fail at that moment, will never have been; the request that wrote it has not
// been answered then.
//
// A write error, such as a full disk, is final: the request fails, and so does
// every later one that writes, until the directory is opened again. Nothing that
// was not kept is ever acknowledged.
//
// # What is in the directory
//
// Segments of the log, each named by the number of its first frame
// (00000000000000000001.log), at most one snapshot in use, named by the number of
// the frame that follows it (00000000000000000345.snapshot), and the file lock,
// which keeps other processes out while it is locked.
//
// A frame is what was written at once: the changes of all requests that waited,
// with its number, its length and checksums of both header and contents. When the
// log has grown long, a snapshot of the DB is written beside the running requests
// and replaces all that went before.
//
// # Damage
//
// A start reads everything and compares every checksum. If the last frame of the
// log is cut off, the process died while writing it: it was never acknowledged and
// is dropped. Anything else that is wrong is a [DamageError] with file and offset,
// and nothing is opened. To go on without what is damaged, restore a copy of the
// directory; or cut the named file at that offset and remove the segments that
// follow it, which gives up all changes from there on.
package durable
