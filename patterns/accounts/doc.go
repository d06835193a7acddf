// Package accounts keeps accounts in a single-table design whose e-mail addresses
// are unique: an address belongs to one account or none, whatever comes at once.
//
//	entity   PK                            SK                 index, attributes
//	Account  ACCOUNT#<id>                  ACCOUNT            GSI1 EMAIL#<address> / ACCOUNT#<id>
//	                                                          ID, Email, Name, Created, Updated
//	marker   UNIQUE#email#<address>        the same           UniqueOwner
//
// The index finds an account by its address, but guarantees nothing: two who sign
// up at once would both find the address free. The field is tagged unique, so that
// package ddb keeps a marker item whose key is the address, written in the
// transaction that writes the account. Letter case makes no difference in either;
// addresses are kept as they were given.
//
// Of many who want one address, one gets it, and the others fail with [ErrTaken]. A
// change of address claims the new one and frees the old one at one moment, and is
// made on condition of the old one, so that of two changes that were begun from one
// address one happens. An account that is deleted frees its address.
//
// An index can be a moment behind, and then lists an account under an address that
// has meanwhile become another's. ByEmail asks the account itself before it hands it
// out, so that nobody is let into an account by an address that it once had.
//
// What the SDK's client sends again, its reply lost, counts once. A call that failed
// without a known outcome can be repeated with the same values.
//
// # Costs
//
// With accounts of up to 1 KB:
//
//	SignUp       1 request    5 write units, and what the caller adds
//	ChangeEmail  2 requests   1 read unit, 8 write units
//	Delete       2 requests   1 read unit, 5 write units, and what the caller adds
//	Get          1 request    1 read unit
//	ByEmail      2 requests   1.5 read units
//
// A call that meets others pays again. Nothing is scanned, and each account is in
// a partition of its own.
//
// # Limits
//
// A new address takes a moment to be found by ByEmail. Addresses hold no separator
// of the table, '#' unless ddb.Separator says otherwise; such fail with ddb.ErrKey.
// They are compared byte by byte once they are in lower case: bring what is not
// ASCII into one Unicode form first. Whether an address receives mail is for the
// caller to find out, best before it is changed.
package accounts
