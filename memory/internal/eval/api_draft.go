package eval

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// Request holds the expressions of one request as sent; nil means absent.
type Request struct {
	Update, Condition, KeyCondition, Filter, Projection *string

	Names  map[string]string
	Values map[string]types.AttributeValue
}

// Compiled holds the same, checked and ready to run; a nil member means absent.
type Compiled struct {
	Update       *Update
	Condition    *Condition
	KeyCondition *KeyCondition
	Filter       *Condition
	Projection   *Projection
}

// Compile checks and binds the expressions of a request.
func Compile(r Request) (Compiled, error) { return Compiled{}, &Error{Text: "draft"} }

// Condition is a bound condition.
type Condition struct{}

// Match reports whether the item meets the condition.
func (c *Condition) Match(item av.Map) bool { return false }

// Paths returns every document path of the condition.
func (c *Condition) Paths() []Path { return nil }

// Projection is a bound projection.
type Projection struct{}

// Apply returns the selected parts of the item.
func (p *Projection) Apply(item av.Map) av.Map { return nil }

// Paths returns the selected paths.
func (p *Projection) Paths() []Path { return nil }

// Update is a bound update.
type Update struct{}

// Apply returns the new image of an item whose old image is given.
func (u *Update) Apply(old av.Map) (av.Map, error) { return nil, nil }

// Paths returns the written targets of all sections.
func (u *Update) Paths() []Path { return nil }

// Creates reports whether the update makes a missing item.
func (u *Update) Creates() bool { return false }

// Touched returns what UPDATED_OLD and UPDATED_NEW show of an image.
func (u *Update) Touched(image av.Map) av.Map { return nil }

// KeyAttribute is one attribute of a key schema.
type KeyAttribute struct {
	Name string
	Kind av.Kind
}

// KeyCondition is a bound key condition.
type KeyCondition struct{}

// Plan binds the key condition to the key of a table or index.
func (k *KeyCondition) Plan(hash, sort []KeyAttribute) (Range, error) { return Range{}, nil }

// Range is one partition and one interval of sort keys.
type Range struct {
	Partition []av.Value
	Low, High string
	HasSort   bool
}
