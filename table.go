package ddb

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/seed530093c6/ddb/schema"
)

// Table is one DynamoDB table and the entities that live in it. Make one with
// [NewTable], then [Define] its entities; after that it is safe for concurrent
// use.
type Table struct {
	name          string
	backend       Backend
	keys          keyNames
	discriminator string
	separator     byte
	declared      bool // indexes were listed as options
	gsiQuota      int  // 0: the default
	observers     []func(context.Context, Call) (context.Context, func(Call))
	cursorKeys    [][]byte
	clock         func() time.Time

	mu       sync.RWMutex // guards what follows; written by Define, Field and Declare only
	indexes  []*tableIndex
	entities []*entity
	faults   []Fault // of definitions: no operation works
	asides   []Fault // of handles and patterns, which concern none but those who use them
	patterns []schema.Pattern
}

// TableOption changes how [NewTable] describes a table.
type TableOption func(*Table)

// Keys names the attributes of the primary key. Without it they are PK and SK.
// An empty sk means a simple key.
func Keys(pk, sk string) TableOption {
	return func(t *Table) { t.keys = keyNames{roleNames(pk), roleNames(sk)} }
}

// Discriminator names the attribute that says which entity an item is. Without
// it the attribute is EntityType.
func Discriminator(attr string) TableOption {
	return func(t *Table) { t.discriminator = attr }
}

// Separator sets the ASCII character that stands between the parts of a key and
// that no part may hold. Without it that is '#'.
func Separator(c byte) TableOption {
	return func(t *Table) {
		if c == 0 || c >= 0x80 {
			t.fault(Fault{Problem: "the separator must be an ASCII character other than NUL"})
			return
		}
		t.separator = c
	}
}

// CursorKeys sets the secrets that sign cursors (HMAC-SHA256), so that clients
// can neither read another partition nor forge a position. The first key signs;
// all verify, which lets keys rotate. An empty key, which anybody can guess, is a
// fault of the table, and so are no keys at all. Without the option cursors are
// only protected against damage. The table keeps copies of the keys.
func CursorKeys(keys ...[]byte) TableOption {
	return func(t *Table) {
		if len(keys) == 0 || slices.ContainsFunc(keys, func(key []byte) bool { return len(key) == 0 }) {
			t.fault(Fault{Problem: "ddb.CursorKeys was given an empty secret, or none; with it anybody could make cursors"})
			return
		}
		t.cursorKeys = nil
		for _, key := range keys {
			t.cursorKeys = append(t.cursorKeys, slices.Clone(key))
		}
	}
}

// Clock sets where the time for created, updated and expiry fields comes from.
// Without it that is time.Now. It may be called from several goroutines.
func Clock(now func() time.Time) TableOption {
	return func(t *Table) {
		if now != nil {
			t.clock = now
		}
	}
}

// Now returns the time by the table's [Clock], in UTC: what created and updated
// fields are set to. Code that puts times into keys takes them from here.
func (t *Table) Now() time.Time {
	if t == nil || t.clock == nil {
		return time.Now().UTC()
	}
	return t.clock().UTC()
}

// tableName is the form of a table's name or ARN.
// HowItWorks.NamingRulesDataTypes.html#HowItWorks.NamingRules.
var tableName = regexp.MustCompile(`^([a-zA-Z0-9_.-]{3,255}|arn:.+:table/[a-zA-Z0-9_.-]{3,255})$`)

// NewTable describes the table with that name on a backend. It makes no call;
// mistakes are collected and reported by [Table.Err].
func NewTable(name string, backend Backend, opts ...TableOption) *Table {
	t := &Table{
		name: name, backend: backend, keys: keyNames{[]string{"PK"}, []string{"SK"}},
		discriminator: "EntityType", separator: '#', clock: time.Now,
	}
	for _, o := range opts {
		if o != nil {
			o(t)
		}
	}
	if !tableName.MatchString(name) {
		t.fault(Fault{Problem: fmt.Sprintf("the table name %q is not 3 to 255 of the characters a-z, A-Z, 0-9, _, - and ., nor the ARN of a table", name)})
	}
	if isNil(backend) {
		t.fault(Fault{Problem: "the backend is nil; pass a *dynamodb.Client or memory.New()"})
	}
	t.checkKeys()
	return t
}

// Name returns the table's name, "" of a nil table.
func (t *Table) Name() string {
	if t == nil {
		return ""
	}
	return t.name
}

// isNil reports whether an argument is nil, or a nil pointer in an interface.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

// Err returns nil or a [*DefinitionError] with every fault of the table, its
// entities, the handles that [Field] made and the patterns that were declared. Until
// those of table and entities are mended, each operation fails with them. A faulty
// handle fails where it is used, a faulty pattern in [Table.Schema]; nothing else
// minds, so that neither can bring down a program that is running.
func (t *Table) Err() error {
	if err := t.ready(); err != nil {
		return err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.faulty(t.asides)
}

// ready returns what keeps operations from working, nil for nothing.
func (t *Table) ready() error {
	if t == nil {
		return (&Table{}).faulty([]Fault{unmade})
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.backend == nil && len(t.faults) == 0 {
		return t.faulty([]Fault{unmade})
	}
	return t.faulty(t.faults)
}

// unmade is the fault of the zero Table and of none.
var unmade = Fault{Problem: "the table is nil or zero; make one with ddb.NewTable"}

func (t *Table) faulty(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return &DefinitionError{Table: t.name, Faults: slices.Clone(faults)}
}

// fault notes a mistake. It is called by options and by Define, which holds mu.
func (t *Table) fault(f Fault) { t.faults = append(t.faults, f) }

// aside notes a mistake that is no operation's business, once.
func (t *Table) aside(f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.asides, f) {
		t.asides = append(t.asides, f)
	}
}

// entityNamed returns the entity with that discriminator, or nil.
func (t *Table) entityNamed(name string) *entity {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entities {
		if e.name == name {
			return e
		}
	}
	return nil
}

// Definition is the entity T in a table: the way to read and write its items.
// It is safe for concurrent use.
type Definition[T any] struct {
	entity *entity
}

// Define compiles the tags of T and adds the entity to the table. Defining one
// type twice gives the same entity. Faults, also those between T and the
// table's other entities, are collected in [Table.Err].
func Define[T any](t *Table) *Definition[T] {
	return &Definition[T]{t.define(reflect.TypeFor[T]())}
}

// define is Define for a type that only reflection knows.
func (t *Table) define(typ reflect.Type) *entity {
	if t == nil {
		return undefined(unmade)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entities {
		if e.plan != nil && e.plan.typ == typ {
			return e
		}
	}
	if t.backend == nil && len(t.faults) == 0 {
		return undefined(unmade)
	}
	before := len(t.faults)
	e := newEntity(t, typ)
	if len(t.faults) == before {
		for _, o := range t.entities {
			e.checkAgainst(o, t.fault)
		}
		t.entities = append(t.entities, e)
	}
	return e
}

// Name returns the entity's name, which the discriminator attribute holds.
func (d *Definition[T]) Name() string { return d.defined().name }

// defined returns the entity; of a Definition that Define has not made, one with
// which no operation works.
func (d *Definition[T]) defined() *entity {
	if d == nil {
		return (*entity)(nil).known()
	}
	return d.entity.known()
}
