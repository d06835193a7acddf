package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// keptTable is the form of [TableChange.Settings]. What it says must not change
// its meaning; members may be added.
type keptTable struct {
	Name        string               `json:"name"`
	ARN         string               `json:"arn"`
	ID          string               `json:"id"`
	Created     time.Time            `json:"created"`
	Status      types.TableStatus    `json:"status,omitempty"`
	StatusUntil time.Time            `json:"statusUntil,omitzero"`
	Attributes  []keptAttribute      `json:"attributes"`
	Hash        []string             `json:"hash"`
	Sort        []string             `json:"sort,omitempty"`
	Indexes     []keptIndex          `json:"indexes,omitempty"`
	Leaving     []keptLeaving        `json:"leaving,omitempty"`
	Global      map[string]keptUnits `json:"global,omitempty"` // by name of the index
	Units       keptUnits            `json:"units,omitzero"`
	Billing     types.BillingMode    `json:"billing"`
	OnDemandAt  time.Time            `json:"onDemandAt,omitzero"`
	Class       types.TableClass     `json:"class,omitempty"`
	ClassAt     time.Time            `json:"classAt,omitzero"`
	Protected   bool                 `json:"protected,omitempty"`
	KeyARN      string               `json:"keyARN,omitempty"`
	Tags        map[string]string    `json:"tags,omitempty"`
	TTL         string               `json:"ttl,omitempty"`
	TTLAt       time.Time            `json:"ttlAt,omitzero"`
	Stream      uint64               `json:"stream,omitempty"` // the number of the latest
}

type keptAttribute struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// keptIndex is an index without its entries, which follow from the items.
type keptIndex struct {
	Name       string               `json:"name"`
	Local      bool                 `json:"local,omitempty"`
	Hash       []string             `json:"hash"`
	Sort       []string             `json:"sort,omitempty"`
	Attributes []keptAttribute      `json:"attributes"`
	Projection types.ProjectionType `json:"projection"`
	NonKey     []string             `json:"nonKey,omitempty"`
	From       time.Time            `json:"from,omitzero"`
	Until      time.Time            `json:"until,omitzero"`
}

type keptLeaving struct {
	Index keptIndex `json:"index"`
	Units keptUnits `json:"units"`
	Until time.Time `json:"until"`
}

// keptUnits is the capacity of a table or index, reads before writes.
type keptUnits struct {
	Provisioned [2]int64  `json:"provisioned,omitzero"`
	Raised      time.Time `json:"raised,omitzero"`
	Lowered     time.Time `json:"lowered,omitzero"`
	Decreases   int64     `json:"decreases,omitempty"`
	Ceiling     [2]int64  `json:"ceiling,omitzero"`
	Warm        [2]int64  `json:"warm,omitzero"`
}

// changeLocked returns what the table is; the caller holds the lock of its
// settings.
func (t *table) changeLocked() TableChange {
	l, s := t.layout.Load(), &t.state
	k := keptTable{
		Name: t.name, ARN: t.arn, ID: t.id, Created: t.created,
		Attributes: keepAttributes(l.defined), Hash: namesOf(l.key.hash), Sort: namesOf(l.key.sort),
		Global:  make(map[string]keptUnits),
		Units:   keepUnits(indexState{s.provisioned, s.ceiling, s.warm}),
		Billing: s.billing, OnDemandAt: s.onDemandAt, Class: s.class, ClassAt: s.classAt, Protected: s.protected,
		Tags: s.tags, TTL: s.ttl.attribute, TTLAt: s.ttl.changed,
	}
	if p := t.phase.Load(); p != nil {
		k.Status, k.StatusUntil = p.status, p.until
	}
	for _, ix := range l.indexes {
		k.Indexes = append(k.Indexes, keepIndex(ix))
	}
	for _, gone := range s.leaving {
		k.Leaving = append(k.Leaving, keptLeaving{keepIndex(gone.index), keepUnits(gone.state), gone.until})
	}
	for name, state := range s.global {
		k.Global[name] = keepUnits(state)
	}
	if s.encrypted != nil {
		k.KeyARN = s.encrypted.keyARN
	}
	if s.stream != nil {
		k.Stream = s.stream.number
	}
	text, _ := json.Marshal(k) // strings, numbers and times of this era: nothing can fail
	return TableChange{Number: t.number, Settings: text}
}

func keepIndex(ix *index) keptIndex {
	return keptIndex{
		Name: ix.name, Local: ix.local, Hash: namesOf(ix.schema.hash), Sort: namesOf(ix.schema.sort),
		Attributes: keepAttributes(ix.schema.all), Projection: ix.projection, NonKey: ix.nonKey,
		From: ix.building.from, Until: ix.building.until,
	}
}

func keepAttributes(all []keyAttribute) []keptAttribute {
	out := make([]keptAttribute, len(all))
	for i, a := range all {
		out[i] = keptAttribute{a.Name, a.Kind.String()}
	}
	return out
}

func namesOf(all []keyAttribute) []string {
	var out []string
	for _, a := range all {
		out = append(out, a.Name)
	}
	return out
}

func keepUnits(s indexState) keptUnits {
	return keptUnits{
		Provisioned: [2]int64{s.read, s.write}, Raised: s.raised, Lowered: s.lowered, Decreases: s.decreases,
		Ceiling: [2]int64{s.ceiling.read, s.ceiling.write}, Warm: [2]int64{s.warm.read, s.warm.write},
	}
}

func (k *keptUnits) state() indexState {
	pair := func(p [2]int64) throughput { return throughput{p[0], p[1]} }
	return indexState{
		provisioned: provisioned{pair(k.Provisioned), k.Raised, k.Lowered, k.Decreases},
		ceiling:     pair(k.Ceiling),
		warm:        pair(k.Warm),
	}
}

// wholeLocked returns what the table is, with its stream; the caller holds the
// lock of its settings.
func (t *table) wholeLocked() Change {
	c := Change{Tables: []TableChange{t.changeLocked()}}
	if s := t.state.stream; s != nil {
		c.Streams = []StreamChange{s.change()}
	}
	return c
}

func (t *table) whole() Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wholeLocked()
}

// takeOver makes the table what its settings say, given the streams by number.
// Its items stay, its indexes are empty.
func (t *table) takeOver(db *DB, settings []byte, streams map[uint64]*stream) error {
	var k keptTable
	if err := json.Unmarshal(settings, &k); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	defined, err := restoreAttributes(k.Attributes)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	key, err := restoreSchema(k.Hash, k.Sort, defined)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	indexes := make([]*index, len(k.Indexes))
	for i := range k.Indexes {
		if indexes[i], err = k.Indexes[i].restore(db, &key); err != nil {
			return fmt.Errorf("settings of an index: %w", err)
		}
	}
	units := k.Units.state()
	s := tableState{
		billing: k.Billing, onDemandAt: k.OnDemandAt, provisioned: units.provisioned, ceiling: units.ceiling, warm: units.warm,
		class: k.Class, classAt: k.ClassAt, protected: k.Protected,
		global: make(map[string]indexState), tags: make(map[string]string), ttl: timeToLive{k.TTL, k.TTLAt},
	}
	for _, gone := range k.Leaving {
		ix, err := gone.Index.restore(db, &key)
		if err != nil {
			return fmt.Errorf("settings of an index: %w", err)
		}
		s.leaving = append(s.leaving, leaving{ix, gone.Units.state(), gone.Until})
	}
	for name, u := range k.Global {
		s.global[name] = u.state()
	}
	for name, value := range k.Tags {
		s.tags[name] = value
	}
	if k.KeyARN != "" {
		s.encrypted = &encryption{k.KeyARN}
	}
	if k.Stream != 0 {
		if s.stream = streams[k.Stream]; s.stream == nil {
			return errors.New("settings: the stream is not known")
		}
	}
	t.name, t.arn, t.id, t.created, t.state = k.Name, k.ARN, k.ID, k.Created, s
	t.layout.Store(newLayout(defined, key, indexes))
	if k.Status != "" {
		t.phase.Store(&phase{k.Status, k.StatusUntil})
	}
	return nil
}

func (k *keptIndex) restore(db *DB, primary *keySchema) (*index, error) {
	attributes, err := restoreAttributes(k.Attributes)
	if err != nil {
		return nil, err
	}
	schema, err := restoreSchema(k.Hash, k.Sort, attributes)
	if err != nil {
		return nil, err
	}
	ix := db.newIndex(k.Name, primary, schema, &types.Projection{ProjectionType: k.Projection, NonKeyAttributes: k.NonKey})
	ix.local, ix.building = k.Local, building{k.From, k.Until}
	return ix, nil
}

func restoreAttributes(kept []keptAttribute) ([]keyAttribute, error) {
	out := make([]keyAttribute, len(kept))
	for i, a := range kept {
		kind, ok := av.KindOf(a.Kind)
		if !ok || !kind.Scalar() {
			return nil, fmt.Errorf("%q is no kind of a key", a.Kind)
		}
		out[i] = keyAttribute{Name: a.Name, Kind: kind}
	}
	return out, nil
}

func restoreSchema(hash, sort []string, defined []keyAttribute) (keySchema, error) {
	var s keySchema
	if len(hash) == 0 {
		return s, errors.New("a key without a partition key")
	}
	for i, name := range slices.Concat(hash, sort) {
		at := slices.IndexFunc(defined, func(a keyAttribute) bool { return a.Name == name })
		switch {
		case at < 0:
			return s, fmt.Errorf("key attribute %q is not defined", name)
		case i < len(hash):
			s.hash = append(s.hash, defined[at])
		default:
			s.sort = append(s.sort, defined[at])
		}
	}
	s.all = slices.Concat(s.hash, s.sort)
	return s, nil
}
