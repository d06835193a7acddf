// Command social keeps a small social network in one table: members whose addresses
// are unique, who follows whom with exact counts, comments in stable pages, replies,
// and texts that are taken away. It shows what each costs.
//
//	go run ./examples/social                    the embedded engine
//	go run ./examples/social --endpoint http://localhost:8000
//
// With --endpoint it runs against any DynamoDB endpoint; region and credentials
// are taken from AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN. The table Social is created if it does not exist. Each run
// comments on a new post; members and relations begin anew.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"

	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/program"
	"github.com/seed530093c6/ddb/memory"
)

func main() { os.Exit(program.Main(context.Background(), "social", run)) }

// run is the whole program: stdout gets the answers, stderr help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := program.NewFlags("social", stderr)
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, where, err := backend.Open(flags.Endpoint, memory.Clock(now))
	if err != nil {
		return err
	}
	s := newSocial(db, "POST-"+rand.Text())
	if err := backend.CreateTable(ctx, db, s.table); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: table %s\n", where, s.table.Name())
	return s.show(ctx, stdout)
}
