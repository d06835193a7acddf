// Package program is what the examples have in common as programs: how they end and
// which arguments they take.
package program
