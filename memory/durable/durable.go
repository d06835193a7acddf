package durable

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed530093c6/ddb/memory"
)

// Option sets one property of a [Store] when it is opened.
type Option func(*settings)

type settings struct {
	engine        []memory.Option
	every         time.Duration
	snapshotAfter int64
	logger        *slog.Logger
	mustExist     bool
	onDisk        func(*disk) // for tests
}

// Engine sets options of the DB. They are not kept: each start may have others.
func Engine(opts ...memory.Option) Option {
	return func(s *settings) { s.engine = append(s.engine, opts...) }
}

// SyncEvery makes requests wait only until their changes are handed to the
// operating system, which syncs them at that interval. A process that is killed
// loses nothing; a machine that fails loses what was acknowledged within the
// interval. By default, and with an interval of 0, requests wait for the sync.
func SyncEvery(d time.Duration) Option {
	return func(s *settings) { s.every = max(0, d) }
}

// SnapshotAfter sets how many bytes the log may grow before a snapshot replaces
// it, 64 MB by default. If the last snapshot is larger than that, the log may grow
// to its size, so that a byte of log costs at most about one byte of snapshot.
func SnapshotAfter(bytes int64) Option {
	return func(s *settings) { s.snapshotAfter = max(1, bytes) }
}

// MustExist makes Open fail with [ErrNoDB], and touch nothing, where the directory
// holds no DB. Otherwise Open begins an empty one.
func MustExist() Option {
	return func(s *settings) { s.mustExist = true }
}

// Logger sets where the store reports what it does unasked: what it found at its
// start, snapshots, and what went wrong with them or the log. By default it
// reports nothing, and neither does a nil l.
func Logger(l *slog.Logger) Option {
	return func(s *settings) { s.logger = cmp.Or(l, slog.New(slog.DiscardHandler)) }
}

// Store is a DB that is kept in a directory.
type Store struct {
	settings settings
	disk     *disk
	unlock   func() error
	log      *log
	db       *memory.DB

	due    chan struct{} // holds something if the log may have grown enough
	enough int64         // bytes that the log may grow; belongs to the goroutine that makes snapshots
	stop   chan struct{} // closed when there are to be no more snapshots
	done   sync.WaitGroup
	shut   func() error
}

// Open opens the DB in a directory, which it makes if need be, unless [MustExist]
// forbids it. It reads everything that is kept there; a start thus takes as long as it
// takes to put the items of the DB, and those written since the last snapshot.
//
// It fails with [ErrLocked] if the directory is open already, and with a
// [DamageError] if a file does not hold what was written to it. The caller must
// close the store.
func Open(dir string, opts ...Option) (*Store, error) {
	s := &Store{
		settings: settings{snapshotAfter: 64 << 20, logger: slog.New(slog.DiscardHandler)},
		disk:     newDisk(dir),
		due:      make(chan struct{}, 1),
		stop:     make(chan struct{}),
	}
	for _, set := range opts {
		if set != nil {
			set(&s.settings)
		}
	}
	if s.settings.onDisk != nil {
		s.settings.onDisk(s.disk)
	}
	if s.settings.mustExist {
		if err := s.disk.exists(); err != nil {
			return nil, fmt.Errorf("open %s: %w", dir, err)
		}
	}
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	var err error
	if s.unlock, err = lock(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if err := s.restore(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), s.unlock())
	}
	s.shut = sync.OnceValue(s.end)
	s.begin()
	return s, nil
}

// restore makes the DB that the directory holds, with a log that goes on.
func (s *Store) restore() error {
	h, err := newHistory(s.disk)
	if err != nil {
		return err
	}
	s.log = newLog(s.disk, s.settings.every)
	s.db, err = memory.Restore(h.changes, append(s.settings.engine, memory.WithJournal(s.log))...)
	if err != nil {
		if !h.failed { // what was read makes no sense to the engine
			err = h.damage(err)
		}
		return err
	}
	if err := s.disk.clean(h.snapshot); err != nil {
		return err
	}
	f, first, err := h.resume()
	if err != nil {
		return err
	}
	s.log.resume(f, first, h.next)
	s.log.grown.Store(h.bytes)
	s.enough = max(s.settings.snapshotAfter, h.snapshotBytes)
	s.settings.logger.Info("store opened", "dir", s.disk.dir, "snapshot", h.snapshot, "frames", h.frames, "cut_off_bytes", h.cut)
	return nil
}

// begin starts the goroutines of the store.
func (s *Store) begin() {
	s.log.onGrowth = func() {
		select {
		case s.due <- struct{}{}:
		default:
		}
	}
	s.log.onFailure = func(err error) {
		s.settings.logger.Error("the log cannot be written, and no request that writes succeeds any more", "dir", s.disk.dir, "error", err)
	}
	s.log.onGrowth()
	s.log.start()
	s.done.Go(s.snapshots)
}

// DB returns the DB. Once the store is closed, requests that write to it fail;
// those that read go on.
func (s *Store) DB() *memory.DB { return s.db }

// Close writes and syncs what was acknowledged, or waits to be, and lets go of the
// directory. Requests that write fail from then on, with an error that wraps
// [ErrClosed]. It returns why writing failed before, if it did. Calls after the
// first return what the first returned.
func (s *Store) Close() error { return s.shut() }

func (s *Store) end() error {
	close(s.stop)
	s.done.Wait()
	return errors.Join(s.log.close(), s.unlock())
}
