// Package backend opens what the examples run on: the embedded engine, or any
// DynamoDB endpoint.
package backend
