package main

import (
	"flag"
	"testing"

	"github.com/seed530093c6/ddb/examples/internal/golden"
)

var update = flag.Bool("update", false, "write the golden file anew")

func TestOutput(t *testing.T) { golden.Output(t, run, *update) }

func TestEndpoint(t *testing.T) {
	t.Parallel()
	golden.Endpoint(t, run, nil)
}

func TestRefusals(t *testing.T) { golden.Refusals(t, run) }
