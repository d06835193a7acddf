// Command ddb runs the engine of package memory as a server that speaks DynamoDB's
// protocol, for any SDK, the AWS CLI and admin tools.
//
//	ddb serve                        an empty DynamoDB at 127.0.0.1:8000
//	ddb serve --dir data             one that keeps its data in a directory
//	ddb export Orders --dir data     the items of a table, one JSON object a line
//
// ddb COMMAND --help explains each command with examples. The exit status is 0 if
// all went well, 1 after a failure and 2 if the command line makes no sense.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
