// Command shop answers the access patterns of a web shop from one table and
// shows what each costs.
//
//	go run ./examples/shop                          the embedded engine, built-in data
//	go run ./examples/shop --load items.json.gz     other data, as a table export has it
//	go run ./examples/shop --endpoint http://localhost:8000
//
// With --endpoint it runs against any DynamoDB endpoint; region and credentials
// are taken from AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN. The table AppTable is created if it does not exist.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/examples/internal/program"
	"github.com/seed530093c6/ddb/examples/shop/schema"
)

func main() { os.Exit(program.Main(context.Background(), "shop", run)) }

// files are the values of a flag that can be given several times.
type files []string

func (f *files) String() string     { return fmt.Sprint(*f) }
func (f *files) Set(s string) error { *f = append(*f, s); return nil }

// run is the whole program: stdout gets the answers, stderr progress and help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var load files
	flags := program.NewFlags("shop", stderr)
	flags.Var(&load, "load", "load items from `FILE`, one a line as in a table export, plain or gzip, in place of the built-in data (repeatable)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, where, err := backend.Open(flags.Endpoint)
	if err != nil {
		return err
	}
	m := new(meter.Meter)
	shop := schema.New(db, ddb.Observe(m.Observe))
	if err := shop.Table.Err(); err != nil {
		return err
	}
	items, err := read(load, shop.Table)
	if err != nil {
		return err
	}
	if err := backend.CreateTable(ctx, db, shop.Table); err != nil {
		return err
	}
	if err := write(ctx, db, items, newProgress(stderr)); err != nil {
		return err
	}
	if err := claim(ctx, shop, items); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d items in table %s\n", where, len(items), shop.Table.Name())
	return show(ctx, shop, m, stdout)
}
