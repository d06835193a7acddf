package ddb

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DynamoDB keeps keys unique and nothing else. A field tagged unique is kept so by
// marker items, one for each value in use, whose key is made of the value: they
// are written in the transaction that writes the item, under the condition that
// there is no such marker. File marker.go is about them, this one about what they are
// made of.

// uniqueField is a field whose value no two items of its scope have.
type uniqueField struct {
	*field
	scope string
	named bool // the tag names the scope, which several fields can share
	lower bool // letter case does not matter
}

// uniqueUse is what a write does to unique fields.
type uniqueUse struct {
	watch []*uniqueField // whose stored values decide about markers
	whole bool           // the stored item is to be returned, and must not change
	fresh bool           // the item as it is afterwards is to be returned

	known  bool // stored is what the caller says is stored
	stored item

	// after returns what unique attributes hold after a request. It is nil if
	// the write touches none.
	after func(stored item, r request) item
}

// readUnique notes a field with the tag unique, which may name a scope, and the
// option lower.
func (e *entity) readUnique(f *field, tag string, fault func(tag, problem string)) {
	words := strings.Split(tag, ",")
	_, scope, named := strings.Cut(words[0], "=")
	u := &uniqueField{field: f, scope: scope, named: named}
	if !named {
		u.scope = e.name + "." + f.attr
	}
	tag = fmt.Sprintf("%s ddb:%q", f.name, tag)
	for _, word := range words[1:] {
		if u.lower = word == "lower"; !u.lower {
			fault(tag, fmt.Sprintf("unknown option %q; unique takes lower", word))
		}
	}
	kind := f.slot.codec.descriptor()
	switch {
	case !slices.Contains([]string{"S", "N", "B"}, kind):
		fault(tag, fmt.Sprintf("is a %s; a unique field is a string, number, time, bytes or a type with MarshalText and UnmarshalText", f.typ))
	case u.lower && kind != "S":
		fault(tag, fmt.Sprintf("is stored as %s; only strings have lower case", kind))
	case u.scope == "":
		fault(tag, "names no scope behind unique=")
	case strings.IndexByte(u.scope, e.table.separator) >= 0 || !utf8.ValidString(u.scope):
		fault(tag, fmt.Sprintf("has the scope %q, which holds the separator %q; name another as in unique=email", u.scope, e.table.separator))
	}
	e.unique = append(e.unique, u)
}

// checkUnique reports why markers cannot live beside the entity's items.
func (e *entity) checkUnique(fault func(tag, problem string)) {
	if len(e.unique) == 0 {
		return
	}
	tag := e.unique[0].name + " ddb unique"
	for _, c := range e.primary.columns() {
		if c.kind != types.ScalarAttributeTypeS {
			fault(tag, fmt.Sprintf("needs marker items, whose keys are strings; the key attribute %s is of type %s", c.attr, c.kind))
			return
		}
	}
	taken := append(e.table.keyAttributes(), e.table.discriminator)
	if slices.Contains(taken, markerOwner) {
		fault(tag, fmt.Sprintf("needs the attribute %s in marker items, which is a key or the discriminator", markerOwner))
	}
	for i, f := range e.unique {
		for _, g := range e.unique[:i] {
			if problem := f.conflict(g); problem != "" {
				fault(f.name+" ddb unique", fmt.Sprintf("%s field %s", problem, g.name))
			}
		}
	}
	e.meetMarkers(e, fault)
}

// meetMarkers reports whether keys or names of o's items could be those of markers.
func (e *entity) meetMarkers(o *entity, fault func(tag, problem string)) {
	shape := append(literalRuns(e.table.markerPrefix()), anyTail)
	meets := !slices.ContainsFunc(o.primary.columns(), func(c *keyColumn) bool { return !meet(c.shape(), shape) })
	if meets {
		fault("", fmt.Sprintf("can have the same key as the markers of unique fields (%s and %s…): begin a template with other literal text",
			o.primary.sources(), e.table.markerPrefix()))
	}
	if o.name == markerName {
		fault("", fmt.Sprintf("has the name %q of the markers of unique fields; choose another", o.name))
	}
}

// checkUniqueAgainst reports how unique fields of two entities get in each
// other's way.
func (e *entity) checkUniqueAgainst(o *entity, fault func(Fault)) {
	for _, f := range e.unique {
		for _, g := range o.unique {
			if problem := f.conflict(g); problem != "" {
				fault(Fault{Type: e.plan.typ.String(), Tag: f.name + " ddb unique", Problem: fmt.Sprintf("%s %s.%s", problem, o.plan.typ, g.name)})
			}
		}
	}
	for _, pair := range [][2]*entity{{e, o}, {o, e}} {
		if len(pair[0].unique) > 0 && len(pair[1].unique) == 0 {
			pair[0].meetMarkers(pair[1], func(tag, problem string) {
				fault(Fault{Type: pair[1].plan.typ.String(), Tag: tag, Problem: problem})
			})
		}
	}
}

// sharing returns the fields that a write touches, and those of the same scopes.
func (e *entity) sharing(touched func(*uniqueField) bool) []*uniqueField {
	var scopes []string
	for _, f := range e.unique {
		if touched(f) {
			scopes = append(scopes, f.scope)
		}
	}
	var out []*uniqueField
	for _, f := range e.unique {
		if slices.Contains(scopes, f.scope) {
			out = append(out, f)
		}
	}
	return out
}

// conflict says why two fields cannot have one scope, if they do: their values
// would be told apart, or not, by chance.
func (f *uniqueField) conflict(g *uniqueField) string {
	switch {
	case f.scope != g.scope:
		return ""
	case !f.named || !g.named:
		return fmt.Sprintf("has the scope %q by chance; name scopes with unique=, as it is also that of", f.scope)
	case f.slot.codec.descriptor() != g.slot.codec.descriptor():
		return fmt.Sprintf("is stored otherwise than, in the same scope %q,", f.scope)
	case f.lower != g.lower:
		return fmt.Sprintf("must have the option lower like, in the same scope %q,", f.scope)
	}
	return ""
}

// claim is the use of a unique value by an item: the marker's key, and the field
// that has the value.
type claim struct {
	marker string
	field  *uniqueField
}

// claims returns the markers that an item needs which has these attributes. Values
// that were stored before are not judged.
func (e *entity) claims(attrs item, fields []*uniqueField, stored item) ([]claim, error) {
	var out []claim
	for _, f := range fields {
		text, used, err := f.text(attrs[f.attr])
		if !used || err != nil && equalValues(attrs[f.attr], stored[f.attr]) {
			continue
		}
		if err != nil {
			return nil, &fieldError{field: f.name, err: because(ErrKey, "the %s %s; it is unique", f.typ, err)}
		}
		c := claim{e.table.markerKey(f.scope, text), f}
		if n := len(c.marker); n > maxSortKey {
			return nil, &fieldError{field: f.name, err: because(ErrKey, "it is unique, and the key of its marker has %d bytes, more than %d", n, maxSortKey)}
		}
		if i := slices.IndexFunc(out, func(o claim) bool { return o.marker == c.marker }); i >= 0 {
			return nil, &fieldError{field: f.name, err: &UniqueError{Entity: e.name, Field: f.name, by: "field " + out[i].field.name + " of the same item"}}
		}
		out = append(out, c)
	}
	return out, nil
}

// held returns the markers that a stored item should have. What could not have
// been written by this package has none.
func (e *entity) held(attrs item, fields []*uniqueField) []claim {
	var out []claim
	for _, f := range fields {
		if text, used, err := f.text(attrs[f.attr]); used && err == nil {
			out = append(out, claim{e.table.markerKey(f.scope, text), f})
		}
	}
	return out
}

func uses(claims []claim, marker string) bool {
	return slices.ContainsFunc(claims, func(c claim) bool { return c.marker == marker })
}

// text returns the text of an attribute's value, one for each value, and whether
// there is a value. An empty one counts as none if the field may be empty.
func (f *uniqueField) text(av types.AttributeValue) (text string, used bool, err error) {
	if kind := descriptorOf(av); kind == "" || kind == "NULL" || f.optional(av) {
		return "", false, nil
	}
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		if text = v.Value; f.lower {
			text = strings.ToLower(text)
		}
		if !utf8.ValidString(text) {
			return "", true, errors.New("is not valid UTF-8")
		}
	case *types.AttributeValueMemberN:
		text = scalarText(av)
	case *types.AttributeValueMemberB:
		text = base64.RawURLEncoding.EncodeToString(v.Value)
	default:
		return "", false, nil
	}
	if text == "" {
		return "", true, errEmpty
	}
	return text, true, nil
}

// optional reports whether a value is the empty one of a field that omits it.
func (f *uniqueField) optional(av types.AttributeValue) bool {
	if f.slot.empty == nil || !f.omitempty {
		return false
	}
	v, err := f.codec().read(av)
	return err == nil && f.slot.empty(v)
}

// guard is the condition that what was read before a write is still stored.
func (d *draft) guard(stored item) (cond, error) {
	u := d.unique
	switch {
	case len(u.watch) == 0:
		return cond{}, nil
	case u.whole && stored == nil:
		return d.entity.absent(), nil
	case u.whole:
		return d.entity.same(stored)
	}
	return asStored(stored, u.watch), nil
}

// asStored is the condition that fields are as they are in an item.
func asStored(stored item, fields []*uniqueField) cond {
	var c cond
	for _, f := range fields {
		c = c.and(storedAs(f.attr, stored))
	}
	return c
}

// overtaken reports whether a write failed because what was read before it has
// changed since.
func (d *draft) overtaken(err error, stored item) bool {
	failed, ok := errors.AsType[*ConditionError](err)
	if errors.Is(err, ErrInDoubt) {
		return false
	}
	if ok && d.displaced(failed.Item) {
		return true
	}
	if !ok || d.unique.known || len(d.unique.watch) == 0 {
		return false
	}
	if d.unique.whole && ((stored == nil) != (failed.Item == nil) || len(d.entity.changed(stored, failed.Item)) > 0) {
		return true
	}
	return slices.ContainsFunc(d.unique.watch, func(f *uniqueField) bool { return !equalValues(stored[f.attr], failed.Item[f.attr]) })
}

// beaten is the error of a write that was overtaken time and again.
func (d *draft) beaten() error {
	return d.site.fail(because(ErrTransactionConflict, "other writes of the item or of its unique values were faster"))
}

// ClaimUnique writes the markers of an item that is stored already, as it was read:
// for items from before a field was tagged unique, or that other programs wrote.
//
//	for u, err := range users.Scan().All(ctx) {
//		…
//		err = users.ClaimUnique(ctx, u)
//	}
//
// It can be repeated. It fails with a [*UniqueError] if another item has one of
// the values, and with [ErrNotFound] or [ErrConditionFailed] if the item has gone or
// its unique fields have changed since it was read. Until all items have their
// markers, new ones can take their values.
func (d *Definition[T]) ClaimUnique(ctx context.Context, stored T) error {
	return d.defined().claimUnique(ctx, reflect.ValueOf(stored))
}

func (e *entity) claimUnique(ctx context.Context, v reflect.Value) error {
	s := e.site("ClaimUnique")
	if err := e.table.ready(); err != nil {
		return err
	}
	places, err := e.places(v)
	if err != nil {
		return s.fail(err)
	}
	attrs, err := e.plan.encodeItem(v)
	if err != nil {
		return s.fail(err)
	}
	if len(e.held(attrs, e.unique)) == 0 {
		return nil
	}
	d := &draft{site: s, entity: e, key: places[0], places: places}
	d.unique.after = func(item, request) item { return attrs }
	d.explain = func(err error) error { return e.conditionFailed(err, ErrNotFound, nil) }
	d.compile = func(guard cond) (request, error) {
		return e.check(d.key, e.exists().and(asStored(attrs, e.unique)).and(guard))
	}
	_, err = d.readFirst(ctx)
	return err
}

// UniqueError says that a write was refused because the value of a unique field is
// taken. It wraps [ErrUnique].
type UniqueError struct {
	Entity string // that was to be written
	Field  string // its Go name
	// Owner is the primary key of the item that has the value, and OwnerEntity
	// what it is. They are nil and empty where the value is taken within the
	// transaction or the item itself.
	Owner       map[string]types.AttributeValue
	OwnerEntity string

	by    string
	cause error
}

func (e *UniqueError) Error() string { return ErrUnique.Error() + " by " + e.by }

// Unwrap returns [ErrUnique] and the backend's exception.
func (e *UniqueError) Unwrap() []error { return present(ErrUnique, e.cause) }
