// Package bench measures ddb against its peers and against hand-written limits, on
// the same work in the same run. It is a module of its own, so that what it compares
// with is no dependency of anybody.
//
// The script run builds the benchmarks, those beside the code as well, runs them in
// rounds and has benchstat compare them. docs/performance.md says what came of it.
package bench
