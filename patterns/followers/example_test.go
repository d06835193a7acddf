package followers_test

import (
	"context"
	"fmt"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/followers"
)

// Users follow each other, once however often they say so.
func Example() {
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	graph := followers.New(table)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	for _, pair := range [][2]string{{"12345", "67890"}, {"12345", "67890"}, {"67890", "12345"}, {"11111", "12345"}} {
		isNew, err := graph.Follow(ctx, pair[0], pair[1])
		check(err)
		fmt.Println(pair[0], "follows", pair[1], isNew)
	}
	counts, err := graph.Counts(ctx, "12345")
	check(err)
	mutual, err := graph.Mutual(ctx, "12345", "67890")
	check(err)
	fmt.Println(counts.Followers, "followers,", counts.Following, "followed, mutual:", mutual)
	for f, err := range graph.Followers("12345").Desc().All(ctx) {
		check(err)
		fmt.Println(f.Follower)
	}
	// Output:
	// 12345 follows 67890 true
	// 12345 follows 67890 false
	// 67890 follows 12345 true
	// 11111 follows 12345 true
	// 2 followers, 1 followed, mutual: true
	// 67890
	// 11111
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
