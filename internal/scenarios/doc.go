// Package scenarios holds the access patterns that ddb is there for, each as a
// test that runs on the engine in process and again through the SDK's client and
// the wire. Each asserts the right result, that the wrong one cannot come about
// which keys written by hand are known for, and what the answer costs.
//
// The patterns have numbers, by which guides, examples and tests call them. S1 to
// S12 share one table, that of examples/shop; the social network and the game are
// packages of patterns.
//
//	S1   a user by ID; that there is none is an error
//	S2   everything of a user in one query, told apart by type
//	S3   a user's orders, newest first, in pages; a prefix is of whole parts
//	S4   an order by its key, or by its ID alone through an index
//	S5   the orders of a day, a key that is hot by design
//	S6   orders by status, which move in the index when it changes
//	S7   the orders of a product in a sparse index
//	S8   how many orders a user has, counted over all pages and kept
//	S9   a user by e-mail address, which only one can have
//	S10  a user's orders of a month, to the last second and no further
//	S11  attributes and values in Chinese; facts copied as they were
//	S12  versions of a document, of which the tenth comes after the second
//	S13  readings of a sensor, the last hour across the end of a month
//	S14  a shopping cart that loses nothing and is checked out once
//	S15  a leaderboard with ties, ranks and neighbours
//	S16  followers, listed both ways and counted
//	S17  comments in stable pages, replies, soft deletes
//	S18  a sparse index whose key is a plain attribute
//	S19  hot keys spread at random, by a field, by the hour and by a second field
//	S20  changes as they happened, and one message to each new customer
//	S21  items that expire
//	S22  keys of other shapes: simple, numeric, binary; local indexes; projections
//	S23  costs, heat and throttling before launch
//	S24  the design as a document, and what a check finds wrong with it
package scenarios
