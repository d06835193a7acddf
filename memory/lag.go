package memory

import (
	"sync"
	"time"
)

// lag holds changes of a global secondary index back for a time. Nothing waits
// for them: those that are due are made when somebody next reads or changes the
// index. A nil lag holds nothing back.
type lag struct {
	by time.Duration

	// mu guards waiting, and that changes are made in its order. It comes after
	// the locks of the table's partitions and before those of the index's.
	mu      sync.Mutex
	waiting queue[lateChange] // in the order of commits, and so of due times
}

// lateChange is a change of an entry that is made later than its write.
type lateChange struct {
	entryChange
	due time.Time
}

// add holds back a change that was committed at a time. The caller holds the
// lock of the item's partition, so changes of one entry come in their order.
func (l *lag) add(c entryChange, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeDueLocked(at)
	due := at.Add(l.by)
	if all := l.waiting.all(); len(all) > 0 && due.Before(all[len(all)-1].due) {
		due = all[len(all)-1].due // the clock was read in another order
	}
	l.waiting.push(lateChange{c, due})
}

func (l *lag) makeDueLocked(now time.Time) {
	n := 0
	for _, c := range l.waiting.all() {
		if c.due.After(now) {
			break
		}
		c.make()
		n++
	}
	l.waiting.drop(n)
}

func (c *lateChange) make() {
	defer lockAll(c.partitions(nil))()
	c.applyLocked(c.due)
}

// catchUp makes the changes that are due.
func (l *lag) catchUp(now time.Time) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeDueLocked(now)
}

// settle makes all changes.
func (l *lag) settle() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.waiting.all()
	for i := range all {
		all[i].make()
	}
	l.waiting.drop(len(all))
}

// hold stops the making of changes until release is called and returns what
// they will put in the place of entries, where nil stands for no entry.
func (l *lag) hold() (coming map[string]*record, release func()) {
	if l == nil {
		return nil, func() {}
	}
	l.mu.Lock()
	coming = make(map[string]*record)
	for _, c := range l.waiting.all() {
		if c.from != "" {
			coming[c.from] = nil
		}
		if c.to != "" {
			coming[c.to] = c.view
		}
	}
	return coming, l.mu.Unlock
}
