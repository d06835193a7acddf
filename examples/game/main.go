// Command game keeps the scores of a game in one table: a league with ties, ranks,
// pages and neighbours, and a world-wide board that takes more writes than one
// partition key does. It shows what each costs.
//
//	go run ./examples/game                      the embedded engine
//	go run ./examples/game --endpoint http://localhost:8000
//
// With --endpoint it runs against any DynamoDB endpoint; region and credentials
// are taken from AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN. The table Game is created if it does not exist. Each run begins
// both boards anew.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/program"
)

func main() { os.Exit(program.Main(context.Background(), "game", run)) }

// run is the whole program: stdout gets the answers, stderr help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := program.NewFlags("game", stderr)
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, where, err := backend.Open(flags.Endpoint)
	if err != nil {
		return err
	}
	g := newGame(db)
	if err := backend.CreateTable(ctx, db, g.table); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: table %s\n", where, g.table.Name())
	return g.show(ctx, stdout)
}
