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
// failed, which it says on standard error.
func Main(ctx context.Context, name string, run Run) (status int) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, name+":", err)
		}
		return 1
	}
	return 0
}

// Flags are the flags of a program, with --endpoint among them.
type Flags struct {
	*flag.FlagSet
	// Endpoint is the URL of a DynamoDB endpoint, "" for the embedded engine.
	Endpoint string
}

// NewFlags returns the flags of a program, to which it adds its own. Help goes to
// stderr.
func NewFlags(name string, stderr io.Writer) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.StringVar(&f.Endpoint, "endpoint", "", "use the DynamoDB endpoint at `URL` in place of the embedded engine")
	return f
}

// Parse reads arguments. Those that are no flags are an error.
func (f *Flags) Parse(args []string) error {
	if err := f.FlagSet.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see --help", f.Arg(0))
	}
	return nil
}
