// Package leaderboard keeps the scores of players in order, in a single-table
// design.
//
//	entity    PK                                SK                          attributes
//	Entry     LEADERBOARD#<board>               SCORE#<score>#USER#<player> Board, Player, Score
//	HotEntry  LEADERBOARD#<board>#<shard>       SCORE#<score>#USER#<player> Board, Player, Score
//	Player    LEADERBOARD#<board>#USER#<player> SCORE                       Score, Version
//
// Scores are integers of any size and sign, padded in the key so that they sort as
// numbers do. A player has one entry: the player's own item says which, and a
// change of score moves the entry in one transaction with it. Equal scores stay
// beside each other, the greater player ID first, and share a rank: 1, 2, 2, 4.
//
// [New] keeps a board in one partition, [NewHot] in ten, for boards that take more
// writes than a partition does; reads then ask all ten at once and merge. What a
// change that the SDK's client sends again does counts once.
//
// # Costs
//
//	Set, Raise, Add  2 requests   1 read unit, 6 write units (4 for a new player)
//	  no change      1 request    1 read unit
//	Score            1 request    1 read unit
//	Remove           2 requests   1 read unit, 4 write units
//	Top, Page        1 request    0.5 read units for each 4 KB, some 30 entries
//	  further pages  3 requests   0.5 read units more, and the rank
//	Rank             2 requests   1 read unit and the rank
//	Around           5 requests   2.5 read units and the rank
//
// The rank costs 0.5 read units for each 4 KB of entries above: DynamoDB keeps no
// count, so a rank is counted. That is cheap among the first thousands and not
// below; show the others a rank that a job has computed. A hot board takes ten
// requests, and at least 5 read units, where another takes one of entries; its
// writes cost the same.
//
// # Limits
//
// A board takes some 300 changes a second, a hot one some 3,000. Top, Page, Rank
// and Around are eventually consistent, and while scores change what takes several
// requests can be off by the changes in between.
package leaderboard
