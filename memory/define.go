package memory

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// What CreateTable demands of a definition beyond the constraints of single
// members. Constraints have been checked before, so nothing required is nil.

// definition is what the checks look at.
type definition struct {
	in         *createIn
	attributes []string // names, as defined
	onDemand   bool
	taken      map[string]bool // names of indexes
}

// checkDefinition applies the checks in the service's order (observed).
func checkDefinition(in *createIn) error {
	d := definition{
		in:         in,
		attributes: definedNames(in.AttributeDefinitions),
		onDemand:   in.BillingMode == types.BillingModePayPerRequest,
		taken:      make(map[string]bool),
	}
	for _, check := range []func() error{
		d.supported, d.throughput, d.attributeNames, d.tableKey, d.indexLists, d.globalIndexes, d.localIndexes,
		d.unused, d.projections, d.stream, d.ceiling, d.warm, d.tags,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// supported refuses what the engine leaves out.
func (d *definition) supported() error {
	missing := given(
		parameter{"VectorIndexes", d.in.VectorIndexes != nil},
		parameter{"ResourcePolicy", d.in.ResourcePolicy != nil},
		parameter{"GlobalTableSourceArn", d.in.GlobalTableSourceArn != nil},
		parameter{"GlobalTableSettingsReplicationMode", d.in.GlobalTableSettingsReplicationMode != ""},
	)
	if missing != nil {
		return errUnsupported(missing[0])
	}
	return nil
}

func (d *definition) throughput() error {
	t := d.in.ProvisionedThroughput
	switch {
	case d.onDemand && t != nil:
		return invalid(textThroughputOnDemand)
	case d.onDemand:
		return nil
	case t == nil:
		return invalid(textThroughputMissing)
	}
	return checkThroughput(t, "")
}

// checkThroughput bounds provisioned capacity; of an index, if one is named.
func checkThroughput(t *types.ProvisionedThroughput, index string) error {
	const most = 1_000_000_000_000 // observed
	if *t.ReadCapacityUnits > most {
		return errOutOfBounds(*t.ReadCapacityUnits, "ReadCapacityUnits", index)
	}
	if *t.WriteCapacityUnits > most {
		return errOutOfBounds(*t.WriteCapacityUnits, "WriteCapacityUnits", index)
	}
	return nil
}

// tableKey checks the table's key: one HASH attribute, then at most one RANGE.
func (d *definition) tableKey() error {
	if err := d.keySchema(d.in.KeySchema, false); err != nil {
		return err
	}
	indexed := d.in.LocalSecondaryIndexes != nil || d.in.GlobalSecondaryIndexes != nil
	if !indexed && len(d.in.KeySchema) != len(d.attributes) {
		return invalid(textDefinitionCount)
	}
	return nil
}

// keySchema checks the key of a table or index. Only that of a global index may
// have several attributes of each role.
func (d *definition) keySchema(elements []types.KeySchemaElement, multi bool) error {
	keys := keyNames(elements)
	if d.in != nil && len(keys) > len(d.attributes) { // UpdateTable does not count (observed)
		return invalid(textKeyUndefined)
	}
	for _, name := range keys {
		if !slices.Contains(d.attributes, name) {
			return errKeysUndefined(keys, d.attributes)
		}
	}
	if len(keys) > 1 && hasDuplicates(keys) {
		return invalid(textKeySameName)
	}
	if multi && len(elements) > 2 {
		return checkRoles(elements)
	}
	if elements[0].KeyType != types.KeyTypeHash {
		return invalid(textFirstNotHash)
	}
	if len(elements) == 2 && elements[1].KeyType != types.KeyTypeRange && !multi {
		return invalid(textSecondNotRange)
	}
	return nil
}

// checkRoles checks a key of several attributes: HASH before RANGE, at most four
// of each.
func checkRoles(elements []types.KeySchemaElement) error {
	hash, sort := 0, 0
	for _, e := range elements {
		switch {
		case e.KeyType == types.KeyTypeRange:
			sort++
		case sort > 0:
			return invalid(textHashAfterRange)
		default:
			hash++
		}
	}
	switch {
	case hash == 0:
		return invalid(textFirstNotHash)
	case hash > limits.IndexKeyAttributes:
		return errTooManyKeyAttributes(types.KeyTypeHash)
	case sort > limits.IndexKeyAttributes:
		return errTooManyKeyAttributes(types.KeyTypeRange)
	}
	return nil
}

func (d *definition) attributeNames() error {
	for i, name := range d.attributes {
		if slices.Contains(d.attributes[:i], name) {
			return invalid(textDuplicateDefinition + name)
		}
	}
	return nil
}

func (d *definition) indexLists() error {
	if l := d.in.GlobalSecondaryIndexes; l != nil && len(l) == 0 {
		return errIndexListEmpty("GlobalSecondaryIndexes")
	}
	if l := d.in.LocalSecondaryIndexes; l != nil && len(l) == 0 {
		return errIndexListEmpty("LocalSecondaryIndexes")
	}
	return nil
}

func (d *definition) globalIndexes() error {
	for i := range d.in.GlobalSecondaryIndexes {
		ix := &d.in.GlobalSecondaryIndexes[i]
		if err := d.globalIndex(ix); err != nil {
			return err
		}
	}
	if len(d.in.GlobalSecondaryIndexes) > limits.GlobalSecondaryIndexes {
		return errTooManyGlobal()
	}
	return nil
}

func (d *definition) globalIndex(ix *types.GlobalSecondaryIndex) error {
	if err := d.keySchema(ix.KeySchema, true); err != nil {
		return err
	}
	if err := checkProjection(ix.Projection); err != nil {
		return err
	}
	switch t := ix.ProvisionedThroughput; {
	case d.onDemand && t != nil:
		return errIndexThroughputOnDemand(*ix.IndexName)
	case !d.onDemand && t == nil:
		return errIndexThroughputMissing(*ix.IndexName)
	case t != nil:
		if err := checkThroughput(t, *ix.IndexName); err != nil {
			return err
		}
	}
	if err := d.checkWarm(ix.WarmThroughput, "index "+*ix.IndexName); err != nil {
		return err
	}
	return d.take(*ix.IndexName)
}

func (d *definition) localIndexes() error {
	if d.in.LocalSecondaryIndexes != nil && len(d.in.KeySchema) < 2 {
		return invalid(textLocalNeedsSort)
	}
	for i := range d.in.LocalSecondaryIndexes {
		if err := d.localIndex(&d.in.LocalSecondaryIndexes[i]); err != nil {
			return err
		}
	}
	if len(d.in.LocalSecondaryIndexes) > limits.LocalSecondaryIndexes {
		return errTooManyLocal()
	}
	return nil
}

func (d *definition) localIndex(ix *types.LocalSecondaryIndex) error {
	if err := d.keySchema(ix.KeySchema, false); err != nil {
		return err
	}
	if len(ix.KeySchema) < 2 {
		return errLocalNoSort(*ix.IndexName)
	}
	if own, table := *ix.KeySchema[0].AttributeName, *d.in.KeySchema[0].AttributeName; own != table {
		return errLocalHash(*ix.IndexName, own, table)
	}
	if err := checkProjection(ix.Projection); err != nil {
		return err
	}
	return d.take(*ix.IndexName)
}

// take reserves the name of an index.
func (d *definition) take(name string) error {
	if d.taken[name] {
		return errDuplicateIndex(name)
	}
	d.taken[name] = true
	return nil
}

func checkProjection(p *types.Projection) error {
	switch {
	case p.ProjectionType == "":
		return invalid(textProjectionUnknown)
	case p.ProjectionType != types.ProjectionTypeInclude && p.NonKeyAttributes != nil:
		return errNonKeyAttributes(p.ProjectionType)
	case p.ProjectionType == types.ProjectionTypeInclude && p.NonKeyAttributes == nil:
		return invalid(textProjectionNames)
	}
	for i, name := range p.NonKeyAttributes {
		if slices.Contains(p.NonKeyAttributes[:i], name) {
			return errProjectedTwice(name)
		}
	}
	return nil
}

// projections bounds the attributes that all projections name together; one
// named twice counts twice. ServiceQuotas.html#limits-secondary-indexes
func (d *definition) projections() error {
	n := 0
	for _, ix := range d.in.GlobalSecondaryIndexes {
		n += len(ix.Projection.NonKeyAttributes)
	}
	for _, ix := range d.in.LocalSecondaryIndexes {
		n += len(ix.Projection.NonKeyAttributes)
	}
	if n > limits.ProjectedAttributes {
		return errTooManyProjected(n)
	}
	return nil
}

// unused refuses definitions that no key uses.
func (d *definition) unused() error {
	var used []string
	use := func(elements []types.KeySchemaElement) {
		for _, name := range keyNames(elements) {
			if !slices.Contains(used, name) {
				used = append(used, name)
			}
		}
	}
	use(d.in.KeySchema)
	for _, ix := range d.in.GlobalSecondaryIndexes {
		use(ix.KeySchema)
	}
	for _, ix := range d.in.LocalSecondaryIndexes {
		use(ix.KeySchema)
	}
	if len(used) < len(d.attributes) {
		return errDefinitionsUnused(d.attributes, used)
	}
	return nil
}

func (d *definition) stream() error {
	return checkStream(d.in.StreamSpecification, textStreamNoView, textStreamView)
}

func (d *definition) warm() error {
	return d.checkWarm(d.in.WarmThroughput, "table")
}

// checkWarm demands at least the warm throughput that whatever is on demand begins
// with.
func (d *definition) checkWarm(t *types.WarmThroughput, of string) error {
	switch asked := warmOf(t); {
	case !d.onDemand:
		return nil
	case asked.read != 0 && asked.read < warmReadUnits:
		return errWarmBelowInitial("ReadUnitsPerSecond", of)
	case asked.write != 0 && asked.write < warmWriteUnits:
		return errWarmBelowInitial("WriteUnitsPerSecond", of)
	}
	return nil
}

func (d *definition) ceiling() error {
	return checkOnDemand(d.in.OnDemandThroughput, d.onDemand)
}

// checkOnDemand bounds the ceilings of an on-demand table; -1 lifts one.
func checkOnDemand(t *types.OnDemandThroughput, onDemand bool) error {
	if t == nil {
		return nil
	}
	for _, most := range []struct {
		name  string
		units *int64
	}{{"MaxReadRequestUnits", t.MaxReadRequestUnits}, {"MaxWriteRequestUnits", t.MaxWriteRequestUnits}} {
		switch {
		case most.units == nil:
		case !onDemand:
			return errOnDemandProvisioned(most.name)
		case *most.units < 1 && *most.units != -1:
			return errOnDemandRange(most.name)
		}
	}
	return nil
}

func (d *definition) tags() error { return checkTags(d.in.Tags) }

func definedNames(definitions []types.AttributeDefinition) []string {
	names := make([]string, len(definitions))
	for i, d := range definitions {
		names[i] = *d.AttributeName
	}
	return names
}

func keyNames(elements []types.KeySchemaElement) []string {
	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = *e.AttributeName
	}
	return names
}

func hasDuplicates(names []string) bool {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return true
		}
	}
	return false
}
