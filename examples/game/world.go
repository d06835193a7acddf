package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/meter"
)

// crowd is how many players the world has.
const crowd = 200

// citizen is the name of a player of the world.
func citizen(n int) string { return fmt.Sprintf("P%03d", n) }

func (g *game) fillWorld(ctx context.Context, r meter.Rows) error {
	g.writes.reset()
	for n := range crowd {
		if _, err := g.hot.Set(ctx, world, citizen(n), int64(n*7907%1000)); err != nil {
			return err
		}
	}
	keys, least, most := g.writes.spread()
	r.Print("entries under %d partition keys, %d to %d each", keys, least, most)
	return nil
}

func (g *game) topWorld(ctx context.Context, r meter.Rows) error {
	top, err := g.hot.Top(ctx, world, 3)
	printRanked(r, top)
	return err
}

func (g *game) rankWorld(ctx context.Context, r meter.Rows) error {
	around, err := g.hot.Around(ctx, world, citizen(10), 1)
	printRanked(r, around)
	return err
}

// writes counts the entries that are written by their partition key, which is what
// a partition takes.
type writes struct {
	mu sync.Mutex // guards by
	by map[string]int
}

func (w *writes) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.by = make(map[string]int)
}

// observe notes a call, for ddb.Observe.
func (w *writes) observe(_ context.Context, c ddb.Call) {
	in, ok := c.Input.(*dynamodb.TransactWriteItemsInput)
	if !ok || c.Err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, action := range in.TransactItems {
		if put := action.Put; put != nil && strings.HasPrefix(text(put.Item["SK"]), "SCORE#") {
			w.by[text(put.Item["PK"])]++
		}
	}
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// spread returns how many partition keys were written to, and the least and the
// most often that one of them was.
func (w *writes) spread() (keys, least, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.by {
		if least == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return len(w.by), least, most
}
