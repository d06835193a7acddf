package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/export"
)

//go:generate sh -c "go run ./generate > data/shop.jsonl"

//go:embed data/shop.jsonl
var builtin []byte

type item = map[string]types.AttributeValue

// read reads and checks all items before any is written, so that a bad line
// leaves nothing half loaded.
func read(paths []string, table *ddb.Table) ([]item, error) {
	sources := []iter.Seq2[export.Line, error]{export.Read("data/shop.jsonl", bytes.NewReader(builtin))}
	if len(paths) > 0 {
		sources = sources[:0]
		for _, path := range paths {
			sources = append(sources, export.ReadFile(path))
		}
	}
	var items []item
	for _, lines := range sources {
		for line, err := range lines {
			if err != nil {
				return nil, err
			}
			if err := table.Verify(line.Item); err != nil {
				return nil, line.Fail(err)
			}
			items = append(items, line.Item)
		}
	}
	return items, nil
}

const (
	perCall  = 25 // puts that a BatchWriteItem takes
	inFlight = 4  // calls at once
)

// write puts the items in batches, some at once. Of two items with one key the
// later stays. The first error stops the rest.
func write(ctx context.Context, db backend.DB, items []item, p *progress) error {
	items = lastOfEach(items)
	var done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(inFlight)
	for batch := range slices.Chunk(items, perCall) {
		g.Go(func() error {
			if err := writeBatch(ctx, db, batch); err != nil {
				return err
			}
			p.show(done.Add(int64(len(batch))), len(items))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("load: at least %d of %d items were written: %w", done.Load(), len(items), err)
	}
	p.done(len(items))
	return nil
}

func lastOfEach(items []item) []item {
	at := make(map[string]int, len(items))
	out := items[:0:0]
	for _, it := range items {
		key := it["PK"].(*types.AttributeValueMemberS).Value + "\x00" + it["SK"].(*types.AttributeValueMemberS).Value
		if i, ok := at[key]; ok {
			out[i] = it
			continue
		}
		at[key] = len(out)
		out = append(out, it)
	}
	return out
}

// claim gives the users' e-mail addresses to those who have them: items written
// by batches have no markers yet.
func claim(ctx context.Context, shop schema.Shop, items []item) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(inFlight)
	for _, it := range lastOfEach(items) {
		u, err := shop.Users.Decode(it)
		if errors.Is(err, ddb.ErrEntityType) {
			continue // an order, an address, a product
		}
		if err != nil {
			return err
		}
		g.Go(func() error { return shop.Users.ClaimUnique(ctx, u) })
	}
	return g.Wait()
}

// writeBatch writes one batch and what the service leaves of it, with growing
// pauses.
func writeBatch(ctx context.Context, db backend.DB, batch []item) error {
	puts := make([]types.WriteRequest, len(batch))
	for i, it := range batch {
		puts[i].PutRequest = &types.PutRequest{Item: it}
	}
	left := map[string][]types.WriteRequest{schema.TableName: puts}
	for pause := 50 * time.Millisecond; len(left) > 0; pause = min(2*pause, 5*time.Second) {
		out, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: left})
		if err != nil {
			return err
		}
		if left = out.UnprocessedItems; len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil
}

// progress shows how far the loading is, on a terminal only. It is safe for
// concurrent use.
type progress struct {
	mu sync.Mutex // guards w
	w  io.Writer  // nil for none
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return &progress{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{w: w}
}

func (p *progress) show(n int64, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil {
		fmt.Fprintf(p.w, "\rloading: %d of %d items", n, of)
	}
}

func (p *progress) done(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil {
		fmt.Fprintf(p.w, "\rloaded %d items            \n", n)
	}
}
