package memory

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// A reading is a Query or Scan bound to its table or index: what to walk, what
// to keep of it, how to show it.
type reading struct {
	pager
	layout     *layout
	schema     *keySchema // of the index if one is read, else of the table
	filter     *eval.Condition
	projection *eval.Projection
	counts     bool // show no items
}

// reading binds a request to the table or to an index of it.
func (db *DB) reading(t *table, name *string, consistent bool, limit *int32) (*reading, error) {
	r := &reading{layout: t.layout.Load()}
	r.schema = &r.layout.key
	r.pager = pager{table: t, consistent: consistent, moment: t.powers.moment(consistent)}
	if limit != nil {
		r.limit = int(*limit)
	}
	if name == nil {
		return r, nil
	}
	if r.index = r.layout.index(*name); r.index == nil {
		return nil, errNoIndex(*name)
	}
	if consistent && !r.index.local {
		return nil, invalid(textConsistentIndexRead)
	}
	if !r.index.building.isOver(db.settings.clock) {
		return nil, errBackfilling(*name)
	}
	r.index.lag.catchUp(db.now())
	r.schema = &r.index.schema
	return r, nil
}

// planQuery finds the range that a key condition stands for and where in it to
// start.
func (r *reading) planQuery(p *pagePlan, forward bool) error {
	if err := r.checkStartCount(p.start, textStartKey); err != nil {
		return err
	}
	kr, err := p.KeyCondition.Plan(r.schema.hash, r.schema.sort, func(a keyAttribute) error { return checkStartPart(p.start, a) })
	if err != nil {
		return wording{}.fault(err)
	}
	if err := r.checkStartValues(p.start); err != nil {
		return err
	}
	r.partition = kr.Partition
	prefix := appendHash(nil, kr.Partition...)
	for _, v := range kr.Partition {
		prefix = v.AppendKey(prefix)
	}
	r.within = keyRange{low: string(prefix) + kr.Low, high: prefixEnd(string(prefix)), backward: !forward}
	if kr.High != "" {
		r.within.high = string(prefix) + kr.High
	}
	if p.start != nil {
		if err := r.checkStartWithin(p.start, kr); err != nil {
			return err
		}
		r.within = r.within.after(r.position(p.start))
	}
	return nil
}

// planScan finds the range of a segment, or of everything, and where to start.
func (r *reading) planScan(p *pagePlan, s types.Select, segment, total *int32) error {
	if err := r.checkScanStart(p.start, s); err != nil {
		return err
	}
	r.within = everything
	if segment != nil {
		r.within = segmentRange(int(*segment), int(*total))
	}
	if p.start == nil {
		return nil
	}
	at := r.position(p.start)
	if segment != nil && (at < r.within.low || at >= r.within.high) {
		return errStartKeySegment(int(*segment), int(*total))
	}
	r.within = r.within.after(at)
	return nil
}

// planItems decides what becomes of the items read: which attributes they need,
// which of them pass the filter, what is shown. The checks are in the service's
// order.
func (r *reading) planItems(s types.Select, p *pagePlan) error {
	projected, filtered := paths(p.Projection), paths(p.Filter)
	if err := r.layout.checkPaths(projected); err != nil {
		return err
	}
	if p.KeyCondition != nil {
		if err := r.checkFilterKeys(p.filterName, filtered); err != nil {
			return err
		}
	}
	if err := r.checkProjected(s, projected); err != nil {
		return err
	}
	if err := r.layout.checkPaths(filtered); err != nil {
		return err
	}
	r.filter, r.projection, r.counts = p.Filter, p.Projection, s == types.SelectCount
	return nil
}

// checkSelectAll refuses all attributes of a global secondary index that does not
// hold them.
func (r *reading) checkSelectAll(s types.Select) error {
	if s != types.SelectAllAttributes || r.index == nil || r.index.local || r.index.projected == nil {
		return nil
	}
	return errSelectAll(r.index.name)
}

// checkProjected refuses attributes that a global secondary index does not hold
// and has the entries of a local one completed where more is to be shown. A
// filter sees what is read and takes the rest for missing.
func (r *reading) checkProjected(s types.Select, projected []eval.Path) error {
	if r.index == nil || r.index.projected == nil {
		return nil
	}
	missing := r.unprojected(projected)
	if r.index.local {
		r.fetch = s == types.SelectAllAttributes || len(missing) > 0
		return nil
	}
	if len(missing) > 0 {
		return errNotProjected(r.index.name, missing)
	}
	return r.checkSelectAll(s)
}

// unprojected returns the attributes among the paths that entries lack.
func (r *reading) unprojected(paths []eval.Path) []string {
	var missing []string
	for _, p := range paths {
		if name := p.Root(); !r.index.projects(name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// startNames returns the attributes of a starting key: those of the primary key
// and, in an index, those of the index key.
func (r *reading) startNames() []keyAttribute {
	attributes := slices.Clone(r.layout.key.all)
	if r.index != nil {
		for _, a := range r.index.schema.all {
			if !r.layout.key.has(a.Name) {
				attributes = append(attributes, a)
			}
		}
	}
	return attributes
}

// A starting key has the attributes that a LastEvaluatedKey has, each with a value
// that a key can have; the item need not exist. The checks on those of an index and
// on those of the table are two, and word faults in two ways (observed).

// checkScanStart makes all checks on the starting key of a scan. What Select asks
// of the index is checked in between (observed).
func (r *reading) checkScanStart(start av.Map, s types.Select) error {
	mismatch := textStartKeySchema
	if r.index != nil {
		mismatch = textStartKey
	}
	if err := r.checkStartCount(start, mismatch); err != nil {
		return err
	}
	if r.index != nil {
		for _, a := range r.schema.all {
			if err := checkStartPart(start, a); err != nil {
				return err
			}
		}
	}
	if err := r.checkSelectAll(s); err != nil {
		return err
	}
	return r.checkStartValues(start)
}

// checkStartCount counts the attributes; mismatch words another number.
func (r *reading) checkStartCount(start av.Map, mismatch string) error {
	if start != nil && len(start) != len(r.startNames()) {
		return invalid(mismatch)
	}
	return nil
}

// checkStartPart checks an attribute of the key that a query selects by, or of the
// index that a scan reads.
func checkStartPart(start av.Map, a keyAttribute) error {
	if start == nil {
		return nil
	}
	v := start.Get(a.Name)
	switch {
	case !v.Exists():
		return invalid(textStartKey)
	case v.Kind() != a.Kind:
		return invalid(textKeySchema)
	case isEmpty(v):
		return errStartKeyValue(errEmptyKey(a.Name, a.Kind))
	}
	return nil
}

// checkStartValues checks the table's key within a starting key, and sizes.
func (r *reading) checkStartValues(start av.Map) error {
	if start == nil {
		return nil
	}
	for _, a := range r.layout.key.all {
		switch v := start.Get(a.Name); {
		case v.Kind() != a.Kind:
			return invalid(textStartKeySchema)
		case isEmpty(v):
			return errStartKeyValue(errEmptyKey(a.Name, a.Kind))
		}
	}
	for _, s := range []*keySchema{r.schema, &r.layout.key} {
		if err := s.checkSizes(start); err != nil {
			return errStartKeyValue(err)
		}
	}
	return nil
}

// checkStartWithin checks a starting key against the key condition.
func (r *reading) checkStartWithin(start av.Map, kr eval.Range) error {
	elsewhere := false
	for i, a := range r.schema.hash {
		elsewhere = elsewhere || !av.Equal(start.Get(a.Name), kr.Partition[i])
	}
	switch {
	case kr.HasSort:
	case !elsewhere:
		return nil
	case r.index == nil && len(r.schema.sort) == 0:
		return errStartKeyOfOther(start)
	default:
		return invalid(textStartKeyPartition)
	}
	var at []byte
	for _, a := range r.schema.sort {
		at = start.Get(a.Name).AppendKey(at)
	}
	switch {
	case string(at) < kr.Low || kr.High != "" && string(at) >= kr.High:
		return invalid(textStartKeyRange)
	case elsewhere:
		return invalid(textStartKeyOneRow)
	}
	return nil
}

// position returns the store key that a starting key stands for.
func (r *reading) position(start av.Map) string {
	if r.index != nil {
		return r.index.storeKey(&r.layout.key, start)
	}
	return r.layout.key.storeKey(start)
}

// checkFilterKeys refuses filters on the key that the query selects by.
func (r *reading) checkFilterKeys(parameter string, filtered []eval.Path) error {
	for _, a := range r.schema.all {
		if slices.ContainsFunc(filtered, func(p eval.Path) bool { return p.Root() == a.Name }) {
			return errFilterOnKey(parameter, a.Name)
		}
	}
	return nil
}

// answer is what a Query or Scan found.
type answer struct {
	items          []map[string]types.AttributeValue // nil when only counted
	count, scanned int
	last           map[string]types.AttributeValue // nil at the end
	base           units
	index          *index
	entries        units
}

// answer reads a page, drops what the filter drops and shows the rest.
func (r *reading) answer(as rendering) (answer, error) {
	pg := r.read()
	if pg.refused != nil {
		return answer{}, pg.refused
	}
	a := answer{scanned: len(pg.records), index: r.index}
	if !r.counts {
		a.items = make([]map[string]types.AttributeValue, 0, len(pg.records))
	}
	for _, rec := range pg.records {
		if r.filter != nil && !r.filter.Match(rec.item) {
			continue
		}
		a.count++
		if !r.counts {
			a.items = append(a.items, as.project(rec.item, r.projection))
		}
	}
	if pg.stopped {
		a.last = r.lastKey(pg.records[len(pg.records)-1])
	}
	if r.index == nil {
		a.base = readUnits(pg.bytes, r.consistent)
	} else {
		a.base, a.entries = pg.fetched, readUnits(pg.bytes, r.consistent)
	}
	return a, nil
}

// lastKey returns the LastEvaluatedKey that stands for a record.
func (r *reading) lastKey(rec *record) map[string]types.AttributeValue {
	key := make(map[string]types.AttributeValue)
	for _, a := range r.startNames() {
		key[a.Name] = rec.item.Get(a.Name).SDK()
	}
	return key
}

// consumed reports what the page cost.
func (a *answer) consumed(table string, mode types.ReturnConsumedCapacity) *types.ConsumedCapacity {
	use := usage{table: table, base: a.base}
	if a.index != nil {
		use.addIndex(a.index, a.entries)
	}
	return use.report(mode)
}
