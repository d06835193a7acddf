package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/export"
	"github.com/seed530093c6/ddb/memory/durable"
)

type exportCommand struct {
	Table    string `arg:"" help:"The table to export."`
	Dir      string `placeholder:"PATH" xor:"from" help:"Read the data in this directory, which no server may have open."`
	Endpoint string `placeholder:"URL" xor:"from" help:"Read from the server at this address, such as http://127.0.0.1:8000."`
	Out      string `placeholder:"FILE" help:"Write to this file instead of standard output, compressed if the name ends in .gz."`
}

// Help is what ddb export --help explains beyond the flags.
func (exportCommand) Help() string {
	return `
Items come as JSON lines, in the form of table exports, which ddb serve --load
reads again:

    ddb export Orders --dir data >Orders.jsonl
    ddb export Orders --endpoint http://127.0.0.1:8000 --out Orders.jsonl.gz

Credentials and region for --endpoint are those of AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION, or made up. A file is
there in full or not at all.
`
}

// Validate demands one place to read from; kong calls it.
func (c *exportCommand) Validate() error {
	switch {
	case c.Dir == "" && c.Endpoint == "":
		return errors.New("say where the table is, with --dir or --endpoint")
	case c.Endpoint == "":
		return nil
	}
	if u, err := url.Parse(c.Endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--endpoint %q is no URL such as http://127.0.0.1:8000", c.Endpoint)
	}
	return nil
}

// Run writes the items.
func (c *exportCommand) Run(ctx context.Context, std streams) (err error) {
	from := dynamodb.ScanAPIClient(c.client())
	if c.Dir != "" {
		store, err := durable.Open(c.Dir, durable.MustExist())
		switch {
		case errors.Is(err, durable.ErrLocked):
			return fmt.Errorf("%w; export from its server with --endpoint", err)
		case err != nil:
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		from = store.DB()
	}
	if c.Out == "" {
		_, err := c.write(ctx, from, std.out, &progress{})
		return err
	}
	p := newProgress(std.err)
	n, err := c.writeFile(ctx, from, p)
	p.clear()
	if err != nil {
		return err
	}
	slog.New(slog.NewTextHandler(std.err, nil)).Info("items exported", "table", c.Table, "file", c.Out, "items", n)
	return nil
}

func (c *exportCommand) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(c.Endpoint),
		Region:       variable("AWS_REGION", "us-east-1"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID:     variable("AWS_ACCESS_KEY_ID", "local"),
				SecretAccessKey: variable("AWS_SECRET_ACCESS_KEY", "local"),
				SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
			}, nil
		}),
	})
}

func variable(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// write writes all items and returns their number.
func (c *exportCommand) write(ctx context.Context, from dynamodb.ScanAPIClient, w io.Writer, p *progress) (int, error) {
	buffered := bufio.NewWriter(w)
	items, n := export.NewWriter(buffered), 0
	pages := dynamodb.NewScanPaginator(from, &dynamodb.ScanInput{TableName: aws.String(c.Table), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, fmt.Errorf("export table %s: %s", c.Table, explain(err))
		}
		for _, item := range page.Items {
			if err := items.Write(item); err != nil {
				return n, err
			}
		}
		n += len(page.Items)
		p.show("%s: %d items", c.Table, n)
	}
	return n, buffered.Flush()
}

// writeFile writes beside the file first and puts the result in its place.
func (c *exportCommand) writeFile(ctx context.Context, from dynamodb.ScanAPIClient, p *progress) (int, error) {
	partial := c.Out + ".partial"
	f, err := os.Create(partial)
	if err != nil {
		return 0, err
	}
	n, err := c.fill(ctx, from, f, p)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(partial, c.Out)
	}
	if err != nil {
		return n, errors.Join(err, os.Remove(partial))
	}
	return n, nil
}

// fill writes all items into a file, compressed if its name says so.
func (c *exportCommand) fill(ctx context.Context, from dynamodb.ScanAPIClient, f *os.File, p *progress) (int, error) {
	if !strings.HasSuffix(c.Out, ".gz") {
		return c.write(ctx, from, f, p)
	}
	z := gzip.NewWriter(f)
	n, err := c.write(ctx, from, z, p)
	return n, errors.Join(err, z.Close())
}
