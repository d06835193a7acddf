package durable

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// A sample is a directory with one item per frame, and what is known about its
// files.
type sample struct {
	dir    string
	log    string
	frames []int64 // where in log the frames begin that hold one item each
	size   int64
	keys   []string // of the items, in the order of the frames
}

func newSample(t testing.TB, prepare func(s *Store)) sample {
	t.Helper()
	sm := sample{dir: t.TempDir()}
	s := mustOpen(t, sm.dir)
	createTable(t, s.db)
	if prepare != nil {
		prepare(s)
	}
	sm.log = s.disk.path(s.log.first, suffixLog)
	for i := range 5 {
		sm.frames = append(sm.frames, size(t, sm.log))
		sm.keys = append(sm.keys, fmt.Sprintf("key-%d", i))
		mustPut(t, s.db, sm.keys[i])
	}
	mustClose(t, s)
	sm.size = size(t, sm.log)
	return sm
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTornTail cuts the log at every length: what was written in full comes back,
// and the log goes on from there.
func TestTornTail(t *testing.T) {
	t.Parallel()
	sm := newSample(t, nil)
	whole := read(t, sm.log)
	for n := sm.frames[0]; n <= sm.size; n++ {
		write(t, sm.log, whole[:n])
		kept := 0
		for kept < len(sm.frames) && end(sm, kept) <= n {
			kept++
		}
		if got, want := stored(t, sm.dir), sm.keys[:kept]; !cmp.Equal(got, want) {
			t.Fatalf("of %d bytes came back %v, want %v", n, got, want)
		}
		s := mustOpen(t, sm.dir)
		mustPut(t, s.db, "more")
		mustClose(t, s)
		if got, want := stored(t, sm.dir), append(slices.Clone(sm.keys[:kept]), "more"); !cmp.Equal(got, want) {
			t.Fatalf("after %d bytes and one more item came back %v, want %v", n, got, want)
		}
	}
}

// end returns where a frame of the sample ends.
func end(sm sample, frame int) int64 {
	if frame+1 < len(sm.frames) {
		return sm.frames[frame+1]
	}
	return sm.size
}

// TestHoles checks that a last frame of which sectors never reached the disk is
// dropped, and that the same is damage where more follows.
func TestHoles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000) // over several sectors
	sm := newSample(t, func(s *Store) { mustPut(t, s.db, long[:100]) })
	s := mustOpen(t, sm.dir)
	begin := size(t, sm.log)
	mustPut(t, s.db, long)
	mustClose(t, s)
	whole := read(t, sm.log)
	more := append(slices.Clone(sm.keys), long[:100])
	for from := (begin/sectorBytes + 1) * sectorBytes; from < int64(len(whole)); from += sectorBytes {
		holed := slices.Clone(whole)
		clear(holed[from:min(from+sectorBytes, int64(len(whole)))])
		write(t, sm.log, holed)
		if got := stored(t, sm.dir); !cmp.Equal(got, more) {
			t.Fatalf("with a hole at %d came back %d items, want %d", from, len(got), len(more))
		}
	}
	zeros := slices.Clone(whole)
	clear(zeros[begin:])
	write(t, sm.log, zeros)
	if got := stored(t, sm.dir); !cmp.Equal(got, more) {
		t.Fatalf("with nothing but a hole came back %d items, want %d", len(got), len(more))
	}
	write(t, sm.log, whole)
	s = mustOpen(t, sm.dir)
	mustPut(t, s.db, "behind")
	mustClose(t, s)
	whole = read(t, sm.log)
	clear(whole[begin+600 : begin+1600])
	write(t, sm.log, whole)
	wantDamage(t, sm.dir, sm.log, begin, "checksum")
}

// wantDamage opens a directory that must not open.
func wantDamage(t testing.TB, dir, file string, offset int64, text string) {
	t.Helper()
	s, err := Open(dir)
	if err == nil {
		mustClose(t, s)
		t.Fatalf("%s was opened, want damage at %s:%d", dir, file, offset)
	}
	damage, ok := errors.AsType[*DamageError](err)
	if !ok || damage.File != file || damage.Offset != offset || !strings.Contains(err.Error(), text) {
		t.Fatalf("got %v, want damage at %s:%d with %q", err, file, offset, text)
	}
}

// TestFlippedBits flips a bit in every byte of a log and of a snapshot: each is
// found, with the frame in which it is, and nothing is changed on the disk.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	sm := newSample(t, func(s *Store) {
		mustPut(t, s.db, "earlier")
		if _, err := s.snapshot(); err != nil {
			t.Fatal(err)
		}
	})
	snapshots, err := filepath.Glob(filepath.Join(sm.dir, "*"+suffixSnapshot))
	if err != nil || len(snapshots) != 1 {
		t.Fatalf("got %v, %v, want one snapshot", snapshots, err)
	}
	random := rand.New(rand.NewPCG(1, 0))
	for _, path := range []string{sm.log, snapshots[0]} {
		whole := read(t, path)
		frames := []int64{0, fileHeaderBytes}
		for s := mustScan(t, path, whole); ; {
			if _, err := s.next(); err != nil {
				mustSucceed(t, s.close())
				break
			}
			frames = append(frames, s.at)
		}
		for i := range whole {
			broken := slices.Clone(whole)
			broken[i] ^= 1 << random.IntN(8)
			write(t, path, broken)
			frame := frames[0]
			for _, f := range frames {
				if f <= int64(i) {
					frame = f
				}
			}
			wantDamage(t, sm.dir, path, frame, "damaged at byte")
			if !cmp.Equal(read(t, path), broken) {
				t.Fatalf("the damaged file was changed")
			}
		}
		write(t, path, whole)
	}
	if got, want := stored(t, sm.dir), append([]string{"earlier"}, sm.keys...); !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func mustScan(t testing.TB, path string, whole []byte) *scanner {
	t.Helper()
	magic, suffix := magicLog, suffixLog
	if string(whole[:8]) == magicSnapshot {
		magic, suffix = magicSnapshot, suffixSnapshot
	}
	number, _ := numberOf(filepath.Base(path), suffix)
	s, err := scan(path, magic, number)
	mustSucceed(t, err)
	return s
}

func mustSucceed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrongFiles checks that files that are missing, cut off or in each other's
// place are found.
func TestWrongFiles(t *testing.T) {
	t.Parallel()
	rotate := func(s *Store) {
		for _, pk := range []string{"one", "two"} {
			mustPut(t, s.db, pk)
			_, err := s.log.rotate()
			mustSucceed(t, err)
		}
	}
	snapshot := func(s *Store) {
		mustPut(t, s.db, "one")
		_, err := s.snapshot()
		mustSucceed(t, err)
	}
	segment := func(sm sample, n uint64) string { return newDisk(sm.dir).path(n, suffixLog) }
	for _, tt := range []struct {
		name    string
		prepare func(*Store)
		harm    func(t *testing.T, sm sample) (file string, offset int64)
		text    string
	}{
		{"first segment is gone", rotate, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Remove(segment(sm, 1)))
			return segment(sm, 1), 0
		}, "file does not exist"},
		{"segment between is gone", rotate, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Remove(segment(sm, 3)))
			return segment(sm, 3), 0
		}, "file does not exist"},
		{"segment between is cut off", rotate, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Truncate(segment(sm, 3), size(t, segment(sm, 3))-1))
			return segment(sm, 3), fileHeaderBytes
		}, "cut off"},
		{"segment between lacks a frame", rotate, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Truncate(segment(sm, 3), fileHeaderBytes))
			return segment(sm, 3), 0
		}, "file does not exist"},
		{"segment in another's place", rotate, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Rename(segment(sm, 1), segment(sm, 3)))
			return segment(sm, 1), 0
		}, "file does not exist"},
		{"segment is another's copy", rotate, func(t *testing.T, sm sample) (string, int64) {
			write(t, segment(sm, 3), read(t, segment(sm, 1)))
			return segment(sm, 3), 0
		}, "no file of this sort"},
		{"empty segment", rotate, func(t *testing.T, sm sample) (string, int64) {
			write(t, sm.log, nil)
			return sm.log, 0
		}, "no file of this sort"},
		{"last segment after a snapshot is gone", snapshot, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Remove(sm.log))
			return sm.log, 0
		}, "file does not exist"},
		{"snapshot is gone", snapshot, func(t *testing.T, sm sample) (string, int64) {
			mustSucceed(t, os.Remove(newDisk(sm.dir).path(3, suffixSnapshot)))
			return segment(sm, 1), 0
		}, "file does not exist"},
		{"snapshot is cut off", snapshot, func(t *testing.T, sm sample) (string, int64) {
			path := newDisk(sm.dir).path(3, suffixSnapshot)
			n := size(t, path) - frameHeaderBytes - frameEndBytes
			mustSucceed(t, os.Truncate(path, n))
			return path, n
		}, "not complete"},
		{"snapshot goes on", snapshot, func(t *testing.T, sm sample) (string, int64) {
			path := newDisk(sm.dir).path(3, suffixSnapshot)
			whole := read(t, path)
			write(t, path, append(whole, 0))
			return path, int64(len(whole))
		}, "something follows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sm := newSample(t, tt.prepare)
			file, offset := tt.harm(t, sm)
			wantDamage(t, sm.dir, file, offset, tt.text)
		})
	}
}

// TestNonsense checks that frames whose checksums are right, but whose contents
// make no sense, are reported in the same way.
func TestNonsense(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		record []byte
		text   string
	}{
		{"record of another version", []byte{9, 0, 0, 0}, "a record of version 9"},
		{"record cut off", []byte{versionPlain, 1}, "cut off"},
		{"item of no table", appendChange(nil, &memory.Change{Items: []memory.ItemChange{{Table: 77}}}), "the table is not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sm := newSample(t, nil)
			frame := seal(appendRecord(newFrame(nil), tt.record), 7) // behind the table and five items
			write(t, sm.log, append(read(t, sm.log), frame...))
			wantDamage(t, sm.dir, sm.log, sm.size, tt.text)
		})
	}
}

// TestMustExist checks that nothing is begun where something must be.
func TestMustExist(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	write(t, filepath.Join(empty, lockName), nil)
	for _, dir := range []string{empty, filepath.Join(empty, "none")} {
		if _, err := Open(dir, MustExist()); !errors.Is(err, ErrNoDB) {
			t.Errorf("got %v, want ErrNoDB", err)
		}
	}
	left, err := os.ReadDir(empty)
	mustSucceed(t, err)
	if len(left) != 1 {
		t.Errorf("the directory now holds %v", left)
	}
	s, err := Open(newSample(t, nil).dir, MustExist(), nil, Logger(nil), Engine(nil))
	mustSucceed(t, err)
	mustClose(t, s)
}

// TestForeignFiles checks that files of others stay, even if they are called like
// what a snapshot leaves behind.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"Orders.jsonl.gz.partial", ".partial", "1.log", "1.snapshot", "notes.log.partial"} {
		write(t, filepath.Join(dir, name), []byte("not ours"))
	}
	before, err := os.ReadDir(dir)
	mustSucceed(t, err)
	mustClose(t, mustOpen(t, dir))
	for _, e := range before {
		if got := read(t, filepath.Join(dir, e.Name())); string(got) != "not ours" {
			t.Errorf("%s now holds %q", e.Name(), got)
		}
	}
}

// TestUnfinished checks that a start copes with what an interrupted snapshot leaves
// behind, and cleans it up.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	sm := newSample(t, func(s *Store) {
		mustPut(t, s.db, "earlier")
		_, err := s.log.rotate()
		mustSucceed(t, err)
	})
	want := append([]string{"earlier"}, sm.keys...)
	old := newDisk(sm.dir).path(1, suffixLog)
	before := read(t, old)

	partial := newDisk(sm.dir).path(3, suffixSnapshot) + suffixPartial
	write(t, partial, []byte("half of a snapsh"))
	if got := stored(t, sm.dir); !cmp.Equal(got, want) {
		t.Errorf("with half a snapshot came back %v, want %v", got, want)
	}
	if _, err := os.Stat(partial); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a snapshot is still there: %v", err)
	}

	s := mustOpen(t, sm.dir)
	_, err := s.snapshot()
	mustSucceed(t, err)
	mustClose(t, s)
	write(t, old, before) // as if it had not been removed yet
	if got := stored(t, sm.dir); !cmp.Equal(got, want) {
		t.Errorf("with a segment too many came back %v, want %v", got, want)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a segment that a snapshot has replaced is still there: %v", err)
	}
}
