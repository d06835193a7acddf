package memory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// A StreamChange says what a stream is from now on, beside its records. A stream
// is forgotten by the time at which it ended.
type StreamChange struct {
	// Number stands for the stream. Numbers of later streams are higher.
	Number uint64
	// Settings is all that can be said about the stream, as JSON, in a form that
	// later versions of this package read as well.
	Settings []byte
}

// A RecordChange is a record that was added to a stream.
type RecordChange struct {
	Stream   uint64 // the number of a stream
	Sequence uint64 // the place of the record in it
	Kind     RecordKind
	Expired  bool   // the service itself removed the item
	Keys     av.Map // the primary key of the item
	Old, New av.Map // the images that the stream shows; nil for none
}

// RecordKind says what a record tells of: that an item was put where there was
// none, that it was changed, that it was removed.
type RecordKind uint8

// The kinds of records. Their values are kept and must not change.
const (
	RecordInsert RecordKind = iota
	RecordModify
	RecordRemove
)

// keptStream is the form of [StreamChange.Settings]. What it says must not change
// its meaning; members may be added.
type keptStream struct {
	Table      string               `json:"table"`
	ARN        string               `json:"arn"`
	View       types.StreamViewType `json:"view"`
	Attributes []keptAttribute      `json:"attributes"`
	Hash       []string             `json:"hash"`
	Sort       []string             `json:"sort,omitempty"`
	Created    time.Time            `json:"created"`
	End        uint64               `json:"end,omitempty"`
	Trimmed    []uint64             `json:"trimmed"` // of each log
}

// change returns what the stream is. The caller holds the lock of its table's
// settings, or there are none.
func (s *stream) change() StreamChange {
	k := keptStream{
		Table: s.table, ARN: s.arn, View: s.viewType, Attributes: keepAttributes(s.key.all), Hash: namesOf(s.key.hash),
		Sort: namesOf(s.key.sort), Created: s.created, Trimmed: make([]uint64, len(s.logs)),
	}
	for i := range s.logs {
		l := &s.logs[i]
		l.mu.Lock()
		k.Trimmed[i], k.End = uint64(l.trimmed), uint64(s.end)
		l.mu.Unlock()
	}
	text, _ := json.Marshal(k) // strings, numbers and times of this era: nothing can fail
	return StreamChange{Number: s.number, Settings: text}
}

// restoreStream returns a stream without its records.
func restoreStream(c StreamChange, clock func() time.Time) (*stream, error) {
	var k keptStream
	if err := json.Unmarshal(c.Settings, &k); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	attributes, err := restoreAttributes(k.Attributes)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	s := &stream{
		number: c.Number, table: k.Table, arn: k.ARN, viewType: k.View, created: k.Created, clock: clock,
		end: sequenceNumber(k.End), logs: make([]changeLog, len(k.Trimmed)),
	}
	if s.key, err = restoreSchema(k.Hash, k.Sort, attributes); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if len(s.logs) == 0 {
		return nil, errors.New("settings: a stream without logs")
	}
	s.last.Store(uint64(max(1, sequenceAt(s.created)) - 1))
	for i, n := range k.Trimmed {
		s.logs[i].trimmed = sequenceNumber(n)
	}
	return s, nil
}

// update takes over what has changed of a stream under restoration.
func (s *stream) update(to *stream) error {
	if len(s.logs) != len(to.logs) {
		return errors.New("settings: another number of logs")
	}
	s.end = max(s.end, to.end)
	for i := range s.logs {
		s.logs[i].trimmed = max(s.logs[i].trimmed, to.logs[i].trimmed)
	}
	return nil
}

// recordChange returns what the journal keeps of a record.
func (s *stream) recordChange(c *captured) RecordChange {
	r := RecordChange{
		Stream: s.number, Sequence: uint64(c.at), Kind: c.kind, Expired: c.expired, Keys: c.keys,
	}
	if c.old != nil {
		r.Old = c.old.item
	}
	if c.new != nil {
		r.New = c.new.item
	}
	return r
}

// restore adds a record, which may come late or twice; see [stream.settle].
func (s *stream) restore(c RecordChange) error {
	if err := s.key.checkKey(c.Keys); err != nil {
		return err
	}
	r := captured{at: sequenceNumber(c.Sequence), kind: c.Kind, expired: c.Expired, keys: c.Keys}
	if c.Old != nil {
		r.old = newRecord(c.Old)
	}
	if c.New != nil {
		r.new = newRecord(c.New)
	}
	s.logs[s.logOf(s.key.storeKey(c.Keys))].records.push(r)
	return nil
}

// settle puts the records that were restored into order, each once, drops those
// that are too old, and has the stream go on behind them.
func (s *stream) settle() {
	for i := range s.logs {
		l := &s.logs[i]
		all := l.records.all()
		slices.SortFunc(all, func(a, b captured) int { return cmp.Compare(a.at, b.at) })
		all = slices.CompactFunc(all, func(a, b captured) bool { return a.at == b.at })
		l.records = queue[captured]{items: all}
		if n := len(all); n > 0 {
			s.last.Store(max(s.last.Load(), uint64(all[n-1].at)))
		}
		s.last.Store(max(s.last.Load(), uint64(l.trimmed)))
	}
	s.trim(s.observe())
}

// changes yields the records of the stream, log by log.
func (s *stream) changes(yield func(Change) bool) bool {
	for i := range s.logs {
		for records := range slices.Chunk(s.logs[i].copied(), changeItems) {
			c := Change{Records: make([]RecordChange, len(records))}
			for j := range records {
				c.Records[j] = s.recordChange(&records[j])
			}
			if !yield(c) {
				return false
			}
		}
	}
	return true
}

// copied returns the records as they are at one moment.
func (l *changeLog) copied() []captured {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records.all())
}
