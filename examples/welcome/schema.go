package main

import (
	"time"

	"github.com/seed530093c6/ddb"
)

const tableName = "Customers"

// Customer is who gets a message, if new and with an address.
type Customer struct {
	_ ddb.Entity `name:"Customer" pk:"CUSTOMER#{ID}" sk:"PROFILE"`

	ID    string
	Name  string
	Email string `dynamodbav:",omitempty"`
}

// Message is a message that is due or was sent. It is made once for each event,
// and outlives the time for which the event can come again.
type Message struct {
	_ ddb.Entity `name:"Message" pk:"EVENT#{EventID}" sk:"MESSAGE"`

	EventID string
	To      string
	Text    string
	Sent    bool
	Expires time.Time `ddb:"ttl"`
}

// Total counts messages.
type Total struct {
	_ ddb.Entity `name:"Total" pk:"TOTAL" sk:"TOTAL"`

	Messages int
}

// Position is how far a shard of the stream has been handled.
type Position struct {
	_ ddb.Entity `name:"Position" pk:"STREAM#{Stream}" sk:"SHARD#{Shard}"`

	Stream, Shard  string
	SequenceNumber string
	Done           bool
	Expires        time.Time `ddb:"ttl"`
}

// kept is how long messages and positions stay: longer than DynamoDB keeps records
// and shards.
const kept = 48 * time.Hour

// schema is the table with its entities.
type schema struct {
	table     *ddb.Table
	clock     func() time.Time
	customers *ddb.Definition[Customer]
	messages  *ddb.Definition[Message]
	totals    *ddb.Definition[Total]
	positions *ddb.Definition[Position]

	email ddb.Attribute[Customer, string]
	sent  ddb.Attribute[Message, bool]
	count ddb.Attribute[Total, int]
}

func newSchema(db ddb.Backend, clock func() time.Time) *schema {
	t := ddb.NewTable(tableName, db, ddb.Clock(clock))
	s := &schema{
		table: t, clock: clock, customers: ddb.Define[Customer](t), messages: ddb.Define[Message](t), totals: ddb.Define[Total](t),
		positions: ddb.Define[Position](t),
	}
	s.email = ddb.Field(s.customers, func(c *Customer) *string { return &c.Email })
	s.sent = ddb.Field(s.messages, func(m *Message) *bool { return &m.Sent })
	s.count = ddb.Field(s.totals, func(t *Total) *int { return &t.Messages })
	return s
}
