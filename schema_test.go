package ddb_test

import (
	"time"

	"github.com/seed530093c6/ddb"
)

// The entities that the tests of this package share: one table, one partition
// for all of a user's items, overloaded and sparse indexes.

type User struct {
	_ ddb.Entity `name:"User" pk:"USER#{ID}" sk:"PROFILE"`
	_ ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"USER#{ID}"`

	ID      string
	Email   string `dynamodbav:",omitempty"`
	Name    string `dynamodbav:"姓名"`
	Address Address
	Tags    []string `dynamodbav:",stringset,omitempty"`
}

type Address struct {
	City   string
	Street string `dynamodbav:",omitempty"`
}

type Order struct {
	_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{PlacedAt}#{OrderID}"`
	_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{PlacedAt}#{OrderID}"`
	_ ddb.Index  `name:"GSI2" pk:"PRODUCT#{ProductID}" sk:"{PlacedAt:2006-01-02T15:04:05Z}#{OrderID}"`

	UserID    string
	OrderID   string
	ProductID string `dynamodbav:",omitempty"`
	Status    string
	PlacedAt  time.Time
	Total     int
	Lines     []string
}

type Note struct {
	_ ddb.Entity `name:"Note" pk:"USER#{UserID}" sk:"NOTE#{NoteID}"`

	UserID string
	NoteID string
	Text   string
}

type Task struct {
	_ ddb.Entity `name:"Task" pk:"USER#{UserID}" sk:"TASK#{TaskID}"`
	_ ddb.Index  `name:"GSI3" pk:"PRIORITY#{Priority:03}" sk:"{State}#{TaskID}"`

	UserID   string
	TaskID   string
	Priority int
	State    string `dynamodbav:",omitempty"`
	Note     string `dynamodbav:",omitempty"`
}

type Score struct {
	_ ddb.Entity `name:"Score" pk:"GAME#{Game}" sk:"PLAYER#{Player}"`
	_ ddb.Index  `name:"GSI1" pk:"BOARD#{Game}" sk:"{Points:010}#{Player}"`
	_ ddb.Index  `name:"GSI2" pk:"WORST#{Game}" sk:"{Points:desc:010}#{Player}"`

	Game   string
	Player string
	Points int
}

// shop is a table with the entities above.
type shop struct {
	table  *ddb.Table
	users  *ddb.Definition[User]
	orders *ddb.Definition[Order]
	notes  *ddb.Definition[Note]
	tasks  *ddb.Definition[Task]
	scores *ddb.Definition[Score]

	email    ddb.Attribute[User, string]
	name     ddb.Attribute[User, string]
	city     ddb.Attribute[User, string]
	tags     ddb.Attribute[User, []string]
	status   ddb.Attribute[Order, string]
	priority ddb.Attribute[Task, int]
	state    ddb.Attribute[Task, string]
	note     ddb.Attribute[Task, string]
	total    ddb.Attribute[Order, int]
	product  ddb.Attribute[Order, string]
	placed   ddb.Attribute[Order, time.Time]
	lines    ddb.Attribute[Order, []string]
	points   ddb.Attribute[Score, int]
}

func newShop(b ddb.Backend, opts ...ddb.TableOption) shop {
	t := ddb.NewTable("Shop", b, opts...)
	s := shop{
		table:  t,
		users:  ddb.Define[User](t),
		orders: ddb.Define[Order](t),
		notes:  ddb.Define[Note](t),
		tasks:  ddb.Define[Task](t),
		scores: ddb.Define[Score](t),
	}
	s.email = ddb.Field(s.users, func(u *User) *string { return &u.Email })
	s.name = ddb.Field(s.users, func(u *User) *string { return &u.Name })
	s.city = ddb.Field(s.users, func(u *User) *string { return &u.Address.City })
	s.tags = ddb.Field(s.users, func(u *User) *[]string { return &u.Tags })
	s.status = ddb.Field(s.orders, func(o *Order) *string { return &o.Status })
	s.priority = ddb.Field(s.tasks, func(t *Task) *int { return &t.Priority })
	s.state = ddb.Field(s.tasks, func(t *Task) *string { return &t.State })
	s.note = ddb.Field(s.tasks, func(t *Task) *string { return &t.Note })
	s.total = ddb.Field(s.orders, func(o *Order) *int { return &o.Total })
	s.product = ddb.Field(s.orders, func(o *Order) *string { return &o.ProductID })
	s.placed = ddb.Field(s.orders, func(o *Order) *time.Time { return &o.PlacedAt })
	s.lines = ddb.Field(s.orders, func(o *Order) *[]string { return &o.Lines })
	s.points = ddb.Field(s.scores, func(s *Score) *int { return &s.Points })
	return s
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t
}
