package ddb_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/seed530093c6/ddb"
)

func TestDefinitionsWithoutFault(t *testing.T) {
	t.Parallel()
	if err := newShop(unreachable{}).table.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestDefinitionFaults asserts that each kind of mistake is reported where it
// is made, with the struct, the tag and the attribute.
func TestDefinitionFaults(t *testing.T) {
	t.Parallel()
	type noMarker struct{ ID string }
	type unknownField struct {
		_  ddb.Entity `pk:"USER#{Id}" sk:"PROFILE"`
		ID string
	}
	type misspeltWord struct {
		_  ddb.Entity `pk:"USER#{ID}" sort:"PROFILE"`
		ID string
	}
	type openBrace struct {
		_  ddb.Entity `pk:"USER#{ID" sk:"PROFILE"`
		ID string
	}
	type strayBrace struct {
		_  ddb.Entity `pk:"USER#ID}" sk:"PROFILE"`
		ID string
	}
	type noSortTemplate struct {
		_  ddb.Entity `pk:"USER#{ID}"`
		ID string
	}
	type pointerInKey struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID *string
	}
	type floatInKey struct {
		_     ddb.Entity `pk:"USER#{ID}" sk:"PRICE#{Price}"`
		ID    string
		Price float64
	}
	type sliceInKey struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID []string
	}
	type unpadded struct {
		_   ddb.Entity `pk:"DOC#{ID}" sk:"v{Rev}"`
		ID  string
		Rev int
	}
	type unsortedLayout struct {
		_  ddb.Entity `pk:"DOC#{ID}" sk:"{At:02-01-2006}"`
		ID string
		At time.Time
	}
	type raggedLayout struct {
		_  ddb.Entity `pk:"DOC#{ID}" sk:"{At:2006-1-2}"`
		ID string
		At time.Time
	}
	type noLayout struct {
		_  ddb.Entity `pk:"DOC#{ID}" sk:"{At:day}"`
		ID string
		At time.Time
	}
	type badFormat struct {
		_  ddb.Entity `pk:"USER#{ID:lowercase}" sk:"PROFILE"`
		ID string
	}
	type sideBySide struct {
		_    ddb.Entity `pk:"USER#{A}{B}" sk:"PROFILE"`
		A, B string
	}
	type foreignBorder struct {
		_    ddb.Entity `pk:"USER#{A}-{B}" sk:"PROFILE"`
		A, B string
	}
	type unknownOption struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID string     `dynamodbav:",omitemtpy"`
	}
	type twoFieldsOneName struct {
		_    ddb.Entity `pk:"USER#{A}" sk:"PROFILE"`
		A, B string     `dynamodbav:"x"`
	}
	type takesColumn struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID string
		SK string
	}
	type takesDiscriminator struct {
		_          ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID         string
		EntityType string
	}
	type twoEntities struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		_  ddb.Entity `pk:"PERSON#{ID}" sk:"PROFILE"`
		ID string
	}
	type namelessIndex struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		_  ddb.Index  `pk:"X#{ID}" sk:"Y"`
		ID string
	}
	type indexTwice struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		_  ddb.Index  `name:"GSI1" pk:"X#{ID}" sk:"Y"`
		_  ddb.Index  `name:"GSI1" pk:"Z#{ID}" sk:"Y"`
		ID string
	}
	type capitalWord struct {
		_  ddb.Entity `PK:"USER#{ID}" sk:"PROFILE"`
		ID string
	}
	type wordTwice struct {
		//lint:ignore SA5008 that the tag says pk twice is the fault
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE" pk:"U#{ID}"`
		ID string
	}
	type numberOfText struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID attributevalue.Number
	}
	type timeOfBlanks struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"{At:desc:2006-01-_2}"`
		ID string
		At time.Time
	}
	type timeOfNoon struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"{At:2006-01-02PM03:04}"`
		ID string
		At time.Time
	}
	type ambiguous struct {
		_ ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		EmbeddedA
		EmbeddedB
	}
	type complexKey struct {
		_      ddb.Entity `pk:"USER#{ID}" sk:"{Shares}"`
		ID     string
		Shares map[string]int
	}
	type hiddenField struct {
		_  ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID string     `dynamodbav:"-"`
	}
	type emptyPlaceholder struct {
		_  ddb.Entity `pk:"USER#{}" sk:"PROFILE"`
		ID string
	}
	type wideNumber struct {
		_  ddb.Entity `pk:"USER#{ID:021}" sk:"PROFILE"`
		ID int
	}
	type strangeText struct {
		_  ddb.Entity "pk:\"USER\xff#{ID}\" sk:\"PROFILE\""
		ID string
	}
	type inner struct{ Shape interface{ Area() float64 } }
	type interfaceInside struct {
		_      ddb.Entity `pk:"USER#{ID}" sk:"PROFILE"`
		ID     string
		Inners map[string][]*inner
	}
	cases := []struct {
		name   string
		define func(*ddb.Table)
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
			table := ddb.NewTable("Test", unreachable{})
			c.define(table)
			err := table.Err()
			if !errors.Is(err, ddb.ErrDefinition) {
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

func def[T any](t *ddb.Table) { ddb.DefineType(t, reflect.TypeFor[T]()) }

// TestAllFaultsAtOnce asserts that one look shows every fault.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	type bad struct {
		_     ddb.Entity `name:"Bad" pk:"A#{Nope}" sk:"B#{Price}" extra:"x"`
		_     ddb.Index  `name:"GSI1" pk:"{Gone}" sk:"C#{P}"`
		Price float64
		P     *int
	}
	table := ddb.NewTable("Test", unreachable{})
	def[bad](table)
	var err *ddb.DefinitionError
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
		_     ddb.Entity `pk:"USER#{ID}" sk:"ORDER#{N}"`
		ID, N string
	}
	type sameShape struct {
		_    ddb.Entity `pk:"USER#{X}" sk:"ORDER#{Y}"`
		X, Y string
	}
	type wide struct {
		_    ddb.Entity `pk:"{X}#{Y}" sk:"ORDER#LATEST"`
		X, Y string
	}
	type longer struct {
		_       ddb.Entity `pk:"USER#{X}" sk:"ORDER#{Y}#LINE#{Z}"`
		X, Y, Z string
	}
	type otherPrefix struct {
		_    ddb.Entity `pk:"USER#{X}" sk:"ORDERS#{Y}"`
		X, Y string
	}
	type number struct {
		_ ddb.Entity `pk:"USER#{X}" sk:"SEQ#{N:03}"`
		X string
		N int
	}
	type day struct {
		_ ddb.Entity `pk:"USER#{X}" sk:"SEQ#{D:2006-01-02}"`
		X string
		D time.Time
	}
	type bare struct {
		_    ddb.Entity `pk:"USER#{X}" sk:"{Y}"`
		X, Y string
	}
	cases := []struct {
		name   string
		define func(*ddb.Table)
		want   string // "" for no fault
	}{
		{"one shape", both[a, sameShape], "can have the same key"},
		{"a field that can spell the other's literal", both[a, wide], "can have the same key"},
		{"more parts", both[a, longer], ""},
		{"longer literal", both[a, otherPrefix], ""},
		{"widths that differ", both[number, day], ""},
		{"a field first among others", both[number, bare], "begins with a field"},
		{"one name", func(t *ddb.Table) { def[a](t); def[renamed](t) }, `has the name "a"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := ddb.NewTable("Test", unreachable{})
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
	_ ddb.Entity `name:"a" pk:"OTHER#{X}" sk:"Z"`
	X string
}

func both[A, B any](t *ddb.Table) {
	ddb.DefineType(t, reflect.TypeFor[A]())
	ddb.DefineType(t, reflect.TypeFor[B]())
}

// TestFaultyTableRefusesToWork asserts that no call is made while the
// definitions are faulty.
func TestFaultyTableRefusesToWork(t *testing.T) {
	t.Parallel()
	type bad struct {
		_  ddb.Entity `pk:"A#{Nope}" sk:"B"`
		ID string
	}
	table := ddb.NewTable("Test", unreachable{})
	good, broken := ddb.Define[Note](table), ddb.Define[bad](table)
	if _, err := good.Get(Note{UserID: "u", NoteID: "n"}).Run(t.Context()); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("got %v, want ErrDefinition", err)
	}
	if err := broken.Create(&bad{}).Run(t.Context()); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("got %v, want ErrDefinition", err)
	}
	for _, err := range broken.Query(bad{}).All(t.Context()) {
		if !errors.Is(err, ddb.ErrDefinition) {
			t.Errorf("got %v, want ErrDefinition", err)
		}
	}
	if _, err := table.CreateTableInput(); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("got %v, want ErrDefinition", err)
	}
}

func TestListedIndexesAreTheOnlyOnes(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("Test", unreachable{}, ddb.GSI("GSI_1", "G1", "G2"))
	ddb.Define[Score](table)
	err := table.Err()
	if err == nil || !strings.Contains(err.Error(), "names index GSI1, which the table does not have; its indexes are GSI_1") {
		t.Errorf("got %v, want a fault that names the index and those there are", err)
	}
}

func TestTableFaults(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]*ddb.Table{
		"the table name": ddb.NewTable("T!", unreachable{}),
		"backend is nil": ddb.NewTable("Test", nil),
		"the separator":  ddb.NewTable("Test", unreachable{}, ddb.Separator('é')),
		"listed twice":   ddb.NewTable("Test", unreachable{}, ddb.GSI("GSI1", "A", "B"), ddb.GSI("GSI1", "C", "D")),
	} {
		if err := table.Err(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want a fault that says %q", err, name)
		}
	}
	if err := ddb.NewTable("arn:aws:dynamodb:eu-west-1:123456789012:table/Test", unreachable{}).Err(); err != nil {
		t.Error(err)
	}
}

// TestHandlesThatDoNotWork asserts that a handle which is no field's, or which
// was never made, is an error and no panic.
func TestHandlesThatDoNotWork(t *testing.T) {
	t.Parallel()
	outside := ""
	for name, at := range map[string]func(*User) *string{
		"must return the address": func(*User) *string { return &outside },
		"nil":                     func(*User) *string { return nil },
		"panicked":                func(u *User) *string { return &u.Tags[3] },
	} {
		s := newShop(unreachable{})
		h := ddb.Field(s.users, at)
		if err := s.table.Err(); !errors.Is(err, ddb.ErrDefinition) {
			t.Errorf("%s: got %v, want ErrDefinition", name, err)
		}
		if _, err := s.users.Update(User{ID: "u"}).Set(h.To("x")).If(h.Exists()).Run(t.Context()); !errors.Is(err, ddb.ErrDefinition) {
			t.Errorf("%s: got %v, want ErrDefinition", name, err)
		}
	}
	s := newShop(unreachable{})
	var unset ddb.Attribute[User, string]
	for name, op := range map[string]ddb.UpdateOp[User]{
		"To":        s.users.Update(User{ID: "u"}).Set(unset.To("x")),
		"Remove":    s.users.Update(User{ID: "u"}).Set(unset.Remove()),
		"condition": s.users.Update(User{ID: "u"}).Set(s.name.To("x")).If(unset.Eq("x").Or(unset.BeginsWith("y")).Not()),
	} {
		if _, err := op.Run(t.Context()); !errors.Is(err, ddb.ErrDefinition) {
			t.Errorf("%s: got %v, want ErrDefinition", name, err)
		}
	}
}
