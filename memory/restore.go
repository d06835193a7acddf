package memory

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Restore returns a DB with the history that a [Journal] has kept, or the
// [DB.Changes] of another. It does not tell the journal among its options of
// them. The first error of the sequence, or a change that makes no sense, ends it.
//
// Options may differ from those of the DB that made the history; ARNs remain as
// they were.
func Restore(changes iter.Seq2[Change, error], opts ...Option) (*DB, error) {
	r := restorer{
		db: New(opts...), tables: make(map[uint64]*table), streams: make(map[uint64]*stream), uses: make(map[string]*tokenUse),
	}
	for c, err := range changes {
		if err == nil {
			err = r.apply(c)
		}
		if err != nil {
			return nil, err
		}
	}
	r.finish()
	return r.db, nil
}

// restorer is a DB under construction. Nobody else knows it, so it locks nothing.
type restorer struct {
	db      *DB
	tables  map[uint64]*table
	streams map[uint64]*stream
	uses    map[string]*tokenUse
	last    uint64 // the highest number of a table, also of one that is gone
}

func (r *restorer) apply(c Change) error {
	for _, sc := range c.Streams {
		if err := r.stream(sc); err != nil {
			return fmt.Errorf("stream %d: %w", sc.Number, err)
		}
	}
	for _, tc := range c.Tables {
		if err := r.table(tc); err != nil {
			return fmt.Errorf("table %d: %w", tc.Number, err)
		}
	}
	for _, ic := range c.Items {
		if err := r.item(ic); err != nil {
			return fmt.Errorf("item of table %d: %w", ic.Table, err)
		}
	}
	for _, rc := range c.Records {
		if err := r.record(rc); err != nil {
			return fmt.Errorf("record of stream %d: %w", rc.Stream, err)
		}
	}
	for _, tc := range c.Tokens {
		r.uses[tc.Token] = newTokenUse(tc)
	}
	return nil
}

// table takes over the settings of a table. Those of a table that is gone may
// come late, from a request that was under way.
func (r *restorer) table(c TableChange) error {
	t, isNew := r.tables[c.Number], c.Number > r.last
	r.last = max(r.last, c.Number)
	switch {
	case c.Settings == nil:
		delete(r.tables, c.Number)
		return nil
	case t == nil && !isNew:
		return nil
	case t == nil:
		t = &table{number: c.Number, ledger: r.db.ledger, base: r.db.newKeyspace()}
		r.tables[c.Number] = t
	}
	return t.takeOver(r.db, c.Settings, r.streams)
}

// stream takes over the settings of a stream, with the records that are there.
func (r *restorer) stream(c StreamChange) error {
	s, err := restoreStream(c, r.db.settings.clock)
	if err != nil {
		return err
	}
	if old := r.streams[c.Number]; old != nil {
		return old.update(s)
	}
	r.streams[c.Number] = s
	return nil
}

func (r *restorer) record(c RecordChange) error {
	s := r.streams[c.Stream]
	if s == nil {
		return errors.New("the stream is not known")
	}
	return s.restore(c)
}

// item puts an item where it belongs. Indexes are left for later.
func (r *restorer) item(c ItemChange) error {
	t := r.tables[c.Table]
	if t == nil {
		if c.Table > r.last {
			return errors.New("the table is not known")
		}
		return nil // a request that was under way while the table went
	}
	key := &t.layout.Load().key
	if c.Gone {
		if err := key.checkKey(c.Item); err != nil {
			return err
		}
		place := key.storeKey(c.Item)
		t.base.partition(place).put(place, nil)
		return nil
	}
	if err := key.checkItem(c.Item); err != nil {
		return err
	}
	place := key.storeKey(c.Item)
	t.base.partition(place).put(place, newRecord(c.Item))
	return nil
}

// finish makes what follows from the changes: the account's tables by name,
// their indexes, the order of tokens, where numbers and identifiers go on.
func (r *restorer) finish() {
	db := r.db
	r.finishStreams()
	var leaving []*table
	for _, number := range slices.Sorted(maps.Keys(r.tables)) {
		t := r.tables[number]
		if db.isGone(t) {
			continue
		}
		l := t.layout.Load()
		for _, ix := range l.indexes {
			t.fill(l, ix)
		}
		db.equip(t)
		t.capture(t.state.stream)
		db.tables.named[t.name] = t
		if t.status(db.settings.clock) == types.TableStatusDeleting {
			leaving = append(leaving, t)
		}
	}
	slices.SortStableFunc(leaving, func(a, b *table) int { return a.phase.Load().until.Compare(b.phase.Load().until) })
	for _, t := range leaving {
		db.dismissTable(t)
	}
	db.tokens.known = r.uses
	for _, use := range slices.SortedFunc(maps.Values(r.uses), func(a, b *tokenUse) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.token, b.token))
	}) {
		db.tokens.done.push(use)
	}
	db.tables.last = r.last
	// Identifiers belong to tables; without new tables none are drawn.
	db.random.Rand = rand.New(rand.NewPCG(db.settings.seed, r.last))
}

// finishStreams puts the records of streams into order, and among the account's
// streams those that can be read still. Without its table no stream goes on.
func (r *restorer) finishStreams() {
	owned := make(map[*stream]bool)
	for _, t := range r.tables {
		owned[t.state.stream] = true
	}
	var over []*stream
	for _, number := range slices.Sorted(maps.Keys(r.streams)) {
		s := r.streams[number]
		s.settle()
		if !owned[s] {
			s.disable()
		}
		if s.end != 0 {
			over = append(over, s)
		}
		r.db.streams.addLocked(s)
		r.db.streams.last = number
	}
	slices.SortStableFunc(over, func(a, b *stream) int { return cmp.Compare(a.end, b.end) })
	for _, s := range over {
		r.db.streams.over.push(s)
	}
	r.db.streams.forgetLocked(r.db.now())
}

func newTokenUse(c TokenChange) *tokenUse {
	again := new(bill)
	for _, read := range c.Reads {
		again.of(read.Table, accessTransactRead).base = units(read.HalfUnits)
	}
	return &tokenUse{token: c.Token, print: c.Request, again: again, at: c.Done}
}

// changeItems is how many items at most stand in one element of [DB.Changes].
const changeItems = 256

// Changes returns changes that make a DB like this one. A journal may keep them in
// place of all that was appended before the sequence is begun: they, followed by
// all that is appended from its beginning to its end, make a DB as it is then. By
// themselves they do so only if nothing changes meanwhile, since they may hold a
// part of what does.
//
// The sequence holds the lock of one partition at a time, for as long as it takes
// to copy references to the items, and no lock while it yields.
func (db *DB) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		streams := db.streams.all(db.now())
		for _, s := range streams {
			if !yield(Change{Streams: []StreamChange{s.change()}}) {
				return
			}
		}
		tables, last := db.allTables()
		for _, t := range tables {
			if !yield(t.whole()) {
				return
			}
		}
		if n := len(tables); last > 0 && (n == 0 || tables[n-1].number < last) {
			// Numbers of tables that are gone must not be used again.
			if !yield(Change{Tables: []TableChange{{Number: last}}}) {
				return
			}
		}
		for _, t := range tables {
			for _, p := range t.base.partitions {
				if !p.changes(t.number, yield) {
					return
				}
			}
		}
		// A record is in its log before a write lets go of its item.
		for _, s := range streams {
			if !s.changes(yield) || !yield(Change{Streams: []StreamChange{s.change()}}) { // again, for what was trimmed meanwhile
				return
			}
		}
		// A transaction marks its token as used before it lets go of its items.
		if tokens := db.tokens.changes(db.now()); tokens != nil {
			yield(Change{Tokens: tokens})
		}
	}
}

// allTables returns the tables that are there, by number, and the highest number
// ever given.
func (db *DB) allTables() ([]*table, uint64) {
	db.tables.RLock()
	defer db.tables.RUnlock()
	var all []*table
	for _, t := range db.tables.named {
		if !db.isGone(t) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *table) int { return cmp.Compare(a.number, b.number) })
	return all, db.tables.last
}

// changes yields the items of a partition as they are at one moment.
func (p *partition) changes(table uint64, yield func(Change) bool) bool {
	for records := range slices.Chunk(p.records(), changeItems) {
		items := make([]ItemChange, len(records))
		for i, r := range records {
			items[i] = ItemChange{Table: table, Item: r.item}
		}
		if !yield(Change{Items: items}) {
			return false
		}
	}
	return true
}

func (p *partition) records() []*record {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := make([]*record, 0, p.store.len())
	p.store.walk(everything, func(_ string, r *record) bool {
		all = append(all, r)
		return true
	})
	return all
}

// changes returns the tokens that are valid and belong to transactions that are
// done.
func (ts *tokens) changes(now time.Time) []TokenChange {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.forgetLocked(now)
	var all []TokenChange
	for _, use := range ts.done.all() {
		all = append(all, use.change())
	}
	return all
}
