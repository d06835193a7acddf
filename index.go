package ddb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Limits of tables and their indexes. Constraints.html#limits-secondary-indexes
// and ServiceQuotas.html#limits-tables.
const (
	maxGSIs       = 20 // unless the account's quota was raised
	maxLSIs       = 5
	maxIncluded   = 100 // attributes that Include names, over all indexes
	maxRoleAttrs  = 4   // attributes of a global index for one role
	maxAttrLength = 255 // of a key attribute's name
)

// indexName is the form of an index's name.
// HowItWorks.NamingRulesDataTypes.html#HowItWorks.NamingRules.
var indexName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// keyNames are the attributes of a key by role: one each in a table or local
// index, up to four in a global index. Without sk the key is simple.
type keyNames struct{ pk, sk []string }

// roleNames splits what an option says of one role.
func roleNames(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func (k keyNames) all() []string { return slices.Concat(k.pk, k.sk) }

// tableIndex is a secondary index.
type tableIndex struct {
	name       string
	local      bool
	keys       keyNames
	projection types.ProjectionType
	include    []string
}

// projects reports whether items in the index have the attribute.
func (ix *tableIndex) projects(t *Table, attr string) bool {
	return ix.projection == types.ProjectionTypeAll || slices.Contains(ix.include, attr) ||
		slices.Contains(ix.keys.all(), attr) || slices.Contains(t.keys.all(), attr)
}

// IndexOption changes what [GSI] and [LSI] describe.
type IndexOption func(*tableIndex)

// KeysOnly limits an index to the keys of table and index. Queries of it return
// entities with only those fields set that the keys hold.
func KeysOnly() IndexOption {
	return func(ix *tableIndex) { ix.projection = types.ProjectionTypeKeysOnly }
}

// Include limits an index to the keys and the named attributes.
func Include(attrs ...string) IndexOption {
	return func(ix *tableIndex) {
		ix.projection = types.ProjectionTypeInclude
		ix.include = append(slices.Clone(ix.include), attrs...)
	}
}

// GSI describes a global secondary index by its name and key attributes; an
// empty sk means a simple key. Without [KeysOnly] or [Include] it carries whole
// items. Several attributes for one role, up to four, stand between commas:
//
//	ddb.GSI("ByRegion", "Region,Status", "Score,At")
//
// A table without any GSI or LSI option takes its indexes from its entities: an
// index NAME then has the key attributes NAMEPK and NAMESK, or those of the
// fields where an entity lists several for a role, and carries whole items. As
// soon as one is listed, entities may name only listed ones.
func GSI(name, pk, sk string, opts ...IndexOption) TableOption {
	return func(t *Table) {
		t.list(&tableIndex{name: name, keys: keyNames{roleNames(pk), roleNames(sk)}}, opts)
	}
}

// LSI describes a local secondary index by its name and sort key attribute: a
// further order of the items of each partition, with consistent reads. The table
// needs a sort key, gets its local indexes when it is created and never again,
// and can then hold no more than 10 GB under one partition key. The tag of an
// entity in it has an sk alone. Projections are those of [GSI].
func LSI(name, sk string, opts ...IndexOption) TableOption {
	return func(t *Table) {
		t.list(&tableIndex{name: name, local: true, keys: keyNames{sk: []string{sk}}}, opts)
	}
}

// GSIQuota says how many global secondary indexes a table of the account may
// have, where AWS has raised the default of 20.
func GSIQuota(n int) TableOption {
	return func(t *Table) { t.gsiQuota = n }
}

func (t *Table) list(ix *tableIndex, opts []IndexOption) {
	ix.projection = types.ProjectionTypeAll
	for _, o := range opts {
		if o != nil {
			o(ix)
		}
	}
	t.declared = true
	if t.index(ix.name) != nil {
		t.fault(Fault{Problem: fmt.Sprintf("index %s is listed twice", ix.name)})
		return
	}
	t.indexes = append(t.indexes, ix)
}

// index returns the index with that name, or nil.
func (t *Table) index(name string) *tableIndex {
	for _, ix := range t.indexes {
		if ix.name == name {
			return ix
		}
	}
	return nil
}

// imply adds an index that no option lists, with the keys that an entity's tag
// asks for.
func (t *Table) imply(name string, keys keyNames) *tableIndex {
	ix := &tableIndex{name: name, keys: keys, projection: types.ProjectionTypeAll}
	t.indexes = append(t.indexes, ix)
	t.checkIndex(ix)
	t.checkCount(false, maxGSIs)
	return ix
}

func (t *Table) indexNames() []string {
	names := make([]string, len(t.indexes))
	for i, ix := range t.indexes {
		names[i] = ix.name
	}
	return names
}

// checkKeys completes the indexes that options list and reports what the service
// would refuse of the table's keys and theirs.
func (t *Table) checkKeys() {
	t.checkSchema("the table's key", t.keys, 1)
	included := 0
	for _, ix := range t.indexes {
		if ix.local {
			ix.keys.pk = t.keys.pk
			if len(t.keys.sk) == 0 {
				t.fault(Fault{Problem: fmt.Sprintf("index %s is local, which needs a table with a sort key; use ddb.GSI", ix.name)})
			}
		}
		t.checkIndex(ix)
		included += len(ix.include)
	}
	if included > maxIncluded {
		t.fault(Fault{Problem: fmt.Sprintf("the indexes include %d attributes, more than %d together; let some carry whole items", included, maxIncluded)})
	}
	t.checkCount(false, maxGSIs)
	t.checkCount(true, maxLSIs)
}

func (t *Table) checkIndex(ix *tableIndex) {
	if !indexName.MatchString(ix.name) {
		t.fault(Fault{Problem: fmt.Sprintf("the index name %q is not 3 to 255 of the characters a-z, A-Z, 0-9, _, - and .", ix.name)})
	}
	most := maxRoleAttrs
	if ix.local {
		most = 1
	}
	t.checkSchema("index "+ix.name, ix.keys, most)
	if ix.projection != types.ProjectionTypeInclude {
		return
	}
	if len(ix.include) == 0 {
		t.fault(Fault{Problem: fmt.Sprintf("index %s includes no attribute; name some, or use ddb.KeysOnly", ix.name)})
	}
	for i, attr := range ix.include {
		if slices.Contains(ix.include[:i], attr) || attr == "" || len(attr) > maxAttrLength {
			t.fault(Fault{Column: attr, Problem: fmt.Sprintf("index %s includes it twice, or its name is not 1 to %d characters long", ix.name, maxAttrLength)})
		}
	}
}

// checkSchema reports what is wrong with the attributes of one key, of which
// each role may have so many.
func (t *Table) checkSchema(of string, keys keyNames, most int) {
	if len(keys.pk) == 0 {
		t.fault(Fault{Problem: of + " has no partition key"})
	}
	if n := max(len(keys.pk), len(keys.sk)); n > most {
		t.fault(Fault{Problem: fmt.Sprintf("%s has %d attributes for one role, more than %d", of, n, most)})
	}
	all := keys.all()
	for i, attr := range all {
		switch {
		case attr == "" || len(attr) > maxAttrLength:
			t.fault(Fault{Column: attr, Problem: fmt.Sprintf("%s has an attribute whose name is not 1 to %d characters long", of, maxAttrLength)})
		case slices.Contains(all[:i], attr):
			t.fault(Fault{Column: attr, Problem: of + " has the attribute twice"})
		}
	}
}

// checkCount reports the first index too many.
func (t *Table) checkCount(local bool, most int) {
	kind, hint := "local", ""
	if !local {
		kind, most, hint = "global", max(most, t.gsiQuota), "; if the account's quota was raised, say so with ddb.GSIQuota"
	}
	n := 0
	for _, ix := range t.indexes {
		if ix.local == local {
			n++
		}
	}
	if n == most+1 {
		t.fault(Fault{Problem: fmt.Sprintf("there are more than %d %s indexes%s", most, kind, hint)})
	}
}
