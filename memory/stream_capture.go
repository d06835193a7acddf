package memory

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A draft is a record on its way to a log, with the log's lock held. It is drawn
// up before the journal learns of the change, so that the journal learns of the
// record as well.
type draft struct {
	captured
	stream *stream
	log    int
}

// captures reports whether changes of the table leave records.
func (t *table) captures() bool { return t.capturing.Load() != nil }

// draftAll draws up the records of what mutations are about to do, each in its
// effect, and locks the logs they go to until unlock is called. The caller holds
// all locks of partitions that it needs.
func draftAll(mutations []mutation, effects []*effect) (unlock func()) {
	var drafts []*draft
	for i := range mutations {
		m := &mutations[i]
		if s := m.table.capturing.Load(); s != nil && effects[i].new != effects[i].old {
			d := &draft{captured: s.view(effects[i], m.expires), stream: s, log: s.logOf(m.key)}
			effects[i].draft = d
			drafts = append(drafts, d)
		}
	}
	var held []*changeLog
	for _, d := range inLockingOrder(drafts) {
		if l := &d.stream.logs[d.log]; !slices.Contains(held, l) {
			l.mu.Lock()
			held = append(held, l)
		}
	}
	for i, e := range effects {
		switch {
		case e.draft == nil:
		case e.draft.stream.end != 0: // it ended since it was found
			effects[i].draft = nil
		default:
			e.draft.at = e.draft.stream.next()
		}
	}
	return func() {
		for _, l := range slices.Backward(held) {
			l.mu.Unlock()
		}
	}
}

// inLockingOrder returns drafts by number of the stream, then by position of the
// log.
func inLockingOrder(drafts []*draft) []*draft {
	return slices.SortedFunc(slices.Values(drafts), func(a, b *draft) int {
		return cmp.Or(cmp.Compare(a.stream.number, b.stream.number), cmp.Compare(a.log, b.log))
	})
}

// view returns the record of an effect as far as the stream shows it.
func (s *stream) view(e *effect, expired bool) captured {
	c := captured{kind: RecordModify, expired: expired, old: e.old, new: e.new}
	switch {
	case e.old == nil:
		c.kind = RecordInsert
	case e.new == nil:
		c.kind = RecordRemove
	}
	switch {
	case e.new != nil:
		c.keys = s.key.only(e.new.item)
	case e.old != nil:
		c.keys = s.key.only(e.old.item)
	}
	if s.viewType != types.StreamViewTypeOldImage && s.viewType != types.StreamViewTypeNewAndOldImages {
		c.old = nil
	}
	if s.viewType != types.StreamViewTypeNewImage && s.viewType != types.StreamViewTypeNewAndOldImages {
		c.new = nil
	}
	return c
}

// keep adds the record to what the journal keeps.
func (d *draft) keep(c *Change) {
	if d != nil {
		c.Records = append(c.Records, d.stream.recordChange(&d.captured))
	}
}

// commitLocked puts the record into its log.
func (d *draft) commitLocked() {
	if d != nil {
		d.stream.appendLocked(d.log, d.captured)
	}
}
