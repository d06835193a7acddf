// Package golden tests that an example shows what it should, on the embedded engine
// and over the wire.
package golden
