package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/aws/smithy-go"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/durable"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// commands is the command line.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve DynamoDB's protocol over HTTP."`
	Export  exportCommand  `cmd:"" help:"Write the items of a table as JSON lines."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// streams are where a command writes.
type streams struct{ out, err io.Writer }

// run carries out a command line and returns the exit status. Errors are one line
// on stderr. When ctx is done the command ends in good order.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fail := func(status int, err error) int {
		fmt.Fprintln(stderr, "ddb:", strings.ReplaceAll(err.Error(), "\n", "; ")) // joined errors have a line each
		return status
	}
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("ddb"),
		kong.Description("A DynamoDB in one process, for tests and for work on a laptop."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return fail(exitFailure, err)
	}
	command, err := parser.Parse(args)
	switch {
	case helped:
		return exitOK
	case err != nil:
		return fail(exitUsage, fmt.Errorf("%w; see ddb --help", err))
	}
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(streams{stdout, stderr}); err != nil {
		return fail(exitFailure, err)
	}
	return exitOK
}

// explain returns the text that the service gives an error, without the names and
// numbers that the SDK puts around it.
func explain(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorMessage()
	}
	return err.Error()
}

// storage are the flags that say where data is kept; nil is a flag not given.
type storage struct {
	Dir          *string        `placeholder:"PATH" help:"Keep the data in this directory, which is made if need be. Without it everything is forgotten."`
	Sync         string         `enum:"always,interval" default:"always" help:"When writes reach the disk: \"always\" before they are answered; \"interval\" every --sync-interval, which survives a kill of the process but not of the machine."`
	SyncInterval *time.Duration `placeholder:"TIME" help:"The interval of --sync interval (100ms)."`
}

// engine are the flags that set up the engine.
type engine struct {
	Region     string        `default:"us-east-1" placeholder:"NAME" help:"The region in ARNs (${default})."`
	Account    string        `default:"000000000000" placeholder:"DIGITS" help:"The account in ARNs (${default})."`
	Partitions int           `default:"16" placeholder:"N" help:"Into how many partitions tables and indexes are cut, and so how many open shards streams have (${default})."`
	Seed       uint64        `default:"1" placeholder:"N" help:"Where random identifiers begin (${default})."`
	Transition time.Duration `default:"0s" placeholder:"TIME" help:"How long tables and indexes stay CREATING, UPDATING or DELETING (${default})."`
	Expire     time.Duration `default:"1m" placeholder:"TIME" help:"How often items are removed whose time to live is over (${default}); 0s for never."`
}

func (e *engine) options() []memory.Option {
	return []memory.Option{
		memory.Region(e.Region), memory.Account(e.Account), memory.Partitions(e.Partitions), memory.Seed(e.Seed),
		memory.TransitionTime(e.Transition),
	}
}

// check refuses what the engine could not work with.
func (e *engine) check() error {
	switch {
	case e.Region == "":
		return errors.New("--region must not be empty")
	case !isAccount(e.Account):
		return errors.New("--account must have twelve digits")
	case e.Partitions < 1:
		return errors.New("--partitions must be at least 1")
	case e.Transition < 0:
		return errors.New("--transition must not be negative")
	case e.Expire < 0:
		return errors.New("--expire must not be negative")
	}
	return nil
}

// powers are the flags that make the engine as awkward as the service can be.
type powers struct {
	Throttle   bool          `help:"Refuse what exceeds the capacity of tables, indexes and partitions."`
	IndexLag   time.Duration `default:"0s" placeholder:"TIME" help:"How much later global secondary indexes follow (${default})."`
	StaleReads time.Duration `default:"0s" placeholder:"TIME" help:"How old what reads see may be that are not consistent (${default})."`
	Latency    time.Duration `default:"0s" placeholder:"TIME" help:"How long every call waits before it does anything (${default})."`
}

func (p *powers) check() error {
	if p.IndexLag < 0 || p.StaleReads < 0 || p.Latency < 0 {
		return errors.New("--index-lag, --stale-reads and --latency must not be negative")
	}
	return nil
}

func (p *powers) options() []memory.Option {
	options := []memory.Option{memory.IndexLag(p.IndexLag), memory.StaleReads(p.StaleReads)}
	if p.Throttle {
		options = append(options, memory.Throttling())
	}
	return options
}

func isAccount(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) == 12
}

// syncInterval is the interval of --sync interval unless a flag says otherwise.
const syncInterval = 100 * time.Millisecond

// check refuses flags that would have no effect, and the empty directory of a
// variable that is not set, without which nothing would be kept.
func (s *storage) check() error {
	switch {
	case s.Dir != nil && *s.Dir == "":
		return errors.New("--dir must not be empty; leave it out to forget everything at the end")
	case s.SyncInterval != nil && *s.SyncInterval <= 0:
		return errors.New("--sync-interval must be positive")
	case s.SyncInterval != nil && s.Sync != "interval":
		return errors.New("--sync-interval needs --sync interval")
	case s.Dir == nil && s.Sync != "always":
		return errors.New("--sync interval needs --dir")
	}
	return nil
}

// open opens the DB that the flags describe, and returns what closes it again.
func (s *storage) open(logger *slog.Logger, options []memory.Option) (*memory.DB, func() error, error) {
	if s.Dir == nil {
		return memory.New(options...), func() error { return nil }, nil
	}
	keep := []durable.Option{durable.Engine(options...), durable.Logger(logger)}
	if s.Sync == "interval" {
		every := syncInterval
		if s.SyncInterval != nil {
			every = *s.SyncInterval
		}
		keep = append(keep, durable.SyncEvery(every))
	}
	store, err := durable.Open(*s.Dir, keep...)
	if err != nil {
		return nil, nil, err
	}
	return store.DB(), store.Close, nil
}

// logging are the flags of the log.
type logging struct {
	LogLevel  string `enum:"debug,info,warn,error" default:"info" help:"The least level that is logged (${default}): ${enum}. Requests are logged at debug."`
	LogFormat string `enum:"text,json" default:"text" help:"The form of the log on standard error (${default}): ${enum}."`
}

func (l *logging) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.LogLevel)) // one of the levels that the flag allows
	options := &slog.HandlerOptions{Level: level}
	if l.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
