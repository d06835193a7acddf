package ddb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Both must fit as they are.
var (
	_ ddb.StreamBackend = (*dynamodbstreams.Client)(nil)
	_ ddb.StreamBackend = (*memory.DB)(nil)
)

// streamBackend is the engine itself or, with -wire, a client of it.
func streamBackend(t testing.TB, db *memory.DB) ddb.StreamBackend {
	t.Helper()
	if !*overWire {
		return db
	}
	o := client(t, db).Options()
	return dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials})
}

// kept is Checkpoints in memory.
type kept struct {
	checkpoints map[string]ddb.Checkpoint // by shard
	saves       int
	fail        error
}

func (k *kept) Load(context.Context, string) ([]ddb.Checkpoint, error) {
	return slices.Collect(maps.Values(k.checkpoints)), k.fail
}

func (k *kept) Save(ctx context.Context, _ string, c ddb.Checkpoint) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if k.checkpoints == nil {
		k.checkpoints = make(map[string]ddb.Checkpoint)
	}
	k.checkpoints[c.Shard] = c
	k.saves++
	return k.fail
}

// visited is a Changes that tells which visits of a customer it has seen.
func visited(p *post, opts ...ddb.ChangesOption) (*ddb.Changes, *told) {
	changes, l := ddb.NewChanges(p.table, opts...), new(told)
	ddb.On(changes, p.customers, func(_ context.Context, c ddb.Change[Customer]) error {
		l.add("%s %d", c.Key.ID, c.New.Visits)
		return nil
	})
	return changes, l
}

func (p *post) visit(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if _, err := p.customers.Upsert(Customer{ID: id}).Set(p.visits.Add(1)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFollowResumes asserts that a follower with checkpoints handles each record
// once over many starts, parents before their children, while shards come and go,
// and that one without them begins anew.
func TestFollowResumes(t *testing.T) {
	t.Parallel()
	p := newPost(t, types.StreamViewTypeNewAndOldImages)
	changes, l := visited(p)
	k := new(kept)
	var want []string
	for round := range 12 {
		for _, id := range []string{"a", "b", "c"} {
			p.visit(t, id)
			want = append(want, fmt.Sprintf("%s %d", id, round+1))
		}
		if round%3 == 2 {
			continue // what two rounds wrote comes together
		}
		p.advance(90 * time.Minute)
		if err := changes.Follow(p.streams).Checkpoints(k).CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := changes.Follow(p.streams).Checkpoints(k).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	byCustomer := func(said []string) []string {
		return slices.SortedStableFunc(slices.Values(said), func(a, b string) int { return cmp.Compare(a[0], b[0]) })
	}
	if d := gocmp.Diff(byCustomer(l.said), byCustomer(want)); d != "" {
		t.Errorf("records with checkpoints, by customer (-got +want):\n%s", d)
	}
	saves := k.saves
	if err := changes.Follow(p.streams).Checkpoints(k).CatchUp(t.Context()); err != nil || k.saves != saves {
		t.Errorf("with nothing new: %v, %d saves more", err, k.saves-saves)
	}
	l.said = nil
	if err := changes.Follow(p.streams).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(byCustomer(l.said), byCustomer(want)); d != "" {
		t.Errorf("records without checkpoints, by customer (-got +want):\n%s", d)
	}
}

// TestFollowStopsAtFailures asserts that a record that fails comes again, and those
// before it do not, unless the follower is told to pass it over.
func TestFollowStopsAtFailures(t *testing.T) {
	t.Parallel()
	p := newPost(t, types.StreamViewTypeNewAndOldImages)
	k, l, broken := new(kept), new(told), true
	changes := ddb.NewChanges(p.table)
	ddb.On(changes, p.customers, func(_ context.Context, c ddb.Change[Customer]) error {
		if c.New.Visits == 2 && broken {
			return errors.New("boom")
		}
		l.add("%d", c.New.Visits)
		return nil
	})
	p.visit(t, "a", "a", "a")
	follow := changes.Follow(p.streams).Checkpoints(k)
	for range 2 {
		failed, ok := errors.AsType[*ddb.ChangeError](follow.CatchUp(t.Context()))
		if !ok || failed.Entity != "Customer" || failed.Err.Error() != "boom" {
			t.Fatalf("got %v, want the handler's error", failed)
		}
	}
	l.want(t, "1")
	broken = false
	if err := follow.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.want(t, "2", "3")
	broken = true
	var passed []string
	skip := changes.Follow(p.streams).OnError(func(_ context.Context, err *ddb.ChangeError) error {
		passed = append(passed, err.Err.Error())
		return nil
	})
	if err := skip.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.want(t, "1", "3")
	if d := gocmp.Diff(passed, []string{"boom"}); d != "" {
		t.Errorf("passed over (-got +want):\n%s", d)
	}
}

// TestFollowRuns asserts that Run follows what is written meanwhile, outlives
// iterators that expire, stops with its context in the middle of records without
// losing any, and ends when the stream was disabled.
func TestFollowRuns(t *testing.T) {
	t.Parallel()
	p := newPost(t, types.StreamViewTypeNewAndOldImages)
	k, seen := new(kept), make(chan int)
	changes := ddb.NewChanges(p.table)
	ddb.On(changes, p.customers, func(ctx context.Context, c ddb.Change[Customer]) error {
		select {
		case seen <- c.New.Visits:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	run := func() (cancel func(), done chan error) {
		ctx, cancel := context.WithCancel(t.Context())
		done = make(chan error, 1)
		go func() { done <- changes.Follow(p.streams).Checkpoints(k).Every(time.Millisecond).Run(ctx) }()
		return cancel, done
	}
	stop, done := run()
	for n := 1; n <= 3; n++ {
		p.visit(t, "a")
		if got := <-seen; got != n {
			t.Fatalf("saw visit %d, want %d", got, n)
		}
		p.advance(20 * time.Minute) // iterators last for 15
	}
	p.visit(t, "a", "a", "a")
	if got := <-seen; got != 4 {
		t.Fatalf("saw visit %d, want 4", got)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped with %v, want context.Canceled", err)
	}
	stop, done = run()
	defer stop()
	for want := 5; want <= 6; want++ {
		if got := <-seen; got != want {
			t.Fatalf("after the stop: saw visit %d, want %d", got, want)
		}
	}
	if _, err := p.db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String("Post"), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)},
	}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("a stream that was disabled: got %v, want its end", err)
	}
}

// TestFollowTrimmed asserts that records that are gone are never passed over in
// silence.
func TestFollowTrimmed(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]time.Duration{"a part of the shard": 25 * time.Hour, "the whole shard": 40 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t, types.StreamViewTypeNewAndOldImages)
			changes, l := visited(p)
			k := new(kept)
			p.visit(t, "a")
			follow := changes.Follow(p.streams).Checkpoints(k)
			if err := follow.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.visit(t, "a")
			p.advance(away)
			p.visit(t, "a")
			if err := follow.CatchUp(t.Context()); !errors.Is(err, ddb.ErrTrimmed) || !strings.Contains(err.Error(), "SkipTrimmed") {
				t.Errorf("got %v, want ErrTrimmed", err)
			}
			l.want(t, "a 1")
			for range 2 {
				if err := follow.SkipTrimmed().CatchUp(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			l.want(t, "a 3")
			if name == "a part of the shard" {
				if err := follow.CatchUp(t.Context()); err != nil {
					t.Errorf("after the gap was passed over: %v", err)
				}
			}
		})
	}
}

// TestFollowChoosesItsStream asserts that the latest stream is followed, a named one
// on request, from a time on request, and that a table without one is an error.
func TestFollowChoosesItsStream(t *testing.T) {
	t.Parallel()
	p := newPost(t, types.StreamViewTypeNewAndOldImages)
	first, err := p.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("Post")})
	if err != nil {
		t.Fatal(err)
	}
	changes, l := visited(p)
	p.visit(t, "a")
	for _, on := range []bool{false, true} {
		spec := &types.StreamSpecification{StreamEnabled: aws.Bool(on)}
		if on {
			spec.StreamViewType = types.StreamViewTypeNewImage
		}
		if _, err := p.db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("Post"), StreamSpecification: spec}); err != nil {
			t.Fatal(err)
		}
	}
	p.advance(time.Minute)
	p.visit(t, "a")
	follow := changes.Follow(p.streams)
	if err := follow.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.want(t, "a 2")
	if err := follow.Stream(*first.Table.LatestStreamArn).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.want(t, "a 1")
	p.advance(time.Minute)
	p.visit(t, "a")
	if err := follow.Since(at("2024-05-20T12:02:00Z")).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.want(t, "a 3")

	s, db := open(t)
	if err := ddb.NewChanges(s.table).Follow(streamBackend(t, db)).Run(t.Context()); !errors.Is(err, ddb.ErrTableNotFound) || !strings.Contains(err.Error(), "StreamSpecification") {
		t.Errorf("a table without stream: got %v", err)
	}
}

// TestFollowReportsCheckpoints asserts that checkpoints that cannot be kept end the
// read.
func TestFollowReportsCheckpoints(t *testing.T) {
	t.Parallel()
	p := newPost(t, types.StreamViewTypeNewAndOldImages)
	changes, _ := visited(p)
	k := &kept{fail: errors.New("disk full")}
	follow := changes.Follow(p.streams).Checkpoints(k)
	if err := follow.CatchUp(t.Context()); !errors.Is(err, k.fail) {
		t.Errorf("load: got %v", err)
	}
	p.visit(t, "a")
	loads := &savesFail{kept: kept{}, fail: k.fail}
	if err := changes.Follow(p.streams).Checkpoints(loads).CatchUp(t.Context()); !errors.Is(err, k.fail) {
		t.Errorf("save: got %v", err)
	}
}

type savesFail struct {
	kept
	fail error
}

func (s *savesFail) Save(context.Context, string, ddb.Checkpoint) error { return s.fail }
