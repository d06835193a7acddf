package ddb

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
)

// refusing is a backend for tests of what happens before any call.
type refusing struct{ Backend }

// TestDefinitionFaults asserts that each kind of mistake is reported where it
// is made, with the struct, the tag and the attribute.
func TestDefinitionFaults(t *testing.T) {
	t.Parallel()
	type noMarker struct{ ID string }
	type unknownField struct {
		_  Entity `pk:"USER#{Id}" sk:"PROFILE"`
		ID string
	}
	type misspeltWord struct {
		_  Entity `pk:"USER#{ID}" sort:"PROFILE"`
		ID string
	}
	type openBrace struct {
		_  Entity `pk:"USER#{ID" sk:"PROFILE"`
		ID string
	}
	type strayBrace struct {
		_  Entity `pk:"USER#ID}" sk:"PROFILE"`
		ID string
	}
	type noSortTemplate struct {
		_  Entity `pk:"USER#{ID}"`
		ID string
	}
	type pointerInKey struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID *string
	}
	type floatInKey struct {
		_     Entity `pk:"USER#{ID}" sk:"PRICE#{Price}"`
		ID    string
		Price float64
	}
	type sliceInKey struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID []string
	}
	type unpadded struct {
		_   Entity `pk:"DOC#{ID}" sk:"v{Rev}"`
		ID  string
		Rev int
	}
	type unsortedLayout struct {
		_  Entity `pk:"DOC#{ID}" sk:"{At:02-01-2006}"`
		ID string
		At time.Time
	}
	type raggedLayout struct {
		_  Entity `pk:"DOC#{ID}" sk:"{At:2006-1-2}"`
		ID string
		At time.Time
	}
	type noLayout struct {
		_  Entity `pk:"DOC#{ID}" sk:"{At:day}"`
		ID string
		At time.Time
	}
	type badFormat struct {
		_  Entity `pk:"USER#{ID:lowercase}" sk:"PROFILE"`
		ID string
	}
	type sideBySide struct {
		_    Entity `pk:"USER#{A}{B}" sk:"PROFILE"`
		A, B string
	}
	type foreignBorder struct {
		_    Entity `pk:"USER#{A}-{B}" sk:"PROFILE"`
		A, B string
	}
	type unknownOption struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID string `dynamodbav:",omitemtpy"`
	}
	type twoFieldsOneName struct {
		_    Entity `pk:"USER#{A}" sk:"PROFILE"`
		A, B string `dynamodbav:"x"`
	}
	type takesColumn struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID string
		SK string
	}
	type takesDiscriminator struct {
		_          Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID         string
		EntityType string
	}
	type twoEntities struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		_  Entity `pk:"PERSON#{ID}" sk:"PROFILE"`
		ID string
	}
	type namelessIndex struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		_  Index  `pk:"X#{ID}" sk:"Y"`
		ID string
	}
	type indexTwice struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		_  Index  `name:"GSI1" pk:"X#{ID}" sk:"Y"`
		_  Index  `name:"GSI1" pk:"Z#{ID}" sk:"Y"`
		ID string
	}
	type capitalWord struct {
		_  Entity `PK:"USER#{ID}" sk:"PROFILE"`
		ID string
	}
	type wordTwice struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE" pk:"U#{ID}"`
		ID string
	}
	type numberOfText struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID attributevalue.Number
	}
	type timeOfBlanks struct {
		_  Entity `pk:"USER#{ID}" sk:"{At:desc:2006-01-_2}"`
		ID string
		At time.Time
	}
	type timeOfNoon struct {
		_  Entity `pk:"USER#{ID}" sk:"{At:2006-01-02PM03:04}"`
		ID string
		At time.Time
	}
	type ambiguous struct {
		_ Entity `pk:"USER#{ID}" sk:"PROFILE"`
		EmbeddedA
		EmbeddedB
	}
	type complexKey struct {
		_      Entity `pk:"USER#{ID}" sk:"{Shares}"`
		ID     string
		Shares map[string]int
	}
	type hiddenField struct {
		_  Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID string `dynamodbav:"-"`
	}
	type emptyPlaceholder struct {
		_  Entity `pk:"USER#{}" sk:"PROFILE"`
		ID string
	}
	type wideNumber struct {
		_  Entity `pk:"USER#{ID:021}" sk:"PROFILE"`
		ID int
	}
	type strangeText struct {
		_  Entity "pk:\"USER\xff#{ID}\" sk:\"PROFILE\""
		ID string
	}
	type inner struct{ Shape interface{ Area() float64 } }
	type interfaceInside struct {
		_      Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID     string
		Inners map[string][]*inner
	}
	cases := []struct {
		name   string
		define func(*Table)
		want   []string
	}{
		{"interface", def[interfaceInside], []string{"interfaceInside", "Inners", "Area() float64", "cannot be read back"}},
		{"no marker", def[noMarker], []string{"noMarker", "no blank field of type ddb.Entity"}},
		{"no struct", def[string], []string{"string", "is no struct"}},
		{"unknown field", def[unknownField], []string{"unknownField", `pk:"USER#{Id}"`, "attribute PK", "no such field", "did you mean {ID}"}},
		{"misspelt word", def[misspeltWord], []string{"misspeltWord", `unknown word "sort"`}},
		{"open brace", def[openBrace], []string{"openBrace", "never closed"}},
		{"stray brace", def[strayBrace], []string{"strayBrace", "} without a {"}},
		{"no sort template", def[noSortTemplate], []string{"noSortTemplate", "attribute SK", "has no template"}},
		{"pointer", def[pointerInKey], []string{"pointerInKey", "{ID}", "is a pointer (*string)"}},
		{"float", def[floatInKey], []string{"floatInKey", "{Price}", "is a float64"}},
		{"slice", def[sliceInKey], []string{"sliceInKey", "{ID}", "[]string cannot be part of a key"}},
		{"unpadded number", def[unpadded], []string{"unpadded", "{Rev}", "10 comes before 9"}},
		{"layout that does not sort", def[unsortedLayout], []string{"unsortedLayout", "do not sort"}},
		{"layout of several lengths", def[raggedLayout], []string{"raggedLayout", "differ in length"}},
		{"no layout", def[noLayout], []string{"noLayout", `unknown format "day"`}},
		{"unknown format", def[badFormat], []string{"badFormat", `unknown format "lowercase"`}},
		{"two fields side by side", def[sideBySide], []string{"sideBySide", "side by side"}},
		{"text that a value may hold", def[foreignBorder], []string{"foreignBorder", `goes on with "-" after {A}`}},
		{"misspelt option", def[unknownOption], []string{"unknownOption", `unknown option "omitemtpy"`}},
		{"two fields of one name", def[twoFieldsOneName], []string{"twoFieldsOneName", `"x" is taken by field A`}},
		{"field in a key attribute", def[takesColumn], []string{"takesColumn", "attribute SK", "field SK"}},
		{"field in the discriminator", def[takesDiscriminator], []string{"takesDiscriminator", "discriminator"}},
		{"two primary keys", def[twoEntities], []string{"twoEntities", "second ddb.Entity"}},
		{"index without a name", def[namelessIndex], []string{"namelessIndex", "needs the name"}},
		{"capital word", def[capitalWord], []string{"capitalWord", `unknown word "PK"`, "did you mean pk?", "(attribute PK): has no template"}},
		{"word twice", def[wordTwice], []string{"wordTwice", "says pk twice"}},
		{"number of any form", def[numberOfText], []string{"numberOfText", "several texts for one number"}},
		{"descending layout with blanks", def[timeOfBlanks], []string{"timeOfBlanks", "only digits can turn around"}},
		{"layout with twelve hours", def[timeOfNoon], []string{"timeOfNoon", "do not sort"}},
		{"field of two embedded structs", def[ambiguous], []string{"ambiguous", `"ID" is taken`}},
		{"map", def[complexKey], []string{"complexKey", "{Shares}", "cannot be part of a key"}},
		{"field that is not stored", def[hiddenField], []string{"hiddenField", "no such field"}},
		{"empty placeholder", def[emptyPlaceholder], []string{"emptyPlaceholder", "no such field"}},
		{"number too wide", def[wideNumber], []string{"wideNumber", "the width is 1 to 20"}},
		{"broken text", def[strangeText], []string{"strangeText", "not valid UTF-8"}},
		{"index twice", def[indexTwice], []string{"indexTwice", "GSI1 twice"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := NewTable("Test", refusing{})
			c.define(table)
			err := table.Err()
			if !errors.Is(err, ErrDefinition) {
				t.Fatalf("got %v, want ErrDefinition", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want it to say %q", err, want)
				}
			}
		})
	}
}

type (
	EmbeddedA struct{ ID string }
	EmbeddedB struct{ ID string }
)

// def defines an entity without the operations that the type T would make, which
// take the compiler long for as many types as there are faults.
func def[T any](t *Table) { t.define(reflect.TypeFor[T]()) }

// TestAllFaultsAtOnce asserts that one look shows every fault.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	type bad struct {
		_     Entity `name:"Bad" pk:"A#{Nope}" sk:"B#{Price}" extra:"x"`
		_     Index  `name:"GSI1" pk:"{Gone}" sk:"C#{P}"`
		Price float64
		P     *int
	}
	table := NewTable("Test", refusing{})
	def[bad](table)
	var err *DefinitionError
	if !errors.As(table.Err(), &err) {
		t.Fatalf("got %v, want a DefinitionError", table.Err())
	}
	if got, want := len(err.Faults), 5; got != want {
		t.Errorf("got %d faults, want %d: %v", got, want, err)
	}
}

// TestEntitiesThatMeet asserts that two entities whose keys can be equal are
// refused, and that those which only look alike are not.
func TestEntitiesThatMeet(t *testing.T) {
	t.Parallel()
	type a struct {
		_     Entity `pk:"USER#{ID}" sk:"ORDER#{N}"`
		ID, N string
	}
	type sameShape struct {
		_    Entity `pk:"USER#{X}" sk:"ORDER#{Y}"`
		X, Y string
	}
	type wide struct {
		_    Entity `pk:"{X}#{Y}" sk:"ORDER#LATEST"`
		X, Y string
	}
	type longer struct {
		_       Entity `pk:"USER#{X}" sk:"ORDER#{Y}#LINE#{Z}"`
		X, Y, Z string
	}
	type otherPrefix struct {
		_    Entity `pk:"USER#{X}" sk:"ORDERS#{Y}"`
		X, Y string
	}
	type number struct {
		_ Entity `pk:"USER#{X}" sk:"SEQ#{N:03}"`
		X string
		N int
	}
	type day struct {
		_ Entity `pk:"USER#{X}" sk:"SEQ#{D:2006-01-02}"`
		X string
		D time.Time
	}
	type bare struct {
		_    Entity `pk:"USER#{X}" sk:"{Y}"`
		X, Y string
	}
	cases := []struct {
		name   string
		define func(*Table)
		want   string // "" for no fault
	}{
		{"one shape", both[a, sameShape], "can have the same key"},
		{"a field that can spell the other's literal", both[a, wide], "can have the same key"},
		{"more parts", both[a, longer], ""},
		{"longer literal", both[a, otherPrefix], ""},
		{"widths that differ", both[number, day], ""},
		{"a field first among others", both[number, bare], "begins with a field"},
		{"one name", func(t *Table) { def[a](t); def[renamed](t) }, `has the name "a"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := NewTable("Test", refusing{})
			c.define(table)
			err := table.Err()
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a fault that says %q", err, c.want)
			}
		})
	}
}

type renamed struct {
	_ Entity `name:"a" pk:"OTHER#{X}" sk:"Z"`
	X string
}

func both[A, B any](t *Table) {
	def[A](t)
	def[B](t)
}

// TestIndexFaults asserts that options and tags that the service would refuse,
// or that say two things, are faults.
func TestIndexFaults(t *testing.T) {
	t.Parallel()
	type plain struct {
		_    Entity `pk:"A#{X}" sk:"B"`
		_    Index  `name:"IX1" pk:"{X},{Y}" sk:"{Y},{X}"`
		X, Y string
	}
	type localPK struct {
		_    Entity `pk:"A#{X}" sk:"B"`
		_    Index  `name:"IX1" pk:"A#{X}" sk:"{Y}"`
		X, Y string
	}
	type localNone struct {
		_ Entity `pk:"A#{X}" sk:"B"`
		_ Index  `name:"IX1"`
		X string
	}
	type otherSK struct {
		_    Entity `pk:"A#{X}" sk:"B"`
		_    Index  `name:"IX1" pk:"C" sk:"A#{X}"`
		X, Y string
	}
	type twoTemplates struct {
		_    Entity `pk:"A#{X}" sk:"B"`
		_    Index  `name:"IX1" pk:"C#{X}" sk:"D#{X}"`
		_    Index  `name:"IX2" pk:"C#{Y}" sk:"D#{X}"`
		X, Y string
	}
	type wrongType struct {
		_ Entity `name:"Wrong" pk:"A#{X}" sk:"B"`
		_ Index  `name:"IX1" pk:"Order" sk:"D#{X}"`
		X string
	}
	type emptyPiece struct {
		_ Entity `pk:"A#{X}" sk:"B"`
		_ Index  `name:"IX1" pk:"{X}," sk:"D#{X}"`
		X string
	}
	type floats struct {
		_     Entity `pk:"A#{X}" sk:"B"`
		_     Index  `name:"IX1" pk:"{X},{Price}"`
		X     string
		Price float64
	}
	type shortName struct {
		_ Entity `pk:"A#{X}" sk:"B"`
		_ Index  `name:"IX" pk:"C" sk:"D#{X}"`
		X string
	}
	many := func(n int, option func(string) TableOption) []TableOption {
		var out []TableOption
		for i := range n {
			out = append(out, option(fmt.Sprintf("Index%02d", i)))
		}
		return out
	}
	gsi := func(name string) TableOption { return GSI(name, name+"PK", "") }
	lsi := func(name string) TableOption { return LSI(name, name+"SK") }
	attrs := make([]string, 101)
	for i := range attrs {
		attrs[i] = fmt.Sprint("a", i)
	}
	for _, c := range []struct {
		name   string
		define func(*Table)
		opts   []TableOption
		want   string // "" for none
	}{
		{"list for one attribute", def[plain], []TableOption{GSI("IX1", "P", "Y")}, `IX1 pk:"{X},{Y}" (attribute P): lists 2 fields, but the key has one`},
		{"three for two", def[plain], []TableOption{GSI("IX1", "X,Y,Z", "Y1")}, "lists 2 templates, but the key has 3 attributes"},
		{"the list implies its attributes", def[plain], nil, "index IX1 has the attribute twice"},
		{"local index with pk", def[localPK], []TableOption{LSI("IX1", "Y")}, `IX1 pk:"A#{X}" (attribute PK): has a template, but a local index has the table's`},
		{"local index without sk", def[localNone], []TableOption{LSI("IX1", "LSK")}, `(attribute LSK): has no template`},
		{"inverted, as made anyway", def[localNone], []TableOption{GSI("IX1", "SK", "PK")}, ""},
		{"inverted, other template", def[otherSK], []TableOption{GSI("IX1", "SK", "PK")}, `fills an attribute that holds "B" already`},
		{"one attribute, two templates", def[twoTemplates], []TableOption{GSI("IX1", "C", "D"), GSI("IX2", "C", "D2")}, `fills an attribute that holds "C#{X}" already`},
		{"the discriminator's name", def[wrongType], []TableOption{GSI("IX1", "EntityType", "D")}, `fills the discriminator, which is "Wrong"`},
		{"an empty piece", def[emptyPiece], []TableOption{GSI("IX1", "X,P", "D")}, "(attribute P): has no template"},
		{"a float", def[floats], []TableOption{GSI("IX1", "X,Price", "")}, "{Price}, which is a float64"},
		{"a short name", def[shortName], nil, `the index name "IX" is not 3 to 255`},
		{"two names with a space", nil, []TableOption{GSI("Index 1", "P", "")}, `the index name "Index 1"`},
		{"five attributes", nil, []TableOption{GSI("IX1", "A,B,C,D,E", "")}, "5 attributes for one role, more than 4"},
		{"two in a local index", nil, []TableOption{LSI("IX1", "A,B")}, ""},
		{"two in the table", nil, []TableOption{Keys("A,B", "C")}, "the table's key has 2 attributes for one role"},
		{"one for both roles", nil, []TableOption{Keys("A", "A")}, "(attribute A): the table's key has the attribute twice"},
		{"no partition key", nil, []TableOption{Keys("", "A")}, "the table's key has no partition key"},
		{"no partition key of an index", nil, []TableOption{GSI("IX1", "", "A")}, "index IX1 has no partition key"},
		{"a long name", nil, []TableOption{Keys(strings.Repeat("x", 256), "")}, "not 1 to 255"},
		{"an empty name", nil, []TableOption{LSI("IX1", "")}, "not 1 to 255"},
		{"local index of a simple key", nil, []TableOption{Keys("A", ""), LSI("IX1", "B")}, "needs a table with a sort key"},
		{"20 global indexes", nil, many(20, gsi), ""},
		{"21 global indexes", nil, many(21, gsi), "more than 20 global indexes"},
		{"21 of a raised quota", nil, append(many(21, gsi), GSIQuota(25)), ""},
		{"5 local indexes", nil, many(5, lsi), ""},
		{"6 local indexes", nil, many(6, lsi), "more than 5 local indexes"},
		{"one name for both kinds", nil, []TableOption{gsi("IX1"), lsi("IX1")}, "IX1 is listed twice"},
		{"101 included", nil, []TableOption{GSI("IX1", "A", "", Include(attrs...))}, "include 101 attributes, more than 100"},
		{"included twice", nil, []TableOption{GSI("IX1", "A", "", Include("x", "x"))}, "(attribute x): index IX1 includes it twice"},
		{"none included", nil, []TableOption{GSI("IX1", "A", "", Include())}, "includes no attribute"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := NewTable("Test", refusing{}, c.opts...)
			if c.define != nil {
				c.define(table)
			}
			switch err := table.Err(); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want a fault that says %q", err, c.want)
			}
		})
	}
}

// TestShardFaults asserts that placeholders of shards say one thing each.
func TestShardFaults(t *testing.T) {
	t.Parallel()
	type sorted struct {
		_ Entity `pk:"A#{X}" sk:"B#{shard:3}"`
		X string
	}
	type uncounted struct {
		_ Entity `pk:"A#{X}#{shard}" sk:"B"`
		X string
	}
	type single struct {
		_ Entity `pk:"A#{X}#{shard:1}" sk:"B"`
		X string
	}
	type unknown struct {
		_ Entity `pk:"A#{X}#{shard:5,by=Y}" sk:"B"`
		X string
	}
	type adjacent struct {
		_ Entity `pk:"A#{X}{shard:5}" sk:"B"`
		X string
	}
	type twice struct {
		_ Entity `pk:"A#{shard:5}#{shard:5}" sk:"B#{X}"`
		X string
	}
	type unknownOption struct {
		_ Entity `pk:"A#{X}#{shard:5,rnd=X}" sk:"B"`
		X string
	}
	type noField struct {
		_ Entity `pk:"A#{X}#{shard:5,random}" sk:"B"`
		X string
	}
	type numberField struct {
		_ Entity `pk:"A#{X}#{shard:5,random=N}" sk:"B"`
		X string
		N int
	}
	type both struct {
		_    Entity `pk:"A#{X}#{shard:5,by=X,random=Y}" sk:"B"`
		X, Y string
	}
	type twoCounts struct {
		_    Entity `pk:"A#{X}#{shard:5,random=Y}" sk:"B"`
		_    Index  `name:"GSI1" pk:"B#{X}#{shard:6,random=Y}" sk:"B"`
		X, Y string
	}
	type padded struct {
		_ Entity `pk:"A#{X}#{shard:010}" sk:"B"`
		X string
	}
	for want, define := range map[string]func(*Table){
		`unknown option "rnd=X"`:  def[unknownOption],
		`number in the field ""`:  def[noField],
		"a int; use a string":     def[numberField],
		"says twice what":         def[both],
		"5 and with 6 shards":     def[twoCounts],
		"{shard:010}, which must": def[padded],
		"only partition keys":     def[sorted],
		"how many shards":         def[uncounted],
		"2 to 1000":               def[single],
		"has no such field":       def[unknown],
		"{X} and {shard} side":    def[adjacent],
		"a second shard":          def[twice],
	} {
		table := NewTable("Test", refusing{})
		define(table)
		if err := table.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault that says %q", err, want)
		}
	}
}
