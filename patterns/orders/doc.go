// Package orders keeps orders in a single-table design, to be found by user, ID,
// day, status and product, and counts each user's.
//
//	entity      PK           SK                 indexes
//	Order       USER#<user>  ORDER#<time>#<id>  GSI1 ORDER_STATUS#<status> / <time>#<id>
//	                                            GSI2 PROD#<product> / <time>#<id>
//	                                            GSI3 ORDER_DATE#<day>#<shard> / <time>#<id>
//	                                            GSI4 ORDER#<id> / ORDER
//	OrderCount  USER#<user>  ORDERCOUNT
//
// A user's orders lie in the user's partition in the order of time, so that lists,
// ranges of dates and consistent reads of them need no index. GSI2 is sparse: an
// order without a product, such as a gift card, has no entry. All orders of a day
// would meet in one key, so it is spread over ten shards, which OfDay reads at
// once and merges.
//
// An order and the count of its user are written in one transaction, along with
// what the caller adds, such as taking goods out of stock. Name and price of the
// product stay in the order as they were. A status is changed on condition of
// the old one, so of many who want to take an order on, one does; its entries in
// all indexes follow.
//
// What the SDK's client sends again, its reply lost, counts once. An order whose
// placing failed without a known outcome can be placed again.
//
// # Costs
//
// With orders of up to 1 KB:
//
//	Place             1 request     8 write units, 7 without a product, and what the caller adds
//	SetStatus         1 request     7 write units, 6 without a product
//	Remove            1 request     8 write units, 7 without a product
//	Get               1 request     1 read unit
//	ByID              1 request     0.5 read units
//	OfUser, ByStatus,
//	OfProduct         1 request     a page, 0.5 read units for each 4 KB, some ten orders
//	OfDay             10 requests   a page, at least 5 read units
//	Count             1 request     0.5 read units
//
// Nothing is scanned.
//
// # Limits
//
// Lists by index are eventually consistent. A status that all new orders have is
// one key: beyond some 500 orders a second it needs shards as days have. IDs are
// the caller's to make unique.
package orders
