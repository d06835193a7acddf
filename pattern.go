package ddb

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/schema"
)

// Pattern is an operation that [Table.Declare] takes: what Get, Query, Scan,
// Collection, BatchGet, TransactGet, the writes, Batch and Transact return.
type Pattern interface {
	declare() declared
}

// declared is what an operation says of itself.
type declared struct {
	name  string
	table *Table
	steps []schema.Step
	err   error // why it cannot be carried out
}

// Declare notes access patterns that the table is there for, each an operation
// with a name and with sample values:
//
//	table.Declare(
//		orders.Query(Order{UserID: "1"}).Desc().Limit(20).Named("a user's latest orders"),
//		users.Get(User{ID: "1"}).Named("a user by id"),
//	)
//
// [Table.Schema] lists them, and package design documents and checks them. The
// name is the one that observers see, so that what a pattern costs can be told.
// Declare makes no call. A pattern that has no name, or that of another, or that
// could not be carried out, is a fault that [Table.Err] and [Table.Schema] report,
// and that no operation minds. Declare patterns once all entities are defined. A nil
// table, whose Err is what is wrong with it, takes none.
func (t *Table) Declare(patterns ...Pattern) {
	if t == nil {
		return
	}
	faulty := t.ready() != nil // each operation would fail with that
	for _, p := range patterns {
		if isNil(p) {
			t.aside(Fault{Problem: "an access pattern is nil; declare operations"})
			continue
		}
		d := p.declare()
		problem := ""
		switch {
		case d.name == "":
			problem = "an access pattern has no name; give it one with Named"
		case faulty:
		case d.err != nil:
			problem = fmt.Sprintf("the access pattern %q cannot be carried out: %s", d.name, d.err)
		case d.table != t:
			problem = fmt.Sprintf("the access pattern %q is one of another table", d.name)
		}
		t.note(schema.Pattern{Name: d.name, Steps: d.steps}, problem)
	}
}

// note adds a pattern, or the fault that it is.
func (t *Table) note(p schema.Pattern, problem string) {
	if problem == "" && !t.keep(p) {
		problem = fmt.Sprintf("two access patterns have the name %q", p.Name)
	}
	if problem != "" {
		t.aside(Fault{Problem: problem})
	}
}

// keep adds a pattern, unless there is one of that name.
func (t *Table) keep(p schema.Pattern) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(t.patterns, func(o schema.Pattern) bool { return o.Name == p.Name }) {
		return false
	}
	t.patterns = append(t.patterns, p)
	return true
}

// declare is what an operation at the site says of itself.
func (s site) declare(err error, steps ...schema.Step) declared {
	return declared{s.pattern, s.table, steps, err}
}

func (g GetOp[T]) declare() declared {
	in, err := g.Input()
	if err != nil {
		return g.site().declare(err)
	}
	e := g.d.defined()
	step := e.keyStep("GetItem")
	step.Partitions = 1
	step.Consistent = aws.ToBool(in.ConsistentRead)
	step.Reads = e.named(e.primary, in.ProjectionExpression, in.ExpressionAttributeNames)
	return g.site().declare(nil, step)
}

func (q QueryOp[T]) declare() declared { return q.read.declare() }

func (q query) declare() declared {
	_, parts, err := q.plan()
	if err != nil {
		return q.site().declare(err)
	}
	step := q.entity.queryStep(q.entity.spec(q.index), q.edits.apply(parts[0].in), q.reader)
	step.Entity, step.Partitions = q.entity.name, partitionCount(parts)
	return q.site().declare(nil, step)
}

func (c CollectionOp) declare() declared {
	_, parts, err := c.plan()
	if err != nil {
		return c.site().declare(err)
	}
	step := c.p.entity.queryStep(c.p.entity.spec(c.p.index), c.edits.apply(parts[0].in), c.reader)
	step.Partitions = partitionCount(parts)
	return c.site().declare(nil, step)
}

// partitionCount counts the partitions that the parts of a query read at most.
func partitionCount(parts []stretch) int {
	n := 0
	for _, s := range parts {
		if !s.walks {
			n++
			continue
		}
		n += s.walk.count(cmp.Or(s.walk.most, maxBuckets))
	}
	return n
}

func (s ScanOp[T]) declare() declared { return s.read.declare() }

func (s scan) declare() declared {
	_, in, err := s.plan()
	if err != nil {
		return s.site().declare(err)
	}
	in = s.edits.apply(in)
	e, names := s.entity, in.ExpressionAttributeNames
	return s.site().declare(nil, schema.Step{
		Operation: "Scan", Entity: e.name, Index: s.index, Limit: s.reader.limit, Hydrated: s.reader.hydrate,
		Consistent: aws.ToBool(in.ConsistentRead), Count: in.Select == types.SelectCount,
		Filter: e.named(e.spec(s.index), in.FilterExpression, names),
		Reads:  e.named(e.spec(s.index), in.ProjectionExpression, names),
	})
}

func (b BatchGetOp) declare() declared {
	_, err := b.Inputs()
	return declareReads(b.pattern, b.reads, err)
}

func (t TransactGetOp) declare() declared {
	_, err := t.Input()
	return declareReads(t.pattern, t.reads, err)
}

// declareReads describes reads by key, equal ones once.
func declareReads(name string, reads []Read, err error) declared {
	out := declared{name: name, err: err}
	for _, r := range reads {
		step := r.entity.keyStep("GetItem")
		step.Partitions, step.Consistent = 1, r.strong
		out.add(r.entity.table, step)
	}
	return out
}

// add adds a step unless it is there already. The table is the first one's.
func (d *declared) add(t *Table, step schema.Step) {
	if d.table == nil {
		d.table = t
	}
	if !slices.ContainsFunc(d.steps, func(o schema.Step) bool { return reflect.DeepEqual(o, step) }) {
		d.steps = append(d.steps, step)
	}
}

func (p PutOp[T]) declare() declared    { return declareWrites(p.op.pattern, p) }
func (u UpdateOp[T]) declare() declared { return declareWrites(u.op.pattern, u) }
func (o DeleteOp[T]) declare() declared { return declareWrites(o.op.pattern, o) }

func (t TxOp) declare() declared {
	if _, err := t.transaction(); err != nil {
		return declared{name: t.pattern, err: err}
	}
	return declareWrites(t.pattern, t.writes...)
}

// declareWrites describes writes, equal ones once.
func declareWrites(name string, writes ...Write) declared {
	out := declared{name: name}
	for _, w := range writes {
		d, err := w.draft()
		if err == nil {
			_, err = d.compile(cond{})
		}
		if err != nil {
			out.err = err
			return out
		}
		out.add(d.entity.table, d.entity.keyStep(d.site.op))
	}
	return out
}

func (b BatchOp) declare() declared {
	out := declared{name: b.pattern}
	w, err := b.prepare()
	if err != nil {
		out.err = err
		return out
	}
	for _, op := range w.ops {
		out.add(op.entity.table, op.entity.keyStep(op.site.op))
	}
	return out
}

// keyStep is an operation on one item.
func (e *entity) keyStep(operation string) schema.Step {
	var conditions []string
	for _, c := range e.primary.columns() {
		conditions = append(conditions, c.attr+" = "+c.form())
	}
	return schema.Step{Operation: operation, Entity: e.name, Key: strings.Join(conditions, " AND ")}
}

func (e *entity) queryStep(spec *keySpec, in *dynamodb.QueryInput, r reader) schema.Step {
	step := schema.Step{
		Operation: "Query", Index: spec.index, Limit: r.limit, Hydrated: r.hydrate,
		Key:        spec.conditionForm(*in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
		Filter:     e.named(spec, in.FilterExpression, in.ExpressionAttributeNames),
		Reads:      e.named(spec, in.ProjectionExpression, in.ExpressionAttributeNames),
		Count:      in.Select == types.SelectCount,
		Consistent: aws.ToBool(in.ConsistentRead),
		Descending: in.ScanIndexForward != nil && !*in.ScanIndexForward,
	}
	if r.hydrate {
		step.Reads = nil // in the index the keys; of the table see the projection
	}
	return step
}

// placeholders are those of expressions; of a document path the whole.
var placeholders = regexp.MustCompile(`[#:][A-Za-z0-9_]+(?:(?:\.|\[)[^\s,()=<>]+)?`)

// named lists the attributes that an expression names, each once, but for those
// that are there to tell where an item lies and whose it is. If it names no
// other, it lists all.
func (e *entity) named(spec *keySpec, x *string, names map[string]string) []string {
	var all, own []string
	for _, p := range placeholders.FindAllString(aws.ToString(x), -1) {
		head, _, _ := strings.Cut(strings.ReplaceAll(p, "[", "."), ".")
		attr, isName := names[head]
		if !isName || slices.Contains(all, attr) {
			continue
		}
		all = append(all, attr)
		isKey := func(c *keyColumn) bool { return c.attr == attr }
		if attr != e.table.discriminator && !slices.ContainsFunc(slices.Concat(e.primary.columns(), spec.columns()), isKey) {
			own = append(own, attr)
		}
	}
	if len(own) == 0 && !slices.Equal(all, []string{e.table.discriminator}) {
		return all
	}
	return own
}

// conditionForm writes a key condition with attributes for names and, for values,
// the parts of templates that they fill.
func (s *keySpec) conditionForm(x string, names map[string]string, values map[string]types.AttributeValue) string {
	attr := ""
	return placeholders.ReplaceAllStringFunc(x, func(p string) string {
		if name, ok := names[p]; ok {
			attr = name
			return name
		}
		for _, c := range s.columns() {
			if c.attr == attr {
				return c.formOf(values[p])
			}
		}
		return p
	})
}

// form is the column's template without formats.
func (c *keyColumn) form() string {
	if c.plain != nil {
		return "{" + c.plain.name + "}"
	}
	var b strings.Builder
	for _, p := range c.template.parts {
		b.WriteString(p.form())
	}
	return b.String()
}

func (p keyPart) form() string {
	if p.literal != "" {
		return p.literal
	}
	return "{" + p.name() + "}"
}

// formOf returns the parts of the column's template that a value fills, the
// first ones; three dots stand for all that can follow.
func (c *keyColumn) formOf(v types.AttributeValue) string {
	s, isText := v.(*types.AttributeValueMemberS)
	if c.plain != nil || !isText {
		return c.form()
	}
	rest, open := strings.CutSuffix(s.Value, maxRune)
	rest = strings.TrimSuffix(rest, "\x00") // which excludes the value itself
	var b strings.Builder
	for i, p := range c.template.parts {
		switch {
		case rest == "":
		case p.literal != "":
			n := commonPrefix(rest, p.literal)
			b.WriteString(rest[:n])
			if rest = rest[n:]; n < len(p.literal) && rest != "" {
				return b.String() + rest // no key of the template
			}
		default:
			b.WriteString(p.form())
			rest = rest[len(c.template.take(rest, i)):]
		}
	}
	if open {
		b.WriteString("…")
	}
	return b.String()
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
