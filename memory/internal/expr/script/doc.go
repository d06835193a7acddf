// Package script runs the test scripts of the packages around it. It is for
// tests only.
//
// A script is read line by line:
//
//	// a comment
//	@word rest       a directive: it sets something for the lines below
//	input => output  a case
//
// An input that begins with a quote is a Go string, and so is an output with
// characters that do not show. A test run with -rewrite puts what it gets in place of the outputs;
// the difference is to be reviewed like code.
package script
