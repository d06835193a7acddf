package docs_test

import (
	"fmt"
	"io"
	stdlog "log"
	"strconv"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestShardingCode promises that all code of sharding.md stands in its tests.
func TestShardingCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "sharding.md", 7, "sharding_test.go")
}

type Click struct {
	_ ddb.Entity `name:"Click" pk:"DATE#{At:2006-01-02}#{shard:10}" sk:"{At}#{ID}"`
	_ ddb.Index  `name:"ByUser" pk:"USERS#{At:2006-01-02}#{shard:4,by=UserID}" sk:"{UserID}#{At}"`

	At         time.Time
	ID, UserID string
}

// TestShardsRead runs what the guide says of reading shards.
func TestShardsRead(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Clicks", db)
	clicks := ddb.Define[Click](table)
	create(t, db, table)
	today, cursor, ctx := at("2024-01-01T00:00:00Z"), "", t.Context()
	for i := range 24 {
		must(t, clicks.Create(&Click{At: today.Add(time.Duration(i) * time.Hour), ID: strconv.Itoa(i), UserID: fmt.Sprint("u", i%3)}).Run(ctx))
	}
	q := clicks.Query(Click{At: today}).From(Click{At: today.Add(10 * time.Hour)}).Desc().Limit(3)
	page, err := q.Page(ctx, cursor)
	must(t, err)
	equal(t, "latest", []string{page.Items[0].ID, page.Items[1].ID, page.Items[2].ID}, []string{"23", "22", "21"})
	equal(t, "requests", page.Requests >= 10, true)
	mine := clicks.Query(Click{At: today, UserID: "u1"}).Index("ByUser")
	equal(t, "mine", len(all(t, mine, func(c Click) string { return c.ID })), 8)
	only, err := mine.Page(ctx, "")
	must(t, err)
	equal(t, "requests of one shard", only.Requests, 1)
}

// TestBuckets runs what the guide says of buckets.
func TestBuckets(t *testing.T) {
	t.Parallel()
	type Sample struct {
		_ ddb.Entity `name:"Sample" pk:"DEVICE#{Device}#{At:2006-01}" sk:"{At}"`

		Device string
		At     time.Time
		Value  int
	}
	db := memory.New()
	table := ddb.NewTable("Samples", db)
	samples := ddb.Define[Sample](table)
	create(t, db, table)
	now, ctx := at("2024-02-01T00:20:00Z"), t.Context()
	for i := range 9 {
		must(t, samples.Create(&Sample{Device: "SENSOR001", At: now.Add(-time.Duration(i) * 15 * time.Minute), Value: i}).Run(ctx))
	}
	lastHour := samples.Query(Sample{Device: "SENSOR001"}).Between(Sample{At: now.Add(-time.Hour)}, Sample{At: now})
	equal(t, "last hour", all(t, lastHour, func(s Sample) string { return strconv.Itoa(s.Value) }), []string{"4", "3", "2", "1", "0"})
	now = at("2024-05-01T00:00:00Z")
	latest, err := samples.Query(Sample{Device: "SENSOR001"}).Until(Sample{At: now}).Desc().MaxBuckets(12).First(ctx)
	must(t, err)
	equal(t, "latest", latest.Value, 0)
}

type Post struct {
	_ ddb.Entity `name:"Post" pk:"TOPIC#{Topic}#{shard:20,also=10}" sk:"{ID}"`

	Topic, ID string
	Likes     int
}

// TestShardsGrow runs what the guide says of more shards.
func TestShardsGrow(t *testing.T) {
	t.Parallel()
	type Former struct {
		_ ddb.Entity `name:"Post" pk:"TOPIC#{Topic}#{shard:10}" sk:"{ID}"`

		Topic, ID string
		Likes     int
	}
	db := memory.New()
	table := ddb.NewTable("Posts", db)
	posts, former := ddb.Define[Post](table), ddb.Define[Former](ddb.NewTable("Posts", db))
	create(t, db, table)
	ctx, log := t.Context(), stdlog.New(io.Discard, "", 0)
	for i := range 20 {
		must(t, former.Create(&Former{Topic: "t", ID: strconv.Itoa(i)}).Run(ctx))
	}
	likes := ddb.Field(posts, func(p *Post) *int { return &p.Likes })
	_, err := posts.Update(Post{Topic: "t", ID: "3"}).Set(likes.Add(1)).Run(ctx)
	must(t, err)
	done, err := posts.Reshard().Progress(func(r ddb.Resharded) { log.Println(r.Moved, r.Next) }).Run(ctx)
	if err != nil {
		log.Println("go on with From", done.Next)
	}
	must(t, err)
	equal(t, "moved some", done.Moved > 5, true)
	n, err := posts.Query(Post{Topic: "t"}).Count(ctx)
	must(t, err)
	equal(t, "posts", n, 20)
	post, err := posts.Get(Post{Topic: "t", ID: "3"}).Run(ctx)
	must(t, err)
	equal(t, "likes", post.Likes, 1)
}
