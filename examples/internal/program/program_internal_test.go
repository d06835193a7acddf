package program

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"
)

// TestEnds promises that a program says once what is wrong, and how it ends.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		args   []string
		err    error // of the program, if it gets to run
		status int
		stderr string // that it begins with
	}{
		{"well", []string{"--endpoint", "http://localhost:8000"}, nil, 0, ""},
		{"help", []string{"--help"}, nil, 0, "Usage of shop:\n"},
		{"unknown flag", []string{"--endpiont=x"}, nil, 2, "shop: flag provided but not defined: -endpiont; see --help\n"},
		{"flag without its value", []string{"--endpoint"}, nil, 2, "shop: flag needs an argument: -endpoint; see --help\n"},
		{"argument", []string{"x"}, nil, 2, "shop: unexpected argument \"x\"; see --help\n"},
		{"failure", nil, errors.New("no table"), 1, "shop: no table\n"},
	} {
		var stderr bytes.Buffer
		err := NewFlags("shop", &stderr).Parse(c.args)
		if err == nil {
			err = c.err
		}
		got := end(err, "shop", &stderr)
		said := stderr.String()
		if got != c.status || !strings.HasPrefix(said, c.stderr) || c.stderr == "" && said != "" {
			t.Errorf("%s: got status %d and %q, want %d and %q", c.name, got, said, c.status, c.stderr)
		}
		if !errors.Is(err, flag.ErrHelp) && strings.Count(said, "\n") > 1 {
			t.Errorf("%s: %q says more than what is wrong", c.name, said)
		}
	}
}
