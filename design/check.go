package design

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/schema"
)

// Code says what kind of weakness a finding is about.
type Code string

// The weaknesses that are looked for.
const (
	// LowCardinality: the partition key has few values, so that few partitions
	// take all the load.
	LowCardinality Code = "low-cardinality"
	// TimeKey: the partition key is a time, so that all writes of the moment have
	// the same one.
	TimeKey Code = "time-key"
	// HotKey: a partition key took far more than its share, or calls were
	// throttled. From heat and traffic.
	HotKey Code = "hot-key"
	// UnpaddedNumber: numbers sort as texts, 10 before 9. From definitions and
	// sample items.
	UnpaddedNumber Code = "unpadded-number"
	// TimeFormat: times have several forms, or do not say their zone. From
	// definitions and sample items.
	TimeFormat Code = "time-format"
	// MixedKeys: a query for one entity reads the items of others too.
	MixedKeys Code = "mixed-keys"
	// Overwrite: two items of one instant have the same key.
	Overwrite Code = "overwrite"
	// UnusedIndex: an index that no pattern reads.
	UnusedIndex Code = "unused-index"
	// ManyIndexes: more indexes than the patterns need, or an entity in many.
	ManyIndexes Code = "many-indexes"
	// WideProjection: an index carries what its patterns do not read.
	WideProjection Code = "wide-projection"
	// ThinProjection: a pattern reads what the index does not carry.
	ThinProjection Code = "thin-projection"
	// ItemSize: items are large, or near 400 KB. From sample items.
	ItemSize Code = "item-size"
	// Nesting: values are nested near 32 levels, or can be nested to any depth.
	// From definitions and sample items.
	Nesting Code = "nesting"
	// DroppingFilter: a filter drops most of what was read and paid for. From
	// traffic.
	DroppingFilter Code = "dropping-filter"
	// Scan: a pattern reads the whole table or index.
	Scan Code = "scan"
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	Warning Level = "warning" // fails or costs with growth
	Hint    Level = "hint"    // worth a look; may be meant
)

// Finding is one weakness of a design.
type Finding struct {
	Code    Code
	Level   Level
	Subject string // what it is about: an entity in an index, an index, a pattern, a key
	Reason  string // what is the case, and why that matters
	Mend    string // what to do about it
}

// String says all that on one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s: %s; %s", f.Level, f.Code, f.Subject, f.Reason, f.Mend)
}

// Evidence is what was seen of a table at work. Each part may be left out.
type Evidence struct {
	// Items are sample items in stored form, for instance from [Sample].
	Items []map[string]types.AttributeValue
	// Usage is what [Traffic] has collected.
	Usage []Usage
	// Heat is what memory.DB.Heat reports of the table.
	Heat memory.Heat
}

// Check looks for weaknesses of a design in its definitions, in the access
// patterns declared for it, and in the evidence. Findings come in the order of
// the codes' list, those of one code in the order of the definitions. None quotes
// the contents of items; hot keys are named.
//
// Some rules can only guess: that a field named Status has few values, for
// instance. [Accept] takes what is meant out of the list.
func Check(s schema.Table, seen Evidence) []Finding {
	c := &checker{table: s, seen: seen}
	for _, rule := range []func(*checker){
		(*checker).partitionKeys, (*checker).hotKeys, (*checker).throttling, (*checker).numbers, (*checker).timeFormats,
		(*checker).mixedKeys, (*checker).overwrites, (*checker).unusedIndexes, (*checker).manyIndexes,
		(*checker).wideProjections, (*checker).thinProjections, (*checker).itemSizes, (*checker).nesting,
		(*checker).filters, (*checker).scans,
	} {
		rule(c)
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return slices.Index(codes, a.Code) - slices.Index(codes, b.Code) })
	return c.found
}

// codes is the order of findings.
var codes = []Code{
	LowCardinality, TimeKey, HotKey, UnpaddedNumber, TimeFormat, MixedKeys, Overwrite, UnusedIndex, ManyIndexes,
	WideProjection, ThinProjection, ItemSize, Nesting, DroppingFilter, Scan,
}

// checker collects findings.
type checker struct {
	table schema.Table
	seen  Evidence
	found []Finding
}

func (c *checker) find(code Code, level Level, subject, reason, mend string) {
	c.found = append(c.found, Finding{code, level, subject, reason, mend})
}

// Acceptance says that a finding is meant to be.
type Acceptance struct {
	Code    Code
	Subject string
	Why     string
}

// Accept returns the findings that are not accepted, and the acceptances that
// no finding needs any more.
func Accept(found []Finding, accepted ...Acceptance) (left []Finding, stale []Acceptance) {
	is := func(f Finding) func(Acceptance) bool {
		return func(a Acceptance) bool { return a.Code == f.Code && a.Subject == f.Subject }
	}
	for _, f := range found {
		if !slices.ContainsFunc(accepted, is(f)) {
			left = append(left, f)
		}
	}
	for _, a := range accepted {
		if !slices.ContainsFunc(found, func(f Finding) bool { return is(f)(a) }) {
			stale = append(stale, a)
		}
	}
	return left, stale
}

// Sample reads up to n items of a table with a scan, to be evidence. It is meant
// for small tables such as those of tests: of a large one it sees the beginning,
// and pays for it.
func Sample(ctx context.Context, backend ddb.Backend, table string, n int) ([]map[string]types.AttributeValue, error) {
	var items []map[string]types.AttributeValue
	in := &dynamodb.ScanInput{TableName: aws.String(table)}
	for len(items) < n {
		in.Limit = aws.Int32(int32(min(n-len(items), 1000)))
		out, err := backend.Scan(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("design: sample table %s: %w", table, err)
		}
		items = append(items, out.Items...)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			break
		}
	}
	return items, nil
}

// in names an entity's place in the table or an index.
func in(entity, index string) string {
	if index == "" {
		return entity + " in the table"
	}
	return entity + " in " + index
}

// keys visits each entity's key in the table and each index.
func (c *checker) keys(visit func(schema.Entity, schema.EntityKey)) {
	for _, e := range c.table.Entities {
		for _, k := range e.Keys {
			visit(e, k)
		}
	}
}

// reads visits the declared operations that read.
func (c *checker) reads(visit func(pattern string, step schema.Step)) {
	for _, p := range c.table.Patterns {
		for _, s := range p.Steps {
			if slices.Contains([]string{"GetItem", "Query", "Scan"}, s.Operation) {
				visit(p.Name, s)
			}
		}
	}
}

// itemsOf returns the sample items of an entity.
func (c *checker) itemsOf(e schema.Entity) []map[string]types.AttributeValue {
	var out []map[string]types.AttributeValue
	for _, item := range c.seen.Items {
		if entityOf(c.table, item) == e.Name {
			out = append(out, item)
		}
	}
	return out
}

// list joins names as in a sentence.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
