package docs_test

import (
	"time"

	"github.com/seed530093c6/ddb"
)

// The entities of modelling.md.

type User struct {
	_ ddb.Entity `name:"User" pk:"USER#{ID}" sk:"PROFILE"`
	_ ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"USER#{ID}"`

	ID     string
	Email  string `ddb:"unique,lower" dynamodbav:",omitempty"`
	Name   string
	Orders int
}

type Address struct {
	_ ddb.Entity `name:"Address" pk:"USER#{UserID}" sk:"ADDRESS#{Label}"`

	UserID, Label, City string
}

type Order struct {
	_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{OrderID}"`
	_ ddb.Index  `name:"GSI1" pk:"ORDER_STATUS#{Status}" sk:"{PlacedAt}#{OrderID}"`
	_ ddb.Index  `name:"GSI2" pk:"USER#{UserID}" sk:"{PlacedAt:2006-01-02T15:04:05Z}#{OrderID}"`
	_ ddb.Index  `name:"GSI3" pk:"PROD#{ProductID}" sk:"{PlacedAt}#{OrderID}"`
	_ ddb.Index  `name:"GSI4" pk:"ORDER#{OrderID}" sk:"ORDER"`
	_ ddb.Index  `name:"GSI5" pk:"ORDER_DATE#{PlacedAt:2006-01-02}#{shard:10}" sk:"{PlacedAt}#{OrderID}"`

	UserID, OrderID string
	ProductID       string `dynamodbav:",omitempty"`
	Status          string
	PlacedAt        time.Time
	Amount          int
}

type Version struct {
	_ ddb.Entity `name:"Version" pk:"DOC#{Doc}" sk:"v{Major:04}.{Minor:04}"`

	Doc          string
	Major, Minor int
}

type Line struct {
	_ ddb.Entity `name:"Line" pk:"USER#{UserID}" sk:"CART#{ProductID}"`

	UserID, ProductID string
	Quantity          int
}

type Follow struct {
	_ ddb.Entity `name:"Follow" pk:"USER#{Follower}" sk:"FOLLOWING#USER#{Followed}"`

	Follower, Followed string
}

type FollowedBy struct {
	_ ddb.Entity `name:"FollowedBy" pk:"USER#{Followed}" sk:"FOLLOWER#USER#{Follower}"`

	Follower, Followed string
}

type Comment struct {
	_ ddb.Entity `name:"Comment" pk:"POST#{Post}" sk:"COMMENT#{At}#{ID}"`

	Post, ID string
	At       time.Time
	Text     string
}

type Subscriber struct {
	_ ddb.Entity `name:"Subscriber" pk:"SUBSCRIBER#{ID}" sk:"SUBSCRIBER"`
	_ ddb.Index  `name:"PhoneIndex" pk:"{Phone}"`

	ID    string
	Phone string `dynamodbav:",omitempty"`
}

type Score struct {
	_ ddb.Entity `name:"Score" pk:"LEADERBOARD#{Game}" sk:"PLAYER#{Player}"`
	_ ddb.Index  `name:"Board" pk:"BOARD#{Game}" sk:"{Points:desc:+010}#{Player}"`

	Game, Player string
	Points       int
}

type Play struct {
	_ ddb.Entity `name:"Play" pk:"PLAY#{ID}" sk:"PLAY"`
	_ ddb.Index  `name:"ByDay" pk:"DATE#{At:2006-01-02}#{shard:10}" sk:"{At}#{ID}"`                // by the item's own key
	_ ddb.Index  `name:"ByUser" pk:"DATE#{At:2006-01-02}#{shard:10,by=UserID}" sk:"{UserID}#{At}"` // a user's plays in one shard
	_ ddb.Index  `name:"ByHour" pk:"DATE#{At:2006-01-02}#HOUR#{At:15}" sk:"{At}#{ID}"`             // hour by hour
	_ ddb.Index  `name:"ByBoth" pk:"{UserID}#{GameID}" sk:"{At}#{ID}"`                             // a key with more values

	ID, UserID, GameID string
	At                 time.Time
}

type Reading struct {
	_ ddb.Entity `name:"Reading" pk:"DEVICE#{Device}" sk:"{At:2006-01}#{At:2006-01-02T15:04:05}"`

	Device      string
	At          time.Time
	Temperature float64
	Expires     time.Time `ddb:"ttl"`
}

type Song struct {
	_ ddb.Entity `name:"Song" pk:"{Artist}" sk:"{Title}"`
	_ ddb.Index  `name:"GenreAlbumTitle" pk:"{Genre}" sk:"{AlbumTitle}"`

	Artist, Title, Genre, AlbumTitle string
	Year                             int
}
