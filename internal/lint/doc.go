// Package lint holds the rules of this repository that tools of the trade do not
// know, as tests: who may import whom, what must be documented, how long files
// and functions may be, what library code may not do.
//
// Each rule is a function from source to faults with a table of exceptions
// beside it. An exception has a reason, and one that excuses nothing any more is
// a fault itself. Each rule is also tried on samples that break it, so that a
// rule that has gone blind is noticed.
package lint
