package docs_test

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestKeysCode promises that all code of keys.md stands in this file.
func TestKeysCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "keys.md", 5, "keys_test.go")
}

type Track struct {
	_ ddb.Entity `name:"Track" pk:"ARTIST#{Artist}" sk:"TRACK#{Album}#{Number:03}"`
	_ ddb.Index  `name:"ByGenre" pk:"{Genre},{Label}" sk:"{Year},{Title}"` // a key of four attributes
	_ ddb.Index  `name:"ByTitle" sk:"{Title:lower}"`                       // a local index

	Artist, Album, Title string
	Number               int
	Genre                string `dynamodbav:",omitempty"` // without one the track is not in ByGenre
	Label                string
	Year                 int
	Version              int `ddb:"version"`
}

// TestIndexKinds runs what the guide says of indexes.
func TestIndexKinds(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := ddb.NewTable("Music", db,
		ddb.GSI("ByGenre", "Genre,Label", "Year,Title", ddb.Include("Artist")),
		ddb.LSI("ByTitle", "TitleSK", ddb.KeysOnly()),
	)
	tracks := ddb.Define[Track](table)
	create(t, db, table)
	for i, v := range []Track{
		{Title: "Bohemian Rhapsody", Year: 1975, Genre: "rock"},
		{Title: "Bicycle Race", Year: 1978, Genre: "rock"},
		{Title: "Liar", Year: 1969, Genre: "rock"},
		{Title: "Untold", Year: 1980},
	} {
		v.Artist, v.Album, v.Label, v.Number = "Queen", "all", "EMI", i
		must(t, tracks.Create(&v).Run(t.Context()))
	}
	rock := tracks.Query(Track{Genre: "rock", Label: "EMI"}).Index("ByGenre").From(Track{Year: 1970})
	byTitle := tracks.Query(Track{Artist: "Queen"}).Index("ByTitle").StartsWith(Track{Title: "b"}).Consistent()
	title := func(v Track) string { return v.Title }
	equal(t, "by genre", all(t, rock, title), []string{"Bohemian Rhapsody", "Bicycle Race"})
	equal(t, "by title", all(t, byTitle.Hydrate(), title), []string{"Bicycle Race", "Bohemian Rhapsody"})
}

type Person struct {
	_ ddb.Entity `name:"Person" pk:"{PersonID}"`

	PersonID int
	Name     string
}

type Blob struct {
	_ ddb.Entity `name:"Blob" pk:"{Bucket}" sk:"{Digest}"`

	Bucket string
	Digest []byte
}

// TestKeysThatAreAttributes runs what the guide says of keys without a template.
func TestKeysThatAreAttributes(t *testing.T) {
	t.Parallel()
	db := memory.New()
	people := ddb.Define[Person](ddb.NewTable("People", db, ddb.Keys("PersonID", "")))
	item, err := people.Item(&Person{PersonID: 7, Name: "Ann"})
	must(t, err)
	equal(t, "number", item["PersonID"].(*types.AttributeValueMemberN).Value, "7")
	blobs := ddb.Define[Blob](ddb.NewTable("Blobs", db, ddb.Keys("Bucket", "Digest")))
	item, err = blobs.Item(&Blob{Bucket: "b", Digest: []byte{1, 2}})
	must(t, err)
	equal(t, "binary", item["Digest"].(*types.AttributeValueMemberB).Value, []byte{1, 2})
}

// Sample has a field for each kind of part, and an index for each format.
type Sample struct {
	_ ddb.Entity `pk:"{Name}" sk:"SAMPLE"`
	_ ddb.Index  `name:"F01" pk:"{Name:lower}"`
	_ ddb.Index  `name:"F02" pk:"{Name:upper}"`
	_ ddb.Index  `name:"F03" pk:"{Seq:06}"`
	_ ddb.Index  `name:"F04" pk:"{Delta:+06}"`
	_ ddb.Index  `name:"F05" pk:"{Seq:desc:06}"`
	_ ddb.Index  `name:"F06" pk:"{Delta:desc:+06}"`
	_ ddb.Index  `name:"F07" pk:"{Seq:plain}"`
	_ ddb.Index  `name:"F08" pk:"{On}"`
	_ ddb.Index  `name:"F09" pk:"{At}"`
	_ ddb.Index  `name:"F10" pk:"{At:2006-01-02}"`
	_ ddb.Index  `name:"F11" pk:"{At:desc}"`
	_ ddb.Index  `name:"F12" pk:"{At:desc:2006-01-02}"`

	Name       string
	Seq, Delta int
	On         bool
	At         time.Time
}

// formatRow is a row of the table of formats.
var formatRow = regexp.MustCompile("(?m)^\\| `(\\{[^`]*\\})` \\| .* \\| `([^`]+)` \\|$")

// TestKeyFormats holds the table of formats against what the package writes.
func TestKeyFormats(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("keys.md")
	must(t, err)
	var said [][2]string
	for _, row := range formatRow.FindAllStringSubmatch(string(guide), -1) {
		said = append(said, [2]string{row[1], row[2]})
	}
	table := ddb.NewTable("Samples", memory.New())
	samples := ddb.Define[Sample](table)
	at := time.Date(2024, 5, 1, 12, 30, 0, 0, time.FixedZone("UTC+2", 2*60*60))
	item, err := samples.Item(&Sample{Name: "Ann", Seq: 42, Delta: -42, On: true, At: at})
	must(t, err)
	described, err := table.Schema()
	must(t, err)
	var made [][2]string
	for _, key := range described.Entities[0].Keys {
		pk := key.Partition[0]
		made = append(made, [2]string{pk.Source, item[pk.Attribute].(*types.AttributeValueMemberS).Value})
	}
	byFormat := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(said, byFormat)
	slices.SortFunc(made, byFormat)
	equal(t, "formats", said, made)
}
