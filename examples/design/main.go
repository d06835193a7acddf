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
	"fmt"
	"io"
	"os"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/program"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/memory"
)

func main() { os.Exit(program.Main(context.Background(), "design", run)) }

// run is the whole program: stdout gets the report, stderr help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := program.NewFlags("design", stderr)
	out := flags.String("out", "", "write documents and templates into the directory `DIR`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, where, err := backend.Open(flags.Endpoint, memory.TrackHeat(1000))
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
