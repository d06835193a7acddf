package design

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/schema"
)

// Document is what a written description of a table is made of. Only Table is
// needed.
type Document struct {
	Table schema.Table
	// Usage adds to each access pattern what it was seen to cost.
	Usage []Usage
	// Items add how large items are.
	Items []map[string]types.AttributeValue
	// Findings add a list of weaknesses.
	Findings []Finding
}

// Markdown writes the document: the keys, a diagram in Mermaid, entities with
// their attributes, item collections, indexes and access patterns.
func (d Document) Markdown() []byte {
	w := &markdown{}
	s := d.Table
	w.line("# Table %s", code(tableName(s.Name)))
	w.line("Primary key %s. The attribute %s says which entity an item is. %s",
		keyCode(s.Key), code(s.Discriminator), expiryLine(s.TTL))
	w.line("## Design")
	w.line("```mermaid\n%s```", Diagram(s))
	w.line("Dashed arrows lead to sparse indexes: items without some optional attribute are not in them.")
	d.entities(w)
	d.collections(w)
	d.indexes(w)
	d.patterns(w)
	d.sizes(w)
	d.findings(w)
	return []byte(w.String())
}

func expiryLine(attribute string) string {
	if attribute == "" {
		return "Items do not expire."
	}
	return fmt.Sprintf("Items expire by %s.", code(attribute))
}

func (d Document) entities(w *markdown) {
	w.line("## Entities")
	rows := [][]string{{"Entity", "Partition key", "Sort key", "In indexes"}}
	for _, e := range d.Table.Entities {
		var indexes []string
		for _, k := range e.Keys[1:] {
			name := k.Index
			if k.Sparse {
				name += " (sparse)"
			}
			indexes = append(indexes, name)
		}
		rows = append(rows, []string{e.Name, codeIf(sources(e.Keys[0].Partition)), codeIf(sources(e.Keys[0].Sort)), strings.Join(indexes, ", ")})
	}
	w.table(rows)
	for _, e := range d.Table.Entities {
		w.line("### %s", e.Name)
		rows := [][]string{{"Attribute", "Type", "Field", "Notes"}}
		for _, f := range e.Fields {
			rows = append(rows, []string{code(f.Attribute), typeText(f.Type), code(f.Name) + " " + code(f.GoType), fieldNotes(e, f)})
		}
		w.table(rows)
	}
}

func typeText(t string) string {
	if t == "" {
		return "any"
	}
	return t
}

func fieldNotes(e schema.Entity, f schema.Field) string {
	var notes []string
	for _, k := range e.Keys {
		if !slices.ContainsFunc(slices.Concat(k.Partition, k.Sort), func(t schema.Template) bool {
			return slices.ContainsFunc(t.Parts, func(p schema.Part) bool { return p.Field == f.Name || slices.Contains(p.By, f.Name) })
		}) {
			continue
		}
		if k.Index == "" {
			notes = append(notes, "key")
		} else {
			notes = append(notes, "key of "+k.Index)
		}
	}
	if f.Keeps != "" {
		notes = append(notes, f.Keeps)
	}
	if f.Optional {
		notes = append(notes, "optional")
	}
	if f.Recursive {
		notes = append(notes, "nests without bound")
	}
	if len(f.Fields) > 0 {
		names := make([]string, len(f.Fields))
		for i, inner := range f.Fields {
			names[i] = code(inner.Attribute)
		}
		notes = append(notes, "of "+strings.Join(names, ", "))
	}
	return strings.Join(notes, "; ")
}

func (d Document) collections(w *markdown) {
	w.line("## Item collections")
	w.line("What one query of a partition of the table can read.")
	rows := [][]string{{"Partition", "Items, by sort key"}}
	for _, c := range collections(d.Table.Entities, "") {
		var members []string
		for _, m := range c.members {
			text := m.name
			if len(m.key.Sort) > 0 {
				text += " " + code(sources(m.key.Sort))
			}
			members = append(members, text)
		}
		rows = append(rows, []string{code(c.partition), strings.Join(members, ", ")})
	}
	w.table(rows)
}

func (d Document) indexes(w *markdown) {
	if len(d.Table.Indexes) == 0 {
		return
	}
	w.line("## Indexes")
	rows := [][]string{{"Index", "Kind", "Key", "Carries", "Entity", "Partition key", "Sort key"}}
	for _, ix := range d.Table.Indexes {
		kind := "global"
		if ix.Local {
			kind = "local"
		}
		front := []string{ix.Name, kind, keyCode(ix.Key), projected(ix)}
		for _, e := range d.Table.Entities {
			k, in := e.Key(ix.Name)
			if !in {
				continue
			}
			name := e.Name
			if k.Sparse {
				name += " (sparse)"
			}
			rows = append(rows, append(front, name, codeIf(sources(k.Partition)), codeIf(sources(k.Sort))))
			front = []string{"", "", "", ""}
		}
		if front[0] != "" {
			rows = append(rows, append(front, "none", "", ""))
		}
	}
	w.table(rows)
}

func (d Document) patterns(w *markdown) {
	if len(d.Table.Patterns) == 0 {
		return
	}
	w.line("## Access patterns")
	head := []string{"Pattern", "Operation", "Entity", "Reads from", "Key", "Notes"}
	if len(d.Usage) > 0 {
		head = append(head, "Calls", "Items", "Examined", "Units")
	}
	rows := [][]string{head}
	for _, p := range d.Table.Patterns {
		name := p.Name
		for i, s := range p.Steps {
			row := []string{name, s.Operation, s.Entity, place(s), codeIf(s.Key), stepNotes(s)}
			if len(d.Usage) > 0 && i == 0 {
				row = append(row, costs(d.Usage, p.Name)...)
			}
			rows = append(rows, row)
			name = ""
		}
	}
	w.table(rows)
}

func place(s schema.Step) string {
	if s.Index == "" {
		return "table"
	}
	return s.Index
}

func stepNotes(s schema.Step) string {
	var notes []string
	add := func(is bool, format string, args ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(s.Count, "counts")
	add(s.Descending, "descending")
	add(s.Limit > 0, "at most %d", s.Limit)
	add(s.Consistent, "consistent")
	add(s.Partitions > 1, "%d partitions, merged", s.Partitions)
	add(s.Hydrated, "whole items from the table")
	add(len(s.Filter) > 0, "filter on %s", codeAll(s.Filter))
	add(len(s.Reads) > 0, "reads %s", codeAll(s.Reads))
	return strings.Join(notes, "; ")
}

// costs adds up what a pattern was seen to use.
func costs(usage []Usage, pattern string) []string {
	var sum Usage
	for _, u := range usage {
		if u.Pattern == pattern {
			sum.Calls += u.Calls
			sum.Items += u.Items
			sum.Examined += u.Examined
			sum.Units += u.Units
		}
	}
	if sum.Calls == 0 {
		return []string{"", "", "", ""}
	}
	return []string{fmt.Sprint(sum.Calls), fmt.Sprint(sum.Items), fmt.Sprint(sum.Examined), fmt.Sprintf("%.1f", sum.Units)}
}

func (d Document) sizes(w *markdown) {
	sizes := Sizes(d.Table, d.Items)
	if len(sizes) == 0 {
		return
	}
	w.line("## Sizes")
	w.line("Bytes of sample items, names of attributes included.")
	rows := [][]string{{"Entity", "Items", "Smallest", "Median", "Largest"}}
	for _, s := range sizes {
		rows = append(rows, []string{s.Entity, fmt.Sprint(s.Items), fmt.Sprint(s.Smallest), fmt.Sprint(s.Median), fmt.Sprint(s.Largest)})
	}
	w.table(rows)
}

func (d Document) findings(w *markdown) {
	if len(d.Findings) == 0 {
		return
	}
	w.line("## Findings")
	rows := [][]string{{"Code", "Level", "Subject", "Reason", "Mend"}}
	for _, f := range d.Findings {
		rows = append(rows, []string{string(f.Code), string(f.Level), f.Subject, f.Reason, f.Mend})
	}
	w.table(rows)
}

// markdown writes paragraphs and tables.
type markdown struct{ strings.Builder }

// line writes a paragraph.
func (w *markdown) line(format string, args ...any) {
	if w.Len() > 0 {
		w.WriteString("\n")
	}
	fmt.Fprintf(w, format+"\n", args...)
}

// table writes rows, the first of which is the head.
func (w *markdown) table(rows [][]string) {
	w.WriteString("\n")
	for i, row := range rows {
		for len(row) < len(rows[0]) {
			row = append(row, "")
		}
		for _, cell := range row {
			w.WriteString("| " + escapeCell(cell))
			if cell != "" {
				w.WriteString(" ")
			}
		}
		w.WriteString("|\n")
		if i == 0 {
			w.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
}

// escapeCell keeps a text from ending its cell.
func escapeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// code writes a text as it is.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

func codeIf(text string) string {
	if text == "" {
		return ""
	}
	return code(text)
}

func codeAll(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = code(t)
	}
	return strings.Join(out, ", ")
}

// keyCode writes a key: `PK` (S), `SK` (S).
func keyCode(k schema.Key) string {
	var out []string
	for _, a := range k.Attributes() {
		out = append(out, fmt.Sprintf("%s (%s)", code(a.Name), a.Type))
	}
	return strings.Join(out, ", ")
}
