package durable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// faultyDisk stands between a store and its directory: it counts, holds up and
// fails what is done to files.
type faultyDisk struct {
	mu    sync.Mutex // guards all below
	syncs int        // of segments
	full  bool       // nothing can be written any more; half of the next write can
	stuck bool       // nothing can be synced any more
	held  chan struct{}
	entry chan struct{} // receives when a write is held up
	onNew func(path string) error
}

func (d *faultyDisk) option() Option {
	return func(s *settings) {
		s.onDisk = func(real *disk) {
			open := real.open
			real.open = func(path string, flag int) (file, error) {
				d.mu.Lock()
				onNew := d.onNew
				d.mu.Unlock()
				if onNew != nil && flag&os.O_CREATE != 0 {
					if err := onNew(path); err != nil {
						return nil, err
					}
				}
				f, err := open(path, flag)
				return &faultyFile{f, d, strings.Contains(path, suffixLog)}, err
			}
		}
	}
}

func (d *faultyDisk) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

var (
	errFull  = errors.New("no space left on device")
	errStuck = errors.New("input/output error")
)

type faultyFile struct {
	file
	disk    *faultyDisk
	segment bool
}

func (f *faultyFile) Write(b []byte) (int, error) {
	f.disk.mu.Lock()
	full, held, entry := f.disk.full, f.disk.held, f.disk.entry
	f.disk.mu.Unlock()
	if f.segment && held != nil {
		entry <- struct{}{}
		<-held
	}
	if full {
		n, err := f.file.Write(b[:len(b)/2])
		return n, errors.Join(errFull, err)
	}
	return f.file.Write(b)
}

func (f *faultyFile) Sync() error {
	f.disk.mu.Lock()
	stuck := f.disk.stuck
	if f.segment {
		f.disk.syncs++
	}
	f.disk.mu.Unlock()
	if stuck {
		return errStuck
	}
	return f.file.Sync()
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

const tableName = "Kept"

func createTable(t testing.TB, db *memory.DB) {
	t.Helper()
	if _, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
	}); err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, db *memory.DB, pk string) error {
	_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item{"pk": str(pk)}})
	return err
}

func mustPut(t testing.TB, db *memory.DB, pks ...string) {
	t.Helper()
	for _, pk := range pks {
		if err := put(t, db, pk); err != nil {
			t.Fatal(err)
		}
	}
}

func mustOpen(t testing.TB, dir string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// stored opens a directory and returns the partition keys of its items.
func stored(t testing.TB, dir string) []string {
	t.Helper()
	s := mustOpen(t, dir)
	defer mustClose(t, s)
	if err := s.db.Check(); err != nil {
		t.Errorf("invariants: %v", err)
	}
	out, err := s.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{}
	for _, it := range out.Items {
		keys = append(keys, it["pk"].(*types.AttributeValueMemberS).Value)
	}
	slices.Sort(keys)
	return keys
}

// TestWriteFails checks that after a write or a sync has failed nothing is
// acknowledged any more, though the disk has recovered, and that a start finds
// what was acknowledged before.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fail func(*faultyDisk)
		want error
	}{
		{"full disk", func(d *faultyDisk) { d.full = true }, errFull},
		{"failing sync", func(d *faultyDisk) { d.stuck = true }, errStuck},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, disk := t.TempDir(), &faultyDisk{}
			s := mustOpen(t, dir, disk.option())
			createTable(t, s.DB())
			mustPut(t, s.DB(), "a", "b")
			disk.set(func() { tt.fail(disk) })
			for i, pk := range []string{"c", "d"} {
				err := put(t, s.DB(), pk)
				if e, ok := errors.AsType[*types.InternalServerError](err); !ok || !errors.Is(err, tt.want) {
					t.Errorf("write %d: got %v, want an InternalServerError because of %v", i, err, tt.want)
				} else if !strings.Contains(e.ErrorMessage(), tt.want.Error()) {
					t.Errorf("write %d: got the message %q, want the reason in it", i, e.ErrorMessage())
				}
				disk.set(func() { disk.full, disk.stuck = false, false })
			}
			if err := put(t, s.DB(), "a"); err == nil {
				t.Error("a write that changes nothing is acknowledged")
			}
			if err := s.Close(); !errors.Is(err, tt.want) {
				t.Errorf("close: got %v, want %v", err, tt.want)
			}
			got := slices.DeleteFunc(stored(t, dir), func(pk string) bool { return pk == "c" }) // nobody knows
			if want := []string{"a", "b"}; !cmp.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestSyncsAreShared checks that requests that wait at the same time share one
// sync.
func TestSyncsAreShared(t *testing.T) {
	t.Parallel()
	dir, disk := t.TempDir(), &faultyDisk{}
	s := mustOpen(t, dir, disk.option())
	createTable(t, s.DB())
	held, entry := make(chan struct{}), make(chan struct{}, 1)
	disk.set(func() { disk.held, disk.entry = held, entry })
	var all sync.WaitGroup
	all.Go(func() { _ = put(t, s.DB(), "first") })
	<-entry // "first" is being written
	disk.set(func() { disk.held = nil })
	syncs := disk.syncs
	for _, pk := range strings.Split("abcdefghij", "") {
		all.Go(func() {
			if err := put(t, s.DB(), pk); err != nil {
				t.Error(err)
			}
		})
	}
	for waiting := 0; waiting < 10; { // until all have appended
		s.log.mu.Lock()
		waiting = 0
		for _, b := range s.log.queue {
			for range records(b.frame[frameHeaderBytes:]) {
				waiting++
			}
		}
		s.log.mu.Unlock()
	}
	close(held)
	all.Wait()
	if got := disk.syncs - syncs; got != 2 {
		t.Errorf("11 writes took %d syncs, want 2", got)
	}
	mustClose(t, s)
	if got := len(stored(t, dir)); got != 11 {
		t.Errorf("got %d items, want 11", got)
	}
}

// TestNobodyWaits checks that what was appended is written though nobody waits for
// it.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer mustClose(t, s)
	if err := s.log.Append(memory.Change{Tokens: []memory.TokenChange{{Token: "t"}}}); err != nil {
		t.Fatal(err)
	}
	s.log.mu.Lock()
	done := s.log.last.done
	s.log.mu.Unlock()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("nothing was written")
	}
}

// TestSyncEvery checks that writes at intervals do not wait for a sync, that there
// is one per interval in which something was written, and one at the end.
func TestSyncEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := &faultyDisk{}
		s := mustOpen(t, t.TempDir(), disk.option(), SyncEvery(time.Second))
		createTable(t, s.DB())
		before := disk.syncs
		check := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			disk.mu.Lock()
			defer disk.mu.Unlock()
			if got := disk.syncs - before; got != want {
				t.Errorf("%s: %d syncs, want %d", when, got, want)
			}
		}
		mustPut(t, s.DB(), "a", "b")
		check("after two writes", 0)
		<-time.After(1500 * time.Millisecond)
		check("after an interval", 1)
		<-time.After(5 * time.Second)
		check("after idle intervals", 1)
		mustPut(t, s.DB(), "c")
		mustClose(t, s)
		check("after the end", 2)
	})
}

// TestSnapshotWaits checks that a snapshot is not published before all that it
// holds is in the log.
func TestSnapshotWaits(t *testing.T) {
	t.Parallel()
	dir, disk := t.TempDir(), &faultyDisk{}
	s := mustOpen(t, dir, disk.option())
	createTable(t, s.DB())
	mustPut(t, s.DB(), "a")
	held, entry := make(chan struct{}), make(chan struct{}, 1)
	var all sync.WaitGroup
	disk.set(func() {
		disk.onNew = func(path string) error {
			if !strings.Contains(path, suffixSnapshot) {
				return nil
			}
			// The log is cut in two, and nothing is collected yet: "b" will be in
			// the snapshot, and be held up on its way into the log.
			disk.set(func() { disk.held, disk.entry, disk.onNew = held, entry, nil })
			all.Go(func() { _ = put(t, s.DB(), "b") })
			<-entry
			return nil
		}
	})
	var made atomic.Bool
	all.Go(func() {
		if _, err := s.snapshot(); err != nil {
			t.Error(err)
		}
		made.Store(true)
	})
	<-time.After(100 * time.Millisecond) // long enough for a snapshot that does not wait
	if made.Load() {
		t.Error("the snapshot is made before the log is written")
	}
	disk.set(func() { disk.held = nil })
	close(held)
	all.Wait()
	mustClose(t, s)
	if got, want := stored(t, dir), []string{"a", "b"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSnapshotFails checks that a snapshot that cannot be made does no harm.
func TestSnapshotFails(t *testing.T) {
	t.Parallel()
	dir, disk := t.TempDir(), &faultyDisk{}
	s := mustOpen(t, dir, disk.option())
	createTable(t, s.DB())
	mustPut(t, s.DB(), "a")
	disk.set(func() {
		disk.onNew = func(path string) error {
			if strings.Contains(path, suffixSnapshot) {
				return errFull
			}
			return nil
		}
	})
	if _, err := s.snapshot(); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
	mustPut(t, s.DB(), "b")
	disk.set(func() { disk.onNew = nil })
	if _, err := s.snapshot(); err != nil {
		t.Error(err)
	}
	mustPut(t, s.DB(), "c")
	mustClose(t, s)
	if got, want := stored(t, dir), []string{"a", "b", "c"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestClosed checks what a store does once it is closed.
func TestClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := mustOpen(t, dir, SyncEvery(time.Hour))
	createTable(t, s.DB())
	mustPut(t, s.DB(), "a")
	mustClose(t, s)
	mustClose(t, s)
	if err := put(t, s.DB(), "b"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if _, err := s.DB().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)}); err != nil {
		t.Errorf("read: %v", err)
	}
	if got, want := stored(t, dir), []string{"a"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSnapshotsBoundTheLog checks that snapshots are made by themselves and that
// what they replace is removed.
func TestSnapshotsBoundTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := mustOpen(t, dir, SnapshotAfter(2<<10))
	createTable(t, s.DB())
	for range 500 { // about 40 kB of log, for a DB of two items
		mustPut(t, s.DB(), "a", "b")
		if _, err := s.DB().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: item{"pk": str("a")}}); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.After(10 * time.Second); ; {
		names, err := filepath.Glob(filepath.Join(dir, "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		bytes := int64(0)
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				bytes += info.Size()
			}
		}
		if len(names) <= 3 && bytes < 8<<10 {
			break
		}
		mustPut(t, s.DB(), "a")
		select {
		case <-deadline:
			t.Fatalf("%d bytes are left in %v", bytes, names)
		default:
		}
	}
	mustClose(t, s)
	if got := stored(t, dir); !slices.Contains(got, "b") {
		t.Errorf("got %v, want b among them", got)
	}
}
