package versus_test

import (
	"testing"
	"time"

	"github.com/seed530093c6/ddb/internal/versus"
)

// TestCPU promises that work takes processor time, and waiting hardly any.
func TestCPU(t *testing.T) {
	begin, sum := versus.CPU(), 0
	for n := 0; versus.CPU()-begin < 20*time.Millisecond; n++ {
		sum += n
		if n > 1<<30 {
			t.Fatalf("no processor time in %d rounds", n)
		}
	}
	begin = versus.CPU()
	<-time.After(200 * time.Millisecond)
	if took := versus.CPU() - begin; took > 100*time.Millisecond {
		t.Errorf("waiting took %v of processor time; %d", took, sum)
	}
}
