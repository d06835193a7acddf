package ddb

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Changes hands the records of a table's stream to handlers, each with the old and
// the new item as values of their entity:
//
//	changes := ddb.NewChanges(table)
//	ddb.OnInsert(changes, users, func(ctx context.Context, c ddb.Change[User]) error {
//		return greet(ctx, c.New)
//	})
//
// Records come from [Changes.Follow], which reads a stream, from [Changes.Invoke],
// which is a Lambda function, or from anywhere by [Changes.Handle]. The services
// deliver a record at least once: see [Once] for effects that must happen once.
//
// Once all handlers are registered a Changes is safe for concurrent use.
type Changes struct {
	table       *Table
	skipUnknown bool
	onError     func(context.Context, *ChangeError)
	handlers    map[*entity][]changeHandler
	faults      []Fault
}

// ChangesOption changes how [NewChanges] treats records.
type ChangesOption func(*Changes)

// SkipUnknown passes over records of items whose entity the table does not define.
// Without it they fail with [ErrEntityType], so that nothing goes by unseen.
// Records of an entity without handlers are passed over in any case.
func SkipUnknown() ChangesOption { return func(c *Changes) { c.skipUnknown = true } }

// OnChangeError calls f for every record that fails. Of what [Changes.Invoke] and
// [Changes.HandleBatch] report, Lambda sees only which record is to come again, so
// that f is the place to log why.
func OnChangeError(f func(context.Context, *ChangeError)) ChangesOption {
	return func(c *Changes) { c.onError = f }
}

// NewChanges returns a Changes of a table without handlers.
func NewChanges(t *Table, opts ...ChangesOption) *Changes {
	c := &Changes{table: t, handlers: make(map[*entity][]changeHandler)}
	for _, o := range opts {
		if o != nil {
			o(c)
		}
	}
	return c
}

// Change is what happened to an item of the entity T. It belongs to the handler.
type Change[T any] struct {
	Kind ChangeKind
	// Old and New are the item before and after the change: nil if there was none,
	// or if the view type of the stream leaves it out.
	Old, New *T
	// Key has the fields that make up the item's primary key, also where the
	// stream shows neither image, and is good for Get and Delete. Other fields are
	// not set.
	Key T
	// EventID is the same each time the record comes; see [Once].
	EventID        string
	SequenceNumber string
	Time           time.Time // of the change, to the second
	// Expired says that DynamoDB itself removed the item because its time to live
	// was over.
	Expired bool
	// Record is the record as it came. It must not be changed.
	Record *Record
}

// changeHandler is a caller's function for the changes of one entity.
type changeHandler struct {
	kinds  []ChangeKind // nil for all
	handle func(context.Context, *change) error
}

func (h *changeHandler) wants(k ChangeKind) bool {
	return h.kinds == nil || slices.Contains(h.kinds, k)
}

// change is a record of an entity. Values are pointers to structs, invalid for
// none.
type change struct {
	record        *Record
	old, new, key reflect.Value
}

// On registers f for every change of an entity. Handlers of one change run in the
// order in which they were registered, until one fails.
func On[T any](c *Changes, d *Definition[T], f func(context.Context, Change[T]) error) {
	register(c, d, f)
}

// OnInsert registers f for items that were put where there was none.
func OnInsert[T any](c *Changes, d *Definition[T], f func(context.Context, Change[T]) error) {
	register(c, d, f, Inserted)
}

// OnModify registers f for items that were changed or replaced.
func OnModify[T any](c *Changes, d *Definition[T], f func(context.Context, Change[T]) error) {
	register(c, d, f, Modified)
}

// OnRemove registers f for items that were deleted or have expired.
func OnRemove[T any](c *Changes, d *Definition[T], f func(context.Context, Change[T]) error) {
	register(c, d, f, Removed)
}

func register[T any](c *Changes, d *Definition[T], f func(context.Context, Change[T]) error, kinds ...ChangeKind) {
	typ, e := reflect.TypeFor[T]().String(), d.defined()
	switch {
	case c == nil || c.handlers == nil: // Err says so
		return
	case e.table != c.table:
		c.faults = append(c.faults, Fault{Type: typ, Problem: "its changes are those of another table; make a Changes of that one"})
	case f == nil:
		c.faults = append(c.faults, Fault{Type: typ, Problem: "the handler of its changes is nil"})
	}
	c.handlers[e] = append(c.handlers[e], changeHandler{kinds, func(ctx context.Context, raw *change) error {
		return f(ctx, changeOf[T](raw))
	}})
}

func changeOf[T any](raw *change) Change[T] {
	r := raw.record
	c := Change[T]{
		Kind: r.Kind, EventID: r.EventID, SequenceNumber: r.SequenceNumber, Time: r.Time, Expired: r.Expired, Record: r,
	}
	if raw.old.IsValid() {
		c.Old = raw.old.Interface().(*T)
	}
	if raw.new.IsValid() {
		c.New = raw.new.Interface().(*T)
	}
	if raw.key.IsValid() {
		c.Key = *raw.key.Interface().(*T)
	}
	return c
}

// Err returns nil or a [*DefinitionError] with every fault of the table, its
// entities and the handlers. Until the faults are mended no record is handled.
func (c *Changes) Err() error {
	if err := c.ready(); err != nil {
		return err
	}
	return c.table.Err()
}

// ready returns what keeps records from being handled, nil for nothing.
func (c *Changes) ready() error {
	if c == nil || c.handlers == nil {
		return (&Table{}).faulty([]Fault{{Problem: "the Changes is nil or zero; make one with ddb.NewChanges"}})
	}
	if err := c.table.ready(); err != nil {
		return err
	}
	return c.table.faulty(c.faults)
}

// ChangeError says at which record a Changes has stopped, and why.
type ChangeError struct {
	Table          string
	Entity         string // "" if it is not known
	Kind           ChangeKind
	EventID        string
	SequenceNumber string
	Err            error
}

func (e *ChangeError) Error() string {
	var b strings.Builder
	b.WriteString("ddb: ")
	if e.Kind != "" {
		b.WriteString(strings.ToLower(string(e.Kind)) + " ")
	}
	b.WriteString(e.Table)
	if e.Entity != "" {
		b.WriteString(": " + e.Entity)
	}
	if e.SequenceNumber != "" {
		b.WriteString(", record " + e.SequenceNumber)
	}
	return b.String() + ": " + fmt.Sprint(e.Err)
}

func (e *ChangeError) Unwrap() error { return e.Err }

// Handle hands records to the handlers, one after the other. It stops at the first
// that fails with a [*ChangeError]; the records before it have been handled. A
// record of an entity that the table does not define fails with [ErrEntityType],
// see [SkipUnknown], one whose images do not fit their entity with [ErrDecode].
// Records of markers of unique fields are nobody's business and passed over.
func (c *Changes) Handle(ctx context.Context, records ...Record) error {
	if err := c.ready(); err != nil {
		return err
	}
	for i := range records {
		if _, err := c.handle(ctx, &records[i]); err != nil {
			return err
		}
	}
	return nil
}

// handle hands over one record and reports whether there was a handler for it.
func (c *Changes) handle(ctx context.Context, r *Record) (handled bool, err error) {
	e, err := c.entityOf(r)
	if err == nil && e != nil {
		handled, err = c.dispatch(ctx, e, r)
	}
	if err == nil {
		return handled, nil
	}
	failed := c.failed(r, err)
	if e != nil {
		failed.Entity = e.name
	}
	c.report(ctx, failed)
	return handled, failed
}

func (c *Changes) failed(r *Record, err error) *ChangeError {
	return &ChangeError{Table: c.table.name, Kind: r.Kind, EventID: r.EventID, SequenceNumber: r.SequenceNumber, Err: err}
}

// report tells the caller's function of a failure. What a context that has ended
// keeps from being done is none.
func (c *Changes) report(ctx context.Context, failed *ChangeError) {
	if c.onError != nil && ctx.Err() == nil {
		c.onError(ctx, failed)
	}
}

func (c *Changes) dispatch(ctx context.Context, e *entity, r *Record) (handled bool, err error) {
	for _, h := range c.handlers[e] {
		if !h.wants(r.Kind) {
			continue
		}
		handled = true
		if err := ctx.Err(); err != nil {
			return handled, err
		}
		raw, err := e.change(r) // each handler has values of its own
		if err != nil {
			return handled, err
		}
		if err := h.handle(ctx, raw); err != nil {
			return handled, err
		}
	}
	return handled, nil
}
