// Command design shows what follows from the definitions of a table: the shop's
// access patterns and what each costs, weaknesses of its design, templates to
// deploy it, documents, and where a table that exists has drifted from it.
//
//	go run ./examples/design                  to standard output
//	go run ./examples/design --out DIR        documents and templates into a directory
//	go run ./examples/design --endpoint URL   with the table at a DynamoDB endpoint
//
// With --endpoint the table AppTable is created if it does not exist, and filled;
// region and credentials are taken from AWS_REGION, AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Heat is only known of the embedded
// engine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/memory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "design:", err)
		}
		os.Exit(1)
	}
}

// run is the whole program: stdout gets the report, stderr help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("design", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "write documents and templates into the directory `DIR`")
	endpoint := flags.String("endpoint", "", "use the DynamoDB endpoint at `URL` in place of the embedded engine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see --help", flags.Arg(0))
	}
	db, where, err := backend.Open(*endpoint, memory.TrackHeat(1000))
	if err != nil {
		return err
	}
	traffic := new(design.Traffic)
	shop := schema.New(db, ddb.Observe(traffic.Observe))
	if err := shop.Table.Err(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "Table %s, %s\n", shop.Table.Name(), where)
	if err := fill(ctx, db, shop.Table); err != nil {
		return err
	}
	if err := ask(ctx, shop.Patterns()); err != nil {
		return err
	}
	return report{shop: shop, db: db, traffic: traffic, out: *out}.write(ctx, stdout)
}
