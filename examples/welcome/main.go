// Command welcome sends every new customer who has an e-mail address one message,
// told by the stream of the table: once, also when records come twice and when it
// is killed half-way. Customers that are changed or removed get none.
//
//	go run ./examples/welcome                   the embedded engine, messages on the screen
//	go run ./examples/welcome --out letters     messages into a file
//	go run ./examples/welcome --endpoint http://localhost:8000 --follow
//
// With --endpoint it runs against any DynamoDB endpoint; region and credentials
// are taken from AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN. The table Customers is created if it does not exist.
//
// How it gets to once: the message is made in the transaction that claims the
// event, sent to a file that can tell which messages it has, and marked as sent.
// After a kill the record comes again, and what was not done is done.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/internal/program"
	"github.com/seed530093c6/ddb/memory"
)

func main() {
	os.Exit(program.Main(context.Background(), "welcome", func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		return run(ctx, args, stdout, stderr, func(string) {})
	}))
}

// start is the time on the embedded engine, whose output is always the same.
var start = time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC)

// run is the whole program; at is told of each step.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, at func(step string)) (err error) {
	flags := program.NewFlags("welcome", stderr)
	out := flags.String("out", "", "append messages to `FILE`, each once, in place of showing them")
	sample := flags.Bool("sample", true, "write some customers first, unless they are there")
	follow := flags.Bool("follow", false, "go on until interrupted, in place of ending when there is nothing more")
	if err := flags.Parse(args); err != nil {
		return err
	}
	clock := time.Now
	if flags.Endpoint == "" {
		clock = func() time.Time { return start }
	}
	db, where, err := backend.Open(flags.Endpoint, memory.Clock(clock), memory.Partitions(1))
	if err != nil {
		return err
	}
	w := &welcome{schema: newSchema(db, clock), out: screen{stdout}, at: at}
	if *out != "" {
		letters, err := openLetterbox(*out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, letters.Close()) }()
		w.out = letters
	}
	if err := backend.CreateTable(ctx, db, w.table, backend.WithStream); err != nil {
		return err
	}
	if *sample {
		if err := w.writeSample(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "%s: table %s\n", where, w.table.Name())
	op := w.handlers().Follow(backend.Streams(db))
	if *follow {
		if err := op.Checkpoints(w).Run(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
	return w.catchUp(ctx, op, stdout)
}

// catchUp handles what there is, and then all of it once more, as if positions had
// been lost.
func (w *welcome) catchUp(ctx context.Context, op ddb.FollowOp, stdout io.Writer) error {
	if err := op.Checkpoints(w).CatchUp(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d changes of customers, %d messages\n", w.changes, w.messages)
	w.changes, w.messages = 0, 0
	if err := op.CatchUp(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "the stream from its beginning: %d changes of customers, %d messages\n", w.changes, w.messages)
	return nil
}
