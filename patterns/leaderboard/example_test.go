package leaderboard_test

import (
	"context"
	"fmt"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/leaderboard"
)

// The top of a board, with a tie, and the neighbours of a player.
func Example() {
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	boards := leaderboard.New(table)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	for player, score := range map[string]int64{"Ann": 99999, "Bob": 100000, "Cyd": 99999, "Dan": -5, "Eve": 40} {
		_, err := boards.Set(ctx, "GAME001", player, score)
		check(err)
	}
	_, err = boards.Raise(ctx, "GAME001", "Bob", 500) // less than he has
	check(err)
	_, err = boards.Add(ctx, "GAME001", "Dan", 10)
	check(err)

	top, err := boards.Top(ctx, "GAME001", 3)
	check(err)
	for _, e := range top {
		fmt.Println(e.Rank, e.Player, e.Score)
	}
	around, err := boards.Around(ctx, "GAME001", "Eve", 1)
	check(err)
	fmt.Println("around Eve:")
	for _, e := range around {
		fmt.Println(e.Rank, e.Player, e.Score)
	}
	// Output:
	// 1 Bob 100000
	// 2 Cyd 99999
	// 2 Ann 99999
	// around Eve:
	// 2 Ann 99999
	// 4 Eve 40
	// 5 Dan 5
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
