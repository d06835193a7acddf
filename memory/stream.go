package memory

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// stream is the change log of a table from the moment when it was enabled to the
// moment when it was disabled. A table whose stream is enabled again has another
// one.
//
// Its records are in as many logs as the table had partitions then, each for one
// part of hash space, so that writers in different partitions do not wait for
// each other and the changes of an item are in one log, in their order. The
// shards that readers see are sections of logs; they follow from the time, see
// [shard].
type stream struct {
	number   uint64 // tells streams of one DB apart; later ones have higher ones
	table    string
	arn      string
	viewType types.StreamViewType
	key      keySchema
	created  time.Time // to the millisecond, since the label says so
	clock    func() time.Time

	last atomic.Uint64 // the highest sequence that was drawn or seen to be past
	logs []changeLog
	turn atomic.Uint64 // chooses the log that the next writer tidies beside its own

	// end is the last sequenceNumber the stream can have, 0 while it goes on. Who sets
	// it holds the lock of the table's settings, or there is none, and those of
	// all logs; any of them is enough to read it.
	end sequenceNumber
}

// changeLog holds the records of one part of hash space.
type changeLog struct {
	mu      sync.Mutex // guards all below, and end of the stream
	records queue[captured]
	trimmed sequenceNumber // of the latest record that was dropped for its age; 0 for none
}

// captured is a record of a stream: a change as far as the stream's view shows
// it. It never changes.
type captured struct {
	at       sequenceNumber
	kind     RecordKind
	expired  bool // the service itself removed the item
	keys     av.Map
	old, new *record // nil where there is none and where the view leaves it out
}

// size is what a record counts.
func (c *captured) size() int { return c.keys.Size() + c.old.bytes() + c.new.bytes() }

// label names the stream among those of its table.
func (s *stream) label() string { return s.created.UTC().Format("2006-01-02T15:04:05.000") }

// logOf returns the position of the log for the store key of an item.
func (s *stream) logOf(key string) int { return routeTo(key, len(s.logs)) }

// next draws a sequence, higher than all before.
func (s *stream) next() sequenceNumber {
	now := sequenceAt(s.clock())
	for {
		last := s.last.Load()
		n := max(now, sequenceNumber(last)+1)
		if s.last.CompareAndSwap(last, uint64(n)) {
			return n
		}
	}
}

// observe returns the time, and sees to it that no sequence before it is drawn
// any more, though the clock may go backwards.
func (s *stream) observe() sequenceNumber {
	now := sequenceAt(s.clock())
	for {
		last := s.last.Load()
		if sequenceNumber(last)+1 >= now {
			return sequenceNumber(last) + 1
		}
		if s.last.CompareAndSwap(last, uint64(now-1)) {
			return now
		}
	}
}

// horizon is the least sequence that is kept at a time.
func horizon(now sequenceNumber) sequenceNumber {
	return sequenceAt(now.time().Add(-limits.StreamRetention))
}

// trimLocked drops records that are too old; the caller holds the log's lock.
func (l *changeLog) trimLocked(now sequenceNumber) {
	from, n := horizon(now), 0
	for _, c := range l.records.all() {
		if c.at >= from {
			break
		}
		l.trimmed = c.at
		n++
	}
	l.records.drop(n)
}

// trim drops the records of all logs that are too old.
func (s *stream) trim(now sequenceNumber) {
	for i := range s.logs {
		s.logs[i].mu.Lock()
		s.logs[i].trimLocked(now)
		s.logs[i].mu.Unlock()
	}
}

// appendLocked puts a record at the end of a log; the caller holds its lock. What
// is too old goes here and, in turn, in one of the other logs, which may have no
// writers any more.
func (s *stream) appendLocked(log int, c captured) {
	l := &s.logs[log]
	l.trimLocked(c.at)
	l.records.push(c)
	other := int(s.turn.Add(1) % uint64(len(s.logs)))
	if o := &s.logs[other]; other != log && o.mu.TryLock() {
		o.trimLocked(c.at)
		o.mu.Unlock()
	}
}

// lock locks all logs and returns what unlocks them again.
func (s *stream) lock() (unlock func()) {
	for i := range s.logs {
		s.logs[i].mu.Lock()
	}
	return func() {
		for i := range s.logs {
			s.logs[i].mu.Unlock()
		}
	}
}

// disable ends the stream, unless it has ended. Writers under way that come after
// it leave no record.
func (s *stream) disable() {
	defer s.lock()()
	if s.end == 0 {
		s.end = s.observe().last()
	}
}

// over is when the stream ended, and whether it has. The caller holds the lock of
// the table's settings or of a log.
func (s *stream) over() (time.Time, bool) { return s.end.time(), s.end != 0 }

// isOver is over for who holds none of the locks.
func (s *stream) isOver() (time.Time, bool) {
	s.logs[0].mu.Lock()
	defer s.logs[0].mu.Unlock()
	return s.over()
}
