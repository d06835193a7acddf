package scenarios_test

import (
	"time"

	"github.com/seed530093c6/ddb"
)

// What has no package of its own under examples or patterns.

// Reading is what a sensor measured, in a bucket for each month. It expires.
type Reading struct {
	_ ddb.Entity `name:"Reading" pk:"DEVICE#{Device}" sk:"{At:2006-01}#{At:2006-01-02T15:04:05}"`

	Device      string
	At          time.Time
	Temperature float64
	Humidity    int
	Raw         []byte    `dynamodbav:",omitempty"`
	Expires     time.Time `ddb:"ttl"`
}

// Message is what a new customer is sent, once for each event.
type Message struct {
	_ ddb.Entity `name:"消息" pk:"USER#{UserID}" sk:"WELCOME#{EventID}"`

	UserID  string
	EventID string
	To      string
}

// View is a look of a user at a product. In ByDay all views of a day are spread at
// random, in ByUser by a field, in ByHour by the hour; ByBoth has a key of two
// fields.
type View struct {
	_ ddb.Entity `name:"View" pk:"VIEW#{ID}" sk:"VIEW"`
	_ ddb.Index  `name:"ByDay" pk:"DATE#{At:2006-01-02}#{shard:10,random=Suffix}" sk:"{At}#{ID}"`
	_ ddb.Index  `name:"ByUser" pk:"DATE#{At:2006-01-02}#{shard:10,by=UserID}" sk:"{At}#{ID}"`
	_ ddb.Index  `name:"ByHour" pk:"DATE#{At:2006-01-02}#HOUR#{At:15}" sk:"{At}#{ID}"`
	_ ddb.Index  `name:"ByBoth" pk:"{UserID}#{ProductID}" sk:"{At}#{ID}"`

	ID        string
	UserID    string `dynamodbav:"用户ID"`
	ProductID string `dynamodbav:"商品ID"`
	At        time.Time
	Suffix    string
}

// ViewOfTwenty is View after the day's suffixes have grown from ten to twenty.
type ViewOfTwenty struct {
	_ ddb.Entity `name:"View" pk:"VIEW#{ID}" sk:"VIEW"`
	_ ddb.Index  `name:"ByDay" pk:"DATE#{At:2006-01-02}#{shard:20,random=Suffix}" sk:"{At}#{ID}"`

	ID     string
	At     time.Time
	Suffix string
}

// Person has a simple key that is a number, and a sparse index on a plain
// attribute.
type Person struct {
	_ ddb.Entity `name:"Person" pk:"{PersonID}"`
	_ ddb.Index  `name:"PhoneIndex" pk:"{Phone}"`

	PersonID  int
	FirstName string
	LastName  string
	Phone     string `dynamodbav:",omitempty"`
	Address   Address
}

// Address is nested in Person.
type Address struct{ Street, City, Country string }

// Song has plain attributes for all of its keys: strings, a number, bytes.
type Song struct {
	_ ddb.Entity `name:"Song" pk:"{Artist}" sk:"{SongTitle}"`
	_ ddb.Index  `name:"GenreAlbumTitle" pk:"{Genre}" sk:"{AlbumTitle}"`
	_ ddb.Index  `name:"ByYear" sk:"{Year}"`
	_ ddb.Index  `name:"ByPrint" pk:"{Print}" sk:"{Checksum}"`

	Artist     string
	SongTitle  string
	Genre      string
	AlbumTitle string
	Year       int
	Print      []byte // of the sound
	Checksum   []byte
	Lyrics     string
}

// Ticket is how a table is not to be designed.
type Ticket struct {
	_ ddb.Entity `name:"Ticket" pk:"STATUS#{Status}" sk:"{Seq:plain}"`
	_ ddb.Index  `name:"ByDate" pk:"DATE#{Opened:2006-01-02}" sk:"{Opened}"`
	_ ddb.Index  `name:"ByRegion" pk:"REGION#{Region}" sk:"{Seq:06}"`

	Status string
	Seq    int
	Region string
	Opened time.Time
	Closed string
	Notes  any
}
