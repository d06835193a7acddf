package durable

import (
	"bufio"
	"errors"
	"iter"

	"github.com/seed530093c6/ddb/memory"
)

// snapshotFrameBytes is the size from which on nothing is added to a frame of a
// snapshot.
const snapshotFrameBytes = 1 << 20

// snapshot writes all of the DB into a file that replaces the log up to now, while
// requests go on. It returns the size of the file.
//
// The log is cut in two first. What was appended before is in the DB when it is
// walked, and what is appended later is in the second part, be it also in the
// snapshot or not: images replace images, so the end is the same. The snapshot is
// published only after all that it may contain is synced in the log, since it may
// contain one half of a transaction of which the log has both.
func (s *Store) snapshot() (int64, error) {
	number, err := s.log.rotate()
	if err != nil {
		return 0, err
	}
	path := s.disk.path(number, suffixSnapshot)
	f, err := s.disk.create(path)
	if err != nil {
		return 0, err
	}
	w := newSnapshotWriter(f, number)
	err = w.all(s.db.Changes(), s.stop)
	if err == nil {
		err = s.log.sync()
	}
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	if err := s.disk.publish(f, path); err != nil {
		return 0, err
	}
	return w.size, s.disk.clean(number)
}

// snapshotWriter writes the frames of a snapshot.
type snapshotWriter struct {
	out    *bufio.Writer
	record []byte
	frame  []byte
	number uint64
	size   int64
}

func newSnapshotWriter(f file, number uint64) *snapshotWriter {
	w := &snapshotWriter{out: bufio.NewWriterSize(f, 1<<18), frame: newFrame(nil), size: fileHeaderBytes}
	_, _ = w.out.Write(appendFileHeader(nil, magicSnapshot, number)) // the next write returns the error
	return w
}

// all writes a whole snapshot, unless it is told to stop.
func (w *snapshotWriter) all(changes iter.Seq[memory.Change], stop <-chan struct{}) error {
	for c := range changes {
		select {
		case <-stop:
			return ErrClosed
		default:
		}
		if err := w.add(&c); err != nil {
			return err
		}
	}
	return w.end()
}

func (w *snapshotWriter) add(c *memory.Change) error {
	w.record = appendChange(w.record[:0], c)
	w.frame = appendRecord(w.frame, w.record)
	if len(w.frame) < snapshotFrameBytes {
		return nil
	}
	return w.flush()
}

func (w *snapshotWriter) flush() error {
	w.frame = seal(w.frame, w.number)
	_, err := w.out.Write(w.frame)
	w.size += int64(len(w.frame))
	w.number++
	w.frame = newFrame(w.frame)
	return err
}

// end writes what is left and the empty frame.
func (w *snapshotWriter) end() error {
	if len(w.frame) > frameHeaderBytes {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.out.Flush()
}

// snapshots makes a snapshot whenever the log has grown enough, until the
// store is closed. One that fails is tried again when the log has grown as much
// again.
func (s *Store) snapshots() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.due:
		}
		if s.log.grown.Load() < s.enough {
			continue
		}
		size, err := s.snapshot()
		switch {
		case errors.Is(err, ErrClosed):
			return
		case err != nil:
			s.settings.logger.Warn("snapshot failed", "dir", s.disk.dir, "error", err)
		default:
			s.enough = max(s.settings.snapshotAfter, size)
			s.settings.logger.Info("snapshot made", "dir", s.disk.dir, "bytes", size)
		}
	}
}
