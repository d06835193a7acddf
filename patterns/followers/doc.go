// Package followers keeps who follows whom in a single-table design, with exact
// counts.
//
//	entity     PK               SK                         attributes
//	Following  USER#<follower>  FOLLOWING#USER#<followee>  Since
//	Follower   USER#<followee>  FOLLOWER#USER#<follower>   Since
//	Counts     USER#<user>      FOLLOWCOUNTS               Followers, Following
//
// Each side of a relation is an item in the partition of its user, an adjacency
// list, so that both lists are queries. One transaction writes both sides and both
// counts, on condition that the relation is new, or when it ends, that it is there.
// So counts are those of the lists after any history: to follow twice changes
// nothing, and a request that the SDK's client sends again, its reply lost, counts
// once.
//
// # Costs
//
//	Follow, Unfollow  1 request    8 write units, also when nothing changes
//	Counts            1 request    0.5 read units
//	Follows           1 request    0.5 read units
//	Mutual            1 request    1 read unit
//	lists             1 request a page, 0.5 read units for each 4 KB, some 30 users
//
// Nothing is scanned. Lists are in the order of the users' IDs. Reads are eventually
// consistent.
//
// # Limits
//
// All new followers of a user meet in that user's counts. Transactions that meet
// are tried again, up to ten times; a user who gains more than some hundred
// followers a second needs counts in several items.
package followers
