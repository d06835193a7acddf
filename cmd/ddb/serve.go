package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

type serveCommand struct {
	Addr       string   `default:"127.0.0.1:8000" placeholder:"HOST:PORT" help:"Where to listen (${default}). Port 0 takes a free one, which the log names."`
	StrictAuth bool     `help:"Refuse requests whose credentials do not have the form of AWS Signature Version 4."`
	Load       []string `sep:"none" placeholder:"[TABLE=]FILE" help:"Load a definition of tables, or items into TABLE, before serving; may be given several times."`

	storage `embed:"" group:"Storage:"`
	engine  `embed:"" group:"Engine:"`
	powers  `embed:"" group:"Trouble on purpose:"`
	logging `embed:"" group:"Log:"`
}

// Help is what ddb serve --help explains beyond the flags.
func (serveCommand) Help() string {
	return `
Clients need the address as their endpoint, a region, and any credentials:

    ddb serve
    export AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any
    aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
    aws dynamodbstreams list-streams --endpoint-url http://127.0.0.1:8000

Data is kept only with --dir, and then survives a kill:

    ddb serve --dir data

Tables and items to begin with come from files. A definition is the input of
create-table, or what describe-table prints; items are JSON lines as in table
exports, plain or gzip. Items go into the table that the file is named for, or
into the one that is given:

    aws dynamodb describe-table --table-name Orders >orders-table.json
    ddb serve --load orders-table.json --load Orders.jsonl.gz
    ddb serve --load orders-table.json --load Orders=today.jsonl

All files are loaded, or the program ends and nothing is. A table that is there
from an earlier start is left as it is, with its items.

The log on standard error names the address once it can be used. SIGINT and
SIGTERM stop the server when the requests under way are answered.
`
}

// Validate refuses flags that make no sense; kong calls it.
func (c *serveCommand) Validate() error {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fmt.Errorf("--addr %q is no HOST:PORT", c.Addr)
	}
	return errors.Join(c.storage.check(), c.engine.check(), c.powers.check())
}

// Run serves until ctx is done.
func (c *serveCommand) Run(ctx context.Context, std streams) (err error) {
	logger := c.logger(std.err)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	db, closeDB, err := c.openLoaded(ctx, logger, newProgress(std.err))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // stopped before it began
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, closeDB()) }()
	defer c.engine.expire(ctx, db, logger)()
	if c.Latency > 0 {
		db.Inject(memory.Delay(c.Latency))
	}
	return c.serve(ctx, listener, db, logger)
}

// openLoaded opens the DB and loads what is to be loaded, without the trouble that
// flags ask for: a DB that gives any is made of one that does not.
func (c *serveCommand) openLoaded(ctx context.Context, logger *slog.Logger, p *progress) (*memory.DB, func() error, error) {
	db, closeDB, err := c.open(logger, c.engine.options())
	if err != nil {
		return nil, nil, err
	}
	if err := load(ctx, db, c.Load, logger, p); err != nil {
		return nil, nil, errors.Join(err, closeDB())
	}
	if !c.Throttle && c.IndexLag == 0 && c.StaleReads == 0 {
		return db, closeDB, nil
	}
	options := append(c.engine.options(), c.powers.options()...)
	if c.Dir == nil {
		db, err = memory.Restore(func(yield func(memory.Change, error) bool) {
			db.Changes()(func(change memory.Change) bool { return yield(change, nil) })
		}, options...)
		return db, closeDB, err
	}
	if err := closeDB(); err != nil {
		return nil, nil, err
	}
	return c.open(logger, options)
}

// Times that a client may take, and that a stop waits for requests under way.
const (
	headerTime   = 10 * time.Second
	idleTime     = 2 * time.Minute
	shutdownTime = 10 * time.Second
)

func (c *serveCommand) serve(ctx context.Context, listener net.Listener, db *memory.DB, logger *slog.Logger) error {
	var options []wire.Option
	if c.StrictAuth {
		options = append(options, wire.StrictAuth())
	}
	server := &http.Server{
		Handler:           logged(wire.Handler(db, options...), logger),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	if addr, ok := listener.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		logger.Warn("the address can be reached from other machines, and any credentials are accepted", "addr", addr.String())
	}
	logger.Info("serving", "url", "http://"+listener.Addr().String())

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	logger.Info("stopping")
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("requests are still under way after %v", shutdownTime), server.Close())
	}
	return nil
}

// logged logs requests: those that the server failed to answer as errors, the
// others for who wants to look closely.
func logged(next http.Handler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		s := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(s, r)
		level := slog.LevelDebug
		if s.status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		logger.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.Path, "target", r.Header.Get("X-Amz-Target"),
			"status", s.status, "bytes", s.bytes, "took", time.Since(begun))
	})
}

// statusWriter remembers what was answered.
type statusWriter struct {
	http.ResponseWriter
	status, bytes int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}
