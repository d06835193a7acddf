package memory_test

import "strings"

// expression makes a text for a parameter by the grammar of its kind, once in a
// while with something in it that does not belong there.
func (f *filler) expression(parameter string) string {
	var b strings.Builder
	switch parameter {
	case "UpdateExpression":
		for range 1 + f.below(3) {
			f.section(&b)
		}
	case "ProjectionExpression":
		f.list(&b, f.path)
	default:
		f.condition(&b, 3)
	}
	return f.disturbed(b.String())
}

// disturbed puts in or takes out a piece of a text, mostly nothing.
func (f *filler) disturbed(text string) string {
	pieces := []string{"(", ")", ",", ".", "[", "]", "=", "<>", "!=", "+", "-", "#", ":", ":a", "#b", " AND ", " not ", "SET ", "\x00", "\xff", "é", "9999999999", `"`, "size("}
	n := f.below(4*len(pieces) + 4)
	at := 0
	if len(text) > 0 {
		at = f.below(len(text))
	}
	switch {
	case n < len(pieces):
		return text[:at] + pieces[n] + text[at:]
	case n < len(pieces)+4 && at < len(text):
		return text[:at] + text[at+1:]
	}
	return text
}

// list writes one to three of what item writes.
func (f *filler) list(b *strings.Builder, item func(*strings.Builder)) {
	item(b)
	for range f.below(3) {
		b.WriteString(", ")
		item(b)
	}
}

func (f *filler) path(b *strings.Builder) {
	names := []string{"n", "x", "m", "l", "s", "c", "pk", "sk", "at", "#a", "#b", "q1", "Name"}
	b.WriteString(names[f.below(len(names))])
	for range max(0, f.below(6)-3) {
		b.WriteString([]string{".x", "[0]", ".#a", "[1]", "[7]"}[f.below(5)])
	}
}

// operand writes a path, a value or, as long as depth allows, what is made of them.
func (f *filler) operand(b *strings.Builder, depth int) {
	switch n := f.below(8); {
	case n < 3:
		f.path(b)
	case n < 6 || depth == 0:
		b.WriteString([]string{":a", ":b"}[f.below(2)])
	case n == 6:
		b.WriteString("size(")
		f.operand(b, depth-1)
		b.WriteString(")")
	default:
		b.WriteString("(")
		f.operand(b, depth-1)
		b.WriteString(")")
	}
}

func (f *filler) condition(b *strings.Builder, depth int) {
	n := f.below(9)
	if depth == 0 {
		n %= 5
	}
	switch n {
	case 0, 1:
		f.operand(b, 1)
		b.WriteString([]string{" = ", " <> ", " < ", " <= ", " > ", " >= "}[f.below(6)])
		f.operand(b, 1)
	case 2:
		f.operand(b, 1)
		b.WriteString(" BETWEEN ")
		f.operand(b, 1)
		b.WriteString(" AND ")
		f.operand(b, 1)
	case 3:
		f.operand(b, 1)
		b.WriteString(" IN (")
		f.list(b, func(b *strings.Builder) { f.operand(b, 0) })
		b.WriteString(")")
	case 4:
		functions := []string{"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "SIZE"}
		b.WriteString(functions[f.below(len(functions))] + "(")
		f.list(b, func(b *strings.Builder) { f.operand(b, 1) })
		b.WriteString(")")
	case 5:
		b.WriteString("NOT ")
		f.condition(b, depth-1)
	case 6:
		b.WriteString("(")
		f.condition(b, depth-1)
		b.WriteString(")")
	default:
		f.condition(b, depth-1)
		b.WriteString([]string{" AND ", " or "}[f.below(2)])
		f.condition(b, depth-1)
	}
}

// section writes a section of an update.
func (f *filler) section(b *strings.Builder) {
	verb := []string{"SET ", "REMOVE ", "ADD ", "delete "}[f.below(4)]
	b.WriteString(verb)
	f.list(b, func(b *strings.Builder) {
		f.path(b)
		switch verb {
		case "SET ":
			b.WriteString(" = ")
			f.source(b, 2)
		case "ADD ", "delete ":
			b.WriteString([]string{" :a", " :b"}[f.below(2)])
		}
	})
	b.WriteString(" ")
}

// source writes what SET assigns.
func (f *filler) source(b *strings.Builder, depth int) {
	n := f.below(6)
	if depth == 0 {
		n = 0
	}
	switch n {
	case 0, 1, 2:
		f.operand(b, 0)
	case 3:
		f.source(b, depth-1)
		b.WriteString([]string{" + ", " - "}[f.below(2)])
		f.source(b, depth-1)
	default:
		b.WriteString([]string{"if_not_exists(", "list_append("}[f.below(2)])
		f.source(b, depth-1)
		b.WriteString(", ")
		f.source(b, depth-1)
		b.WriteString(")")
	}
}
