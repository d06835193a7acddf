package memory

import (
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// What UpdateTable does.

// checkAlteration applies the checks that need no table.
func checkAlteration(in *alterIn) error {
	missing := given(
		parameter{"ReplicaUpdates", in.ReplicaUpdates != nil},
		parameter{"VectorIndexUpdates", in.VectorIndexUpdates != nil},
		parameter{"MultiRegionConsistency", in.MultiRegionConsistency != ""},
		parameter{"GlobalTableWitnessUpdates", in.GlobalTableWitnessUpdates != nil},
		parameter{"GlobalTableSettingsReplicationMode", in.GlobalTableSettingsReplicationMode != ""},
		parameter{"DisassociationProtectionEnabled", in.DisassociationProtectionEnabled != nil},
	)
	if missing != nil {
		return errUnsupported(missing[0])
	}
	if in.ProvisionedThroughput == nil && in.BillingMode == "" && len(in.GlobalSecondaryIndexUpdates) == 0 &&
		in.StreamSpecification == nil && in.SSESpecification == nil && in.DeletionProtectionEnabled == nil &&
		in.TableClass == "" && in.OnDemandThroughput == nil && in.WarmThroughput == nil {
		return invalid(textNothingToUpdate)
	}
	if in.BillingMode == types.BillingModePayPerRequest && in.ProvisionedThroughput != nil {
		return invalid(textThroughputOnDemand)
	}
	if in.ProvisionedThroughput != nil {
		if err := checkThroughput(in.ProvisionedThroughput, ""); err != nil {
			return err
		}
	}
	if err := checkIndexUpdates(in.GlobalSecondaryIndexUpdates); err != nil {
		return err
	}
	return checkStreamChange(in)
}

// checkStreamChange refuses what cannot go together with a change of the stream.
func checkStreamChange(in *alterIn) error {
	switch {
	case in.StreamSpecification == nil:
		return nil
	case in.ProvisionedThroughput != nil:
		return invalid(textStreamIOPS)
	case slices.ContainsFunc(in.GlobalSecondaryIndexUpdates, func(u types.GlobalSecondaryIndexUpdate) bool { return u.Update == nil }):
		return invalid(textStreamWithIndex)
	}
	return checkStream(in.StreamSpecification, textEnabledNoView, textDisabledView)
}

// checkIndexUpdates demands one action per element, one per index, and at most
// one that makes or deletes an index.
func checkIndexUpdates(updates []types.GlobalSecondaryIndexUpdate) error {
	var named []string
	online := 0
	for i := range updates {
		u := &updates[i]
		switch len(given(parameter{"Create", u.Create != nil}, parameter{"Update", u.Update != nil}, parameter{"Delete", u.Delete != nil})) {
		case 0:
			return invalid(textIndexUpdateEmpty)
		case 1:
		default:
			return invalid(textIndexUpdateSeveral)
		}
		name := updatedIndex(u)
		if slices.Contains(named, name) {
			return errIndexUpdatedTwice(name)
		}
		named = append(named, name)
		if u.Update == nil {
			online++
		}
	}
	if online > 1 {
		return errOneOnlineIndex()
	}
	return nil
}

// updatedIndex returns the name of the index that an element is about.
func updatedIndex(u *types.GlobalSecondaryIndexUpdate) string {
	switch {
	case u.Update != nil:
		return *u.Update.IndexName
	case u.Create != nil:
		return *u.Create.IndexName
	}
	return *u.Delete.IndexName
}

// alteration is a change of a table on its way: checked in full before anything
// of it takes effect.
type alteration struct {
	db    *DB
	table *table
	in    *alterIn
	now   time.Time
	to    tableState // a copy that becomes the state
	made  *index     // nil for none
	gone  *index     // nil for none

	enabled *stream // nil for none
}

// alter changes a table as the request says.
func (db *DB) alter(t *table, in *alterIn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := alteration{db: db, table: t, in: in, now: db.now(), to: t.state}
	if err := t.checkIdle(db.settings.clock); err != nil && !a.stopsBackfill() {
		return err
	}
	a.to.global = maps.Clone(t.state.global)
	for _, step := range []func() error{a.billing, a.throughput, a.settings, a.warm, a.stream, a.indexes} {
		if err := step(); err != nil {
			return err
		}
	}
	a.applyLocked()
	if err := db.ledger.tableLocked(t); err != nil {
		return err
	}
	t.capture(t.state.stream) // once the journal knows it
	return nil
}

// stopsBackfill reports whether the request only deletes an index that is taking
// over items, which can be done while the table is UPDATING.
func (a *alteration) stopsBackfill() bool {
	updates := a.in.GlobalSecondaryIndexUpdates
	if len(updates) != 1 || updates[0].Delete == nil {
		return false
	}
	ix := a.table.layout.Load().index(*updates[0].Delete.IndexName)
	return ix != nil && a.now.Before(ix.building.until) && ix.building.backfills(a.now)
}

// billing changes the billing mode, for which every part needs its throughput.
func (a *alteration) billing() error {
	if a.in.BillingMode == "" || a.in.BillingMode == a.to.billing {
		return nil
	}
	if a.in.BillingMode == types.BillingModePayPerRequest {
		a.to.billing, a.to.onDemandAt = types.BillingModePayPerRequest, a.now
		a.to.throughput = throughput{}
		for name, s := range a.to.global {
			s.throughput = throughput{}
			a.to.global[name] = s
		}
		return nil
	}
	if a.in.ProvisionedThroughput == nil {
		return invalid(textProvisionedMissing)
	}
	for _, ix := range a.table.layout.Load().indexes {
		if !ix.local && !a.provisions(ix.name) {
			return errIndexThroughputMissing(ix.name)
		}
	}
	a.to.billing = types.BillingModeProvisioned
	return nil
}

// provisions reports whether the request sets an index's throughput.
func (a *alteration) provisions(index string) bool {
	return slices.ContainsFunc(a.in.GlobalSecondaryIndexUpdates, func(u types.GlobalSecondaryIndexUpdate) bool {
		return updatedIndex(&u) == index && (u.Delete != nil || u.Update != nil && u.Update.ProvisionedThroughput != nil)
	})
}

func (a *alteration) throughput() error {
	if a.in.ProvisionedThroughput == nil {
		return nil
	}
	if a.to.billing == types.BillingModePayPerRequest {
		return invalid(textThroughputOnDemand)
	}
	asked := throughputOf(a.in.ProvisionedThroughput)
	if asked == a.to.throughput && a.table.state.billing == a.to.billing && a.isOnlyThroughput() {
		return errSameThroughput(a.to.throughput)
	}
	a.to.provision(asked, a.now)
	return nil
}

// isOnlyThroughput reports whether the request asks for nothing else.
func (a *alteration) isOnlyThroughput() bool {
	return len(a.in.GlobalSecondaryIndexUpdates) == 0 && a.in.StreamSpecification == nil && a.in.SSESpecification == nil &&
		a.in.DeletionProtectionEnabled == nil && a.in.TableClass == ""
}

func (a *alteration) settings() error {
	if a.in.DeletionProtectionEnabled != nil {
		a.to.protected = *a.in.DeletionProtectionEnabled
	}
	if a.in.TableClass != "" && a.in.TableClass != a.to.class {
		a.to.class, a.to.classAt = a.in.TableClass, a.now
	}
	if a.in.SSESpecification != nil {
		a.to.encrypted = a.db.encryptionOf(a.in.SSESpecification)
	}
	if a.in.OnDemandThroughput == nil {
		return nil
	}
	if err := checkOnDemand(a.in.OnDemandThroughput, a.to.billing == types.BillingModePayPerRequest); err != nil {
		return err
	}
	a.to.ceiling = ceilingOf(a.in.OnDemandThroughput)
	return nil
}

func (a *alteration) warm() (err error) {
	a.to.warm, err = raised(a.in.WarmThroughput, a.to.warm, a.to.warmest(a.to.warm, a.to.throughput))
	return err
}

// raised returns warm throughput after a request for more; it cannot be lowered
// below what there is.
func raised(asked *types.WarmThroughput, before, have throughput) (throughput, error) {
	to := warmOf(asked)
	switch {
	case to.read != 0 && to.read < have.read:
		return before, errWarmLowered("ReadUnitsPerSecond")
	case to.write != 0 && to.write < have.write:
		return before, errWarmLowered("WriteUnitsPerSecond")
	}
	return throughput{max(to.read, before.read), max(to.write, before.write)}, nil
}

func (a *alteration) stream() error {
	switch s := a.in.StreamSpecification; {
	case s == nil:
	case *s.StreamEnabled && a.table.state.streams():
		return errStreamEnabled(a.table.name)
	case !*s.StreamEnabled && !a.table.state.streams():
		return errNoStream(a.table.name)
	case *s.StreamEnabled:
		a.enabled = a.db.newStream(a.table, s.StreamViewType)
	}
	return nil
}

func (a *alteration) indexes() error {
	for i := range a.in.GlobalSecondaryIndexUpdates {
		u := &a.in.GlobalSecondaryIndexUpdates[i]
		var err error
		switch {
		case u.Create != nil:
			err = a.create(createdIndex(u))
		case u.Delete != nil:
			a.gone, err = a.global(*u.Delete.IndexName)
		default:
			err = a.update(u.Update)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// global returns a global secondary index of the table.
func (a *alteration) global(name string) (*index, error) {
	ix := a.table.layout.Load().index(name)
	if ix == nil || ix.local {
		return nil, errTableNotFound()
	}
	return ix, nil
}

func (a *alteration) update(u *types.UpdateGlobalSecondaryIndexAction) error {
	if _, err := a.global(*u.IndexName); err != nil {
		return err
	}
	s := a.to.global[*u.IndexName]
	if u.ProvisionedThroughput != nil {
		if a.to.billing == types.BillingModePayPerRequest {
			return invalid(textIndexUpdateBlocked)
		}
		if err := checkThroughput(u.ProvisionedThroughput, *u.IndexName); err != nil {
			return err
		}
		s.provision(throughputOf(u.ProvisionedThroughput), a.now)
	}
	if u.OnDemandThroughput != nil {
		if err := checkOnDemand(u.OnDemandThroughput, a.to.billing == types.BillingModePayPerRequest); err != nil {
			return err
		}
		s.ceiling = ceilingOf(u.OnDemandThroughput)
	}
	var err error
	s.warm, err = raised(u.WarmThroughput, s.warm, a.to.warmest(s.warm, s.throughput))
	a.to.global[*u.IndexName] = s
	return err
}

// create checks a new index by the rules of CreateTable, with the attributes
// that this request defines.
func (a *alteration) create(ix *types.GlobalSecondaryIndex) error {
	l := a.table.layout.Load()
	if l.index(*ix.IndexName) != nil {
		return errIndexExists(*ix.IndexName)
	}
	d := definition{
		attributes: definedNames(a.in.AttributeDefinitions),
		onDemand:   a.to.billing == types.BillingModePayPerRequest,
		taken:      make(map[string]bool),
	}
	if err := d.globalIndex(ix); err != nil {
		return err
	}
	if n := len(l.indexes) - l.locals(); n+1 > limits.GlobalSecondaryIndexes {
		return errTooManyGlobal()
	}
	named := len(ix.Projection.NonKeyAttributes)
	for _, old := range l.indexes {
		named += len(old.nonKey)
	}
	if named > limits.ProjectedAttributes {
		return errTooManyProjected(named)
	}
	defined := definedAttributes(a.in.AttributeDefinitions)
	schema := newKeySchema(ix.KeySchema, defined)
	for _, k := range schema.all {
		if i := slices.IndexFunc(l.defined, func(o keyAttribute) bool { return o.Name == k.Name }); i >= 0 && l.defined[i] != k {
			return errRedefined(&l.key, &schema)
		}
	}
	a.made = a.db.newIndex(*ix.IndexName, &l.key, schema, ix.Projection)
	a.table.equipIndex(a.made)
	a.made.building = building{a.now, a.now.Add(a.db.settings.transition)}
	a.to.global[*ix.IndexName] = newIndexState(ix.ProvisionedThroughput, ix.OnDemandThroughput, ix.WarmThroughput)
	return nil
}

// applyLocked makes the change. The caller holds the lock of the settings.
func (a *alteration) applyLocked() {
	if a.gone != nil {
		if a.db.settings.transition > 0 {
			a.to.leaving = append(slices.Clone(a.to.leaving), leaving{a.gone, a.to.global[a.gone.name], a.now.Add(a.db.settings.transition)})
		}
		delete(a.to.global, a.gone.name)
	}
	a.table.state = a.to
	switch {
	case a.enabled != nil:
		a.db.streams.register(a.enabled, a.table.arn, a.now)
		a.table.state.stream = a.enabled
	case a.in.StreamSpecification != nil:
		a.db.disableStream(a.table)
	}
	a.table.state.forgetIndexes(a.now)
	a.table.setQuotas(a.indexesAfter())
	if a.made != nil || a.gone != nil {
		a.table.relayout(a.made, a.gone)
	}
	a.table.enter(types.TableStatusUpdating, a.now, a.db.settings.transition)
}

// indexesAfter returns the indexes that the table will have.
func (a *alteration) indexesAfter() []*index {
	indexes := a.table.layout.Load().indexes
	if a.made != nil {
		indexes = append(slices.Clone(indexes), a.made)
	}
	return indexes
}

// relayout adds an index, filled with the items there are, and takes one away;
// nil stands for none. All writers of the table wait meanwhile. Attributes that
// no key uses any more lose their definition.
func (t *table) relayout(made, gone *index) {
	defer lockAll(slices.Clone(t.base.partitions))()
	l := t.layout.Load()
	indexes := slices.DeleteFunc(slices.Clone(l.indexes), func(ix *index) bool { return ix == gone })
	defined := slices.Clone(l.defined)
	if made != nil {
		indexes = append(indexes, made)
		for _, a := range made.schema.all {
			if !slices.Contains(defined, a) {
				defined = append(defined, a)
			}
		}
		t.fill(l, made)
	}
	defined = slices.DeleteFunc(defined, func(a keyAttribute) bool {
		return !l.key.has(a.Name) && !slices.ContainsFunc(indexes, func(ix *index) bool { return ix.schema.has(a.Name) })
	})
	t.layout.Store(newLayout(defined, l.key, indexes))
}

// fill gives a new index, which nobody else knows yet, the entries of the items
// there are. The caller keeps all writers of the table out.
func (t *table) fill(l *layout, ix *index) {
	for _, p := range t.base.partitions {
		p.store.walk(everything, func(_ string, r *record) bool {
			if c, changed := ix.change(&l.key, nil, r); changed {
				c.applyLocked(time.Time{})
			}
			return true
		})
	}
	ix.space.forget() // no read shall see it half built
}
