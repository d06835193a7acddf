package durable

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed530093c6/ddb/memory"
)

// history is what a directory holds, as it is read once from the beginning.
type history struct {
	disk     *disk
	snapshot uint64   // number, 0 for none
	segments []uint64 // that follow it
	decoder  decoder

	name string // of the file that is being read
	at   int64  // where in it the frame begins that is being read

	failed bool // reading has ended in an error

	// Known once everything is read.
	next          uint64 // number of the frame that would follow
	end           int64  // of the last segment, without what is cut off
	cut           int64  // bytes that are
	frames        int    // in segments
	bytes         int64  // of segments
	snapshotBytes int64
}

// newHistory looks into the directory and chooses what is to be read.
func newHistory(d *disk) (*history, error) {
	c, err := d.list()
	if err != nil {
		return nil, err
	}
	h := &history{disk: d, next: 1}
	if n := len(c.snapshots); n > 0 {
		h.snapshot = c.snapshots[n-1]
		h.next = h.snapshot
	}
	for _, number := range c.segments {
		if number >= h.next {
			h.segments = append(h.segments, number)
		}
	}
	if h.snapshot > 0 && len(h.segments) == 0 {
		return nil, h.missing(h.snapshot)
	}
	return h, nil
}

// missing reports a segment that should be there.
func (h *history) missing(number uint64) error {
	return &DamageError{File: h.disk.path(number, suffixLog), Err: os.ErrNotExist}
}

// changes yields everything in order. After an error there is nothing more.
func (h *history) changes(yield func(memory.Change, error) bool) {
	err := h.read(func(c memory.Change) bool { return yield(c, nil) })
	if err != nil && !errors.Is(err, errStopped) {
		h.failed = true
		yield(memory.Change{}, err)
	}
}

var errStopped = errors.New("nobody reads on")

func (h *history) read(visit func(memory.Change) bool) error {
	if h.snapshot > 0 {
		if err := h.readSnapshot(visit); err != nil {
			return err
		}
	}
	for i, number := range h.segments {
		if number != h.next {
			return h.missing(h.next)
		}
		if err := h.readSegment(number, i == len(h.segments)-1, visit); err != nil {
			return err
		}
	}
	return nil
}

// readSnapshot reads frames up to an empty one, which is the last.
func (h *history) readSnapshot(visit func(memory.Change) bool) error {
	s, err := scan(h.disk.path(h.snapshot, suffixSnapshot), magicSnapshot, h.snapshot)
	if err != nil {
		return err
	}
	defer s.close()
	h.snapshotBytes = s.size
	for {
		h.name, h.at = s.name, s.at
		contents, err := s.next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errTorn):
			return s.damage(s.at, errors.New("the snapshot is not complete"))
		case err != nil:
			return err
		case len(contents) > 0:
			if err := h.visit(contents, visit); err != nil {
				return err
			}
			continue
		case s.at < s.size:
			return s.damage(s.at, errors.New("something follows the end of the snapshot"))
		}
		return nil
	}
}

func (h *history) readSegment(number uint64, last bool, visit func(memory.Change) bool) error {
	s, err := scan(h.disk.path(number, suffixLog), magicLog, number)
	if err != nil {
		return err
	}
	defer s.close()
	for {
		h.name, h.at = s.name, s.at
		contents, err := s.next()
		switch {
		case errors.Is(err, errTorn) && !last:
			return s.damage(s.at, errTorn)
		case errors.Is(err, errTorn), errors.Is(err, io.EOF):
			h.next, h.end, h.cut = s.number, s.at, s.size-s.at
			h.bytes += s.at
			return nil
		case err != nil:
			return err
		}
		if err := h.visit(contents, visit); err != nil {
			return err
		}
		h.frames++
	}
}

func (h *history) visit(contents []byte, visit func(memory.Change) bool) error {
	for record, err := range records(contents) {
		if err != nil {
			return h.damage(err)
		}
		c, err := h.decoder.change(record)
		if err != nil {
			return h.damage(err)
		}
		if !visit(c) {
			return errStopped
		}
	}
	return nil
}

// damage reports that the frame that is being read makes no sense, though its
// checksum matches.
func (h *history) damage(err error) error {
	return &DamageError{File: h.name, Offset: h.at, Err: err}
}

// resume opens the last segment to go on behind its last whole frame, or makes the
// first one. It returns the number of its first frame.
func (h *history) resume() (file, uint64, error) {
	if len(h.segments) == 0 {
		f, err := h.disk.newSegment(h.next)
		return f, h.next, err
	}
	first := h.segments[len(h.segments)-1]
	path := h.disk.path(first, suffixLog)
	if h.cut > 0 {
		if err := truncate(path, h.end); err != nil {
			return nil, 0, fmt.Errorf("cut off what was not written in full: %w", err)
		}
	}
	f, err := h.disk.reopen(path)
	return f, first, err
}

func truncate(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
