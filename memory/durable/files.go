package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Names of the files in a directory.
const (
	lockName       = "lock"
	suffixLog      = ".log"
	suffixSnapshot = ".snapshot"
	suffixPartial  = ".partial" // a file that is still being made
)

// file is what is needed of a file to write it.
type file interface {
	io.Writer
	Sync() error
	Close() error
}

// disk makes and replaces the files of one directory.
type disk struct {
	dir string
	// open opens a file to write it; tests put one in its place that fails.
	open func(path string, flag int) (file, error)
}

func newDisk(dir string) *disk {
	return &disk{dir, func(path string, flag int) (file, error) { return os.OpenFile(path, flag, 0o600) }}
}

// create opens a new file that is to be published under the path.
func (d *disk) create(path string) (file, error) {
	return d.open(path+suffixPartial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}

func (d *disk) path(number uint64, suffix string) string {
	return filepath.Join(d.dir, fmt.Sprintf("%020d%s", number, suffix))
}

// publish closes a finished file and gives it its name, in such a way that after a
// crash it is there in full or not at all.
func (d *disk) publish(f file, path string) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+suffixPartial, path); err != nil {
		return err
	}
	return syncDir(d.dir)
}

// syncDir makes sure that names in a directory are kept.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // where a directory cannot be synced, and need not
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// makeDir makes a directory, and those above it, so that they outlive a crash.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

// newSegment makes the segment that begins with the frame of that number.
func (d *disk) newSegment(number uint64) (file, error) {
	path := d.path(number, suffixLog)
	f, err := d.create(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(appendFileHeader(nil, magicLog, number)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := d.publish(f, path); err != nil {
		return nil, err
	}
	return d.reopen(path)
}

func (d *disk) reopen(path string) (file, error) { return d.open(path, os.O_WRONLY|os.O_APPEND) }

// contents are the files that a directory holds.
type contents struct {
	snapshots []uint64 // numbers, ascending
	segments  []uint64
	partial   []string // paths
}

// list looks into the directory. Files that are not ours are passed over.
func (d *disk) list() (contents, error) {
	var c contents
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return c, err
	}
	for _, e := range entries {
		name, isPartial := strings.CutSuffix(e.Name(), suffixPartial)
		snapshot, isSnapshot := numberOf(name, suffixSnapshot)
		segment, isSegment := numberOf(name, suffixLog)
		switch {
		case isPartial && (isSnapshot || isSegment):
			c.partial = append(c.partial, filepath.Join(d.dir, e.Name()))
		case isPartial:
		case isSnapshot:
			c.snapshots = append(c.snapshots, snapshot)
		case isSegment:
			c.segments = append(c.segments, segment)
		}
	}
	slices.Sort(c.snapshots)
	slices.Sort(c.segments)
	return c, nil
}

// exists fails with ErrNoDB if the directory holds none, or is not there.
func (d *disk) exists() error {
	c, err := d.list()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(c.snapshots)+len(c.segments) == 0 {
		return ErrNoDB
	}
	return err
}

func numberOf(name, suffix string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != 20 {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// clean removes what a snapshot with that number makes superfluous, 0 for no
// snapshot, and what was never finished. The order is such that what remains
// after a crash can be read.
func (d *disk) clean(number uint64) error {
	c, err := d.list()
	if err != nil {
		return err
	}
	paths := c.partial
	for _, n := range c.segments {
		if n < number {
			paths = append(paths, d.path(n, suffixLog))
		}
	}
	for _, n := range c.snapshots {
		if n < number {
			paths = append(paths, d.path(n, suffixSnapshot))
		}
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
