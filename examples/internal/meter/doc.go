// Package meter shows what the steps of an example answer and what they cost.
package meter
