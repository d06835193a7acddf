package design

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/schema"
)

// unusedIndexes finds indexes without entities and, where patterns are declared
// or traffic was observed, those that neither reads.
func (c *checker) unusedIndexes() {
	for _, ix := range c.table.Indexes {
		const drop = "drop it: it is written and paid for with every item in it"
		switch {
		case !slices.ContainsFunc(c.table.Entities, func(e schema.Entity) bool { _, in := e.Key(ix.Name); return in }):
			c.find(UnusedIndex, Warning, ix.Name, "no entity is in it", "drop it, or add a ddb.Index field to an entity")
		case len(c.table.Patterns)+len(c.seen.Usage) > 0 && !c.isRead(ix.Name):
			c.find(UnusedIndex, Warning, ix.Name, "no access pattern reads it", drop)
		}
	}
}

func (c *checker) isRead(index string) bool {
	read := slices.ContainsFunc(c.seen.Usage, func(u Usage) bool { return u.Index == index })
	c.reads(func(_ string, s schema.Step) { read = read || s.Index == index })
	return read
}

// entityIndexes is how many global indexes an entity can be in before each of
// its writes costs a multiple.
const entityIndexes = 4

// manyIndexes finds entities in many indexes, indexes with the same keys, and
// indexes that could be one.
func (c *checker) manyIndexes() {
	for _, e := range c.table.Entities {
		n := 0
		for _, k := range e.Keys {
			if ix, ok := c.table.Index(k.Index); ok && !ix.Local {
				n++
			}
		}
		if n > entityIndexes {
			c.find(ManyIndexes, Hint, e.Name, fmt.Sprintf("it is in %d global indexes: a write costs up to %d times its size, twice that where index keys change", n, n+1),
				"keep the indexes whose patterns are asked often; answer the others by a query of the table with a filter, or from a stream")
		}
	}
	for i, a := range c.table.Indexes {
		for _, b := range c.table.Indexes[i+1:] {
			c.twoIndexes(a, b)
		}
	}
}

func (c *checker) twoIndexes(a, b schema.Index) {
	both, same, either := 0, 0, 0
	for _, e := range c.table.Entities {
		j, inA := e.Key(a.Name)
		k, inB := e.Key(b.Name)
		if inA || inB {
			either++
		}
		if inA && inB {
			both++
			if sources(j.Partition) == sources(k.Partition) && sources(j.Sort) == sources(k.Sort) {
				same++
			}
		}
	}
	subject := a.Name + " and " + b.Name
	switch {
	case both > 0 && same == either:
		c.find(ManyIndexes, Warning, subject, "they have the same entities under the same keys", "keep the one that carries more")
	case both == 0 && either > 1 && !a.Local && !b.Local && sameForm(a, b):
		c.find(ManyIndexes, Hint, subject, "they have no entity in common, and keys and projections of the same form: one overloaded index would do",
			"let the entities of both name one index; their keys differ by their literal text")
	}
}

func sameForm(a, b schema.Index) bool {
	kinds := func(attributes []schema.Attribute) string {
		var out []string
		for _, x := range attributes {
			out = append(out, string(x.Type))
		}
		return strings.Join(out, " ")
	}
	return kinds(a.Key.Partition) == kinds(b.Key.Partition) && kinds(a.Key.Sort) == kinds(b.Key.Sort) &&
		a.Projection == b.Projection && slices.Equal(slices.Sorted(slices.Values(a.Include)), slices.Sorted(slices.Values(b.Include)))
}

// wideProjections finds indexes whose declared patterns all say what they read,
// and read less than the index carries.
func (c *checker) wideProjections() {
	for _, ix := range c.table.Indexes {
		if ix.Projection == types.ProjectionTypeKeysOnly {
			continue
		}
		needed, steps, all := []string{c.table.Discriminator}, 0, false
		c.reads(func(_ string, s schema.Step) {
			if s.Index != ix.Name {
				return
			}
			steps++
			needed = append(append(needed, s.Filter...), s.Reads...)
			all = all || readsAll(s)
		})
		if steps == 0 || all {
			continue
		}
		var idle []string
		for _, name := range c.carried(ix) {
			if !slices.Contains(needed, name) && !isKey(c.table, ix, name) {
				idle = append(idle, name)
			}
		}
		if len(idle) > 0 {
			c.find(WideProjection, Hint, ix.Name, fmt.Sprintf("it carries %s, which no pattern reads there: each is stored and written twice", list(idle)),
				"limit the index with ddb.KeysOnly or ddb.Include")
		}
	}
}

// readsAll reports whether a read takes whatever its source carries.
func readsAll(s schema.Step) bool { return len(s.Reads) == 0 && !s.Count && !s.Hydrated }

func isKey(t schema.Table, ix schema.Index, name string) bool {
	return slices.ContainsFunc(slices.Concat(t.Key.Attributes(), ix.Key.Attributes()), func(a schema.Attribute) bool { return a.Name == name })
}

// carried lists the attributes of the index's entities that it carries.
func (c *checker) carried(ix schema.Index) []string {
	var out []string
	for _, e := range c.table.Entities {
		if _, in := e.Key(ix.Name); !in {
			continue
		}
		for _, f := range e.Fields {
			if ix.Carries(c.table, f.Attribute) && !slices.Contains(out, f.Attribute) {
				out = append(out, f.Attribute)
			}
		}
	}
	return out
}

// thinProjections finds declared patterns that read whole entities where an
// index has only parts of them.
func (c *checker) thinProjections() {
	c.reads(func(pattern string, s schema.Step) {
		ix, ok := c.table.Index(s.Index)
		if !ok || !readsAll(s) {
			return
		}
		var missing []string
		for _, e := range c.table.Entities {
			if s.Entity != "" && e.Name != s.Entity {
				continue
			}
			if _, in := e.Key(ix.Name); !in {
				continue
			}
			for _, f := range e.Fields {
				if !ix.Carries(c.table, f.Attribute) && !slices.Contains(missing, f.Attribute) && !inKey(e, ix.Name, f.Name) {
					missing = append(missing, f.Attribute)
				}
			}
		}
		if len(missing) > 0 {
			c.find(ThinProjection, Warning, pattern, fmt.Sprintf("it reads from %s, which does not carry %s: these fields come back empty", ix.Name, list(missing)),
				"say what it reads with Project, read whole items with Hydrate, or add the attributes to the index")
		}
	})
}

// inKey reports whether a field can be read back from the keys of an index
// entry.
func inKey(e schema.Entity, index, field string) bool {
	here, _ := e.Key(index)
	for _, t := range slices.Concat(e.Keys[0].Partition, e.Keys[0].Sort, here.Partition, here.Sort) {
		if slices.ContainsFunc(t.Parts, func(p schema.Part) bool { return p.Field == field }) {
			return true
		}
	}
	return false
}

// scans finds them among declared patterns and in traffic.
func (c *checker) scans() {
	const (
		reason = "it reads, and pays for, every item of %s, so that it gets slower and dearer with each"
		mend   = "give the question a key or an index of its own; for a job over all items, say so with an acceptance"
	)
	place := func(index string) string {
		if index == "" {
			return "the table"
		}
		return index
	}
	var declared []string
	c.reads(func(pattern string, s schema.Step) {
		if s.Operation == "Scan" {
			declared = append(declared, pattern)
			c.find(Scan, Warning, pattern, fmt.Sprintf(reason, place(s.Index)), mend)
		}
	})
	for _, u := range c.seen.Usage {
		if u.Op == "Scan" && !slices.Contains(declared, u.Pattern) {
			c.find(Scan, Warning, u.Name(), fmt.Sprintf(reason, place(u.Index))+fmt.Sprintf("; %s examined %s", plural(u.Calls, "call", "calls"), plural(u.Examined, "item", "items")), mend)
		}
	}
}

// A filter is judged once it has seen that many items; it is bad if it drops more
// than half of them.
const filterItems = 100

// filters finds those that drop most of what was read.
func (c *checker) filters() {
	for _, u := range c.seen.Usage {
		if u.Filtered && u.Op != "Scan" && u.Examined >= filterItems && 2*u.Items < u.Examined {
			c.find(DroppingFilter, Warning, u.Name(), fmt.Sprintf("of %d items read and paid for, the filter left %d", u.Examined, u.Items),
				"put what the filter asks for into the sort key, or into an index that only those items are in")
		}
	}
}
