package durable

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed530093c6/ddb/memory"
)

// log is the journal of a store: it writes what is appended, many changes at a
// time. Whoever waits for a change writes it, unless somebody is writing already;
// then it is written next, with all that was appended meanwhile, by a goroutine
// that is there for this.
type log struct {
	disk  *disk
	every time.Duration // between syncs; 0 for before every answer

	grown atomic.Int64 // bytes since the latest snapshot
	// onGrowth is called after each write, without locks; onFailure once.
	onGrowth  func()
	onFailure func(error)

	mu     sync.Mutex // guards what follows
	queue  []*batch   // not written yet; the last one is being filled
	last   *batch     // the latest that anything was appended to; nil at first
	err    error      // what writing failed with, for good
	closed bool

	wake chan struct{} // holds something if there is something to write
	late *time.Timer   // wakes for changes that nobody waits for
	stop chan struct{}
	done sync.WaitGroup

	writing sync.Mutex // guards what follows; comes before mu; let go of by release
	file    file
	first   uint64 // of the frames in file
	number  uint64 // of the next frame
	unsaved bool   // something is written but not synced
}

// batch is what becomes one frame.
type batch struct {
	frame []byte
	done  chan struct{} // closed once the batch is kept or lost
	err   error         // why it is lost; not to be read before done
}

// batchBytes is the size from which on no more is added to a batch.
const batchBytes = 4 << 20

// newLog returns a log that does not know yet where to write.
func newLog(d *disk, every time.Duration) *log {
	l := &log{disk: d, every: every, onGrowth: func() {}, onFailure: func(error) {}, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	l.late = time.AfterFunc(lingers, l.awaken)
	return l
}

// resume goes on in a segment, whose first frame and next frame have those numbers.
func (l *log) resume(f file, first, next uint64) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.file, l.first, l.number = f, first, next
}

// start begins writing.
func (l *log) start() { l.done.Go(l.run) }

// lingers is how long changes stay unwritten that nobody waits for.
const lingers = 10 * time.Millisecond

func (l *log) awaken() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// release lets go of writing. Who could not have it meanwhile relies on what it
// wanted to write being written.
func (l *log) release() {
	l.writing.Unlock()
	l.mu.Lock()
	more := len(l.queue) > 0
	l.mu.Unlock()
	if more {
		l.awaken()
	}
}

// buffers are those of records and frames.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Append implements [memory.Journal].
func (l *log) Append(c memory.Change) error {
	buf := buffers.Get().(*[]byte)
	record := appendChange((*buf)[:0], &c)
	err := l.add(record)
	*buf = record
	buffers.Put(buf)
	return err
}

func (l *log) add(record []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.closed:
		return ErrClosed
	}
	n := len(l.queue)
	if n == 0 || len(l.queue[n-1].frame) >= batchBytes {
		l.last = &batch{frame: newFrame(*buffers.Get().(*[]byte)), done: make(chan struct{})}
		l.queue = append(l.queue, l.last)
		l.late.Reset(lingers)
	}
	l.last.frame = appendRecord(l.last.frame, record)
	return nil
}

// Wait implements [memory.Journal].
func (l *log) Wait(ctx context.Context) error {
	l.mu.Lock()
	b, err := l.last, l.err
	l.mu.Unlock()
	if b == nil || err != nil {
		return err
	}
	if l.writing.TryLock() {
		err := l.flushLocked(b)
		l.release()
		if err == nil {
			l.onGrowth()
		}
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run writes whenever there is something to write, and syncs now and then if that
// is not part of writing.
func (l *log) run() {
	var tick <-chan time.Time
	if l.every > 0 {
		ticker := time.NewTicker(l.every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-l.wake:
			if l.flush() == nil {
				l.onGrowth()
			}
		case <-tick:
			_ = l.sync() // kept in l.err
		case <-l.stop:
			return
		}
	}
}

// flush writes everything that was appended.
func (l *log) flush() error {
	l.writing.Lock()
	defer l.release()
	return l.flushLocked(nil)
}

// sync writes and syncs everything that was appended.
func (l *log) sync() error {
	l.writing.Lock()
	defer l.release()
	return l.syncLocked()
}

// flushLocked writes one batch after the other, so that only the last frame of a
// log can be one that was not written in full. It ends when a batch is done, nil
// for all. The caller holds writing.
func (l *log) flushLocked(until *batch) error {
	for until == nil || !until.isDone() {
		b, err := l.take()
		if err != nil || b == nil {
			return err
		}
		if err := l.write(b); err != nil {
			return l.fail(b, err)
		}
		close(b.done)
		buffers.Put(&b.frame)
	}
	return nil
}

func (b *batch) isDone() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

func (l *log) syncLocked() error {
	if err := l.flushLocked(nil); err != nil || !l.unsaved {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return l.fail(nil, err)
	}
	l.unsaved = false
	return nil
}

// take returns the batch that is to be written next, nil if there is none.
func (l *log) take() (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || len(l.queue) == 0 {
		return nil, l.err
	}
	b := l.queue[0]
	l.queue = l.queue[1:]
	return b, nil
}

func (l *log) write(b *batch) error {
	b.frame = seal(b.frame, l.number)
	l.unsaved = true
	if _, err := l.file.Write(b.frame); err != nil {
		return err
	}
	l.number++
	l.grown.Add(int64(len(b.frame)))
	if l.every > 0 {
		return nil
	}
	err := l.file.Sync()
	l.unsaved = err != nil
	return err
}

// fail ends the log: what was appended and not written is lost, and nothing can be
// appended any more. After a failed write or sync nobody knows what is on the
// disk, so that neither is tried again.
func (l *log) fail(b *batch, err error) error {
	l.mu.Lock()
	l.err = err
	lost := l.queue
	l.queue = nil
	l.mu.Unlock()
	if b != nil {
		lost = append(lost, b)
	}
	for _, b := range lost {
		b.err = err
		close(b.done)
	}
	l.onFailure(err)
	return err
}

// rotate goes on in a new segment and returns its number. All that was appended
// before the call is synced, in segments before.
func (l *log) rotate() (uint64, error) {
	l.writing.Lock()
	defer l.release()
	if err := l.syncLocked(); err != nil {
		return 0, err
	}
	l.grown.Store(0)
	if l.first == l.number { // nothing has been written to this one
		return l.number, nil
	}
	f, err := l.disk.newSegment(l.number)
	if err != nil {
		return 0, l.fail(nil, err) // the new one may be there, so the old one has ended
	}
	old := l.file
	l.file, l.first = f, l.number
	return l.number, old.Close()
}

// close writes and syncs everything and closes the file.
func (l *log) close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.late.Stop()
	close(l.stop)
	l.done.Wait()
	err := l.sync()
	l.writing.Lock()
	defer l.writing.Unlock()
	return errors.Join(err, l.file.Close())
}
