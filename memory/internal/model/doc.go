// Package model is a table as simple as it can be: a slice of items and loops
// over it. Tests run the same random history against it and against the engine
// and demand equal answers. Nothing here is fast, and nothing here is shared
// with the engine, so that a mistake has to be made twice to go unseen.
//
// Values are Go strings and ints, which stand for DynamoDB's S and N.
package model
