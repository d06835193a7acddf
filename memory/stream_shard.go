package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// A sequence is the place of a record in its stream: the millisecond in which it
// was drawn, and within that a count. So the place of any moment is known without
// asking what was written before it. 0 is before all records.
type sequenceNumber uint64

// countBits is how much of a sequence is the count: four million a millisecond,
// beyond which a sequence runs ahead of the clock.
const countBits = 22

// sequenceAt returns the first sequence of a millisecond. What is before 1970
// counts as its beginning.
func sequenceAt(t time.Time) sequenceNumber {
	return sequenceNumber(max(0, t.UnixMilli())) << countBits
}

func (n sequenceNumber) time() time.Time { return time.UnixMilli(int64(n >> countBits)) }

// last returns the last sequenceNumber of the same millisecond.
func (n sequenceNumber) last() sequenceNumber { return n | (1<<countBits - 1) }

// A sequence number is a sequence of 20 digits behind a 1, so that all are of one
// length and sort as text. Numbers of the service have 21 to 40 digits.
const sequenceDigits = 20

func (n sequenceNumber) String() string { return fmt.Sprintf("1%0*d", sequenceDigits, uint64(n)) }

func parseSequence(text string) (sequenceNumber, bool) {
	digits, ok := strings.CutPrefix(text, "1")
	if !ok || len(digits) != sequenceDigits {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return sequenceNumber(n), err == nil
}

// shard is a section of one of a stream's logs: what was written to it in so many
// hours. When its time is over the next section of the same log is its child.
// Nothing has to be kept of shards: what there are follows from the stream's
// times, before and after a restart.
type shard struct {
	stream     *stream
	log        int
	generation int
}

// shardLife is how long records go to a shard.
// Streams.html#Streams.Processing; about four hours (observed)
const shardLife = 4 * time.Hour

// generation returns the number of the shards that are open at a time.
func (s *stream) generation(at sequenceNumber) int {
	return int(max(0, at.time().Sub(s.created)) / shardLife)
}

// opened returns when a generation begins.
func (s *stream) opened(generation int) time.Time {
	return s.created.Add(time.Duration(generation) * shardLife)
}

// generations returns the first and the last generation that readers see at a
// time; without any the first is beyond the last. The caller holds a lock under
// which end does not change.
func (s *stream) generations(now sequenceNumber) (first, last int) {
	last = s.generation(now)
	if s.end != 0 {
		last = s.generation(s.end)
	}
	from := horizon(now)
	if first = s.generation(from); first == last && s.end != 0 && s.end < from {
		first++
	}
	return first, last
}

// start is the first sequence that the shard can have.
func (sh shard) start() sequenceNumber { return sequenceAt(sh.stream.opened(sh.generation)) }

// closing returns the last sequenceNumber that the shard can have, and whether the
// shard is closed at a time.
func (sh shard) closing(now sequenceNumber) (sequenceNumber, bool) {
	end := sequenceAt(sh.stream.opened(sh.generation+1)) - 1
	if over := sh.stream.end; over != 0 {
		return min(end, over), true
	}
	return end, now > end
}

// id names the shard within its stream: when it was opened, and where in hash
// space its part begins. Names sort by that.
func (sh shard) id() string {
	begins := uint64(sh.log) << 32 / uint64(len(sh.stream.logs))
	return fmt.Sprintf("shardId-%020d-%08x", max(0, sh.stream.opened(sh.generation).UnixMilli()), begins)
}

// parent returns the shard that this one goes on from, if any.
func (sh shard) parent() (shard, bool) {
	return shard{sh.stream, sh.log, sh.generation - 1}, sh.generation > 0
}

// shards returns those that readers see at a time, in the order of their names.
func (s *stream) shards(now sequenceNumber) []shard {
	first, last := s.generations(now)
	var all []shard
	for g := first; g <= last; g++ {
		for i := range s.logs {
			all = append(all, shard{s, i, g})
		}
	}
	return all
}

// oldest is the position of the oldest record that is kept; the caller holds the
// log's lock and has trimmed the log.
func (sh shard) oldest() sequenceNumber {
	return max(sh.start(), sh.stream.logs[sh.log].trimmed+1)
}

// at returns the position of a sequence number, or the one behind it.
func (sh shard) at(text string, behind bool, now sequenceNumber) (sequenceNumber, error) {
	n, ok := parseSequence(text)
	end, closed := sh.closing(now)
	if !closed {
		end = max(sh.start(), now-1)
	}
	switch {
	case !ok || n < sh.start() || n > end:
		return 0, errSequenceNumber(sh.id())
	case n <= sh.stream.logs[sh.log].trimmed:
		return 0, errTrimmed()
	case behind:
		return n + 1, nil
	}
	return n, nil
}

// since returns the position of the first record at or after a moment.
func (sh shard) since(t time.Time, now sequenceNumber) (sequenceNumber, error) {
	if t.UnixMilli() > now.time().UnixMilli() {
		return 0, invalid(textTimestampFuture)
	}
	const almost = time.Millisecond - 1 // what is within a millisecond comes before the next
	return max(sequenceAt(t.Add(almost)), sh.oldest()), nil
}

// read returns records from a position on, and the position behind them; closed
// tells that nothing will ever follow. The caller holds the log's lock and has
// trimmed the log.
func (sh shard) read(from sequenceNumber, limit int, now sequenceNumber) (found []captured, next sequenceNumber, closed bool, err error) {
	l := &sh.stream.logs[sh.log]
	if from <= l.trimmed {
		return nil, 0, false, errTrimmed()
	}
	end, over := sh.closing(now)
	next = from
	bytes := 0
	for _, c := range l.from(from) {
		if c.at > end {
			break
		}
		if bytes += c.size(); len(found) == limit || len(found) > 0 && bytes > limits.StreamReadBytes {
			return found, next, false, nil
		}
		found = append(found, c)
		next = c.at + 1
	}
	return found, next, over, nil
}

// from returns the records that have a sequence number or a higher one.
func (l *changeLog) from(n sequenceNumber) []captured {
	all := l.records.all()
	i, _ := slices.BinarySearchFunc(all, n, func(c captured, n sequenceNumber) int { return cmp.Compare(c.at, n) })
	return all[i:]
}
