// Package timeseries keeps what devices measure, in the order of time, in a
// single-table design: the latest, the last few, any range, and no more of it than
// is worth keeping.
//
// What a reading holds beyond device and time is the caller's, and so is the
// template of its key:
//
//	type Climate struct {
//		_ ddb.Entity `name:"Climate" pk:"DEVICE#{Device}#{At:2006-01}" sk:"{At}"`
//		timeseries.Reading
//		Temperature, Humidity float64
//	}
//
// The layout of the time in the partition key cuts a device's readings into
// buckets, so that no partition grows for ever, and none is read that the range
// has nothing of. The sort key goes on with the whole time:
//
//	buckets of a  PK                                   SK      attributes
//	month         DEVICE#<device>#<2024-01>            <time>  Device, At, Expires, the caller's
//	day           DEVICE#<device>#<2024-01-31>         <time>  the same
//	hour          DEVICE#<device>#<2024-01-31T23>      <time>  the same
//	hour, hot     DEVICE#<device>#<2024-01-31T23>#<0>  <time>  the same
//
// with the templates
//
//	DEVICE#{Device}#{At:2006-01}
//	DEVICE#{Device}#{At:2006-01-02}
//	DEVICE#{Device}#{At:2006-01-02T15}
//	DEVICE#{Device}#{At:2006-01-02T15}#{shard:10}
//
// A range visits its buckets one after another, either way, under one cursor, so
// that the last hour is the last hour also when the month began half an hour ago.
// Choose buckets that hold some thousands of readings. A device that sends more
// than a partition takes, 1,000 readings of 1 KB a second, needs shards: each
// bucket is then spread over ten keys, which are read at once and merged.
//
// Device and instant are the key: a reading that is recorded again, because a
// reply was lost or the device sends its buffer once more, replaces itself. Where
// a device measures several things at one instant, give each an entity of its own
// or end the sort key with what tells them apart, {At}#{Channel}.
//
// # Retention
//
// Readings expire a fixed time after they were taken, however late they arrive.
// DynamoDB removes what has expired within some days and at no cost; until then it
// is hidden from all queries. Expiry has to be switched on for the table, see
// ddb.Table.UpdateTimeToLiveInput, and one that has its stream read can move what
// is removed to where it is cheaper to keep.
//
// # Costs
//
// With readings of up to 1 KB:
//
//	Record           1 request for 25 readings, some at once; 1 write unit for each
//	Latest           1 request and 0.5 read units, and as much for each bucket
//	                 without a reading on the way back to it; ten times as much with shards
//	Last, Range      1 request for each bucket, and for each MB of it; 0.5 read units
//	                 for each 4 KB, at least 0.5 for each bucket; ten times as many with shards
//
// Nothing is scanned. What has expired and is not yet removed is read and paid for.
// It is left out by a filter, behind which Limit counts: a page of 100 readings is
// Limit(100) and PageSize(100), or a call reads up to 1 MB to find them.
//
// # Limits
//
// A query visits up to 1,000 buckets, as long as its MaxBuckets does not allow
// more: 41 days by the hour, 83 years by the month. Reads are eventually
// consistent; Consistent on a query makes them strongly so. The layout of buckets
// is for good: another one is another entity.
package timeseries
