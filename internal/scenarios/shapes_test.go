package scenarios_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
)

// people is a table whose simple key is a number.
func (w world) people(t *testing.T) *ddb.Definition[Person] {
	t.Helper()
	table := ddb.NewTable("People", w, ddb.Keys("PersonID", ""), ddb.GSI("PhoneIndex", "Phone", ""))
	people := ddb.Define[Person](table)
	ddbtest.Create(t, w, table)
	return people
}

// TestS18SparseIndex: only who has a phone is in the index of phones, and who
// gives it up leaves it.
func TestS18SparseIndex(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		people, ctx := w.people(t), t.Context()
		ddbtest.Seed(t, people, Person{PersonID: 1, FirstName: "三", LastName: "张", Phone: "13800138000"}, Person{PersonID: 2, FirstName: "Ann"}, Person{PersonID: 3, Phone: "13900139000"})
		name := func(p Person) string { return p.LastName + p.FirstName }
		byPhone := people.Query(Person{Phone: "13800138000"}).Index("PhoneIndex")
		ddbtest.Cost(t, w, func() { equal(t, "by phone", all(t, byPhone, name), []string{"张三"}) }).Exactly(1, 0.5, 1)
		entries := func() int { return value[int](t)(people.Scan().Index("PhoneIndex").Count(ctx)) }
		equal(t, "entries of three people", entries(), 2)

		phone := ddb.Field(people, func(p *Person) *string { return &p.Phone })
		value[Person](t)(people.Update(Person{PersonID: 1}).Set(phone.Remove()).Run(ctx))
		value[Person](t)(people.Modify(ctx, Person{PersonID: 3}, func(p *Person) error {
			p.Phone = "" // which the index must not hold as a key
			return nil
		}))
		equal(t, "entries without phones", entries(), 0)
		value[Person](t)(people.Update(Person{PersonID: 2}).Set(phone.To("13800138000")).Run(ctx))
		equal(t, "the phone's next owner", all(t, byPhone, name), []string{"Ann"})
		if _, err := people.Query(Person{}).Index("PhoneIndex").First(ctx); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("no phone asked for: got %v, want ErrKey", err)
		}
	})
}

// TestS22OtherKeyShapes: a simple key, keys that are plain attributes, numbers and
// bytes, a local index, and indexes that carry keys, some attributes or all.
func TestS22OtherKeyShapes(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		people, ctx := w.people(t), t.Context()
		ann := Person{PersonID: 101, FirstName: "Ann", Address: Address{Street: "Main Street 1", City: "Anytown", Country: "DE"}}
		ddbtest.Seed(t, people, ann)
		ddbtest.Cost(t, w, func() {
			equal(t, "by number", value[Person](t)(people.Get(Person{PersonID: 101}).Run(ctx)), ann)
		}).Exactly(1, 0.5, 1)
		address := ddb.Field(people, func(p *Person) *Address { return &p.Address })
		city := ddb.FieldOf(address, func(a *Address) *string { return &a.City })
		moved := value[Person](t)(people.Update(ann).Set(city.To("Berlin")).If(city.Eq("Anytown")).Run(ctx))
		equal(t, "nested", moved.Address, Address{Street: "Main Street 1", City: "Berlin", Country: "DE"})

		table := ddb.NewTable("Music", w, ddb.Keys("Artist", "SongTitle"),
			ddb.GSI("GenreAlbumTitle", "Genre", "AlbumTitle", ddb.Include("EntityType", "Year")),
			ddb.LSI("ByYear", "Year"),
			ddb.GSI("ByPrint", "Print", "Checksum", ddb.KeysOnly()))
		songs := ddb.Define[Song](table)
		ddbtest.Create(t, w, table)
		for i, year := range []int{2015, 999, 1984, -3} {
			ddbtest.Seed(t, songs, Song{
				Artist: "No One You Know", SongTitle: fmt.Sprint("Song ", i), Genre: "Country", AlbumTitle: fmt.Sprint("Album ", 3-i),
				Year: year, Print: []byte{0xff, 0}, Checksum: []byte{0x7f + byte(i)}, Lyrics: "la la la",
			})
		}
		title := func(s Song) string { return s.SongTitle }
		keyTypes := make(map[string]types.ScalarAttributeType)
		for _, a := range described(t, table).KeyAttributes() {
			keyTypes[a.Name] = a.Type
		}
		equal(t, "types of key attributes", keyTypes, map[string]types.ScalarAttributeType{
			"Artist": "S", "SongTitle": "S", "Genre": "S", "AlbumTitle": "S", "Year": "N", "Print": "B", "Checksum": "B",
		})

		byYear := songs.Query(Song{Artist: "No One You Know"}).Index("ByYear")
		equal(t, "by year, as numbers sort", all(t, byYear.Consistent(), title), []string{"Song 3", "Song 1", "Song 2", "Song 0"})
		equal(t, "from 999 to 1984", all(t, byYear.Between(Song{Year: 999}, Song{Year: 1984}), title), []string{"Song 1", "Song 2"})
		equal(t, "all of the item", value[Song](t)(byYear.Desc().First(ctx)).Lyrics, "la la la")

		byGenre := songs.Query(Song{Genre: "Country"}).Index("GenreAlbumTitle")
		s := value[Song](t)(byGenre.First(ctx))
		equal(t, "some of the item", []any{s.AlbumTitle, s.Year, s.Lyrics}, []any{"Album 0", -3, ""})
		lyrics := ddb.Field(songs, func(s *Song) *string { return &s.Lyrics })
		if _, err := byGenre.Project(lyrics).First(ctx); !errors.Is(err, ddb.ErrIndex) {
			t.Errorf("what the index does not carry: got %v, want ErrIndex", err)
		}

		byPrint := songs.Query(Song{Print: []byte{0xff, 0}}).Index("ByPrint")
		equal(t, "by bytes, unsigned", all(t, byPrint, title), []string{"Song 0", "Song 1", "Song 2", "Song 3"})
		equal(t, "from a byte on", all(t, byPrint.From(Song{Checksum: []byte{0x81}}), title), []string{"Song 2", "Song 3"})
		ddbtest.Cost(t, w, func() {
			s := value[Song](t)(byPrint.Desc().Hydrate().First(ctx))
			equal(t, "keys, made whole", []any{s.SongTitle, s.Lyrics}, []any{"Song 3", "la la la"})
		}).AtMost(2, 1, 2)
	})
}
