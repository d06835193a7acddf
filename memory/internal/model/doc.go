// Package model is a table as simple as it can be: a slice of items and loops
// over it. Tests run the same random history against it and against the engine
// and demand equal answers. Nothing here is fast, and nothing here is shared
// with the engine, so that a mistake has to be made twice to go unseen: values
// are those of the SDK, numbers are rational, expressions are trees that were
// never a text, and an index is a view that is computed when it is asked for.
//
// The model takes requests that are sound in form. What it refuses is what only
// the table or the item can tell.
package model
