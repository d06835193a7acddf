// Package bare is the least that a table in memory can be, and so what the engine
// is measured against: a map of item collections in shards with a lock each, an
// ordered tree per collection, and copies of what goes in and out. It checks
// nothing, counts nothing and has no expressions.
package bare
