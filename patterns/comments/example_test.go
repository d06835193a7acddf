package comments_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/patterns/comments"
)

// Two comments, a reply, and the newest comment first.
func Example() {
	ctx := context.Background()
	now := time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC)
	db := memory.New()
	table := ddb.NewTable("AppTable", db, ddb.Clock(func() time.Time { return now }))
	board := comments.New(table)
	in, err := table.CreateTableInput()
	check(err)
	_, err = db.CreateTable(ctx, in)
	check(err)

	question := comments.Comment{PostID: "POST001", Body: comments.Body{Author: "Ann", Text: "Does it scale?"}}
	check(board.Post(ctx, &question))
	now = now.Add(time.Minute)
	check(board.Reply(ctx, question, &comments.Reply{Body: comments.Body{Author: "Bob", Text: "So far."}}))
	now = now.Add(time.Minute)
	rude := comments.Comment{PostID: "POST001", Body: comments.Body{Author: "Eve", Text: "!!!"}}
	check(board.Post(ctx, &rude))
	check(board.Delete(ctx, rude))

	page, err := board.Comments("POST001").Desc().Limit(10).Page(ctx, "")
	check(err)
	for _, c := range page.Items {
		if !c.Deleted.IsZero() {
			fmt.Println(c.At.Format(time.TimeOnly), "(deleted)")
			continue
		}
		fmt.Println(c.At.Format(time.TimeOnly), c.Author+":", c.Text)
		for r, err := range board.Replies(c).All(ctx) {
			check(err)
			fmt.Println("  ", r.Author+":", r.Text)
		}
	}
	// Output:
	// 10:02:00 (deleted)
	// 10:00:00 Ann: Does it scale?
	//    Bob: So far.
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
