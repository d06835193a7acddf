// Command telemetry keeps what sensors measure in one table: the latest reading,
// ranges over the end of a month, pages either way, a device that is too hot for
// one partition key, and readings that expire and are told of by the table's stream.
// It shows what each costs.
//
//	go run ./examples/telemetry                 the embedded engine
//	go run ./examples/telemetry --endpoint http://localhost:8000
//
// With --endpoint it runs against any DynamoDB endpoint; region and credentials
// are taken from AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN. The table Telemetry is created if it does not exist.
//
// Its time is that of a story, also at an endpoint. When what has expired is
// removed, though, is the business of the endpoint.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/program"
	"github.com/seed530093c6/ddb/memory"
)

func main() { os.Exit(program.Main(context.Background(), "telemetry", run)) }

// run is the whole program: stdout gets the answers, stderr help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := program.NewFlags("telemetry", stderr)
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := &clock{now: start}
	db, where, err := backend.Open(flags.Endpoint, memory.Clock(c.Now))
	if err != nil {
		return err
	}
	t := newTelemetry(db, c)
	if engine, ok := db.(*memory.DB); ok {
		t.sweep = engine.Expire
	}
	if err := backend.CreateTable(ctx, db, t.table, backend.WithStream); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: table %s, %s\n", where, t.table.Name(), c.Now().Format(minutes))
	return t.show(ctx, stdout)
}
