package ddb

import (
	"fmt"
	"strings"
)

// checkAgainst reports how two entities of one table get in each other's way.
func (e *entity) checkAgainst(o *entity, fault func(Fault)) {
	if e.name == o.name {
		fault(Fault{Type: e.plan.typ.String(), Problem: fmt.Sprintf("has the name %q of %s; names tell entities apart", e.name, o.plan.typ)})
	}
	if keysMeet(e.primary, o.primary) {
		fault(Fault{
			Type: e.plan.typ.String(),
			Problem: fmt.Sprintf("can have the same key as %s (%s and %s): let the templates differ in their literal text",
				o.plan.typ, e.primary.sources(), o.primary.sources()),
		})
	}
	for _, c := range e.columns() {
		for _, d := range o.columns() {
			if c.attr == d.attr && c.kind != d.kind {
				fault(Fault{Type: e.plan.typ.String(), Column: c.attr,
					Problem: fmt.Sprintf("makes the key attribute a %s, where %s makes it a %s", c.kind, o.plan.typ, d.kind)})
			}
		}
	}
	if a, b := e.stamps.ttl, o.stamps.ttl; a != nil && b != nil && a.attr != b.attr {
		fault(Fault{Type: e.plan.typ.String(), Column: a.attr,
			Problem: fmt.Sprintf("expires by another attribute than %s, which has %s; a table has one", o.plan.typ, b.attr)})
	}
	e.checkUniqueAgainst(o, fault)
	e.markMixed(o, fault)
	o.markMixed(e, fault)
}

// markMixed notes where queries for e come upon items of o.
func (e *entity) markMixed(o *entity, fault func(Fault)) {
	for _, spec := range e.specs {
		if s := o.spec(spec.index); s != nil && spec.meetsQuery(s) {
			spec.mixed.Store(true)
		}
	}
	for _, c := range e.primary.sk {
		if c.literalPrefix() == "" && e.primary.meetsQuery(o.primary) {
			fault(Fault{
				Type: e.plan.typ.String(), Tag: fmt.Sprintf("sk:%q", c.source()), Column: c.attr,
				Problem: fmt.Sprintf("begins with a field, so that its keys lie among those of %s; begin it with literal text", o.plan.typ),
			})
		}
	}
}

// keysMeet reports whether two entities can have one primary key.
func keysMeet(a, b *keySpec) bool { return columnsMeet(a.pk, b.pk) && columnsMeet(a.sk, b.sk) }

// columnsMeet reports whether two entities can have the same values in the same
// columns.
func columnsMeet(a, b []*keyColumn) bool {
	for i := range min(len(a), len(b)) {
		if !meet(a[i].shape(), b[i].shape()) {
			return false
		}
	}
	return true
}

// meetsQuery reports whether a query for all items of s in one partition can
// come upon items of o.
func (s *keySpec) meetsQuery(o *keySpec) bool {
	if !columnsMeet(s.pk, o.pk) {
		return false
	}
	for i := range min(len(s.sk), len(o.sk)) {
		c := s.sk[i]
		if c.plain != nil || len(c.template.fields) > 0 { // a range over what follows the literal
			prefix := literalRuns(c.literalPrefix())
			return meet(prefix, o.sk[i].shape()) || meet(append(prefix, anyTail), o.sk[i].shape())
		}
		if !meet(c.shape(), o.sk[i].shape()) {
			return false
		}
	}
	return true
}

// sources shows the key's templates in messages.
func (s *keySpec) sources() string {
	var out []string
	for _, c := range s.columns() {
		out = append(out, c.source())
	}
	return strings.Join(out, " / ")
}
