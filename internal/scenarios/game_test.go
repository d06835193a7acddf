package scenarios_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/patterns/cart"
	"github.com/seed530093c6/ddb/patterns/leaderboard"
)

// TestS14Cart: nothing is lost of ten additions at once, the total is that of the
// lines, and of ten check-outs one counts.
func TestS14Cart(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		carts, ctx := ddbtest.Open(t, w, cart.New), t.Context()
		line := func(product string, quantity int) cart.Line {
			return cart.Line{ProductID: product, Name: "纯棉T恤", Price: 99, Quantity: quantity}
		}
		together(t, 10, never, func(i int) error {
			_, err := carts.Add(ctx, "12345", line(fmt.Sprintf("P%03d", i%3), 1))
			return err
		})
		c := value[cart.Cart](t)(carts.Get(ctx, "12345"))
		equal(t, "quantities", []int{c.Quantity("P000"), c.Quantity("P001"), c.Quantity("P002")}, []int{4, 3, 3})
		equal(t, "total", c.Total, int64(10*99))
		w.stored(t, "AppTable", "USER#12345", "CART")

		ddbtest.Cost(t, w, func() {
			c = value[cart.Cart](t)(carts.SetQuantity(ctx, "12345", "P000", 1))
			equal(t, "total after a change", c.Total, int64(7*99))
		}).AtMost(2, 3, 1)
		c = value[cart.Cart](t)(carts.Remove(ctx, "12345", "P001"))
		equal(t, "total after a line less", c.Total, int64(4*99))
		ddbtest.Unchanged(t, w, func() {
			if _, err := carts.SetQuantity(ctx, "12345", "P000", -1); !errors.Is(err, cart.ErrQuantity) {
				t.Errorf("a negative quantity: got %v, want ErrQuantity", err)
			}
		})

		paid := together(t, 10, never, func(int) error {
			receipt, err := carts.CheckOut(ctx, "12345", "R1", nil)
			if err == nil && receipt.Total != 4*99 {
				t.Errorf("receipt of %d, want %d", receipt.Total, 4*99)
			}
			return err
		})
		equal(t, "check-outs that return the receipt", paid, 10)
		if _, err := carts.CheckOut(ctx, "12345", "R2", nil); !errors.Is(err, cart.ErrEmpty) {
			t.Errorf("a second check-out: got %v, want ErrEmpty", err)
		}
		must(t, carts.Clear(ctx, "12345"))
		equal(t, "items", len(ddbtest.ItemsOf(t, w, "AppTable")), 2) // the cart and one receipt
	})
}

func places(ranked []leaderboard.Ranked) []string {
	var out []string
	for _, r := range ranked {
		out = append(out, fmt.Sprintf("%d %s %d", r.Rank, r.Player, r.Score))
	}
	return out
}

// TestS15Leaderboard: one entry for each player, ties share a rank, 100,000 is
// before 99,999; the same on a board that is spread over ten partitions.
func TestS15Leaderboard(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		for _, kind := range []struct {
			name     string
			table    string
			define   func(*ddb.Table) *leaderboard.Boards
			requests int // for the top
		}{{"one partition", "Games", leaderboard.New, 1}, {"ten partitions", "HotGames", leaderboard.NewHot, 10}} {
			table := ddb.NewTable(kind.table, w)
			boards, ctx := kind.define(table), t.Context()
			ddbtest.Create(t, w, table)
			for player, score := range map[string]int64{"ann": 99_999, "bob": 100_000, "cid": 40, "dan": 40, "eve": -3, "12345": 7} {
				value[leaderboard.Entry](t)(boards.Set(ctx, "GAME001", player, score))
			}
			together(t, 10, never, func(int) error {
				_, err := boards.Add(ctx, "GAME001", "12345", 1)
				return err
			})
			b := ddbtest.Cost(t, w, func() {
				top := value[[]leaderboard.Ranked](t)(boards.Top(ctx, "GAME001", 10))
				equal(t, kind.name+": the top", places(top),
					[]string{"1 bob 100000", "2 ann 99999", "3 dan 40", "3 cid 40", "5 12345 17", "6 eve -3"})
			})
			b.NoScan().AtMost(kind.requests, 0.5*float64(kind.requests), 6)
			rank := value[leaderboard.Ranked](t)(boards.Rank(ctx, "GAME001", "cid"))
			equal(t, kind.name+": the rank of cid", rank.Rank, 3)
			around := value[[]leaderboard.Ranked](t)(boards.Around(ctx, "GAME001", "12345", 1))
			equal(t, kind.name+": around 12345", places(around), []string{"3 cid 40", "5 12345 17", "6 eve -3"})
			if _, err := boards.Rank(ctx, "GAME001", "nobody"); !errors.Is(err, leaderboard.ErrNoPlayer) {
				t.Errorf("%s: no player: got %v, want ErrNoPlayer", kind.name, err)
			}
		}
	})
}
