package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVerdicts promises that a fault passes only by an exception with a reason,
// and that no exception outlives its fault.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	clock := fault{at: "a/b.go:7", what: "time.Now"}
	for _, test := range []struct {
		name   string
		faults []fault
		except exceptions
		want   []string
	}{
		{name: "nothing"},
		{"a fault", []fault{clock}, nil, []string{"a/b.go:7: time.Now"}},
		{"a fault in other words", []fault{{"a.go:1", "X", "X is odd"}}, nil, []string{"a.go:1: X is odd"}},
		{"excepted wherever it stands in the file", []fault{clock, {at: "a/b.go:9", what: "time.Now"}}, exceptions{"a/b.go time.Now": "a reason"}, nil},
		{"excepted elsewhere", []fault{clock}, exceptions{"a/c.go time.Now": "a reason"},
			[]string{"a/b.go:7: time.Now", "exception a/c.go time.Now: excuses nothing, drop it"}},
		{"no reason", []fault{clock}, exceptions{"a/b.go time.Now": ""}, []string{"exception a/b.go time.Now: has no reason"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(verdicts(test.faults, test.except), test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}
