package schema

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

// Table describes one table.
type Table struct {
	Name          string
	Discriminator string // the attribute that says which entity an item is
	Separator     string // between the parts of keys
	Key           Key
	Indexes       []Index
	TTL           string   // the attribute that holds expiries, "" for none
	Entities      []Entity // in the order in which they were defined
	Patterns      []Pattern
}

// Key is the primary key of a table or index. Only a global secondary index has
// more than one attribute in either part; Sort is empty for a simple key.
type Key struct {
	Partition, Sort []Attribute
}

// Attribute is a key attribute.
type Attribute struct {
	Name string
	Type types.ScalarAttributeType
}

// Index is a secondary index.
type Index struct {
	Name       string
	Local      bool
	Key        Key
	Projection types.ProjectionType
	Include    []string // the attributes of projection INCLUDE
}

// Entity is one kind of item.
type Entity struct {
	Name   string // what the discriminator holds
	GoType string // such as shop.Order
	Fields []Field
	Keys   []EntityKey // in the table first, then in indexes
}

// Field is one attribute of an entity, or of a struct inside one.
type Field struct {
	Name      string // in Go
	Attribute string
	Type      string // S, N, B, BOOL, SS, NS, BS, L or M; "" if the value decides
	GoType    string
	Optional  bool    // left out of the item when empty
	Keeps     string  // what the layer keeps in it or of it: version, ttl, created, updated, unique
	Fields    []Field // of the struct that it is, or that its elements are
	Recursive bool    // holds values of the type it is part of, to any depth
}

// EntityKey says how the items of an entity get their key in the table or in
// an index.
type EntityKey struct {
	Index           string // "" for the table
	Partition, Sort []Template
	Sparse          bool     // an item without some optional field is not in the index
	Meets           []string // other entities whose items a query for this one reads, and drops by a filter
}

// Template says how one key attribute is made.
type Template struct {
	Attribute string
	Type      types.ScalarAttributeType
	Source    string // as in the tag: ORDER#{PlacedAt}#{OrderID}
	Plain     bool   // the attribute is the field's own
	Parts     []Part
}

// Part is a piece of a template.
type Part struct {
	Kind       PartKind
	Literal    string   // the text of a Literal
	Field      string   // the Go name of the field that fills it
	Format     string   // 012, desc:+012 or plain; a time's layout; lower or upper; "" otherwise
	Width      int      // the length of all texts in bytes, 0 if they differ
	Descending bool     // greater values sort first
	Shards     int      // how many values a Shard takes
	Also       []int    // further numbers of shards by which items of a Shard may lie, while it changes
	By         []string // the Go names of the fields that choose the Shard
}

// PartKind says what fills a part.
type PartKind string

// The kinds of parts.
const (
	Literal PartKind = "literal" // the same text in every key
	Text    PartKind = "text"
	Number  PartKind = "number"
	Time    PartKind = "time"
	Bool    PartKind = "bool"
	Bytes   PartKind = "bytes"
	Shard   PartKind = "shard" // a number that spreads one key over several
)

// Pattern is an access pattern: a question or a change that the table is there
// for, by name.
type Pattern struct {
	Name  string
	Steps []Step // one, or those of a transaction
}

// Step is one operation of a pattern.
type Step struct {
	Operation  string // GetItem, Query, Scan, PutItem, UpdateItem, DeleteItem or ConditionCheck
	Entity     string // "" for all entities of a partition
	Index      string // "" for the table
	Key        string // what is asked of the key, in templates: PK = USER#{UserID} AND begins_with(SK, ORDER#)
	Partitions int    // how many partition keys are read: one, or one for each shard; 0 for a Scan
	Filter     []string
	Reads      []string // the attributes that are asked for; none means all
	Count      bool     // items are counted, not read
	Hydrated   bool     // items found in the index are read from the table
	Consistent bool
	Descending bool
	Limit      int // items at most, 0 for all
}
