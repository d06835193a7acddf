package memory

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// streams are those of all tables, also of tables that are gone, for as long as
// they can be read.
type streams struct {
	mu    sync.Mutex // guards all below; comes before the locks of logs
	named map[string]*stream
	last  uint64         // number of the stream made last
	over  queue[*stream] // in the order in which they ended
}

// register gives a stream of a table its number and a name that no other has. It
// begins now, or if another of the table did so in the same millisecond, after
// it.
func (ss *streams) register(s *stream, table string, now time.Time) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.forgetLocked(now)
	s.created = time.UnixMilli(now.UnixMilli()).UTC()
	for {
		s.arn = table + "/stream/" + s.label()
		if ss.named[s.arn] == nil {
			break
		}
		s.created = s.created.Add(time.Millisecond)
	}
	s.last.Store(uint64(max(1, sequenceAt(s.created)) - 1))
	ss.last++
	s.number = ss.last
	ss.addLocked(s)
}

func (ss *streams) addLocked(s *stream) {
	if ss.named == nil {
		ss.named = make(map[string]*stream)
	}
	ss.named[s.arn] = s
}

// retire counts a stream that has ended among those to be forgotten.
func (ss *streams) retire(s *stream) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.over.push(s)
}

// forget lets go of streams, with all they hold, that ended too long ago.
func (ss *streams) forget(now time.Time) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.forgetLocked(now)
}

func (ss *streams) forgetLocked(now time.Time) {
	n := 0
	for _, s := range ss.over.all() {
		if ended, _ := s.isOver(); now.Sub(ended) < limits.StreamRetention {
			break
		}
		s.trim(sequenceAt(now)) // its table may still know it
		delete(ss.named, s.arn)
		n++
	}
	ss.over.drop(n)
}

// find returns the stream with an ARN, nil when there is none.
func (ss *streams) find(arn string, now time.Time) *stream {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.forgetLocked(now)
	return ss.named[arn]
}

// all returns the streams in the order of their ARNs.
func (ss *streams) all(now time.Time) []*stream {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.forgetLocked(now)
	return slices.SortedFunc(maps.Values(ss.named), func(a, b *stream) int { return cmp.Compare(a.arn, b.arn) })
}

// newStream makes a stream for a table, to be registered.
func (db *DB) newStream(t *table, view types.StreamViewType) *stream {
	return &stream{
		table: t.name, viewType: view, key: t.layout.Load().key, clock: db.settings.clock,
		logs: make([]changeLog, len(t.base.partitions)),
	}
}

// disableStream ends the stream of a table, if it has one that goes on; the
// caller holds the lock of the table's settings.
func (db *DB) disableStream(t *table) {
	if t.state.streams() {
		t.state.stream.disable()
		t.capture(nil)
		db.streams.retire(t.state.stream)
	}
}

// endStream ends the stream of a table that goes.
func (db *DB) endStream(t *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	db.disableStream(t)
}

// capture makes changes leave records in a stream from now on, nil for none.
func (t *table) capture(s *stream) {
	if s != nil && s.end != 0 {
		s = nil
	}
	t.capturing.Store(s)
}
