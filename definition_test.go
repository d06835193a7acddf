package ddb_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed530093c6/ddb"
)

func TestDefinitionsWithoutFault(t *testing.T) {
	t.Parallel()
	if err := newShop(unreachable{}).table.Err(); err != nil {
		t.Fatal(err)
	}
}

func def[T any](t *ddb.Table) { ddb.DefineType(t, reflect.TypeFor[T]()) }

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
