package design

import (
	"fmt"
	"strings"

	"github.com/seed530093c6/ddb/schema"
)

// Diagram draws the table as a Mermaid flowchart: item collections, which are
// the entities that share a partition key, and an arrow from each entity to its
// place in each index.
func Diagram(s schema.Table) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	fmt.Fprintf(&b, "  subgraph table[%s]\n", label(tableName(s.Name)+": "+keySource(s.Key)))
	for i, c := range collections(s.Entities, "") {
		fmt.Fprintf(&b, "    subgraph c%d[%s]\n", i, label(c.partition))
		for _, m := range c.members {
			fmt.Fprintf(&b, "      e%d[%s]\n", m.entity, label(m.name, sources(m.key.Sort)))
		}
		b.WriteString("    end\n")
	}
	b.WriteString("  end\n")
	for i, ix := range s.Indexes {
		fmt.Fprintf(&b, "  subgraph i%d[%s]\n", i, label(ix.Name+": "+keySource(ix.Key)+" ("+projected(ix)+")"))
		for _, c := range collections(s.Entities, ix.Name) {
			for _, m := range c.members {
				fmt.Fprintf(&b, "    e%di%d[%s]\n", m.entity, i, label(m.name, sources(m.key.Partition), sources(m.key.Sort)))
			}
		}
		b.WriteString("  end\n")
	}
	for i, ix := range s.Indexes {
		for e, entity := range s.Entities {
			if key, in := entity.Key(ix.Name); in {
				arrow := "-->"
				if key.Sparse {
					arrow = "-.->"
				}
				fmt.Fprintf(&b, "  e%d %s e%di%d\n", e, arrow, e, i)
			}
		}
	}
	return b.String()
}

// label writes lines as a quoted Mermaid label.
func label(lines ...string) string {
	escape := strings.NewReplacer("#", "#35;", `"`, "#34;", "<", "#60;", ">", "#62;", "&", "#38;", "`", "#96;")
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, escape.Replace(l))
		}
	}
	return `"` + strings.Join(out, "<br/>") + `"`
}

// keySource writes the attributes of a key: PK, SK.
func keySource(k schema.Key) string {
	var names []string
	for _, a := range k.Attributes() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// projected says what an index carries.
func projected(ix schema.Index) string {
	switch ix.Projection {
	case "ALL":
		return "whole items"
	case "KEYS_ONLY":
		return "keys only"
	}
	return "keys, " + strings.Join(ix.Include, ", ")
}

// collection is a kind of partition: the entities whose partition keys follow
// templates of one form.
type collection struct {
	partition string // the template, of the first of them
	members   []member
}

type member struct {
	entity int // place in the table
	name   string
	key    schema.EntityKey
}

// collections groups entities by the form of their partition key in the table or
// an index, in the order of the first of each.
func collections(entities []schema.Entity, index string) []collection {
	var out []collection
	at := make(map[string]int)
	for i, e := range entities {
		key, in := e.Key(index)
		if !in {
			continue
		}
		form := formOf(key.Partition)
		n, known := at[form]
		if !known {
			n = len(out)
			at[form] = n
			out = append(out, collection{partition: sources(key.Partition)})
		}
		out[n].members = append(out[n].members, member{i, e.Name, key})
	}
	return out
}

// formOf writes templates without the names of their fields.
func formOf(templates []schema.Template) string {
	var b strings.Builder
	for _, t := range templates {
		for _, p := range t.Parts {
			fmt.Fprintf(&b, "%s %q %s %d %v;", p.Kind, p.Literal, p.Format, p.Shards, p.Also)
		}
		b.WriteString("/")
	}
	return b.String()
}
