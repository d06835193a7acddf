// Package cart keeps shopping carts in a single-table design: one cart for each
// user, whose total always equals its lines, and which is checked out once.
//
//	entity   PK           SK            attributes
//	Cart     USER#<user>  CART          Lines (ProductID, Name, Price, Quantity), Total, Version, Updated
//	Receipt  USER#<user>  RECEIPT#<id>  Lines, Total, At
//
// A cart is one item, so that lines and total cannot part. Each change reads it,
// computes the total from the lines and writes the whole under a condition on the
// version; who loses to another starts anew. No addition is lost, however many
// come at once. An empty cart stays stored, since its version must go on.
//
// A check-out has an ID of the caller's choice. One transaction empties the cart,
// keeps what was in it as a [Receipt] under the ID, and does what the caller
// adds, such as creating an order and taking goods out of stock. The same ID
// again returns the same receipt and changes nothing, so that a check-out can be
// repeated until it is known to be done.
//
// Changes are written in transactions, which have a token: the SDK's client can
// send one again, its reply lost, and it counts once.
//
// # Costs
//
// A cart of up to 1 KB, some ten lines, takes:
//
//	Get               1 request    1 read unit
//	Add, Set, Remove  2 requests   1 read unit, 2 write units
//	Clear             2 requests   1 read unit, 2 write units
//	CheckOut          2 requests   1 read unit, 4 write units, and what the caller adds
//	Receipt           1 request    1 read unit
//
// Writing costs 2 units for each KB. Who has to start anew pays again. Nothing is
// scanned, and each user's cart is in a partition of its own.
package cart
