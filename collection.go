package ddb

import (
	"context"
	"iter"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Partition names one partition of a table or index: all items that share a
// partition key.
type Partition struct {
	entity *entity
	key    reflect.Value
	index  string
}

// Partition returns the partition in which the item with the fields of key
// lies, with whatever other entities are there.
func (d *Definition[T]) Partition(key T) Partition {
	return Partition{entity: d.defined(), key: reflect.ValueOf(key)}
}

// Index returns the partition of a secondary index instead.
func (p Partition) Index(name string) Partition {
	p.index = name
	return p
}

// CollectionOp reads the items of several entities that share a partition key,
// an item collection, with one query. A CollectionOp is a value: each method
// returns a changed copy.
type CollectionOp struct {
	table   *Table
	p       Partition
	pattern string
	raw     *rawWindow
	filter  cond
	hide    bool
	unknown unknown
	reader  reader
	edits   edits[dynamodb.QueryInput]
}

// unknown is what happens to items of entities that the table does not define.
type unknown uint8

const (
	refuseUnknown unknown = iota
	keepUnknown
	skipUnknown
)

// Collection reads a partition. Items are told apart by the discriminator or,
// where an index does not carry it, by their primary keys.
func (t *Table) Collection(p Partition) CollectionOp { return CollectionOp{table: t, p: p} }

// Defined is an entity of a table, whatever its Go type: a [Definition].
type Defined interface {
	defined() *entity
}

// Only leaves out other entities than those named. It is a filter.
func (c CollectionOp) Only(entities ...Defined) CollectionOp {
	c.filter = c.filter.and(c.table.only(entities))
	return c
}

// only is the condition that an item is of one of some entities.
func (t *Table) only(entities []Defined) cond {
	if n := len(entities); n == 0 || n > maxOperands {
		return cond{err: because(ErrExpression, "Only takes 1 to %d entities, not %d", maxOperands, n)}
	}
	names := make([]expression.OperandBuilder, len(entities))
	for i, d := range entities {
		if isNil(d) || t == nil || d.defined().table != t {
			return cond{err: because(ErrExpression, "Only was given nil or an entity of another table")}
		}
		names[i] = expression.Value(text(d.defined().name))
	}
	return raw(expression.In(nameOf(t.discriminator), names[0], names[1:]...))
}

// FilterExpr leaves out items that do not meet a condition made with package
// expression. They are read, and paid for, all the same. An attribute that an
// item does not have meets hardly any condition, so that a filter on what one
// entity has leaves out the others.
func (c CollectionOp) FilterExpr(b expression.ConditionBuilder) CollectionOp {
	c.filter = c.filter.and(raw(b))
	return c
}

// HideExpired leaves out items whose expiry is past, which DynamoDB deletes only
// some time later. It is a filter.
func (c CollectionOp) HideExpired() CollectionOp {
	c.hide = true
	return c
}

// RawFrom begins the range at a sort key as it is stored, byte for byte; "" is no
// bound. A number is written in digits.
func (c CollectionOp) RawFrom(lo string) CollectionOp {
	c.raw = c.raw.withLo(lo)
	return c
}

// RawUntil ends the range with a sort key as it is stored; see RawFrom.
func (c CollectionOp) RawUntil(hi string) CollectionOp {
	c.raw = c.raw.withHi(hi)
	return c
}

// RawBetween is RawFrom(lo) and RawUntil(hi).
func (c CollectionOp) RawBetween(lo, hi string) CollectionOp { return c.RawFrom(lo).RawUntil(hi) }

// RawPrefix reads the items whose sort key, as it is stored, begins with a text.
func (c CollectionOp) RawPrefix(prefix string) CollectionOp {
	c.raw = c.raw.withPrefix(prefix)
	return c
}

// Desc reads from the last item to the first.
func (c CollectionOp) Desc() CollectionOp {
	c.reader.desc = true
	return c
}

// Consistent makes the read strongly consistent, at twice the capacity. A
// global index does not offer that.
func (c CollectionOp) Consistent() CollectionOp {
	c.reader.strong = true
	return c
}

// Limit ends the read after n items, whatever their entity. 0 is no limit.
func (c CollectionOp) Limit(n int) CollectionOp {
	c.reader.limit = n
	return c
}

// PageSize sets how many items one call evaluates. 0 leaves it to the service,
// which stops at 1 MB.
func (c CollectionOp) PageSize(n int) CollectionOp {
	c.reader.pageSize = n
	return c
}

// MaxPages ends the read after n calls, or n to each shard of a sharded key. 0 is
// no bound.
func (c CollectionOp) MaxPages(n int) CollectionOp {
	c.reader.maxPages = n
	return c
}

// Parallel sets how many shards of a sharded key are read at once. 0 is 32.
func (c CollectionOp) Parallel(n int) CollectionOp {
	c.reader.parallel = n
	return c
}

// Hydrate reads the items that an index lists anew from the table, whole; see
// [QueryOp.Hydrate].
func (c CollectionOp) Hydrate() CollectionOp {
	c.reader.hydrate = true
	return c
}

// KeepUnknown keeps items of entities that the table does not define as they are
// stored, where reading would fail with [ErrEntityType] otherwise.
func (c CollectionOp) KeepUnknown() CollectionOp {
	c.unknown = keepUnknown
	return c
}

// SkipUnknown leaves out items of entities that the table does not define.
func (c CollectionOp) SkipUnknown() CollectionOp {
	c.unknown = skipUnknown
	return c
}

// ReturnConsumedCapacity asks for what each call consumes, which [Collection]
// then adds up.
func (c CollectionOp) ReturnConsumedCapacity(what types.ReturnConsumedCapacity) CollectionOp {
	c.reader.capacity = what
	return c
}

// Named says which access pattern the read is, for observers.
func (c CollectionOp) Named(pattern string) CollectionOp {
	c.pattern = pattern
	return c
}

// Edit lets f change each SDK input before it is sent.
func (c CollectionOp) Edit(f func(*dynamodb.QueryInput)) CollectionOp {
	c.edits = c.edits.with(f)
	return c
}

func (c CollectionOp) site() site {
	return site{op: "Query", table: c.table, index: c.p.index}.named(c.pattern)
}

// Input returns the SDK input of the first call, or of the first of the calls
// that read the shards of a sharded key.
func (c CollectionOp) Input() (*dynamodb.QueryInput, error) {
	r, parts, err := c.plan()
	if err != nil {
		return nil, err
	}
	parts[0].in.Limit = r.size()
	return c.edits.apply(parts[0].in), nil
}

func (c CollectionOp) compile() (*reading, error) {
	r, parts, err := c.plan()
	if err != nil {
		return nil, err
	}
	for _, s := range parts {
		r.over(s.fetcher(r.site, c.edits))
	}
	return r, nil
}

// plan returns a reading without its sources, and what they are to read.
func (c CollectionOp) plan() (*reading, []stretch, error) {
	if err := c.table.ready(); err != nil {
		return nil, nil, err
	}
	r, parts, err := c.build()
	if err != nil {
		return nil, nil, c.site().fail(err)
	}
	return r, parts, nil
}

func (c CollectionOp) build() (*reading, []stretch, error) {
	e := c.p.entity
	if e == nil || e.table != c.table {
		return nil, nil, because(ErrIndex, "the partition belongs to another table")
	}
	spec := e.spec(c.p.index)
	if spec == nil {
		return nil, nil, because(ErrIndex, "%s is not in it", e.name)
	}
	if spec.thin && c.filter.set {
		return nil, nil, because(ErrIndex, "it does not carry the discriminator %s and may lack other attributes, so that it cannot be filtered", c.table.discriminator)
	}
	// Of several entities with an expiry all have it in one attribute.
	expiring := c.table.expiring(e)
	s := selection{filter: c.filter, hide: c.hide}
	r, err := c.reader.of(expiring, spec, c.site(), s)
	if err != nil {
		return nil, nil, err
	}
	r.decode = c.decoder(spec, r.picky)
	r.skips = r.skips || c.unknown == skipUnknown
	order, err := c.sortRange(spec)
	if err != nil {
		return nil, nil, err
	}
	parts, err := c.reader.stretches(e, spec, c.p.key, order, window{})
	if err != nil {
		return nil, nil, err
	}
	here, _ := s.split(c.reader.hydrate)
	return r, parts, r.selectInto(parts, expiring, spec, here, false)
}

// expiring returns an entity that has an expiry, or e if none does.
func (t *Table) expiring(e *entity) *entity {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, o := range t.entities {
		if o.stamps.ttl != nil {
			return o
		}
	}
	return e
}

func (c CollectionOp) sortRange(spec *keySpec) (sortCondition, error) {
	switch {
	case c.raw == nil:
		return sortCondition{}, nil
	case len(spec.sk) == 0:
		return sortCondition{}, because(ErrRange, "the key has no sort part")
	}
	if err := c.raw.check(); err != nil {
		return sortCondition{}, err
	}
	return spec.sk[0].rawCondition(c.raw)
}

// decoder returns what makes values of the items. hide says that expired ones
// are to be left out here.
func (c CollectionOp) decoder(spec *keySpec, hide bool) func(item) (found, bool, error) {
	hydrated := c.reader.hydrate
	untyped := !hydrated && spec.thin
	return func(it item) (found, bool, error) {
		e, err := c.entityOf(it, untyped)
		switch {
		case err == nil:
		case c.unknown == refuseUnknown:
			return found{}, false, err
		default:
			return found{value: it}, c.unknown == keepUnknown, nil
		}
		seen := view{spec: e.spec(spec.index), untyped: untyped}
		if hydrated || seen.spec == nil {
			seen.spec = e.primary
		}
		v, err := e.decodeView(it, seen)
		if err != nil {
			return found{}, false, err
		}
		return found{e, v.Interface()}, !hide || !e.expired(v.Elem()), nil
	}
}

// entityOf tells which entity an item is.
func (c CollectionOp) entityOf(it item, untyped bool) (*entity, error) {
	if untyped {
		return c.table.ownerOf(it)
	}
	name, err := c.table.typeOf(it, "write items through ddb, or use KeepUnknown or SkipUnknown")
	if err != nil {
		return nil, err
	}
	if e := c.table.entityNamed(name); e != nil {
		return e, nil
	}
	return nil, because(ErrEntityType, "the table defines no entity %s; define it, or use KeepUnknown or SkipUnknown", name)
}

// ownerOf tells which entity an item is by its primary key.
func (t *Table) ownerOf(it item) (*entity, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, e := range t.entities {
		if e.owns(it) {
			return e, nil
		}
	}
	return nil, because(ErrEntityType, "the key of an item is none that the table's entities make; define its entity, or use KeepUnknown or SkipUnknown")
}

// Collection is what was read of a partition. It belongs to the caller.
type Collection struct {
	// Next continues behind the last item; it is "" when there is no more. It
	// serves CollectionOp.Page.
	Next string
	Cost

	found    []found
	complete bool
}

// Load reads the collection, all of it unless Limit or MaxPages end it. It fails
// with [ErrEntityType] on an item whose entity the table does not define, unless
// KeepUnknown or SkipUnknown says otherwise.
func (c CollectionOp) Load(ctx context.Context) (*Collection, error) {
	r, err := c.compile()
	if err != nil {
		return nil, err
	}
	p, err := paged{r, c.table.sealer(r)}.part(ctx)
	return newCollection(p, err)
}

// Page reads one page of the collection: with Limit, that many items unless the
// result ends before; otherwise what one call brings, or one call to each shard
// of a sharded key. An entity that is missing on a page may still come on
// another. cursor is "" for the first page and Next of the page before for each
// further one; it belongs to this read as that of [QueryOp.Page] does.
func (c CollectionOp) Page(ctx context.Context, cursor string) (*Collection, error) {
	return newCollection(prepared(c.compile).page(ctx, cursor))
}

// Pages reads page after page; see [QueryOp.Pages].
func (c CollectionOp) Pages(ctx context.Context) iter.Seq2[*Collection, error] {
	return func(yield func(*Collection, error) bool) {
		for p, err := range prepared(c.compile).pages(ctx) {
			if !yield(newCollection(p, err)) {
				return
			}
		}
	}
}

func newCollection(p part, err error) (*Collection, error) {
	if err != nil {
		return nil, err
	}
	return &Collection{Next: p.next, Cost: p.cost, found: p.found, complete: p.whole}, nil
}

// All reads the items one by one, in the order of the sort key, calling the
// service as they are used. Each is a value of its entity's type, to be told
// apart by a type switch; with KeepUnknown, items of unknown entities are
// map[string]types.AttributeValue. The first error is yielded and ends the
// sequence.
func (c CollectionOp) All(ctx context.Context) iter.Seq2[any, error] {
	return as(prepared(c.compile).each(ctx), found.plain)
}

// plain returns the value itself, where found has a pointer.
func (f found) plain() any {
	if f.entity == nil {
		return f.value
	}
	return reflect.ValueOf(f.value).Elem().Interface()
}

// Complete reports whether the whole partition, or range of it, was read. If it
// was not, because of Limit or MaxPages or because this is one page of several, an
// entity that is missing may exist all the same.
func (c *Collection) Complete() bool { return c.complete }

// Len returns how many items were read, those of unknown entities included.
func (c *Collection) Len() int { return len(c.found) }

// Values yields what was read in the order of the sort key, as
// [CollectionOp.All] does.
func (c *Collection) Values() iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, f := range c.found {
			if !yield(f.plain()) {
				return
			}
		}
	}
}

// Unknown returns the items of entities that the table does not define, which
// KeepUnknown kept.
func (c *Collection) Unknown() []map[string]types.AttributeValue {
	var out []map[string]types.AttributeValue
	for _, f := range c.found {
		if f.entity == nil {
			out = append(out, f.value.(item))
		}
	}
	return out
}

// Of returns the collection's items of one entity in the order they were read. A
// table has one entity of a Go type, so that d only says which type that is.
func Of[T any](c *Collection, d *Definition[T]) []T {
	out := []T{}
	if c == nil {
		return out
	}
	for _, f := range c.found {
		if v, ok := f.value.(*T); ok {
			out = append(out, *v)
		}
	}
	return out
}
