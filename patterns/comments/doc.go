// Package comments keeps the comments on posts, and the replies to them, in a
// single-table design.
//
//	entity   PK                           SK                   attributes
//	Comment  POST#<post>                  COMMENT#<time>#<id>  Author, Text, Replies, Edited, Deleted
//	Reply    POST#<post>#COMMENT#<id>     REPLY#<time>#<id>    Author, Text, Edited, Deleted
//
// Lists are queries in the order of time, oldest or newest first, and their pages
// are stable: a cursor stands behind the last comment delivered, so that what
// arrives meanwhile neither shifts nor repeats anything. Comments of one instant
// differ by their IDs and never replace each other.
//
// A reply and the count of its comment are written in one transaction. To delete
// a comment takes its text away and leaves it in its place, with its replies; a
// deleted comment takes no more of them.
//
// A write that the SDK's client sends again, its reply lost, counts once. One that
// failed without a known outcome can be repeated with the same value.
//
// # Costs
//
// With texts of up to 1 KB less 200 bytes; each further KB costs as much again:
//
//	Post                 1 request    1 write unit
//	Reply                1 request    4 write units
//	Edit, EditReply      1 request    1 write unit
//	Delete, DeleteReply  1 request    1 write unit
//	Get                  1 request    0.5 read units
//	Comments, Replies    1 request a page, 0.5 read units for each 4 KB
//
// Nothing is scanned. Reads are eventually consistent.
//
// # Limits
//
// The comments on one post share a partition: 1,000 new ones a second are the
// most. The time in a key is that of the writer's clock; who reads oldest first
// and wants to miss nothing stays behind by what clocks can differ.
package comments
