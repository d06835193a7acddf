package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxRune is the greatest character. No key part may hold it, so that a prefix
// followed by it is above all keys with that prefix.
const maxRune = "\U0010FFFF"

// keyTemplate is a compiled template such as ORDER#{PlacedAt}#{OrderID}: a row
// of parts, each literal text, one field in a format, or the number of a shard.
type keyTemplate struct {
	source string
	sep    byte
	sorted bool // makes a sort key
	parts  []keyPart
	fields []*keyPart // the parts that are fields, in order
	needs  []*field   // those of all parts, and those that choose the shard
}

type keyPart struct {
	literal string // when field and shard are nil
	field   *field
	format  partFormat
	shard   *shardSpec
	at      int // place in keyTemplate.parts
}

// compileTemplate parses and checks a template against the fields of the
// entity. It reports every fault, each saying which part of the template is
// wrong and how to mend it. sorted says that the template makes a sort key.
func compileTemplate(source string, plan *structPlan, sep byte, sorted bool, fault func(problem string)) *keyTemplate {
	t := &keyTemplate{source: source, sep: sep, sorted: sorted}
	for rest := source; rest != ""; {
		open := strings.IndexAny(rest, "{}")
		switch {
		case open < 0:
			t.addLiteral(rest)
			rest = ""
			continue
		case rest[open] == '}':
			fault("has a } without a {")
			return t
		}
		t.addLiteral(rest[:open])
		inner, tail, closed := strings.Cut(rest[open+1:], "}")
		if !closed {
			fault(fmt.Sprintf("has a { that is never closed: %q", rest[open:]))
			return t
		}
		t.addField(inner, plan, fault)
		rest = tail
	}
	for i := range t.parts {
		t.parts[i].at = i
		if t.parts[i].field != nil {
			t.fields = append(t.fields, &t.parts[i])
		}
	}
	t.findNeeds()
	t.checkBorders(fault)
	return t
}

func (t *keyTemplate) addLiteral(text string) {
	if text != "" {
		t.parts = append(t.parts, keyPart{literal: text})
	}
}

func (t *keyTemplate) addField(inner string, plan *structPlan, fault func(string)) {
	name, spec, _ := strings.Cut(inner, ":")
	if name == "shard" {
		t.addShard(inner, spec, plan, fault)
		return
	}
	f := plan.byName[name]
	if f == nil {
		fault(fmt.Sprintf("names {%s}, but %s has no such field%s", name, plan.typ, nearest(name, plan)))
		return
	}
	format, err := newFormat(f.typ, spec, t.sep, t.sorted)
	if err != nil {
		fault(fmt.Sprintf("names {%s}, which %s", inner, err))
		return
	}
	t.parts = append(t.parts, keyPart{field: f, format: format})
}

func (t *keyTemplate) addShard(inner, spec string, plan *structPlan, fault func(string)) {
	shard, err := newShardSpec(spec, plan)
	switch {
	case err != nil:
		fault(fmt.Sprintf("names {%s}, which %s", inner, err))
	case t.sorted:
		fault(fmt.Sprintf("names {%s}; only partition keys are sharded", inner))
	case slices.ContainsFunc(t.parts, func(p keyPart) bool { return p.shard != nil }):
		fault(fmt.Sprintf("names {%s}, a second shard", inner))
	default:
		t.parts = append(t.parts, keyPart{shard: shard})
	}
}

// checkBorders makes sure that it is always clear where a part ends.
func (t *keyTemplate) checkBorders(fault func(string)) {
	for i, p := range t.parts {
		if p.literal != "" {
			if !utf8.ValidString(p.literal) || strings.Contains(p.literal, maxRune) {
				fault("has literal text that is not valid UTF-8 or holds U+10FFFF")
			}
			continue
		}
		if i+1 == len(t.parts) || p.field != nil && p.format.width() > 0 {
			continue
		}
		next := t.parts[i+1]
		if next.literal == "" {
			fault(fmt.Sprintf("puts {%s} and {%s} side by side; put the separator %q between them", p.name(), next.name(), t.sep))
		} else if next.literal[0] != t.sep {
			fault(fmt.Sprintf("goes on with %q after {%s}, whose values may hold that; begin the text with the separator %q",
				next.literal, p.name(), t.sep))
		}
	}
}

// name is what the part is called in the template.
func (p keyPart) name() string {
	if p.shard != nil {
		return "shard"
	}
	return p.field.name
}

// nearest suggests the field that was probably meant.
func nearest(name string, plan *structPlan) string {
	best := ""
	for _, f := range plan.fields {
		if strings.EqualFold(f.name, name) || f.attr == name {
			best = fmt.Sprintf("; did you mean {%s}?", f.name)
		}
	}
	return best
}

// literalPrefix is the text that every key of the template begins with.
func (t *keyTemplate) literalPrefix() string {
	if len(t.parts) > 0 {
		return t.parts[0].literal
	}
	return ""
}

// shape describes all keys of the template.
func (t *keyTemplate) shape() []charRun {
	var runs []charRun
	for _, p := range t.parts {
		switch {
		case p.shard != nil:
			runs = append(runs, charRun{set: oneOf("0123456789"), many: true})
		case p.field != nil:
			runs = append(runs, p.format.shape()...)
		default:
			runs = append(runs, literalRuns(p.literal)...)
		}
	}
	return runs
}

// uses reports whether the template needs the field, for a part or to choose
// the shard.
func (t *keyTemplate) uses(f *field) bool { return slices.Contains(t.needs, f) }

// tells reports whether the key holds the field's very value.
func (t *keyTemplate) tells(f *field) bool {
	return slices.ContainsFunc(t.parts, func(p keyPart) bool {
		return p.field != nil && p.field == f && p.format.lossless() || p.shard != nil && p.shard.chosen == f
	})
}

// findNeeds takes down the fields of all parts, and those that choose the shard as
// far as they are known.
func (t *keyTemplate) findNeeds() {
	t.needs = nil
	for _, p := range t.parts {
		switch {
		case p.field != nil:
			t.needs = append(t.needs, p.field)
		case p.shard != nil:
			t.needs = append(t.needs, p.shard.fields()...)
		}
	}
}

func (t *keyTemplate) part(f *field) *keyPart {
	for _, p := range t.fields {
		if p.field == f {
			return p
		}
	}
	return nil
}

// partError says which field has no place in a key, and why.
type partError struct {
	field *field
	err   error
}

func (e *partError) Error() string { return fmt.Sprintf("field %s %s", e.field.name, e.err) }
func (e *partError) Unwrap() error { return e.err }

// text returns the text of one part.
func (t *keyTemplate) text(p *keyPart, v reflect.Value) (string, *partError) {
	text, err := p.format.encode(v)
	if err == nil {
		err = t.checkOrder(p, text)
	}
	if err != nil {
		return "", &partError{p.field, err}
	}
	return text, nil
}

// checkOrder refuses characters below the separator in a part that others
// follow: "a b" and "a" would sort in one order alone and in the other once the
// separator stands behind them.
func (t *keyTemplate) checkOrder(p *keyPart, text string) error {
	if !t.sorted || p.format.width() > 0 || p.at+1 == len(t.parts) {
		return nil
	}
	for i := range len(text) {
		if text[i] < t.sep {
			return fmt.Errorf("holds %q, which sorts before the separator %q behind it, so that keys would not sort as values do; "+
				"let the field be the last part, or choose a ddb.Separator below what values hold", text[i], t.sep)
		}
	}
	return nil
}

// join writes the key up to and including the last of texts, without the
// literal behind it. Only sort keys are written in part; they have no shard.
func (t *keyTemplate) join(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	var b strings.Builder
	n := 0
	for _, p := range t.parts {
		if p.field == nil {
			b.WriteString(p.literal)
			continue
		}
		b.WriteString(texts[n])
		if n++; n == len(texts) {
			break
		}
	}
	return b.String()
}

// literalAfter is the text between field n-1 and field n, or the end.
func (t *keyTemplate) literalAfter(n int) string {
	at := 0
	if n > 0 {
		at = t.fields[n-1].at + 1
	}
	if at < len(t.parts) && t.parts[at].field == nil {
		return t.parts[at].literal
	}
	return ""
}

// render writes the whole key. The shard, if the template has one, is the
// item's own if it is negative.
func (t *keyTemplate) render(value values, shard int) (string, *partError) {
	var b strings.Builder
	for i := range t.parts {
		switch p := &t.parts[i]; {
		case p.field != nil:
			text, err := t.text(p, value(p.field))
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case p.shard != nil && shard < 0:
			n, err := p.shard.pick(value)
			if err != nil {
				return "", err
			}
			b.WriteString(strconv.Itoa(n))
		case p.shard != nil:
			b.WriteString(strconv.Itoa(shard))
		default:
			b.WriteString(p.literal)
		}
	}
	return b.String(), nil
}

// parse reads a key back into the fields of v, a settable struct. It takes only
// what render makes.
func (t *keyTemplate) parse(key string, v reflect.Value) error {
	texts, shard, err := t.split(key)
	if err != nil {
		return err
	}
	for i, p := range t.fields {
		if slices.ContainsFunc(t.fields[:i], func(o *keyPart) bool { return o.field == p.field }) {
			continue // done with the first part of the field
		}
		if err := t.decode(p.field, texts, settable(v, p.field)); err != nil {
			return fmt.Errorf("field %s %w", p.field.name, err)
		}
	}
	if again, err := t.render(valuesOf(v), shard); err != nil || again != key {
		return t.strange()
	}
	return nil
}

func (t *keyTemplate) strange() error {
	return fmt.Errorf("the key does not follow the template %q", t.source)
}

// split cuts a key into the texts of its fields and the number of its shard.
func (t *keyTemplate) split(key string) (texts []string, shard int, err error) {
	rest := key
	for i, p := range t.parts {
		text := p.literal
		if text == "" {
			text = t.take(rest, i)
		}
		tail, ok := strings.CutPrefix(rest, text)
		if p.shard != nil && ok {
			shard, err = strconv.Atoi(text)
		}
		if !ok || err != nil {
			return nil, 0, t.strange()
		}
		if p.field != nil {
			texts = append(texts, text)
		}
		rest = tail
	}
	if rest != "" {
		return nil, 0, t.strange()
	}
	return texts, shard, nil
}

// decode reads a field back from its part of the key. Of several the one that
// holds the very value is taken; if there is none, times are put together of
// them all, and others are read from the first.
func (t *keyTemplate) decode(f *field, texts []string, v reflect.Value) error {
	var layouts, times []string
	best := -1
	for i, p := range t.fields {
		if p.field != f {
			continue
		}
		if best < 0 || p.format.lossless() {
			best = i
		}
		if format, ok := p.format.(timeFormat); ok {
			layouts, times = append(layouts, format.layout), append(times, format.invert(texts[i]))
		}
	}
	if len(layouts) > 1 && !t.fields[best].format.lossless() {
		return decodeTime(strings.Join(layouts, "\n"), strings.Join(times, "\n"), v)
	}
	return t.fields[best].format.decode(texts[best], v)
}

// take returns the text of the field at place i, with which rest begins.
func (t *keyTemplate) take(rest string, i int) string {
	p := t.parts[i]
	if p.field != nil && p.format.width() > 0 {
		return rest[:min(len(rest), p.format.width())]
	}
	if end := strings.IndexByte(rest, t.sep); end >= 0 {
		return rest[:end]
	}
	return rest
}

// settable returns the field in the struct v, making embedded pointers on the
// way.
func settable(v reflect.Value, f *field) reflect.Value {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}
