package memory

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// table is one table with its indexes.
type table struct {
	name, arn, id string
	created       time.Time
	base          *keyspace
	powers        *powers

	number uint64 // tells tables of one DB apart; later ones have higher ones
	ledger *ledger

	// layout is replaced as a whole, under the locks of all base partitions;
	// whoever holds one of them sees it unchanging.
	layout atomic.Pointer[layout]

	phase atomic.Pointer[phase] // nil for a table that was never anything but ACTIVE

	capturing atomic.Pointer[stream] // where changes leave records; nil for nowhere

	mu    sync.Mutex // guards state, and that one change of the layout is made at a time
	state tableState
}

// tableState is what may change about a table beside its items and its layout.
type tableState struct {
	billing    types.BillingMode
	onDemandAt time.Time // of the latest change to PAY_PER_REQUEST; zero if never
	provisioned
	ceiling   throughput // of an on-demand table; 0 for none
	warm      throughput // 0 where not set
	class     types.TableClass
	classAt   time.Time // of the latest change of class; zero if never
	protected bool
	encrypted *encryption           // nil for the key that DynamoDB owns
	global    map[string]indexState // by name, of global secondary indexes
	leaving   []leaving
	tags      map[string]string
	ttl       timeToLive
	stream    *stream // that began last; nil if none ever did
}

// streams reports whether the table has a stream that goes on.
func (s *tableState) streams() bool { return s.stream != nil && s.stream.end == 0 }

// indexState is what may change about a global secondary index.
type indexState struct {
	provisioned
	ceiling, warm throughput
}

// throughput is a pair of capacities in units per second.
type throughput struct{ read, write int64 }

// provisioned is provisioned capacity with the history that descriptions show.
type provisioned struct {
	throughput
	raised, lowered time.Time // zero if never
	decreases       int64     // on the day of lowered
}

// provision changes the capacity.
func (p *provisioned) provision(to throughput, now time.Time) {
	if to.read < p.read || to.write < p.write {
		if !sameDay(p.lowered, now) {
			p.decreases = 0
		}
		p.decreases++
		p.lowered = now
	}
	if to.read > p.read || to.write > p.write {
		p.raised = now
	}
	p.throughput = to
}

func sameDay(a, b time.Time) bool {
	const day = 24 * time.Hour
	return a.UTC().Truncate(day).Equal(b.UTC().Truncate(day))
}

// encryption is the server-side encryption with a key in KMS that a table is
// said to have.
type encryption struct{ keyARN string }

// layout is how items and entries are keyed: the primary key and the indexes.
// It never changes once made.
type layout struct {
	defined []keyAttribute // in the order of AttributeDefinitions
	key     keySchema
	indexes []*index // local ones first, then as they were made
	sorted  []*index // by name
}

func newLayout(defined []keyAttribute, key keySchema, indexes []*index) *layout {
	l := &layout{defined: defined, key: key, indexes: indexes, sorted: slices.Clone(indexes)}
	slices.SortFunc(l.sorted, func(a, b *index) int { return cmp.Compare(a.name, b.name) })
	return l
}

// index returns the index with that name, nil when there is none.
func (l *layout) index(name string) *index {
	for _, ix := range l.indexes {
		if ix.name == name {
			return ix
		}
	}
	return nil
}

// locals returns the number of local secondary indexes.
func (l *layout) locals() int {
	n := slices.IndexFunc(l.indexes, func(ix *index) bool { return !ix.local })
	if n < 0 {
		return len(l.indexes)
	}
	return n
}

// checkItem applies the rules for the key attributes of a whole item: those of
// the table, then those of indexes in the order of their names (observed).
func (l *layout) checkItem(item av.Map) error {
	if err := l.key.checkItem(item); err != nil {
		return err
	}
	return l.checkIndexKeys(item)
}

func (l *layout) checkIndexKeys(item av.Map) error {
	for _, ix := range l.sorted {
		if err := ix.checkItem(item); err != nil {
			return err
		}
	}
	return nil
}

// checkPaths refuses paths that lead into a key attribute of the table or of an
// index, since those are scalars.
func (l *layout) checkPaths(lists ...[]eval.Path) error {
	for _, paths := range lists {
		for _, p := range paths {
			if len(p) > 1 && l.key.has(p.Root()) {
				return errKeyPath("Key", p.Root())
			}
		}
	}
	for _, paths := range lists {
		for _, p := range paths {
			if len(p) > 1 && l.indexed(p.Root()) {
				return errKeyPath("IndexKey", p.Root())
			}
		}
	}
	return nil
}

// indexed reports whether the attribute is part of the key of an index.
func (l *layout) indexed(name string) bool {
	return slices.ContainsFunc(l.sorted, func(ix *index) bool { return ix.schema.has(name) })
}

// checkTargets refuses updates of key attributes.
func (l *layout) checkTargets(written []eval.Path) error {
	for _, a := range l.key.all {
		if touches(written, a) {
			return errUpdatesKey(a.Name)
		}
	}
	return nil
}

// checkOutcomes applies the rules for index keys to what an update is going to
// write whatever the item is.
func (l *layout) checkOutcomes(u *eval.Update) error {
	if u == nil || len(l.sorted) == 0 {
		return nil
	}
	known := u.Outcomes()
	for _, ix := range l.sorted {
		if err := ix.checkOutcomes(known); err != nil {
			return err
		}
	}
	return nil
}

// checkUpdated applies the rules for index keys to what an update has written.
func (l *layout) checkUpdated(written []eval.Path, image av.Map, w wording) error {
	for _, ix := range l.sorted {
		if err := ix.checkUpdated(written, image, w); err != nil {
			return err
		}
	}
	return nil
}
