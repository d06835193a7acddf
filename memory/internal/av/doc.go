// Package av is the engine's own form of attribute values: the ten kinds,
// exact 38-digit numbers, equality, order, sizes, and the way from and to the
// SDK's types.
//
// A [Value] or [Map] never changes once made. It can be stored, shared between
// versions of an item and read from many goroutines without a copy; a change
// makes a new map that shares what stayed the same. Copies of mutable memory
// are made only where values cross the engine's public edge, in [FromSDK] and
// [Value.SDK].
//
// Values are canonical: numbers are plain decimals without needless zeros, sets
// are sorted and free of duplicates, maps are sorted by name. Two equal values
// therefore look the same, and printing one gives one text.
package av
