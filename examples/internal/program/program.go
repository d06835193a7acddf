package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Run is the whole of a program but for its process: stdout gets what it shows,
// stderr progress and help.
type Run func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// Main runs a program with the arguments of the process until it is done or
// interrupted, and returns the status for the process to end with: 1 if the program
// failed, 2 if its arguments make no sense, either of which it says on standard
// error.
func Main(ctx context.Context, name string, run Run) (status int) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return end(run(ctx, os.Args[1:], os.Stdout, os.Stderr), name, os.Stderr)
}

// end says why a program failed, and returns the status.
func end(err error, name string, stderr io.Writer) (status int) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(stderr, name+":", err)
	if _, ok := errors.AsType[*usageError](err); ok {
		return 2
	}
	return 1
}

// usageError is a fault of arguments.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() + "; see --help" }
func (e *usageError) Unwrap() error { return e.err }

// Flags are the flags of a program, with --endpoint among them.
type Flags struct {
	*flag.FlagSet
	// Endpoint is the URL of a DynamoDB endpoint, "" for the embedded engine.
	Endpoint string

	stderr io.Writer
}

// NewFlags returns the flags of a program, to which it adds its own. Help goes to
// stderr.
func NewFlags(name string, stderr io.Writer) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), stderr: stderr}
	f.SetOutput(io.Discard) // errors are for Main to say, once
	f.StringVar(&f.Endpoint, "endpoint", "", "use the DynamoDB endpoint at `URL` in place of the embedded engine")
	return f
}

// Parse reads arguments. Those that are no flags are an error. If help is asked for
// it gives that and fails with flag.ErrHelp.
func (f *Flags) Parse(args []string) error {
	err := f.FlagSet.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(f.stderr)
		f.Usage()
	case err != nil:
		err = &usageError{err}
	}
	return err
}
