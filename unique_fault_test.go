package ddb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed530093c6/ddb"
)

// TestUniqueFaults asserts that each misuse of the tag unique is reported where it
// is made.
func TestUniqueFaults(t *testing.T) {
	t.Parallel()
	type unknownOption struct {
		_     ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID    string
		Email string `ddb:"unique,upper"`
	}
	type misspelt struct {
		_     ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID    string
		Email string `ddb:"uniqe"`
	}
	type list struct {
		_     ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID    string
		Names []string `ddb:"unique"`
		Flag  bool     `ddb:"unique"`
		Any   any      `ddb:"unique"`
	}
	type lowerNumber struct {
		_  ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID string
		N  int `ddb:"unique,lower"`
	}
	type emptyScope struct {
		_     ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID    string
		Email string `ddb:"unique="`
	}
	type separatorInScope struct {
		_     ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID    string
		Email string `ddb:"unique=a#b"`
	}
	type separatorInName struct {
		_     ddb.Entity `name:"A#B" pk:"A#{ID}" sk:"A"`
		ID    string
		Email string `ddb:"unique"`
	}
	type otherKind struct {
		_  ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID string
		S  string `ddb:"unique=x"`
		N  int    `ddb:"unique=x"`
	}
	type otherCase struct {
		_    ddb.Entity `pk:"A#{ID}" sk:"A"`
		ID   string
		S, T string `ddb:"unique=x"`
		U    string `ddb:"unique=x,lower"`
	}
	type byChance struct {
		_  ddb.Entity `name:"A" pk:"A#{ID}" sk:"A"`
		ID string
		S  string `ddb:"unique"`
		T  string `ddb:"unique=A.S"`
	}
	type keyOfMarkers struct {
		_     ddb.Entity `pk:"{ID}#{Sub}" sk:"{Sub}#{ID}"`
		ID    string
		Sub   string
		Email string `ddb:"unique"`
	}
	type named struct {
		_     ddb.Entity `name:"UNIQUE" pk:"A#{ID}" sk:"A"`
		ID    string
		Email string `ddb:"unique"`
	}
	type good struct {
		_     ddb.Entity `name:"Good" pk:"GOOD#{ID}" sk:"GOOD"`
		ID    string
		Email string `ddb:"unique=mail" dynamodbav:",omitempty"`
	}
	type otherEntity struct {
		_    ddb.Entity `name:"Other" pk:"OTHER#{ID}" sk:"OTHER"`
		ID   string
		Mail int `ddb:"unique=mail" dynamodbav:",omitempty"`
	}
	type beside struct {
		_   ddb.Entity `name:"Beside" pk:"UNIQUE#{ID}" sk:"UNIQUE#{Sub}"`
		ID  string
		Sub string
	}
	type number struct {
		_     ddb.Entity `name:"Number" pk:"{PK}"`
		PK    int
		Email string `ddb:"unique"`
	}
	type plain struct {
		_     ddb.Entity `name:"Plain" pk:"{PK}"`
		PK    string
		Email string `ddb:"unique"`
	}
	for _, test := range []struct {
		name   string
		define func(*ddb.Table)
		want   string
		opts   []ddb.TableOption
	}{
		{"unknown option", def[unknownOption], `Email ddb:"unique,upper": unknown option "upper"`, nil},
		{"misspelt", def[misspelt], `unknown word "uniqe"`, nil},
		{"list", def[list], "Names ddb:\"unique\": is a []string; a unique field is a string", nil},
		{"bool", def[list], "Flag ddb:\"unique\": is a bool", nil},
		{"any", def[list], "Any ddb:\"unique\": is a interface {}", nil},
		{"lower number", def[lowerNumber], "only strings have lower case", nil},
		{"empty scope", def[emptyScope], "names no scope", nil},
		{"separator in the scope", def[separatorInScope], `the scope "a#b", which holds the separator`, nil},
		{"separator in the name", def[separatorInName], `the scope "A#B.Email", which holds the separator`, nil},
		{"two kinds in a scope", def[otherKind], `is stored otherwise than, in the same scope "x", field S`, nil},
		{"two cases in a scope", def[otherCase], `must have the option lower like`, nil},
		{"scope by chance", def[byChance], `has the scope "A.S" by chance`, nil},
		{"keys of markers", def[keyOfMarkers], "the same key as the markers", nil},
		{"name of markers", def[named], `has the name "UNIQUE"`, nil},
		{"two kinds, two entities", both[good, otherEntity], "ddb_test.otherEntity, Mail ddb unique: is stored otherwise than", nil},
		{"keys of markers, two entities", both[good, beside], "ddb_test.beside: can have the same key as the markers", nil},
		{"keys of markers, other order", both[beside, good], "ddb_test.beside: can have the same key as the markers", nil},
		{"numeric key", def[number], "the key attribute PK is of type N", []ddb.TableOption{ddb.Keys("PK", "")}},
		{"attribute as key", def[plain], "the same key as the markers", []ddb.TableOption{ddb.Keys("PK", "")}},
		{"attribute of markers", def[good], "needs the attribute UniqueOwner", []ddb.TableOption{ddb.Discriminator("UniqueOwner")}},
	} {
		table := ddb.NewTable("Test", unreachable{}, test.opts...)
		test.define(table)
		if err := table.Err(); !errors.Is(err, ddb.ErrDefinition) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want a fault that says %q", test.name, err, test.want)
		}
	}
	if table := ddb.NewTable("Test", unreachable{}, ddb.Separator('|'), ddb.Discriminator("Kind")); true {
		type barred struct {
			_     ddb.Entity `pk:"A|{ID}" sk:"A"`
			ID    string
			Email string `ddb:"unique=a#b"`
		}
		ddb.Define[barred](table)
		if err := table.Err(); err != nil {
			t.Error(err)
		}
	}
}

// TestUniqueOnASimpleKey asserts that markers live in a table whose key has no sort
// part, and whose key attribute, separator and discriminator have other names.
func TestUniqueOnASimpleKey(t *testing.T) {
	t.Parallel()
	type user struct {
		_     ddb.Entity `name:"User" pk:"user|{ID}"`
		ID    string
		Email string `ddb:"unique" dynamodbav:"mail"`
	}
	_, db := open(t)
	table := ddb.NewTable("Simple", backend(t, db), ddb.Keys("id", ""), ddb.Separator('|'), ddb.Discriminator("kind"))
	users := ddb.Define[user](table)
	create(t, db, table)
	ctx := t.Context()
	put(t, users, user{ID: "a", Email: "x"})
	wantTaken(t, users.Create(&user{ID: "b", Email: "x"}).Run(ctx), "User", "Email")
	if err := users.Delete(user{ID: "a"}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	put(t, users, user{ID: "b", Email: "x"})
	out, err := db.Scan(ctx, scanOf("Simple"))
	if err != nil || out.Count != 2 {
		t.Errorf("got %d items and %v, want the user and its marker", out.Count, err)
	}
}
