package versus

import (
	"testing"
	"time"
)

// A Side is one way to do the work.
type Side struct {
	// Name tells sides apart, as in impl=NAME.
	Name string
	// Setup makes ready and returns what does the work once. It is called with
	// 0, 1, 2 and so on.
	Setup func(b *testing.B) (call func(n int))
}

// Run runs each side as a benchmark of its own, named impl=NAME, one after the
// other, so that nothing of one side is in memory when another one runs. It
// reports processor time per call, that of the garbage collector included, as
// cpu-ns/op, and for every side but the first how many times that of the first it
// is, as x-NAME with the name of the first.
func Run(b *testing.B, sides ...Side) {
	b.Helper()
	var least float64
	for i, s := range sides {
		b.Run("impl="+s.Name, func(b *testing.B) {
			each := Measure(b, s.Setup(b))
			if i == 0 {
				least = each
			} else if least > 0 {
				b.ReportMetric(each/least, "x-"+sides[0].Name)
			}
		})
	}
}

// Measure is the loop of a benchmark. It calls with 0, 1, 2 and so on, reports
// processor time per call as cpu-ns/op and returns it.
func Measure(b *testing.B, call func(n int)) float64 {
	b.Helper()
	b.ReportAllocs()
	n := 0
	begin := CPU()
	for b.Loop() {
		call(n)
		n++
	}
	each := float64(CPU()-begin) / float64(n)
	b.ReportMetric(each, "cpu-ns/op")
	return each
}

// CPU returns the processor time that this process has taken so far, in the
// program and in the kernel on its behalf. Where the system does not tell, it is
// the time on the clock.
func CPU() time.Duration { return cpu() }
